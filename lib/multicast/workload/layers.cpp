// Pattern `layers`: layers of a neural network that lie side by side, each on a band of the mesh's columns.
//
// Every tile of a layer has a part of its outputs, and every tile of the next layer needs all of them: it
// sends one multicast to the whole next band, when it has heard from every tile of the layer before. N layers
// share the W columns as evenly as possible, the first of them wider by one where W is no multiple. The last
// one sends nothing. A start is one pass through all layers; passes do not wait for each other. cite: none;
// the dataflow of spatial accelerators whose layers are mapped to regions.
// SPDX-License-Identifier: MIT
#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// The tiles of each layer, ascending.
std::vector<std::vector<HostId>> tiles_of(const Topology& topology, const Grid& grid, std::uint32_t layers) {
  std::vector<std::vector<HostId>> tiles(layers);
  const std::uint32_t width = grid.dims()[0];
  for (const HostId tile : topology.host_ids()) {  // ascending, so that each list is sorted
    const std::uint32_t x = grid.coordinate(NodeId{tile.value}, 0);
    const std::uint32_t wide = width % layers;  // layers with one column more
    const std::uint32_t least = width / layers;
    const std::uint32_t layer =
        x < wide * (least + 1) ? x / (least + 1) : wide + (x - wide * (least + 1)) / least;
    tiles[layer].push_back(tile);
  }
  return tiles;
}

DestinationPattern bind_layers(const Topology& topology, const PatternOptions& options) {
  const Grid grid = require_host_grid(topology, "layers");
  const std::uint64_t layers = options.layers.empty() ? 2 : parse_integer("--layers", options.layers);
  if (layers < 2 || layers > grid.dims()[0])
    refuse("--layers", "{} is not between 2 and the {} columns of {}", layers, grid.dims()[0],
           topology.name());
  const auto all = tiles_of(topology, grid, static_cast<std::uint32_t>(layers));
  for (const std::vector<HostId>& tiles : all)
    if (tiles.empty()) refuse("--layers", "{}: a band of columns of {} has no host", layers, topology.name());
  return {.group = [tiles = all](HostId, Random&) {
    std::vector<GroupMember> result;
    std::vector<std::uint32_t> before;  // members of the layer before
    for (std::size_t layer = 0; layer + 1 < tiles.size(); ++layer) {
      std::vector<std::uint32_t> own;
      for (const HostId tile : tiles[layer]) {
        own.push_back(static_cast<std::uint32_t>(result.size()));
        result.push_back({tile, tiles[layer + 1], before, 0});
      }
      before = std::move(own);
    }
    return result;
  }};
}

}  // namespace

extern const PatternEntry pattern_layers = {
    .name = "layers",
    .summary =
        "a start is a pass through --layers bands of columns: each tile to all of the next, after all of the "
        "last",
    .topologies = "mesh, torus, cmesh",
    .options = {"--layers"},
    .bind = bind_layers,
    .grouped = true,
    .fixed_sources = true,
    .flit_bits = chip_flit_bits,
};

}  // namespace wormcast
