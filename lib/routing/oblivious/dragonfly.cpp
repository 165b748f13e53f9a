// Dragonflies: minimal routes, Valiant's by way of a random group, and UGAL's, which are one of these two.
//
// Minimal: to the router of the group that has the global link, over it, to the destination: local, global,
// local, each at most once. Valiant: the same to a random group other than the source's, and from the router
// where it arrives there to the destination's group; if the group drawn is that of the destination, and
// within one group, it is minimal. A worm takes the virtual channel that counts the global links behind it,
// on local links as on global ones. So the order local 0, global 0, local 1, global 1, local 2 is kept, and
// within one of these a worm takes one channel: nothing can deadlock, with two virtual channels for minimal
// routes and three for Valiant's. Where a topology has a single virtual channel all share it, and the worms
// of a circle of groups can deadlock.
// UGAL-L draws a way of Valiant's for each worm. The source's router then takes that or the minimal one, by
// what it sees when the header comes: the way for which flits in the FIFO that its first channel leads to,
// times its hops, are fewer, the minimal one at a tie. From there on nothing is chosen. Where both leave by
// one channel their queues are the same, and the minimal one alone is offered. The order above holds for
// both, so three virtual channels suffice.
// Where several links join two groups, one is drawn, too. Classes: the link; of Valiant's and UGAL's routes
// (group · links + first link) · links + second link, which UGAL's minimal way takes. Links are found by
// their number in the generator's order, so a graph with other links is refused.
// Cost: O(1) a hop, O(links) to bind. cite: Kim, Dally, Scott, Abts 2008; Singh 2005 (UGAL).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "routing/bound.hpp"
#include "topology/error.hpp"
#include "topology/generated.hpp"

namespace wormcast {
namespace {

/// Where the generated dragonfly has which link.
class DragonflyLinks {
 public:
  explicit DragonflyLinks(const std::vector<std::uint64_t>& values)
      : routers_(values[0]),
        global_(values[2]),
        groups_(values[3] == 0 ? values[0] * values[2] + 1 : values[3]) {}

  std::uint64_t groups() const { return groups_; }
  /// Links between any two groups.
  std::uint64_t links() const { return groups_ > 1 ? routers_ * global_ / (groups_ - 1) : 0; }
  std::uint32_t group(NodeId router) const { return static_cast<std::uint32_t>(router.value / routers_); }

  ChannelId local(NodeId from, NodeId to) const {
    const std::uint64_t a = std::min(from, to).value % routers_;
    const std::uint64_t b = std::max(from, to).value % routers_;
    const std::uint64_t link = group(from) * pairs(routers_) + pair(a, b, routers_);
    return channel(link, from < to);
  }
  /// The router of `from` that link `link` to group `to` leaves, the channel, and where it leads.
  struct Global {
    NodeId near;
    ChannelId channel;
    NodeId far;
  };
  Global global(std::uint32_t from, std::uint32_t to, std::uint64_t link) const {
    const bool up = from < to;
    const std::uint64_t low = std::min(from, to), high = std::max(from, to), d = high - low;
    const std::uint64_t first_port = link * (groups_ - 1);
    const auto low_end = static_cast<std::uint32_t>(low * routers_ + (first_port + d - 1) / global_);
    const auto high_end =
        static_cast<std::uint32_t>(high * routers_ + (first_port + groups_ - d - 1) / global_);
    const std::uint64_t number = groups_ * pairs(routers_) + link * pairs(groups_) + pair(low, high, groups_);
    return {NodeId{up ? low_end : high_end}, channel(number, up), NodeId{up ? high_end : low_end}};
  }

 private:
  static std::uint64_t pairs(std::uint64_t count) { return count * (count - 1) / 2; }
  /// Number of the pair a < b among those of `count`, in the order of a, then b.
  static std::uint64_t pair(std::uint64_t a, std::uint64_t b, std::uint64_t count) {
    return a * (2 * count - a - 1) / 2 + (b - a - 1);
  }
  static ChannelId channel(std::uint64_t link, bool forward) {
    return ChannelId{static_cast<std::uint32_t>(2 * link + (forward ? 0 : 1))};
  }

  std::uint64_t routers_, global_, groups_;
};

constexpr std::uint64_t most_classes = std::uint64_t{1} << 27;  // what a state has room for

enum class Way { minimal, valiant, ugal };

class Dragonfly final : public RoutingFunction {
 public:
  Dragonfly(const Topology& network, Way ways)
      : RoutingFunction(network),
        links_(*generated_by(network, "dragonfly")),
        parallel_(static_cast<std::uint32_t>(links_.links())),
        valiant_(ways != Way::minimal),
        ugal_(ways == Way::ugal),
        one_channel_(network.spec().virtual_channels == 1) {}

  std::uint32_t virtual_channels() const override { return one_channel_ ? 1 : valiant_ ? 3 : 2; }
  bool draws() const override { return true; }
  bool adaptive() const override { return ugal_; }
  bool queues_decide(RoutingState state) const override { return State::unpack(state).open; }
  std::uint32_t classes() const override {
    const std::uint32_t routes = valiant_ ? groups() * parallel_ * parallel_ : parallel_;
    return std::max(routes, 1U);
  }
  std::uint32_t choices(NodeId source, NodeId destination) const override {
    if (links_.group(source) == links_.group(destination)) return 1;
    return valiant_ ? (groups() - 1) * parallel_ * parallel_ : parallel_;
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
    if (via == from)
      throw InputError("class", "class " + std::to_string(vc_class) + " goes by way of group " +
                                    std::to_string(via) + ", that of the source");
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
    const std::uint32_t vc = one_channel_ ? 0 : state.passed;
    const std::uint32_t here = links_.group(at), to = links_.group(destination);
    if (here == to && state.last) return {links_.local(at, destination), vc, destination, bits};
    const std::uint32_t target = state.last ? to : state.choice / (parallel_ * parallel_);
    const std::uint32_t link = state.last ? state.choice : state.choice / parallel_ % parallel_;
    const DragonflyLinks::Global global = links_.global(here, target, link);
    if (at != global.near) return {links_.local(at, global.near), vc, global.near, bits};
    ++state.passed;
    state.choice = state.last ? 0 : state.choice % parallel_;
    state.last = true;
    return {global.channel, vc, global.far, state.pack()};
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    return own_port_only(source, port, state, destination);
  }
  bool history_free() const override { return false; }
  /// Of valiant: of the first way.
  std::uint32_t distance(NodeId from, NodeId to) const override {
    std::uint32_t hops = 0;
    RoutingState state = first(from, to, from == to ? 0 : choice(from, to, 0));
    for (; from != to; ++hops) {
      const RoutingStep step = next(from, state, to);
      from = step.to;
      state = step.state;
    }
    return hops;
  }

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

  void add(NodeId at, RoutingState state, NodeId destination, std::vector<RoutingCandidate>& all) const {
    const RoutingStep step = next(at, state, destination);
    const auto [begin, end] = class_range(step.vc);
    std::uint32_t hops = 0;
    if (ugal_ && State::unpack(state).passed == 0)
      for (NodeId here = at; here != destination; ++hops) {
        const RoutingStep one = next(here, state, destination);
        here = one.to;
        state = one.state;
      }
    all.push_back({step.channel, begin, end, step.to, step.state, 0, hops});
  }

  std::uint32_t groups() const { return static_cast<std::uint32_t>(links_.groups()); }

  DragonflyLinks links_;
  std::uint32_t parallel_;  ///< links between two groups
  bool valiant_;
  bool ugal_;
  bool one_channel_;
};

std::optional<std::string> no_dragonfly(const Topology& topology) {
  const auto values = generated_by(topology, "dragonfly");
  if (!values) return not_generated_by(topology, "dragonfly");
  const DragonflyLinks links(*values);
  if (links.links() >= most_classes || links.groups() * links.links() * links.links() >= most_classes)
    return "it has too many links between two groups";
  return std::nullopt;
}

}  // namespace

namespace routing_dragonfly_minimal {
extern const RoutingEntry entry;
const RoutingEntry entry = {
    .name = "dragonfly-minimal",
    .summary =
        "local, global, local; a virtual channel for each global link passed, or one for all where the "
        "topology has one; of parallel links one by chance for each worm",
    .topologies = "dragonfly",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .unsupported = no_dragonfly,
    .bind = bound<Dragonfly, Way::minimal>,
    .draws = true,
};
}  // namespace routing_dragonfly_minimal

namespace routing_dragonfly_valiant {
extern const RoutingEntry entry;
const RoutingEntry entry = {
    .name = "dragonfly-valiant",
    .summary = "by way of a random group, drawn for each worm; otherwise as dragonfly-minimal",
    .topologies = "dragonfly",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .unsupported = no_dragonfly,
    .bind = bound<Dragonfly, Way::valiant>,
    .draws = true,
};
}  // namespace routing_dragonfly_valiant

namespace routing_dragonfly_ugal {
extern const RoutingEntry entry;
const RoutingEntry entry = {
    .name = "dragonfly-ugal",
    .summary =
        "adaptive: by UGAL-L the source's router takes the minimal way or one drawn as by dragonfly-valiant, "
        "by the flits that wait for each, times its hops",
    .topologies = "dragonfly",
    .cite = "Kim, Dally, Scott, Abts 2008; Singh 2005",
    .unsupported = no_dragonfly,
    .bind = bound<Dragonfly, Way::ugal>,
    .adaptive = true,
    .draws = true,
};
}  // namespace routing_dragonfly_ugal

}  // namespace wormcast
