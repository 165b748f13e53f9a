// Pattern `rectangle`: all nodes of a box of the grid, without the source.
//
// With --rectangle the box has that many nodes in each dimension and every place inside the grid is
// equally likely (it never wraps around). Without, two corners are drawn uniformly among all nodes.
// A box of nothing but the source is drawn again.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/arguments.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast::pattern_rectangle {
namespace {

/// Corners, both inside.
struct Box {
  std::vector<std::uint32_t> low;
  std::vector<std::uint32_t> high;
};

class Rectangle final : public DestinationPattern {
 public:
  Rectangle(const Grid& grid, std::vector<std::uint32_t> extent) : grid_(&grid), extent_(std::move(extent)) {}

  std::vector<HostId> destinations(HostId source, Random& random) const override {
    for (;;) {
      std::vector<HostId> result = inside(extent_.empty() ? random_box(random) : placed_box(random));
      std::erase(result, source);
      if (!result.empty()) return result;
    }
  }

 private:
  Box placed_box(Random& random) const {
    Box box;
    for (std::uint32_t d = 0; d < grid_->dimensions(); ++d) {
      box.low.push_back(static_cast<std::uint32_t>(random.below(grid_->dims()[d] - extent_[d] + 1)));
      box.high.push_back(box.low[d] + extent_[d] - 1);
    }
    return box;
  }

  Box random_box(Random& random) const {
    const NodeId a{static_cast<std::uint32_t>(random.below(grid_->nodes()))};
    const NodeId b{static_cast<std::uint32_t>(random.below(grid_->nodes()))};
    Box box;
    for (std::uint32_t d = 0; d < grid_->dimensions(); ++d) {
      box.low.push_back(std::min(grid_->coordinate(a, d), grid_->coordinate(b, d)));
      box.high.push_back(std::max(grid_->coordinate(a, d), grid_->coordinate(b, d)));
    }
    return box;
  }

  /// Nodes in ascending order: an odometer whose first dimension turns fastest.
  std::vector<HostId> inside(const Box& box) const {
    std::vector<HostId> result;
    std::vector<std::uint32_t> at = box.low;
    for (std::uint32_t d = 0; d < grid_->dimensions();) {
      result.push_back(HostId{grid_->node(at).value});
      for (d = 0; d < grid_->dimensions() && ++at[d] > box.high[d]; ++d) at[d] = box.low[d];
    }
    return result;
  }

  const Grid* grid_;
  std::vector<std::uint32_t> extent_;  ///< empty: random corners
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions& options) {
  const Grid& grid = require_grid(topology, "rectangle");
  if (grid.nodes() < 2)
    throw InputError("--pattern", "'rectangle' needs two nodes, " + topology.name() + " has one");
  std::vector<std::uint32_t> extent;
  if (!options.rectangle.empty()) extent = parse_extent(grid, "--rectangle", options.rectangle);
  return std::make_unique<Rectangle>(grid, std::move(extent));
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "rectangle",
    .summary =
        "every node of a box at a random place, of the size of --rectangle or between two random corners",
    .topologies = "mesh, torus",
    .options = {"--rectangle"},
    .bind = bind,
    .flit_bits = chip_flit_bits,
};

}  // namespace wormcast::pattern_rectangle
