// Pattern `mask`: a random node, and with it all nodes that differ from it in any of some random bits of
// their coordinates: what a header of a destination and a mask names. The source is not among them.
//
// Draws: the number of bits where there is a range, then bits and node until all are nodes and none the
// source. Half of the greatest power-of-two corner block is always left. cite: pulp-platform FlooNoC
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "multicast/workload/pattern.hpp"
#include "topology/grid_address.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Nothing where one of them is no node.
std::vector<HostId> nodes_named(const Grid& grid, std::uint64_t first, std::uint64_t mask) {
  std::vector<HostId> result;
  for (std::uint64_t bits = 0;; bits = (bits - mask) & mask) {
    const std::vector<std::uint32_t> at = by_dimension(grid, first | bits);
    for (std::uint32_t d = 0; d < grid.dimensions(); ++d)
      if (at[d] >= grid.dims()[d]) return {};
    result.push_back(HostId{grid.node(at).value});
    if (bits == mask) break;
  }
  std::sort(result.begin(), result.end());
  return result;
}

DestinationPattern bind_mask(const Topology& topology, const PatternOptions& options) {
  const Grid grid = require_host_grid(topology, "mask");
  require_all_hosts(topology, "mask");
  const DestinationCount count = parse_destination_count(topology, options.destinations);
  std::uint64_t block = 1;
  for (const std::uint32_t size : grid.dims()) block *= std::bit_floor(size);
  if (!std::has_single_bit(count.least) || !std::has_single_bit(count.most))
    refuse("--destinations", "'{}': a mask names 1, 2, 4, 8 ... nodes", options.destinations);
  if (count.most > block / 2)
    refuse("--destinations", "'{}': on {} masks that leave out the source name at most {} nodes",
           options.destinations, topology.name(), block / 2);
  return {[grid, count](HostId source, Random& random) {
    const auto dimensions = static_cast<std::uint32_t>(
        random.between(static_cast<std::uint64_t>(std::bit_width(count.least)) - 1,
                       static_cast<std::uint64_t>(std::bit_width(count.most)) - 1));
    for (;;) {
      std::uint64_t mask = 0;
      for (const std::uint32_t bit : sample(random, dimensions, mask_bits(grid)))
        mask |= std::uint64_t{1} << bit;
      const NodeId node{static_cast<std::uint32_t>(random.below(grid.nodes()))};
      std::vector<HostId> result = nodes_named(grid, mask_address(grid, node) & ~mask, mask);
      if (!result.empty() && !std::binary_search(result.begin(), result.end(), source)) return result;
    }
  }};
}

}  // namespace

extern const PatternEntry pattern_mask = {
    .name = "mask",
    .summary =
        "a node with any of some bits of its coordinates flipped; K (or K1 to K2) in all, powers of two",
    .topologies = "mesh, torus, cmesh",
    .cite = "pulp-platform FlooNoC",
    .options = {"--destinations"},
    .bind = bind_mask,
    .flit_bits = chip_flit_bits,
};

}  // namespace wormcast
