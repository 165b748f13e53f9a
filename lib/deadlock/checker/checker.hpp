// The deadlock checker: routes, tables or a planner in; a verdict out, and what to change if it is not safe.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/search/search.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "router/router_parameters.hpp"
#include "router/worm_footprint.hpp"
#include "routing/forwarding_tables.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Worms of a stream with answers up to which all is kept to name what its proof leans on.
inline constexpr std::size_t most_kept_worms = 50'000;

/// Checks the worms of one segment, taken as concurrently active in any order and at any time, each
/// once. The topology must outlive it.
class DeadlockChecker {
 public:
  DeadlockChecker(const Topology& topology, const CheckOptions& options);

  /// Throws InputError where a worm takes one resource twice.
  void add(const Routes& routes);
  /// The verdict on everything added so far, once CheckOptions::answer_check has heard of it.
  Verdict verdict() const;

 private:
  void refuse_resources_taken_twice(const Footprint& footprint, std::uint32_t worm);
  void keep(const Routes& routes);
  std::vector<std::string> assumptions(Answer answer) const;
  Verdict judge() const;

  const Topology& topology_;
  CheckOptions options_;
  Resources resources_;
  DependencyGraph graph_;
  RouteStore store_;
  std::optional<ReplyTracker> answers_;  ///< where nodes are busy until they have answered
  // To name what a proof with answers leans on:
  std::vector<Routes> kept_;
  std::size_t kept_worms_ = 0;
  bool any_answers_ = false;
  std::set<std::uint64_t> lengths_;  ///< of worms that take channels, where rings are entered by bubbles
  std::uint64_t multicasts_ = 0;
  std::uint64_t worms_ = 0;
  std::vector<std::uint64_t> taken_by_;  ///< by resource: the last worm that takes it, as worms_ counts
};

/// The verdict on these alone.
Verdict check_routes(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& all);

/// A rule of the routers that a proof may lean on, and what is checked without it.
struct Assumption {
  std::string name;        ///< as an option: "consumption-channels per-input"
  CheckOptions without;    ///< the weaker router: one consumption channel for each node, …
  RelationScope relation;  ///< of all multicasts: the same, or unicasts on the multicasts' virtual channels
};

/// What is said of the worms beside the routers.
struct AssumptionScope {
  bool answers = false;  ///< nodes answer multicasts, whether or not they are busy until they have
  RelationScope relation;
};

/// Of all that a proof under these options could lean on, the likeliest to be wrong of a router first, the
/// names of those without which `proved` no longer says that there is no deadlock. Of one without which the
/// same worms are refused (`proved` throws InputError) nothing is said.
std::vector<std::string> assumptions_of(const Topology& topology, const CheckOptions& options,
                                        const AssumptionScope& scope,
                                        const std::function<bool(const Assumption&)>& proved);

/// Every source and destination set on the planner's topology, any number at once, of any length;
/// `unicast`: together with unicasts between all pairs by that routing function (null: without).
/// Throws InputError where the planner does not say what it can produce, and for a length beside headers
/// whose length depends on the multicast.
/// Where routers choose, or `relation` says something, it is check_all_relations() that answers.
Verdict check_all_multicasts(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options, const RelationScope& relation = {});

/// `verdict`, a deadlock of these routes, with the witness of a smallest or minimal set in place of its
/// own, and `shrunk` filled in. `subset_limit`: subsets looked at to show that no smaller one deadlocks.
Verdict shrink(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& routes,
               Verdict verdict, std::uint64_t subset_limit);

/// Looks among sets that are drawn for a deadlock of multicasts on routes of their own together with unicasts
/// whose routers choose; puts it into `result`.
void find_mixed_deadlock(const BoundPlanner& planner, const RoutingFunction& unicast,
                         const CheckOptions& options, Verdict& result);

// What to change so that a failing set can be proved free of deadlock.

/// The check of a change looks at a fiftieth of the sets and states of others.
inline SearchLimits suggestion_limits(const SearchLimits& limits) {
  return {std::max<std::uint64_t>(1, limits.partial_sets / 50),
          std::max<std::uint64_t>(1, limits.states / 50)};
}

/// One change of the list, or two of them joined by "+".
struct SuggestionTrial {
  enum class Outcome : std::uint8_t { begins, suggested, left_out, limit };
  std::string change;
  Outcome outcome = Outcome::begins;
};
/// Hears of each change, before it is tried and after; may be empty.
using TrialListener = std::function<void(const SuggestionTrial&)>;

/// Options of routers that make the one out of the other.
std::string options_between(const RouterModel& from, const RouterModel& to);

inline void add_options(Suggestion& said, const std::string& more) {
  said.options += (said.options.empty() || more.empty() ? "" : " ") + more;
}

/// The answer if it excludes a deadlock. Of routers that allocate virtual channels only `safe` says anything.
std::optional<Answer> excluding(Answer answer, bool allocating, bool& met_limit);

/// Adds what `suggest_all` finds to the verdict, and in words what could not be settled.
void add_suggestions(Verdict& verdict, const SearchLimits& limits, const TrialListener& tell,
                     const std::function<std::vector<Suggestion>(const TrialListener&)>& suggest_all);

/// Every change of a fixed list, from the smallest to the largest, after which the routes are proved free
/// of deadlock by a check of their own; where none but path reservation is, each two changes.
std::vector<Suggestion> suggest(const Topology& topology, const CheckOptions& options,
                                const std::vector<Routes>& routes, const TrialListener& tell = {});

/// The routes after a change that suggest() names. Throws InputError where it names none, or nothing changes.
std::vector<Routes> changed_routes(const Topology& topology, const CheckOptions& options,
                                   const std::vector<Routes>& routes, std::string_view change);

/// The multicasts with each message longer than `most` flits (without header flits) sent in parts of at most
/// as many, each by the same routes and at any time; nothing if that makes too many worms to look at.
std::optional<std::vector<Routes>> in_parts(const std::vector<Routes>& routes, std::uint64_t most);

/// The largest limit that was found with which `proved` says that the parts cannot deadlock; nothing where
/// one flit is too long. Limits between those that were tried are not looked at.
std::optional<std::uint64_t> longest_safe_message(
    const std::vector<Routes>& routes, const std::function<bool(const std::vector<Routes>&)>& proved);

/// More than this is not tried.
inline constexpr std::uint32_t most_virtual_channels = 16;

struct LayeredRoutes {
  std::vector<Routes> routes;
  std::uint32_t virtual_channels = 0;  ///< that they use in all
};

/// A worm goes to the next set of virtual channels whenever it crosses a dateline: a dependency that does
/// not go forward in one order of all resources. Nothing where more than most_virtual_channels are needed.
std::optional<LayeredRoutes> channels_by_dateline(const Topology& topology, const CheckOptions& options,
                                                  const std::vector<Routes>& routes);

/// Every worm stays in one class of virtual channels, the first in which it closes no cycle. Nothing where
/// a worm closes one by itself or more than most_virtual_channels are needed.
std::optional<LayeredRoutes> channels_by_class(const Topology& topology, const CheckOptions& options,
                                               const std::vector<Routes>& routes);

/// A planner with all its multicasts, beside all unicasts of a routing function or ("") without.
struct PlannerQuestion {
  const Topology& topology;
  PlannerChoice choice;  ///< `routing`: that of its stops; empty: its default
  std::string unicast;
  CheckOptions options;
  RelationScope relation;
};

/// Every change of a fixed list, from what is configured to what costs buffers or time, after which
/// check_all_multicasts() excludes a deadlock; each with the options of check-deadlock that say so.
std::vector<Suggestion> suggest(const PlannerQuestion& asked, const TrialListener& tell = {});

/// Every worm ends at its first stop, where another begins after its arrival: at destinations, and where a
/// tree branches (the node there only sends on). Direct networks. Nothing where no worm is cut.
std::optional<std::vector<Routes>> split_at_stops(const Topology& topology,
                                                  const std::vector<Routes>& routes);

/// A way to change what is checked. A Subject's `said` has the numbers and options that have led to it, and
/// its proved(met_limit) answers where a deadlock is excluded.
template <class Subject>
struct Change {
  const char* name;
  std::vector<Subject> (*made)(const Subject&);  ///< nothing where it does not apply
  bool searches = false;     ///< it checks what it makes, so that of two changes it is made last
  bool last_resort = false;  ///< a network of another kind: two other changes are tried before it
};

/// The same subject, its routers changed by `set`.
template <class Subject, class Set>
std::vector<Subject> with_routers(const Subject& before, Set set) {
  Subject result = before;
  set(result.options.model);
  add_options(result.said, options_between(before.options.model, result.options.model));
  return {std::move(result)};
}

/// The same, its routers of another discipline.
template <class Subject>
std::vector<Subject> with_routers(const Subject& before, const Discipline& discipline) {
  return with_routers(before, [&](RouterModel& model) { model = with_discipline(model, discipline); });
}

/// The same with buffers of at least so many flits.
template <class Subject>
std::vector<Subject> with_buffers(const Subject& before, std::uint64_t flits) {
  std::vector<Subject> result = with_routers(before, [&](RouterModel& model) {
    model.buffer_flits = std::max(model.buffer_flits, static_cast<std::uint32_t>(flits));
  });
  result.front().said.buffer_flits = result.front().options.model.buffer_flits;
  return result;
}

template <class Subject>
std::vector<Subject> own_consumption_channels(const Subject& before) {
  if (before.options.model.consumption_channels == 0 || before.topology.hosts_have_links()) return {};
  return with_routers(before, [](RouterModel& model) { model.consumption_channels = 0; });
}

/// Each change that excludes a deadlock; where none but a last resort does, each two that do together.
template <class Subject>
std::vector<Suggestion> try_changes(std::span<const Change<Subject>> changes, const Subject& start,
                                    const TrialListener& tell) {
  using Came = SuggestionTrial::Outcome;
  std::vector<Suggestion> result;
  const auto attempt = [&](const std::string& name, const Change<Subject>* first,
                           const Change<Subject>& second) {
    if (tell) tell({name, Came::begins});
    bool met_limit = false;
    const std::size_t before = result.size();
    for (const Subject& subject : first != nullptr ? first->made(start) : std::vector<Subject>{start})
      for (Subject& changed : second.made(subject)) {
        const std::optional<Answer> answer = changed.proved(met_limit);
        if (!answer) continue;
        changed.said.change = name;
        changed.said.answer = *answer;
        result.push_back(std::move(changed.said));
      }
    const Came otherwise = met_limit && first == nullptr ? Came::limit : Came::left_out;
    if (tell) tell({name, result.size() > before ? Came::suggested : otherwise});
  };
  for (const Change<Subject>& change : changes)
    if (!change.last_resort) attempt(change.name, nullptr, change);
  for (std::size_t i = 0, singles = result.size(); singles == 0 && i < changes.size(); ++i)
    for (std::size_t j = i + 1; j < changes.size(); ++j) {
      const Change<Subject>&one = changes[i], &other = changes[j];
      if (one.last_resort || other.last_resort) continue;
      attempt(std::string(one.name) + "+" + other.name, one.searches ? &other : &one,
              one.searches ? one : other);
    }
  for (const Change<Subject>& change : changes)
    if (change.last_resort) attempt(change.name, nullptr, change);
  return result;
}

}  // namespace wormcast
