// Exhaustive exploration of everything a few worms can do.
//
// A state says what each worm has been granted, and who queues in which order for what atomic nodes ask for
// together. A step is one request; then all flits come to rest and everything is granted that can be.
//
// Why rest is enough: queues are first come, first served, so the order of requests alone decides in which
// order a resource passes from worm to worm. Given that order, a grant waits for grants and for tails, a tail
// for grants, and none of them can be undone: whatever happens early only lets more happen. So all timings
// of one order of requests end in the same state, and in none of them can more be asked for at any moment
// than when everything happens at once.
// Why most requests need no queue: a request that no atomic node's can stand behind holds up nobody while
// it waits, so it may as well be made when it can be granted. One that can (or is one) has to be tried
// early too: whoever comes later waits for it even where the resource itself is free. And what no other worm
// can ever be refused for its sake is asked for as soon as it can be.
//
// A state in which nothing can be asked for although a worm is unfinished is a deadlock. Breadth first: the
// first found is one of those with the fewest requests.
// Cost: up to the product over the worms of their numbers of grantable sets, times the orders of queues.
// SPDX-License-Identifier: MIT
#include "deadlock/search/exploration.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "deadlock/plain/plain_worm.hpp"

namespace wormcast {

namespace {

/// What the worms can be in each other's way for.
struct Contested {
  std::map<ResourceId, std::uint32_t> takers;  ///< worms that take the resource
  /// Resources that some atomic node asks for together with other contested ones, numbered.
  std::map<ResourceId, std::uint32_t> queues;
};

/// What a worm can ask for next, and where the grant takes it.
struct Move {
  std::int32_t hop = -1;              ///< −1: it starts
  std::vector<ResourceId> resources;  ///< the contested ones
  std::vector<std::uint32_t> queues;  ///< those it waits in
  std::uint32_t to = 0;               ///< index of the local state
};

/// One set of grants of one worm, worked out once.
struct Local {
  std::vector<bool> granted;
  std::vector<bool> passed;  ///< granted, and let go of again
  std::vector<ResourceId> held;
  std::vector<Move> moves;
  bool finished = false;
  bool expanded = false;
};

/// The local states of one worm, numbered as they are met; 0 = not started.
class LocalStates {
 public:
  LocalStates(const Topology& topology, const RouterModel& model, const ExploredWorm& worm,
              const Contested& contested)
      : plain_(topology, model, worm.route, worm.flits), resources_(topology, model), contested_(contested) {
    intern(std::vector<bool>(plain_.positions()));
  }

  const Local& at(std::uint32_t index) {
    if (!locals_[index].expanded) expand(index);
    return locals_[index];
  }

  void add_taken(Contested& contested) const {
    for (std::size_t p = 0; p < plain_.positions(); ++p)
      for (const ResourceId resource : plain_.resources(p))
        if (!has_unasked(p, resource)) ++contested.takers[resource];
  }

  std::optional<ResourceId> port() const { return plain_.port(); }

  /// Adds what the worm's nodes ask for together; needs all that is taken.
  void add_queues(Contested& contested) const {
    for (std::size_t p = 1; p < plain_.positions(); ++p)
      for (std::size_t q = 1; q < plain_.positions(); ++q) {
        const ResourceId one = plain_.resources(p).front();
        if (p != q && plain_.asked_for_together(p, q) && is_contested(one) &&
            is_contested(plain_.resources(q).front()))
          contested.queues.emplace(one, static_cast<std::uint32_t>(contested.queues.size()));
      }
  }

 private:
  bool has_unasked(std::size_t position, ResourceId resource) const {
    return position == 0 && plain_.port() == resource;
  }

  std::uint32_t intern(const std::vector<bool>& granted) {
    const auto [known, inserted] = index_.emplace(granted, static_cast<std::uint32_t>(locals_.size()));
    if (inserted) locals_.emplace_back().granted = granted;
    return known->second;
  }

  void expand(std::uint32_t index) {
    Local local;
    local.granted = locals_[index].granted;
    local.expanded = true;
    local.finished = std::find(local.granted.begin(), local.granted.end(), false) == local.granted.end();
    const PlainWorm::Rest rest = plain_.at_rest(local.granted);
    plain_.each_held(rest, [&](ResourceId resource) { local.held.push_back(resource); });
    for (std::size_t p = 0; p < plain_.positions(); ++p) {
      local.passed.push_back(local.granted[p] && !rest.held[p]);
      const bool possible = !local.granted[p] && (p == 0 || plain_.may_request(local.granted, p));
      if (possible && first_of_request(p)) local.moves.push_back(move(local, p));
    }
    locals_[index] = std::move(local);
  }

  /// Units for all are not enough: a request that waits for something else too stands before the others.
  bool is_contested(ResourceId resource) const {
    return resources_.units(resource) != 0 && contested_.takers.at(resource) > 1;
  }

  bool same_request(std::size_t p, std::size_t q) const {
    return p == q || (p > 0 && q > 0 && plain_.granted_at_once() && plain_.parent(p) == plain_.parent(q));
  }

  bool first_of_request(std::size_t p) const {
    for (std::size_t q = 0; q < p; ++q)
      if (same_request(q, p)) return false;
    return true;
  }

  /// In an atomic node all outputs are granted in one cycle.
  Move move(const Local& local, std::size_t position) {
    Move result;
    result.hop = static_cast<std::int32_t>(position) - 1;
    std::vector<bool> next = local.granted;
    for (std::size_t q = 0; q < plain_.positions(); ++q) {
      if (!same_request(position, q)) continue;
      next[q] = true;
      for (const ResourceId resource : plain_.resources(q)) {
        if (has_unasked(q, resource) || !is_contested(resource)) continue;
        result.resources.push_back(resource);
        if (const auto found = contested_.queues.find(resource); found != contested_.queues.end())
          result.queues.push_back(found->second);
      }
    }
    result.to = intern(next);
    return result;
  }

  PlainWorm plain_;
  Resources resources_;
  const Contested& contested_;
  std::deque<Local> locals_;  ///< stays in place while it grows
  std::map<std::vector<bool>, std::uint32_t> index_;
};

/// Local state of each worm; then for each queue its requests (worm, hop), first come first, each pair in
/// one number and each queue with an end mark.
using State = std::vector<std::uint64_t>;

using Requests = std::vector<ExploredRequest>;

/// A state taken apart.
struct Situation {
  std::vector<std::uint32_t> worms;
  std::vector<Requests> queues;
};

struct Known {
  State state;
  std::uint32_t from = 0;
  Requests requests;  ///< that lead here from there
};

class Explorer {
 public:
  Explorer(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms)
      : resources_(topology, model), worms_(worms) {
    locals_.reserve(worms.size());
    for (const ExploredWorm& worm : worms) {
      locals_.emplace_back(topology, model, worm, contested_);
      locals_.back().add_taken(contested_);
    }
    for (const LocalStates& worm : locals_) worm.add_queues(contested_);
  }

  Exploration run(std::uint64_t limit) {
    learn(
        Situation{std::vector<std::uint32_t>(worms_.size()), std::vector<Requests>(contested_.queues.size())},
        0, {});
    Exploration result;
    for (std::uint32_t at = 0; at < known_.size() && at < limit; ++at) {
      ++result.states;
      const Situation situation = take_apart(known_[at].state);
      if (expand(situation, at) || finished(situation)) continue;
      result.deadlock = requests_to(at);
      for (std::uint32_t w = 0; w < worms_.size(); ++w) {
        result.granted.push_back(locals_[w].at(situation.worms[w]).granted);
        result.ready.push_back(ready(situation, w));
      }
      return result;
    }
    result.exhausted = result.states == known_.size();
    return result;
  }

 private:
  static constexpr std::uint64_t end_mark = ~std::uint64_t{0};

  static State put_together(const Situation& situation) {
    State state(situation.worms.begin(), situation.worms.end());
    for (const Requests& queue : situation.queues) {
      for (const ExploredRequest& request : queue)
        state.push_back(std::uint64_t{request.worm} << 32 | static_cast<std::uint32_t>(request.hop));
      state.push_back(end_mark);
    }
    return state;
  }

  Situation take_apart(const State& state) const {
    Situation result;
    std::size_t i = 0;
    for (; i < worms_.size(); ++i) result.worms.push_back(static_cast<std::uint32_t>(state[i]));
    result.queues.resize(contested_.queues.size());
    for (Requests& queue : result.queues) {
      for (; state[i] != end_mark; ++i)
        queue.push_back({static_cast<std::uint32_t>(state[i] >> 32),
                         static_cast<std::int32_t>(static_cast<std::uint32_t>(state[i]))});
      ++i;
    }
    return result;
  }

  /// The situation after `requests`, with everything granted that can be.
  void learn(Situation situation, std::uint32_t from, Requests requests) {
    settle(situation, requests);
    State state = put_together(situation);
    if (seen_.insert(state).second) known_.push_back(Known{std::move(state), from, std::move(requests)});
  }

  bool finished(const Situation& situation) {
    for (std::size_t w = 0; w < worms_.size(); ++w)
      if (!locals_[w].at(situation.worms[w]).finished) return false;
    return true;
  }

  std::map<ResourceId, std::uint32_t> holders(const Situation& situation) {
    std::map<ResourceId, std::uint32_t> used;
    for (std::size_t w = 0; w < worms_.size(); ++w)
      for (const ResourceId resource : locals_[w].at(situation.worms[w]).held) ++used[resource];
    for (std::uint32_t w = 0; w < worms_.size(); ++w)  // answers that have not started
      if (const auto port = locals_[w].port();
          port && !locals_[w].at(situation.worms[w]).granted[0] && ready(situation, w))
        ++used[*port];
    return used;
  }

  /// Learns every state one request away; false if nothing can be asked for.
  bool expand(const Situation& situation, std::uint32_t at) {
    const std::map<ResourceId, std::uint32_t> used = holders(situation);
    bool any = false;
    for (std::uint32_t w = 0; w < worms_.size(); ++w) {
      for (const Move& move : locals_[w].at(situation.worms[w]).moves) {
        if (move.hop < 0 && !ready(situation, w)) continue;
        Situation next = situation;
        if (move.queues.empty()) {
          if (!available(used, move.resources)) continue;
          next.worms[w] = move.to;
        } else {
          if (waits(situation.queues[move.queues.front()], w, move.hop)) continue;
          for (const std::uint32_t queue : move.queues) next.queues[queue].push_back({w, move.hop});
        }
        learn(std::move(next), at, {ExploredRequest{w, move.hop}});
        any = true;
      }
    }
    return any;
  }

  static bool waits(const Requests& queue, std::uint32_t worm, std::int32_t hop) {
    return std::any_of(queue.begin(), queue.end(), [&](const ExploredRequest& request) {
      return request.worm == worm && request.hop == hop;
    });
  }

  /// Grants what stands first in all its queues and finds everything free, and makes the requests that are in
  /// nobody's way, until nothing more comes of it.
  void settle(Situation& situation, Requests& requests) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t w = 0; w < worms_.size(); ++w)
        changed = advance_alone(situation, w, requests) || changed;
      for (Requests& queue : situation.queues)
        while (!queue.empty() && grant(situation, queue.front())) changed = true;
    }
  }

  bool advance_alone(Situation& situation, std::uint32_t w, Requests& requests) {
    const std::vector<Move>& moves = locals_[w].at(situation.worms[w]).moves;
    const auto alone = std::find_if(moves.begin(), moves.end(), [&](const Move& move) {
      return move.resources.empty() && (move.hop >= 0 || ready(situation, w));
    });
    if (alone == moves.end()) return false;
    requests.push_back(ExploredRequest{w, alone->hop});
    situation.worms[w] = alone->to;
    return true;
  }

  bool grant(Situation& situation, ExploredRequest first) {
    const std::vector<Move>& moves = locals_[first.worm].at(situation.worms[first.worm]).moves;
    const auto move =
        std::find_if(moves.begin(), moves.end(), [&](const Move& m) { return m.hop == first.hop; });
    for (const std::uint32_t queue : move->queues) {
      const ExploredRequest& head = situation.queues[queue].front();
      if (head.worm != first.worm || head.hop != first.hop) return false;
    }
    if (!available(holders(situation), move->resources)) return false;
    for (const std::uint32_t queue : move->queues)
      situation.queues[queue].erase(situation.queues[queue].begin());
    situation.worms[first.worm] = move->to;
    return true;
  }

  /// Relays, answers, and who awaits answers: the earlier worms' tails have entered the consumption channels
  /// at this worm's source.
  bool ready(const Situation& situation, std::uint32_t w) {
    const std::int32_t after = worms_[w].route.after;
    if (after >= 0 && !has_come(situation, static_cast<std::uint32_t>(after), w)) return false;
    return std::all_of(worms_[w].awaits.begin(), worms_[w].awaits.end(),
                       [&](std::uint32_t earlier) { return has_come(situation, earlier, w); });
  }

  bool has_come(const Situation& situation, std::uint32_t earlier, std::uint32_t w) {
    const std::vector<RouteHop>& hops = worms_[earlier].route.hops;
    for (std::size_t h = 0; h < hops.size(); ++h)
      if (!hops[h].is_channel() && hops[h].target == worms_[w].route.source.value)
        return locals_[earlier].at(situation.worms[earlier]).passed[h + 1];
    return false;
  }

  bool available(const std::map<ResourceId, std::uint32_t>& used,
                 const std::vector<ResourceId>& wanted) const {
    for (const ResourceId resource : wanted) {
      const auto found = used.find(resource);
      const std::uint32_t units = resources_.units(resource);
      if (found != used.end() && units != 0 && found->second >= units) return false;
    }
    return true;
  }

  Requests requests_to(std::uint32_t at) const {
    std::vector<std::uint32_t> way{at};
    while (way.back() != 0) way.push_back(known_[way.back()].from);
    Requests result;
    for (auto step = way.rbegin(); step != way.rend(); ++step)
      result.insert(result.end(), known_[*step].requests.begin(), known_[*step].requests.end());
    return result;
  }

  Resources resources_;
  const std::vector<ExploredWorm>& worms_;
  Contested contested_;
  std::vector<LocalStates> locals_;
  std::vector<Known> known_;
  std::set<State> seen_;
};

}  // namespace

/// Weak, as find_start_order(): tests/planted puts others in their places, which err.
[[gnu::weak]] Exploration explore(const Topology& topology, const RouterModel& model,
                                  const std::vector<ExploredWorm>& worms, std::uint64_t limit) {
  if (shares_buffers(model, topology, worms)) return explore_shared_buffers(topology, model, worms, limit);
  return Explorer(topology, model, worms).run(limit);
}

}  // namespace wormcast
