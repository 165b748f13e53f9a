// The options that describe the routers: one parser for the simulator and the deadlock checker.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/command_line/command_line.hpp"
#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/router_model.hpp"

namespace wormcast::io {

/// What the user wrote; whatever is not given comes from the preset.
struct RouterOptions {
  std::string preset = "paper";
  std::optional<std::uint64_t> hop_cycles;
  std::optional<std::uint64_t> routing_cycles;
  std::optional<std::uint64_t> flit_cycles;
  std::optional<std::uint64_t> credit_cycles;
  std::optional<std::uint64_t> buffer_flits;
  std::optional<std::uint64_t> startup_cycles;
  std::optional<std::uint64_t> relay_startup_cycles;
  std::optional<std::uint64_t> overhead_cycles;
  std::optional<std::uint64_t> header_flits;
  std::optional<std::uint64_t> consumption_cycles;
  std::string injection_channels;    ///< "all", a number, or empty
  std::string consumption_channels;  ///< "per-input", a number, or empty
  bool shared_links = false;
  bool own_links = false;
  std::string arbitration;          ///< "round-robin", "first-come", or empty
  std::string vc_reuse;             ///< "drained", "early", or empty
  std::string allocation;           ///< "incremental", "atomic", or empty
  std::string replication;          ///< "as-planned", "per-flit", or empty
  std::string output_arbitration;   ///< "first-come", "round-robin", or empty
  std::string consumption_release;  ///< "arrived", "answered", or empty
  bool path_reservation = false;
  std::string vc_allocation;  ///< "as-routed", "islip", or empty
  std::string vc_selection;   ///< "preferred", "any", or empty
  std::optional<std::uint64_t> vc_allocation_cycles;

  friend bool operator==(const RouterOptions&, const RouterOptions&) = default;
};

/// A known router.
struct RouterPreset {
  std::string_view name;
  std::string_view summary;
  std::string_view cite;  ///< where its parameters are from
  RouterModel model;
};
/// Every preset; the first is the default.
std::span<const RouterPreset> router_presets();
/// The options that make `model` out of `beside`, where they differ in numbers, channels or shared links;
/// what a preset does not change is left out.
std::string router_options_of(const RouterModel& model, const RouterModel& beside);
/// The presets with their parameters as options and their sources, for --list.
std::string list_router_presets();

void add_router_options(CommandLine& line, RouterOptions& options);
/// The preset with what the options change; throws InputError for values out of range.
RouterModel router_model(const RouterOptions& options);

/// What the rules are called where they are said: options, or members of a record.
struct RuleNames {
  const char* path_reservation;
  const char* allocation;
  const char* replication;
  const char* output_arbitration;
  const char* consumption_release;
  const char* arbitration;
  const char* flit_cycles;
  const char* vc_allocation;
};
/// Throws InputError where one rule leaves nothing for another to say.
void refuse_contradictions(const RouterModel& model, const RuleNames& names);
/// Throws InputError on `name` where a credit takes longer on a consumption channel than on any other: H + C.
void check_consumption_cycles(const RouterModel& model, const char* name);

/// Every parameter as members of a record. Of the last ten each is omitted where it is as usual:
/// round-robin, false, 0, F, as planned, first-come, arrived, as routed; and the last two where routers do
/// not allocate.
inline constexpr std::array<std::string_view, 23> router_members = {
    "hop_cycles",         "flit_cycles",          "credit_cycles",       "buffer_flits",
    "startup_cycles",     "relay_startup_cycles", "overhead_cycles",     "header_flits",
    "injection_channels", "consumption_channels", "shared_links",        "vc_reuse",
    "allocation",         "arbitration",          "path_reservation",    "routing_cycles",
    "consumption_cycles", "replication",          "output_arbitration",  "consumption_release",
    "vc_allocation",      "vc_selection",         "vc_allocation_cycles"};
inline constexpr bool router_member_required(std::string_view key) {
  return key != "arbitration" && key != "path_reservation" && key != "routing_cycles" &&
         key != "consumption_cycles" && key != "replication" && key != "output_arbitration" &&
         key != "consumption_release" && key != "vc_allocation" && key != "vc_selection" &&
         key != "vc_allocation_cycles";
}
void write_router_members(const RouterModel& model, RecordLine& line);
/// Takes the value of router_members[index].
void read_router_member(std::size_t index, const Value& value, RouterModel& model);
/// Throws InputError on the key of a value that others, wherever they stood, do not allow.
void check_router_members(const RouterModel& model);

}  // namespace wormcast::io
