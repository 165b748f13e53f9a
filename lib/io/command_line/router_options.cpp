// Router presets and the options that change them, made of the table of router parameters.
// SPDX-License-Identifier: MIT
#include "io/command_line/router_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

using ParameterKind = RouterParameter::Kind;

constexpr std::size_t place_of(std::string_view key) {
  std::size_t place = 0;
  while (router_parameters[place].key != key) ++place;
  return place;
}

/// The value of a parameter as its option gives it.
std::uint64_t value_of(const RouterParameter& parameter, const RouterOptions::Given& given) {
  if (parameter.kind == ParameterKind::number) {
    if (*given.number < parameter.least || *given.number > parameter.most)
      refuse(parameter.option(), "{} is not between {} and {}", *given.number, parameter.least,
             parameter.most);
    return *given.number;
  }
  const auto words = parameter.known_words();
  const auto word = std::find(words.begin(), words.end(), given.text);
  if (word != words.end()) return static_cast<std::uint64_t>(word - words.begin());
  if (parameter.kind == ParameterKind::words)
    refuse(parameter.option(), "'{}' is neither '{}'", given.text, fmt::join(words, "' nor '"));
  constexpr std::size_t most_digits = 9;
  if (given.text.size() > most_digits || given.text[0] == '0' ||
      given.text.find_first_not_of("0123456789") != std::string::npos)
    refuse(parameter.option(), "'{}' is neither '{}' nor a number from 1", given.text, words[0]);
  return std::stoul(given.text);
}

bool is_given(const RouterOptions::Given& given) { return given.number || !given.text.empty() || given.flag; }

/// Sets what is given.
void take(const RouterOptions& options, RouterModel& model) {
  for (std::size_t i = 0; i < router_parameters.size(); ++i) {
    const RouterParameter& parameter = router_parameters[i];
    if (is_given(options.given[i]))
      parameter.set(model, parameter.kind == ParameterKind::flag ? 1 : value_of(parameter, options.given[i]));
  }
}

RouterModel preset_model(std::string_view name) {
  std::vector<std::string_view> known;
  for (const RouterPreset& preset : router_presets()) {
    known.push_back(preset.name);
    if (preset.name != name) continue;
    RouterModel model;
    auto word = [rest = preset.options]() mutable {
      const std::string_view next = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(next.size() + 1, rest.size()));
      return next;
    };
    for (std::string_view option = word(); !option.empty(); option = word()) {
      const auto parameter = std::find_if(router_parameters.begin(), router_parameters.end(),
                                          [&](const RouterParameter& p) { return p.option() == option; });
      RouterOptions::Given given;
      if (parameter->kind != ParameterKind::flag) given.text = word();
      if (parameter->kind == ParameterKind::number) given.number = std::stoul(given.text);
      parameter->set(model, parameter->kind == ParameterKind::flag ? 1 : value_of(*parameter, given));
    }
    return model;
  }
  throw InputError("--preset", unknown_name_message("preset", name, known));
}

/// Routers that allocate copy flit by flit, and their virtual channels share links.
void settle_allocation(const RouterOptions& options, RouterModel& model) {
  const auto given = [&](std::string_view key) -> const RouterOptions::Given& {
    return options.given[place_of(key)];
  };
  if (!model.discipline().chooses_vcs) {
    if (is_given(given("vc_selection")))
      refuse("--vc-selection", "only routers that allocate (--vc-allocation islip) select");
    if (is_given(given("vc_allocation_cycles")))
      refuse("--vc-allocation-cycles", "only routers that allocate (--vc-allocation islip) need it");
    if (model.arbitration == Arbitration::first_come && !model.shared_links)
      refuse("--arbitration", "only links that are shared (--shared-links) need it");
    return;
  }
  if (options.own_links)
    refuse("--own-links", "excludes --vc-allocation islip: virtual channels share their link");
  if (is_given(given("replication")) && !is_stated(model.copies))
    refuse("--replication", "excludes --vc-allocation islip: flits are copied one by one");
  model.shared_links = true;
  model.copies = Copies::per_flit;
}

}  // namespace

void add_router_options(CommandLine& line, RouterOptions& options) {
  line.group("Router");
  std::string presets;
  for (const RouterPreset& preset : router_presets()) presets += fmt::format("|{}", preset.name);
  line.add_option(
      "--preset", options.preset, presets.substr(1),
      "A known router (default: paper; see simulate-wormhole --list), which the other options change");
  for (std::size_t i = 0; i < router_parameters.size(); ++i) {
    const RouterParameter& parameter = router_parameters[i];
    RouterOptions::Given& given = options.given[i];
    const std::string name = parameter.option(), help(parameter.help);
    if (parameter.kind == ParameterKind::flag) {
      const Option flag = line.add_flag(name, given.flag, help);
      if (parameter.key == "shared_links")
        line.add_flag("--own-links", options.own_links,
                      "Each virtual channel has the full bandwidth (default)")
            .excludes(flag);
    } else if (parameter.kind == ParameterKind::number) {
      line.add_option(name, given.number, help);
    } else {
      const std::string words = fmt::format("{}", fmt::join(parameter.known_words(), "|"));
      line.add_option(name, given.text, parameter.kind == ParameterKind::channels ? "N|" + words : words,
                      help);
    }
  }
  line.group();
}

RouterModel router_model(const RouterOptions& options) {
  RouterModel model = preset_model(options.preset);
  const std::uint32_t usual_consumption = model.consumption_cycles;
  take(options, model);
  if (options.own_links) model.shared_links = false;
  // A preset's consumption cycles, with other hop or credit cycles than its own.
  if (!is_given(options.given[place_of("consumption_cycles")]))
    model.consumption_cycles = std::min(usual_consumption, model.hop_cycles + model.credit_cycles);
  settle_allocation(options, model);
  check_router(model, true);
  return model;
}

std::string list_router_presets() {
  std::string lines;
  for (const RouterPreset& preset : router_presets()) {
    std::string options;
    if (preset.options.empty())
      for (const RouterParameter& parameter : router_parameters)
        if (parameter.kind != ParameterKind::flag)
          options += (options.empty() ? "" : " ") + parameter.said_of(RouterModel{});
    lines += fmt::format("{}\n    {}\n    {}{}\n    cite: {}\n", preset.name, preset.summary,
                         preset.options.empty() ? "" : "as paper, but ",
                         preset.options.empty() ? options : preset.options, preset.cite);
  }
  return lines;
}

}  // namespace wormcast::io
