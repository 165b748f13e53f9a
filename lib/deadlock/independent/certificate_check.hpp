// Independent checks of what the deadlock checker answers. Shares no code with graph, footprints or
// search: everything is worked out again from the routes and the rules, by the plainest means.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/plain/joint_requests.hpp"
#include "deadlock/plain/plain_worm.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Why the numbering proves nothing about these worms; "" if it excludes deadlock: no worm can hold a
/// resource while it waits for one that does not come later.
std::string refuse_numbering(const Topology& topology, const RouterModel& model,
                             const std::vector<ResourceId>& numbering,
                             const std::vector<StoredRoute>& routes);

/// Why the witness is no deadlock; "" if it is one: resources kept fit together, and whatever is
/// waited for is kept for good by others, or queued for before it by an atomic node that is blocked itself.
std::string refuse_witness(const Topology& topology, const RouterModel& model,
                           const std::vector<WitnessWorm>& witness);

/// A worm that a dependency names; nothing where its route is not known, which says nothing against it.
/// Throws InputError where there is no such worm.
using NamedWorm = std::function<std::optional<PlainWorm>(const WormCause&)>;

/// Why this is no dependency cycle of the worms; "" if it is one: each can hold the one resource while it
/// waits at the hop for the other, or for what is asked for together with that.
std::string refuse_cycle(const std::vector<Dependency>& cycle, const JointRequests& joint,
                         const NamedWorm& worm);

}  // namespace wormcast
