// Codecs of the records that carry a multicast on its way: multicast, plan, routes.
//
// Each refines the one before: a plan has the multicast's keys and its worms, routes have the
// plan's keys and the hops of each worm. Every reader checks against the segment's topology.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "io/records/record_stream.hpp"
#include "io/records/worm_members.hpp"
#include "io/text/shapes.hpp"
#include "multicast/check.hpp"
#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Members of a record that has just been read, byte for byte, a comma before the first, where writing them
/// would give the same bytes: the next record copies them. Else empty.
using VerbatimMembers = std::string_view;

/// Fills `request` (its old contents go) from a multicast record; throws InputError. Returns its members.
VerbatimMembers read_multicast_record(const Value& record, const Topology& topology, Request& request);
std::string_view write_multicast_record(const Request& request, RecordLine& line);
/// The same of a multicast or reduction record. The latter is never copied verbatim: plans state it by other
/// members.
VerbatimMembers read_request_record(const Record& record, const Topology& topology, Request& request);
std::string_view write_request_record(const Request& request, RecordLine& line);

/// Fills `plan` from a plan record of the network that `check` is for; throws InputError, also where the
/// worms are not in order. Returns the members before its worms.
VerbatimMembers read_plan_record(const Value& record, RouteCheck& check, Plan& plan);
/// The same without the check, for a verdict on the plan.
VerbatimMembers read_unchecked_plan_record(const Value& record, const Topology& topology, Plan& plan);
/// `request`: of the multicast record that the plan is for.
std::string_view write_plan_record(const Plan& plan, RecordLine& line, VerbatimMembers request = {});

/// Fills `routes` (its old contents go, but its buffers) from a routes record of the network that `check` is
/// for; throws InputError. Imported routes have no planner.
void read_routes_record(const Value& record, RouteCheck& check, Routes& routes);
/// `plan`: of the plan record that the routes are for.
std::string_view write_routes_record(const Routes& routes, RecordLine& line, VerbatimMembers plan = {});

// The tables that plan, routes, delivery, steps, summary and verdict records share.

/// The name of a routing function, or another spelling of one.
struct RoutingName : Name {
  static void read(const Value& value, std::string& to, const Scope& scope);
  static bool read_written(WrittenText& text, std::string& to, const Scope& scope);
};

/// An object of counts that no measure of all plans has the name of, such as {"same_step_shared_links":0}.
struct Facts {
  static void read(const Value& object, PlanFacts& facts, const Scope&);
  static void write(const PlanFacts& facts, RecordLine& line, const Scope&);
  static std::string form();
};

inline constexpr char no_starts[] = "an empty array; a multicast has no start_cycles";
using Starts = NotEmpty<SomeOf<Number<>>, no_starts>;

inline constexpr auto multicast_rows = table(
    always<&Request::id, Number<>>("id", "unique in the segment; breaks ties, smaller first"),
    always<&Request::source, Host>("source", "where it starts"),
    always<&Request::destinations, Sorted<Host>>(
        "destinations", "without the source, unless it is the only one (a self-send)"),
    always<&Request::length_flits, Number<1>>("length_flits", "without header flits"),
    always<&Request::start_cycle, Number<>>(
        "start_cycle", "when the source has the message; never decreases within a segment"),
    where_stated<&Request::depends_on, List<Number<>>>(
        "depends_on",
        "ids of multicasts earlier in the segment that must have reached this source first. "
        "simulate-wormhole refuses one that is not destined for it and still under way"),
    repeated<&Request::workload, Texts>(
        "workload",
        "what made it, for people and for grouping: pattern, options, rate, seed. Tools read `flit-bits` "
        "(the width of a flit: plan-multicast then counts headers, 3.3), `answers` and `answer`"));
/// As later records have them, of multicasts and of reductions.
inline constexpr auto request_rows =
    table(multicast_rows,
          repeated<&Request::start_cycles, Starts>(  // as what stands before and behind it
              "start_cycles",
              "of a reduction alone: the worms are those of a multicast from its root, the `source`, run "
              "backwards: each of the `destinations` sends its part from its cycle on, `start_cycle` is the "
              "least of these, a branch joins, and only the source receives"));

/// How it was planned; absent together where routes were imported.
inline constexpr auto planner_rows =
    table(repeated<&Plan::planner, Name>("planner", "name of the planner"),
          repeated<&Plan::options, Texts>(
              "options",
              "of the planner. `beside`: the planner of the multicasts beside this unicast (`--unicasts`)")
              .only_if([](const Plan& plan) { return !plan.planner.empty() && !plan.options.empty(); }),
          repeated<&Plan::routing, RoutingName>(
              "routing",
              "the routing function between stops (`route-expand --list`); `xy` and BookSim2's `dor`, "
              "`xy_yx`, `min_adapt`, `nca` are read as the name")
              .only_if([](const Plan& plan) { return !plan.planner.empty(); }));

/// The plan's measures.
inline constexpr auto measure_rows = table(
    where_stated<&Plan::traffic_channels, Number<>>("traffic_channels",
                                                    "channels between routers, with multiplicity"),
    where_stated<&Plan::longest_path_hops, Number<>>(
        "longest_path_hops", "channels of the longest path of one worm, source to last stop"),
    where_stated<&Plan::longest_chain_hops, Number<>>("longest_chain_hops", "the same, summed along `after`"),
    where_stated<&Plan::facts, Facts>(
        "facts", "what the planner states of its worms; none has the name of a measure"));

/// All but the worms, of records that are made of a plan.
inline constexpr auto planned_rows =
    table(rows_of<Part<&Plan::request>, request_rows>(), planner_rows, measure_rows);

/// Reads a record of `kind`, `{"kind":"plan"`, that stands as tools write it. Returns its members up to the
/// place that a row has marked, or to the closing bracket; nothing of any other record.
template <const auto& rows, class T>
VerbatimMembers read_as_written(const Value& record, std::string_view kind, T& to, const Scope& scope) {
  JsonText& json = record.json();
  WrittenText text(json.raw());
  if (!text.stands(kind)) return {};
  const char* const begin = text.place();
  if (!read_written<rows, true>(text, to, scope, &json.kept<Heading<T>>())) return {};
  const char* const end = text.marked() != nullptr ? text.marked() : text.place();
  if (!text.stands('}') || !text.at_end()) return {};
  json.read_whole();
  return {begin, static_cast<std::size_t>(end - begin)};
}
/// The same, and any other record too, whose x_ members it keeps.
template <const auto& rows, class T>
VerbatimMembers read_record(const Value& record, std::string_view kind, T& to, std::string& extras,
                            const Scope& scope) {
  const VerbatimMembers members = read_as_written<rows>(record, kind, to, scope);
  extras.clear();
  if (members.empty()) extras = read_record_rows<rows>(record, to, scope);
  return members;
}

}  // namespace wormcast::io
