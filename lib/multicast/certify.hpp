// Adds to an optimal plan the certificate of its optimality.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

/// Whether plans of this planner can carry a certificate (ocms and otms).
bool can_certify(const Planner& planner);
/// The certificate of least traffic for a plan of `bound`. An otms plan's proves the least traffic of
/// each half, and with it a lower bound on the longest path. Empty where the duals do not settle the
/// plan's optimum. Throws InputError for other planners.
std::vector<HalfCertificate> certificate_of(const BoundPlanner& bound, const Plan& plan);

}  // namespace wormcast
