// Dragonflies: minimal routes, Valiant's by way of a random group, and UGAL's, which are one of these two.
//
// Minimal: to the router of the group that has the global link, over it, to the destination: local, global,
// local. Valiant: the same to a random group other than the source's, and from the router where it arrives
// there to the destination's group; if the group drawn is that of the destination, and within one group, it
// is minimal. Within a group a worm takes a shortest way, of several the lowest channel at each hop. Groups
// are those that the topology record states, with whatever links: as they are generated each is fully linked
// and a local way is one hop; in a Cray XC it has up to two.
//
// Let D be the longest local way of any group. A worm that has g global links behind it and r local hops
// before it in this group takes virtual channel g·D + D − r on a local link, and g·D on a global one. So the
// order local 0 … local D−1, global 0, local D … is kept, each hop of a worm is later in it than the one
// before, and nothing can deadlock, with 2·D virtual channels for minimal routes and 3·D for Valiant's. Where
// a topology has a single virtual channel all share it, and the worms of a cycle of groups can deadlock.
// UGAL-L draws a way of Valiant's for each worm. The source's router then takes that or the minimal one, by
// what it sees when the header comes: the way for which flits in the FIFO that its first channel leads to,
// times its hops, are fewer, the minimal one at a tie. From there on nothing is chosen. Where both leave by
// one channel their queues are the same, and the minimal one alone is offered. The order above holds for
// both, so Valiant's 3·D virtual channels suffice.
// Where several links join two groups, one is drawn, too; where some groups have more than others, the
// numbers beyond those of a pair start again at its first. Classes: the link; of Valiant's and UGAL's routes
// (group · links + first link) · links + second link, which UGAL's minimal way takes.
// Cost: O(log of a router's links) a hop, O(links) to bind and, for each group that is not fully linked, the
// square of its routers. cite: Kim, Dally, Scott, Abts 2008; Singh 2005 (UGAL); Faanes et al. 2012 (Cray XC).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/connectivity.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Why the network is no dragonfly, or nothing.
using Reason = std::optional<std::string>;

/// The groups of a topology record, and which links join their routers.
class DragonflyGroups {
 public:
  explicit DragonflyGroups(const Topology& network) : group_of_(network.spec().graph.groups) {
    if (group_of_.empty()) {
      reason_ = "it needs the groups of its routers, as in a dragonfly of gen-topology";
      return;
    }
    groups_ = 1 + *std::max_element(group_of_.begin(), group_of_.end());
    members_.resize(groups_);
    for (std::uint32_t r = 0; r < network.routers(); ++r) members_[group_of_[r]].push_back(NodeId{r});
    find_links(network);
    for (std::uint32_t group = 0; group < groups_ && !reason_; ++group) find_ways(group);
    for (std::uint32_t from = 0; from < groups_; ++from)
      for (std::uint32_t to = 0; to < groups_ && !reason_; ++to)
        if (from != to && links(from, to) == 0)
          reason_ = "no link leads from group " + std::to_string(from) + " to group " + std::to_string(to);
  }

  const Reason& reason() const { return reason_; }
  std::uint32_t groups() const { return groups_; }
  std::uint32_t group(NodeId router) const { return group_of_[router.value]; }
  /// Most links from one group to another, and those from one to another one.
  std::uint32_t most_links() const { return most_links_; }
  std::uint32_t links(std::uint32_t from, std::uint32_t to) const {
    const auto [first, last] = std::equal_range(global_.begin(), global_.end(), Global{from, to, {}, {}, {}});
    return static_cast<std::uint32_t>(last - first);
  }
  /// Hops of the longest way within a group; 1 where each is fully linked.
  std::uint32_t longest_way() const { return longest_way_; }

  /// The next hop of a way within a group, and how many hops it has from `at` on.
  struct Local {
    ChannelId channel;
    NodeId to;
    std::uint32_t hops;
  };
  Local local(NodeId at, NodeId target) const {
    const auto first = local_.begin() + first_local_[at.value];
    const auto last = local_.begin() + first_local_[at.value + 1];
    const auto found =
        std::lower_bound(first, last, target, [](const LocalLink& link, NodeId to) { return link.to < to; });
    if (found != last && found->to == target) return {found->channel, target, 1};
    return ways_.at({at, target});
  }
  /// A link from one group to another.
  struct Global {
    std::uint32_t from, to;  ///< groups
    ChannelId channel;
    NodeId near, far;  ///< routers
    friend bool operator<(const Global& a, const Global& b) {
      return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    }
  };
  const Global& global(std::uint32_t from, std::uint32_t to, std::uint32_t link) const {
    const auto first = std::lower_bound(global_.begin(), global_.end(), Global{from, to, {}, {}, {}});
    return first[link % links(from, to)];
  }

 private:
  struct LocalLink {
    NodeId to;
    ChannelId channel;
  };

  void find_links(const Topology& network) {
    const Adjacency adjacency(network);
    for (std::uint32_t r = 0; r < network.routers(); ++r) {
      first_local_.push_back(static_cast<std::ptrdiff_t>(local_.size()));
      for (const OutChannel& out : adjacency.out(NodeId{r}))
        if (group(NodeId{r}) == group(out.to))
          local_.push_back({out.to, out.channel});
        else
          global_.push_back({group(NodeId{r}), group(out.to), out.channel, NodeId{r}, out.to});
      std::sort(local_.begin() + first_local_.back(), local_.end(),
                [](const LocalLink& a, const LocalLink& b) {
                  return std::tie(a.to, a.channel) < std::tie(b.to, b.channel);
                });
    }
    first_local_.push_back(static_cast<std::ptrdiff_t>(local_.size()));
    std::sort(global_.begin(), global_.end(), [](const Global& a, const Global& b) {
      return std::tie(a.from, a.to, a.channel) < std::tie(b.from, b.to, b.channel);
    });
    for (auto link = global_.begin(); link != global_.end();) {
      const auto next = std::upper_bound(link, global_.end(), *link);
      most_links_ = std::max(most_links_, static_cast<std::uint32_t>(next - link));
      link = next;
    }
  }

  /// Ways between the routers of a group that are not neighbours.
  void find_ways(std::uint32_t group) {
    const std::vector<NodeId>& members = members_[group];
    if (members.empty()) reason_ = "group " + std::to_string(group) + " has no routers";
    // Backwards from each target: of the channels that come closer a router takes the lowest.
    std::map<NodeId, std::vector<NodeId>> into;
    for (const NodeId router : members)
      for (auto i = first_local_[router.value]; i < first_local_[router.value + 1]; ++i)
        into[local_[static_cast<std::size_t>(i)].to].push_back(router);
    const auto fully_linked = [&](NodeId router) {
      const std::vector<NodeId>& from = into[router];
      return std::set<NodeId>(from.begin(), from.end()).size() + 1 == members.size();
    };
    for (const NodeId target : members) {
      if (fully_linked(target)) continue;
      std::map<NodeId, std::uint32_t> hops{{target, 0}};
      std::vector<NodeId> reached{target};
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (const NodeId router : into[reached[i]])
          if (hops.emplace(router, hops[reached[i]] + 1).second) reached.push_back(router);
      if (reached.size() < members.size()) {
        reason_ = "not every router of group " + std::to_string(group) + " reaches the others within it";
        return;
      }
      longest_way_ = std::max(longest_way_, hops[reached.back()]);
      for (const NodeId router : members) {
        if (hops[router] < 2) continue;
        std::optional<LocalLink> best;
        for (auto i = first_local_[router.value]; i < first_local_[router.value + 1]; ++i) {
          const LocalLink& link = local_[static_cast<std::size_t>(i)];
          if (hops[link.to] + 1 == hops[router] && (!best || link.channel < best->channel)) best = link;
        }
        ways_.emplace(std::pair(router, target), Local{best->channel, best->to, hops[router]});
      }
    }
  }

  const std::vector<std::uint32_t>& group_of_;
  Reason reason_;
  std::uint32_t groups_ = 0;
  std::uint32_t most_links_ = 0;
  std::uint32_t longest_way_ = 1;
  std::vector<std::vector<NodeId>> members_;
  std::vector<std::ptrdiff_t> first_local_;          ///< of each router, in local_
  std::vector<LocalLink> local_;                     ///< by router, then where they lead
  std::vector<Global> global_;                       ///< by their groups, then channels
  std::map<std::pair<NodeId, NodeId>, Local> ways_;  ///< between routers that are not neighbours
};

constexpr std::uint64_t most_classes = std::uint64_t{1} << 27;  // what a state has room for

enum class Way { minimal, valiant, ugal };

class Dragonfly final : public DrawnRouting {
 public:
  Dragonfly(const Topology& network, Way ways)
      : DrawnRouting(network),
        links_(network),
        parallel_(links_.most_links()),
        valiant_(ways != Way::minimal),
        ugal_(ways == Way::ugal),
        one_channel_(network.spec().virtual_channels == 1) {}

  std::uint32_t virtual_channels() const override {
    return one_channel_ ? 1 : (valiant_ ? 3 : 2) * links_.longest_way();
  }
  bool adaptive() const override { return ugal_; }
  bool queues_decide(RoutingState state) const override { return State::unpack(state).open; }
  std::uint32_t classes() const override {
    const std::uint32_t routes = valiant_ ? groups() * parallel_ * parallel_ : parallel_;
    return std::max(routes, 1U);
  }
  std::uint32_t choices(NodeId source, NodeId destination) const override {
    if (links_.group(source) == links_.group(destination)) return 1;
    return valiant_ ? (groups() - 1) * parallel_ * parallel_
                    : links_.links(links_.group(source), links_.group(destination));
  }
  std::uint32_t choice(NodeId source, NodeId destination, std::uint32_t index) const override {
    if (!valiant_ || links_.group(source) == links_.group(destination)) return index;
    const std::uint32_t own = links_.group(source) * parallel_ * parallel_;
    return index < own ? index : index + parallel_ * parallel_;
  }

  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override {
    check_class(vc_class);
    const std::uint32_t from = links_.group(source), to = links_.group(destination);
    if (from == to) return State{}.pack();
    if (!valiant_) return State{0, true, vc_class}.pack();
    const std::uint32_t via = vc_class / (parallel_ * parallel_);
    if (via == from) refuse("class", "class {} goes by way of group {}, that of the source", vc_class, via);
    const std::uint32_t first_link = vc_class / parallel_ % parallel_;
    return via == to ? State{0, true, first_link}.pack() : State{0, false, vc_class, ugal_}.pack();
  }

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    const State unpacked = State::unpack(state);
    candidates.clear();
    add(at, unpacked.minimal(parallel_).pack(), destination, candidates);
    if (!unpacked.open) return;
    add(at, unpacked.settled().pack(), destination, candidates);
    if (candidates[0].channel == candidates[1].channel) candidates.pop_back();
  }

  RoutingStep next(NodeId at, RoutingState bits, NodeId destination) const override {
    State state = State::unpack(bits);
    if (state.open) {
      state = state.minimal(parallel_);
      bits = state.pack();
    }
    const std::uint32_t here = links_.group(at), to = links_.group(destination);
    if (here == to && state.last) return local_step(at, destination, state);
    const std::uint32_t target = state.last ? to : state.choice / (parallel_ * parallel_);
    const std::uint32_t link = state.last ? state.choice : state.choice / parallel_ % parallel_;
    const DragonflyGroups::Global& global = links_.global(here, target, link);
    if (at != global.near) return local_step(at, global.near, state);
    const std::uint32_t vc = one_channel_ ? 0 : state.passed * links_.longest_way();
    ++state.passed;
    state.choice = state.last ? 0 : state.choice % parallel_;
    state.last = true;
    return {global.channel, vc, global.far, state.pack()};
  }
  bool history_free() const override { return false; }

 private:
  /// What the header carries: global links behind it, whether the next one leads to the destination's group,
  /// and the class, or then the number of that link.
  struct State {
    std::uint32_t passed = 0;
    bool last = true;
    std::uint32_t choice = 0;
    bool open = false;  ///< UGAL: nothing is decided yet

    static State unpack(RoutingState state) {
      return {state.bits & 3, (state.bits >> 2 & 1) != 0, state.bits >> 4, (state.bits >> 3 & 1) != 0};
    }
    RoutingState pack() const {
      return {passed | (last ? 1U : 0U) << 2 | (open ? 1U : 0U) << 3 | choice << 4};
    }
    /// Decided for Valiant's way, and for the minimal one.
    State settled() const { return {passed, last, choice, false}; }
    State minimal(std::uint32_t parallel) const {
      return open ? State{passed, true, choice % parallel, false} : *this;
    }
  };

  RoutingStep local_step(NodeId at, NodeId target, State state) const {
    const DragonflyGroups::Local step = links_.local(at, target);
    const std::uint32_t longest = links_.longest_way();
    return {step.channel, one_channel_ ? 0 : (state.passed + 1) * longest - step.hops, step.to, state.pack()};
  }

  void add(NodeId at, RoutingState state, NodeId destination, std::vector<RoutingCandidate>& all) const {
    const RoutingStep step = next(at, state, destination);
    const auto [begin, end] = class_range(step.vc, step.channel);
    std::uint32_t hops = 0;
    if (ugal_ && State::unpack(state).passed == 0)
      each_hop(at, state, destination, [&](const RoutingStep&) { ++hops; });
    all.push_back({step.channel, begin, end, step.to, step.state, 0, hops});
  }

  std::uint32_t groups() const { return links_.groups(); }

  DragonflyGroups links_;
  std::uint32_t parallel_;  ///< most links between two groups
  bool valiant_;
  bool ugal_;
  bool one_channel_;
};

Reason no_dragonfly(const Topology& topology) {
  const DragonflyGroups links(topology);
  if (links.reason()) return links.reason();
  const std::uint64_t most = links.most_links();
  if (most >= most_classes || links.groups() * most * most >= most_classes)
    return "it has too many links between two groups";
  return std::nullopt;
}

}  // namespace

extern const RoutingEntry routing_dragonfly_minimal = {
    .name = "dragonfly-minimal",
    .summary =
        "local, global, local; a virtual channel for each global link passed, times the hops of the longest "
        "way in a group, or one for all where the topology has one; of parallel links one drawn for each "
        "worm",
    .topologies = "dragonflies",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .unsupported = no_dragonfly,
    .bind = bound<Dragonfly, Way::minimal>,
    .draws = true,
};

extern const RoutingEntry routing_dragonfly_valiant = {
    .name = "dragonfly-valiant",
    .summary = "by way of a random group, drawn for each worm; otherwise as dragonfly-minimal",
    .topologies = "dragonflies",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .unsupported = no_dragonfly,
    .bind = bound<Dragonfly, Way::valiant>,
    .draws = true,
};

extern const RoutingEntry routing_dragonfly_ugal = {
    .name = "dragonfly-ugal",
    .summary =
        "adaptive: by UGAL-L the source's router takes the minimal way or one drawn as by dragonfly-valiant, "
        "by the flits that wait for each, times its hops",
    .topologies = "dragonflies",
    .cite = "Kim, Dally, Scott, Abts 2008; Singh 2005",
    .unsupported = no_dragonfly,
    .bind = bound<Dragonfly, Way::ugal>,
    .adaptive = true,
    .draws = true,
};

}  // namespace wormcast
