// Codecs of delivery, channel-load and steps records.
// SPDX-License-Identifier: MIT
#include "io/records/delivery_record.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>

#include "io/records/multicast_record.hpp"
#include "io/records/record_forms.hpp"
#include "io/text/json_text.hpp"
#include "multicast/check.hpp"
#include "report/decimal.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

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
  static ValueForm form() { return Number<>::form(); }
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

template <class Enum, std::size_t N>
Enum named(std::string_view field, std::string_view name, const std::string_view (&names)[N]) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names))
    throw InputError(std::string(field),
                     unknown_name_message("value", name, {std::begin(names), std::end(names)}));
  return static_cast<Enum>(found - std::begin(names));
}

/// A word of the step model.
template <const auto& names>
struct Reading {
  template <class Enum>
  static void read(const Value& value, Enum& to, const Scope&) {
    const auto found = std::find(std::begin(names), std::end(names), value.text());
    if (found == std::end(names))
      value.fail(unknown_name_message("value", value.text(), {std::begin(names), std::end(names)}));
    to = static_cast<Enum>(found - std::begin(names));
  }
  template <class Enum>
  static void write(Enum from, RecordLine& line, const Scope&) {
    line.string(names[static_cast<std::size_t>(from)]);
  }
  static ValueForm form() { return words_form(names); }
};

/// A count that is there where contention was counted.
template <auto member>
struct Contention {
  using Counts = std::optional<ContentionCounts>;
  static void read(const Value& value, Counts& counts, const Scope&) {
    if (!counts) counts.emplace();
    (*counts).*member = value.integer(0);
  }
  static void write(const Counts& counts, RecordLine& line, const Scope&) { line.number((*counts).*member); }
  static ValueForm form() { return Number<>::form(); }
};

constexpr auto step_model_rows =
    table(always<&StepModel::reading, Reading<step_reading_names>>(
              "reading",
              "a blocked message delays all that its sender has yet to send and all that its receiver sends; "
              "only the latter; nothing (conflicts are only counted)"),
          always<&StepModel::priority, Reading<step_priority_names>>(
              "priority",
              "which message wins: that of the earlier planned step, then the earlier in the tree's chain; "
              "the earlier in the chain; the one on which most nodes depend"));
constexpr auto run_rows =
    table(always<&StepRun::steps, Number<>>("steps", "the last arrival"),
          always<&StepRun::least_steps, Number<>>(
              "least_steps", "⌈log2 of the nodes involved⌉, a bound for one-port unicasts"),
          always<&StepRun::arrival_steps, SomeOf<Number<>>>("arrival_steps",
                                                            "by destination, from 1 (0: a self-send)"),
          always<&StepRun::blocked, Number<>>("blocked", "times that a message lost"),
          always<&StepRun::shared_links, Number<>>(
              "shared_links", "channels wanted by two or more messages, summed over steps"),
          always<&StepRun::sharing_pairs, Number<>>(
              "sharing_pairs", "pairs of messages that wanted one channel in the same step"));
constexpr auto step_measure_rows = table(
    rows_of<Part<&StepsRecord::run>, run_rows>(),
    where_stated<&StepsRecord::contention, Contention<&ContentionCounts::step_vc_pairs>>(
        "step_vc_pairs", "`--contention`: pairs of worms of one planned step with a common virtual channel"),
    where_stated<&StepsRecord::contention, Contention<&ContentionCounts::depth_vc_pairs>>(
        "depth_vc_pairs",
        "`--contention`: pairs of worms that contend for a virtual channel under some delays; 0: depth "
        "contention-free"),
    where_stated<&StepsRecord::contention, Contention<&ContentionCounts::depth_link_pairs>>(
        "depth_link_pairs", "`--contention`: the same for channels"),
    where_stated<&StepsRecord::fluid_millisteps, Number<>>(
        "fluid_millisteps",
        "`--fluid`: thousandths of a step until all is done if messages share links instead of blocking each "
        "other; a sender is busy until its message has arrived"));
constexpr auto step_rows = table(rows_of<Part<&StepsRecord::plan>, planned_rows>(),
                                 rows_of<Part<&StepsRecord::model>, step_model_rows>(), step_measure_rows);

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
  return {"delivery",
          "A multicast that has reached every destination in a simulation",
          row_forms<delivery_rows>(),
          "",
          {}};
}
RecordForm channel_load_form() {
  return {"channel-load",
          "What a channel carried in a simulation",
          row_forms<load_rows>(),
          R"("dependentRequired":{"flits_per_cycle":["observed_cycles"]})",
          {}};
}

std::string_view write_steps_record(const StepsRecord& record, RecordLine& line) {
  line.begin("steps");
  write_members<step_rows>(record, line);
  return line.end(record.plan.request.extras);
}

void read_steps_record(const Value& value, const Topology& topology, StepsRecord& record) {
  record.plan.request.extras = read_record_rows<step_rows>(value, record, {&topology});
  const Request& request = record.plan.request;
  check_request(request);
  const std::vector<std::uint64_t>& arrivals = record.run.arrival_steps;
  if (arrivals.size() != request.destinations.size())
    throw InputError("arrival_steps", fmt::format("{} steps for {} destinations", arrivals.size(),
                                                  request.destinations.size()));
  const std::uint64_t last = *std::max_element(arrivals.begin(), arrivals.end());
  if (record.run.steps != last)
    throw InputError("steps", fmt::format("{}, but the last arrival is in step {}", record.run.steps, last));
}

StepModel step_model(std::string_view reading_field, std::string_view reading,
                     std::string_view priority_field, std::string_view priority) {
  return {named<StepReading>(reading_field, reading, step_reading_names),
          named<StepPriority>(priority_field, priority, step_priority_names)};
}

RowForms steps_measures() { return row_forms<step_measure_rows>(); }
RecordForm steps_form() {
  return {"steps", "How a multicast goes in the step model", row_forms<step_rows>(), "", {}};
}

}  // namespace wormcast::io
