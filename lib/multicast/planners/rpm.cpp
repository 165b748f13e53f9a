// RPM, recursive partitioning multicast: every router sees the destinations ahead as eight parts around it
// and sends on as few copies as they allow. Our reading of the paper, of which only parts were at hand.
//
// The parts are the four quadrants and the four half-axes between them: 0 NE, 1 N, 2 NW, 3 W, 4 SW, 5 S, 6
// SE, 7 E. A copy goes out for every half-axis with destinations. A quadrant rides with the direction it
// belongs to (NE with N, NW with W, SW with S, SE with E) where that has a copy already, else with its other
// direction if that has one, else it makes a copy in its own. Every router on the way does the same.
// Turns of all kinds would close cycles, so there are two virtual networks: destinations above the source
// are served in the first, which has no southward channels, those below in the second; the source's row goes
// with the upper ones, if there are any. In each network a branch that follows its way alone is free of
// deadlock; branches that wait for each other are not, unless a buffer holds the worm.
// Every path is a shortest one. Cost: O(k · hops).
// cite: Wang, Jin, Kim, Kim: Recursive partitioning multicast, NOCS 2009 (our reading).
// SPDX-License-Identifier: MIT
#include <array>

#include "multicast/building_blocks/grid_tree.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"

namespace wormcast {
namespace {

constexpr std::array<PlannerParameter, 1> rpm_parameters = {{
    {"replication", {"asynchronous", "lock-step"}, "how a node copies the worm to its branches"},
}};

/// Onwards: away from the source's row.
enum Direction : std::uint32_t { east_way, west_way, onward_way, way_count };

/// Destinations as seen from one router. `right` quadrant: with growing x, `left` the other one.
struct Parts {
  bool axis[way_count] = {};
  bool right = false;
  bool left = false;
};

/// Which way each quadrant goes.
struct QuadrantWays {
  Direction right;
  Direction left;
};

/// The quadrant that belongs to the vertical direction is NE above the source and SW below it.
QuadrantWays ways_of(const Parts& parts, bool up) {
  const Direction own_side = up ? east_way : west_way;  // beside the quadrant that belongs to the vertical
  const Direction far_side = up ? west_way : east_way;
  const bool quadrant = up ? parts.right : parts.left;
  const Direction vertical_quadrant = parts.axis[onward_way] || !parts.axis[own_side] ? onward_way : own_side;
  const bool vertical = parts.axis[onward_way] || (quadrant && vertical_quadrant == onward_way);
  const Direction side_quadrant = parts.axis[far_side] || !vertical ? far_side : onward_way;
  return up ? QuadrantWays{vertical_quadrant, side_quadrant} : QuadrantWays{side_quadrant, vertical_quadrant};
}

class Partitioning {
 public:
  Partitioning(const Topology& topology, HostId source, bool up)
      : grid_(*topology.grid()), up_(up), tree_(topology, source) {}

  Worm worm(const std::vector<HostId>& destinations, Copies replication) {
    serve(destinations);
    Worm result = tree_.worm(destinations, replication);
    result.vc_class = up_ ? 0 : 1;
    return result;
  }

 private:
  struct Part {
    std::uint32_t number;
    std::vector<HostId> hosts;
  };

  std::uint32_t x(HostId host) const { return grid_.coordinate(NodeId{host.value}, 0); }
  std::uint32_t y(HostId host) const { return grid_.coordinate(NodeId{host.value}, 1); }

  void serve(const std::vector<HostId>& destinations) {
    std::vector<Part> open{{0, destinations}};
    while (!open.empty()) {
      const Part part = std::move(open.back());
      open.pop_back();
      std::array<std::vector<HostId>, way_count> copies = split(part);
      for (std::uint32_t d = 0; d < way_count; ++d) {
        if (copies[d].empty()) continue;
        const std::uint32_t next =
            d == onward_way ? tree_.join(part.number, 1, up_) : tree_.join(part.number, 0, d == east_way);
        open.push_back({next, std::move(copies[d])});
      }
    }
  }

  std::array<std::vector<HostId>, way_count> split(const Part& part) const {
    const std::uint32_t at_x = tree_.place(part.number)[0];
    const std::uint32_t at_y = tree_.place(part.number)[1];
    Parts parts;
    for (const HostId host : part.hosts) {
      if (y(host) == at_y && x(host) != at_x) parts.axis[x(host) > at_x ? east_way : west_way] = true;
      if (y(host) != at_y && x(host) == at_x) parts.axis[onward_way] = true;
      if (y(host) != at_y && x(host) != at_x) (x(host) > at_x ? parts.right : parts.left) = true;
    }
    const QuadrantWays ways = ways_of(parts, up_);
    std::array<std::vector<HostId>, way_count> copies;
    for (const HostId host : part.hosts) {
      if (x(host) == at_x && y(host) == at_y) continue;
      const Direction side = x(host) > at_x ? east_way : west_way;
      const Direction way = y(host) == at_y   ? side
                            : x(host) == at_x ? onward_way
                                              : (side == east_way ? ways.right : ways.left);
      copies[way].push_back(host);
    }
    return copies;
  }

  const Grid& grid_;
  bool up_;
  GridTree tree_;
};

std::vector<Worm> plan_rpm(const PlanningContext& context, const Request& request) {
  const Grid& grid = *context.topology.grid();
  const auto row = [&](HostId host) { return grid.coordinate(NodeId{host.value}, 1); };
  const std::uint32_t source_row = row(request.source);
  const bool any_above = row(request.destinations.back()) > source_row;
  const bool any_below = row(request.destinations.front()) < source_row;
  const bool row_goes_up = any_above || !any_below;
  std::vector<HostId> above;
  std::vector<HostId> below;
  for (const HostId host : request.destinations)
    (row(host) > source_row || (row(host) == source_row && row_goes_up) ? above : below).push_back(host);
  const Copies replication = replication_of(context);
  std::vector<Worm> worms;
  if (!above.empty())
    worms.push_back(Partitioning(context.topology, request.source, true).worm(above, replication));
  if (!below.empty())
    worms.push_back(Partitioning(context.topology, request.source, false).worm(below, replication));
  return worms;
}

/// In each network any turn but back, and copies to any two of a router's outputs: upwards or downwards and
/// both ways along the row.
void legs_of_rpm(const PlanningContext& context, LegSink& sink) {
  const Topology& network = context.topology;
  const Copies replication = replication_of(context);
  for (std::uint32_t node = 0; node < network.routers(); ++node) {
    const NodeId at{node};
    const HostId host{node};
    for (const std::uint32_t vc : {0U, 1U}) {
      const std::array<PortId, way_count> ports = {PortId{0}, PortId{1}, PortId{2 + vc}};
      std::vector<PortId> ways;
      for (const PortId port : ports)
        if (network.neighbour(at, port)) ways.push_back(port);
      const auto through = [&](PortId port) { return Output::through(network.channel(at, port), vc); };
      for (const PortId one : ways) {
        if (network.has_host(host)) sink.start(host, through(one));
        for (const PortId other : ways)
          if (one < other) sink.split(through(one), through(other), replication);
      }
      for (const PortId moved : ports) {  // the worm came by the port opposite to `moved`
        const auto from = network.neighbour(at, PortId{moved.value ^ 1U});
        if (!from) continue;
        const ChannelId input = network.channel(*from, moved);
        const Output before = Output::through(input, vc);
        const Output consumed = Output::into(host, input, vc);
        if (network.has_host(host)) sink.turn(before, consumed);
        for (const PortId next : ways) {
          if (next.value == (moved.value ^ 1U)) continue;
          sink.turn(before, through(next));
          if (network.has_host(host)) sink.split(through(next), consumed, replication);
        }
      }
    }
  }
}

}  // namespace

extern const Planner planner_rpm = {
    .name = "rpm",
    .summary = "two tree worms, up and down, partitioned again at every router (our reading)",
    .topologies = "2-D mesh",
    .cost = "O(k * hops)",
    .cite = "Wang, Jin, Kim, Kim 2009",
    .needs = "copy to several ports; destinations compared at every router; two virtual networks",
    .parameters = rpm_parameters,
    .routings = {"two-network"},
    .worms = {.from_source = true},
    .unsupported = no_plane_mesh,
    .plan = plan_rpm,
    .legs = legs_of_rpm,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast
