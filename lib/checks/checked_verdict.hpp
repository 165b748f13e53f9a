// What a check says of a verdict.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "deadlock/verdict.hpp"
#include "multicast/plan.hpp"

namespace wormcast {

struct CheckedVerdict {
  enum class Outcome : std::uint8_t {
    holds,
    refused,   ///< the evidence does not prove the answer
    undecided  ///< there is no evidence to check, or a limit was reached
  };
  Outcome outcome = Outcome::holds;
  std::string reason;  ///< the first violation, or what is missing
};
inline CheckedVerdict refused(std::string reason) {
  return {CheckedVerdict::Outcome::refused, std::move(reason)};
}
/// Refused where there is a reason.
inline CheckedVerdict refused_if(std::string reason) {
  return reason.empty() ? CheckedVerdict{} : refused(std::move(reason));
}
inline CheckedVerdict undecided(std::string reason) {
  return {CheckedVerdict::Outcome::undecided, std::move(reason)};
}

/// "the verdict speaks of 2 worms, there are 3"; empty where it is right.
inline std::string refuse_count(const char* what, std::uint64_t said, std::uint64_t found) {
  return said == found ? "" : fmt::format("the verdict speaks of {} {}, there are {}", said, what, found);
}

/// What the verdict says of its planner, options and routing that is not what all routes have in common.
inline std::string refuse_planner(const Verdict& verdict, const Plan& common) {
  const Plan& said = verdict.planned_by;
  if (said.planner != common.planner) return "planner: it is not what all routes have in common";
  if (said.options != common.options) return "options: they are not what all routes have in common";
  return said.routing == common.routing ? "" : "routing: it is not what all routes have in common";
}

}  // namespace wormcast
