// Verdicts as certificates for the checker that is proved in Coq: lines of integers (tests/proof).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One certificate in parts: of a segment of routes, or of a verdict on a planner.
class PlainCertificate {
 public:
  /// `flits`: as in CheckOptions. Throws InputError for routers that the proofs do not cover.
  PlainCertificate(const Topology& topology, const RouterModel& model, std::optional<std::uint64_t> flits);

  std::string worms_of(const Routes& routes);
  /// The rest. Throws InputError where the answer has no proof of this kind.
  std::string finish(const Verdict& verdict);

 private:
  const Topology& topology_;
  RouterModel model_;
  std::optional<std::uint64_t> flits_;
  std::uint64_t lines_ = 0;
  bool ordered_ = false;  ///< some worm starts only when another has arrived
};

}  // namespace wormcast
