// The optimality part of plan verification.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "multicast/verify.hpp"

namespace wormcast {

/// Checks the certificate of an ocms or otms plan whose worms and measures have been checked. An ocms
/// plan must have exactly the traffic that its certificate proves least. An otms plan's longest path
/// must equal the bound that follows from the certificate, or else be confirmed by a search for a
/// shorter one.
std::optional<Violation> check_certificate(const Plan& plan, const RoutingFunction& routing);

}  // namespace wormcast
