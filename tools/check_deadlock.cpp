// check-deadlock: proves that the worms of a stream cannot block each other for good, or shows how they do.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/all_multicasts.hpp"
#include "deadlock/checker.hpp"
#include "deadlock/explain.hpp"
#include "deadlock/witness.hpp"
#include "io/multicast_record.hpp"
#include "io/router_options.hpp"
#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "io/verdict_record.hpp"
#include "io/verdict_verification.hpp"
#include "multicast/planner.hpp"
#include "multicast/shared_planner.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "check-deadlock",
    .summary = "Decide whether the worms of each segment can deadlock, with a proof or a witness.",
    .details =
        "Reads: topology, routes. Writes: topology, verdict.\n"
        "With --all-multicasts: reads topology, and the verdict holds for every multicast of the planner;\n"
        "options of a planner follow it: otms:first-hop=free.\n"
        "The worms of a segment count as concurrently active, in any order and at any time, each once.\n"
        "Verdicts: safe (the dependency graph is acyclic; with a numbering), safe-unreachable (it has\n"
        "cycles, but no set of these worms can block itself), deadlock (with a witness), unknown (a limit\n"
        "was reached).\n"
        "With --verify: writes nothing; the evidence of verdicts is checked against the routes.\n"
        "Exit status: 0 safe or safe-unreachable, 1 deadlock, or not verified, 2 unknown, or usage,\n"
        "input or I/O error.\n"
        "Example: ... | route-expand | check-deadlock --witness - | simulate-wormhole",
};

struct Options {
  io::RouterOptions router;
  std::optional<std::uint64_t> length_flits;
  bool long_worms = false;
  bool cut_through = false;
  std::uint64_t search_limit = SearchLimits{}.partial_sets;
  std::uint64_t state_limit = SearchLimits{}.states;
  std::uint64_t route_limit = CheckOptions{}.route_limit;
  std::string witness;
  std::string all_multicasts;
  std::string routing;
  std::string with_unicast;
  bool explain = false;
  std::string verify;
};

void declare_scope(CLI::App& app, Options& options);

void declare(CLI::App& app, Options& options, io::CommonOptions& common) {
  io::add_inputs(app, common);
  io::add_router_options(app, options.router);
  const auto length =
      app.add_option("--length-flits", options.length_flits, "Length of every worm, in place of its own")
          ->check(CLI::PositiveNumber);
  const auto long_worms =
      app.add_flag("--long-worms", options.long_worms, "Worms so long that no tail ever leaves its source")
          ->excludes(length);
  app.add_flag("--cut-through", options.cut_through,
               "Virtual cut-through: every worm fits into one buffer, branches do not wait for each other")
      ->excludes(length)
      ->excludes(long_worms);
  app.add_option("--search-limit", options.search_limit, "Partial sets of worms that the exact search tries")
      ->capture_default_str();
  app.add_option("--state-limit", options.state_limit, "States explored for worms shorter than their paths")
      ->capture_default_str();
  app.add_option("--route-limit", options.route_limit, "Distinct routes kept for the exact search")
      ->capture_default_str();
  app.add_option(
         "--witness", options.witness,
         "Write each deadlock as a stream that simulate-wormhole replays; '-': in place of the verdicts")
      ->type_name("FILE");
  app.add_flag("--explain", options.explain, "Add the verdict in two sentences");
  app.add_option(
         "--verify", options.verify,
         "Check these verdicts against the routes instead; exit 1 and the first violation if one fails")
      ->type_name("VERDICTS");
  declare_scope(app, options);
  io::add_names(common, "PLANNERS", "", planners(), true);
  io::add_names(common, "ROUTING", "", routing_functions());
}

void declare_scope(CLI::App& app, Options& options) {
  const auto all =
      app.add_option("--all-multicasts", options.all_multicasts,
                     "Check every multicast that these planners can produce on the topology; no routes then")
          ->type_name("PLANNERS");
  app.add_option("--routing", options.routing, "Routing function of the planners (default: each one's first)")
      ->type_name("ROUTING")
      ->needs(all);
  app.add_option("--with-unicast", options.with_unicast,
                 "Together with all unicasts by this routing function")
      ->type_name("ROUTING")
      ->needs(all);
}

CheckOptions check_options(const Options& options) {
  CheckOptions result;
  result.model = io::router_model(options.router);
  result.limits.partial_sets = options.search_limit;
  result.limits.states = options.state_limit;
  result.route_limit = options.route_limit;
  if (options.length_flits) result.flits = *options.length_flits + result.model.header_flits;
  if (options.long_worms) result.flits = long_worm_flits;
  result.model.cut_through = options.cut_through;
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

/// Verdicts go where they belong as they come.
class Writer {
 public:
  Writer(const Options& options, io::Output& output) : options_(options), output_(output) {
    if (!options.witness.empty() && options.witness != "-") witness_.emplace(options.witness);
  }

  /// At the end record of the verdict's segment.
  void write(Verdict verdict, const Topology& topology, const io::RecordStream& in) {
    status_ = std::max(status_, status_of(verdict.answer));
    const bool witness_only = options_.witness == "-";
    if (witness_only || witness_)
      write_witness(verdict, in.topology_line(), witness_only ? output_ : *witness_);
    if (witness_only) return;
    if (options_.explain) verdict.explanation = explain(verdict, topology);
    output_.write(in.topology_line());
    output_.write(io::write_verdict_record(verdict, topology, line_));
    output_.write(in.end_line());
    if (verdict.answer == Answer::unknown) io::diagnose(text.name, "unknown: " + verdict.limit);
  }

  int finish() {
    if (witness_) witness_->finish();
    return status_;
  }

 private:
  const Options& options_;
  io::Output& output_;
  std::optional<io::Output> witness_;
  io::RecordLine line_;
  int status_ = io::exit_yes;
};

/// "otms:first-hop=free" is a planner with options.
BoundPlanner parse_planner(std::string word, const Topology& topology, std::string_view routing) {
  std::vector<std::string> parts = CLI::detail::split(word, ':');
  const Planner* planner = find_planner(parts.front());
  if (planner == nullptr)
    throw InputError("--all-multicasts", unknown_name("planner", parts.front(), planners()));
  PlanOptions options;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos)
      throw InputError("--all-multicasts", "'" + parts[i] + "' is not option=value");
    options.emplace_back(parts[i].substr(0, equals), parts[i].substr(equals + 1));
  }
  return BoundPlanner(*planner, topology, options, routing);
}

/// One verdict for each segment's topology and planner.
int check_planners(const Options& options, const io::CommonOptions& common, io::Output& output) {
  const CheckOptions check = check_options(options);
  Writer writer(options, output);
  io::RecordStream in(common.inputs);
  in.for_each([&](const io::Record& record) {
    if (record.kind == io::Kind::topology) return;
    if (record.kind != io::Kind::end) io::refuse_kind(record, "topology records alone with --all-multicasts");
    const Topology& topology = *in.topology();
    std::unique_ptr<const RoutingFunction> unicast;
    if (!options.with_unicast.empty()) unicast = bind_routing(options.with_unicast, topology);
    for (const std::string& word : CLI::detail::split(options.all_multicasts, ','))
      writer.write(check_all_multicasts(parse_planner(word, topology, options.routing), unicast.get(), check),
                   topology, in);
  });
  return writer.finish();
}

int check_routes(const Options& options, const io::CommonOptions& common, io::Output& output) {
  const CheckOptions check = check_options(options);
  Writer writer(options, output);
  io::RecordStream in(common.inputs);
  std::optional<DeadlockChecker> checker;
  std::shared_ptr<const Topology> topology;
  SharedPlanner planner;
  Routes routes;
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
        writer.write(std::move(verdict), *topology, in);
        break;
      }
      default:
        io::refuse_kind(record, "routes records");
    }
  });
  return writer.finish();
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  if (!options.verify.empty())
    return io::verify_verdicts(options.verify, common.inputs, options.state_limit, common.verbose);
  return options.all_multicasts.empty() ? check_routes(options, common, output)
                                        : check_planners(options, common, output);
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
