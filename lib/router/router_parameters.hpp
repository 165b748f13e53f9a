// The parameters of routers as one table: records, options, presets, --list and the schemas are made of it. A
// parameter that is added is a member of RouterModel, a row here, and what it means where worms are moved.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "router/discipline.hpp"
#include "router/router_model.hpp"
#include "topology/ids.hpp"

namespace wormcast {

struct RouterParameter {
  enum class Kind : std::uint8_t {
    number,    ///< in [least, most]
    channels,  ///< a number from 1, or words[0] for no limit, which is 0
    words,     ///< words[value]
    flag       ///< true or false
  };
  std::string_view key;  ///< of its member in records; its option is spelt with hyphens
  Kind kind = Kind::number;
  std::uint64_t (*get)(const RouterModel&) = nullptr;
  void (*set)(RouterModel&, std::uint64_t) = nullptr;
  std::uint64_t least = 0;            ///< as an option
  std::uint64_t least_in_record = 0;  ///< 1 where it is left out for 0
  std::uint64_t most = UINT32_MAX;
  std::array<std::string_view, 3> words{};  ///< empty behind the last
  /// Whether a record says it; nullptr: always.
  bool (*stated)(const RouterModel&) = nullptr;
  std::string_view help;     ///< of the option
  std::string_view meaning;  ///< in the schemas

  /// --hop-cycles
  std::string option() const;
  /// The same with its value.
  std::string said_of(const RouterModel& model) const;
  /// The words that there are.
  std::span<const std::string_view> known_words() const;
};

namespace router_parameter_builders {

using Kind = RouterParameter::Kind;

template <auto member>
constexpr RouterParameter at(std::string_view key, Kind kind) {
  RouterParameter parameter;
  parameter.key = key;
  parameter.kind = kind;
  parameter.get = [](const RouterModel& model) { return static_cast<std::uint64_t>(model.*member); };
  parameter.set = [](RouterModel& model, std::uint64_t value) {
    model.*member = static_cast<std::remove_reference_t<decltype(model.*member)>>(value);
  };
  return parameter;
}

template <auto member>
constexpr RouterParameter number(std::string_view key, std::uint64_t least, std::string_view help,
                                 std::string_view meaning) {
  RouterParameter parameter = at<member>(key, Kind::number);
  parameter.least = parameter.least_in_record = least;
  if (sizeof(RouterModel{}.*member) > sizeof(std::uint32_t)) parameter.most = max_integer;
  parameter.help = help;
  parameter.meaning = meaning;
  return parameter;
}
template <auto member>
constexpr RouterParameter channels(std::string_view key, std::string_view unlimited, std::string_view help,
                                   std::string_view meaning) {
  RouterParameter parameter = number<member>(key, 1, help, meaning);
  parameter.kind = Kind::channels;
  parameter.words = {unlimited};
  return parameter;
}
template <auto member>
constexpr RouterParameter words(std::string_view key, std::array<std::string_view, 3> words,
                                std::string_view help, std::string_view meaning) {
  RouterParameter parameter = number<member>(key, 0, help, meaning);
  parameter.kind = Kind::words;
  parameter.words = words;
  return parameter;
}
template <auto member>
constexpr RouterParameter flag(std::string_view key, std::string_view help, std::string_view meaning) {
  RouterParameter parameter = number<member>(key, 0, help, meaning);
  parameter.kind = Kind::flag;
  return parameter;
}

/// A record leaves it out where it is as usual.
template <auto member>
constexpr RouterParameter unless_usual(RouterParameter parameter) {
  parameter.stated = [](const RouterModel& model) { return model.*member != RouterModel{}.*member; };
  return parameter;
}
constexpr RouterParameter of_allocating_routers(RouterParameter parameter) {
  parameter.stated = [](const RouterModel& model) { return model.vc_allocation != VcAllocation::as_routed; };
  return parameter;
}
constexpr RouterParameter if_positive(RouterParameter parameter, bool (*stated)(const RouterModel&)) {
  parameter.least_in_record = 1;
  parameter.stated = stated;
  return parameter;
}

}  // namespace router_parameter_builders

/// Every parameter, in the order of records.
inline constexpr std::array router_parameters = [] {
  using namespace router_parameter_builders;
  using M = RouterModel;
  return std::array{
      number<&M::hop_cycles>("hop_cycles", 1,
                             "A header, from its start into a channel until it asks for the next (1)",
                             "H: header, channel to channel"),
      number<&M::flit_cycles>("flit_cycles", 1, "How long a flit occupies a channel (1)",
                              "F: a flit on a channel"),
      number<&M::credit_cycles>("credit_cycles", 1,
                                "From when a flit leaves a buffer until its slot can be used again (1)",
                                "C: until a slot can be reused"),
      number<&M::buffer_flits>("buffer_flits", 1, "Flits in the buffer of a virtual channel (4)",
                               "B, for each virtual channel"),
      number<&M::startup_cycles>("startup_cycles", 0, "At a multicast's source, before each worm (0)",
                                 "at the source"),
      number<&M::relay_startup_cycles>("relay_startup_cycles", 0,
                                       "At a node that sends on what it received (0)", "at a relay"),
      number<&M::overhead_cycles>("overhead_cycles", 0, "For each worm, after the startup (0)",
                                  "of each worm"),
      number<&M::header_flits>("header_flits", 0, "Added to every worm's length (0)", "added to each worm"),
      channels<&M::injection_channels>("injection_channels", "all",
                                       "How many worms a node sends at once; 'all' (default): no limit",
                                       "of each node; `\"all\"`: no limit"),
      channels<&M::consumption_channels>("consumption_channels", "per-input",
                                         "How many worms a node receives at once; 'per-input' (default): one "
                                         "from each input virtual channel",
                                         "of each node, with one queue; `\"per-input\"`: one for each input "
                                         "virtual channel. A host of a graph has one"),
      flag<&M::shared_links>("shared_links", "Virtual channels share the bandwidth of their link",
                             "virtual channels share the bandwidth of their link"),
      words<&M::vc_reuse>("vc_reuse", {"drained", "early"},
                          "A virtual channel is free again when 'drained' (default) or 'early', when the "
                          "tail has left the sender",
                          "when a virtual channel may be granted again: buffer empty, or tail sent"),
      words<&M::allocation>(
          "allocation", {"incremental", "atomic", "two-step"},
          "Lock-step outputs of a node: 'incremental' (default), 'atomic', or of all worms 'two-step': only "
          "while each has a slot, used from the next cycle on",
          "how a lock-step node requests its outputs; `\"two-step\"` as in 3.9; it requires early reuse and "
          "excludes shared links, other replications and arbitrations"),
      unless_usual<&M::arbitration>(
          words<&M::arbitration>("arbitration", {"round-robin", "first-come"},
                                 "Shared links: 'round-robin' (default) over virtual channels, or "
                                 "'first-come', the one granted first",
                                 "of a shared link: the next virtual channel, or the one granted first; "
                                 "omitted: `\"round-robin\"`")),
      unless_usual<&M::path_reservation>(flag<&M::path_reservation>(
          "path_reservation", "A worm takes its whole path or tree in one grant, before it starts",
          "a worm gets all its channels, injection and consumption included, in one grant, when it is first "
          "in all queues and all are free; until then it waits at its source; omitted: `false`")),
      if_positive(number<&M::routing_cycles>(
                      "routing_cycles", 0,
                      "Added to --hop-cycles for the header alone, not for the flits behind it (0)",
                      "added to H for headers only; omitted: 0"),
                  [](const M& m) { return m.routing_cycles > 0; }),
      if_positive(
          number<&M::consumption_cycles>(
              "consumption_cycles", 0,
              "From when a tail starts into a consumption channel until that is free again (a flit's time)",
              "a node returns a flit's credit so long after it started to move into a consumption channel; "
              "with `\"drained\"` reuse the channel is then free again, at the earliest F after the tail; "
              "omitted: F"),
          [](const M& m) { return m.consumption_cycles > 0 && m.consumption_cycles != m.flit_cycles; }),
      unless_usual<&M::copies>(words<&M::copies>(
          "replication", {"as-planned", "per-flit", "serial"},
          "Copies of a worm that branches: 'as-planned' (default), 'per-flit', a flit stays at the head of "
          "its buffer until every branch has taken it, or 'serial', one whole copy after the other",
          "how a worm that branches or is consumed on its way is copied. `\"per-flit\"`: its header requests "
          "all branches on arrival, consumption included; a flit stays at the head of its buffer, or source, "
          "until every branch has taken it, each when granted and with a slot; the next follows F after the "
          "last. `\"serial\"`: 3.9. Excludes atomic allocation and path reservation; omitted: "
          "`\"as-planned\"`")),
      unless_usual<&M::output_arbitration>(words<&M::output_arbitration>(
          "output_arbitration", {"first-come", "round-robin", "rotating"},
          "A free output goes to the request that is 'first-come' (default), by 'round-robin' over the "
          "inputs, or, while it has a slot, to the next input after the last: 'rotating'",
          "which request gets a free virtual channel or consumption channel: the first in its queue, or by "
          "inputs (3.9; `\"rotating\"` only with a free slot). Injection is first come, first served. "
          "Excludes atomic allocation and path reservation; omitted: `\"first-come\"`")),
      unless_usual<&M::consumption_release>(words<&M::consumption_release>(
          "consumption_release", {"arrived", "answered"},
          "A node's consumption channel that took what it answers is free when that has 'arrived' (default), "
          "or when the answer has left: 'answered'",
          "when a consumption channel that took a multicast which the node answers (3.2) is free again: as "
          "any other, or when also the tail of the answer has left its source. Excludes atomic allocation, "
          "path reservation, `islip`; omitted: `\"arrived\"`")),
      unless_usual<&M::ring_entry>(words<&M::ring_entry>(
          "ring_entry", {"any", "packet-bubble", "flit-bubble"},
          "Slots that a header needs: 'any' (default); 'packet-bubble', for its worm, to enter a ring for "
          "two; or 'flit-bubble', one, to enter a ring one more than its worm",
          "slots that a header needs behind the channel that it requests (3.9). Requires early reuse; "
          "excludes other allocations, replications and output arbitrations; omitted: `\"any\"`")),
      unless_usual<&M::vc_allocation>(words<&M::vc_allocation>(
          "vc_allocation", {"as-routed", "islip"},
          "A worm's virtual channels: 'as-routed' (default), those that its route states, or 'islip', chosen "
          "by routers that allocate them and the crossbar round robin, flit by flit, one iteration a cycle",
          "virtual channels are chosen by the route, or by routers (3.9), which requires `shared_links` and "
          "`per-flit` replication and excludes atomic allocation, path reservation, other arbitrations, F > "
          "1; omitted: `\"as-routed\"`")),
      of_allocating_routers(words<&M::vc_selection>(
          "vc_selection", {"preferred", "any"},
          "islip: a header asks for 'preferred' (default), the free virtual channels of the channel that its "
          "routing prefers and that has most free slots, or for 'any'",
          "only with `islip`: what a header requests")),
      of_allocating_routers(number<&M::vc_allocation_cycles>(
          "vc_allocation_cycles", 0,
          "islip: from the grant of a virtual channel until a flit may compete for the crossbar (1)",
          "only with `islip`: A, from VC allocation to switch allocation"))};
}();

/// Throws InputError on the key (`as_options`: the option) of a parameter that leaves another nothing to say.
void check_router(const RouterModel& model, bool as_options);

/// The option of the parameter with that key.
std::string router_option(std::string_view key);
/// The router with what chooses its discipline changed.
RouterModel with_discipline(RouterModel model, const Discipline& discipline);

/// The rules of what routers do that a proof may lean on, as assumptions call them, each with the same
/// routers without it. `answers`: nodes answer.
std::vector<std::pair<std::string, RouterModel>> rules_of(const RouterModel& model, bool answers);

/// A known router: options that make it out of the default.
struct RouterPreset {
  std::string_view name;
  std::string_view summary;
  std::string_view cite;  ///< where its parameters are from
  std::string_view options;
};
/// Every preset; the first is the default, and has no options.
std::span<const RouterPreset> router_presets();

}  // namespace wormcast
