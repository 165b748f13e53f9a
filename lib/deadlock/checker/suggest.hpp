// What to change so that a failing set can be proved free of deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "deadlock/relation_scope.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The check of a change looks at a fiftieth of the sets and states of others.
inline SearchLimits suggestion_limits(const SearchLimits& limits) {
  return {std::max<std::uint64_t>(1, limits.partial_sets / 50),
          std::max<std::uint64_t>(1, limits.states / 50)};
}

/// One change of the list, or two of them joined by "+".
struct SuggestionTrial {
  enum class Outcome : std::uint8_t { begins, suggested, left_out, limit };
  std::string change;
  Outcome outcome = Outcome::begins;
};

/// Options of routers that make the one out of the other.
std::string options_between(const RouterModel& from, const RouterModel& to);

inline void add_options(Suggestion& said, const std::string& more) {
  said.options += (said.options.empty() || more.empty() ? "" : " ") + more;
}

/// The answer if it excludes a deadlock. Of routers that allocate virtual channels only `safe` says anything.
std::optional<Answer> excluding(Answer answer, bool allocating, bool& met_limit);

/// Adds what `suggest_all` finds to the verdict, and in words what could not be settled. `tell` may be empty.
void add_suggestions(Verdict& verdict, const SearchLimits& limits,
                     const std::function<void(const SuggestionTrial&)>& tell,
                     const std::function<std::vector<Suggestion>(
                         const std::function<void(const SuggestionTrial&)>&)>& suggest_all);

/// Every change of a fixed list, from the smallest to the largest, after which the routes are proved free
/// of deadlock by a check of their own; where none but path reservation is, each two changes. `tell` hears of
/// each, before it is tried and after.
std::vector<Suggestion> suggest(const Topology& topology, const CheckOptions& options,
                                const std::vector<Routes>& routes,
                                const std::function<void(const SuggestionTrial&)>& tell = {});

/// The routes after a change that suggest() names. Throws InputError where it names none, or nothing changes.
std::vector<Routes> changed_routes(const Topology& topology, const CheckOptions& options,
                                   const std::vector<Routes>& routes, std::string_view change);

/// The multicasts with each message longer than `most` flits (without header flits) sent in parts of at most
/// as many, each by the same routes and at any time; nothing if that makes too many worms to look at.
std::optional<std::vector<Routes>> in_parts(const std::vector<Routes>& routes, std::uint64_t most);

/// The largest limit that was found with which `proved` says that the parts cannot deadlock; nothing where
/// one flit is too long. Limits between those that were tried are not looked at.
std::optional<std::uint64_t> longest_safe_message(
    const std::vector<Routes>& routes, const std::function<bool(const std::vector<Routes>&)>& proved);

/// More than this is not tried.
inline constexpr std::uint32_t most_virtual_channels = 16;

struct LayeredRoutes {
  std::vector<Routes> routes;
  std::uint32_t virtual_channels = 0;  ///< that they use in all
};

/// A worm goes to the next set of virtual channels whenever it crosses a dateline: a dependency that does
/// not go forward in one order of all resources. Nothing where more than most_virtual_channels are needed.
std::optional<LayeredRoutes> channels_by_dateline(const Topology& topology, const CheckOptions& options,
                                                  const std::vector<Routes>& routes);

/// Every worm stays in one class of virtual channels, the first in which it closes no cycle. Nothing where
/// a worm closes one by itself or more than most_virtual_channels are needed.
std::optional<LayeredRoutes> channels_by_class(const Topology& topology, const CheckOptions& options,
                                               const std::vector<Routes>& routes);

/// A planner with all its multicasts, beside all unicasts of a routing function or ("") without.
struct PlannerQuestion {
  const Topology& topology;
  PlannerChoice choice;  ///< `routing`: that of its stops; empty: its default
  std::string unicast;
  CheckOptions options;
  RelationScope relation;
};

/// Every single change of a fixed list, from what is configured to what costs buffers or time, after which
/// check_all_multicasts() says `safe` or `safe-unreachable`; each with the options of check-deadlock that say
/// so. `tell` hears of each change, before it is tried and after.
std::vector<Suggestion> suggest(const PlannerQuestion& asked,
                                const std::function<void(const SuggestionTrial&)>& tell = {});

}  // namespace wormcast
