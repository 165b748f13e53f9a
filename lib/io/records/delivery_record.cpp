// Codecs of what a simulation writes: deliveries, channel loads, steps, and summaries with outcome, every
// parameter, totals, and the first deadlock.
// SPDX-License-Identifier: MIT
#include "io/records/delivery_record.hpp"

#include <algorithm>
#include <array>

#include "io/records/multicast_record.hpp"
#include "io/records/verdict_record.hpp"
#include "multicast/check.hpp"
#include "report/statistics.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {

std::string flits_per_cycle(const ChannelLoad& load) {
  constexpr unsigned digits = 6;
  if (load.observed_cycles.value_or(0) == 0) return "";
  return decimal(load.flits, *load.observed_cycles, digits);
}

namespace {

constexpr auto delivery_rows = table(rows_of<Part<&Delivery::plan>, planned_rows>(), arrival_rows);

/// A load with the ends of its channel.
struct LoadRecord {
  ChannelLoad load;
  std::uint32_t from = 0, to = 0, port = 0;
};
std::string utilisation(const LoadRecord& record) { return flits_per_cycle(record.load); }

constexpr auto load_rows = table(
    row<Part<&LoadRecord::load, &ChannelLoad::channel>, Number<>>("channel", "its id"),
    always<&LoadRecord::from, Number<>>("from", "router"), always<&LoadRecord::to, Number<>>("to", "router"),
    always<&LoadRecord::port, Number<>>("port", "at `from`"),
    where_stated<Part<&LoadRecord::load, &ChannelLoad::vc>, Number<>>("vc",
                                                                      "by virtual channel: this one alone"),
    where_stated<Part<&LoadRecord::load, &ChannelLoad::multicast>, Number<>>(
        "multicast", "by worm: the id of its multicast"),
    where_stated<Part<&LoadRecord::load, &ChannelLoad::worm>, Number<>>(
        "worm", "by worm: this one alone, as its plan counts"),
    rows_of<Part<&LoadRecord::load>, counted_rows>(),
    derived<LoadRecord, utilisation>(
        "flits_per_cycle", "`flits` over `observed_cycles`: the utilisation if a flit takes one cycle"));

constexpr auto step_model_rows =
    table(always<&StepModel::reading, Word<step_reading_names>>(
              "reading",
              "a blocked message delays all that its sender has yet to send and all that its receiver sends; "
              "only the latter; nothing (conflicts are only counted)"),
          always<&StepModel::priority, Word<step_priority_names>>(
              "priority",
              "which message wins: that of the earlier planned step, then the earlier in the tree's chain; "
              "the earlier in the chain; the one on which most nodes depend"));
constexpr auto step_rows = table(rows_of<Part<&StepsRecord::plan>, planned_rows>(),
                                 rows_of<Part<&StepsRecord::model>, step_model_rows>(), step_measure_rows);

constexpr std::array<std::string_view, 5> outcome_words = {"complete", "deadlock", "saturated", "interleaved",
                                                           "corrupted"};  // as in Outcome

constexpr auto counter_rows = table(
    always<&Summary::multicasts, Number<>>("multicasts", "that came"),
    always<&Summary::delivered_multicasts, Number<>>("delivered_multicasts",
                                                     "that reached every destination"),
    always<&Summary::destinations, Number<>>("destinations", "of the multicasts that came"),
    always<&Summary::delivered_destinations, Number<>>("delivered_destinations", "that were reached"),
    always<&Summary::worms, Number<>>("worms", "of the multicasts that came"),
    always<&Summary::finished_worms, Number<>>("finished_worms", "the same"),
    always<&Summary::flit_hops, Number<>>("flit_hops", "flits of finished worms × network channels crossed"),
    always<&Summary::last_cycle, Number<>>("last_cycle", "of the last arrival, grant or release"),
    always<&Summary::latency_cycles_sum, Number<>>("latency_cycles_sum", "over the delivered multicasts"),
    always<&Summary::latency_cycles_max, Number<>>("latency_cycles_max", "the same"),
    always<&Summary::source_queueing_cycles, Number<>>("source_queueing_cycles",
                                                       "as in `delivery`, over all grants"),
    always<&Summary::blocked_cycles, Number<>>("blocked_cycles", "the same"),
    always<&Summary::contention, Number<>>("contention", "the same"));

constexpr auto worm_name_rows = table(always<&WormName::multicast, Number<>>("multicast", "its id"),
                                      always<&WormName::worm, Number32>("worm", "its index in the plan"));
constexpr auto stuck_worm_rows = table(
    rows_of<Part<&StuckWorm::name>, worm_name_rows>(),
    always<&StuckWorm::holds, List<ResourceShape>>("holds", "resources that it holds"),
    always<&StuckWorm::waits, List<ResourceShape>>("waits", "resources that it waits for and never gets"));
constexpr auto deadlock_rows =
    table(always<&Deadlock::cycle, Number<>>("cycle", "the first after whose moves the deadlock exists"),
          always<&Deadlock::core, List<Object<stuck_worm_rows>>>("worms", "those that wait for each other"),
          always<&Deadlock::blocked, List<Object<worm_name_rows>>>(
              "blocked", "every worm with a request that can never be granted"));

/// It names resources, which are those of the record's router.
struct DeadlockMember {
  static void read(const Value& value, SummaryRecord& record, const Scope& scope) {
    const Resources resources(*scope.network, record.model);
    Object<deadlock_rows>::read(value, record.summary.deadlock.emplace(), {scope.network, &resources});
  }
  static void write(const SummaryRecord& record, RecordLine& line, const Scope& scope) {
    const Resources resources(*scope.network, record.model);
    Object<deadlock_rows>::write(*record.summary.deadlock, line, {scope.network, &resources});
  }
  static void clear(SummaryRecord& record) { record.summary.deadlock.reset(); }
  static std::string form() { return Object<deadlock_rows>::form(); }
};

/// The mean to three digits; something must have been delivered.
std::string latency_mean(const SummaryRecord& record) {
  const Summary& summary = record.summary;
  if (summary.delivered_multicasts == 0) return "";
  return decimal(summary.latency_cycles_sum, summary.delivered_multicasts, 3);
}

constexpr auto outcome_row = table(always<&Summary::outcome, Word<outcome_words>>(
    "outcome",
    "all delivered; worms block each other for good; open loop: sources filled faster than they emptied, but "
    "what had started can be delivered; routers that join flit by flit: flits of messages interleaved; flits "
    "came to wrong places or twice"));
constexpr auto measurement_rows =
    table(where_stated<&Summary::window, WindowMember>("window", "of open-loop runs (`--measure-cycles`)"),
          where_stated<&Summary::events, Optional<Object<event_rows>>>(
              "events", "`--events`: of delivered multicasts; open loop: of measured ones"));
constexpr auto mixture_rows =
    table(where_stated<&Summary::interleaved, List<List<Number<>>>>(
              "interleaved", "pairs of ids of messages whose flits came interleaved"),
          where_stated<&Summary::mixed, List<List<Number<>>>>(
              "mixed",
              "ids of reductions mistaken for each other, so that a flit had parts of all, or different "
              "flits of one; or of one message whose flits came to wrong places"));
constexpr auto process_run_rows =
    table(always<&ProcessRun::name, Text>("name", "of the process"),
          where_stated<&ProcessRun::send_cycles, Number<>>("send_cycles", "it waited for its sends"),
          where_stated<&ProcessRun::receive_cycles, Number<>>("receive_cycles", "and for what it receives"),
          where_stated<&ProcessRun::count_cycles, Number<>>("count_cycles", "and for counters"),
          where_stated<&ProcessRun::ended, Optional<Number<>>>("ended_cycle", "when its last step was over"),
          where_stated<&ProcessRun::step, Text>("step", "else where it stands at the end"));
using Totals = Part<&SummaryRecord::summary>;
constexpr auto summary_rows = table(
    rows_of<Totals, outcome_row>(), rows_of<Part<&SummaryRecord::planned_by>, planner_rows>(),
    rows_of<Part<&SummaryRecord::model>, router_rows>(),
    always<&SummaryRecord::stop_on_deadlock, Flag>("stop_on_deadlock", "the run ends when a deadlock forms"),
    rows_of<Totals, counter_rows>(),
    derived<SummaryRecord, latency_mean>("latency_cycles_mean", "omitted where nothing was delivered"),
    rows_of<Totals, measurement_rows>(),
    where_stated<Part<&SummaryRecord::summary, &Summary::processes>, List<Object<process_run_rows>>>(
        "processes", "of a program, as its record has them"),
    row<Self<SummaryRecord>, DeadlockMember>("deadlock", "if and only if the outcome is `deadlock`")
        .only_if([](const SummaryRecord& record) { return record.summary.deadlock.has_value(); })
        .after_others(),
    rows_of<Totals, mixture_rows>());

/// No more can be done than there was.
void check_counts(const Summary& summary) {
  const auto within = [](std::string_view key, std::uint64_t part, std::string_view of, std::uint64_t whole) {
    if (part > whole) refuse(std::string(key), "{} of {} {}", part, whole, of);
  };
  within("delivered_multicasts", summary.delivered_multicasts, "multicasts", summary.multicasts);
  within("delivered_destinations", summary.delivered_destinations, "destinations", summary.destinations);
  within("finished_worms", summary.finished_worms, "worms", summary.worms);
}

}  // namespace

std::string_view write_delivery_record(const Delivery& delivery, RecordLine& line) {
  return write_record<delivery_rows>("delivery", delivery, line, delivery.plan.request.extras);
}

void read_delivery_record(const Value& record, const Topology& topology, Delivery& delivery) {
  Request& request = delivery.plan.request;
  read_record<delivery_rows>(record, "{\"kind\":\"delivery\"", delivery, request.extras, {&topology});
  const std::uint64_t latency = delivery.completion_cycle - request.start_cycle;
  check_request(request);
  if (delivery.arrival_cycles.size() != request.receivers().size())
    refuse("arrival_cycles", "{} cycles for {} {}", delivery.arrival_cycles.size(),
           request.receivers().size(), request.reduces() ? "root" : "destinations");
  const auto [first, last] =
      std::minmax_element(delivery.arrival_cycles.begin(), delivery.arrival_cycles.end());
  if (*first < request.start_cycle)
    refuse("arrival_cycles", "{} is before the start, {}", *first, request.start_cycle);
  delivery.completion_cycle = *last;
  if (latency != delivery.latency_cycles())
    refuse("latency_cycles", "{}, but the last arrival is {} after the start", latency,
           delivery.latency_cycles());
}

std::string_view write_channel_load_record(const ChannelLoad& load, const Topology& topology,
                                           RecordLine& line) {
  const ChannelEnds ends = topology.ends(load.channel).value();
  return write_record<load_rows>("channel-load",
                                 LoadRecord{load, ends.from.value, ends.to.value, ends.port.value}, line);
}

void read_channel_load_record(const Value& value, const Topology& topology, ChannelLoad& load) {
  LoadRecord record;
  read_record_rows<load_rows>(value, record, {&topology});
  const ChannelId channel = record.load.channel;
  const auto ends = channel.value < topology.channel_bound() ? topology.ends(channel) : std::nullopt;
  if (!ends) refuse("channel", "channel {} is not in topology {}", channel.value, topology.name());
  if (ends->from.value != record.from || ends->to.value != record.to || ends->port.value != record.port)
    refuse("channel", "channel {} goes from {} to {} by port {}", channel.value, ends->from.value,
           ends->to.value, ends->port.value);
  load = record.load;
  if (load.worm.has_value() != load.multicast.has_value() || (load.worm && !load.vc))
    refuse("worm", "stands beside vc and multicast, and multicast beside it");
}

RecordForm delivery_form() {
  return {"delivery", "A multicast that has reached every destination in a simulation",
          row_forms<delivery_rows>()};
}
RecordForm channel_load_form() {
  return {"channel-load", "What a channel carried in a simulation", row_forms<load_rows>(),
          R"("dependentRequired":{"multicast":["worm"],"worm":["vc","multicast"],)"
          R"("flits_per_cycle":["observed_cycles"]})"};
}

std::string_view write_steps_record(const StepsRecord& record, RecordLine& line) {
  return write_record<step_rows>("steps", record, line, record.plan.request.extras);
}

void read_steps_record(const Value& value, const Topology& topology, StepsRecord& record) {
  record.plan.request.extras = read_record_rows<step_rows>(value, record, {&topology});
  const Request& request = record.plan.request;
  check_request(request);
  const std::vector<std::uint64_t>& arrivals = record.run.arrival_steps;
  if (arrivals.size() != request.destinations.size())
    refuse("arrival_steps", "{} steps for {} destinations", arrivals.size(), request.destinations.size());
  const std::uint64_t last = *std::max_element(arrivals.begin(), arrivals.end());
  if (record.run.steps != last)
    refuse("steps", "{}, but the last arrival is in step {}", record.run.steps, last);
}

StepModel step_model(const std::string& reading, const std::string& priority) {
  const auto place = [](const char* option, const std::string& name,
                        std::span<const std::string_view> names) {
    return name.empty() ? 0 : place_of_name(option, "value", name, names);
  };
  return {static_cast<StepReading>(place("--step-reading", reading, step_reading_names)),
          static_cast<StepPriority>(place("--step-priority", priority, step_priority_names))};
}

RecordForm steps_form() {
  return {"steps", "How a multicast goes in the step model", row_forms<step_rows>()};
}

std::string_view outcome_name(Outcome outcome) { return outcome_words[static_cast<std::size_t>(outcome)]; }

std::string_view write_summary_record(const SummaryRecord& record, const Topology& topology,
                                      RecordLine& line) {
  return write_record<summary_rows>("summary", record, line, record.extras, {&topology});
}

void read_summary_record(const Value& value, const Topology& topology, SummaryRecord& record) {
  record = SummaryRecord{};
  record.extras = read_record_rows<summary_rows>(value, record, {&topology});
  check_router(record.model, false);
  check_counts(record.summary);
  if (record.summary.deadlock.has_value() != (record.summary.outcome == Outcome::deadlock))
    refuse("deadlock", "belongs to outcome deadlock, and to no other");
}

RecordForm summary_form() {
  return {"summary", "Outcome, parameters and totals of a simulation", row_forms<summary_rows>(),
          R"("if":{"properties":{"outcome":{"const":"deadlock"}}},"then":{"required":["deadlock"]},)"
          R"("else":{"not":{"required":["deadlock"]}})"};
}

}  // namespace wormcast::io
