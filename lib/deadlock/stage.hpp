// Questions that are settled in stages, the quickest first.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wormcast {

/// One way to settle what a Judge is asked.
template <class Judge>
struct Stage {
  bool (Judge::*settles)();               ///< true: it has, and no later one is needed
  std::string (Judge::*limit)() const{};  ///< where none settles it: the limit that this one met; may be empty
};

/// Asks the stages in their order until one settles it: nothing. Else the limits that were met, in that order.
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
