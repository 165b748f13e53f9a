// Pattern `rectangle`: all nodes of a box of the grid, without the source.
//
// With --rectangle the box has that many nodes in each dimension and every place inside the grid is
// equally likely (it never wraps around). Without, two corners are drawn uniformly among all nodes.
// A box of nothing but the source is drawn again.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Corners, both inside.
struct Corners {
  std::vector<std::uint32_t> low;
  std::vector<std::uint32_t> high;
};

Corners placed_box(const Grid& grid, const std::vector<std::uint32_t>& extent, Random& random) {
  Corners box;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    box.low.push_back(static_cast<std::uint32_t>(random.below(grid.dims()[d] - extent[d] + 1)));
    box.high.push_back(box.low[d] + extent[d] - 1);
  }
  return box;
}

Corners random_box(const Grid& grid, Random& random) {
  const NodeId a{static_cast<std::uint32_t>(random.below(grid.nodes()))};
  const NodeId b{static_cast<std::uint32_t>(random.below(grid.nodes()))};
  Corners box;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    box.low.push_back(std::min(grid.coordinate(a, d), grid.coordinate(b, d)));
    box.high.push_back(std::max(grid.coordinate(a, d), grid.coordinate(b, d)));
  }
  return box;
}

/// Hosts in ascending order: an odometer whose first dimension turns fastest.
std::vector<HostId> hosts_inside(const Topology& topology, const Grid& grid, const Corners& box) {
  std::vector<HostId> result;
  std::vector<std::uint32_t> at = box.low;
  for (std::uint32_t d = 0; d < grid.dimensions();) {
    if (const HostId host{grid.node(at).value}; topology.has_host(host)) result.push_back(host);
    for (d = 0; d < grid.dimensions() && ++at[d] > box.high[d]; ++d) at[d] = box.low[d];
  }
  return result;
}

DestinationPattern bind_rectangle(const Topology& topology, const PatternOptions& options) {
  const Grid grid = require_host_grid(topology, "rectangle");
  if (topology.host_count() < 2)
    refuse("--pattern", "'rectangle' needs two nodes, {} has one", topology.name());
  std::vector<std::uint32_t> extent;  // empty: random corners
  if (!options.rectangle.empty()) extent = parse_extent(grid, "--rectangle", options.rectangle);
  return {[&topology, grid, extent](HostId source, Random& random) {
    for (;;) {
      std::vector<HostId> result = hosts_inside(
          topology, grid, extent.empty() ? random_box(grid, random) : placed_box(grid, extent, random));
      std::erase(result, source);
      if (!result.empty()) return result;
    }
  }};
}

}  // namespace

extern const PatternEntry pattern_rectangle = {
    .name = "rectangle",
    .summary =
        "every node of a box at a random place, of the size of --rectangle or between two random corners",
    .topologies = "mesh, torus, cmesh",
    .options = {"--rectangle"},
    .bind = bind_rectangle,
    .flit_bits = chip_flit_bits,
};

}  // namespace wormcast
