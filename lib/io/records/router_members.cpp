// How the parameters of routers stand in records, and what no two of them may say.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>

#include "io/command_line/router_options.hpp"
#include "topology/error.hpp"

namespace wormcast::io {

void check_consumption_cycles(const RouterModel& model, const char* name) {
  const std::uint64_t most = std::uint64_t{model.hop_cycles} + model.credit_cycles;
  if (model.consumption_cycles > most)
    throw InputError(
        name, fmt::format("{} is more than {}, the hop and credit cycles", model.consumption_cycles, most));
}

namespace {

void refuse_beside_allocation(const RouterModel& model, const RuleNames& names) {
  if (model.vc_allocation == VcAllocation::as_routed) return;
  const auto refuse = [&](const char* name, const char* reason) {
    throw InputError(name, std::string("excludes ") + names.vc_allocation + " islip: " + reason);
  };
  if (model.path_reservation) refuse(names.path_reservation, "nothing is chosen on a way that is reserved");
  if (model.consumption_release == ConsumptionRelease::answered)
    refuse(names.consumption_release, "its consumption links have virtual channels, which no answer holds");
  if (model.allocation == Allocation::atomic)
    refuse(names.allocation, "every branch takes a virtual channel when it can");
  if (model.output_arbitration == OutputArbitration::round_robin)
    refuse(names.output_arbitration, "outputs are matched with inputs by iSLIP");
  if (model.arbitration == Arbitration::first_come)
    refuse(names.arbitration, "links are matched with inputs by iSLIP");
  if (model.flit_cycles != 1) refuse(names.flit_cycles, "a flit crosses in every cycle");
}

}  // namespace

void refuse_contradictions(const RouterModel& model, const RuleNames& names) {
  refuse_beside_allocation(model, names);
  const bool atomic = model.allocation == Allocation::atomic;
  const bool per_flit = model.copies == Copies::per_flit;
  const bool round_robin = model.output_arbitration == OutputArbitration::round_robin;
  const auto refuse = [](const char* name, const std::string& other, const char* reason) {
    throw InputError(name, "excludes " + other + ": " + reason);
  };
  const std::string atomic_name = std::string(names.allocation) + " atomic";
  if (model.path_reservation && atomic)
    refuse(names.path_reservation, atomic_name, "nothing is asked for on the way");
  if (model.path_reservation && per_flit)
    refuse(names.path_reservation, std::string(names.replication) + " per-flit",
           "a worm that has all its way never waits with a copy");
  if (model.path_reservation && round_robin)
    refuse(names.path_reservation, std::string(names.output_arbitration) + " round-robin",
           "worms wait at their sources, in one queue for all that is on their way");
  if (model.path_reservation && model.consumption_release == ConsumptionRelease::answered)
    refuse(names.path_reservation, std::string(names.consumption_release) + " answered",
           "a worm that waits for its way would hold what it answers");
  if (atomic && model.consumption_release == ConsumptionRelease::answered)
    refuse(names.consumption_release, atomic_name,
           "a worm that asks for several outputs at once waits in queues, through which answers are not "
           "followed");
  if (per_flit && atomic) refuse(names.replication, atomic_name, "every branch takes a flit when it can");
  if (round_robin && atomic)
    refuse(names.output_arbitration, atomic_name,
           "a worm that asks for several outputs at once waits in queues");
}

void write_router_members(const RouterModel& model, RecordLine& line) {
  line.key("hop_cycles").number(model.hop_cycles);
  line.key("flit_cycles").number(model.flit_cycles);
  line.key("credit_cycles").number(model.credit_cycles);
  line.key("buffer_flits").number(model.buffer_flits);
  line.key("startup_cycles").number(model.startup_cycles);
  line.key("relay_startup_cycles").number(model.relay_startup_cycles);
  line.key("overhead_cycles").number(model.overhead_cycles);
  line.key("header_flits").number(model.header_flits);
  line.key("injection_channels");
  if (model.injection_channels == 0)
    line.string("all");
  else
    line.number(model.injection_channels);
  line.key("consumption_channels");
  if (model.consumption_channels == 0)
    line.string("per-input");
  else
    line.number(model.consumption_channels);
  line.key("shared_links").boolean(model.shared_links);
  line.key("vc_reuse").string(model.vc_reuse == VcReuse::early ? "early" : "drained");
  line.key("allocation").string(model.allocation == Allocation::atomic ? "atomic" : "incremental");
  if (model.arbitration == Arbitration::first_come) line.key("arbitration").string("first-come");
  if (model.path_reservation) line.key("path_reservation").boolean(true);
  if (model.routing_cycles > 0) line.key("routing_cycles").number(model.routing_cycles);
  if (model.consumption_cycles > 0 && model.consumption_cycles != model.flit_cycles)  // F is the default
    line.key("consumption_cycles").number(model.consumption_cycles);
  if (model.copies == Copies::per_flit) line.key("replication").string("per-flit");
  if (model.output_arbitration == OutputArbitration::round_robin)
    line.key("output_arbitration").string("round-robin");
  if (model.consumption_release == ConsumptionRelease::answered)
    line.key("consumption_release").string("answered");
  if (model.vc_allocation == VcAllocation::as_routed) return;
  line.key("vc_allocation").string("islip");
  line.key("vc_selection").string(model.vc_selection == VcSelection::any ? "any" : "preferred");
  line.key("vc_allocation_cycles").number(model.vc_allocation_cycles);
}

namespace {

/// The word that stands for no limit, or a positive number.
std::uint32_t read_channels(const Value& value, std::string_view word) {
  if (value.type() == JsonType::string && value.text() == word) return 0;
  if (value.type() == JsonType::string)
    value.fail(fmt::format("{} is neither \"{}\" nor a number", value.shown(), word));
  return static_cast<std::uint32_t>(value.integer(1, UINT32_MAX));
}

bool read_word(const Value& value, std::string_view first, std::string_view second) {
  if (value.text() != first && value.text() != second)
    value.fail(fmt::format("{} is neither \"{}\" nor \"{}\"", value.shown(), first, second));
  return value.text() == second;
}

}  // namespace

void read_router_member(std::size_t index, const Value& value, RouterModel& model) {
  const auto small = [&](std::uint64_t least) {
    return static_cast<std::uint32_t>(value.integer(least, UINT32_MAX));
  };
  switch (index) {
    case 0:
      model.hop_cycles = small(1);
      break;
    case 1:
      model.flit_cycles = small(1);
      break;
    case 2:
      model.credit_cycles = small(1);
      break;
    case 3:
      model.buffer_flits = small(1);
      break;
    case 4:
      model.startup_cycles = value.integer(0);
      break;
    case 5:
      model.relay_startup_cycles = value.integer(0);
      break;
    case 6:
      model.overhead_cycles = value.integer(0);
      break;
    case 7:
      model.header_flits = small(0);
      break;
    case 8:
      model.injection_channels = read_channels(value, "all");
      break;
    case 9:
      model.consumption_channels = read_channels(value, "per-input");
      break;
    case 10:
      model.shared_links = value.boolean();
      break;
    case 11:
      model.vc_reuse = read_word(value, "drained", "early") ? VcReuse::early : VcReuse::drained;
      break;
    case 12:
      model.allocation =
          read_word(value, "incremental", "atomic") ? Allocation::atomic : Allocation::incremental;
      break;
    case 13:
      model.arbitration =
          read_word(value, "round-robin", "first-come") ? Arbitration::first_come : Arbitration::round_robin;
      break;
    case 14:
      model.path_reservation = value.boolean();
      break;
    case 15:
      model.routing_cycles = small(1);
      break;
    case 16:
      model.consumption_cycles = small(1);
      break;
    case 17:
      model.copies = read_word(value, "as-planned", "per-flit") ? Copies::per_flit : Copies::as_planned;
      break;
    case 18:
      model.output_arbitration = read_word(value, "first-come", "round-robin")
                                     ? OutputArbitration::round_robin
                                     : OutputArbitration::first_come;
      break;
    case 19:
      model.consumption_release = read_word(value, "arrived", "answered") ? ConsumptionRelease::answered
                                                                          : ConsumptionRelease::arrived;
      break;
    case 20:
      model.vc_allocation =
          read_word(value, "as-routed", "islip") ? VcAllocation::islip : VcAllocation::as_routed;
      break;
    case 21:
      model.vc_selection = read_word(value, "preferred", "any") ? VcSelection::any : VcSelection::preferred;
      break;
    case 22:
      model.vc_allocation_cycles = small(0);
      break;
    default:
      break;
  }
}

void check_router_members(const RouterModel& model) {
  check_consumption_cycles(model, "consumption_cycles");
  refuse_contradictions(model, {.path_reservation = "path_reservation",
                                .allocation = "allocation",
                                .replication = "replication",
                                .output_arbitration = "output_arbitration",
                                .consumption_release = "consumption_release",
                                .arbitration = "arbitration",
                                .flit_cycles = "flit_cycles",
                                .vc_allocation = "vc_allocation"});
}

}  // namespace wormcast::io
