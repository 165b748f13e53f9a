// Taking "planner:option=value,planner" apart. Cost: linear in the text.
// SPDX-License-Identifier: MIT
#include "multicast/planner_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

/// The option `name` in the words of all planners that have it.
OfferedOption offered(std::string_view name) {
  OfferedOption option{name, {}, {}};
  std::vector<std::pair<std::string_view, std::string>> said;  // a summary, and its planner
  for (const Planner* planner : planners())
    for (const PlannerParameter& parameter : planner->parameters) {
      if (parameter.name != name) continue;
      for (const std::string_view value : parameter.values)
        if (std::find(option.values.begin(), option.values.end(), value) == option.values.end())
          option.values.push_back(value);
      const auto same = std::find_if(said.begin(), said.end(),
                                     [&](const auto& other) { return other.first == parameter.summary; });
      if (same == said.end())
        said.emplace_back(parameter.summary, planner->name);
      else
        same->second.append(", ").append(planner->name);
    }
  for (const auto& [summary, names] : said) {
    if (!option.summary.empty()) option.summary += "; ";
    if (said.size() > 1) option.summary += names + ": ";
    option.summary += summary;
  }
  return option;
}

std::string label_of(std::string_view name, const PlanOptions& options) {
  std::string label(name);
  const Planner* planner = options.empty() ? nullptr : find_planner(name);
  for (const auto& [option, value] : options) {
    if (option == routing_seed_option && value == default_routing_seed) continue;
    const PlannerParameter* const parameter = planner == nullptr ? nullptr : planner->parameter(option);
    if (parameter != nullptr && parameter->values.front() == value) continue;
    label.append(":").append(option).append("=").append(value);
  }
  return label;
}

}  // namespace

bool PlannerChoice::states(std::string_view option) const {
  return std::any_of(options.begin(), options.end(), [&](const auto& o) { return o.first == option; });
}

bool PlannerChoice::takes(std::string_view option) const {
  if (option == header_encoding_option) return true;
  if (option == routing_seed_option) {
    const RoutingEntry* entry = find_routing_function(routing);
    return entry != nullptr && entry->draws;
  }
  if (option == flit_bits_option)
    return std::any_of(options.begin(), options.end(), [](const auto& o) {
      return o.first == header_encoding_option && o.second != name_of(HeaderEncoding::none);
    });
  return planner->parameter(option) != nullptr;
}

std::string planner_label(const Plan& plan) { return label_of(plan.planner, plan.options.values()); }
std::string planner_label(const PlannerChoice& choice) {
  return label_of(choice.planner->name, choice.options);
}

PlannerChoice parse_planner_choice(std::string_view word, const std::string& field) {
  std::vector<std::string_view> options = parts_of(word, ':');
  const std::string_view name = options.front();
  options.erase(options.begin());
  PlannerChoice choice;
  choice.planner = find_planner(name);
  if (choice.planner == nullptr && find_routing_function(name) != nullptr)
    refuse(field, "'{}' is a routing function and no planner; unicasts are planned by separate --routing {}",
           name, name);
  if (choice.planner == nullptr)
    throw InputError(field, unknown_name("planner", name, planners(), "plan-multicast --list"));
  for (const std::string_view option : options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos) refuse(field, "'{}' is not option=value", option);
    const std::string_view key = option.substr(0, equals);
    const std::string_view value = option.substr(equals + 1);
    if (choice.states(key) || (key == "routing" && !choice.routing.empty()))
      refuse(field, "'{}' is given twice for {}", key, choice.planner->name);
    if (key == "routing")
      choice.routing = value;
    else
      choice.options.emplace_back(key, value);
  }
  return choice;
}

std::vector<PlannerChoice> parse_planner_choices(std::string_view words, const PlanOptions& shared,
                                                 const std::string& field) {
  if (words.empty()) throw InputError(field, "no planner given (see --list)");
  if (words.ends_with(','))
    refuse(field, "'{}' ends with a comma; planners are separated by commas without blanks",
           words.substr(0, 100));
  std::vector<PlannerChoice> choices;
  for (const std::string_view word : parts_of(words, ','))
    choices.push_back(parse_planner_choice(word, field));
  share_options(choices, shared);
  return choices;
}

void share_options(std::vector<PlannerChoice>& choices, const PlanOptions& shared) {
  for (const auto& [name, value] : shared) {
    bool used = false;
    for (PlannerChoice& choice : choices) {
      if (!choice.takes(name)) continue;
      used = true;
      if (!choice.states(name)) choice.options.emplace_back(name, value);
    }
    if (!used && name == flit_bits_option)
      throw InputError("--" + name, "needs a --header-encoding other than none");
    if (!used && name == routing_seed_option)
      throw InputError("--" + name, "none of the planners named has a --routing that draws ways by chance");
    if (!used) throw InputError("--" + name, "none of the planners named has this option");
  }
}

std::vector<OfferedOption> planner_options() {
  std::vector<OfferedOption> result;
  for (const Planner* planner : planners())
    for (const PlannerParameter& declared : planner->parameters) {
      if (std::any_of(result.begin(), result.end(), [&](const auto& o) { return o.name == declared.name; }))
        continue;
      result.push_back(offered(declared.name));
    }
  return result;
}

}  // namespace wormcast
