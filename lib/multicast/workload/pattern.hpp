// Destination patterns: who a source sends to. The signature every pattern has, and the registry of them.
//
// To add a pattern: write its file with one `entry` in the namespace pattern_x, and add PATTERN(x) to
// patterns.def.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/ids.hpp"
#include "topology/named_values.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What the user said about destinations, as text; an empty value was not said.
struct PatternOptions {
  std::vector<std::string> to;       ///< --to: destinations, numbers or coordinates
  std::string destinations;          ///< --destinations: K or K1:K2
  std::string radius;                ///< --radius: hops
  std::string rectangle;             ///< --rectangle: nodes in each dimension, 3x2
  std::string layers;                ///< --layers: how many
  std::vector<std::string> hotspot;  ///< --hotspot: nodes, numbers or coordinates
  std::string hotspot_share;         ///< --hotspot-share: decimal in [0, 1]
  std::string permutation_seed;      ///< --permutation-seed
};

/// One of several multicasts that a start brings.
struct GroupMember {
  HostId source;
  std::vector<HostId> destinations;  ///< sorted, not empty, without the source
  std::vector<std::uint32_t> after;  ///< members before it that must have reached its source first
  std::uint64_t length_flits = 0;    ///< 0: that of the workload
  std::uint64_t answers = 0;         ///< flits with which each destination answers it; 0: none does
  bool answer = false;               ///< it is its source's answer to the one in `after`
};

/// A pattern bound to one topology, which must outlive it.
class DestinationPattern {
 public:
  virtual ~DestinationPattern() = default;
  /// Why a node sends nothing, such as one on the diagonal under transpose, to follow "node 5 "; nothing for
  /// a node that sends.
  virtual std::optional<std::string_view> silence(HostId /*source*/) const { return std::nullopt; }
  bool sends(HostId source) const { return !silence(source); }
  /// The sorted destinations of a multicast from `source`, which sends; all chance is from `random`.
  virtual std::vector<HostId> destinations(HostId source, Random& random) const = 0;
  /// Everything that a start at `source` brings, in order; all chance is from `random`. Of a pattern whose
  /// multicasts wait for each other; the others leave it empty, and destinations() is all.
  virtual std::vector<GroupMember> group(HostId /*source*/, Random& /*random*/) const { return {}; }
};

/// One registered pattern.
struct PatternEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view topologies;  ///< in words, for --list
  std::string_view cite = "-";
  NameList options = {};  ///< the options of PatternOptions it takes
  /// Throws InputError where options or topology do not fit.
  std::unique_ptr<const DestinationPattern> (*bind)(const Topology& topology,
                                                    const PatternOptions& options) = nullptr;
  bool grouped = false;        ///< a start brings a group()
  bool fixed_sources = false;  ///< the group is the same wherever it starts: all sources are its own
  /// Width of the flits in which the headers of its multicasts count, which the workload states; 0: it states
  /// none.
  std::uint32_t flit_bits = 0;
};

/// Width of the flits in workloads of accelerators and coherence: eight addresses on a chip of 256 tiles.
inline constexpr std::uint32_t chip_flit_bits = 64;

std::span<const PatternEntry* const> destination_patterns();
/// By a name, or an alias of one.
const PatternEntry* find_destination_pattern(std::string_view name);
/// Binds the pattern of that name; throws InputError (unknown name, an option it does not take,
/// a topology that does not fit).
std::unique_ptr<const DestinationPattern> bind_pattern(std::string_view name, const Topology& topology,
                                                       const PatternOptions& options);

}  // namespace wormcast
