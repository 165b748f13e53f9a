// What no plan of a multicast can be below, whatever its planner.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "topology/topology.hpp"

namespace wormcast {

struct MulticastBounds {
  std::uint64_t traffic_channels = 0;  ///< at least so many: a Steiner tree's, or less than that
  bool traffic_exact = false;          ///< it is the number of channels of a least Steiner tree
  std::uint64_t chain_hops = 0;        ///< longest_chain_hops is at least the distance of the furthest
  std::uint64_t steps = 0;             ///< of unicasts where a node sends one at a time: ⌈log2(k + 1)⌉
};

/// Most destinations on routers of their own for which the Steiner tree is worked out.
inline constexpr std::uint32_t exact_steiner_destinations = 10;

MulticastBounds bounds_of(const Topology& topology, const Request& request);
/// The bounds as a plan states them: traffic_bound_channels, traffic_bound_exact (0 or 1),
/// chain_bound_hops, step_bound_steps.
PlanFacts facts_of(const MulticastBounds& bounds);

/// The certificate of least traffic for a plan of `bound`. That of a plan of least longest path proves the
/// least traffic too, and with it a lower bound on the longest path. Empty where this does not settle the
/// plan's optimum. Throws InputError for planners whose plans carry none.
std::vector<HalfCertificate> certificate_of(const BoundPlanner& bound, const Plan& plan);

/// No tree of channels from points[0] to all other routers of `points` has fewer. Less than the best such
/// bound, down to 0, where the network or the search is too large.
std::uint64_t dual_ascent_bound(const Topology& topology, std::span<const NodeId> points);

/// Channels of a least tree that joins the routers `points`, all different. Nothing where that would
/// take more than some ten million steps.
std::optional<std::uint64_t> steiner_length(const Topology& topology, std::span<const NodeId> points);

}  // namespace wormcast
