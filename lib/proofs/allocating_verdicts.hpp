// Verdicts on routers that allocate virtual channels (allocates()): what is proved in their place, and
// deadlocks that such routers have been seen to run into.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "router/router_rules.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The routers of which it is decided in place of allocating ones: they take the virtual channels of the
/// routes, or any that an adaptive function offers, and copy flit by flit, or serially. Of others the same.
RouterModel stand_in(const RouterModel& model);

/// The same of what is checked.
CheckOptions on_stand_in(CheckOptions options, const Topology& topology);

/// What a verdict on the stand-in says of allocating routers.
class AllocatingVerdict {
 public:
  AllocatingVerdict(const RouterModel& model, const Topology& topology)
      : model_(model), allocates_(allocates(model, topology)) {}

  /// Keeps what is safe, and a deadlock that allocating routers run into; unknown otherwise. Of routers that
  /// allocate nothing the verdict as it is. `of`: as run() has it.
  template <class... Of>
  Verdict settle(Verdict verdict, const Of&... of) const {
    if (!allocates_) return verdict;
    Runs runs = verdict.answer() == Answer::deadlock ? run(verdict, of...) : Runs{};
    return say(std::move(verdict), std::move(runs));
  }

  struct Runs {
    std::vector<Routes> deadlock;  ///< the stream that ended in one
    std::string tried;             ///< in words, after "not"; "": there was none
    bool too_long = false;         ///< some were left out, as they would have had too many flits
  };
  /// Whether allocating routers run into a deadlock with the worms of the verdict, which is on a stream's
  /// routes or on all multicasts of a planner.
  Runs run(const Verdict& verdict, const Topology& topology, const std::vector<Routes>& stream) const;
  Runs run(const Verdict& verdict, const BoundPlanner& planner, const RoutingFunction* unicast) const;

 private:
  Verdict say(Verdict verdict, Runs runs) const;
  /// Notes in `runs` what came of it.
  bool deadlocks(const Topology& topology, std::vector<Routes> routes, Runs& runs) const;

  RouterModel model_;
  bool allocates_;
};

}  // namespace wormcast
