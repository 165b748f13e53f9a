// check-deadlock: proves that the worms of a stream cannot block each other for good, or shows how they do.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "deadlock/checker.hpp"
#include "deadlock/witness.hpp"
#include "io/multicast_record.hpp"
#include "io/router_options.hpp"
#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "io/verdict_record.hpp"
#include "multicast/shared_planner.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "check-deadlock",
    .summary = "Decide whether the worms of each segment can deadlock, with a proof or a witness.",
    .details =
        "Reads: topology, routes. Writes: topology, verdict.\n"
        "The worms of a segment count as concurrently active, in any order and at any time, each once.\n"
        "Verdicts: safe (the dependency graph is acyclic; with a numbering), safe-unreachable (it has "
        "cycles,\n"
        "but no set of these worms can block itself), deadlock (with a witness), unknown (a limit was "
        "reached).\n"
        "Exit status: 0 safe or safe-unreachable, 1 deadlock, 2 unknown, or usage, input or I/O error.\n"
        "Example: ... | route-expand | check-deadlock --witness - | simulate-wormhole",
};

struct Options {
  io::RouterOptions router;
  std::optional<std::uint64_t> length_flits;
  bool long_worms = false;
  std::uint64_t search_limit = SearchLimits{}.partial_sets;
  std::uint64_t state_limit = SearchLimits{}.states;
  std::uint64_t route_limit = CheckOptions{}.route_limit;
  std::string witness;
};

void declare(CLI::App& app, Options& options, io::CommonOptions& common) {
  io::add_inputs(app, common);
  io::add_router_options(app, options.router);
  const auto length =
      app.add_option("--length-flits", options.length_flits, "Length of every worm, in place of its own")
          ->check(CLI::PositiveNumber);
  app.add_flag("--long-worms", options.long_worms, "Worms so long that no tail ever leaves its source")
      ->excludes(length);
  app.add_option("--search-limit", options.search_limit, "Partial sets of worms that the exact search tries")
      ->capture_default_str();
  app.add_option("--state-limit", options.state_limit, "States explored for worms shorter than their paths")
      ->capture_default_str();
  app.add_option("--route-limit", options.route_limit, "Distinct routes kept for the exact search")
      ->capture_default_str();
  app.add_option(
      "--witness", options.witness,
      "Write each deadlock as a stream that simulate-wormhole replays; '-': in place of the verdicts");
}

CheckOptions check_options(const Options& options) {
  CheckOptions result;
  result.model = io::router_model(options.router);
  result.limits.partial_sets = options.search_limit;
  result.limits.states = options.state_limit;
  result.route_limit = options.route_limit;
  if (options.length_flits) result.flits = *options.length_flits + result.model.header_flits;
  if (options.long_worms) result.flits = long_worm_flits;
  return result;
}

void write_witness(const Verdict& verdict, const std::string& topology_line, io::Output& output) {
  io::RecordLine line;
  output.write(topology_line);
  for (const Routes& routes : witness_routes(verdict.witness))
    output.write(io::write_routes_record(routes, line));
  output.write(io::end_line);
}

/// Exit status of several segments: no answer to one outweighs a deadlock in another.
int status_of(Answer answer) {
  if (answer == Answer::unknown) return io::exit_failure;
  return answer == Answer::deadlock ? io::exit_no : io::exit_yes;
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  const CheckOptions check = check_options(options);
  const bool witness_only = options.witness == "-";
  std::optional<io::Output> witness;
  if (!options.witness.empty() && !witness_only) witness.emplace(options.witness);
  io::RecordStream in(common.inputs);
  std::optional<DeadlockChecker> checker;
  std::shared_ptr<const Topology> topology;
  io::RecordLine line;
  SharedPlanner planner;
  Routes routes;
  int status = io::exit_yes;
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        topology = in.topology();
        checker.emplace(*topology, check);
        planner = SharedPlanner{};
        break;
      case io::Kind::routes:
        io::read_routes_record(record.value, *topology, routes);
        checker->add(routes);
        planner.add(routes.plan);
        break;
      case io::Kind::end: {
        Verdict verdict = checker->verdict();
        verdict.planned_by = planner.common();
        status = std::max(status, status_of(verdict.answer));
        if (witness_only || witness)
          write_witness(verdict, in.topology_line(), witness_only ? output : *witness);
        if (witness_only) break;
        output.write(in.topology_line());
        output.write(io::write_verdict_record(verdict, *topology, line));
        output.write(in.end_line());
        if (verdict.answer == Answer::unknown) io::diagnose(text.name, "unknown: " + verdict.limit);
        break;
      }
      default:
        io::refuse_kind(record, "routes records");
    }
  });
  if (witness) witness->finish();
  return status;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
