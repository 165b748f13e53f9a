// Codecs of delivery and channel-load records.
// SPDX-License-Identifier: MIT
#include "io/records/delivery_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "io/records/multicast_record.hpp"
#include "io/records/record_forms.hpp"
#include "io/text/members.hpp"
#include "multicast/check.hpp"
#include "report/decimal.hpp"
#include "topology/error.hpp"

namespace wormcast::io {

std::string flits_per_cycle(const ChannelLoad& load) {
  constexpr unsigned digits = 6;
  if (load.observed_cycles.value_or(0) == 0) return "";
  return decimal(static_cast<Wide>(load.flits), static_cast<Wide>(*load.observed_cycles), digits);
}

namespace {

/// The last arrival after the start; while a record is read, what it says of that.
struct Latency {
  static void read(const Value& value, Delivery& delivery, const Scope&) {
    delivery.completion_cycle = delivery.plan.request.start_cycle + value.integer(0);
  }
  static bool read_written(WrittenText& text, Delivery& delivery, const Scope&) {
    std::uint64_t latency = 0;
    if (!text.number(latency)) return false;
    delivery.completion_cycle = delivery.plan.request.start_cycle + latency;
    return true;
  }
  static void write(const Delivery& delivery, RecordLine& line, const Scope&) {
    line.number(delivery.latency_cycles());
  }
  static void clear(Delivery&) {}
  static std::string form() { return Number<>::form(); }
};
constexpr auto arrival_rows = table(
    row<Self<Delivery>, Latency>("latency_cycles", "last arrival − `start_cycle`").after_others(),
    always<&Delivery::arrival_cycles, SomeOf<Number<>>>(
        "arrival_cycles",
        "by destination, when the tail starts to move into the consumption channel; on `graph`, when it has "
        "crossed the host's link; of a reduction at the root, of the last of its worms"),
    always<&Delivery::source_queueing_cycles, Number<>>("source_queueing_cycles",
                                                        "sum over its worms of injection grant − ready"),
    always<&Delivery::blocked_cycles, Number<>>(
        "blocked_cycles", "sum of grant − request, over granted network and consumption requests"),
    always<&Delivery::contention, Number<>>("contention", "those of these waits that took a cycle or more"),
    where_stated<&Delivery::first_part_cycle, Number<>>(
        "first_part_cycle",
        "of a reduction: when the header of the first part, alone or joined, came to the root"),
    where_stated<&Delivery::last_part_cycle, Number<>>("last_part_cycle", "the same of the last part"));
constexpr auto delivery_rows = table(rows_of<Part<&Delivery::plan>, planned_rows>(), arrival_rows);

/// A load with the ends of its channel.
struct LoadRecord {
  ChannelLoad load;
  std::uint32_t from = 0, to = 0, port = 0;
};
std::string utilisation(const LoadRecord& record) { return flits_per_cycle(record.load); }

constexpr auto counted_rows = table(
    always<&ChannelLoad::worms, Number<>>("worms",
                                          "that passed it whole; open loop: at least one flit counted"),
    always<&ChannelLoad::flits, Number<>>(
        "flits", "of these, header flits included; open loop: flits that started to cross it in the window"),
    always<&ChannelLoad::held_cycles, Number<>>("held_cycles",
                                                "sum over these from the grant of the virtual channel until "
                                                "it was free; open loop: over all worms, within the window"),
    where_stated<&ChannelLoad::observed_cycles, Number<>>(
        "observed_cycles", "open loop: cycles counted, as in the summary's `window`"));
struct ItsChannel {
  using Whole = LoadRecord;
  static ChannelId& of(LoadRecord& record) { return record.load.channel; }
  static const ChannelId& of(const LoadRecord& record) { return record.load.channel; }
};
constexpr auto load_rows = table(
    row<ItsChannel, Number<>>("channel", "its id"), always<&LoadRecord::from, Number<>>("from", "router"),
    always<&LoadRecord::to, Number<>>("to", "router"),
    always<&LoadRecord::port, Number<>>("port", "at `from`"),
    rows_of<Part<&LoadRecord::load>, counted_rows>(),
    derived<LoadRecord, utilisation>(
        "flits_per_cycle", "`flits` over `observed_cycles`: the utilisation if a flit takes one cycle"));

}  // namespace

std::string_view write_delivery_record(const Delivery& delivery, RecordLine& line) {
  line.begin("delivery");
  write_members<delivery_rows>(delivery, line);
  return line.end(delivery.plan.request.extras);
}

void read_delivery_record(const Value& record, const Topology& topology, Delivery& delivery) {
  const Scope scope{&topology};
  Request& request = delivery.plan.request;
  if (read_as_written<delivery_rows>(record, "{\"kind\":\"delivery\"", delivery, scope).empty())
    request.extras = read_record_rows<delivery_rows>(record, delivery, scope);
  else
    request.extras.clear();
  const std::uint64_t latency = delivery.completion_cycle - request.start_cycle;
  check_request(request);
  if (delivery.arrival_cycles.size() != request.receivers().size())
    throw InputError("arrival_cycles",
                     fmt::format("{} cycles for {} {}", delivery.arrival_cycles.size(),
                                 request.receivers().size(), request.reduces() ? "root" : "destinations"));
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

std::string_view write_channel_load_record(const ChannelLoad& load, const Topology& topology,
                                           RecordLine& line) {
  const ChannelEnds ends = topology.ends(load.channel).value();
  line.begin("channel-load");
  write_members<load_rows>(LoadRecord{load, ends.from.value, ends.to.value, ends.port.value}, line);
  return line.end();
}

void read_channel_load_record(const Value& value, const Topology& topology, ChannelLoad& load) {
  LoadRecord record;
  read_record_rows<load_rows>(value, record, {&topology});
  const ChannelId channel = record.load.channel;
  const auto ends = channel.value < topology.channel_bound() ? topology.ends(channel) : std::nullopt;
  if (!ends)
    throw InputError("channel",
                     fmt::format("channel {} is not in topology {}", channel.value, topology.name()));
  if (ends->from.value != record.from || ends->to.value != record.to || ends->port.value != record.port)
    throw InputError("channel", fmt::format("channel {} goes from {} to {} by port {}", channel.value,
                                            ends->from.value, ends->to.value, ends->port.value));
  load = record.load;
}

RowForms delivery_measures() { return row_forms<arrival_rows>(); }
RecordForm delivery_form() {
  return {"delivery", "A multicast that has reached every destination in a simulation",
          row_forms<delivery_rows>(), ""};
}
RecordForm channel_load_form() {
  return {"channel-load", "What a channel carried in a simulation", row_forms<load_rows>(),
          R"("dependentRequired":{"flits_per_cycle":["observed_cycles"]})"};
}

}  // namespace wormcast::io
