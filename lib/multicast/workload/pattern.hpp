// Destination patterns: who a source sends to. The signature every pattern has, and the registry of them.
//
// To add a pattern: write its file with one `extern const PatternEntry pattern_x`, and add
// PATTERN(x) to patterns.def.
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
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What the user said about destinations, as text; an empty value was not said.
struct PatternOptions {
  std::vector<std::string> to;       ///< --to: destinations, numbers or coordinates
  std::string destinations;          ///< --destinations: K or K1:K2
  std::string radius;                ///< --radius: hops
  std::string rectangle;             ///< --rectangle: nodes in each dimension, 3x2
  std::vector<std::string> hotspot;  ///< --hotspot: nodes, numbers or coordinates
  std::string hotspot_share;         ///< --hotspot-share: decimal in [0, 1]
};

/// A pattern bound to one topology, which must outlive it.
class DestinationPattern {
 public:
  virtual ~DestinationPattern() = default;
  /// False for a node that has no destination, such as one on the diagonal under transpose.
  virtual bool sends(HostId /*source*/) const { return true; }
  /// Why sends() is false, to follow "node 5 ".
  virtual std::string_view silence() const { return "has no destination"; }
  /// The sorted destinations of a multicast from `source`, which sends; all chance is from `random`.
  virtual std::vector<HostId> destinations(HostId source, Random& random) const = 0;
};

/// One registered pattern.
struct PatternEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view topologies;  ///< in words, for --list
  std::string_view cite;
  std::span<const std::string_view> options;  ///< the options of PatternOptions it takes
  /// Throws InputError where options or topology do not fit.
  std::unique_ptr<const DestinationPattern> (*bind)(const Topology& topology, const PatternOptions& options);
};

std::span<const PatternEntry* const> destination_patterns();
const PatternEntry* find_destination_pattern(std::string_view name);
/// Binds the pattern of that name; throws InputError (unknown name, an option it does not take,
/// a topology that does not fit).
std::unique_ptr<const DestinationPattern> bind_pattern(std::string_view name, const Topology& topology,
                                                       const PatternOptions& options);

}  // namespace wormcast
