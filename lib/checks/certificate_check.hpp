// Whether worms can close a dependency cycle.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checks/plain_worm.hpp"
#include "deadlock/verdict.hpp"

namespace wormcast {

/// Why these dependencies close no cycle, or the first that `refuse` has anything against; "" if neither.
std::string refuse_each(std::span<const Dependency> cycle,
                        const std::function<std::string(const Dependency&)>& refuse);

/// A worm that a dependency names; nothing where its route is not known, which says nothing against it.
/// Throws InputError where there is no such worm.
using NamedWorm = std::function<std::optional<PlainWorm>(const WormCause&)>;

/// Why this is no dependency cycle of the worms; "" if it is one: each can hold the one resource while it
/// waits at the hop for the other, or for what is asked for together with that.
std::string refuse_cycle(const std::vector<Dependency>& cycle, const JointRequests& joint,
                         const NamedWorm& worm);

}  // namespace wormcast
