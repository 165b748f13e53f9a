// Codecs of the records that carry a multicast on its way: multicast, plan, routes.
//
// Each refines the one before: a plan has the multicast's keys and its worms, routes have the
// plan's keys and the hops of each worm. Every reader checks against the segment's topology.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/records/worm_members.hpp"
#include "io/text/json_text.hpp"
#include "io/text/members.hpp"
#include "io/text/named_values.hpp"
#include "io/text/record_line.hpp"
#include "io/text/written_text.hpp"
#include "multicast/checks/route_check.hpp"
#include "multicast/id_set.hpp"
#include "multicast/plan.hpp"
#include "multicast/request.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Members as they stand in a record that has just been read, a comma before the first, where writing them
/// would give the same bytes: who writes a record of the next kind copies them. Else empty.
using AsRead = std::string_view;

/// Fills `request` (its old contents go) from a multicast record; throws InputError. Returns its members.
AsRead read_multicast_record(const Value& record, const Topology& topology, Request& request);
std::string_view write_multicast_record(const Request& request, RecordLine& line);

/// Fills `plan` from a plan record; throws InputError, also where the worms are in no order (check_plan).
/// Returns what stands before its worms.
AsRead read_plan_record(const Value& record, const Topology& topology, Plan& plan);
/// The same without check_plan(), for who makes a verdict of it.
AsRead read_unchecked_plan_record(const Value& record, const Topology& topology, Plan& plan);
/// `request`: of the multicast record that the plan is for.
std::string_view write_plan_record(const Plan& plan, RecordLine& line, AsRead request = {});

/// Fills `routes` (its old contents go, but its buffers) from a routes record of the network that `check` is
/// for; throws InputError. Imported routes have no planner.
void read_routes_record(const Value& record, RouteCheck& check, Routes& routes);
/// `plan`: of the plan record that the routes are for.
std::string_view write_routes_record(const Routes& routes, RecordLine& line, AsRead plan = {});

/// What the multicasts of a segment owe each other, in the order in which they come; every tool that reads
/// them checks it, the simulator's engines the ids themselves.
class MulticastOrder {
 public:
  void begin_segment() { *this = {}; }
  /// Throws InputError where an earlier record has the id, `depends_on` names one that no earlier record has,
  /// or an earlier record starts later.
  void check(const Request& request);
  /// The same about the id alone.
  void check_id(std::uint64_t id);
  /// The same about the start alone.
  void check_start(Cycle start);

 private:
  IdSet ids_;
  Cycle last_ = 0;
};

// The keys that plan, routes and delivery records share, for the codecs of those kinds.

/// `kind` and the multicast's own keys.
inline constexpr std::array<Member, 8> request_members = {{{"kind"},
                                                           {"id"},
                                                           {"source"},
                                                           {"destinations"},
                                                           {"length_flits"},
                                                           {"start_cycle"},
                                                           {"depends_on", false},
                                                           {"workload", false}}};
/// How it was planned, and the plan's measures; absent together where routes were imported.
inline constexpr std::array<Member, 7> planner_members = {{{"planner", false},
                                                           {"options", false},
                                                           {"routing", false},
                                                           {"traffic_channels", false},
                                                           {"longest_path_hops", false},
                                                           {"longest_chain_hops", false},
                                                           {"facts", false}}};

template <std::size_t N, std::size_t M>
constexpr std::array<Member, N + M> join(const std::array<Member, N>& a, const std::array<Member, M>& b) {
  std::array<Member, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = a[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = b[i];
  return all;
}

/// The same where the worms stand before the measures, and the members of plan and routes records after them.
inline constexpr auto planner_members_before_worms = [] {
  auto members = planner_members;
  for (std::size_t i = 3; i < members.size(); ++i) members[i].late = true;
  return members;
}();
inline constexpr std::array<Member, 3> worms_members = {
    {{"worms"}, {"front", false}, {"certificate", false}}};

/// Empties a plan but keeps its buffers; its worms stay, to be written over.
void reset(Plan& plan);
[[noreturn]] void fail_for_host(const Value& value, std::uint64_t host, const Topology& topology);
/// One host of the topology.
inline HostId read_host(const Value& value, const Topology& topology) {
  const std::uint64_t host = value.integer(0);
  if (host >= topology.hosts()) fail_for_host(value, host, topology);
  return HostId{static_cast<std::uint32_t>(host)};
}
/// An array of hosts of the topology, appended to `hosts`.
void read_hosts(const Value& array, const Topology& topology, std::vector<HostId>& hosts);
void read_planner_text(const Value& value, std::string& text);
void read_routing_text(const Value& value, std::string& text);
/// An object of counts, such as {"same_step_shared_links":0}.
void read_facts(const Value& object, PlanFacts& facts);

// In line, so that where the index is known only the code of that member is left.

/// Takes member `index` of request_members.
inline void read_request_member(std::size_t index, const Value& value, const Topology& topology,
                                Request& request) {
  switch (index) {
    case 1:
      request.id = value.integer(0);
      break;
    case 2:
      request.source = read_host(value, topology);
      break;
    case 3:
      read_hosts(value, topology, request.destinations);
      break;
    case 4:
      request.length_flits = value.integer(1);
      break;
    case 5:
      request.start_cycle = value.integer(0);
      break;
    case 6:
      value.each([&](const Value& id) { request.depends_on.push_back(id.integer(0)); });
      break;
    case 7:
      request.workload = read_named_values(value);
      break;
    default:
      break;
  }
}

/// Takes member `index` of planner_members.
inline void read_planner_member(std::size_t index, const Value& value, Plan& plan) {
  switch (index) {
    case 0:
      read_planner_text(value, plan.planner);
      break;
    case 1:
      plan.options = read_named_values(value);
      break;
    case 2:
      read_routing_text(value, plan.routing);
      break;
    case 3:
      plan.traffic_channels = value.integer(0);
      break;
    case 4:
      plan.longest_path_hops = value.integer(0);
      break;
    case 5:
      plan.longest_chain_hops = value.integer(0);
      break;
    case 6:
      read_facts(value, plan.facts);
      break;
    default:
      break;
  }
}

/// Takes member `index` of request_members and planner_members joined; of a codec's own members after them,
/// says which it is.
inline std::optional<std::size_t> read_planned_member(std::size_t index, const Value& value,
                                                      const Topology& topology, Plan& plan) {
  if (index < request_members.size()) {
    read_request_member(index, value, topology, plan.request);
    return std::nullopt;
  }
  index -= request_members.size();
  if (index >= planner_members.size()) return index - planner_members.size();
  read_planner_member(index, value, plan);
  return std::nullopt;
}

// Most records stand as tools write them and say what the one before said, but for their numbers. Those are
// read in one go. For all others these functions are false, and the codec reads the record by its members.

/// id to start_cycle, from the comma before them on; nothing that a request may have besides.
inline bool usual_request(WrittenText& text, const Topology& topology, Request& request) {
  std::uint64_t source = 0;
  request.destinations.clear();
  request.depends_on.clear();
  request.extras.clear();
  const auto take_destination = [&](std::uint64_t host) {
    request.destinations.push_back(HostId{static_cast<std::uint32_t>(host)});
    return host < topology.hosts();
  };
  const bool usual = text.stands(",\"id\":") && text.number(request.id) && text.stands(",\"source\":") &&
                     text.number(source) && source < topology.hosts() && text.stands(",\"destinations\":[") &&
                     text.numbers(take_destination) && text.stands(",\"length_flits\":") &&
                     text.number(request.length_flits) && request.length_flits > 0 &&
                     text.stands(",\"start_cycle\":") && text.number(request.start_cycle);
  request.source = HostId{static_cast<std::uint32_t>(source)};
  return usual;
}

/// What stands between start_cycle and the worms of a plan or routes record, as in the record before.
inline bool usual_heading(WrittenText& text, const RecordHeading& known, Plan& plan) {
  if (known.text.empty() || !text.stands(known.text)) return false;
  plan.request.workload = known.workload;
  plan.planner = known.planner;
  plan.options = known.options;
  plan.routing = known.routing;
  return true;
}

/// The measures of a plan, to the record's end; nothing that a plan may have besides.
inline bool usual_measures(WrittenText& text, Plan& plan) {
  plan.front.clear();
  plan.certificate.clear();
  plan.facts.clear();
  return text.stands(",\"traffic_channels\":") && text.number(plan.traffic_channels.emplace()) &&
         text.stands(",\"longest_path_hops\":") && text.number(plan.longest_path_hops.emplace()) &&
         text.stands(",\"longest_chain_hops\":") && text.number(plan.longest_chain_hops.emplace()) &&
         text.stands('}') && text.at_end();
}

/// A plan or routes record that begins with `head`. read_hops(text, i) goes behind what stands behind the
/// stops of the i-th worm. `before_worms`: the members before the worms, with the key of these.
template <class ReadHops>
bool read_usual_planned(const Value& record, std::string_view head, const Topology& topology, Plan& plan,
                        AsRead& before_worms, ReadHops read_hops) {
  const JsonText& json = record.json();
  WrittenText text(json.raw());
  if (!text.stands(head)) return false;
  const char* const begin = text.place();
  if (!usual_request(text, topology, plan.request) || !usual_heading(text, json.heading(), plan))
    return false;
  before_worms = {begin, static_cast<std::size_t>(text.place() - begin)};
  if (!text.stands('[')) return false;
  std::size_t count = 0;
  do {
    if (plan.worms.size() == count) plan.worms.emplace_back();
    if (!usual_stops(text, topology, plan.request.source, plan.worms[count]) || !read_hops(text, count) ||
        !text.stands('}'))
      return false;
    ++count;
  } while (text.stands(','));
  plan.worms.resize(count);
  if (!text.stands(']') || !usual_measures(text, plan)) return false;
  json.read_whole();
  return true;
}

/// Of a record that begins with `head`, the text `read` has been read by its members, and says what `request`
/// does; it is empty where it is written otherwise. Keeps for the next record what stands behind start_cycle;
/// false where that is not usual.
bool keep_heading(const JsonText& json, std::string_view read, std::string_view head,
                  const Topology& topology, const Request& request);
/// The same of a plan or routes record up to its worms.
void keep_heading(const Value& worms, std::string_view head, const Topology& topology, const Plan& plan);

void write_request_members(const Request& request, RecordLine& line);
/// planner, options, routing; nothing where there is no planner.
void write_planner_members(const Plan& plan, RecordLine& line);
/// traffic_channels, longest_path_hops, longest_chain_hops, facts, each where known.
void write_measure_members(const Plan& plan, RecordLine& line);

}  // namespace wormcast::io
