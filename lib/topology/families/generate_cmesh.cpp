// Concentrated meshes: every router of a W×H mesh has the hosts of a tile of a chip.
//
// Hosts are numbered row by row over the whole chip, as BookSim2 numbers them: with tiles of w×h hosts, host
// x + W·w·y hangs on router (x / w) + W·(y / h). Links are first those along rows, then those along columns,
// each in the order of the lower router. Labels are the snake of the mesh, so planners by labels apply, and
// up*/down* starts in the middle. There are no express links. Cost: O(hosts).
// cite: Balfour, Dally 2006.
// SPDX-License-Identifier: MIT
#include <array>
#include <string>

#include "topology/generator.hpp"
#include "topology/grid_address.hpp"

namespace wormcast {
namespace {

constexpr std::array<GeneratorParameter, 4> cmesh_parameters = {{
    {"width", "W: routers of a row", std::nullopt},
    {"height", "H: routers of a column", std::nullopt},
    {"tile-width", "w: a router has w*h hosts", 2},
    {"tile-height", "h: the same", 2},
}};

TopologySpec generate_cmesh(std::span<const std::uint64_t> values) {
  constexpr std::uint64_t max_side = std::uint64_t{1} << 16;
  for (std::size_t i = 0; i < cmesh_parameters.size(); ++i)
    check_between("--" + std::string(cmesh_parameters[i].name), values[i], 1, max_side);
  const std::uint64_t width = values[0], height = values[1], w = values[2], h = values[3];
  check_graph_size("--width", width * height, 1, 2 * width * height);
  check_graph_size("--tile-width", 1, w * h, 1);
  check_graph_size("--tile-width", 1, width * height * w * h, 1);
  const Grid grid({static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)});
  TopologySpec spec;
  spec.graph.routers = grid.nodes();
  for (std::uint64_t y = 0; y < height * h; ++y)
    for (std::uint64_t x = 0; x < width * w; ++x)
      spec.graph.hosts.push_back(static_cast<std::uint32_t>(x / w + width * (y / h)));
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d)
    for (std::uint32_t r = 0; r < grid.nodes(); ++r)
      if (grid.coordinate(NodeId{r}, d) + 1 < grid.dims()[d]) add_link(spec.graph, r, r + grid.stride(d));
  for (std::uint32_t r = 0; r < grid.nodes(); ++r) spec.labels.push_back(snake_label(grid, NodeId{r}).value);
  spec.root = static_cast<std::uint32_t>(width / 2 + width * (height / 2));
  return spec;
}

}  // namespace

extern const Generator generator_cmesh = {
    .name = "cmesh",
    .summary = "concentrated mesh: w*h hosts on every router of a W*H mesh",
    .cite = "Balfour, Dally 2006",
    .parameters = cmesh_parameters,
    .generate = generate_cmesh,
    .sizes = 2,
};

}  // namespace wormcast
