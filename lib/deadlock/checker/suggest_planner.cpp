// Changes tried one by one, each by the check of the planner so changed.
//
// First what a configuration says: a consumption channel for each input, atomic allocation, virtual channels
// of their own for the unicasts, another option or routing function of the planner. Then what costs buffers
// or time: a limit on lengths, buffers as long as the worms, virtual cut-through, reservation of whole paths.
// Nothing is claimed that the check does not confirm. Cost: a check for each change, with a part of the
// limits, and for the limit on lengths one for each halving of most_flits.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest_planner.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "deadlock/checker/all_multicasts.hpp"
#include "topology/error.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t most_flits = 64;  ///< of the limits on lengths that are tried

struct PlannerChange {
  PlannerQuestion question;
  std::string options;  ///< of check-deadlock
  std::optional<std::uint64_t> value{};
};
using PlannerChanges = std::vector<PlannerChange>;

/// Nothing where the planner so changed does not apply, or is not proved.
std::optional<Answer> proved(const PlannerQuestion& question, bool& met_limit) {
  try {
    const BoundPlanner planner(*question.choice.planner, question.topology, question.choice.options,
                               question.choice.routing);
    std::unique_ptr<const RoutingFunction> unicast;
    if (!question.unicast.empty()) unicast = bind_routing(question.unicast, question.topology);
    const Answer answer =
        check_all_multicasts(planner, unicast.get(), question.options, question.relation).answer;
    met_limit = met_limit || answer == Answer::unknown;
    if (answer == Answer::safe || answer == Answer::safe_unreachable) return answer;
  } catch (const InputError&) {
    // It cannot be said of this planner, network or router.
  }
  return std::nullopt;
}

PlannerChanges own_consumption_channels(const PlannerQuestion& asked) {
  if (asked.options.model.consumption_channels == 0 || asked.topology.hosts_have_links()) return {};
  PlannerChange change{asked, "--consumption-channels per-input"};
  change.question.options.model.consumption_channels = 0;
  return {change};
}

PlannerChanges requests_at_once(const PlannerQuestion& asked) {
  if (asked.options.model.allocation != Allocation::incremental || routers_copy(asked.options.model))
    return {};
  PlannerChange change{asked, "--allocation atomic"};
  change.question.options.model.allocation = Allocation::atomic;
  return {change};
}

PlannerChanges channels_for_unicasts(const PlannerQuestion& asked) {
  if (asked.unicast.empty() || asked.relation.unicast_vc != 0) return {};
  const BoundPlanner planner(*asked.choice.planner, asked.topology, asked.choice.options,
                             asked.choice.routing);
  PlannerChange change{asked, ""};
  change.question.relation.unicast_vc = planner.context().routing.virtual_channels();
  change.value = std::uint64_t{change.question.relation.unicast_vc} +
                 bind_routing(asked.unicast, asked.topology)->virtual_channels();
  change.options = fmt::format("--unicast-vc {}", change.question.relation.unicast_vc);
  return {change};
}

std::string named(const PlannerChoice& choice) {
  PlannerChoice without = choice;
  without.routing.clear();
  const std::string label = planner_label(without);
  return "--all-multicasts " + label + (choice.routing.empty() ? "" : ":routing=" + choice.routing);
}

PlannerChanges other_options(const PlannerQuestion& asked) {
  PlannerChanges result;
  for (const PlannerParameter& parameter : asked.choice.planner->parameters)
    for (const std::string_view value : parameter.values) {
      PlannerChange change{asked, ""};
      PlanOptions& options = change.question.choice.options;
      std::erase_if(options, [&](const auto& option) { return option.first == parameter.name; });
      options.emplace_back(parameter.name, value);
      change.options = named(change.question.choice);
      if (change.options != named(asked.choice)) result.push_back(std::move(change));
    }
  return result;
}

PlannerChanges other_routings(const PlannerQuestion& asked) {
  PlannerChanges result;
  for (const std::string_view routing : asked.choice.planner->joined_by()) {
    if (routing == asked.choice.routing) continue;
    PlannerChange change{asked, ""};
    change.question.choice.routing = routing;
    change.options = named(change.question.choice);
    result.push_back(std::move(change));
  }
  return result;
}

PlannerChanges shorter_messages(const PlannerQuestion& asked) {
  if (asked.options.flits || asked.options.model.cut_through) return {};
  const auto of = [&](std::uint64_t flits) {
    PlannerChange change{asked, fmt::format("--length-flits {}", flits), flits};
    change.question.options.flits = flits + asked.options.model.header_flits;
    return change;
  };
  bool met_limit = false;  // whoever tries what comes out of this says so
  std::uint64_t safe = 0, unproved = most_flits + 1;
  while (unproved - safe > 1) {
    // One flit first: mostly it is that or nothing.
    const std::uint64_t middle = safe == 0 ? 1 : safe + (unproved - safe) / 2;
    const bool shorter_is_safe = proved(of(middle).question, met_limit).has_value();
    if (safe == 0 && !shorter_is_safe) return {of(1)};
    (shorter_is_safe ? safe : unproved) = middle;
  }
  return {of(safe)};
}

PlannerChanges long_buffers(const PlannerQuestion& asked) {
  const std::optional<std::uint64_t>& flits = asked.options.flits;
  if (!flits || *flits == long_worm_flits || asked.options.model.buffer_flits >= *flits) return {};
  PlannerChange change{asked, fmt::format("--buffer-flits {}", *flits), *flits};
  change.question.options.model.buffer_flits = static_cast<std::uint32_t>(*flits);
  return {change};
}

PlannerChanges whole_packets(const PlannerQuestion& asked) {
  if (asked.options.flits || asked.options.model.cut_through) return {};
  PlannerChange change{asked, "--cut-through"};
  change.question.options.model.cut_through = true;
  return {change};
}

PlannerChanges whole_paths(const PlannerQuestion& asked) {
  const RouterModel& model = asked.options.model;
  if (model.path_reservation || model.copies != Copies::as_planned ||
      model.allocation != Allocation::incremental || model.vc_reuse != VcReuse::drained ||
      model.output_arbitration != OutputArbitration::first_come ||
      model.consumption_release != ConsumptionRelease::arrived)
    return {};
  PlannerChange change{asked, "--path-reservation"};
  change.question.options.model.path_reservation = true;
  return {change};
}

constexpr std::pair<const char*, PlannerChanges (*)(const PlannerQuestion&)> changes_of_planners[] = {
    {"consumption-channel-per-input", own_consumption_channels},
    {"atomic-allocation", requests_at_once},
    {"virtual-channels-for-unicasts", channels_for_unicasts},
    {"planner-option", other_options},
    {"routing", other_routings},
    {"length-limit", shorter_messages},
    {"buffers", long_buffers},
    {"cut-through", whole_packets},
    {"path-reservation", whole_paths},
};

}  // namespace

std::vector<Suggestion> suggest(const PlannerQuestion& asked,
                                const std::function<void(const SuggestionTrial&)>& tell) {
  using Outcome = SuggestionTrial::Outcome;
  PlannerQuestion plain = asked;
  plain.options.assumptions = false;
  plain.options.limits = suggestion_limits(plain.options.limits);
  std::vector<Suggestion> result;
  for (const auto& [name, change] : changes_of_planners) {
    if (tell) tell({name, Outcome::begins});
    bool met_limit = false, any = false;
    for (const PlannerChange& one : change(plain))
      if (const std::optional<Answer> answer = proved(one.question, met_limit)) {
        result.push_back(Suggestion{name, one.value, *answer, one.options});
        any = true;
      }
    if (tell) tell({name, any ? Outcome::suggested : met_limit ? Outcome::limit : Outcome::left_out});
  }
  return result;
}

}  // namespace wormcast
