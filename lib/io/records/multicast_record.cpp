// Codecs of multicast and plan records, and the keys that later kinds share with them.
// SPDX-License-Identifier: MIT
#include "io/records/multicast_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/records/certificate_members.hpp"
#include "io/records/worm_members.hpp"
#include "io/text/named_values.hpp"
#include "multicast/check.hpp"
#include "multicast/header.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::string_view multicast_head = "{\"kind\":\"multicast\"";
constexpr std::string_view plan_head = "{\"kind\":\"plan\"";

constexpr auto plan_members = join(join(request_members, planner_members_before_worms), worms_members);

/// A text that names something.
std::string_view name_text(const Value& value) {
  const std::string_view text = value.text();
  if (text.empty()) value.fail("an empty text");
  return text;
}

/// What records of multicasts say about all of them; tables would mix a fact of such a name with it.
constexpr std::array<std::string_view, 22> measure_names = {"destination_count",
                                                            "length_flits",
                                                            "start_cycle",
                                                            "worms",
                                                            "traffic_channels",
                                                            "longest_path_hops",
                                                            "longest_chain_hops",
                                                            "traffic_gap_channels",
                                                            "chain_gap_hops",
                                                            "latency_cycles",
                                                            "source_queueing_cycles",
                                                            "blocked_cycles",
                                                            "contention",
                                                            "steps",
                                                            "least_steps",
                                                            "blocked",
                                                            "shared_links",
                                                            "sharing_pairs",
                                                            "fluid_millisteps",
                                                            "step_vc_pairs",
                                                            "depth_vc_pairs",
                                                            "depth_link_pairs"};

/// What follows the kind in the text of a record.
std::string_view behind_kind(std::string_view record) {
  record.remove_prefix(std::min(record.find(','), record.size()));
  return record;
}

/// Empties a request but keeps its buffers.
void reset(Request& request) {
  request.destinations.clear();
  request.depends_on.clear();
  request.workload = {};
  request.extras.clear();
}

}  // namespace

void read_facts(const Value& object, PlanFacts& facts) {
  object.members([&](std::string_view name, const Value& value) {
    if (std::find(measure_names.begin(), measure_names.end(), name) != measure_names.end())
      value.fail("a measure of every plan has that name; a planner's fact needs another");
    const auto same = [&](const auto& known) { return known.first == name; };
    if (std::any_of(facts.begin(), facts.end(), same)) value.fail("the key appears twice in the same object");
    facts.emplace_back(name, value.integer(0));
  });
}

void reset(Plan& plan) {
  reset(plan.request);
  plan.planner.clear();
  plan.options = {};
  plan.routing.clear();
  plan.traffic_channels.reset();
  plan.longest_path_hops.reset();
  plan.longest_chain_hops.reset();
  plan.front.clear();
  plan.certificate.clear();
  plan.facts.clear();
}

void MulticastOrder::check(const Request& request) {
  for (std::size_t i = 0; i < request.depends_on.size(); ++i)
    if (!ids_.contains(request.depends_on[i]))
      throw InputError(
          fmt::format("depends_on[{}]", i),
          fmt::format("multicast {} does not come earlier in the segment", request.depends_on[i]));
  check_id(request.id);
  check_start(request.start_cycle);
}

void MulticastOrder::check_id(std::uint64_t id) {
  if (!ids_.insert(id)) throw InputError("id", fmt::format("multicast {} appears twice", id));
}

void MulticastOrder::check_start(Cycle start) {
  if (start < last_)
    throw InputError("start_cycle",
                     fmt::format("{} is before {}, the start of an earlier record", start, last_));
  last_ = start;
}

void fail_for_host(const Value& value, std::uint64_t host, const Topology& topology) {
  value.fail(
      fmt::format("node {} is not in topology {} ({} nodes)", host, topology.name(), topology.hosts()));
}

void read_hosts(const Value& array, const Topology& topology, std::vector<HostId>& hosts) {
  const std::size_t before = hosts.size();
  const bool plain = array.plain_integers([&](std::int64_t host) {
    if (host < 0 || host >= std::int64_t{topology.hosts()}) return false;
    hosts.push_back(HostId{static_cast<std::uint32_t>(host)});
    return true;
  });
  if (plain) return;
  hosts.resize(before);
  array.each([&](const Value& host) { hosts.push_back(read_host(host, topology)); });
}

void read_planner_text(const Value& value, std::string& text) {
  text = value.json().repeated(value, [](const Value& name) { return std::string(name_text(name)); });
}

void read_routing_text(const Value& value, std::string& text) {
  text = value.json().repeated(value, [](const Value& name) {
    const std::string_view said = name_text(name);
    std::string known = routing_name(said);
    if (known != said) name.json().written_otherwise();
    return known;
  });
}

bool keep_heading(const JsonText& json, std::string_view read, std::string_view head,
                  const Topology& topology, const Request& request) {
  RecordHeading& known = json.heading();
  WrittenText text(read);
  Request same;
  if (!json.plain() || !request.depends_on.empty() || !text.stands(head) ||
      !usual_request(text, topology, same))
    return false;
  known.text.assign(text.place(), read.data() + read.size());
  known.workload = request.workload;
  return true;
}

void keep_heading(const Value& worms, std::string_view head, const Topology& topology, const Plan& plan) {
  const JsonText& json = worms.json();
  RecordHeading& known = json.heading();
  const std::string_view read = json.read_as_written(worms);
  // Mostly it is known, and the worms are not the usual ones. A digit stands before it.
  const std::size_t before = read.size() - known.text.size() - 1;
  if (before < read.size() && read[before] >= '0' && read[before] <= '9' && read.ends_with(known.text))
    return;
  if (!keep_heading(json, read, head, topology, plan.request)) return;
  known.planner = plan.planner;
  known.options = plan.options;
  known.routing = plan.routing;
}

void write_request_members(const Request& request, RecordLine& line) {
  line.key("id").number(request.id).key("source").number(request.source.value);
  line.key("destinations").array(request.destinations, [&](HostId host) { line.number(host.value); });
  line.key("length_flits").number(request.length_flits).key("start_cycle").number(request.start_cycle);
  if (!request.depends_on.empty())
    line.key("depends_on").array(request.depends_on, [&](std::uint64_t id) { line.number(id); });
  if (!request.workload.empty()) line.key("workload").values(request.workload);
}

void write_planner_members(const Plan& plan, RecordLine& line) {
  if (plan.planner.empty()) return;
  RecordHeading& known = line.heading();
  if (!known.text.empty() && known.planner == plan.planner && known.routing == plan.routing &&
      known.options == plan.options) {
    line.raw(known.text);
    return;
  }
  const std::size_t begin = line.written().size();
  line.key("planner").string(plan.planner);
  if (!plan.options.empty()) line.key("options").values(plan.options);
  line.key("routing").string(plan.routing);
  known.text = line.written().substr(begin);
  known.planner = plan.planner;
  known.options = plan.options;
  known.routing = plan.routing;
}

void write_measure_members(const Plan& plan, RecordLine& line) {
  // Something always stands before them.
  if (plan.traffic_channels) line.literal(",\"traffic_channels\":").number(*plan.traffic_channels);
  if (plan.longest_path_hops) line.literal(",\"longest_path_hops\":").number(*plan.longest_path_hops);
  if (plan.longest_chain_hops) line.literal(",\"longest_chain_hops\":").number(*plan.longest_chain_hops);
  if (plan.facts.empty()) return;
  line.key("facts").raw("{");
  for (std::size_t i = 0; i < plan.facts.size(); ++i) {
    if (i > 0) line.raw(",");
    line.string(plan.facts[i].first).raw(":").number(plan.facts[i].second);
  }
  line.raw("}");
}

namespace {

bool read_usual_multicast(const Value& record, const Topology& topology, Request& request) {
  const RecordHeading& known = record.json().heading();
  WrittenText text(record.json().raw());
  if (!text.stands(multicast_head) || !usual_request(text, topology, request) || known.text.empty() ||
      !text.stands(known.text) || !text.at_end())
    return false;
  request.workload = known.workload;
  record.json().read_whole();
  return true;
}

}  // namespace

AsRead read_multicast_record(const Value& record, const Topology& topology, Request& request) {
  if (!read_usual_multicast(record, topology, request)) {
    reset(request);
    request.extras = read_frequent_record<request_members>(record, [&](auto member, const Value& value) {
      read_request_member(static_cast<std::size_t>(member), value, topology, request);
    });
    keep_heading(record.json(), record.json().read_as_written(), multicast_head, topology, request);
  }
  check_request(request);
  AsRead members = behind_kind(record.json().read_as_written());
  if (!members.empty()) members.remove_suffix(1);  // the bracket
  return members;
}

std::string_view write_multicast_record(const Request& request, RecordLine& line) {
  line.begin("multicast");
  write_request_members(request, line);
  return line.end(request.extras);
}

AsRead read_unchecked_plan_record(const Value& record, const Topology& topology, Plan& plan) {
  AsRead before_worms;
  const auto no_hops = [](WrittenText&, std::size_t) { return true; };
  if (!read_usual_planned(record, plan_head, topology, plan, before_worms, no_hops)) {
    reset(plan);
    plan.request.extras = read_frequent_record<plan_members>(record, [&](auto member, const Value& value) {
      const auto own = read_planned_member(static_cast<std::size_t>(member), value, topology, plan);
      if (own == 0U) {
        before_worms = behind_kind(value.json().read_as_written(value));
        keep_heading(value, plan_head, topology, plan);
        read_plan_worms(value, topology, plan.worms);
      }
      if (own == 1U) read_front(value, topology, FrontWorms::known, plan.front);
      if (own == 2U) read_certificate(value, topology, plan.certificate);
    });
    set_default_sources(plan.request.source, plan.worms);
    for (FrontPoint& point : plan.front) set_default_sources(plan.request.source, point.worms);
  }
  check_request(plan.request);
  if (plan.planner.empty()) throw InputError("planner", "required key \"planner\" is missing or empty");
  if (plan.routing.empty()) throw InputError("routing", "required key \"routing\" is missing or empty");
  return before_worms;
}

AsRead read_plan_record(const Value& record, const Topology& topology, Plan& plan) {
  const AsRead before_worms = read_unchecked_plan_record(record, topology, plan);
  check_plan(plan, topology);
  HeaderSizes(topology).check(plan);
  return before_worms;
}

std::string_view write_plan_record(const Plan& plan, RecordLine& line, AsRead request) {
  line.begin("plan");
  if (request.empty())
    write_request_members(plan.request, line);
  else
    line.raw(request);
  write_planner_members(plan, line);
  line.key("worms");
  write_plan_worms(plan.worms, line);
  write_measure_members(plan, line);
  if (!plan.front.empty()) write_front(plan.front, FrontWorms::known, line);
  if (!plan.certificate.empty()) write_certificate(plan.certificate, line);
  return line.end(plan.request.extras);
}

}  // namespace wormcast::io
