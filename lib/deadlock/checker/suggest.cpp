// Changes tried one by one, each checked like any other set.
//
// The order is from what a router's configuration can do to what costs hardware or time. Nothing is claimed
// that the checker does not confirm: `safe`, or `safe-unreachable` for exactly these worms. Cost: one check
// for each change, within a part of the limits; virtual channels as in changed_routes.cpp.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest.hpp"

#include "deadlock/checker/checker.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

/// Routes and the routers under which they are checked.
struct Changed {
  const Topology& topology;
  CheckOptions options;
  std::vector<Routes> routes;
  Suggestion said{};

  bool any_lock_step() const {
    for (const Routes& multicast : routes)
      for (const WormRoute& worm : multicast.worms)
        if (!worm.is_path() && in_lock_step(worm.replication)) return true;
    return false;
  }
  /// Nothing where worms are said to be longer than any buffer.
  std::optional<std::uint64_t> longest_worm() const {
    if (length_of(options) >= WormLength::any) return std::nullopt;
    std::uint64_t longest = 0;
    for (const Routes& multicast : routes)
      for (const WormRoute& worm : multicast.worms)
        longest =
            std::max(longest, checked_flits(worm, multicast.plan.request, options.flits, options.model));
    if (longest > UINT32_MAX) return std::nullopt;
    return longest;
  }
  std::optional<Answer> proved(bool& met_limit) const { return proved(routes, met_limit); }
  std::optional<Answer> proved(const std::vector<Routes>& all, bool& met_limit) const {
    CheckOptions plain = options;
    plain.assumptions = false;
    plain.limits = suggestion_limits(plain.limits);
    try {
      check_router(plain.model, true);
      return excluding(check_routes(topology, plain, all).answer(), options.allocating, met_limit);
    } catch (const InputError&) {
      return std::nullopt;  // such routers leave nothing for it to say
    }
  }
};
using ChangedSets = std::vector<Changed>;

ChangedSets shorter_messages(const Changed& before) {
  if (length_of(before.options) != WormLength::recorded) return {};
  bool met_limit = false;
  const auto most = longest_safe_message(before.routes, [&](const std::vector<Routes>& parts) {
    return before.proved(parts, met_limit).has_value();
  });
  // The trial of what comes out says that a limit was met.
  const std::optional<std::vector<Routes>> parts =
      most || met_limit ? in_parts(before.routes, most.value_or(1)) : std::nullopt;
  if (!parts) return {};
  Changed result{before.topology, before.options, *parts, before.said};
  result.said.length_flits = most.value_or(1);
  return {std::move(result)};
}

ChangedSets long_buffers(const Changed& before) {
  const std::optional<std::uint64_t> longest = before.longest_worm();
  if (!longest || before.options.model.buffer_flits >= *longest) return {};
  return with_buffers(before, *longest);
}

/// Its worms are no longer what the planner said.
void forget_plan(Routes& routes) {
  Plan none;
  none.request = std::move(routes.plan.request);
  routes.plan = std::move(none);
}

ChangedSets asynchronous_copies(const Changed& before) {
  const std::optional<std::uint64_t> longest = before.longest_worm();
  if (!longest || before.options.model.discipline().routers_copy() || !before.any_lock_step()) return {};
  ChangedSets result = with_buffers(before, *longest);
  for (Routes& multicast : result.front().routes) {
    forget_plan(multicast);
    for (WormRoute& worm : multicast.worms)
      if (in_lock_step(worm.replication)) worm.replication = Copies::asynchronous;
  }
  return result;
}

ChangedSets with_channels(const Changed& before, decltype(channels_by_class)& layers) {
  if (before.options.allocating) return {};  // routers choose
  std::optional<LayeredRoutes> layered = layers(before.topology, before.options, before.routes);
  if (!layered || layered->virtual_channels > most_virtual_channels ||
      layered->virtual_channels >
          before.topology.least(LinkValue::virtual_channels, before.topology.virtual_channel_bound()))
    return {};
  Changed result{before.topology, before.options, std::move(layered->routes), before.said};
  result.said.virtual_channels = layered->virtual_channels;
  return {std::move(result)};
}

ChangedSets with_relays(const Changed& before) {
  if (before.topology.hosts_have_links()) return {};
  std::optional<std::vector<Routes>> split = split_at_stops(before.topology, before.routes);
  if (!split) return {};
  for (Routes& multicast : *split) forget_plan(multicast);
  return {Changed{before.topology, before.options, std::move(*split), before.said}};
}

ChangedSets path_reservation(const Changed& before) {
  if (before.options.allocating || length_of(before.options) == WormLength::fits) return {};
  return with_routers(before, discipline_reserved);
}

constexpr Change<Changed> changes[] = {
    {"consumption-channel-per-input", own_consumption_channels},
    {"atomic-allocation",
     [](const Changed& before) {
       return before.any_lock_step() ? atomic_allocation(before) : ChangedSets{};
     }},
    {"length-limit", shorter_messages, true},
    {"buffers", long_buffers},
    {"asynchronous-copies", asynchronous_copies},
    {"virtual-channels-by-dateline",
     [](const Changed& before) { return with_channels(before, channels_by_dateline); }},
    {"virtual-channels-by-class",
     [](const Changed& before) { return with_channels(before, channels_by_class); }},
    {"relays", with_relays},
    {"path-reservation", path_reservation, false, true},
};

const Change<Changed>& find_change(std::string_view name) {
  for (const Change<Changed>& change : changes)
    if (name == change.name) return change;
  refuse("--change", "'{}' is none that --suggest tries for given routes", name);
}

}  // namespace

std::string options_between(const RouterModel& from, const RouterModel& to) {
  std::string result;
  for (const RouterParameter& parameter : router_parameters)
    if (parameter.get(from) != parameter.get(to))
      result += (result.empty() ? "" : " ") + parameter.said_of(to);
  return result;
}

std::optional<Answer> excluding(Answer answer, bool allocating, bool& met_limit) {
  met_limit = met_limit || answer == Answer::unknown;
  if (answer == Answer::safe || (answer == Answer::safe_unreachable && !allocating)) return answer;
  return std::nullopt;
}

void add_suggestions(Verdict& verdict, const SearchLimits& limits, const TrialListener& tell,
                     const std::function<std::vector<Suggestion>(const TrialListener&)>& suggest_all) {
  const SearchLimits part = suggestion_limits(limits);
  verdict.suggestions = suggest_all([&](const SuggestionTrial& trial) {
    if (trial.outcome == SuggestionTrial::Outcome::limit)
      verdict.unsettled.push_back(fmt::format("{}: not settled with {} sets of worms and {} states of a set",
                                              trial.change, part.partial_sets, part.states));
    if (tell) tell(trial);
  });
  if (verdict.suggestions->empty())
    verdict.unsettled.emplace_back("no change that is tried, nor two of them together, is proved to help");
}

std::vector<Suggestion> suggest(const Topology& topology, const CheckOptions& options,
                                const std::vector<Routes>& routes, const TrialListener& tell) {
  std::vector<Suggestion> result = try_changes<Changed>(changes, {topology, options, routes}, tell);
  // Of several ways to use more virtual channels, that of the fewest first.
  const auto takes_channels = [](const Suggestion& suggestion) {
    return suggestion.change.starts_with("virtual-channels");
  };
  const auto first = std::find_if(result.begin(), result.end(), takes_channels);
  std::stable_sort(
      first, std::find_if_not(first, result.end(), takes_channels),
      [](const Suggestion& a, const Suggestion& b) { return a.virtual_channels < b.virtual_channels; });
  return result;
}

std::vector<Routes> changed_routes(const Topology& topology, const CheckOptions& options,
                                   const std::vector<Routes>& routes, std::string_view change) {
  const std::size_t plus = change.find('+');
  std::vector<const Change<Changed>*> made{&find_change(change.substr(0, plus))};
  if (plus != std::string_view::npos) made.push_back(&find_change(change.substr(plus + 1)));
  std::stable_partition(made.begin(), made.end(), [](const auto* one) { return !one->searches; });
  ChangedSets sets{{topology, options, routes}};
  for (const Change<Changed>* one : made) {
    sets = one->made(sets.front());
    if (sets.empty()) refuse("--change", "{} changes nothing here", one->name);
  }
  return std::move(sets.front().routes);
}

}  // namespace wormcast
