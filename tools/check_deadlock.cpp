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
#include "deadlock/shrink.hpp"
#include "deadlock/suggest.hpp"
#include "deadlock/table_check.hpp"
#include "io/multicast_record.hpp"
#include "io/router_options.hpp"
#include "io/tables_record.hpp"
#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "io/verdict_output.hpp"
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
        "Reads: topology, routes or tables. Writes: topology, verdict.\n"
        "Tables (of gen-topology import) are checked for credit loops under cut-through switching: safe, or a\n"
        "loop with the switch, the ports and the route or multicast group of each of its steps.\n"
        "With --all-multicasts: reads topology, and the verdict holds for every multicast of the planner;\n"
        "options of a planner follow it: otms:first-hop=free.\n"
        "The worms of a segment count as concurrently active, in any order and at any time, each once.\n"
        "Verdicts: safe (the dependency graph is acyclic; with a numbering), safe-unreachable (it has\n"
        "cycles, but no set of these worms can block itself), deadlock (with a witness), unknown (a limit\n"
        "was reached).\n"
        "With --verify: writes nothing; the evidence of verdicts is checked against the routes.\n"
        "Exit status: 0 safe or safe-unreachable, 1 deadlock, loop, or not verified, 2 unknown, or usage,\n"
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
  io::VerdictForms forms;
  std::string all_multicasts;
  std::string routing;
  std::string with_unicast;
  std::string verify;
  bool shrink = false;
  bool suggest = false;
  std::uint64_t subset_limit = 20'000;
  bool list_dependencies = false;
};

void declare_limits(CLI::App& app, Options& options) {
  const auto limit = [&](const std::string& name, std::uint64_t& value, const std::string& help) {
    app.add_option(name, value, help)->capture_default_str();
  };
  limit("--search-limit", options.search_limit, "Partial sets of worms that the exact search tries");
  limit("--state-limit", options.state_limit, "States explored for worms shorter than their paths");
  limit("--route-limit", options.route_limit, "Distinct routes kept for the exact search");
  limit("--subset-limit", options.subset_limit, "Sets that --shrink looks at to show its own the smallest");
}

void declare_forms(CLI::App& app, Options& options) {
  app.add_option(
         "--witness", options.forms.witness,
         "Write each deadlock as a stream that simulate-wormhole replays; '-': in place of the verdicts")
      ->type_name("FILE");
  app.add_flag("--shrink", options.shrink,
               "Of a deadlock: the fewest multicasts that suffice, as its witness (keeps all routes)");
  app.add_flag("--suggest", options.suggest,
               "Where a deadlock is not excluded: changes that exclude it, each checked (keeps all routes)");
  app.add_flag("--list-dependencies", options.list_dependencies,
               "Tables: add every dependency with its first cause");
  app.add_flag("--explain", options.forms.explain, "Add the verdict in two sentences");
  app.add_option("--dot", options.forms.dot, "Draw the deadlock, or else the dependency cycle, for Graphviz")
      ->type_name("FILE");
  app.add_option(
         "--verify", options.verify,
         "Check these verdicts against the routes instead; exit 1 and the first violation if one fails")
      ->type_name("VERDICTS");
}

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
  declare_limits(app, options);
  declare_forms(app, options);
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
  io::VerdictOutput writer(options.forms, output);
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

/// Judges one segment of routes after the other.
class RouteCheck {
 public:
  RouteCheck(const Options& options, const CheckOptions& check, std::shared_ptr<const Topology> topology)
      : options_(options), check_(check), topology_(std::move(topology)), checker_(*topology_, check_), tables_(*topology_) {}

  void add(const Routes& routes) {
    checker_.add(routes);
    any_routes_ = true;
    planner_.add(routes.plan);
    if (options_.shrink || options_.suggest) kept_.push_back(routes);
  }

  void add(const RouterTable& table) { tables_.add(table); }

  Verdict verdict() const {
    refuse_mixture();
    if (!tables_.empty()) {
      Verdict result = check_tables(tables_, check_.model);
      if (!options_.list_dependencies) result.graph.clear();
      return result;
    }
    Verdict result = checker_.verdict();
    result.planned_by = planner_.common();
    if (options_.shrink && result.answer == Answer::deadlock)
      result = shrink(*topology_, check_, kept_, std::move(result), options_.subset_limit);
    if (options_.suggest && (result.answer == Answer::deadlock || result.answer == Answer::unknown))
      result.suggestions = suggest(*topology_, check_, kept_);
    return result;
  }

 private:
  /// A segment holds routes or tables, not both, and tables have no witness to form.
  void refuse_mixture() const {
    const bool tables = !tables_.empty();
    if (tables && any_routes_)
      throw InputError("kind", "routes and tables in one segment; they are checked apart");
    if (!tables && options_.list_dependencies)
      throw InputError("--list-dependencies", "dependencies are listed of tables only");
    if (tables && (!options_.forms.witness.empty() || options_.shrink || options_.suggest))
      throw InputError("kind", "a loop in tables is no deadlock: it has no witness, and nothing to shrink or suggest");
  }

  const Options& options_;
  const CheckOptions& check_;
  std::shared_ptr<const Topology> topology_;
  DeadlockChecker checker_;
  ForwardingTables tables_;
  bool any_routes_ = false;
  SharedPlanner planner_;
  std::vector<Routes> kept_;
};

int check_routes(const Options& options, const io::CommonOptions& common, io::Output& output) {
  const CheckOptions parameters = check_options(options);
  io::VerdictOutput writer(options.forms, output);
  io::RecordStream in(common.inputs);
  std::optional<RouteCheck> check;
  Routes routes;
  RouterTable table;
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        check.emplace(options, parameters, in.topology());
        break;
      case io::Kind::tables:
        io::read_tables_record(record.value, *in.topology(), table);
        check->add(table);
        break;
      case io::Kind::routes:
        io::read_routes_record(record.value, *in.topology(), routes);
        check->add(routes);
        break;
      case io::Kind::end:
        writer.write(check->verdict(), *in.topology(), in);
        break;
      default:
        io::refuse_kind(record, "routes or tables records");
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
