// Column-path: for each column of destinations up to two worms under XY, one upwards and one downwards.
//
// A worm goes along the source's row to the column, then visits its destinations in the order they
// lie. Every worm follows a legal XY route, so it adds no dependency that XY unicasts do not have.
// A destination in the source's own row rides with the worm of its column that goes up, else with
// the one that goes down, else by itself. Many worms leave by the same port of the source, so with
// few injection channels they queue. Where channels run up, one worm goes up each column, round its ring.
// Cost: O(k log k). cite: Boppana, Chalasani, Raghavendra 1994.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"

namespace wormcast {
namespace {

std::vector<Worm> plan_column_path(const PlanningContext& context, const Request& request) {
  const Grid& grid = *router_grid(context);
  const auto column = [&](HostId host) { return grid.coordinate(context.topology.router_of(host), 0); };
  const auto row = [&](HostId host) { return grid.coordinate(context.topology.router_of(host), 1); };
  std::vector<HostId> ordered = request.destinations;
  std::stable_sort(ordered.begin(), ordered.end(), [&](HostId a, HostId b) { return column(a) < column(b); });
  std::vector<Worm> worms;
  const std::uint32_t source_row = row(request.source);
  const bool one_way = context.topology.one_way_grid();
  const std::uint32_t height = grid.dims()[1];
  if (one_way)
    std::stable_sort(ordered.begin(), ordered.end(), [&](HostId a, HostId b) {
      const auto steps = [&](HostId host) { return (row(host) + height - source_row) % height; };
      return column(a) != column(b) ? column(a) < column(b) : steps(a) < steps(b);
    });
  for (auto first = ordered.begin(); first != ordered.end();) {
    const auto last =
        std::find_if(first, ordered.end(), [&](HostId host) { return column(host) != column(*first); });
    if (one_way) {
      worms.push_back(chain_worm(request.source, {first, last}));
      first = last;
      continue;
    }
    // Requests are sorted by node, so a column is in ascending order of rows.
    auto upper = std::find_if(first, last, [&](HostId host) { return row(host) >= source_row; });
    if (row(*std::prev(last)) == source_row) upper = last;  // nothing above: they ride downwards or alone
    if (upper != last) worms.push_back(chain_worm(request.source, {upper, last}));
    if (upper != first) {
      std::reverse(first, upper);
      worms.push_back(chain_worm(request.source, {first, upper}));
    }
    first = last;
  }
  return worms;
}

/// From the source to any destination, then along its column in the same direction; row by row, so a
/// first leg that ends in the source's own row may go on either way.
void legs_of_column_path(const PlanningContext& context, LegSink& sink) {
  if (context.topology.one_way_grid()) return legs_of_broadcasts(context, sink);
  const Grid& grid = *router_grid(context);
  each_pair(context.topology, [&](HostId from, HostId to) {
    const auto at = [&](HostId host, std::uint32_t d) {
      return grid.coordinate(context.topology.router_of(host), d);
    };
    const std::uint32_t kind = at(to, 1) > at(from, 1) ? upwards : downwards;
    sink.leg({at(to, 0) == at(from, 0) ? std::optional(kind) : std::nullopt, kind, from, to});
    if (at(to, 1) == at(from, 1)) sink.leg({std::nullopt, upwards, from, to});
  });
}

}  // namespace

extern const Planner planner_column_path = {
    .name = "column-path",
    .summary = "up to two worms for each column of destinations, legal XY routes",
    .topologies = "2-D mesh, cmesh, torus-forward",
    .cost = "O(k log k)",
    .cite = "Boppana, Chalasani, Raghavendra 1994",
    .needs = "copy to the processor on the way",
    .routings = {"dimension-order", "one-way", "two-rounds"},
    .worms = {.from_source = true, .chains = true, .one_column = true},
    .unsupported =
        [](const Topology& t) {
          const bool upwards_only =
              t.ways() == Ways::up && t.grid() != nullptr && t.grid()->dimensions() == 2;
          return upwards_only ? std::nullopt : no_plane_of_hosts(t);
        },
    .plan = plan_column_path,
    .legs = legs_of_column_path,
    .prepare = prepare_tiles,
};

}  // namespace wormcast
