// What to change so that a failing set can be proved free of deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deadlock/verdict.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "router/router_parameters.hpp"
#include "topology/topology.hpp"

namespace wormcast {

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
/// check_all_multicasts() excludes a deadlock; each with the options of check-deadlock that say so. Not
/// `every`: virtual channels for unicasts alone.
std::vector<Suggestion> suggest(const PlannerQuestion& asked, bool every, const TrialListener& tell = {});

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

/// Where outputs of a node are granted one by one, and copies are made as plans say.
template <class Subject>
std::vector<Subject> atomic_allocation(const Subject& before) {
  const Discipline& discipline = before.options.model.discipline();
  if (discipline.grants_nodes || discipline.routers_copy()) return {};
  return with_routers(before, discipline_atomic);
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

/// The largest number that is proved, by halving: 1 is, `unproved` is not.
template <class Proved>
std::uint64_t largest_proved(std::uint64_t unproved, Proved proved) {
  std::uint64_t safe = 1;
  while (unproved - safe > 1) {
    const std::uint64_t middle = safe + (unproved - safe) / 2;
    (proved(middle) ? safe : unproved) = middle;
  }
  return safe;
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
