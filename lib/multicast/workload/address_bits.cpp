// Patterns that move the bits of a node's address: reversed, rotated either way, or its ends swapped.
//
// Of b = log2 N bits. shuffle: bit i to place i+1, the last to 0. bit-rotation: the other way. bit-reverse:
// bit i to place b-1-i. butterfly: the first and the last bit change places. A node that would be its own
// destination sends nothing. Cost: O(b) a multicast.
// cite: Dally, Towles 2004, table 3.1 (bit reverse, shuffle); gem5 Garnet (bit rotation); Catania et al.
// 2016, Noxim (butterfly).
// SPDX-License-Identifier: MIT
#include <bit>
#include <string>

#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

/// The address that `bits` bits of `source` become.
using MoveBits = std::uint32_t (*)(std::uint32_t source, std::uint32_t bits);

class AddressBits final : public DestinationPattern {
 public:
  AddressBits(std::uint32_t bits, MoveBits move) : bits_(bits), move_(move) {}

  std::optional<std::string_view> silence(HostId source) const override {
    if (move_(source.value, bits_) != source.value) return std::nullopt;
    return "would be its own destination";
  }
  std::vector<HostId> destinations(HostId source, Random&) const override {
    return {HostId{move_(source.value, bits_)}};
  }

 private:
  std::uint32_t bits_;
  MoveBits move_;
};

std::uint32_t rotated_up(std::uint32_t source, std::uint32_t bits) {
  const std::uint32_t last = source >> (bits - 1);
  return ((source << 1) & ((1U << bits) - 1)) | last;
}
std::uint32_t rotated_down(std::uint32_t source, std::uint32_t bits) {
  return source >> 1 | (source & 1) << (bits - 1);
}
std::uint32_t reversed(std::uint32_t source, std::uint32_t bits) {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < bits; ++i) result |= (source >> i & 1) << (bits - 1 - i);
  return result;
}
std::uint32_t ends_swapped(std::uint32_t source, std::uint32_t bits) {
  const std::uint32_t both = 1U | 1U << (bits - 1);
  const std::uint32_t differ = (source ^ source >> (bits - 1)) & 1;
  return differ != 0 ? source ^ both : source;
}

std::unique_ptr<const DestinationPattern> bind_bits(std::string_view name, const Topology& topology,
                                                    MoveBits move) {
  const std::uint32_t hosts = topology.hosts();
  if (!std::has_single_bit(hosts) || hosts < 4)
    throw InputError("--pattern", "'" + std::string(name) +
                                      "' moves the bits of an address: it needs 4, 8, 16, ... nodes, " +
                                      topology.name() + " has " + std::to_string(hosts));
  return std::make_unique<AddressBits>(static_cast<std::uint32_t>(std::countr_zero(hosts)), move);
}

constexpr const char* powers_of_two = "4, 8, 16, ... nodes";

}  // namespace

namespace pattern_bit_reverse {
namespace {
std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  return bind_bits("bit-reverse", topology, reversed);
}
}  // namespace
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "bit-reverse",
    .summary = "unicast to the node whose address has the bits in the other order",
    .topologies = powers_of_two,
    .cite = "Dally, Towles 2004, table 3.1",
    .options = {},
    .bind = bind,
};
}  // namespace pattern_bit_reverse

namespace pattern_shuffle {
namespace {
std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  return bind_bits("shuffle", topology, rotated_up);
}
}  // namespace
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "shuffle",
    .summary = "unicast to the node whose address is rotated by one bit upwards",
    .topologies = powers_of_two,
    .cite = "Dally, Towles 2004, table 3.1",
    .options = {},
    .bind = bind,
};
}  // namespace pattern_shuffle

namespace pattern_bit_rotation {
namespace {
std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  return bind_bits("bit-rotation", topology, rotated_down);
}
}  // namespace
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "bit-rotation",
    .summary = "unicast to the node whose address is rotated by one bit downwards",
    .topologies = powers_of_two,
    .cite = "gem5 Garnet",
    .options = {},
    .bind = bind,
};
}  // namespace pattern_bit_rotation

namespace pattern_butterfly {
namespace {
std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  return bind_bits("butterfly", topology, ends_swapped);
}
}  // namespace
extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "butterfly",
    .summary = "unicast to the node whose address has its first and last bit exchanged",
    .topologies = powers_of_two,
    .cite = "Catania et al. 2016 (Noxim)",
    .options = {},
    .bind = bind,
};
}  // namespace pattern_butterfly

}  // namespace wormcast
