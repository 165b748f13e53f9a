// Codec of steps records.
// SPDX-License-Identifier: MIT
#include "io/records/steps_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/records/multicast_record.hpp"
#include "io/records/record_forms.hpp"
#include "io/text/members.hpp"
#include "multicast/check.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {
namespace {

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
