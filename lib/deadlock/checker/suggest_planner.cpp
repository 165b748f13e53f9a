// Changes tried one by one, each by the check of the planner so changed.
//
// First what a configuration says, then what costs buffers or time. Nothing is claimed that the check does
// not confirm. Cost: a check for each change, with a part of the limits, and for the limit on lengths one for
// each halving of most_flits.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest.hpp"

#include <fmt/format.h>

#include "deadlock/checker/checker.hpp"
#include "router/router_parameters.hpp"
#include "topology/error.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t most_flits = 64;  ///< of the limits on lengths that are tried

struct PlannerChange : PlannerQuestion {
  Suggestion said{};

  /// Nothing where the planner so changed does not apply, or is not proved.
  std::optional<Answer> proved(bool& met_limit) const {
    try {
      check_router(options.model, true);
      const BoundPlanner planner(*choice.planner, topology, choice.options, choice.routing);
      std::unique_ptr<const RoutingFunction> function;
      if (!unicast.empty()) function = bind_routing(unicast, topology);
      return excluding(check_all_multicasts(planner, function.get(), options, relation).answer(),
                       options.allocating, met_limit);
    } catch (const InputError&) {
      return std::nullopt;  // it cannot be said of this planner, network or router
    }
  }
};
using PlannerChanges = std::vector<PlannerChange>;

PlannerChanges channels_for_unicasts(const PlannerChange& before) {
  if (before.unicast.empty() || before.options.allocating) return {};
  const BoundPlanner planner(*before.choice.planner, before.topology, before.choice.options,
                             before.choice.routing);
  PlannerChange change = before;
  change.relation.unicast_vc = planner.context().routing.virtual_channels();
  if (change.relation.unicast_vc <= before.relation.unicast_vc) return {};
  change.said.virtual_channels = std::uint64_t{change.relation.unicast_vc} +
                                 bind_routing(before.unicast, before.topology)->virtual_channels();
  add_options(change.said, fmt::format("--unicast-vc {}", change.relation.unicast_vc));
  return {change};
}

std::string named(const PlannerChoice& choice) {
  PlannerChoice without = choice;
  without.routing.clear();
  const std::string label = planner_label(without);
  return "--all-multicasts " + label + (choice.routing.empty() ? "" : ":routing=" + choice.routing);
}

/// The planner chosen differently, by its new name in place of one that a change before gave it.
void add_chosen(const PlannerChange& before, const PlannerChoice& choice, PlannerChanges& to) {
  if (named(choice) == named(before.choice)) return;
  PlannerChange& change = to.emplace_back(before);
  change.choice = choice;
  if (change.said.options == named(before.choice)) change.said.options.clear();
  add_options(change.said, named(choice));
}

PlannerChanges other_options(const PlannerChange& before) {
  PlannerChanges result;
  for (const PlannerParameter& parameter : before.choice.planner->parameters)
    for (const std::string_view value : parameter.values) {
      PlannerChoice choice = before.choice;
      std::erase_if(choice.options, [&](const auto& option) { return option.first == parameter.name; });
      choice.options.emplace_back(parameter.name, value);
      add_chosen(before, choice, result);
    }
  return result;
}

PlannerChanges other_routings(const PlannerChange& before) {
  PlannerChanges result;
  for (const std::string_view routing : before.choice.planner->joined_by()) {
    PlannerChoice choice = before.choice;
    choice.routing = routing;
    add_chosen(before, choice, result);
  }
  return result;
}

PlannerChanges shorter_messages(const PlannerChange& before) {
  const CheckOptions& asked = before.options;
  if (length_of(asked) != WormLength::recorded) return {};
  const auto of = [&](std::uint64_t flits) {
    PlannerChange change = before;
    change.options.flits = flits + asked.model.header_flits;
    change.said.length_flits = flits;
    add_options(change.said, fmt::format("--length-flits {}", flits));
    return change;
  };
  bool met_limit = false;  // the trial of what comes out of this says so
  const auto proved = [&](std::uint64_t flits) { return of(flits).proved(met_limit).has_value(); };
  return {of(proved(1) ? largest_proved(most_flits + 1, proved) : 1)};
}

PlannerChanges long_buffers(const PlannerChange& before) {
  const CheckOptions& asked = before.options;
  if (!asked.flits || *asked.flits == long_worm_flits || asked.model.buffer_flits >= *asked.flits) return {};
  return with_buffers(before, *asked.flits);
}

PlannerChanges whole_packets(const PlannerChange& before) {
  const CheckOptions& asked = before.options;
  if (length_of(asked) != WormLength::recorded || asked.allocating) return {};
  PlannerChange change = before;
  change.options.model.cut_through = true;
  add_options(change.said, "--cut-through");
  return {change};
}

PlannerChanges whole_paths(const PlannerChange& before) {
  const RouterModel& model = before.options.model;
  if (!grants_plainly(model) || model.cut_through || before.options.allocating || !model.serves_first_come())
    return {};
  return with_routers(before, discipline_reserved);
}

constexpr Change<PlannerChange> own_channels{"virtual-channels-for-unicasts", channels_for_unicasts};
constexpr Change<PlannerChange> changes_of_planners[] = {
    {"consumption-channel-per-input", own_consumption_channels},
    {"atomic-allocation", atomic_allocation},
    own_channels,
    {"planner-option", other_options},
    {"routing", other_routings},
    {"length-limit", shorter_messages, true},
    {"buffers", long_buffers},
    {"cut-through", whole_packets},
    {"path-reservation", whole_paths, false, true},
};

}  // namespace

std::vector<Suggestion> suggest(const PlannerQuestion& asked, bool every, const TrialListener& tell) {
  PlannerQuestion plain = asked;
  plain.options.assumptions = false;
  plain.options.limits = suggestion_limits(plain.options.limits);
  const std::span<const Change<PlannerChange>> changes(changes_of_planners);
  return try_changes<PlannerChange>(every ? changes : std::span(&own_channels, 1), {plain}, tell);
}

}  // namespace wormcast
