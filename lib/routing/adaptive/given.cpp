// The relation that a network brings along, made a routing function.
//
// A header's state is the VC (virtual channel of a channel) by which it came to its router, as far as any
// rule of that router asks: 0 at its source, 1 where no rule names a VC, otherwise 2 and the VC, the
// first of its channel where rules name whole channels only. A rule that names the VC goes before one that
// names none.
// Rules are checked together when the function is bound: from every host's router to every other one, each
// place that a header can come to, whatever routers choose, has a rule, and some choice leads on to the
// destination. A header that may go round in circles for ever is allowed here; verdicts speak of it. Worms of
// several stops go on from a stop with the VC they came by; those places are searched too, but need no
// rule: using them is an error.
// Nothing is proved of deadlocks: that is check-deadlock's.
// Cost: places times candidates when bound, N² VCs for N routers at most; a binary search a hop.
// cite: this project; Duato 1993 (relations that look at the channel by which a header came).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

#include "routing/adaptive/adaptive_routing.hpp"
#include "topology/refuse.hpp"
#include "topology/relations/relation.hpp"

namespace wormcast {
namespace {

constexpr std::size_t most_places = 30'000'000;
constexpr std::uint32_t never = 0xffffffff;

class GivenRelation final : public AdaptiveRouting {
 public:
  explicit GivenRelation(const Topology& network)
      : AdaptiveRouting(network),
        relation_(*network.spec().relation),
        asks_(network.routers()),
        hops_left_(network.routers()) {
    if (std::uint64_t{network.channel_bound()} * relation_.virtual_channels + first_vc > never)
      refuse("relation", "{} has too many virtual channels", network.name());
    for (std::uint32_t r = 0; r < relation_.rules.size(); ++r) add_rule(r);
    std::sort(keys_.begin(), keys_.end());
    check_ways();
  }

  std::uint32_t virtual_channels() const override { return relation_.virtual_channels; }
  bool history_free() const override { return false; }

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    candidates.clear();
    const RelationRule* rule = rule_for(at, state.bits, destination);
    if (rule == nullptr) return;
    for (std::uint32_t i = 0; i < rule->take.size(); ++i) offer(rule->take[i], i, candidates);
  }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    std::vector<RoutingCandidate> all;
    candidates(at, state, destination, all);
    const RoutingCandidate* best = nullptr;
    std::uint32_t least = never;
    for (const RoutingCandidate& hop : all) {
      const std::uint32_t left = hops_left(hop.to, hop.state.bits, destination);
      if (left >= least) continue;
      least = left;
      best = &hop;
    }
    if (best == nullptr)
      refuse("relation", "{}{}", say(at, vc_text(state.bits), destination),
             (all.empty() ? no_rule : "no choice leads there"));
    return {best->channel, best->vc_begin, best->to, best->state};
  }

  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    const RoutingStep own = next(source, state, destination);
    if (topology().ends(own.channel)->port == port) return own;
    return AdaptiveRouting::forced(source, port, state, destination);
  }

 private:
  enum class Asks : std::uint8_t { nothing, channels, vcs };
  static constexpr const char* no_rule = "no rule says where to go: a dead end";

  struct Key {
    std::uint32_t at = 0, to = 0, came = 0;
    std::uint32_t rule = 0;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.at, a.to, a.came) < std::tie(b.at, b.to, b.came);
    }
  };
  using Place = std::uint64_t;  ///< router and state
  static Place place(NodeId at, std::uint32_t state) { return std::uint64_t{at.value} << 32 | state; }
  static NodeId router(Place place) { return NodeId{static_cast<std::uint32_t>(place >> 32)}; }
  static std::uint32_t state(Place place) { return static_cast<std::uint32_t>(place); }

  void add_rule(std::uint32_t index) {
    const RelationRule& rule = relation_.rules[index];
    Asks& asks = asks_[rule.router.value];
    for (const ChannelVcs& taken : rule.from)
      asks = std::max(asks, taken.vcs.empty() ? Asks::channels : Asks::vcs);
    rule.each_header(relation_.virtual_channels, [&](NodeId to, std::uint64_t came) {
      keys_.push_back({rule.router.value, to.value, static_cast<std::uint32_t>(came), index});
    });
  }

  const RelationRule* rule_for(NodeId at, std::uint32_t came, NodeId to) const {
    for (const std::uint32_t asked : {came, from_anywhere}) {
      const Key key{at.value, to.value, asked, 0};
      const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
      if (found != keys_.end() && !(key < *found)) return &relation_.rules[found->rule];
    }
    return nullptr;
  }

  std::uint32_t arrival(NodeId to, ChannelId channel, std::uint32_t vc) const {
    const Asks asks = asks_[to.value];
    if (asks == Asks::nothing) return from_anywhere;
    return first_vc + channel.value * relation_.virtual_channels + (asks == Asks::vcs ? vc : 0);
  }

  /// Each virtual channel is a candidate of its own.
  void offer(const ChannelVcs& taken, std::uint32_t preference, std::vector<RoutingCandidate>& all) const {
    const NodeId to = topology().ends(taken.channel)->to;
    const auto add = [&](std::uint32_t vc) {
      all.push_back(
          {taken.channel, vc, vc + 1, to, RoutingState{arrival(to, taken.channel, vc)}, preference});
    };
    for (const std::uint32_t vc : taken.vcs) add(vc);
    for (std::uint32_t vc = 0; taken.vcs.empty() && vc < relation_.virtual_channels; ++vc) add(vc);
  }

  std::uint32_t hops_left(NodeId at, std::uint32_t state, NodeId to) const {
    if (at == to) return 0;
    const auto found = hops_left_[to.value].find(place(at, state));
    return found == hops_left_[to.value].end() ? never : found->second;
  }

  std::string vc_text(std::uint32_t state) const {
    if (state < first_vc) return "";
    const std::uint32_t vc = state - first_vc;
    std::string text = "channel " + std::to_string(vc / relation_.virtual_channels);
    if (vc % relation_.virtual_channels != 0)
      text += " (virtual channel " + std::to_string(vc % relation_.virtual_channels) + ")";
    return text;
  }
  static std::string say(NodeId at, const std::string& vc, NodeId to) {
    return "at router " + std::to_string(at.value) + (vc.empty() ? "" : ", reached by " + vc) +
           ", on the way to router " + std::to_string(to.value) + ", ";
  }

  std::vector<NodeId> routers_with_hosts() const {
    std::vector<NodeId> result;
    for (const HostId host : topology().host_ids()) result.push_back(topology().router_of(host));
    sort_unique(result);
    return result;
  }

  /// Places on the way to one router, in the order in which they were found.
  struct Search {
    struct Found {
      Place place = 0;
      std::uint32_t channel = never;  ///< by which it was found first, and the virtual channel
      std::uint32_t vc = 0;
    };
    std::vector<Found> found;
    std::unordered_map<Place, std::uint32_t> index;  // looked up, never gone through
    std::vector<std::vector<std::uint32_t>> before;
    std::size_t expanded = 0;

    std::uint32_t reach(const Found& one) {
      const auto [at, fresh] = index.try_emplace(one.place, static_cast<std::uint32_t>(found.size()));
      if (fresh) {
        found.push_back(one);
        before.emplace_back();
      }
      return at->second;
    }
  };

  void check_ways() {
    const std::vector<NodeId> ends = routers_with_hosts();
    std::vector<Search> searches(ends.size());
    std::vector<Place> stops;  // where a worm can stand at a stop of its own
    std::size_t places = 0;
    for (std::size_t d = 0; d < ends.size(); ++d) {
      Search& search = searches[d];
      for (const NodeId from : ends)
        if (from != ends[d]) search.reach({place(from, from_source), never, 0});
      expand(search, ends[d], true);
      refuse_away(search, ends[d]);
      for (const Search::Found& one : search.found)
        if (router(one.place) == ends[d]) stops.push_back(one.place);
      places += search.found.size();
      if (places > most_places) throw InputError("relation", "headers can be at too many places");
    }
    for (std::size_t d = 0; d < ends.size(); ++d) {
      Search& search = searches[d];
      for (const Place stop : stops)
        if (router(stop) != ends[d]) search.reach({stop, never, 0});
      expand(search, ends[d], false);
      keep_hops_left(search, ends[d]);
      search = {};
    }
  }

  void expand(Search& search, NodeId to, bool must) const {
    std::vector<RoutingCandidate> all;
    for (; search.expanded < search.found.size(); ++search.expanded) {
      const Search::Found here = search.found[search.expanded];
      if (router(here.place) == to) continue;
      candidates(router(here.place), RoutingState{state(here.place)}, to, all);
      if (all.empty() && must) refuse("relation", "{}{}", say_found(here, to), no_rule);
      for (const RoutingCandidate& hop : all) {
        const std::uint32_t next =
            search.reach({place(hop.to, hop.state.bits), hop.channel.value, hop.vc_begin});
        search.before[next].push_back(static_cast<std::uint32_t>(search.expanded));
      }
    }
  }

  std::string say_found(const Search::Found& one, NodeId to) const {
    return say(
        router(one.place),
        one.channel == never ? "" : vc_text(first_vc + one.channel * relation_.virtual_channels + one.vc),
        to);
  }

  /// Hops to the destination from each place that was found; `never` where no choice leads there.
  static std::vector<std::uint32_t> distances(const Search& search, NodeId to) {
    std::vector<std::uint32_t> hops(search.found.size(), never);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < search.found.size(); ++i)
      if (router(search.found[i].place) == to) {
        hops[i] = 0;
        open.push_back(i);
      }
    for (std::size_t i = 0; i < open.size(); ++i)
      for (const std::uint32_t before : search.before[open[i]])
        if (hops[before] == never) {
          hops[before] = hops[open[i]] + 1;
          open.push_back(before);
        }
    return hops;
  }

  void refuse_away(const Search& search, NodeId to) const {
    const std::vector<std::uint32_t> hops = distances(search, to);
    for (std::uint32_t i = 0; i < hops.size(); ++i)
      if (hops[i] == never)
        refuse("relation", "{}no choice ever leads there: a worm stays away for ever",
               say_found(search.found[i], to));
  }

  void keep_hops_left(const Search& search, NodeId to) {
    const std::vector<std::uint32_t> hops = distances(search, to);
    for (std::uint32_t i = 0; i < hops.size(); ++i)
      if (hops[i] != never) hops_left_[to.value].emplace(search.found[i].place, hops[i]);
  }

  const Relation& relation_;  ///< the topology's, which outlives this
  std::vector<Asks> asks_;    ///< by router: what its rules ask of how a header came
  std::vector<Key> keys_;     ///< sorted
  std::vector<std::unordered_map<Place, std::uint32_t>> hops_left_;  // by destination; looked up only
};

std::optional<std::string> no_relation(const Topology& topology) {
  if (topology.spec().relation) return std::nullopt;
  return "the topology record brings no relation";
}

}  // namespace

extern const RoutingEntry routing_given = {
    .name = "given",
    .summary = "adaptive: the relation that the topology record brings",
    .topologies = "any with a relation",
    .cite = "Duato 1993",
    .unsupported = no_relation,
    .bind = bound<GivenRelation>,
    .adaptive = true,
};

}  // namespace wormcast
