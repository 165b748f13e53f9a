// Independent checks of verdicts and their certificates. They share with graph, search and relations only
// which worms there are (PlannedWorms, JoinedWorms) and the rules of routers: what a worm may hold and
// request, how flits move, which parts join. Everything else is worked out again from the routes, by the
// plainest means. What finds a verdict may ask them before it answers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/verdict.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/reply_tracker.hpp"
#include "multicast/routes.hpp"
#include "router/plain_worm.hpp"
#include "router/router_model.hpp"
#include "routing/forwarding_tables.hpp"
#include "routing/routing_function.hpp"
#include "topology/ids.hpp"
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

/// A numbering: no worm may hold a resource while it waits for an earlier one. Takes worms one at a time.
/// Where nodes ask for outputs in one request, ask_together() must see all worms first.
class NumberingCheck {
 public:
  NumberingCheck(const Topology& topology, const RouterModel& model,
                 const std::vector<ResourceId>& numbering);

  /// What is wrong with the numbering by itself; "" if nothing.
  const std::string& fault() const { return fault_; }
  /// Notes which resources an atomic worm asks for together: what waits for one of them, waits for all.
  void ask_together(const WormRoute& route, std::uint64_t flits);
  void ask_together(ResourceId one, ResourceId other);
  /// What the worm can hold and wait for against the numbering; "" if nothing.
  std::string refuse(const WormRoute& route, std::uint64_t flits);
  /// Refuses a resource that is held while another is waited for.
  std::string refuse(ResourceId held, ResourceId wanted);
  /// True only where refuse() has nothing against it: the quick answer where nothing is asked for together.
  bool allows(ResourceId held, ResourceId wanted) const {
    return joint_.none() && number(held) != none &&
           (number(held) < number(wanted) || (held != wanted && same_ring(held, wanted)));
  }
  /// Refuses a resource that has no number.
  std::string refuse_unnumbered(ResourceId resource) const;

 private:
  using Number = std::uint32_t;      ///< resources have ids of 32 bits
  static constexpr Number none = 0;  ///< numbers count from 1

  Number number(ResourceId resource) const {
    return resource.value >= number_.size() ? none : (by_rings_ ? ring_number_ : number_)[resource.value];
  }
  /// The smallest number among all that is waited for together with the resource.
  Number awaited(ResourceId resource) const {
    const Number own = number(resource);
    return own == none || joint_.none() ? own : group_number_[joint_.group(resource).value];
  }
  /// Both are of one ring that bubbles keep from filling, and that nothing is numbered between.
  bool same_ring(ResourceId held, ResourceId wanted) const {
    return !rings_.empty() && ring_number_[held.value] == ring_number_[wanted.value] &&
           rings_.contains(ring_number_[held.value]);
  }
  bool rises(Number held, Number wanted) const {
    return held < wanted || (by_rings_ && held == wanted && rings_.contains(held));
  }
  void number_rings(const std::vector<ResourceId>& numbering);
  void number_groups();
  void take_numbers(const PlainWorm& worm);
  bool path_rises(const PlainWorm& worm) const;
  bool tree_rises(const PlainWorm& worm);
  std::string name_violation(const PlainWorm& worm) const;

  const Topology& topology_;
  RouterModel model_;
  Resources resources_;
  std::string fault_;
  std::vector<Number> number_;       ///< by resource
  std::vector<Number> ring_number_;  ///< the same, those of a ring having that of the first
  std::set<Number> rings_;           ///< which
  bool by_rings_ = false;            ///< these count
  bool needs_rings_ = false;         ///< some worm's numbers rise only so
  std::set<std::uint64_t> lengths_;  ///< of worms, where rings are entered by bubbles
  JointRequests joint_;
  std::vector<Number> group_number_;  ///< smallest, by resource that stands for its group
  // By position of the worm at hand.
  std::vector<Number> held_;    ///< largest number there
  std::vector<Number> wanted_;  ///< smallest awaited there; the largest possible where no other worm waits
};

// Which worms of a witness must have reached a node before others of it can have started. A worm starts when
// the worm it is `after` has arrived at its source, the first worms of a multicast when all that it depends
// on have. From each worm of the witness all arrivals that it needs are followed back; where one of them is
// another worm's of the witness, that must have left the network there, though it is blocked elsewhere, and
// it must have come to stand so before.

/// What a witness's worm is granted when it is refused only what it waits for, and keeps of that.
struct AtRest {
  /// `claim` must outlive this. `behind`: it may stand in a FIFO behind another worm.
  AtRest(const Topology& topology, const RouterModel& model, const WitnessWorm& claim, bool behind = true);
  /// True if its tail has left the network at `host`.
  bool has_arrived(HostId host) const;

  const WormRoute& route;
  std::uint64_t flits;  ///< header flits included
  PlainWorm worm;
  std::vector<bool> granted;  ///< by position
  PlainWorm::Rest rest;
};

class WitnessArrivals {
 public:
  /// Notes what waits for what in a multicast of the segment. Memory: a few words a hop of those with waits.
  void add(const Routes& routes);

  struct Order {
    std::string fault;                                ///< a worm waits for another to arrive that is blocked
    std::vector<std::vector<std::uint32_t>> earlier;  ///< by worm: those that came to stand before it started
    bool through_others = false;                      ///< a worm that is not named runs between two of them

    /// True if the worms stand in such an order, and nothing has to run between them.
    bool as_listed() const;
    bool any() const;
  };
  /// `at_rest` are the worms of `witness`, in its order.
  Order order(const std::vector<WitnessWorm>& witness, const std::vector<AtRest>& at_rest) const;

 private:
  struct Relations {
    HostId source;
    std::vector<std::uint64_t> depends_on;
    std::vector<std::int32_t> after;                        ///< by worm
    std::vector<HostId> sources;                            ///< by worm
    std::vector<std::pair<HostId, std::uint32_t>> arrives;  ///< at which nodes, which worms
  };
  using Arrival = std::pair<WormRef, HostId>;

  std::vector<Arrival> needed(const WormRef& worm, const std::vector<WitnessWorm>& witness) const;

  std::map<std::uint64_t, Relations> relations_;  ///< by id
};

// What verdicts say of reductions: the order in which worms wait for each other, cycles of it, and what runs
// show.

/// Why the order does not prove that nothing stands still; empty: it does.
std::string refuse_join_order(const JoinedWorms& worms, const std::vector<WormCause>& order);
/// Why no worm waits so; an empty cycle is none where the order would not prove anything.
std::string refuse_join_cycle(const JoinedWorms& worms, const std::vector<Dependency>& cycle);

// Worms run flit by flit by the plain rules of routers (deadlock/plain, which the search's exploration asks,
// too), in a given order of starts or all orders of requests: checks of witnesses and unreachable deadlocks.

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

/// Messages by their ids, as Summary has them.
using MessageSets = std::set<std::vector<std::uint64_t>>;
/// What a run of the simulator shows.
struct SimulatedJoins {
  bool stands_still = false;
  std::vector<WitnessWorm> witness;  ///< if it does
  MessageSets mixed, interleaved;
};
/// Runs messages with these starts, of a reduction those of its parts.
using SimulateJoins =
    std::function<SimulatedJoins(const std::vector<Routes>&, const std::vector<std::vector<Cycle>>&)>;

/// Of a segment with reductions: all but the witness. `counted`: its messages, worms, planner and model.
CheckedVerdict check_joined_verdict(const Topology& topology, const Verdict& verdict, const Verdict& counted,
                                    const std::vector<Routes>& messages, std::uint64_t state_limit,
                                    const SimulateJoins& simulate);
/// Whether the simulator stands still with the witness, and as it says.
CheckedVerdict check_joined_witness(const Verdict& verdict, const std::vector<Routes>& messages,
                                    const SimulateJoins& simulate);

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

/// `unicast`: of the unicasts among them, or null. Uses no code of deadlock/relations.
CheckedVerdict check_relation_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                      const Verdict& verdict);

/// The same of worms of a segment.
CheckedVerdict check_segment_verdict(const Topology& topology, const Verdict& verdict,
                                     const SegmentWorms& worms);

/// `verdict` speaks of tables; these are on a network of family graph. Numbers of resources and dependencies,
/// and listed dependencies, are left alone. Cost: O((switches + hosts) · hosts) steps.
CheckedVerdict check_table_verdict(const ForwardingTables& tables, const Verdict& verdict);

}  // namespace wormcast
