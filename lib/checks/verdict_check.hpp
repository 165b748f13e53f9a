// Verdicts on a stream's routes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checks/certificate_check.hpp"
#include "checks/checked_verdict.hpp"
#include "checks/numbering_check.hpp"
#include "checks/plain_worm.hpp"
#include "checks/witness_runs.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/reply_tracker.hpp"
#include "multicast/routes.hpp"
#include "programs/program.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Takes the routes of the verdict's segment one multicast at a time. Memory: for `safe` that of the
/// numbering (with atomic allocation of the routes), else that of the worms named and of what waits for what.
class VerdictCheck {
 public:
  /// `state_limit`: states looked at where only an exploration can tell.
  VerdictCheck(const Topology& topology, const Verdict& verdict, std::uint64_t state_limit);

  void add(const Routes& routes);
  CheckedVerdict finish();
  /// Checks the witness alone, whatever else there is.
  CheckedVerdict finish_witness();

 private:
  struct NamedMulticast {
    Request request;
    std::vector<WormRoute> worms;
  };

  void take(const Routes& routes);
  std::uint64_t flits(const Request& request, const WormRoute& worm) const;
  void number(const Routes& routes);
  std::string refuse_dependencies() const;
  std::string refuse_deadlock();
  /// Gives the witness's worms their routes.
  std::string find_witness();
  std::string find_answers() const;
  std::string refuse_shrunk() const;
  CheckedVerdict check_witness() const;
  CheckedVerdict check_unreachable() const;

  const Topology& topology_;
  Verdict verdict_;
  std::uint64_t state_limit_;
  NumberingCheck numbering_;
  JointRequests joint_;
  std::string fault_;  ///< first violation met while routes came
  SharedPlanner planner_;
  std::uint64_t multicasts_ = 0;
  std::uint64_t worms_ = 0;
  std::vector<Routes> kept_;                       ///< all, where one pass does not do
  std::map<std::uint64_t, NamedMulticast> named_;  ///< those the evidence names, by id
  WitnessArrivals arrivals_;
  std::optional<ReplyTracker> answers_;         ///< where nodes are busy until they have answered
  std::map<std::uint64_t, Answered> answered_;  ///< by the answer, of those that the witness names
};

/// Of a program. Deadlock: the run is made flit by flit, and at its end nothing can go on. safe-unreachable:
/// all orders of grants are tried again, at most `state_limit` states.
CheckedVerdict check_program_verdict(const Topology& topology, const BoundProgram& program,
                                     const Verdict& verdict, std::uint64_t state_limit);

}  // namespace wormcast
