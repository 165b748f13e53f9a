// Questions that are settled in stages, the quickest first, and how far these go.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace wormcast {

struct SearchLimits {
  std::uint64_t partial_sets = 1'000'000;  ///< that the search looks at
  std::uint64_t states = 100'000;          ///< that an exploration of one set looks at
  /// Hears now and then how many partial sets and states have been looked at; may be empty.
  std::function<void(std::uint64_t partial_sets, std::uint64_t states)> tell{};
  std::uint64_t explorations = 10;  ///< that meet this limit
  /// Of all sets together.
  std::uint64_t all_states() const { return explorations * states; }
  /// Worms that are put to sets: most do not fit, and make none.
  std::uint64_t tries() const { return tries_each * partial_sets; }

 private:
  static constexpr std::uint64_t tries_each = 256;
};

/// One way to settle what a Judge is asked.
template <class Judge>
struct Stage {
  bool (Judge::*settles)();  ///< true: it has, and no later one is needed
  /// Where none settles it: the limit that this one met; may be empty.
  std::string (Judge::*limit)() const {};
};

/// Asks the stages in their order until one settles it: nothing. Else the limits that were met, in order.
template <class Judge, std::size_t count>
std::vector<std::string> limits_met(Judge& judge, const Stage<Judge> (&stages)[count]) {
  for (const Stage<Judge>& stage : stages)
    if ((judge.*stage.settles)()) return {};
  std::vector<std::string> limits;
  for (const Stage<Judge>& stage : stages)
    if (std::string limit = stage.limit != nullptr ? (judge.*stage.limit)() : ""; !limit.empty())
      limits.push_back(std::move(limit));
  return limits;
}

}  // namespace wormcast
