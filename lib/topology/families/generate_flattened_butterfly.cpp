// Flattened butterflies: routers in a grid of equal sides, each linked with all others of its lines.
//
// The k-ary n-flat has n−1 dimensions of k routers and k hosts on each, what a k-ary n-fly becomes when the
// switches of each row are one router. Router r has the mixed-radix address of a mesh, first dimension
// fastest; host h hangs on router h / c. Links stand dimension by dimension, line by line in the order of the
// lowest router, and within a line pair by pair. Labels are the snake of the grid. Cost: O(links).
// cite: Kim, Dally, Abts 2007.
// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include "topology/generator.hpp"
#include "topology/grid_address.hpp"

namespace wormcast {
namespace {

constexpr std::array<GeneratorParameter, 3> flattened_butterfly_parameters = {{
    {"arity", "k: routers of a line", std::nullopt},
    {"dimensions", "dimensions of the grid of routers, n-1 of the k-ary n-flat", 1},
    {"hosts", "hosts of a router; 0 = k", 0},
}};

TopologySpec generate_flattened_butterfly(std::span<const std::uint64_t> values) {
  constexpr std::uint64_t max_arity = 4096, max_dimensions = 20;
  const std::uint64_t arity = values[0], dimensions = values[1];
  check_between("--arity", arity, 2, max_arity);
  check_between("--dimensions", dimensions, 1, max_dimensions);
  const std::uint64_t hosts = values[2] == 0 ? arity : values[2];
  check_between("--hosts", hosts, 0, max_arity);
  std::uint64_t routers = 1;
  for (std::uint64_t d = 0; d < dimensions; ++d) {
    routers *= arity;
    check_graph_size("--arity", routers, routers * hosts, routers * dimensions * (arity - 1) / 2);
  }
  const Grid grid(std::vector<std::uint32_t>(dimensions, static_cast<std::uint32_t>(arity)));
  TopologySpec spec;
  spec.graph.routers = grid.nodes();
  for (std::uint64_t h = 0; h < routers * hosts; ++h)
    spec.graph.hosts.push_back(static_cast<std::uint32_t>(h / hosts));
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d)
    for (std::uint32_t r = 0; r < grid.nodes(); ++r) {
      if (grid.coordinate(NodeId{r}, d) != 0) continue;  // the first of its line
      for (std::uint32_t a = 0; a < arity; ++a)
        for (std::uint32_t b = a + 1; b < arity; ++b)
          add_link(spec.graph, r + a * grid.stride(d), r + b * grid.stride(d));
    }
  for (std::uint32_t r = 0; r < grid.nodes(); ++r) spec.labels.push_back(snake_label(grid, NodeId{r}).value);
  return spec;
}

}  // namespace

extern const Generator generator_flattened_butterfly = {
    .name = "flattened-butterfly",
    .summary = "k-ary n-flat: a grid of routers, all of a line linked with each other",
    .cite = "Kim, Dally, Abts 2007",
    .parameters = flattened_butterfly_parameters,
    .generate = generate_flattened_butterfly,
};

}  // namespace wormcast
