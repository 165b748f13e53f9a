// The optimality part of plan verification.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/verification/verify.hpp"

namespace wormcast {

/// Checks the certificate of an optimal star whose worms and measures have been checked; throws Violation.
/// A plan of least traffic must have exactly what its certificate proves least. The longest path of an
/// otms or otms-up-down plan must equal a bound that follows from the certificate, or else be confirmed
/// by a search for a shorter one.
void check_certificate(const Plan& plan, const RoutingFunction& routing);

}  // namespace wormcast
