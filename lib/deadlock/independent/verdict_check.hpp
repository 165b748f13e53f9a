// Checks a verdict against the routes it speaks of. Shares no code with graph, footprints or search.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/independent/numbering_check.hpp"
#include "deadlock/independent/segment_worms.hpp"
#include "deadlock/independent/witness_arrivals.hpp"
#include "deadlock/plain/joint_requests.hpp"
#include "deadlock/plain/plain_worm.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/reply_tracker.hpp"
#include "multicast/routes.hpp"
#include "routing/forwarding_tables.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

// Worms run flit by flit by the plain rules of routers (deadlock/plain, which the search's exploration asks,
// too): in a given order of starts, or in all orders of requests. Witnesses, and deadlocks that are said to
// be unreachable, are checked by it.

/// True if worms that start one after the other, each when those before have come to rest, and that make the
/// requests of their hops in `late` (by worm) only when all are in place, stand still for good.
bool stands_still_in_turn(const Topology& topology, const RouterModel& model,
                          const std::vector<ExploredWorm>& worms,
                          const std::vector<std::vector<std::int32_t>>& late);

struct AllOrders {
  bool deadlock = false;   ///< some order of requests ends in one
  bool exhausted = false;  ///< every order has been followed to its end
};

/// Follows every order of requests, until one ends in a deadlock or `limit` states have been looked at.
AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit);

struct CheckedVerdict {
  enum class Outcome : std::uint8_t {
    holds,
    refused,   ///< the evidence does not prove the answer
    undecided  ///< there is no evidence to check, or a limit was reached
  };
  Outcome outcome = Outcome::holds;
  std::string reason;  ///< the first violation, or what is missing
};
CheckedVerdict refused(std::string reason);
CheckedVerdict undecided(std::string reason);

/// "the verdict speaks of 2 worms, there are 3"; empty where it is right.
std::string refuse_count(const char* what, std::uint64_t said, std::uint64_t found);
/// What the verdict says of its planner, options and routing that is not what all routes have in common.
std::string refuse_planner(const Verdict& verdict, const Plan& common);

/// Takes the routes of the verdict's segment one multicast at a time. Memory: for `safe` that of the
/// numbering (with atomic allocation of the routes), otherwise that of the worms named in the evidence and of
/// what waits for what.
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
  std::string refuse_counts() const;
  void number(const Routes& routes);
  std::string refuse_safe();
  std::string refuse_dependencies() const;
  std::string refuse_deadlock();
  /// Gives the witness's worms their routes.
  std::string find_witness();
  std::string find_answers() const;
  std::string refuse_shrunk() const;
  std::vector<AtRest> at_rest() const;
  void take_order(std::uint32_t w, const std::vector<std::uint32_t>& earlier,
                  std::vector<ExploredWorm>& worms) const;
  CheckedVerdict check_reachable() const;
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

/// safe: no leg, stop or split lets a worm hold what does not come before what it waits for. Others: every
/// dependency of the cycle is one of these; deadlock: the multicasts of the witness are planned again, and
/// their worms can come to stand so. `allocating`: the model stands for routers that allocate virtual
/// channels. Throws InputError for planners and options that do not exist.
CheckedVerdict check_planner_verdict(const Topology& topology, const Verdict& verdict,
                                     std::uint64_t state_limit, bool allocating = false);

/// `unicast`: of the unicasts among them, or null. Shares no code with deadlock/relations.
CheckedVerdict check_relation_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                      const Verdict& verdict);

/// The same of worms of a segment.
CheckedVerdict check_segment_verdict(const Topology& topology, const Verdict& verdict,
                                     const SegmentWorms& worms);

/// `verdict` speaks of tables; these are on a network of family graph. Numbers of resources and dependencies,
/// and listed dependencies, are left alone. Cost: O((switches + hosts) · hosts) steps.
CheckedVerdict check_table_verdict(const ForwardingTables& tables, const Verdict& verdict);

}  // namespace wormcast
