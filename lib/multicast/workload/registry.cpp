// The explicit list of destination patterns, and the checks that all of them share.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>

#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast {

#define PATTERN(name)                \
  namespace pattern_##name {         \
    extern const PatternEntry entry; \
  }
#define ALIAS(alias, name)
#include "multicast/workload/patterns.def"
#undef PATTERN
#undef ALIAS

std::span<const PatternEntry* const> destination_patterns() {
  static constexpr std::array list = {
#define PATTERN(name) &pattern_##name::entry,
#define ALIAS(alias, name)
#include "multicast/workload/patterns.def"
#undef PATTERN
#undef ALIAS
  };
  return list;
}

const PatternEntry* find_destination_pattern(std::string_view name) {
  static constexpr std::pair<std::string_view, const PatternEntry*> aliases[] = {
#define PATTERN(name)
#define ALIAS(alias, name) {alias, &pattern_##name::entry},
#include "multicast/workload/patterns.def"
#undef PATTERN
#undef ALIAS
  };
  return find_by_name(destination_patterns(), aliases, name);
}

namespace {

void refuse_foreign_options(const PatternEntry& pattern, const PatternOptions& options) {
  const auto check = [&](std::string_view option, bool given) {
    if (!given || std::find(pattern.options.begin(), pattern.options.end(), option) != pattern.options.end())
      return;
    std::string message = "pattern '" + std::string(pattern.name) + "' does not take it; patterns that do:";
    for (const PatternEntry* other : destination_patterns())
      if (std::find(other->options.begin(), other->options.end(), option) != other->options.end())
        message += " " + std::string(other->name);
    throw InputError(std::string(option), message);
  };
  check("--to", !options.to.empty());
  check("--destinations", !options.destinations.empty());
  check("--radius", !options.radius.empty());
  check("--rectangle", !options.rectangle.empty());
  check("--layers", !options.layers.empty());
  check("--hotspot", !options.hotspot.empty());
  check("--hotspot-share", !options.hotspot_share.empty());
  check("--permutation-seed", !options.permutation_seed.empty());
}

}  // namespace

std::unique_ptr<const DestinationPattern> bind_pattern(std::string_view name, const Topology& topology,
                                                       const PatternOptions& options) {
  const PatternEntry* pattern = find_destination_pattern(name);
  if (pattern == nullptr)
    throw InputError("--pattern",
                     unknown_name("pattern", name, destination_patterns(), "gen-multicast --list"));
  refuse_foreign_options(*pattern, options);
  return pattern->bind(topology, options);
}

}  // namespace wormcast
