// Codecs of delivery and channel-load records.
// SPDX-License-Identifier: MIT
#include "io/records/delivery_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "io/records/multicast_record.hpp"
#include "io/text/members.hpp"
#include "multicast/check.hpp"
#include "report/decimal.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 5> measured_members = {
    {{"latency_cycles"}, {"arrival_cycles"}, {"source_queueing_cycles"}, {"blocked_cycles"}, {"contention"}}};
constexpr auto delivery_members = join(join(request_members, planner_members), measured_members);

constexpr std::array<Member, 10> load_members = {{{"kind"},
                                                  {"channel"},
                                                  {"from"},
                                                  {"to"},
                                                  {"port"},
                                                  {"worms"},
                                                  {"flits"},
                                                  {"held_cycles"},
                                                  {"observed_cycles", false},
                                                  {"flits_per_cycle", false}}};
constexpr std::size_t load_integers = 8;

}  // namespace

std::string_view write_delivery_record(const Delivery& delivery, RecordLine& line) {
  line.begin("delivery");
  write_request_members(delivery.plan.request, line);
  write_planner_members(delivery.plan, line);
  write_measure_members(delivery.plan, line);
  line.key("latency_cycles").number(delivery.latency_cycles());
  line.key("arrival_cycles").array(delivery.arrival_cycles, [&](Cycle cycle) { line.number(cycle); });
  line.key("source_queueing_cycles").number(delivery.source_queueing_cycles);
  line.key("blocked_cycles").number(delivery.blocked_cycles);
  line.key("contention").number(delivery.contention);
  return line.end(delivery.plan.request.extras);
}

namespace {

/// Fills `cycles`, whose buffer is used again.
void read_cycles(const Value& array, std::vector<Cycle>& cycles) {
  cycles.clear();
  const auto take = [&](std::int64_t cycle) {
    cycles.push_back(static_cast<Cycle>(cycle));
    return cycle >= 0 && static_cast<std::uint64_t>(cycle) <= max_integer;
  };
  if (array.plain_integers(take)) return;
  cycles.clear();
  array.each([&](const Value& cycle) { cycles.push_back(cycle.integer(0)); });
}

}  // namespace

void read_delivery_record(const Value& record, const Topology& topology, Delivery& delivery) {
  reset(delivery.plan);
  std::uint64_t latency = 0;
  delivery.plan.request.extras =
      read_frequent_record<delivery_members>(record, [&](auto member, const Value& value) {
        const auto own =
            read_planned_member(static_cast<std::size_t>(member), value, topology, delivery.plan);
        if (!own) return;
        switch (*own) {
          case 0:
            latency = value.integer(0);
            break;
          case 1:
            read_cycles(value, delivery.arrival_cycles);
            break;
          case 2:
            delivery.source_queueing_cycles = value.integer(0);
            break;
          case 3:
            delivery.blocked_cycles = value.integer(0);
            break;
          default:
            delivery.contention = value.integer(0);
            break;
        }
      });
  const Request& request = delivery.plan.request;
  check_request(request);
  if (delivery.arrival_cycles.size() != request.destinations.size())
    throw InputError("arrival_cycles",
                     fmt::format("{} cycles for {} destinations", delivery.arrival_cycles.size(),
                                 request.destinations.size()));
  const auto [first, last] =
      std::minmax_element(delivery.arrival_cycles.begin(), delivery.arrival_cycles.end());
  if (*first < request.start_cycle)
    throw InputError("arrival_cycles",
                     fmt::format("{} is before the start, {}", *first, request.start_cycle));
  delivery.completion_cycle = *last;
  if (latency != delivery.latency_cycles())
    throw InputError("latency_cycles", fmt::format("{}, but the last arrival is {} after the start", latency,
                                                   delivery.latency_cycles()));
}

std::string flits_per_cycle(const ChannelLoad& load) {
  constexpr unsigned digits = 6;
  if (load.observed_cycles.value_or(0) == 0) return "";
  return decimal(static_cast<Wide>(load.flits), static_cast<Wide>(*load.observed_cycles), digits);
}

std::string_view write_channel_load_record(const ChannelLoad& load, const Topology& topology,
                                           RecordLine& line) {
  const ChannelEnds ends = topology.ends(load.channel).value();
  line.begin("channel-load");
  line.key("channel").number(load.channel.value);
  line.key("from")
      .number(ends.from.value)
      .key("to")
      .number(ends.to.value)
      .key("port")
      .number(ends.port.value);
  line.key("worms")
      .number(load.worms)
      .key("flits")
      .number(load.flits)
      .key("held_cycles")
      .number(load.held_cycles);
  if (load.observed_cycles) line.key("observed_cycles").number(*load.observed_cycles);
  if (const std::string flits = flits_per_cycle(load); !flits.empty()) line.key("flits_per_cycle").raw(flits);
  return line.end();
}

void read_channel_load_record(const Value& record, const Topology& topology, ChannelLoad& load) {
  std::array<std::uint64_t, load_integers> numbers{};
  std::optional<Cycle> observed;
  std::optional<Value> flits_of_cycle;  // it follows from other members
  read_frequent_record<load_members>(record, [&](int member, const Value& value) {
    const auto index = static_cast<std::size_t>(member);
    if (index < load_integers)
      numbers[index] = value.integer(0);
    else if (index == load_integers)
      observed = value.integer(0);
    else
      flits_of_cycle = value;
  });
  const auto [kind, channel, from, to, port, worms, flits, held] = numbers;
  const auto ends = channel < topology.channel_bound()
                        ? topology.ends(ChannelId{static_cast<std::uint32_t>(channel)})
                        : std::nullopt;
  if (!ends)
    throw InputError("channel", fmt::format("channel {} is not in topology {}", channel, topology.name()));
  if (ends->from.value != from || ends->to.value != to || ends->port.value != port)
    throw InputError("channel", fmt::format("channel {} goes from {} to {} by port {}", channel,
                                            ends->from.value, ends->to.value, ends->port.value));
  load = {ChannelId{static_cast<std::uint32_t>(channel)}, worms, flits, held, observed};
  if (flits_of_cycle) check_derived(*flits_of_cycle, flits_per_cycle(load));
}

}  // namespace wormcast::io
