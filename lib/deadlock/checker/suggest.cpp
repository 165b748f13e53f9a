// Changes tried one by one, each checked like any other set.
//
// The order is from what a router's configuration can do to what costs hardware or time: a consumption
// channel for each input, atomic allocation of a node's outputs, messages in parts, buffers as long as the
// worms, copies read apart from such buffers, virtual channels by dateline, by class, relays at all stops,
// reservation of whole paths. Nothing is claimed that the checker does not confirm: `safe`, or
// `safe-unreachable` for exactly these worms. Cost: one check for each change, within a part of the limits;
// virtual channels as in virtual_channel_layers.hpp.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "deadlock/checker/length_limit.hpp"
#include "deadlock/checker/virtual_channel_layers.hpp"
#include "deadlock/graph/split_worms.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

namespace {

/// The routers and routes after a change; nothing where it does not apply.
struct Changed {
  CheckOptions options;
  std::vector<Routes> routes;
  std::optional<std::uint64_t> value{};  ///< flits or virtual channels
};

struct CheckedNetwork {
  const Topology& topology;
  const CheckOptions& options;
  const std::vector<Routes>& routes;
  bool& met_limit;  ///< some check was not settled

  Changed unchanged() const { return {options, routes}; }
  bool routers_copy() const { return wormcast::routers_copy(options.model); }
  bool any_lock_step() const {
    for (const Routes& multicast : routes)
      for (const WormRoute& worm : multicast.worms)
        if (!worm.is_path() && worm.replication == Replication::lock_step) return true;
    return false;
  }
  /// Nothing where worms are said to be longer than any buffer.
  std::optional<std::uint64_t> longest_worm() const {
    if (options.flits == long_worm_flits || options.model.cut_through) return std::nullopt;
    std::uint64_t longest = 0;
    for (const Routes& multicast : routes)
      for (const WormRoute& worm : multicast.worms)
        longest =
            std::max(longest, checked_flits(worm, multicast.plan.request, options.flits, options.model));
    if (longest > UINT32_MAX) return std::nullopt;
    return longest;
  }
  /// Nothing where the routes, changed so, are not proved free of deadlock.
  std::optional<Answer> proved(const CheckOptions& changed, const std::vector<Routes>& all) const {
    CheckOptions plain = changed;
    plain.assumptions = false;
    plain.limits = suggestion_limits(plain.limits);
    DeadlockChecker checker(topology, plain);
    for (const Routes& multicast : all) checker.add(multicast);
    const Answer answer = checker.verdict().answer;
    met_limit = met_limit || answer == Answer::unknown;
    if (answer == Answer::safe || answer == Answer::safe_unreachable) return answer;
    return std::nullopt;
  }
};

using NetworkChange = std::optional<Changed> (*)(const CheckedNetwork& subject);

std::optional<Changed> per_input_consumption(const CheckedNetwork& subject) {
  if (subject.options.model.consumption_channels == 0 || subject.topology.hosts_have_links())
    return std::nullopt;
  Changed result = subject.unchanged();
  result.options.model.consumption_channels = 0;
  return result;
}

std::optional<Changed> atomic_allocation(const CheckedNetwork& subject) {
  if (subject.options.model.allocation == Allocation::atomic || subject.routers_copy() ||
      !subject.any_lock_step())
    return std::nullopt;
  Changed result = subject.unchanged();
  result.options.model.allocation = Allocation::atomic;
  return result;
}

std::optional<Changed> shorter_messages(const CheckedNetwork& subject) {
  if (subject.options.flits || subject.options.model.cut_through) return std::nullopt;
  const auto most = longest_safe_message(subject.routes, [&](const std::vector<Routes>& parts) {
    return subject.proved(subject.options, parts).has_value();
  });
  if (!most) return std::nullopt;
  Changed result{subject.options, *in_parts(subject.routes, *most)};
  result.value = most;
  return result;
}

std::optional<Changed> long_buffers(const CheckedNetwork& subject) {
  const std::optional<std::uint64_t> longest = subject.longest_worm();
  if (!longest || subject.options.model.buffer_flits >= *longest) return std::nullopt;
  Changed result = subject.unchanged();
  result.options.model.buffer_flits = static_cast<std::uint32_t>(*longest);
  result.value = longest;
  return result;
}

std::optional<Changed> asynchronous_copies(const CheckedNetwork& subject) {
  const std::optional<std::uint64_t> longest = subject.longest_worm();
  if (!longest || subject.routers_copy() || !subject.any_lock_step()) return std::nullopt;
  Changed result = subject.unchanged();
  result.options.model.buffer_flits =
      std::max(result.options.model.buffer_flits, static_cast<std::uint32_t>(*longest));
  result.value = result.options.model.buffer_flits;
  for (Routes& multicast : result.routes)
    for (WormRoute& worm : multicast.worms)
      if (worm.replication == Replication::lock_step) worm.replication = Replication::asynchronous;
  return result;
}

std::optional<Changed> with_channels(const CheckedNetwork& subject, std::optional<LayeredRoutes> layered) {
  if (!layered || layered->virtual_channels > most_virtual_channels) return std::nullopt;
  Changed result{subject.options, std::move(layered->routes)};
  result.value = layered->virtual_channels;
  return result;
}

std::optional<Changed> datelines(const CheckedNetwork& subject) {
  return with_channels(subject, channels_by_dateline(subject.topology, subject.options, subject.routes));
}

std::optional<Changed> classes(const CheckedNetwork& subject) {
  return with_channels(subject, channels_by_class(subject.topology, subject.options, subject.routes));
}

std::optional<Changed> with_relays(const CheckedNetwork& subject) {
  if (subject.topology.hosts_have_links()) return std::nullopt;
  std::optional<std::vector<Routes>> split = split_at_stops(subject.topology, subject.routes);
  if (!split) return std::nullopt;
  return Changed{subject.options, std::move(*split)};
}

std::optional<Changed> path_reservation(const CheckedNetwork& subject) {
  Changed result = subject.unchanged();
  result.options.model.path_reservation = true;
  result.options.model.copies = Copies::as_planned;  // nothing waits for a branch then
  result.options.model.allocation = Allocation::incremental;
  result.options.model.output_arbitration = OutputArbitration::first_come;
  return result;
}

constexpr std::pair<const char*, NetworkChange> changes[] = {
    {"consumption-channel-per-input", per_input_consumption},
    {"atomic-allocation", atomic_allocation},
    {"length-limit", shorter_messages},
    {"buffers", long_buffers},
    {"asynchronous-copies", asynchronous_copies},
    {"virtual-channels-by-dateline", datelines},
    {"virtual-channels-by-class", classes},
    {"relays", with_relays},
    {"path-reservation", path_reservation},
};

}  // namespace

std::string not_settled(const SuggestionTrial& trial, const SearchLimits& limits) {
  const SearchLimits part = suggestion_limits(limits);
  return std::string(trial.change) + ": not settled with " + std::to_string(part.partial_sets) +
         " sets of worms and " + std::to_string(part.states) + " states of a set";
}

std::vector<Suggestion> suggest(const Topology& topology, const CheckOptions& options,
                                const std::vector<Routes>& routes,
                                const std::function<void(const SuggestionTrial&)>& tell) {
  using Outcome = SuggestionTrial::Outcome;
  std::vector<Suggestion> result;
  for (const auto& [name, change] : changes) {
    if (tell) tell({name, Outcome::begins});
    bool met_limit = false;
    const CheckedNetwork subject{topology, options, routes, met_limit};
    const std::optional<Changed> changed = change(subject);
    std::optional<Answer> answer;
    if (changed) answer = subject.proved(changed->options, changed->routes);
    if (answer) result.push_back(Suggestion{name, changed->value, *answer});
    if (tell) tell({name, answer ? Outcome::suggested : met_limit ? Outcome::limit : Outcome::left_out});
  }
  // Of several ways to use more virtual channels, that of the fewest first.
  const auto takes_channels = [](const Suggestion& suggestion) {
    return suggestion.change.starts_with("virtual-channels");
  };
  const auto first = std::find_if(result.begin(), result.end(), takes_channels);
  std::stable_sort(first, std::find_if_not(first, result.end(), takes_channels),
                   [](const Suggestion& a, const Suggestion& b) { return a.value < b.value; });
  return result;
}

}  // namespace wormcast
