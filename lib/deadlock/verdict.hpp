// What is asked of the deadlock checker, and what it answers, with the evidence for it.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "deadlock/stage.hpp"
#include "multicast/legs.hpp"
#include "multicast/plan.hpp"
#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

struct Verdict;
struct StoredRoute;
struct RelationWorms;
struct AllowedWorm;
class PlannedWorms;
class ForwardingTables;
/// `complete`: all routes of a segment; else some have been left out.
struct JudgedRoutes {
  const std::vector<StoredRoute>& routes;
  bool complete = true;
};
/// What a verdict is about: routes; tables; a planner's multicasts; worms whose routers choose, and the worms
/// of a witness of these.
using JudgedWorms = std::variant<JudgedRoutes, const ForwardingTables*, const PlannedWorms*,
                                 const RelationWorms*, const std::vector<AllowedWorm>*>;
/// Hears of every answer before it leaves what found it. Throws where the evidence does not prove it: no
/// wrong answer may leave (lib/checks, which what finds answers does not know).
using AnswerCheck = std::function<void(const Topology&, const Verdict&, const JudgedWorms&)>;

struct CheckOptions {
  RouterModel model;
  /// Length of every worm, the model's header flits included; a header of its own makes it longer or shorter.
  /// Empty: as the records say.
  std::optional<std::uint64_t> flits;
  SearchLimits limits;
  std::size_t route_limit = 200'000;  ///< distinct routes it keeps
  bool assumptions = false;           ///< a proof names the rules that it leans on
  bool allocating = false;            ///< the model stands for routers that allocate virtual channels
  AnswerCheck answer_check{};         ///< may be empty

  void check_answer(const Topology& topology, const Verdict& verdict, const JudgedWorms& worms) const {
    if (answer_check) answer_check(topology, verdict, worms);
  }
};

/// Multicasts to plan, to look for a deadlock among them or to hold a proof against them: source,
/// destinations, ascending, and the class of the worm where the way is drawn and this is the one to look at.
using MulticastSet =
    std::set<std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::optional<std::uint32_t>>>;

// Worms whose routers choose, sort by sort: what finds verdicts on them and what checks these begin with.

/// Worms of one sort: the legs of which they consist, and the routing function that joins the legs' ends.
struct RelationTraffic {
  const RoutingFunction* routing = nullptr;
  std::vector<Leg> legs;
  bool routers_choose = true;            ///< virtual channels; false: worms take those of their class
  bool each_from_its_first_leg = false;  ///< only legs that go on from nothing start a worm
  std::uint32_t vc_offset = 0;           ///< added to every virtual channel
};

/// Indices of the two sorts of traffic that verdicts on planners know.
inline constexpr std::uint32_t multicast_sort = 0;
inline constexpr std::uint32_t unicast_sort = 1;

/// A node takes a worm of one sort only while the worm of another sort that answers it can be sent.
struct ProtocolRule {
  std::uint32_t request = unicast_sort;
  std::uint32_t reply = unicast_sort;
};

/// All traffic of such a verdict. `replies`: of what nodes take only while they can send its answer.
struct RelationWorms {
  std::vector<RelationTraffic> sorts;
  std::optional<ProtocolRule> replies{};
};

/// What is said of a planner's worms beside planner, routing functions and routers.
struct RelationScope {
  std::optional<ProtocolRule> depends;
  std::uint32_t unicast_vc = 0;  ///< first virtual channel of the unicasts beside the multicasts

  bool any() const { return depends || unicast_vc != 0; }
};

/// "unicasts:multicasts", request and reply; throws InputError on `field`.
ProtocolRule parse_protocol_rule(std::string_view field, std::string_view text);
std::string write_protocol_rule(const ProtocolRule& rule);

/// Whether requests and replies share what sources have a limited number of, which no numbering speaks of.
inline bool replies_queue_at_sources(const Topology& topology, const RouterModel& model,
                                     const RelationScope& scope) {
  return scope.depends && (model.injection_channels > 0 || topology.hosts_have_links());
}

/// One worm of the stream.
struct WormRef {
  std::uint64_t multicast = 0;
  std::uint32_t worm = 0;

  friend auto operator<=>(const WormRef&, const WormRef&) = default;
};

/// One distinct route: same hops, replication and length.
struct StoredRoute {
  WormRoute route;
  std::uint64_t flits = 0;     ///< with header flits, cut off where longer makes no difference
  std::uint64_t count = 0;     ///< worms of the stream that take it
  std::vector<WormRef> worms;  ///< the first of them
};

/// Of worms of a stream: the worm, and the hop it waits for.
struct WormCause {
  std::uint64_t multicast = 0;
  std::uint32_t worm = 0;  ///< its index in the multicast
  std::int32_t hop = -1;   ///< index in the worm's hops, −1: its injection channel

  friend bool operator==(const WormCause&, const WormCause&) = default;
};
/// Of all multicasts of a planner, and of routes of tables. `next_destination`: the same worm goes on there
/// from the first destination, or branches to it. `service_level`: of tables that choose virtual channels by
/// it, unless any level has the dependency. `vc_class`: of a worm whose way is drawn, the class that says it.
struct LegCause {
  HostId source;
  HostId destination;
  std::optional<HostId> next_destination = std::nullopt;
  std::optional<std::uint8_t> service_level = std::nullopt;
  std::optional<std::uint32_t> vc_class = std::nullopt;

  friend bool operator==(const LegCause&, const LegCause&) = default;
};
/// Of multicast groups of tables.
struct GroupCause {
  std::uint32_t group = 0;                                   ///< index among the groups' names
  std::optional<std::uint8_t> service_level = std::nullopt;  ///< as in LegCause

  friend bool operator==(const GroupCause&, const GroupCause&) = default;
};
/// What brought a dependency first.
using Cause = std::variant<WormCause, LegCause, GroupCause>;

struct Dependency {
  ResourceId from;
  ResourceId to;
  Cause cause;
};

/// "multicast 3, worm 0".
inline std::string worm_name(const WormRef& name) {
  return "multicast " + std::to_string(name.multicast) + ", worm " + std::to_string(name.worm);
}

enum class Answer : std::uint8_t {
  safe,              ///< the dependency graph is acyclic: evidence is a numbering
  safe_unreachable,  ///< it has cycles, but no set of these worms can block itself: exact search
  deadlock,          ///< evidence is a witness
  unknown,           ///< a limit was reached: the shortest dependency cycle is shown
  loop  ///< tables, or routes under cut-through that cannot fill it each once: a cycle in which packets
        ///< sent again and again can wait, until switches drop them
};

inline bool excludes_deadlock(Answer answer) {
  return answer == Answer::safe || answer == Answer::safe_unreachable;
}

/// What is known about the multicasts that a deadlock was shrunk to.
enum class ShrinkProof : std::uint8_t {
  none,     ///< a smaller set may deadlock: a check met its limit
  minimal,  ///< without any one of them there is no deadlock
  smallest  ///< no set of fewer multicasts deadlocks
};

/// A change after which the routes, or all multicasts, are proved free of deadlock.
struct Suggestion {
  std::string change;  ///< "buffers", "virtual-channels-by-dateline", …, or two joined by "+"
  std::uint64_t length_flits = 0, buffer_flits = 0, virtual_channels = 0;  ///< 0: it does not say so
  std::string options{};         ///< that say it: of routers, or, for all multicasts, of check-deadlock
  Answer answer = Answer::safe;  ///< what the check of it says
};

/// The multicast that a worm of a witness belongs to, where no stream says it: it can be planned again.
struct PlannedMulticast {
  HostId source;
  std::vector<HostId> destinations;  ///< ascending
  bool unicast = false;              ///< one of the unicasts beside the planner's multicasts
  /// It stands for itself and, beyond its stop, for the reply that goes there.
  std::optional<HostId> reply_to{};
  std::vector<std::uint32_t> classes{};  ///< of its worms, where their ways are drawn; else empty
};

/// One worm of a witness: its route with the delays that bring it into place.
struct WitnessWorm {
  WormRef name;                    ///< in the stream that was checked
  WormRoute route;                 ///< not_before_cycle set where the order of requests decides
  std::uint64_t length_flits = 0;  ///< enough to be blocked as said
  Cycle start_cycle = 0;
  std::vector<Cycle> start_cycles{};  ///< of a reduction: of each source's part
  /// Hops it keeps for good; −1: the injection channel or host link, −2: what it answers came by.
  std::vector<std::int32_t> holds;
  std::vector<std::int32_t> waits;          ///< hops it never gets; of an answer −1, too
  std::optional<PlannedMulticast> planned;  ///< of all multicasts
  std::optional<std::uint64_t> answers{};   ///< the multicast of the witness that it answers
  bool says_hops = false;  ///< the record says the hops: no plan would, as routers chose them
};

/// When a message of a run starts: of a reduction each source's part.
struct MessageStart {
  std::uint64_t multicast = 0;
  std::vector<Cycle> start_cycles;
};

/// Messages whose flits can come otherwise than they should.
struct Mixture {
  std::vector<std::uint64_t> multicasts;
  std::vector<MessageStart> run;  ///< that shows it; empty: none was found
};

/// Longer than all buffers of any worm: tails stay at their sources.
inline constexpr std::uint64_t long_worm_flits = std::uint64_t{1} << 62;

/// Shown by a numbering where routers choose: all that is offered, or one of it, comes after all that is
/// held.
inline constexpr const char* acyclic_proof = "acyclic";
inline constexpr const char* escape_proof = "escape";

/// Scopes. Causes of tables are a LegCause (source and destination) or a GroupCause (of Verdict::groups).
inline constexpr const char* routes_scope = "routes";
inline constexpr const char* tables_scope = "tables";
inline constexpr const char* program_scope = "program";

// What a verdict shows, each kind for one answer.
/// safe: every dependency goes to a later resource.
struct ByNumbering {
  std::vector<ResourceId> numbering;  ///< of all, or of the escape alone
  std::string proof{};                ///< where routers choose: acyclic_proof or escape_proof
};
/// safe, with reductions: hops (−1: the source) for which several can wait, each for what later ones hold.
struct ByOrder {
  std::vector<WormCause> order;
};
/// safe, of a program: all steps that can wait, each for earlier ones.
struct BySteps {
  std::vector<ProcessSteps> process_order;
};
/// safe_unreachable: everything that the worms can do has been looked at.
struct ByExploring {};
struct Shrunk {
  std::vector<std::uint64_t> multicasts;  ///< that suffice, ascending
  ShrinkProof proof = ShrinkProof::none;
};
/// deadlock: in the order of their starts.
struct ByWitness {
  std::vector<WitnessWorm> witness;
  std::optional<Shrunk> shrunk{};  ///< where asked for
};
struct ByCycle {};  ///< loop: Verdict::cycle
/// unknown: which limit was reached, in words.
struct AtLimit {
  std::string limit;
};
/// deadlock, of a program: what happened in which order; all else happens as soon as it can.
struct ByRun {
  std::vector<ProgramEvent> run;
  std::vector<std::string> standstill;  ///< who then waits for what, a sentence each
};
using Evidence = std::variant<AtLimit, ByNumbering, ByOrder, ByExploring, ByWitness, ByCycle, ByRun, BySteps>;

/// As a record that says the answer alone has it.
inline Evidence evidence_for(Answer answer) {
  const Evidence all[] = {ByNumbering{}, ByExploring{}, ByWitness{}, AtLimit{}, ByCycle{}};
  return all[static_cast<std::size_t>(answer)];
}

/// Of forwarding tables.
struct TableNotes {
  std::string unrouted;  ///< how many pairs of how many do not arrive, the first and why; may be empty
  bool supposes_one_lane = false;   ///< they name no service levels, so all share one virtual channel
  std::vector<std::string> groups;  ///< names of the groups, which causes count
  std::vector<Dependency> graph;    ///< all dependencies, where they are to be listed
};

struct JoinNotes {
  bool reductions = false;  ///< the segment has some
  /// Whose parts can be joined to one, or come to wrong places; whose flits come between each other's.
  std::vector<Mixture> mixed, interleaved;
};

struct Verdict {
  std::string scope;                   ///< what was checked: routes_scope, …
  std::string unicast_routing;         ///< of all multicasts: unicasts by this function are among them
  RelationScope relation;              ///< of all multicasts: what else is said of their worms
  Plan planned_by;                     ///< planner, options and routing, where all routes share them
  RouterModel model;                   ///< under which rules
  std::optional<std::uint64_t> flits;  ///< of every worm, as in CheckOptions
  std::uint64_t multicasts = 0;
  std::uint64_t worms = 0;
  std::uint64_t distinct_routes = 0;
  std::uint64_t resources = 0;  ///< taken by any worm
  std::uint64_t dependencies = 0;
  std::uint64_t looked_at = 0;  ///< partial sets the search tried
  std::uint64_t unrouted = 0;   ///< pairs of hosts whose route does not arrive, or is left out
  Evidence evidence;
  /// All but safe: a shortest dependency cycle; of tables perhaps one for each level that a message may have.
  std::vector<Dependency> cycle;
  std::vector<Routes> replayed;  ///< with reductions, of routers that allocate, of a program: what shows it
  std::optional<Program> program;
  JoinNotes joins;
  TableNotes tables;
  std::optional<std::vector<Suggestion>> suggestions;  ///< where asked for: the smallest change first
  std::vector<std::string> unsettled;                  ///< changes whose checks met a limit, and which
  std::vector<std::string> rests_on;  ///< of a proof, where asked for: rules without which it does not hold
  std::string explanation;            ///< in words, where asked for
  std::string extras;                 ///< the record's x_ members

  Answer answer() const {
    constexpr Answer answers[] = {Answer::unknown,  Answer::safe, Answer::safe,     Answer::safe_unreachable,
                                  Answer::deadlock, Answer::loop, Answer::deadlock, Answer::safe};
    return answers[evidence.index()];
  }
  /// A member of the evidence; of one of another kind as if there were none of it.
  template <class Kind, class Member>
  const Member& shown(Member Kind::*member) const {
    static const Kind none{};
    const Kind* const kind = std::get_if<Kind>(&evidence);
    return (kind != nullptr ? *kind : none).*member;
  }
  const std::vector<ResourceId>& numbering() const { return shown(&ByNumbering::numbering); }
  const std::string& proof() const { return shown(&ByNumbering::proof); }
  const std::vector<WormCause>& order() const { return shown(&ByOrder::order); }
  const std::vector<WitnessWorm>& witness() const { return shown(&ByWitness::witness); }
  const std::optional<Shrunk>& shrunk() const { return shown(&ByWitness::shrunk); }
  const std::string& limit() const { return shown(&AtLimit::limit); }
};

/// Names of answers and of proofs that sets are small, in the order of Answer and ShrinkProof.
inline constexpr std::array<std::string_view, 5> answer_words = {"safe", "safe-unreachable", "deadlock",
                                                                 "unknown", "loop"};
inline constexpr std::array<std::string_view, 3> proof_words = {"none", "minimal", "smallest"};
inline const char* answer_name(Answer answer) {
  return answer_words[static_cast<std::size_t>(answer)].data();
}

/// The cycles of Verdict::cycle of tables one by one, each up to where it closes.
std::vector<std::span<const Dependency>> cycles_of(std::span<const Dependency> all);

inline bool speaks_of_tables(const Verdict& verdict) { return verdict.scope == tables_scope; }
/// True for a verdict whose scope is a planner's multicasts, not a stream's.
inline bool speaks_of_planner(const Verdict& verdict) {
  return verdict.scope.starts_with("all multicasts of ") || verdict.scope.starts_with("all reductions of ");
}

/// How long the worms are: as records say; all as is stated; longer than any path; a buffer (cut-through).
enum class WormLength : std::uint8_t { recorded, stated, any, fits };
/// Of what is checked, or was.
template <class Of>
WormLength length_of(const Of& of) {
  if (of.model.cut_through) return WormLength::fits;
  if (of.flits == long_worm_flits) return WormLength::any;
  return of.flits ? WormLength::stated : WormLength::recorded;
}

/// Flits of a worm as checks take it: as its record says, or what `every` makes of it (Verdict::flits).
inline std::uint64_t checked_flits(const WormRoute& worm, const Request& request,
                                   std::optional<std::uint64_t> every, const RouterModel& model) {
  return every ? worm.flits_where_all_have(*every, model.header_flits)
               : worm.flits(request.length_flits, model.header_flits);
}

/// "channel 4→5 (VC 1)", "a consumption channel of node 3", …, by names and ports where there are any.
std::string describe_resource(const Topology& topology, const Resource& resource);
/// "HCA-1 to HCA-7", "group 0xC001", "multicast 3, worm 0".
std::string cause_in_words(const Verdict& verdict, const Topology& topology, const Cause& cause);

/// What was found, and what to do about it.
std::string explain(const Verdict& verdict, const Topology& topology);

}  // namespace wormcast
