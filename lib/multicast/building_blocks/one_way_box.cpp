// Trees for boxes on tori whose channels run one way.
//
// Seen from the source every node lies upwards (TorusAsMesh), so a tree is three sweeps upwards: where
// the source is not within the box along the major dimension, to where the box begins; along the other one;
// and along the major one at each coordinate that is wanted. A source within the box starts where it is, and
// the sweeps go round the rings to what lies behind it. No channel is used twice: a sweep is shorter than its
// ring, and those along the major dimension are in different rings, or the last goes on from the first.
// Cost: O(nodes of the tree · log). cite: Tenstorrent, tt-isa-documentation (RoutingPaths: broadcast routes).
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/grid_tree.hpp"

#include <algorithm>
#include <numeric>

namespace wormcast {
namespace {

/// How far up from the source the coordinates lie, ascending.
std::vector<std::uint32_t> steps_up(const PlanningContext& context, HostId source,
                                    const std::vector<std::uint32_t>& coordinates, std::uint32_t dimension) {
  const Grid& grid = *context.topology.grid();
  const TorusAsMesh as_mesh(context.topology, NodeId{source.value});
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t at : coordinates)
    steps.push_back(grid.coordinate(as_mesh.to_mesh(NodeId{at * grid.stride(dimension)}), dimension));
  std::sort(steps.begin(), steps.end());
  return steps;
}

}  // namespace

Worm one_way_box_tree(const PlanningContext& context, HostId source, const RingBox& box, std::uint32_t major,
                      std::span<const HostId> destinations) {
  const std::uint32_t minor = 1 - major;
  const std::vector<std::uint32_t> along = steps_up(context, source, box[major], major);
  const std::vector<std::uint32_t> across = steps_up(context, source, box[minor], minor);
  GridTree tree(context.topology, source, context.routing.last_dimension_first());
  const auto sweep = [&](std::uint32_t at, std::uint32_t dimension, std::uint32_t to) {
    while (tree.place(at)[dimension] < to) at = tree.join(at, dimension, true);
    return at;
  };
  std::uint32_t at = sweep(0, major, along.front());
  for (const std::uint32_t step : across) {
    at = sweep(at, minor, step);
    sweep(at, major, along.back());
  }
  return tree.worm(destinations, replication_of(context));
}

std::vector<Worm> one_way_box_rows(const PlanningContext& context, HostId source, const RingBox& box) {
  const Grid& grid = *context.topology.grid();
  const TorusAsMesh as_mesh(context.topology, NodeId{source.value});
  std::vector<Worm> worms;
  for (const std::uint32_t y : box[1]) {
    std::vector<HostId> row = hosts_of(grid, {box[0], {y}}, source);
    std::sort(row.begin(), row.end(), [&](HostId a, HostId b) {
      return as_mesh.to_mesh(NodeId{a.value}) < as_mesh.to_mesh(NodeId{b.value});
    });
    if (!row.empty()) worms.push_back(chain_worm(source, row));
  }
  return worms;
}

namespace {

std::vector<std::uint32_t> all_of(const Grid& grid, std::uint32_t dimension) {
  std::vector<std::uint32_t> coordinates(grid.dims()[dimension]);
  std::iota(coordinates.begin(), coordinates.end(), 0U);
  return coordinates;
}

/// Takes out of the box what the source comes to first along a dimension.
void drop_first(const PlanningContext& context, HostId source, RingBox& box, std::uint32_t dimension = 0) {
  const auto steps = [&](std::uint32_t at) { return steps_up(context, source, {at}, dimension).front(); };
  const auto first = std::min_element(box[dimension].begin(), box[dimension].end(),
                                      [&](std::uint32_t a, std::uint32_t b) { return steps(a) < steps(b); });
  box[dimension].erase(first);
}

}  // namespace

void legs_of_one_way_box_trees(const PlanningContext& context, std::uint32_t major, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  for (std::uint32_t node = 0; node < grid.nodes(); ++node)
    for (RingBox box = {all_of(grid, 0), all_of(grid, 1)}; !box[major].empty();
         drop_first(context, HostId{node}, box, major)) {
      const std::vector<HostId> hosts = hosts_of(grid, box, HostId{node});
      if (!hosts.empty()) sink.part_of(one_way_box_tree(context, HostId{node}, box, major, hosts));
    }
}

void legs_of_one_way_box_rows(const PlanningContext& context, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  for (std::uint32_t node = 0; node < grid.nodes(); ++node)
    for (std::uint32_t y = 0; y < grid.dims()[1]; ++y)
      for (RingBox box = {all_of(grid, 0), {y}}; !box[0].empty(); drop_first(context, HostId{node}, box))
        for (const Worm& worm : one_way_box_rows(context, HostId{node}, box)) sink.part_of(worm);
}

}  // namespace wormcast
