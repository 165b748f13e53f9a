// What the verifier says of a plan, as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "multicast/verification/verify.hpp"

namespace wormcast::testing {

inline std::string verdict(const Topology& topology, const Plan& plan) {
  const auto violation = PlanVerifier(topology).check(plan);
  return violation ? violation->field + ": " + violation->message : "in order";
}

}  // namespace wormcast::testing
