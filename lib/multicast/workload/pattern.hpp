// Destination patterns: where a source sends. The signature every pattern has, the registry of them, and the
// values of their options that depend on the topology: nodes by number or coordinates, counts, sizes.
//
// To add a pattern: write its file with one `extern const PatternEntry pattern_x`, and add PATTERN(x) to
// patterns.def.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/ids.hpp"
#include "topology/name_table.hpp"
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
struct DestinationPattern {
  /// The sorted destinations of a multicast from `source`, which sends; all chance is from `random`.
  std::function<std::vector<HostId>(HostId source, Random& random)> destinations{};
  /// Why a node sends nothing, such as one on the diagonal under transpose, to follow "node 5 "; nothing for
  /// a node that sends. Not set: all send.
  std::function<std::optional<std::string_view>(HostId source)> why_silent{};
  /// In place of destinations(), of a pattern whose multicasts wait for each other: everything that a start
  /// at `source` brings, in order; all chance is from `random`.
  std::function<std::vector<GroupMember>(HostId source, Random& random)> group{};

  std::optional<std::string_view> silence(HostId source) const {
    return why_silent ? why_silent(source) : std::nullopt;
  }
  bool sends(HostId source) const { return !silence(source); }
};

/// One registered pattern.
struct PatternEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view topologies;  ///< in words, for --list
  std::string_view cite = "-";
  NameList options = {};  ///< the options of PatternOptions it takes
  /// Throws InputError where options or topology do not fit.
  DestinationPattern (*bind)(const Topology& topology, const PatternOptions& options) = nullptr;
  bool grouped = false;        ///< a start brings a group()
  bool fixed_sources = false;  ///< the group is the same wherever it starts: all sources are its own
  /// Width of the flits in which headers of its multicasts count, which the workload states; 0: none.
  std::uint32_t flit_bits = 0;
};

/// Width of the flits in workloads of accelerators and coherence: eight addresses on a chip of 256 tiles.
inline constexpr std::uint32_t chip_flit_bits = 64;

std::span<const PatternEntry* const> destination_patterns();
/// By a name, or an alias of one.
const PatternEntry* find_destination_pattern(std::string_view name);
/// Binds the pattern of that name; throws InputError (unknown name, an option it does not take,
/// a topology that does not fit).
DestinationPattern bind_pattern(std::string_view name, const Topology& topology,
                                const PatternOptions& options);

/// Plain digits below 2^53; throws InputError on `field`.
std::uint64_t parse_integer(std::string_view field, std::string_view text);

/// The nodes of a topology as people name them.
class HostNames {
 public:
  explicit HostNames(const Topology& topology);
  /// A node number, coordinates such as 3,2 on a mesh or torus, on a graph a host's name or GUID, or that of
  /// the router where hosts have none. Throws InputError on `field`, which says what the nodes are called.
  HostId find(std::string_view field, std::string_view text) const;

 private:
  const Topology& topology_;
  NameTable names_;
};

/// The hosts of a list, sorted; one given twice is refused.
std::vector<HostId> parse_hosts(const Topology& topology, std::string_view field,
                                const std::vector<std::string>& texts);

/// How many destinations: from `least` to `most`, each number equally likely.
struct DestinationCount {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
};
/// "K" or "K1:K2" with 1 ≤ K1 ≤ K2 < hosts; empty is 1. Throws InputError on --destinations.
DestinationCount parse_destination_count(const Topology& topology, std::string_view text);

/// "3x2": nodes in each dimension of the grid, each within its size. Throws InputError on `field`.
std::vector<std::uint32_t> parse_extent(const Grid& grid, std::string_view field, std::string_view text);

/// The topology's grid, or InputError on --pattern: it needs coordinates.
const Grid& require_grid(const Topology& topology, std::string_view pattern);
/// The same of its nodes, which on a concentrated mesh are numbered row by row over the whole chip.
Grid require_host_grid(const Topology& topology, std::string_view pattern);
/// Throws InputError on --pattern where a node has no host.
void require_all_hosts(const Topology& topology, std::string_view pattern);

}  // namespace wormcast
