// Codec of summary records: outcome, every parameter, totals, and the first deadlock.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <string>

#include "io/records/delivery_record.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/record_forms.hpp"
#include "io/records/verdict_record.hpp"
#include "report/decimal.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<std::string_view, 5> outcome_words = {"complete", "deadlock", "saturated", "interleaved",
                                                           "corrupted"};  // as in Outcome

constexpr auto counter_rows = table(
    always<&Summary::multicasts, Number<>>("multicasts", "that came, that reached every destination"),
    always<&Summary::delivered_multicasts, Number<>>("delivered_multicasts", "the same"),
    always<&Summary::destinations, Number<>>("destinations", "the same for destinations"),
    always<&Summary::delivered_destinations, Number<>>("delivered_destinations", "the same"),
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

constexpr auto worm_name_rows =
    table(always<&WormName::multicast, Number<>>("multicast", "its id"),
          always<&WormName::worm, Number<0, UINT32_MAX>>("worm", "its index in the plan"));
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
  static ValueForm form() { return Object<deadlock_rows>::form(); }
};

/// The mean to three digits; something must have been delivered.
std::string latency_mean(const SummaryRecord& record) {
  const Summary& summary = record.summary;
  if (summary.delivered_multicasts == 0) return "";
  return decimal(static_cast<Wide>(summary.latency_cycles_sum),
                 static_cast<Wide>(summary.delivered_multicasts), 3);
}

constexpr auto outcome_row = table(always<&Summary::outcome, Word<outcome_words>>(
    "outcome",
    "all delivered; worms block each other for good; open loop: sources filled faster than they emptied, but "
    "what had started can be delivered; routers that join flit by flit: flits of messages interleaved; flits "
    "came to wrong places or twice"));
constexpr auto window_row =
    table(where_stated<&Summary::window, WindowMember>("window", "of open-loop runs (`--measure-cycles`)"));
constexpr auto event_row = table(where_stated<&Summary::events, Optional<Object<event_rows>>>(
    "events", "`--events`: of delivered multicasts; open loop: of measured ones"));
constexpr auto mixture_rows =
    table(where_stated<&Summary::interleaved, List<List<Number<>>>>(
              "interleaved", "pairs of ids of messages whose flits came interleaved"),
          where_stated<&Summary::mixed, List<List<Number<>>>>(
              "mixed",
              "ids of reductions mistaken for each other, so that a flit had parts of all, or different "
              "flits of one; or of one message whose flits came to wrong places"));
using Totals = Part<&SummaryRecord::summary>;
constexpr auto summary_rows = table(
    rows_of<Totals, outcome_row>(), rows_of<Part<&SummaryRecord::planned_by>, planner_rows>(),
    rows_of<Part<&SummaryRecord::model>, router_rows>(),
    always<&SummaryRecord::stop_on_deadlock, Flag>("stop_on_deadlock", "the run ends when a deadlock forms"),
    rows_of<Totals, counter_rows>(),
    derived<SummaryRecord, latency_mean>("latency_cycles_mean", "omitted where nothing was delivered"),
    rows_of<Totals, window_row>(), rows_of<Totals, event_row>(),
    row<Self<SummaryRecord>, DeadlockMember>("deadlock", "if and only if the outcome is `deadlock`")
        .only_if([](const SummaryRecord& record) { return record.summary.deadlock.has_value(); })
        .after_others(),
    rows_of<Totals, mixture_rows>());

/// No more can be done than there was.
void check_counts(const Summary& summary) {
  const auto within = [](std::string_view key, std::uint64_t part, std::string_view of, std::uint64_t whole) {
    if (part > whole) throw InputError(std::string(key), fmt::format("{} of {} {}", part, whole, of));
  };
  within("delivered_multicasts", summary.delivered_multicasts, "multicasts", summary.multicasts);
  within("delivered_destinations", summary.delivered_destinations, "destinations", summary.destinations);
  within("finished_worms", summary.finished_worms, "worms", summary.worms);
}

}  // namespace

std::string_view outcome_name(Outcome outcome) { return outcome_words[static_cast<std::size_t>(outcome)]; }

std::string_view write_summary_record(const SummaryRecord& record, const Topology& topology,
                                      RecordLine& line) {
  line.begin("summary");
  write_members<summary_rows>(record, line, {&topology});
  return line.end(record.extras);
}

void read_summary_record(const Value& value, const Topology& topology, SummaryRecord& record) {
  record = SummaryRecord{};
  record.extras = read_record_rows<summary_rows>(value, record, {&topology});
  check_router(record.model, false);
  check_counts(record.summary);
  if (record.summary.deadlock.has_value() != (record.summary.outcome == Outcome::deadlock))
    throw InputError("deadlock", "belongs to outcome deadlock, and to no other");
}

RecordForm summary_form() {
  std::vector<NamedRows> parts = window_forms();
  parts.push_back({"events", row_forms<event_rows>()});
  parts.push_back({"router parameters", row_forms<router_rows>()});
  return {"summary", "Outcome, parameters and totals of a simulation", row_forms<summary_rows>(),
          R"("if":{"properties":{"outcome":{"const":"deadlock"}}},"then":{"required":["deadlock"]},)"
          R"("else":{"not":{"required":["deadlock"]}})",
          parts};
}

}  // namespace wormcast::io
