// Router presets (`simulate-wormhole --list` says what they are and where from) and the options that change
// them.
// SPDX-License-Identifier: MIT
#include "io/command_line/router_options.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <string_view>

#include "io/text/json_text.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

/// A flit takes 3 cycles a hop, a header one more to be routed and a packet 6 more; a slot is used again
/// after 5 = H + C, and ejection channels, too, wait for the credit of the tail.
RouterModel booksim_minimal() {
  RouterModel model;
  model.hop_cycles = 3;
  model.routing_cycles = 1;
  model.credit_cycles = 2;
  model.consumption_cycles = 5;
  model.buffer_flits = 8;
  model.overhead_cycles = 6;
  model.injection_channels = 1;
  model.consumption_channels = 1;
  model.shared_links = true;
  return model;
}

RouterModel infiniband() {
  RouterModel model;
  model.hop_cycles = 20;
  model.credit_cycles = 20;
  model.buffer_flits = 128;
  model.startup_cycles = 200;
  model.relay_startup_cycles = 200;
  model.injection_channels = 1;
  model.consumption_channels = 1;
  return model;
}

/// A flit wins the crossbar, crosses it and the link: 3 cycles; a header needs one more for its virtual
/// channel. A slot is used again after 5 = H + C, and ejection channels, too, have slots and credits. A
/// packet takes 4 more: two from its source, two to its destination.
RouterModel booksim_iq() {
  RouterModel model = booksim_minimal();
  model.routing_cycles = 0;
  model.overhead_cycles = 5;
  model.vc_reuse = VcReuse::early;
  model.copies = Copies::per_flit;
  model.vc_allocation = VcAllocation::islip;
  model.vc_selection = VcSelection::any;
  return model;
}

/// A slot is used again two cycles after its flit left, which is a cycle after it came: H + C = 2 = B.
RouterModel floonoc() {
  RouterModel model;
  model.buffer_flits = 2;
  model.injection_channels = 1;
  model.consumption_channels = 1;
  model.vc_reuse = VcReuse::early;
  model.copies = Copies::per_flit;
  model.output_arbitration = OutputArbitration::round_robin;
  return model;
}

RouterModel preset_model(std::string_view name) {
  std::vector<std::string_view> known;
  for (const RouterPreset& preset : router_presets()) {
    if (preset.name == name) return preset.model;
    known.push_back(preset.name);
  }
  throw InputError("--preset", unknown_name_message("preset", name, known));
}

template <class Integer>
void take(std::string_view option, const std::optional<std::uint64_t>& given, std::uint64_t least,
          Integer& value) {
  if (!given) return;
  const std::uint64_t most = std::min<std::uint64_t>(std::numeric_limits<Integer>::max(), max_integer);
  if (*given < least || *given > most)
    throw InputError(std::string(option), fmt::format("{} is not between {} and {}", *given, least, most));
  value = static_cast<Integer>(*given);
}

/// A positive number of channels, or 0 for the word that means no limit.
void take_channels(std::string_view option, std::string_view given, std::string_view word,
                   std::uint32_t& value) {
  if (given.empty()) return;
  if (given == word) {
    value = 0;
    return;
  }
  const bool digits = given.size() <= 9 && given.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits || given[0] == '0')
    throw InputError(std::string(option),
                     fmt::format("'{}' is neither '{}' nor a number from 1", given, word));
  value = 0;
  for (const char digit : given) value = value * 10 + static_cast<std::uint32_t>(digit - '0');
}

/// True if `given` is the second of the two words; what stands in `value` if it is empty.
bool take_word(std::string_view option, std::string_view given, std::string_view first,
               std::string_view second, bool value) {
  if (given.empty()) return value;
  if (given != first && given != second)
    throw InputError(std::string(option), fmt::format("'{}' is neither '{}' nor '{}'", given, first, second));
  return given == second;
}

const char* reuse_name(const RouterModel& model) {
  return model.vc_reuse == VcReuse::early ? "early" : "drained";
}
const char* copies_name(const RouterModel& model) {
  return model.copies == Copies::per_flit ? "per-flit" : "as-planned";
}
const char* selection_name(const RouterModel& model) {
  return model.vc_selection == VcSelection::any ? "any" : "preferred";
}
const char* arbitration_name(const RouterModel& model) {
  return model.output_arbitration == OutputArbitration::round_robin ? "round-robin" : "first-come";
}

}  // namespace

std::span<const RouterPreset> router_presets() {
  static const std::array<RouterPreset, 5> presets = {
      {{"paper", "the ideal router of the papers: sources send through all ports, no startup",
        "Bouchitté, Cohen, Fleury 1997, equation (1)", RouterModel{}},
       {"booksim-minimal",
        "BookSim 2's input-queued router at its shortest pipeline: routing, allocation and traversal in a "
        "cycle each, speculation on",
        "Jiang et al. 2013 (BookSim 2, iq router, speculative = 1)", booksim_minimal()},
       {"booksim-iq",
        "BookSim 2's input-queued router as it comes, with look-ahead routing: virtual channels and the "
        "crossbar "
        "allocated by iSLIP, one iteration, virtual channels used again early",
        "Jiang et al. 2013 (BookSim 2, iq router, routing_delay = 0)", booksim_iq()},
       {"infiniband",
        "a switch of about 100 ns and a host of about 1 us; a cycle is 5 ns, a flit a 64-byte block at 100 "
        "Gbit/s, a buffer two 4 KiB packets",
        "round figures, no measured product", infiniband()},
       {"floonoc",
        "a published on-chip router that copies in the router, flit by flit: single-cycle hops, input "
        "buffers "
        "of 2 flits, which worms share one behind the other, one local port, round robin over inputs",
        "PULP platform, FlooNoC (floo_router, InFifoDepth 2, OutFifoDepth 0), cycle for cycle", floonoc()}}};
  return presets;
}

std::string router_options_of(const RouterModel& model, const RouterModel& beside) {
  std::string text;
  const auto add = [&](std::string_view option, const std::string& value, const std::string& other) {
    if (value != other)
      text += fmt::format("{}--{}{}{}", text.empty() ? "" : " ", option, value.empty() ? "" : " ", value);
  };
  const auto number = [&](std::string_view option, auto member) {
    add(option, std::to_string(model.*member), std::to_string(beside.*member));
  };
  const auto channels = [&](std::string_view option, auto member, const char* unlimited) {
    const auto shown = [&](std::uint32_t count) { return count == 0 ? unlimited : std::to_string(count); };
    add(option, shown(model.*member), shown(beside.*member));
  };
  number("hop-cycles", &RouterModel::hop_cycles);
  number("routing-cycles", &RouterModel::routing_cycles);
  number("flit-cycles", &RouterModel::flit_cycles);
  number("credit-cycles", &RouterModel::credit_cycles);
  number("buffer-flits", &RouterModel::buffer_flits);
  number("startup-cycles", &RouterModel::startup_cycles);
  number("relay-startup-cycles", &RouterModel::relay_startup_cycles);
  number("overhead-cycles", &RouterModel::overhead_cycles);
  number("header-flits", &RouterModel::header_flits);
  channels("injection-channels", &RouterModel::injection_channels, "all");
  channels("consumption-channels", &RouterModel::consumption_channels, "per-input");
  number("consumption-cycles", &RouterModel::consumption_cycles);
  if (model.vc_allocation == VcAllocation::islip) {
    add("vc-allocation", "islip", beside.vc_allocation == VcAllocation::islip ? "islip" : "as-routed");
    add("vc-selection", selection_name(model), "");
    number("vc-allocation-cycles", &RouterModel::vc_allocation_cycles);
  }
  add("vc-reuse", reuse_name(model), reuse_name(beside));
  add("replication", copies_name(model), copies_name(beside));
  add("output-arbitration", arbitration_name(model), arbitration_name(beside));
  if (model.shared_links != beside.shared_links)
    add(model.shared_links ? "shared-links" : "own-links", "", "-");
  return text;
}

std::string list_router_presets() {
  RouterModel other;  // in every number another, so that the list of the first preset says all
  other.hop_cycles = other.flit_cycles = other.credit_cycles = other.buffer_flits = 0;
  other.startup_cycles = other.relay_startup_cycles = other.overhead_cycles = other.header_flits = 1;
  other.injection_channels = other.consumption_channels = other.routing_cycles = other.consumption_cycles = 1;
  other.shared_links = true;
  other.vc_reuse = VcReuse::early;
  other.copies = Copies::per_flit;
  other.output_arbitration = OutputArbitration::round_robin;
  std::string lines;
  const RouterPreset& first = router_presets().front();
  for (const RouterPreset& preset : router_presets()) {
    const bool usual = &preset == &first;
    lines += fmt::format("{}\n    {}\n    {}{}\n    cite: {}\n", preset.name, preset.summary,
                         usual ? "" : fmt::format("as {}, but ", first.name),
                         router_options_of(preset.model, usual ? other : first.model), preset.cite);
  }
  return lines;
}

void add_router_options(CommandLine& line, RouterOptions& o) {
  const std::string group = "Router";
  const auto add = [&](const std::string& name, auto& value, const std::string& help) {
    return line.add_option(name, value, help).group(group);
  };
  add("--preset", o.preset,
      "A known router (default: paper; see simulate-wormhole --list), which the other options change")
      .type_name("paper|booksim-minimal|booksim-iq|infiniband|floonoc");
  add("--hop-cycles", o.hop_cycles, "A header, from its start into a channel until it asks for the next (1)");
  add("--routing-cycles", o.routing_cycles,
      "Added to that for the header alone, not for the flits behind it (0)");
  add("--flit-cycles", o.flit_cycles, "How long a flit occupies a channel (1)");
  add("--credit-cycles", o.credit_cycles,
      "From when a flit leaves a buffer until its slot can be used again (1)");
  add("--buffer-flits", o.buffer_flits, "Flits in the buffer of a virtual channel (4)");
  add("--startup-cycles", o.startup_cycles, "At a multicast's source, before each worm (0)");
  add("--relay-startup-cycles", o.relay_startup_cycles, "At a node that sends on what it received (0)");
  add("--overhead-cycles", o.overhead_cycles, "For each worm, after the startup (0)");
  add("--header-flits", o.header_flits, "Added to every worm's length (0)");
  add("--injection-channels", o.injection_channels,
      "How many worms a node sends at once; 'all' (default): no limit")
      .type_name("N|all");
  add("--consumption-channels", o.consumption_channels,
      "How many worms a node receives at once; 'per-input' (default): one from each input virtual channel")
      .type_name("N|per-input");
  add("--consumption-cycles", o.consumption_cycles,
      "From when a tail starts into a consumption channel until that is free again (a flit's time)");
  const Option shared =
      line.add_flag("--shared-links", o.shared_links, "Virtual channels share the bandwidth of their link")
          .group(group);
  line.add_flag("--own-links", o.own_links, "Each virtual channel has the full bandwidth (default)")
      .group(group)
      .excludes(shared);
  add("--arbitration", o.arbitration,
      "Shared links: 'round-robin' (default) over virtual channels, or 'first-come', the one granted first");
  add("--vc-reuse", o.vc_reuse,
      "A virtual channel is free again when 'drained' (default) or 'early', when the tail has left the "
      "sender")
      .type_name("drained|early");
  add("--allocation", o.allocation, "Lock-step outputs of a node: 'incremental' (default) or 'atomic'")
      .type_name("incremental|atomic");
  add("--replication", o.replication,
      "Copies of a worm that branches: 'as-planned' (default), or 'per-flit', a flit stays at the head of "
      "its "
      "buffer until every branch has taken it")
      .type_name("as-planned|per-flit");
  add("--output-arbitration", o.output_arbitration,
      "A free output goes to the request that is 'first-come' (default), or by 'round-robin' over the inputs")
      .type_name("first-come|round-robin");
  add("--consumption-release", o.consumption_release,
      "A node's consumption channel that took what it answers is free when that has 'arrived' (default), or "
      "when the answer has left: 'answered'")
      .type_name("arrived|answered");
  add("--vc-allocation", o.vc_allocation,
      "A worm's virtual channels: 'as-routed' (default), those that its route states, or 'islip', chosen by "
      "routers "
      "that allocate them and the crossbar round robin, flit by flit, one iteration a cycle")
      .type_name("as-routed|islip");
  add("--vc-selection", o.vc_selection,
      "islip: a header asks for 'preferred' (default), the free virtual channels of the channel that its "
      "routing "
      "prefers and that has most free slots, or for 'any'")
      .type_name("preferred|any");
  add("--vc-allocation-cycles", o.vc_allocation_cycles,
      "islip: from the grant of a virtual channel until a flit may compete for the crossbar (1)");
  line.add_flag("--path-reservation", o.path_reservation,
                "A worm takes its whole path or tree in one grant, before it starts")
      .group(group);
}

namespace {

/// Routers that allocate copy flit by flit, and their virtual channels share links.
void take_vc_allocation(const RouterOptions& options, RouterModel& model) {
  const bool islip = take_word("--vc-allocation", options.vc_allocation, "as-routed", "islip",
                               model.vc_allocation == VcAllocation::islip);
  model.vc_allocation = islip ? VcAllocation::islip : VcAllocation::as_routed;
  if (!islip && !options.vc_selection.empty())
    throw InputError("--vc-selection", "only routers that allocate (--vc-allocation islip) select");
  if (!islip && options.vc_allocation_cycles)
    throw InputError("--vc-allocation-cycles", "only routers that allocate (--vc-allocation islip) need it");
  if (!islip) return;
  model.vc_selection = take_word("--vc-selection", options.vc_selection, "preferred", "any",
                                 model.vc_selection == VcSelection::any)
                           ? VcSelection::any
                           : VcSelection::preferred;
  take("--vc-allocation-cycles", options.vc_allocation_cycles, 0, model.vc_allocation_cycles);
  if (options.own_links)
    throw InputError("--own-links", "excludes --vc-allocation islip: virtual channels share their link");
  if (options.replication == "as-planned")
    throw InputError("--replication", "excludes --vc-allocation islip: flits are copied one by one");
  model.shared_links = true;
  model.copies = Copies::per_flit;
}

/// What is said in words: how resources are asked for, granted and let go of.
void take_rules(const RouterOptions& options, RouterModel& model) {
  model.vc_reuse =
      take_word("--vc-reuse", options.vc_reuse, "drained", "early", model.vc_reuse == VcReuse::early)
          ? VcReuse::early
          : VcReuse::drained;
  model.allocation = take_word("--allocation", options.allocation, "incremental", "atomic",
                               model.allocation == Allocation::atomic)
                         ? Allocation::atomic
                         : Allocation::incremental;
  model.copies = take_word("--replication", options.replication, "as-planned", "per-flit",
                           model.copies == Copies::per_flit)
                     ? Copies::per_flit
                     : Copies::as_planned;
  model.output_arbitration =
      take_word("--output-arbitration", options.output_arbitration, "first-come", "round-robin",
                model.output_arbitration == OutputArbitration::round_robin)
          ? OutputArbitration::round_robin
          : OutputArbitration::first_come;
  model.consumption_release = take_word("--consumption-release", options.consumption_release, "arrived",
                                        "answered", model.consumption_release == ConsumptionRelease::answered)
                                  ? ConsumptionRelease::answered
                                  : ConsumptionRelease::arrived;
  model.path_reservation = options.path_reservation;
  take_vc_allocation(options, model);
  refuse_contradictions(model, {.path_reservation = "--path-reservation",
                                .allocation = "--allocation",
                                .replication = "--replication",
                                .output_arbitration = "--output-arbitration",
                                .consumption_release = "--consumption-release",
                                .arbitration = "--arbitration",
                                .flit_cycles = "--flit-cycles",
                                .vc_allocation = "--vc-allocation"});
}

}  // namespace

RouterModel router_model(const RouterOptions& options) {
  RouterModel model = preset_model(options.preset);
  take("--hop-cycles", options.hop_cycles, 1, model.hop_cycles);
  take("--routing-cycles", options.routing_cycles, 0, model.routing_cycles);
  take("--flit-cycles", options.flit_cycles, 1, model.flit_cycles);
  take("--credit-cycles", options.credit_cycles, 1, model.credit_cycles);
  take("--buffer-flits", options.buffer_flits, 1, model.buffer_flits);
  take("--startup-cycles", options.startup_cycles, 0, model.startup_cycles);
  take("--relay-startup-cycles", options.relay_startup_cycles, 0, model.relay_startup_cycles);
  take("--overhead-cycles", options.overhead_cycles, 0, model.overhead_cycles);
  take("--header-flits", options.header_flits, 0, model.header_flits);
  take("--consumption-cycles", options.consumption_cycles, 0, model.consumption_cycles);
  if (options.consumption_cycles) check_consumption_cycles(model, "--consumption-cycles");
  const std::uint64_t most = std::uint64_t{model.hop_cycles} + model.credit_cycles;
  if (model.consumption_cycles > most)  // a preset's, with other options
    model.consumption_cycles = static_cast<std::uint32_t>(most);
  take_channels("--injection-channels", options.injection_channels, "all", model.injection_channels);
  take_channels("--consumption-channels", options.consumption_channels, "per-input",
                model.consumption_channels);
  model.shared_links = options.shared_links || (model.shared_links && !options.own_links);
  if (take_word("--arbitration", options.arbitration, "round-robin", "first-come",
                model.arbitration == Arbitration::first_come))
    model.arbitration = Arbitration::first_come;
  if (model.arbitration == Arbitration::first_come && !model.shared_links && options.vc_allocation != "islip")
    throw InputError("--arbitration", "only links that are shared (--shared-links) need it");
  take_rules(options, model);
  return model;
}

}  // namespace wormcast::io
