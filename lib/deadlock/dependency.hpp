// Worms and dependencies as the parts of the checker hand them on: a worm of a stream, a route, and what
// brought a dependency.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "multicast/routes.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// One worm of the stream.
struct WormRef {
  std::uint64_t multicast = 0;
  std::uint32_t worm = 0;

  friend auto operator<=>(const WormRef&, const WormRef&) = default;
};

/// One distinct route: same hops, replication and length.
struct StoredRoute {
  WormRoute route;
  std::uint64_t flits = 0;     ///< with header flits, cut off where longer makes no difference
  std::uint64_t count = 0;     ///< worms of the stream that take it
  std::vector<WormRef> worms;  ///< the first of them
};

/// Of worms of a stream: the worm, and the hop it waits for.
struct WormCause {
  std::uint64_t multicast = 0;
  std::uint32_t worm = 0;  ///< its index in the multicast
  std::int32_t hop = -1;   ///< index in the worm's hops, −1: its injection channel

  friend bool operator==(const WormCause&, const WormCause&) = default;
};
/// Of all multicasts of a planner, and of routes of tables: who sends whereto. `next_destination`: the same
/// worm goes on there from the first destination, or branches to it. `service_level`: of tables that choose
/// virtual channels by it, unless the dependency is there whatever the level. `vc_class`: of a worm whose way
/// is drawn, the class that says it.
struct LegCause {
  HostId source;
  HostId destination;
  std::optional<HostId> next_destination = std::nullopt;
  std::optional<std::uint8_t> service_level = std::nullopt;
  std::optional<std::uint32_t> vc_class = std::nullopt;

  friend bool operator==(const LegCause&, const LegCause&) = default;
};
/// Of multicast groups of tables.
struct GroupCause {
  std::uint32_t group = 0;                                   ///< index among the groups' names
  std::optional<std::uint8_t> service_level = std::nullopt;  ///< as in LegCause

  friend bool operator==(const GroupCause&, const GroupCause&) = default;
};
/// What brought a dependency first.
using Cause = std::variant<WormCause, LegCause, GroupCause>;

struct Dependency {
  ResourceId from;
  ResourceId to;
  Cause cause;
};

/// "multicast 3, worm 0".
inline std::string worm_name(const WormRef& name) {
  return "multicast " + std::to_string(name.multicast) + ", worm " + std::to_string(name.worm);
}

}  // namespace wormcast
