// What to change so that a failing set can be proved free of deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "deadlock/verdict.hpp"
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

}  // namespace wormcast
