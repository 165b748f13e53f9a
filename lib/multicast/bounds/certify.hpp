// Adds to an optimal plan the certificate of its optimality.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

/// The certificate of least traffic for a plan of `bound`. That of a plan of least longest path proves the
/// least traffic too, and with it a lower bound on the longest path. Empty where this does not settle the
/// plan's optimum. Throws InputError for planners whose plans carry none.
std::vector<HalfCertificate> certificate_of(const BoundPlanner& bound, const Plan& plan);

}  // namespace wormcast
