// The search for worms that are blocked for good.
//
// A set of worms blocks itself if what they hold is disjoint and every VC offered to each of their headers
// is held within the set: each waits for any of several VCs (OR), and all of these are taken for good. Such
// a set is reachable: the worms come one after the other, each up to where it stands, since no later one
// crosses what an earlier one holds; headers are held up meanwhile, as other worms or slow routers do.
// Conversely, the state in which worms block each other for good is such a set.
// Only places without an escape, and VCs that are no escapes, can be part of it (relations/escape.cpp).
//
// First, worms of one VC each: a VC is kept as long as some worm can hold it and wait for kept VCs
// alone; what is left at the end, the greatest such set, is a deadlock if it is not empty. From each of its
// VCs a small part is closed, and the smallest part wins. This finds all there is where what routers offer
// does not depend on the way behind.
// Then, exactly: pieces of ways are listed, first those along a dependency cycle, then all up to a limit, and
// a set is built by backtracking: some VC that is waited for and not held must be held by one of the pieces
// through it.
// Cost: the first is linear in places and candidates times the rounds; the second exponential, up to a limit.
// cite: Warnakulasuriya, Pinkston 2000 (knots).
// SPDX-License-Identifier: MIT
#include "deadlock/relations/relation_check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace wormcast {

namespace {

constexpr std::size_t most_seeds = 128;      ///< VCs from which a deadlock is closed
constexpr std::size_t most_pieces = 40'000;  ///< of ways that are listed

/// The VCs that the worm holds while it waits.
std::vector<ResourceId> held_vcs(const RelationGraph& graph, const RelationWorm& worm, std::uint32_t most) {
  std::vector<ResourceId> vcs = taken_vcs(graph, worm);
  if (vcs.size() > most) vcs.erase(vcs.begin(), vcs.end() - most);
  return vcs;
}

/// Worms that hold one VC each.
class SingleVcs {
 public:
  SingleVcs(const RelationGraph& graph, const Escape& escape, const BlockedWormsRules& rules)
      : graph_(graph), escape_(escape), rules_(rules), options_(graph.vc_bound()), kept_(graph.vc_bound()) {}

  std::optional<std::vector<RelationWorm>> find(bool across_stops) {
    collect(across_stops);
    keep_the_greatest();
    std::vector<std::uint32_t> seeds;
    for (std::uint32_t vc = 0; vc < kept_.size(); ++vc)
      if (kept_[vc]) seeds.push_back(vc);
    std::optional<std::vector<RelationWorm>> best;
    const std::size_t step = std::max<std::size_t>(1, seeds.size() / most_seeds);
    for (std::size_t i = 0; i < seeds.size(); i += step) {
      auto found = close(seeds[i], best ? best->size() : seeds.size() + 1);
      if (found) best = std::move(found);
    }
    return best;
  }

 private:
  void collect(bool across_stops) {
    for (std::uint32_t u = 0; u < graph_.vertices().size(); ++u) {
      const RelationGraph::Vertex& from = graph_.vertices()[u];
      if (!from.entry) continue;
      for (std::size_t i = from.first_arc; i < from.first_arc + from.arcs; ++i) {
        const RelationArc& arc = graph_.arcs()[i];
        if (arc.vc == nothing_taken || escape_.numbered[arc.vc.value]) continue;
        const auto add = [&](std::vector<std::size_t> taken, std::uint32_t waits) {
          if (graph_.vertices()[waits].kind == RelationGraph::Kind::waits && !escape_.satisfied[waits])
            options_[arc.vc.value].push_back({u, std::move(taken), waits});
        };
        const RelationGraph::Vertex& to = graph_.vertices()[arc.to];
        if (to.kind == RelationGraph::Kind::waits) add({i}, arc.to);
        if (to.kind != RelationGraph::Kind::passes || !across_stops) continue;
        for (std::size_t j = to.first_arc; j < to.first_arc + to.arcs; ++j) add({i, j}, graph_.arcs()[j].to);
      }
    }
  }

  bool waits_for_kept(const RelationWorm& worm) const {
    const auto arcs = graph_.arcs(worm.waits);
    return std::all_of(arcs.begin(), arcs.end(), [&](const RelationArc& arc) { return kept_[arc.vc.value]; });
  }

  void keep_the_greatest() {
    for (std::size_t vc = 0; vc < kept_.size(); ++vc) kept_[vc] = !options_[vc].empty();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t vc = 0; vc < kept_.size(); ++vc) {
        if (!kept_[vc]) continue;
        std::erase_if(options_[vc], [&](const RelationWorm& worm) { return !waits_for_kept(worm); });
        if (!options_[vc].empty()) continue;
        kept_[vc] = false;
        changed = true;
      }
    }
  }

  /// Fewer worms than `below` that hold `seed` and all that is waited for; greedily few.
  std::optional<std::vector<RelationWorm>> close(std::uint32_t seed, std::size_t below) const {
    std::set<std::uint32_t> listed{seed};
    std::vector<std::uint32_t> open{seed};
    std::map<HostId, std::uint32_t> at_source;
    std::vector<RelationWorm> worms;
    for (std::size_t next = 0; next < open.size(); ++next) {
      if (open.size() >= below) return std::nullopt;
      std::vector<std::pair<std::size_t, std::size_t>> order;  // VCs that are new, index
      const std::vector<RelationWorm>& options = options_[open[next]];
      for (std::size_t i = 0; i < options.size(); ++i) {
        std::size_t fresh = 0;
        for (const RelationArc& arc : graph_.arcs(options[i].waits)) fresh += !listed.contains(arc.vc.value);
        order.emplace_back(fresh, i);
      }
      std::sort(order.begin(), order.end());
      const RelationWorm* chosen = nullptr;
      for (std::size_t i = 0; i < order.size() && chosen == nullptr; ++i) {
        const RelationWorm& worm = options[order[i].second];
        const HostId source = graph_.vertices()[worm.entry].origin;
        if (rules_.worms_a_source != 0 && at_source[source] == rules_.worms_a_source) continue;
        if (!rules_.exists(worm)) continue;
        chosen = &worm;
        ++at_source[source];
      }
      if (chosen == nullptr) return std::nullopt;
      worms.push_back(*chosen);
      for (const RelationArc& arc : graph_.arcs(chosen->waits))
        if (listed.insert(arc.vc.value).second) open.push_back(arc.vc.value);
    }
    return worms;
  }

  const RelationGraph& graph_;
  const Escape& escape_;
  const BlockedWormsRules& rules_;
  std::vector<std::vector<RelationWorm>> options_;  ///< by VC
  std::vector<bool> kept_;
};

/// Pieces of ways of any length, and sets of them.
class Pieces {
 public:
  Pieces(const RelationGraph& graph, const Escape& escape, const BlockedWormsRules& rules)
      : graph_(graph),
        escape_(escape),
        rules_(rules),
        through_(graph.vc_bound()),
        taken_(graph.vc_bound()),
        holder_(graph.vc_bound()) {}

  BlockedWorms find(const std::vector<Dependency>& cycle = {}) {
    cycle.empty() ? list_pieces() : list_along(cycle);
    BlockedWorms result;
    for (std::uint32_t root = 0; root < through_.size() && !result.worms && !cut_; ++root) {
      if (through_[root].empty()) continue;
      hold(root);
      if (found_) result.worms = std::move(found_);
      banned_.insert(root);
    }
    result.looked_at = looked_at_;
    result.exhausted = !result.worms && !cut_ && complete_;
    return result;
  }

 private:
  struct Piece {
    RelationWorm worm;
    std::vector<ResourceId> held;    ///< has flits in them
    std::vector<ResourceId> closed;  ///< of these: what no other can enter
    std::vector<ResourceId> wanted;
    // Of what several worms can have at a time, injection channels and consumption channels that inputs
    // share: what it keeps, as its tail is behind, and what it has released.
    std::vector<ResourceId> keeps, passed;
  };

  /// Breadth first, so that short ones come first.
  void list_pieces() {
    std::vector<RelationWorm> open;
    for (std::uint32_t u = 0; u < graph_.vertices().size(); ++u)
      if (graph_.vertices()[u].entry) open.push_back({u, {}, u});
    for (std::size_t next = 0; next < open.size(); ++next) {
      if (open.size() > most_pieces) {
        complete_ = false;
        break;
      }
      const RelationWorm at = open[next];
      const auto& here = graph_.vertices()[at.waits];
      if (here.kind == RelationGraph::Kind::waits && !at.taken.empty()) keep(at);
      const std::vector<ResourceId> before = taken_vcs(graph_, at);
      for (std::size_t i = here.first_arc; i < here.first_arc + here.arcs; ++i) {
        const RelationArc& arc = graph_.arcs()[i];
        if (graph_.vertices()[arc.to].kind == RelationGraph::Kind::anywhere) continue;
        if (arc.vc != nothing_taken &&
            (escape_.numbered[arc.vc.value] || std::count(before.begin(), before.end(), arc.vc) != 0))
          continue;
        RelationWorm further = at;
        further.taken.push_back(i);
        further.waits = arc.to;
        open.push_back(std::move(further));
      }
    }
  }

  /// One for all that hold and want the same.
  void list_along(const std::vector<Dependency>& cycle) {
    complete_ = false;
    std::set<std::pair<std::vector<ResourceId>, ResourceId>> known;
    worms_along(graph_, cycle, [&](const RelationWorm& worm) {
      const std::pair at(taken_vcs(graph_, worm), graph_.arcs(worm.waits).front().vc);
      if (known.size() < most_pieces && !known.contains(at) && rules_.exists(worm) && known.insert(at).second)
        keep(worm);
    });
  }

  void keep(const RelationWorm& worm) {
    if (escape_.satisfied[worm.waits]) return;
    const FilledVcs filled = filled_by(worm);
    Piece piece{worm, held_vcs(graph_, worm, filled.some), held_vcs(graph_, worm, filled.closed), {}, {}, {}};
    for (const RelationArc& arc : graph_.arcs(worm.waits)) piece.wanted.push_back(arc.vc);
    if (piece.closed.empty()) return;
    note_units(piece);
    for (const ResourceId vc : piece.closed) through_[vc.value].push_back(pieces_.size());
    pieces_.push_back(std::move(piece));
  }

  void note_units(Piece& piece) const {
    const HostId source = graph_.vertices()[piece.worm.entry].origin;
    const Resources& resources = graph_.resources();
    const bool link = graph_.topology().hosts_have_links();
    if (rules_.worms_a_source != 0)
      (tail_at_source(piece) ? piece.keeps : piece.passed)
          .push_back(link ? resources.host_link(source) : resources.injection(source));
    const std::size_t vcs = taken_vcs(graph_, piece.worm).size();
    std::size_t behind = 0;
    for (const std::size_t i : piece.worm.taken) {
      const ResourceId vc = graph_.arcs()[i].vc;
      if (vc == nothing_taken) continue;
      if (resources.kind(vc) == Resource::Kind::network)
        ++behind;
      else
        (tail_at_source(piece) || behind > vcs - piece.held.size() ? piece.keeps : piece.passed)
            .push_back(vc);
    }
  }

  /// Whether chosen pieces keep all units.
  bool all_taken(ResourceId vc) const {
    std::ptrdiff_t held = 0;
    for (const std::size_t p : chosen_)
      held += std::count(pieces_[p].keeps.begin(), pieces_[p].keeps.end(), vc);
    return held >= static_cast<std::ptrdiff_t>(graph_.resources().units(vc));
  }

  bool fits(const Piece& piece) const {
    for (const ResourceId vc : piece.keeps)
      if (all_taken(vc)) return false;
    for (const ResourceId vc : piece.held)
      if (taken_[vc.value] || banned_.contains(vc.value)) return false;
    for (const ResourceId vc : piece.wanted)
      if (banned_.contains(vc.value)) return false;
    const auto traffic = [&](const Piece& one) { return graph_.vertices()[one.worm.entry].traffic; };
    return !rules_.each_once || std::none_of(chosen_.begin(), chosen_.end(), [&](std::size_t other) {
      return traffic(pieces_[other]) == traffic(piece);
    });
  }

  FilledVcs filled_by(const RelationWorm& worm) const {
    return rules_.filled_of.empty() ? FilledVcs{} : rules_.filled_of[graph_.vertices()[worm.entry].traffic];
  }
  bool tail_at_source(const Piece& piece) const { return piece.held.size() < filled_by(piece.worm).some; }

  /// Some piece through `vc`, and whatever that takes.
  void hold(std::uint32_t vc) {
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (const std::size_t p : through_[vc]) {
      if (!fits(pieces_[p])) continue;
      std::size_t fresh = 0;
      for (const ResourceId wanted : pieces_[p].wanted) fresh += holder_[wanted.value] ? 0 : 1;
      order.emplace_back(fresh + pieces_[p].held.size(), p);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [cost, p] : order) {
      if (++looked_at_ > rules_.partial_sets) cut_ = true;
      if (cut_) return;
      if (!rules_.exists(pieces_[p].worm)) continue;
      choose(p, true);
      if (const auto missing = waited_for()) {
        hold(*missing);
      } else {
        order_worms();
      }
      choose(p, false);
      if (found_) return;
    }
  }

  void choose(std::size_t p, bool in) {
    in ? chosen_.push_back(p) : chosen_.pop_back();
    for (const ResourceId vc : pieces_[p].held) taken_[vc.value] = in;
    for (const ResourceId vc : pieces_[p].closed) holder_[vc.value] = in;
  }

  /// Of the VCs that are waited for and not held the one with the fewest pieces.
  std::optional<std::uint32_t> waited_for() const {
    std::optional<std::uint32_t> best;
    for (const std::size_t p : chosen_)
      for (const ResourceId vc : pieces_[p].wanted)
        if (!holder_[vc.value] && (!best || through_[vc.value].size() < through_[*best].size()))
          best = vc.value;
    return best;
  }

  /// Worms that left VCs behind them came before those that hold these now. Not all sets can come to be so.
  void order_worms() {
    std::vector<std::size_t> left = chosen_;
    std::vector<RelationWorm> ordered;
    while (!left.empty()) {
      const auto free = std::find_if(left.begin(), left.end(), [&](std::size_t p) {
        // All that cross what p holds have come already.
        return std::none_of(left.begin(), left.end(), [&](std::size_t q) { return q != p && crosses(q, p); });
      });
      if (free == left.end()) {
        complete_ = false;  // in turns they might
        return;
      }
      ordered.push_back(pieces_[*free].worm);
      left.erase(free);
    }
    found_ = std::move(ordered);
  }

  bool crosses(std::size_t q, std::size_t p) const {
    for (const ResourceId vc : taken_vcs(graph_, pieces_[q].worm))
      if (std::count(pieces_[p].held.begin(), pieces_[p].held.end(), vc) != 0) return true;
    for (const ResourceId vc : pieces_[q].passed)
      if (all_taken(vc) && std::count(pieces_[p].keeps.begin(), pieces_[p].keeps.end(), vc) != 0) return true;
    return false;
  }

  const RelationGraph& graph_;
  const Escape& escape_;
  const BlockedWormsRules& rules_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<std::size_t>> through_;  ///< pieces, by VC that they hold
  std::vector<bool> taken_;                        ///< by VC: whether a chosen piece has flits there
  std::vector<bool> holder_;                       ///< and lets no other in
  std::vector<std::size_t> chosen_;
  std::set<std::uint32_t> banned_;  ///< VCs that are in no deadlock, as has been found
  std::optional<std::vector<RelationWorm>> found_;
  std::uint64_t looked_at_ = 0;
  bool cut_ = false;
  bool complete_ = true;
};

}  // namespace

std::vector<ResourceId> taken_vcs(const RelationGraph& graph, const RelationWorm& worm) {
  std::vector<ResourceId> vcs;
  for (const std::size_t i : worm.taken) {
    const ResourceId vc = graph.arcs()[i].vc;
    if (vc != nothing_taken && graph.resources().kind(vc) == Resource::Kind::network) vcs.push_back(vc);
  }
  return vcs;
}

BlockedWorms find_blocked_worms(const RelationGraph& graph, const Escape& escape,
                                const BlockedWormsRules& rules, const std::vector<Dependency>& cycle) {
  BlockedWorms result;
  const bool closes = std::all_of(rules.filled_of.begin(), rules.filled_of.end(),
                                  [](const FilledVcs& filled) { return filled.closed > 0; });
  if (!rules.each_once && closes)
    for (const bool across_stops : {false, true}) {
      result.worms = SingleVcs(graph, escape, rules).find(across_stops);
      if (result.worms) return result;
    }
  if (!cycle.empty()) {
    result = Pieces(graph, escape, rules).find(cycle);
    if (result.worms) return result;
  }
  return Pieces(graph, escape, rules).find();
}

}  // namespace wormcast
