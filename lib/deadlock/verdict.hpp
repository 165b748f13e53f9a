// What the deadlock checker answers, with the evidence for it.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deadlock/dependency.hpp"
#include "deadlock/relation_scope.hpp"
#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "topology/ids.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

enum class Answer : std::uint8_t {
  safe,              ///< the dependency graph is acyclic: evidence is a numbering
  safe_unreachable,  ///< it has cycles, but no set of these worms can block itself: exact search
  deadlock,          ///< evidence is a witness
  unknown,           ///< a limit was reached: the shortest dependency cycle is shown
  loop  ///< tables, or routes under cut-through that cannot fill it each once: a circle in which packets
        ///< sent again and again can wait, until switches drop them: evidence is the circle
};

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

/// The multicast that a worm of a witness belongs to, where no stream says it: anybody can plan it again.
struct PlannedMulticast {
  HostId source;
  std::vector<HostId> destinations;  ///< ascending
  bool unicast = false;              ///< one of the unicasts beside the planner's multicasts
  std::optional<HostId>
      reply_to{};  ///< it stands for itself and, beyond its stop, for the reply that goes there
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

/// What a numbering shows of worms whose routers choose: that all they are offered, or that one of it, comes
/// after all that they can hold.
inline constexpr const char* acyclic_proof = "acyclic";
inline constexpr const char* escape_proof = "escape";

/// Scope of verdicts on the routes of a segment, and on forwarding tables. The causes of those are a
/// LegCause, a route's source and destination, or a GroupCause, an index in Verdict::groups.
inline constexpr const char* routes_scope = "routes";
inline constexpr const char* tables_scope = "tables";

struct Verdict {
  std::string scope;                   ///< what was checked: routes_scope, …
  std::string unicast_routing;         ///< of all multicasts: unicasts by this function are among them
  RelationScope relation;              ///< of all multicasts: what else is said of their worms
  Plan planned_by;                     ///< planner, options and routing, where all routes share them
  RouterModel model;                   ///< under which rules
  std::optional<std::uint64_t> flits;  ///< of every worm, as in CheckOptions
  Answer answer = Answer::unknown;
  std::uint64_t multicasts = 0;
  std::uint64_t worms = 0;
  std::uint64_t distinct_routes = 0;
  std::uint64_t resources = 0;  ///< taken by any worm
  std::uint64_t dependencies = 0;
  std::uint64_t looked_at = 0;        ///< partial sets the search tried
  std::string proof;                  ///< safe, where routers choose: acyclic_proof or escape_proof
  std::vector<ResourceId> numbering;  ///< safe: every dependency goes to a later one; or of the escape alone
  /// Of segments with reductions, safe: hops of worms, or −1 for the source, for which several can wait, so
  /// that each waits for what is held in later ones.
  std::vector<WormCause> order;
  bool reductions = false;  ///< the segment has some
  /// Of segments with reductions: whose parts can be joined to one, or come where they do not belong; of
  /// which flits come between each other's.
  std::vector<Mixture> mixed, interleaved;
  std::vector<WitnessWorm> witness;   ///< deadlock: in the order of their starts
  std::vector<Routes> replayed;       ///< with reductions: what the witness says, as a stream
  std::vector<std::uint64_t> shrunk;  ///< deadlock, where asked for: multicasts that suffice, ascending
  ShrinkProof shrunk_proof = ShrinkProof::none;
  std::optional<std::vector<Suggestion>> suggestions;  ///< where asked for: the smallest change first
  std::vector<std::string> unsettled;                  ///< changes whose checks met a limit, and which
  std::vector<Dependency> cycle;                       ///< all but safe: a shortest dependency cycle
  std::uint64_t unrouted = 0;                          ///< tables: pairs of hosts whose route does not arrive
  std::string unrouted_in_words;    ///< how many of how many, the first and why; may be empty
  bool supposes_one_lane = false;   ///< tables: they name no service levels, so all share one virtual channel
  std::vector<std::string> groups;  ///< tables: names of the groups, which causes count
  std::vector<Dependency> graph;    ///< all dependencies, where they are to be listed
  std::string limit;                ///< unknown: which limit was reached, in words
  std::vector<std::string> rests_on;  ///< of a proof, where asked for: rules without which it does not hold
  std::string explanation;            ///< in words, where asked for
  std::string extras;                 ///< the record's x_ members
};

/// Names of answers and of proofs that sets are small, in the order of Answer and ShrinkProof.
inline constexpr std::array<std::string_view, 5> answer_words = {"safe", "safe-unreachable", "deadlock",
                                                                 "unknown", "loop"};
inline constexpr std::array<std::string_view, 3> proof_words = {"none", "minimal", "smallest"};
inline const char* answer_name(Answer answer) {
  return answer_words[static_cast<std::size_t>(answer)].data();
}

inline bool speaks_of_tables(const Verdict& verdict) { return verdict.scope == tables_scope; }
/// True for a verdict whose scope is a planner's multicasts, not a stream's.
inline bool speaks_of_planner(const Verdict& verdict) {
  return verdict.scope.starts_with("all multicasts of ") || verdict.scope.starts_with("all reductions of ");
}

/// Flits of a worm as checks take it: as its record says, or what `every` makes of it (Verdict::flits).
inline std::uint64_t checked_flits(const WormRoute& worm, const Request& request,
                                   std::optional<std::uint64_t> every, const RouterModel& model) {
  return every ? worm.flits_where_all_have(*every, model.header_flits)
               : worm.flits(request.length_flits, model.header_flits);
}

/// "channel 4→5 (VC 1)", "a consumption channel of node 3", …, by names and ports where there are any.
std::string describe_resource(const Topology& topology, const Resource& resource);

/// What was found, and what to do about it.
std::string explain(const Verdict& verdict, const Topology& topology);

}  // namespace wormcast
