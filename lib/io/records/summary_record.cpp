// Codec of summary records: outcome, every parameter, totals, and the first deadlock.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "io/command_line/router_options.hpp"
#include "io/records/delivery_record.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/resource_member.hpp"
#include "io/records/window_member.hpp"
#include "io/text/members.hpp"
#include "report/decimal.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Outcome, 3> outcomes = {Outcome::complete, Outcome::deadlock, Outcome::saturated};

/// A counter of the summary and its key, in the record's order.
struct Counter {
  std::string_view key;
  std::uint64_t Summary::*field;
};
constexpr std::array<Counter, 13> counters = {{{"multicasts", &Summary::multicasts},
                                               {"delivered_multicasts", &Summary::delivered_multicasts},
                                               {"destinations", &Summary::destinations},
                                               {"delivered_destinations", &Summary::delivered_destinations},
                                               {"worms", &Summary::worms},
                                               {"finished_worms", &Summary::finished_worms},
                                               {"flit_hops", &Summary::flit_hops},
                                               {"last_cycle", &Summary::last_cycle},
                                               {"latency_cycles_sum", &Summary::latency_cycles_sum},
                                               {"latency_cycles_max", &Summary::latency_cycles_max},
                                               {"source_queueing_cycles", &Summary::source_queueing_cycles},
                                               {"blocked_cycles", &Summary::blocked_cycles},
                                               {"contention", &Summary::contention}}};

constexpr std::array<Member, 5> head_members = {
    {{"kind"}, {"outcome"}, {"planner", false}, {"options", false}, {"routing", false}}};
constexpr std::size_t first_planner_member = 2;
constexpr std::size_t first_counter = head_members.size() + router_members.size() + 1;
constexpr std::size_t after_counters = first_counter + counters.size();

constexpr std::array<Member, after_counters + 3> all_members() {
  std::array<Member, after_counters + 3> members{};
  std::size_t at = 0;
  for (const Member& member : head_members) members[at++] = member;
  for (const std::string_view key : router_members) members[at++] = {key, router_member_required(key)};
  members[at++] = {"stop_on_deadlock"};
  for (const Counter& counter : counters) members[at++] = {counter.key};
  members[at++] = {"latency_cycles_mean", false};
  members[at++] = {"window", false};
  members[at++] = {"deadlock", false};
  return members;
}
constexpr auto summary_members = all_members();

/// As written; something must have been delivered.
std::string latency_mean(const Summary& summary) {
  return decimal(static_cast<Wide>(summary.latency_cycles_sum),
                 static_cast<Wide>(summary.delivered_multicasts), 3);
}

void write_name(const WormName& name, RecordLine& line) {
  line.key("multicast").number(name.multicast).key("worm").number(name.worm);
}

void write_deadlock(const Deadlock& deadlock, const Resources& resources, RecordLine& line) {
  const auto write_resources = [&](std::string_view key, const std::vector<ResourceId>& ids) {
    line.key(key).array(ids, [&](ResourceId id) { write_resource_member(resources.describe(id), line); });
  };
  line.key("deadlock").raw("{").key("cycle").number(deadlock.cycle);
  line.key("worms").array(deadlock.core, [&](const StuckWorm& worm) {
    line.raw("{");
    write_name(worm.name, line);
    write_resources("holds", worm.holds);
    write_resources("waits", worm.waits);
    line.raw("}");
  });
  line.key("blocked").array(deadlock.blocked, [&](const WormName& name) {
    line.raw("{");
    write_name(name, line);
    line.raw("}");
  });
  line.raw("}");
}

/// No more can be done than there was.
void check_counts(const Summary& summary) {
  const auto within = [](std::string_view key, std::uint64_t part, std::string_view of, std::uint64_t whole) {
    if (part > whole) throw InputError(std::string(key), fmt::format("{} of {} {}", part, whole, of));
  };
  within("delivered_multicasts", summary.delivered_multicasts, "multicasts", summary.multicasts);
  within("delivered_destinations", summary.delivered_destinations, "destinations", summary.destinations);
  within("finished_worms", summary.finished_worms, "worms", summary.worms);
}

/// Takes the members multicast and worm of an object whose first two members they are.
void read_name(int index, const Value& value, WormName& name) {
  if (index == 0) name.multicast = value.integer(0);
  if (index == 1) name.worm = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
}

Deadlock read_deadlock(const Value& object, const Topology& topology, const Resources& resources) {
  static constexpr std::array<Member, 3> members = {{{"cycle"}, {"worms"}, {"blocked"}}};
  static constexpr std::array<Member, 4> worm_members = {{{"multicast"}, {"worm"}, {"holds"}, {"waits"}}};
  static constexpr std::array<Member, 2> name_members = {{{"multicast"}, {"worm"}}};
  Deadlock deadlock;
  read_members<members>(object, [&](int index, const Value& value) {
    if (index == 0) deadlock.cycle = value.integer(0);
    if (index == 1)
      value.each([&](const Value& element) {
        StuckWorm& worm = deadlock.core.emplace_back();
        read_members<worm_members>(element, [&](int member, const Value& v) {
          read_name(member, v, worm.name);
          if (member < 2) return;
          auto& list = member == 2 ? worm.holds : worm.waits;
          v.each([&](const Value& resource) {
            list.push_back(read_resource_member(resource, topology, resources));
          });
        });
      });
    if (index == 2)
      value.each([&](const Value& element) {
        WormName& name = deadlock.blocked.emplace_back();
        read_members<name_members>(element, [&](int member, const Value& v) { read_name(member, v, name); });
      });
  });
  return deadlock;
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete:
      return "complete";
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::saturated:
      return "saturated";
  }
  return "";
}

std::string_view write_summary_record(const SummaryRecord& record, const Topology& topology,
                                      RecordLine& line) {
  const Summary& summary = record.summary;
  line.begin("summary").key("outcome").string(outcome_name(summary.outcome));
  write_members<planner_rows>(record.planned_by, line);
  write_router_members(record.model, line);
  line.key("stop_on_deadlock").boolean(record.stop_on_deadlock);
  for (const Counter& counter : counters) line.key(counter.key).number(summary.*counter.field);
  if (summary.delivered_multicasts > 0) line.key("latency_cycles_mean").raw(latency_mean(summary));
  if (summary.window) write_window_member(*summary.window, topology.hosts(), line);
  if (summary.deadlock) write_deadlock(*summary.deadlock, Resources(topology, record.model), line);
  return line.end(record.extras);
}

void read_summary_record(const Value& value, const Topology& topology, SummaryRecord& record) {
  record = SummaryRecord{};
  std::optional<Value> deadlock;  // it needs the model, which need not come first
  std::optional<Value> mean;      // it follows from other members
  record.extras = read_record<summary_members>(value, [&](int member, const Value& v) {
    const auto index = static_cast<std::size_t>(member);
    if (index == 1) {
      for (const Outcome outcome : outcomes) {
        if (outcome_name(outcome) != v.text()) continue;
        record.summary.outcome = outcome;
        return;
      }
      v.fail("\"" + std::string(v.text()) + "\" is not an outcome");
    }
    if (index < head_members.size())
      return planner_rows[index - first_planner_member].read(v, record.planned_by, {});
    if (index < first_counter - 1) return read_router_member(index - head_members.size(), v, record.model);
    if (index == first_counter - 1) record.stop_on_deadlock = v.boolean();
    if (index >= first_counter && index < after_counters)
      record.summary.*counters[index - first_counter].field = v.integer(0);
    if (index == after_counters) mean = v;
    if (index == after_counters + 1) record.summary.window = read_window_member(v, topology.hosts());
    if (index == after_counters + 2) deadlock = v;
  });
  check_router_members(record.model);
  check_counts(record.summary);
  if (mean) check_derived(*mean, record.summary.delivered_multicasts > 0 ? latency_mean(record.summary) : "");
  if (deadlock)
    record.summary.deadlock = read_deadlock(*deadlock, topology, Resources(topology, record.model));
  if (record.summary.deadlock.has_value() != (record.summary.outcome == Outcome::deadlock))
    throw InputError("deadlock", "belongs to outcome deadlock, and to no other");
}

}  // namespace wormcast::io
