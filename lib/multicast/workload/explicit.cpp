// Pattern `explicit`: the destinations that were named, for every multicast.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

DestinationPattern bind_explicit(const Topology& topology, const PatternOptions& options) {
  if (options.to.empty()) throw InputError("--to", "pattern 'explicit' needs the destinations");
  const std::vector<HostId> to = parse_hosts(topology, "--to", options.to);
  return {[to](HostId, Random&) { return to; },
          [to](HostId source) -> std::optional<std::string_view> {
            // A source may be its own destination only alone (a self-send).
            if (to.size() == 1 || !std::binary_search(to.begin(), to.end(), source)) return std::nullopt;
            return "is the source and among several destinations";
          }};
}

}  // namespace

extern const PatternEntry pattern_explicit = {
    .name = "explicit",
    .summary = "the destinations given by --to",
    .topologies = "all",
    .options = {"--to"},
    .bind = bind_explicit,
};

}  // namespace wormcast
