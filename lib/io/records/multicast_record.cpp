// Codecs of multicast and plan records, and the members that later kinds share with them.
// SPDX-License-Identifier: MIT
#include "io/records/multicast_record.hpp"

#include <algorithm>
#include <vector>

#include "io/records/delivery_record.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

/// What records of multicasts say about all of them; tables would mix a fact of such a name with it.
const std::vector<std::string_view>& measure_names() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names = {"destination_count",    "length_flits",  "start_cycle", "worms",
                                           "traffic_gap_channels", "chain_gap_hops"};
    const auto add = [&](const auto& rows) {
      for (const auto& row : rows)
        if (row.number != nullptr) names.push_back(row.key);
    };
    add(measure_rows);
    add(arrival_rows);
    add(step_measure_rows);
    return names;
  }();
  return all;
}

/// The worms of a plan: before them the record is what the routes copy.
struct MarkedWorms : PlanWorms {
  static bool read_written(WrittenText& text, std::vector<Worm>& worms, const Scope& scope) {
    text.mark();
    return PlanWorms::read_written(text, worms, scope);
  }
};

constexpr auto plan_rows =
    table(rows_of<Part<&Plan::request>, request_rows>(), planner_rows,
          always<&Plan::worms, MarkedWorms>(
              "worms", "together they deliver to each destination exactly once, and nowhere else"),
          measure_rows, where_stated<&Plan::front, Front<FrontWorms::known>>("front", front_meaning),
          where_stated<&Plan::certificate, Certificate>("certificate", certificate_meaning));
constexpr auto reduction_rows = table(
    multicast_rows[0], always<&Request::source, Host>("root", "where the parts arrive as one message"),
    always<&Request::destinations, Sorted<Host>>("sources", "senders of a part each; the root may be one"),
    multicast_rows[3],
    always<&Request::start_cycles, SomeOf<Number<>>>(
        "start_cycles", "when each source has its part; the least never decreases within a segment"),
    where_stated<&Request::depends_on, List<Number<>>>(
        "depends_on",
        "ids of multicasts and reductions earlier in the segment, each of which goes to a source here: the "
        "part of that source waits for it"),
    multicast_rows[6]);
static_assert(multicast_rows[3].key == "length_flits" && multicast_rows[6].key == "workload");

/// Unlike routes, which may be imported, and routed on the way.
constexpr const char* plan_rules = R"("allOf":[{"properties":{"worms":{"items":{"required":["stops"]}}}}])";

}  // namespace

void RoutingName::read(const Value& value, std::string& to, const Scope& scope) {
  Name::read(value, to, scope);
  to = routing_name(to);
}

bool RoutingName::read_written(WrittenText& text, std::string& to, const Scope& scope) {
  return Name::read_written(text, to, scope) && routing_name(to) == to;
}

void Facts::read(const Value& object, PlanFacts& facts, const Scope&) {
  facts.clear();
  object.members([&](std::string_view name, const Value& value) {
    if (std::find(measure_names().begin(), measure_names().end(), name) != measure_names().end())
      value.fail("a measure of every plan has that name; a planner's fact needs another");
    const auto same = [&](const auto& known) { return known.first == name; };
    if (std::any_of(facts.begin(), facts.end(), same)) value.fail("the key appears twice in the same object");
    facts.emplace_back(name, value.integer(0));
  });
}

void Facts::write(const PlanFacts& facts, RecordLine& line, const Scope&) {
  line.raw("{");
  for (const auto& [name, count] : facts) line.key(name).number(count);
  line.raw("}");
}

std::string Facts::form() { return R"({"type":"object","additionalProperties":)" + Number<>::form() + "}"; }

VerbatimMembers read_multicast_record(const Value& record, const Topology& topology, Request& request) {
  request.start_cycles.clear();
  const VerbatimMembers members =
      read_record<multicast_rows>(record, "{\"kind\":\"multicast\"", request, request.extras, {&topology});
  check_request(request);
  return members;
}

std::string_view write_multicast_record(const Request& request, RecordLine& line) {
  return write_record<multicast_rows>("multicast", request, line, request.extras);
}

VerbatimMembers read_request_record(const Record& record, const Topology& topology, Request& request) {
  if (record.kind == Kind::multicast) return read_multicast_record(record.value, topology, request);
  request.extras = read_record_rows<reduction_rows>(record.value, request, {&topology});
  if (!request.start_cycles.empty())
    request.start_cycle = *std::min_element(request.start_cycles.begin(), request.start_cycles.end());
  try {
    check_request(request, true);
  } catch (InputError& error) {
    constexpr std::string_view as_planned = "destinations";
    if (error.field.starts_with(as_planned)) error.field.replace(0, as_planned.size(), "sources");
    throw;
  }
  return {};
}

std::string_view write_request_record(const Request& request, RecordLine& line) {
  if (!request.reduces()) return write_multicast_record(request, line);
  return write_record<reduction_rows>("reduction", request, line, request.extras);
}

VerbatimMembers read_unchecked_plan_record(const Value& record, const Topology& topology, Plan& plan) {
  const VerbatimMembers members =
      read_record<plan_rows>(record, "{\"kind\":\"plan\"", plan, plan.request.extras, {&topology});
  set_default_sources(plan.request.source, plan.worms);
  for (FrontPoint& point : plan.front) set_default_sources(plan.request.source, point.worms);
  check_request(plan.request);
  if (plan.planner.empty()) refuse("planner", "required key \"planner\" is missing or empty");
  if (plan.routing.empty()) refuse("routing", "required key \"routing\" is missing or empty");
  return members;
}

VerbatimMembers read_plan_record(const Value& record, RouteCheck& check, Plan& plan) {
  const VerbatimMembers members = read_unchecked_plan_record(record, check.topology(), plan);
  check.check(plan);
  return members;
}

std::string_view write_plan_record(const Plan& plan, RecordLine& line, VerbatimMembers request) {
  line.begin("plan");
  if (request.empty())
    write_members<plan_rows>(plan, line);
  else
    write_members<plan_rows, request_rows.size()>(plan, line.raw(request));
  return line.end(plan.request.extras);
}

RecordForm multicast_form() {
  return {"multicast", "Asks for one message from one node to others", row_forms<multicast_rows>()};
}
RecordForm reduction_form() {
  return {"reduction", "Asks for one message at a node, joined from parts of others",
          row_forms<reduction_rows>()};
}
RecordForm plan_form() {
  RowForms rows = row_forms<plan_rows>();
  for (RowForm& row : rows) row.required = row.required || row.key == "planner" || row.key == "routing";
  return {"plan", "A multicast with the worms that carry it", rows, plan_rules};
}

}  // namespace wormcast::io
