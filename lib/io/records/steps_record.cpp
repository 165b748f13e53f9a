// Codec of steps records.
// SPDX-License-Identifier: MIT
#include "io/records/steps_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/records/multicast_record.hpp"
#include "io/text/members.hpp"
#include "multicast/check.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 12> step_members = {{{"reading"},
                                                  {"priority"},
                                                  {"steps"},
                                                  {"least_steps"},
                                                  {"arrival_steps"},
                                                  {"blocked"},
                                                  {"shared_links"},
                                                  {"sharing_pairs"},
                                                  {"step_vc_pairs", false},
                                                  {"depth_vc_pairs", false},
                                                  {"depth_link_pairs", false},
                                                  {"fluid_millisteps", false}}};
constexpr auto steps_members = join(join(request_members, planner_members), step_members);

template <class Enum, std::size_t N>
Enum named(std::string_view field, std::string_view name, const std::string_view (&names)[N]) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names))
    throw InputError(std::string(field),
                     unknown_name_message("value", name, {std::begin(names), std::end(names)}));
  return static_cast<Enum>(found - std::begin(names));
}

std::uint64_t& contention_count(ContentionCounts& counts, std::size_t index) {
  return index == 8 ? counts.step_vc_pairs : index == 9 ? counts.depth_vc_pairs : counts.depth_link_pairs;
}

/// Takes member `index` of step_members.
void read_step_member(std::size_t index, const Value& value, StepsRecord& record) {
  StepRun& run = record.run;
  switch (index) {
    case 0:
      record.model.reading = named<StepReading>("reading", value.text(), step_reading_names);
      break;
    case 1:
      record.model.priority = named<StepPriority>("priority", value.text(), step_priority_names);
      break;
    case 2:
      run.steps = value.integer(0);
      break;
    case 3:
      run.least_steps = value.integer(0);
      break;
    case 4:
      value.each([&](const Value& step) { run.arrival_steps.push_back(step.integer(0)); });
      break;
    case 5:
      run.blocked = value.integer(0);
      break;
    case 6:
      run.shared_links = value.integer(0);
      break;
    case 7:
      run.sharing_pairs = value.integer(0);
      break;
    case 11:
      record.fluid_millisteps = value.integer(0);
      break;
    default:
      if (!record.contention) record.contention.emplace();
      contention_count(*record.contention, index) = value.integer(0);
      break;
  }
}

}  // namespace

std::string_view write_steps_record(const StepsRecord& record, RecordLine& line) {
  line.begin("steps");
  write_request_members(record.plan.request, line);
  write_planner_members(record.plan, line);
  write_measure_members(record.plan, line);
  line.key("reading").string(step_reading_names[static_cast<std::size_t>(record.model.reading)]);
  line.key("priority").string(step_priority_names[static_cast<std::size_t>(record.model.priority)]);
  line.key("steps").number(record.run.steps).key("least_steps").number(record.run.least_steps);
  line.key("arrival_steps").array(record.run.arrival_steps, [&](std::uint64_t step) { line.number(step); });
  line.key("blocked").number(record.run.blocked);
  line.key("shared_links").number(record.run.shared_links);
  line.key("sharing_pairs").number(record.run.sharing_pairs);
  if (record.contention) {
    line.key("step_vc_pairs").number(record.contention->step_vc_pairs);
    line.key("depth_vc_pairs").number(record.contention->depth_vc_pairs);
    line.key("depth_link_pairs").number(record.contention->depth_link_pairs);
  }
  if (record.fluid_millisteps) line.key("fluid_millisteps").number(*record.fluid_millisteps);
  return line.end(record.plan.request.extras);
}

void read_steps_record(const Value& value, const Topology& topology, StepsRecord& record) {
  record = StepsRecord{};
  record.plan.request.extras = read_frequent_record<steps_members>(value, [&](auto member, const Value& v) {
    const auto own = read_planned_member(static_cast<std::size_t>(member), v, topology, record.plan);
    if (own) read_step_member(*own, v, record);
  });
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

}  // namespace wormcast::io
