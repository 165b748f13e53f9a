// Patterns that give every source one fixed destination. A node that would be its own sends nothing.
//
// transpose, bit-complement, tornado and neighbour move coordinates. shuffle, bit-rotation, bit-reverse and
// butterfly move the b = log2 N bits of the address: bit i to place i+1 and the last to 0; the other way; bit
// i to place b-1-i; the first and the last bit change places. random-permutation: every node is sent to by
// one, drawn at random. Cost: O(dimensions) or O(b) a multicast. cite: Dally, Towles 2004, Principles and
// Practices of Interconnection Networks, section 3.2, table 3.1; gem5 Garnet (bit rotation); Catania et al.
// 2016, Noxim (butterfly); Jiang et al. 2013 (BookSim 2: randperm).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

using Destination = HostId (*)(const Topology& topology, HostId source);
/// Throws InputError where the topology has no such permutation.
using Require = void (*)(const Topology& topology, std::string_view pattern);

template <class To>
DestinationPattern to_one(const Topology& topology, To to) {
  return {[to](HostId source, Random&) { return std::vector{to(source)}; },
          [&topology, to](HostId source) -> std::optional<std::string_view> {
            if (to(source) == source) return "would be its own destination";
            return topology.has_host(to(source)) ? std::nullopt
                                                 : std::optional("would send to a node without a host");
          }};
}

template <const PatternEntry& entry, Destination destination, Require require>
DestinationPattern bind(const Topology& topology, const PatternOptions&) {
  require(topology, entry.name);
  return to_one(topology, [&topology](HostId source) { return destination(topology, source); });
}

/// Depends on the seed and the number of nodes alone, so workloads of several seeds and rates can have the
/// same one; every permutation is equally likely. O(nodes) once.
DestinationPattern bind_random(const Topology& topology, const PatternOptions& options) {
  const std::uint64_t seed =
      options.permutation_seed.empty() ? 1 : parse_integer("--permutation-seed", options.permutation_seed);
  std::vector<std::uint32_t> to = numbers_from(0, topology.host_count());
  Random random = RandomStreams(seed, "permutation").stream(0);
  shuffle(random, to);
  return to_one(topology,
                [&topology, to](HostId source) { return topology.nth_host(to[topology.place_of(source)]); });
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
    refuse("--pattern", "'{}' moves the bits of an address: it needs 4, 8, 16, ... nodes, {} has {}", pattern,
           topology.name(), hosts);
}

void require_halves(const Topology& topology, std::string_view pattern) {
  const bool cube = topology.bit_addresses();
  if (topology.given_by_links() || cube) {
    if (std::has_single_bit(topology.hosts()) && bits_of(topology) % 2 == 0) return;
    refuse("--pattern", "'{}' swaps the halves of the address: it needs {}, {} has {}", pattern,
           cube ? "an even number of dimensions" : "4, 16, 64, ... nodes", topology.name(),
           cube ? topology.ports() : topology.hosts());
  }
  const auto dims = require_grid(topology, pattern).dims();
  if (dims.size() < 2 || std::adjacent_find(dims.begin(), dims.end(), std::not_equal_to<>{}) != dims.end())
    refuse("--pattern",
           "'{}' reverses the coordinates: it needs two or more dimensions of the same size, not {}", pattern,
           topology.name());
}

constexpr const char* powers_of_two = "4, 8, 16, ... nodes";
constexpr const char* table_3_1 = "Dally, Towles 2004, table 3.1";

}  // namespace

// Name as an identifier and as it is, summary, networks, citation, destination, what it asks of a network.
#define PERMUTATION(id, called, what, networks, from, destination, require) \
  extern const PatternEntry pattern_##id = {.name = called,                 \
                                            .summary = what,                \
                                            .topologies = networks,         \
                                            .cite = from,                   \
                                            .bind = bind<pattern_##id, destination, require>};
PERMUTATION(transpose, "transpose",
            "unicast to the node with reversed coordinates (hypercube, graph: swapped halves of the address)",
            "mesh and torus with equal sizes, hypercube with even dimensions, graph of 4, 16, 64 ... nodes",
            table_3_1, transpose, require_halves)
PERMUTATION(bit_complement, "bit-complement",
            "unicast to node N-1-source: every address bit complemented, every coordinate mirrored", "all",
            table_3_1, complement, require_nothing)
PERMUTATION(tornado, "tornado", "unicast ceil(k/2)-1 further in every dimension of size k, modulo k",
            "mesh, torus", table_3_1, shifted<almost_half>, require_coordinates)
PERMUTATION(neighbour, "neighbour", "unicast 1 further in every dimension of size k, modulo k", "mesh, torus",
            table_3_1, shifted<one_step>, require_coordinates)
PERMUTATION(bit_reverse, "bit-reverse", "unicast to the node whose address has the bits in the other order",
            powers_of_two, table_3_1, reversed, require_bits)
PERMUTATION(shuffle, "shuffle", "unicast to the node whose address is rotated by one bit upwards",
            powers_of_two, table_3_1, rotated_up, require_bits)
PERMUTATION(bit_rotation, "bit-rotation", "unicast to the node whose address is rotated by one bit downwards",
            powers_of_two, "gem5 Garnet", rotated_down, require_bits)
PERMUTATION(butterfly, "butterfly", "unicast to the node whose address has its first and last bit exchanged",
            powers_of_two, "Catania et al. 2016 (Noxim)", ends_swapped, require_bits)
#undef PERMUTATION

extern const PatternEntry pattern_random_permutation = {
    .name = "random-permutation",
    .summary = "unicast to the node that a random permutation gives every node once (--permutation-seed, 1)",
    .topologies = "all",
    .cite = "Dally, Towles 2004, section 3.2",
    .options = {"--permutation-seed"},
    .bind = bind_random,
};

}  // namespace wormcast
