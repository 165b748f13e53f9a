// Fuzz target of verdicts: "\n=====\n" stands between a stream of verdicts and the streams they speak of.
// What is accepted must be written and read again to the same bytes; each is checked against its routes,
// tables or planner, and one that holds must not be the contrary of what the search finds.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "checks/planner_verdict_check.hpp"
#include "checks/table_verdict_check.hpp"
#include "checks/verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/tables/table_check.hpp"
#include "fuzz/segments.hpp"
#include "io/records/topology_record.hpp"
#include "io/records/verdict_record.hpp"
#include "topology/error.hpp"

using namespace wormcast;

namespace {

// What is checked in a moment; a planner's verdict goes over every pair of hosts or more.
constexpr std::uint32_t most_channels_of_planners = 100;
constexpr std::uint64_t most_states = 2000;

struct Stated : Segment {
  std::vector<Verdict> verdicts;
  std::vector<RouterTable> tables;
};

void use_verdict(const io::Value& value, const Topology& topology, Verdict& verdict) {
  io::read_verdict_record(value, topology, verdict);
  io::RecordLine line;
  const std::string once(io::write_verdict_record(verdict, topology, line));
  io::JsonText json;
  json.parse(once);
  Verdict again;
  io::read_verdict_record(json.root(), topology, again);
  if (io::write_verdict_record(again, topology, line) != once) std::abort();
}

std::vector<Stated> read(const std::string& stream) {
  return read_segments<Stated>(stream, [](const io::Record& record, Stated& segment) {
    if (record.kind == io::Kind::verdict)
      use_verdict(record.value, *segment.topology, segment.verdicts.emplace_back());
    else if (record.kind == io::Kind::tables)
      io::read_tables_record(record.value, *segment.topology, segment.tables.emplace_back());
    else if (record.kind != io::Kind::routes && record.kind != io::Kind::end)
      io::refuse_kind(record, "verdict, routes and tables records");
  });
}

bool is_safe(Answer answer) { return answer == Answer::safe || answer == Answer::safe_unreachable; }

void check_of_tables(const Verdict& verdict, const Stated& segment) {
  require_table_network(*segment.topology);
  ForwardingTables tables(*segment.topology);
  for (const RouterTable& table : segment.tables) tables.add(table);
  if (check_table_verdict(tables, verdict).outcome != CheckedVerdict::Outcome::holds) return;
  const Answer found = check_tables(tables, verdict.model).answer();
  if (verdict.answer() != Answer::unknown && verdict.answer() != found) std::abort();
}

void check(const Verdict& verdict, const Stated& segment) {
  const Topology& topology = *segment.topology;
  if (speaks_of_tables(verdict)) {
    check_of_tables(verdict, segment);
    return;
  }
  if (speaks_of_planner(verdict)) {
    if (topology.channel_bound() <= most_channels_of_planners)
      check_planner_verdict(topology, verdict, most_states);
    return;
  }
  VerdictCheck verification(topology, verdict, most_states);
  for (const Routes& routes : segment.routes) verification.add(routes);
  if (verification.finish().outcome != CheckedVerdict::Outcome::holds) return;
  CheckOptions options;
  options.model = verdict.model;
  options.flits = verdict.flits;
  options.limits.partial_sets = most_states;
  options.limits.states = most_states;
  DeadlockChecker checker(topology, options);
  for (const Routes& routes : segment.routes) checker.add(routes);
  const Answer found = checker.verdict().answer();
  if ((is_safe(verdict.answer()) && found == Answer::deadlock) ||
      (verdict.answer() == Answer::deadlock && is_safe(found)))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view between = "\n=====\n";
  const std::size_t end = bytes.find(between);
  if (end == std::string::npos) return 0;
  try {
    const std::vector<Stated> spoken_of = read(bytes.substr(end + between.size()));
    const std::vector<Stated> stated = read(bytes.substr(0, end + 1));
    for (std::size_t i = 0; i < stated.size() && i < spoken_of.size(); ++i) {
      if (stated[i].topology_line != spoken_of[i].topology_line) continue;
      for (const Verdict& verdict : stated[i].verdicts) {
        try {
          check(verdict, spoken_of[i]);
        } catch (const InputError&) {
          // A refusal is an answer.
        }
      }
    }
  } catch (const InputError&) {
  } catch (const TooLarge&) {
  }
  return 0;
}
