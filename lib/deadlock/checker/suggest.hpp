// What to change so that a failing set can be proved free of deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
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

/// One change of the list.
struct SuggestionTrial {
  enum class Outcome : std::uint8_t { begins, suggested, left_out, limit };
  const char* change = nullptr;
  Outcome outcome = Outcome::begins;
};

/// In words, for whoever gave the `limits`: which change they do not settle.
std::string not_settled(const SuggestionTrial& trial, const SearchLimits& limits);

/// Every change of a fixed list, from the smallest to the largest, after which the routes are proved free
/// of deadlock by a check of their own. `tell` hears of each change, before it is tried and after.
std::vector<Suggestion> suggest(const Topology& topology, const CheckOptions& options,
                                const std::vector<Routes>& routes,
                                const std::function<void(const SuggestionTrial&)>& tell = {});

}  // namespace wormcast
