// What T2W, BTL and dual-arm share: the source's view, the main path, costs, and the worms.
//
// A node of the first ring that has to send on is a stop of the first worm, a relay where it is no
// destination, and its own worms come `after` that one: they start when the whole message is there.
// That full reception separates the phases: no worm turns from a row into a column, so dependencies
// stay within single rings. The source sends into its own column at once; `relayed` makes it a relay to
// itself, as the paper's latency model has it, which charges every column the second startup.
// Without full reception (`relay`) the main worm branches there into the columns, as one tree: then rows
// do depend on columns, and where copies move in lock step datelines are not enough.
// Cost: O(k log k) for k destinations. cite: Hamed, El-Sayed (BTL), sections 3 and 4.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/two_phase.hpp"

#include <algorithm>
#include <utility>

#include "topology/refuse.hpp"

namespace wormcast {

TorusView torus_view(const Grid& grid, const Request& request, std::uint32_t main) {
  const std::uint32_t cross = 1 - main;
  const NodeId source{request.source.value};
  TorusView view;
  view.main = main;
  view.main_size = grid.dims()[main];
  view.cross_size = grid.dims()[cross];
  view.source_cross = grid.coordinate(source, cross);
  const auto offset = [&](NodeId node, std::uint32_t dimension) {
    const std::uint32_t size = grid.dims()[dimension];
    const std::uint32_t from = grid.coordinate(source, dimension);
    const std::uint32_t to = grid.coordinate(node, dimension);
    return to >= from ? to - from : to + size - from;
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> offsets;
  offsets.reserve(request.destinations.size());
  for (const HostId host : request.destinations) {
    const NodeId node{host.value};
    offsets.emplace_back(offset(node, main), offset(node, cross));
  }
  std::sort(offsets.begin(), offsets.end());
  for (const auto& [along, across] : offsets) {
    if (view.columns.empty() || view.columns.back().offset != along) {
      view.columns.emplace_back();
      view.columns.back().offset = along;
    }
    if (across == 0)
      view.columns.back().on_ring = true;
    else
      view.columns.back().crosses.push_back(across);
  }
  return view;
}

std::uint32_t TwoPhase::reach(std::size_t arm) const {
  std::uint32_t farthest = mains[arm].deliveries.empty() ? 0 : mains[arm].deliveries.back();
  for (const CrossArm& cross : crosses)
    if (cross.main_arm == arm) farthest = std::max(farthest, cross.distance);
  return farthest;
}

namespace {

/// Turns distances on arms into hosts.
class Positions {
 public:
  Positions(const TwoPhase& phases, const Grid& grid, HostId source)
      : phases_(phases), grid_(grid), source_(NodeId{source.value}) {}

  HostId on_main(const MainArm& arm, std::uint32_t distance) const {
    return HostId{step(source_, phases_.main, arm.positive, distance).value};
  }
  HostId on_cross(const CrossArm& arm, std::uint32_t distance) const {
    const NodeId start{relay(arm).value};
    return HostId{step(start, 1 - phases_.main, arm.positive, distance).value};
  }
  HostId relay(const CrossArm& arm) const {
    return arm.distance == 0 ? source() : on_main(phases_.mains[arm.main_arm], arm.distance);
  }
  HostId source() const { return HostId{source_.value}; }

 private:
  NodeId step(NodeId node, std::uint32_t dimension, bool positive, std::uint32_t distance) const {
    const std::uint32_t size = grid_.dims()[dimension];
    const std::uint32_t from = grid_.coordinate(node, dimension);
    const std::uint32_t to = (positive ? from + distance : from + size - distance) % size;
    return NodeId{node.value - from * grid_.stride(dimension) + to * grid_.stride(dimension)};
  }

  const TwoPhase& phases_;
  const Grid& grid_;
  NodeId source_;
};

/// Without stops, along the ring of a dimension.
Worm ring_worm(HostId source, std::uint32_t dimension, bool positive, RingClass vc_class) {
  return {.source = source,
          .first_port = PortId{2 * dimension + (positive ? 0u : 1u)},
          .vc_class = static_cast<std::uint32_t>(vc_class)};
}

Worm main_worm(const TwoPhase& phases, std::size_t index, const Positions& at) {
  const MainArm& arm = phases.mains[index];
  std::vector<std::pair<std::uint32_t, StopAction>> stops;  // deliver sorts before relay
  for (const std::uint32_t distance : arm.deliveries) stops.emplace_back(distance, StopAction::deliver);
  for (const CrossArm& cross : phases.crosses)
    if (cross.main_arm == index && cross.distance != 0) stops.emplace_back(cross.distance, StopAction::relay);
  std::sort(stops.begin(), stops.end());
  Worm worm = ring_worm(at.source(), phases.main, arm.positive, arm.vc_class);
  std::uint32_t last = 0;
  for (const auto& [distance, action] : stops) {
    if (distance == last) continue;
    last = distance;
    worm.stops.push_back(
        {at.on_main(arm, distance).value, static_cast<std::int32_t>(worm.stops.size()) - 1, action});
  }
  return worm;
}

Worm cross_worm(const TwoPhase& phases, const CrossArm& arm, const Positions& at) {
  Worm worm = ring_worm(at.relay(arm), 1 - phases.main, arm.positive, arm.vc_class);
  for (const std::uint32_t distance : arm.deliveries)
    worm.stops.push_back({at.on_cross(arm, distance).value, static_cast<std::int32_t>(worm.stops.size()) - 1,
                          StopAction::deliver});
  return worm;
}

Worm relay_at(HostId host) { return {.source = host, .stops = {{host.value, -1, StopAction::relay}}}; }

/// Main arm `index` and the columns behind it as one tree. Every arm's first stop is one hop away, which
/// tells its direction.
Worm branching_worm(const TwoPhase& phases, std::size_t index, const Positions& at, Copies replication) {
  const MainArm& arm = phases.mains[index];
  std::vector<std::uint32_t> distances = arm.deliveries;
  for (const CrossArm& cross : phases.crosses)
    if (cross.main_arm == index && cross.distance != 0) distances.push_back(cross.distance);
  if (!distances.empty()) distances.push_back(1);
  sort_unique(distances);
  Worm worm{.source = at.source(),
            .vc_class = static_cast<std::uint32_t>(arm.vc_class),
            .replication = replication};
  std::vector<std::int32_t> stop_at(phases.reach(index) + 1, -1);
  const auto stop = [&](HostId node, std::int32_t parent, bool delivers) {
    worm.stops.push_back({node.value, parent, delivers ? StopAction::deliver : StopAction::branch});
    return static_cast<std::int32_t>(worm.stops.size()) - 1;
  };
  std::int32_t last = -1;
  for (const std::uint32_t distance : distances) {
    last = stop(at.on_main(arm, distance), last,
                std::binary_search(arm.deliveries.begin(), arm.deliveries.end(), distance));
    stop_at[distance] = last;
  }
  for (const CrossArm& cross : phases.crosses) {
    if (cross.main_arm != index) continue;
    last = stop_at[cross.distance];
    if (cross.deliveries.front() != 1) last = stop(at.on_cross(cross, 1), last, false);
    for (const std::uint32_t distance : cross.deliveries)
      last = stop(at.on_cross(cross, distance), last, true);
  }
  return worm;
}

}  // namespace

std::vector<Worm> two_phase_trees(const TwoPhase& phases, const PlanningContext& context, HostId source) {
  const Copies replication = replication_of(context, "relay");
  if (context.option("source-column") == "relayed")
    throw InputError("--relay", "worms that branch have no relays: source-column=relayed does not apply");
  const Positions at(phases, *context.topology.grid(), source);
  std::vector<Worm> worms;
  for (std::size_t arm = 0; arm < phases.mains.size(); ++arm) {
    Worm worm = branching_worm(phases, arm, at, replication);
    if (!worm.stops.empty()) worms.push_back(std::move(worm));
  }
  return worms;
}

bool branches(const PlanningContext& context) {
  const std::string_view relay = context.option("relay");
  return !relay.empty() && relay != "stored";
}

std::vector<Worm> two_phase_worms(const TwoPhase& phases, const PlanningContext& context,
                                  const Request& request) {
  if (branches(context)) return two_phase_trees(phases, context, request.source);
  const Positions at(phases, *context.topology.grid(), request.source);
  std::vector<Worm> worms;
  std::vector<std::int32_t> worm_of_main(phases.mains.size(), -1);
  for (std::size_t arm = 0; arm < phases.mains.size(); ++arm) {
    if (phases.reach(arm) == 0) continue;
    worm_of_main[arm] = static_cast<std::int32_t>(worms.size());
    worms.push_back(main_worm(phases, arm, at));
  }
  std::vector<const CrossArm*> order;
  for (const CrossArm& arm : phases.crosses) order.push_back(&arm);
  std::stable_sort(order.begin(), order.end(), [](const CrossArm* a, const CrossArm* b) {
    return a->distance != b->distance ? a->distance < b->distance : a->reach() > b->reach();
  });
  std::int32_t source_ready = -1;
  if (context.option("source-column") == "relayed" && !order.empty() && order.front()->distance == 0) {
    source_ready = static_cast<std::int32_t>(worms.size());
    worms.push_back(relay_at(request.source));
  }
  for (const CrossArm* arm : order) {
    worms.push_back(cross_worm(phases, *arm, at));
    worms.back().after = arm->distance == 0 ? source_ready : worm_of_main[arm->main_arm];
  }
  return worms;
}

std::shared_ptr<const PlannerData> require_channels(const PlanningContext& context,
                                                    std::initializer_list<RingClass> classes) {
  for (const RingClass vc_class : classes) {
    try {
      context.routing.first(NodeId{0}, NodeId{0}, static_cast<std::uint32_t>(vc_class));
    } catch (const InputError& error) {
      refuse("--vc-rule", "'{}': {}", context.option("vc-rule"), error.what());
    }
  }
  return nullptr;
}

bool hosts_fill_lines(const Topology& topology, std::uint32_t dimension) {
  const Grid& grid = *topology.grid();
  for (const std::uint32_t node : topology.spec().hostless)
    for (std::uint32_t x = 0; x < grid.dims()[dimension]; ++x) {
      const std::uint32_t own = grid.coordinate(NodeId{node}, dimension);
      if (topology.has_host(HostId{node + x * grid.stride(dimension) - own * grid.stride(dimension)}))
        return false;
    }
  return true;
}

std::optional<std::string> no_plane_torus(const Topology& topology) {
  if (const auto no_torus =
          needs(topology.torus_grid() && topology.grid()->dimensions() == 2, "a two-dimensional torus"))
    return no_torus;
  return needs(hosts_fill_lines(topology, 0), "a host at every node of a row or at none, as its nodes relay");
}

// Arms of two-phase planners as legs.
//
// Full reception between the phases makes every worm of a two-phase plan an arm: it starts at a node
// with the whole message and runs along one ring in one direction. So whatever the destinations are,
// all worms of a kind from one node are parts of the longest one, and 2^N destination sets come to a
// few arms for each node. Where main worms branch instead, the trees are parts of two or four for each
// node, and have the turns from rows into columns.
// Cost: O(nodes · (columns + rows)) channels. cite: derived here.

void arm_leg(const PlanningContext& context, NodeId node, const ArmKind& kind, LegSink& sink) {
  if (kind.reach == 0 || !context.topology.has_host(HostId{node.value})) return;
  Worm worm = ring_worm(HostId{node.value}, kind.dimension, kind.positive, kind.vc_class);
  NodeId at = node;
  for (std::uint32_t distance = 0; distance < kind.reach; ++distance) {
    at = *context.topology.neighbour(at, *worm.first_port);
    worm.stops.push_back({at.value, static_cast<std::int32_t>(distance) - 1, StopAction::deliver});
  }
  sink.part_of(worm);
}

void source_column_leg(const PlanningContext& context, NodeId node, LegSink& sink) {
  if (context.option("source-column") == "relayed" && context.topology.has_host(HostId{node.value}))
    sink.part_of(relay_at(HostId{node.value}));
}

}  // namespace wormcast
