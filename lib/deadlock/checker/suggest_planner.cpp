// Changes tried one by one, each by the check of the planner so changed.
//
// First what a configuration says: a consumption channel for each input, atomic allocation, virtual channels
// of their own for the unicasts, another option or routing function of the planner. Then what costs buffers
// or time: a limit on lengths, buffers as long as the worms, virtual cut-through, reservation of whole paths.
// Nothing is claimed that the check does not confirm. Cost: a check for each change, with a part of the
// limits, and for the limit on lengths one for each halving of most_flits.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest.hpp"

#include <fmt/format.h>

#include <memory>

#include "deadlock/checker/change_list.hpp"
#include "topology/error.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t most_flits = 64;  ///< of the limits on lengths that are tried

struct PlannerChange {
  PlannerQuestion question;
  Suggestion said{};

  /// Nothing where the planner so changed does not apply, or is not proved.
  std::optional<Answer> proved(bool& met_limit) const {
    try {
      const BoundPlanner planner(*question.choice.planner, question.topology, question.choice.options,
                                 question.choice.routing);
      std::unique_ptr<const RoutingFunction> unicast;
      if (!question.unicast.empty()) unicast = bind_routing(question.unicast, question.topology);
      const CheckOptions& options = question.options;
      return excluding(check_all_multicasts(planner, unicast.get(), options, question.relation).answer,
                       options.allocating, met_limit);
    } catch (const InputError&) {
      return std::nullopt;  // it cannot be said of this planner, network or router
    }
  }
};
using PlannerChanges = std::vector<PlannerChange>;

/// The same planner, the routers changed by `set`.
template <class Set>
PlannerChanges with_routers(const PlannerChange& before, Set set) {
  PlannerChange change = before;
  RouterModel& model = change.question.options.model;
  set(model);
  add_options(change.said, options_between(before.question.options.model, model));
  return {std::move(change)};
}

PlannerChanges own_consumption_channels(const PlannerChange& before) {
  const PlannerQuestion& asked = before.question;
  if (asked.options.model.consumption_channels == 0 || asked.topology.hosts_have_links()) return {};
  return with_routers(before, [](RouterModel& model) { model.consumption_channels = 0; });
}

PlannerChanges requests_at_once(const PlannerChange& before) {
  const PlannerQuestion& asked = before.question;
  if (asked.options.model.allocation != Allocation::incremental || routers_copy(asked.options.model))
    return {};
  return with_routers(before, [](RouterModel& model) { model.allocation = Allocation::atomic; });
}

PlannerChanges channels_for_unicasts(const PlannerChange& before) {
  const PlannerQuestion& asked = before.question;
  if (asked.unicast.empty() || asked.relation.unicast_vc != 0) return {};
  const BoundPlanner planner(*asked.choice.planner, asked.topology, asked.choice.options,
                             asked.choice.routing);
  PlannerChange change = before;
  change.question.relation.unicast_vc = planner.context().routing.virtual_channels();
  change.said.virtual_channels = std::uint64_t{change.question.relation.unicast_vc} +
                                 bind_routing(asked.unicast, asked.topology)->virtual_channels();
  add_options(change.said, fmt::format("--unicast-vc {}", change.question.relation.unicast_vc));
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
  if (named(choice) == named(before.question.choice)) return;
  PlannerQuestion question = before.question;
  question.choice = choice;
  PlannerChange& change = to.emplace_back(PlannerChange{question, before.said});
  if (change.said.options == named(before.question.choice)) change.said.options.clear();
  add_options(change.said, named(choice));
}

PlannerChanges other_options(const PlannerChange& before) {
  PlannerChanges result;
  for (const PlannerParameter& parameter : before.question.choice.planner->parameters)
    for (const std::string_view value : parameter.values) {
      PlannerChoice choice = before.question.choice;
      std::erase_if(choice.options, [&](const auto& option) { return option.first == parameter.name; });
      choice.options.emplace_back(parameter.name, value);
      add_chosen(before, choice, result);
    }
  return result;
}

PlannerChanges other_routings(const PlannerChange& before) {
  PlannerChanges result;
  for (const std::string_view routing : before.question.choice.planner->joined_by()) {
    PlannerChoice choice = before.question.choice;
    choice.routing = routing;
    add_chosen(before, choice, result);
  }
  return result;
}

PlannerChanges shorter_messages(const PlannerChange& before) {
  const CheckOptions& asked = before.question.options;
  if (asked.flits || asked.model.cut_through) return {};
  const auto of = [&](std::uint64_t flits) {
    PlannerChange change = before;
    change.question.options.flits = flits + asked.model.header_flits;
    change.said.length_flits = flits;
    add_options(change.said, fmt::format("--length-flits {}", flits));
    return change;
  };
  bool met_limit = false;  // whoever tries what comes out of this says so
  std::uint64_t safe = 0, unproved = most_flits + 1;
  while (unproved - safe > 1) {
    // One flit first: mostly it is that or nothing.
    const std::uint64_t middle = safe == 0 ? 1 : safe + (unproved - safe) / 2;
    const bool shorter_is_safe = of(middle).proved(met_limit).has_value();
    if (safe == 0 && !shorter_is_safe) return {of(1)};
    (shorter_is_safe ? safe : unproved) = middle;
  }
  return {of(safe)};
}

PlannerChanges long_buffers(const PlannerChange& before) {
  const CheckOptions& asked = before.question.options;
  if (!asked.flits || *asked.flits == long_worm_flits || asked.model.buffer_flits >= *asked.flits) return {};
  PlannerChanges result = with_routers(
      before, [&](RouterModel& model) { model.buffer_flits = static_cast<std::uint32_t>(*asked.flits); });
  result.front().said.buffer_flits = *asked.flits;
  return result;
}

PlannerChanges whole_packets(const PlannerChange& before) {
  const CheckOptions& asked = before.question.options;
  if (asked.flits || asked.model.cut_through || asked.allocating) return {};
  PlannerChange change = before;
  change.question.options.model.cut_through = true;
  add_options(change.said, "--cut-through");
  return {change};
}

PlannerChanges whole_paths(const PlannerChange& before) {
  const RouterModel& model = before.question.options.model;
  if (model.path_reservation || model.cut_through || before.question.options.allocating ||
      model.copies != Copies::as_planned || model.allocation != Allocation::incremental ||
      model.vc_reuse != VcReuse::drained || model.output_arbitration != OutputArbitration::first_come ||
      model.consumption_release != ConsumptionRelease::arrived)
    return {};
  return with_routers(before, [](RouterModel& changed) { changed.path_reservation = true; });
}

constexpr Change<PlannerChange> changes_of_planners[] = {
    {"consumption-channel-per-input", own_consumption_channels},
    {"atomic-allocation", requests_at_once},
    {"virtual-channels-for-unicasts", channels_for_unicasts},
    {"planner-option", other_options},
    {"routing", other_routings},
    {"length-limit", shorter_messages, true},
    {"buffers", long_buffers},
    {"cut-through", whole_packets},
    {"path-reservation", whole_paths, false, true},
};

}  // namespace

std::vector<Suggestion> suggest(const PlannerQuestion& asked,
                                const std::function<void(const SuggestionTrial&)>& tell) {
  PlannerQuestion plain = asked;
  plain.options.assumptions = false;
  plain.options.limits = suggestion_limits(plain.options.limits);
  return try_changes<PlannerChange>(changes_of_planners, {plain}, tell);
}

}  // namespace wormcast
