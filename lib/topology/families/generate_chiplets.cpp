// Chiplets: a grid of equal meshes, neighbours joined by links that are slower and narrower, several a side.
//
// The routers of all chiplets are numbered row by row over the whole package, as those of one mesh, with a
// host each. Between two chiplets run L links, spread evenly over the side, from the router at the edge of
// one to the one opposite it. With a link from every router at the edge the package is a mesh, whose snake
// labels it; dimension order then needs no graph: `mesh` with link classes says the same network. With fewer
// links the ways that are proved are those of up*/down*, which starts in the middle. Cost: O(routers). cite:
// Dally, Towles 2004 (channels of differing widths and lengths).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>

#include "topology/generator.hpp"
#include "topology/grid_address.hpp"

namespace wormcast {
namespace {

constexpr std::array<GeneratorParameter, 7> chiplet_parameters = {{
    {"columns", "chiplets in a row", std::nullopt},
    {"rows", "chiplets in a column", std::nullopt},
    {"width", "W: routers in a row of a chiplet", std::nullopt},
    {"height", "H: routers in a column of a chiplet", std::nullopt},
    {"side-links", "links from a chiplet to the next, at most W and H", 2},
    {"side-hop-cycles", "cycles that a header takes over such a link", 4},
    {"side-flit-cycles", "cycles that a flit occupies it", 2},
}};

/// Whether one of `count` links, spread evenly over a side of `size` routers, starts at `place`.
bool has_link(std::uint32_t place, std::uint32_t size, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    if ((2 * i + 1) * size / (2 * count) == place) return true;
  return false;
}

TopologySpec generate_chiplets(std::span<const std::uint64_t> values) {
  constexpr std::uint64_t max_side = std::uint64_t{1} << 10;
  const std::uint64_t most[] = {max_side,   max_side,  max_side, max_side, std::min(values[2], values[3]),
                                UINT32_MAX, UINT32_MAX};
  for (std::size_t i = 0; i < chiplet_parameters.size(); ++i)
    check_between("--" + std::string(chiplet_parameters[i].name), values[i], 1, most[i]);
  const std::array<std::uint32_t, 2> chiplet = {static_cast<std::uint32_t>(values[2]),
                                                static_cast<std::uint32_t>(values[3])};
  const std::uint64_t routers = values[0] * values[1] * values[2] * values[3];
  check_graph_size("--columns", routers, routers, 2 * routers);
  const Grid grid({static_cast<std::uint32_t>(values[0]) * chiplet[0],
                   static_cast<std::uint32_t>(values[1]) * chiplet[1]});
  const auto side_links = static_cast<std::uint32_t>(values[4]);
  bool whole = true;  // every neighbour in the package has a link
  TopologySpec spec;
  spec.graph.routers = grid.nodes();
  for (std::uint32_t r = 0; r < grid.nodes(); ++r) spec.graph.hosts.push_back(r);
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d)
    for (std::uint32_t r = 0; r < grid.nodes(); ++r) {
      const std::uint32_t x = grid.coordinate(NodeId{r}, d) + 1;
      if (x == grid.dims()[d]) continue;
      GraphLink link;
      link.ends = {r, r + grid.stride(d)};
      if (x % chiplet[d] == 0) {
        const std::uint32_t across = chiplet[1 - d];
        if (!has_link(grid.coordinate(NodeId{r}, 1 - d) % across, across, side_links)) {
          whole = false;
          continue;
        }
        const auto hop = static_cast<std::uint32_t>(values[5]), flit = static_cast<std::uint32_t>(values[6]);
        link.own[LinkValue::hop_cycles] = {hop, hop};
        link.own[LinkValue::flit_cycles] = {flit, flit};
      }
      spec.graph.links.push_back(link);
    }
  for (std::uint32_t r = 0; whole && r < grid.nodes(); ++r)
    spec.labels.push_back(snake_label(grid, NodeId{r}).value);
  const std::array<std::uint32_t, 2> middle = {grid.dims()[0] / 2, grid.dims()[1] / 2};
  spec.root = grid.node(middle).value;
  return spec;
}

}  // namespace

extern const Generator generator_chiplets = {
    .name = "chiplets",
    .summary = "a grid of W*H meshes with slower links between them, several a side",
    .cite = "Dally, Towles 2004",
    .parameters = chiplet_parameters,
    .generate = generate_chiplets,
};

}  // namespace wormcast
