// Values of workload options that depend on the topology: nodes by number or coordinates, counts, sizes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/ids.hpp"
#include "topology/name_table.hpp"
#include "topology/topology.hpp"

namespace wormcast {

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

}  // namespace wormcast
