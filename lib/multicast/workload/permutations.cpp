// Patterns that give every source one fixed destination: transpose, bit-complement, tornado, neighbour.
// A node that would be its own destination sends nothing.
// cite: Dally, Towles 2004, Principles and Practices of Interconnection Networks, table 3.1
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "multicast/workload/arguments.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

using Destination = HostId (*)(const Topology& topology, HostId source);

class Permutation final : public DestinationPattern {
 public:
  Permutation(const Topology& topology, Destination destination)
      : topology_(&topology), destination_(destination) {}

  std::optional<std::string_view> silence(HostId source) const override {
    if (destination_(*topology_, source) != source) return std::nullopt;
    return "would be its own destination";
  }
  std::vector<HostId> destinations(HostId source, Random&) const override {
    return {destination_(*topology_, source)};
  }

 private:
  const Topology* topology_;
  Destination destination_;
};

/// Each coordinate moved up by `step(size)`, around its ring.
template <class Step>
HostId shifted(const Topology& topology, HostId source, Step step) {
  const Grid& grid = *topology.grid();
  std::vector<std::uint32_t> to = grid.coordinates(NodeId{source.value});
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d)
    to[d] = (to[d] + step(grid.dims()[d])) % grid.dims()[d];
  return HostId{grid.node(to).value};
}

HostId transpose(const Topology& topology, HostId source) {
  if (const Grid* grid = topology.grid()) {
    std::vector<std::uint32_t> to = grid->coordinates(NodeId{source.value});
    std::reverse(to.begin(), to.end());
    return HostId{grid->node(to).value};
  }
  const auto half = static_cast<std::uint32_t>(std::countr_zero(topology.hosts())) / 2;
  const std::uint32_t mask = (std::uint32_t{1} << half) - 1;
  return HostId{(source.value & mask) << half | source.value >> half};
}

std::unique_ptr<const DestinationPattern> bind_transpose(const Topology& topology, const PatternOptions&) {
  if (topology.spec().family == "graph") {
    if (!std::has_single_bit(topology.hosts()) || std::countr_zero(topology.hosts()) % 2 != 0)
      throw InputError("--pattern",
                       "'transpose' swaps the halves of the address: it needs 4, 16, 64, ... nodes, " +
                           topology.name() + " has " + std::to_string(topology.hosts()));
    return std::make_unique<Permutation>(topology, transpose);
  }
  if (topology.spec().family == "hypercube") {
    if (topology.spec().sizes[0] % 2 != 0)
      throw InputError("--pattern",
                       "'transpose' swaps the halves of the address: it needs an even number of "
                       "dimensions, " +
                           topology.name() + " has " + std::to_string(topology.spec().sizes[0]));
    return std::make_unique<Permutation>(topology, transpose);
  }
  const Grid& grid = require_grid(topology, "transpose");
  const auto dims = grid.dims();
  if (grid.dimensions() < 2 ||
      std::adjacent_find(dims.begin(), dims.end(), std::not_equal_to<>{}) != dims.end())
    throw InputError("--pattern",
                     "'transpose' reverses the coordinates: it needs two or more dimensions of the "
                     "same size, not " +
                         topology.name());
  return std::make_unique<Permutation>(topology, transpose);
}

std::unique_ptr<const DestinationPattern> bind_bit_complement(const Topology& topology,
                                                              const PatternOptions&) {
  return std::make_unique<Permutation>(
      topology,
      +[](const Topology& network, HostId source) { return HostId{network.hosts() - 1 - source.value}; });
}

std::unique_ptr<const DestinationPattern> bind_tornado(const Topology& topology, const PatternOptions&) {
  require_grid(topology, "tornado");
  return std::make_unique<Permutation>(
      topology, +[](const Topology& network, HostId source) {
        return shifted(network, source, [](std::uint32_t size) { return (size + 1) / 2 - 1; });
      });
}

std::unique_ptr<const DestinationPattern> bind_neighbour(const Topology& topology, const PatternOptions&) {
  require_grid(topology, "neighbour");
  return std::make_unique<Permutation>(
      topology, +[](const Topology& network, HostId source) {
        return shifted(network, source, [](std::uint32_t) { return std::uint32_t{1}; });
      });
}

}  // namespace

namespace pattern_transpose {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "transpose",
    .summary =
        "unicast to the node with reversed coordinates (hypercube, graph: swapped halves of the address)",
    .topologies =
        "mesh and torus with equal sizes, hypercube with even dimensions, graph of 4, 16, 64 ... nodes",
    .cite = "Dally, Towles 2004, table 3.1",
    .options = {},
    .bind = bind_transpose,
};
}  // namespace pattern_transpose

namespace pattern_bit_complement {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "bit-complement",
    .summary = "unicast to node N-1-source: every address bit complemented, every coordinate mirrored",
    .topologies = "all",
    .cite = "Dally, Towles 2004, table 3.1",
    .options = {},
    .bind = bind_bit_complement,
};
}  // namespace pattern_bit_complement

namespace pattern_tornado {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "tornado",
    .summary = "unicast ceil(k/2)-1 further in every dimension of size k, modulo k",
    .topologies = "mesh, torus",
    .cite = "Dally, Towles 2004, table 3.1",
    .options = {},
    .bind = bind_tornado,
};
}  // namespace pattern_tornado

namespace pattern_neighbour {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "neighbour",
    .summary = "unicast 1 further in every dimension of size k, modulo k",
    .topologies = "mesh, torus",
    .cite = "Dally, Towles 2004, table 3.1",
    .options = {},
    .bind = bind_neighbour,
};
}  // namespace pattern_neighbour

}  // namespace wormcast
