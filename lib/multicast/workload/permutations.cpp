// Patterns that give every source one fixed destination. A node that would be its own sends nothing.
//
// transpose, bit-complement, tornado and neighbour move coordinates. shuffle, bit-rotation, bit-reverse and
// butterfly move the b = log2 N bits of the address: bit i to place i+1 and the last to 0; the other way; bit
// i to place b-1-i; the first and the last bit change places. Cost: O(dimensions) or O(b) a multicast. cite:
// Dally, Towles 2004, Principles and Practices of Interconnection Networks, table 3.1; gem5 Garnet (bit
// rotation); Catania et al. 2016, Noxim (butterfly).
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
/// Throws InputError where the topology has no such permutation.
using Require = void (*)(const Topology& topology, std::string_view pattern);

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

template <const PatternEntry& entry, Destination destination, Require require>
std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  require(topology, entry.name);
  return std::make_unique<Permutation>(topology, destination);
}

std::uint32_t bits_of(const Topology& topology) {
  return static_cast<std::uint32_t>(std::countr_zero(topology.hosts()));
}

HostId transpose(const Topology& topology, HostId source) {
  if (const Grid* grid = topology.grid()) {
    std::vector<std::uint32_t> to = grid->coordinates(NodeId{source.value});
    std::reverse(to.begin(), to.end());
    return HostId{grid->node(to).value};
  }
  const std::uint32_t half = bits_of(topology) / 2;
  const std::uint32_t mask = (std::uint32_t{1} << half) - 1;
  return HostId{(source.value & mask) << half | source.value >> half};
}

/// Each coordinate moved up by `step(size)`, around its ring.
template <std::uint32_t (*step)(std::uint32_t size)>
HostId shifted(const Topology& topology, HostId source) {
  const Grid& grid = *topology.grid();
  std::vector<std::uint32_t> to = grid.coordinates(NodeId{source.value});
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d)
    to[d] = (to[d] + step(grid.dims()[d])) % grid.dims()[d];
  return HostId{grid.node(to).value};
}
std::uint32_t almost_half(std::uint32_t size) { return (size + 1) / 2 - 1; }
std::uint32_t one_step(std::uint32_t) { return 1; }

HostId complement(const Topology& topology, HostId source) {
  return HostId{topology.hosts() - 1 - source.value};
}

HostId rotated_up(const Topology& topology, HostId source) {
  const std::uint32_t last = source.value >> (bits_of(topology) - 1);
  return HostId{((source.value << 1) & (topology.hosts() - 1)) | last};
}
HostId rotated_down(const Topology& topology, HostId source) {
  return HostId{source.value >> 1 | (source.value & 1) << (bits_of(topology) - 1)};
}
HostId reversed(const Topology& topology, HostId source) {
  const std::uint32_t bits = bits_of(topology);
  HostId result;
  for (std::uint32_t i = 0; i < bits; ++i) result.value |= (source.value >> i & 1) << (bits - 1 - i);
  return result;
}
HostId ends_swapped(const Topology& topology, HostId source) {
  const std::uint32_t last = bits_of(topology) - 1;
  const std::uint32_t differ = (source.value ^ source.value >> last) & 1;
  return HostId{differ != 0 ? source.value ^ (1U | 1U << last) : source.value};
}

void require_nothing(const Topology&, std::string_view) {}
void require_coordinates(const Topology& topology, std::string_view pattern) {
  require_grid(topology, pattern);
}

void require_bits(const Topology& topology, std::string_view pattern) {
  const std::uint32_t hosts = topology.hosts();
  if (!std::has_single_bit(hosts) || hosts < 4)
    throw InputError("--pattern", "'" + std::string(pattern) +
                                      "' moves the bits of an address: it needs 4, 8, 16, ... nodes, " +
                                      topology.name() + " has " + std::to_string(hosts));
}

void require_halves(const Topology& topology, std::string_view pattern) {
  const auto refuse = [&](const std::string& why) {
    throw InputError("--pattern", "'" + std::string(pattern) + "' " + why);
  };
  const std::string swaps = "swaps the halves of the address: it needs ";
  const bool even = std::has_single_bit(topology.hosts()) && bits_of(topology) % 2 == 0;
  if (topology.given_by_links()) {
    if (!even)
      refuse(swaps + "4, 16, 64, ... nodes, " + topology.name() + " has " + std::to_string(topology.hosts()));
    return;
  }
  if (topology.bit_addresses()) {
    if (!even)
      refuse(swaps + "an even number of dimensions, " + topology.name() + " has " +
             std::to_string(topology.ports()));
    return;
  }
  const Grid& grid = require_grid(topology, pattern);
  const auto dims = grid.dims();
  if (grid.dimensions() < 2 ||
      std::adjacent_find(dims.begin(), dims.end(), std::not_equal_to<>{}) != dims.end())
    refuse("reverses the coordinates: it needs two or more dimensions of the same size, not " +
           topology.name());
}

constexpr const char* powers_of_two = "4, 8, 16, ... nodes";
constexpr const char* table_3_1 = "Dally, Towles 2004, table 3.1";

}  // namespace

namespace pattern_transpose {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "transpose",
    .summary =
        "unicast to the node with reversed coordinates (hypercube, graph: swapped halves of the address)",
    .topologies =
        "mesh and torus with equal sizes, hypercube with even dimensions, graph of 4, 16, 64 ... nodes",
    .cite = table_3_1,
    .bind = bind<entry, transpose, require_halves>,
};
}  // namespace pattern_transpose

namespace pattern_bit_complement {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "bit-complement",
    .summary = "unicast to node N-1-source: every address bit complemented, every coordinate mirrored",
    .topologies = "all",
    .cite = table_3_1,
    .bind = bind<entry, complement, require_nothing>,
};
}  // namespace pattern_bit_complement

namespace pattern_tornado {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "tornado",
    .summary = "unicast ceil(k/2)-1 further in every dimension of size k, modulo k",
    .topologies = "mesh, torus",
    .cite = table_3_1,
    .bind = bind<entry, shifted<almost_half>, require_coordinates>,
};
}  // namespace pattern_tornado

namespace pattern_neighbour {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "neighbour",
    .summary = "unicast 1 further in every dimension of size k, modulo k",
    .topologies = "mesh, torus",
    .cite = table_3_1,
    .bind = bind<entry, shifted<one_step>, require_coordinates>,
};
}  // namespace pattern_neighbour

namespace pattern_bit_reverse {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "bit-reverse",
    .summary = "unicast to the node whose address has the bits in the other order",
    .topologies = powers_of_two,
    .cite = table_3_1,
    .bind = bind<entry, reversed, require_bits>,
};
}  // namespace pattern_bit_reverse

namespace pattern_shuffle {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "shuffle",
    .summary = "unicast to the node whose address is rotated by one bit upwards",
    .topologies = powers_of_two,
    .cite = table_3_1,
    .bind = bind<entry, rotated_up, require_bits>,
};
}  // namespace pattern_shuffle

namespace pattern_bit_rotation {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "bit-rotation",
    .summary = "unicast to the node whose address is rotated by one bit downwards",
    .topologies = powers_of_two,
    .cite = "gem5 Garnet",
    .bind = bind<entry, rotated_down, require_bits>,
};
}  // namespace pattern_bit_rotation

namespace pattern_butterfly {
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "butterfly",
    .summary = "unicast to the node whose address has its first and last bit exchanged",
    .topologies = powers_of_two,
    .cite = "Catania et al. 2016 (Noxim)",
    .bind = bind<entry, ends_swapped, require_bits>,
};
}  // namespace pattern_butterfly

}  // namespace wormcast
