// check-deadlock: proves that the worms of a stream cannot block each other for good, or shows how they do.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "io/command_line/router_options.hpp"
#include "io/command_line/tool.hpp"
#include "io/records/topology_record.hpp"
#include "io/verdicts/verdict_output.hpp"
#include "io/verdicts/verification.hpp"
#include "multicast/reply_tracker.hpp"
#include "proofs/strategy.hpp"
#include "router/router_parameters.hpp"
#include "topology/refuse.hpp"

using namespace wormcast;

namespace check_deadlock {

constexpr io::ToolText text = {
    .name = "check-deadlock",
    .summary = "Decide whether the worms of each segment can deadlock, with a proof or a witness.",
    .details = R"(Reads: topology, program, routes or tables. Writes: topology, verdict.
Verdicts:
  safe              the dependency graph has no cycle; a numbering proves it
  safe-unreachable  it has cycles, but no set of these worms can block itself
  deadlock          with a witness: worms that block each other
  loop              tables, or routes under --cut-through, have a credit loop; of tables with the
                    switch, the ports, and the route or multicast group of each step
  unknown           a limit was reached, or the segment has no routes and no tables
A verdict on routes holds for any start of each worm, once each; beside a program, which says what
nodes do, for any order of grants. --all-multicasts reads topologies;
its verdict holds for every multicast that the planner can make, any number at once. A planner's
options follow it: otms:first-hop=free. --verify checks the evidence of verdicts against the routes
or tables, or of --all-multicasts against the topology, and writes nothing.
Exit status: 0 safe or safe-unreachable; 1 deadlock, loop, or not verified; 2 unknown, or a usage,
input or I/O error.
Example: ... | route-expand | check-deadlock --witness - | simulate-wormhole)",
};

struct Options {
  io::RouterOptions router;
  std::optional<std::uint64_t> length_flits;
  bool long_worms = false;
  bool cut_through = false;
  SegmentCheckOptions segment;  ///< without model and length
  io::VerdictForms forms;
  PlannerScope all_multicasts;
  std::string verify;
};

void declare_limits(io::CommandLine& line, SegmentCheckOptions& options) {
  const auto limit = [&](const std::string& name, std::uint64_t& value, const std::string& help) {
    line.add_option(name, value, help).show_default();
  };
  limit("--search-limit", options.check.limits.partial_sets, "Sets of worms that the exact search tries");
  limit("--state-limit", options.check.limits.states, "States to explore where nothing quicker decides");
  limit("--route-limit", options.check.route_limit, "Distinct routes to keep for the exact search");
  limit("--subset-limit", options.subset_limit, "Sets that --shrink tries");
}

void declare_forms(io::CommandLine& line, Options& options) {
  line.add_option("--witness", options.forms.witness, "FILE",
                  "Write each deadlock as a stream that simulate-wormhole replays; '-' writes it in place of "
                  "the verdicts");
  line.add_flag("--shrink", options.segment.shrink,
                "Witness of few multicasts, none of which can be left out (keeps all routes in memory)");
  line.add_flag("--suggest", options.segment.suggest,
                "Add changes that would make it safe, each checked with a fiftieth of the limits (keeps all "
                "routes in memory)");
  line.add_option("--change", options.segment.change, "CHANGE",
                  "Write the segment as a change of --suggest leaves it, in place of verdicts");
  line.add_flag("--list-dependencies", options.segment.list_dependencies,
                "Tables: add every dependency with its first cause");
  line.add_flag("--explain", options.forms.explain,
                "Add the verdict in a few sentences, and the rules of the routers that a proof needs");
  line.add_option("--certificate", options.forms.certificate, "FILE",
                  "Write proofs and witnesses for the checker that is proved in Coq (make proof)");
  line.add_option("--dot", options.forms.dot, "FILE",
                  "Draw the deadlock, or else the dependency cycle, for Graphviz");
  line.add_option(
      "--verify", options.verify, "VERDICTS",
      "Check the verdicts of this file against the routes or tables; exit status 1 at the first that fails");
}

void declare_scope(io::CommandLine& line, Options& options) {
  const auto all =
      line.add_option("--all-multicasts", options.all_multicasts.planners, "PLANNERS",
                      "Check every multicast that these planners can make on the topology, without routes");
  line.add_flag("--reductions", options.all_multicasts.reductions,
                "Check their reductions, joined or combined, in place of multicasts")
      .needs(all);
  line.add_option("--routing", options.all_multicasts.routing, "ROUTING",
                  "Routing function of the planners (default: each one's first)")
      .needs(all);
  line.add_option("--with-unicast", options.all_multicasts.with_unicast, "ROUTING",
                  "Add all unicasts by this routing function")
      .needs(all);
  line.add_option("--unicast-vc", options.all_multicasts.unicast_vc,
                  "First virtual channel of these unicasts; the multicasts have theirs from 0 on")
      .show_default()
      .needs(all);
  line.add_option("--depends", options.all_multicasts.depends, "REQUEST:REPLY",
                  "A node takes a worm of the first sort only while it can send its answer, a worm of the "
                  "second; sorts: multicasts, unicasts")
      .needs(all);
}

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  io::add_inputs(line, common);
  io::add_router_options(line, options.router);
  const auto length =
      line.add_option("--length-flits", options.length_flits, "Length of every worm, in place of its own")
          .range(1, io::max_integer);
  const auto long_worms =
      line.add_flag("--long-worms", options.long_worms, "Worms longer than any path").excludes(length);
  line.add_flag("--cut-through", options.cut_through,
                "Virtual cut-through: every worm fits into one buffer, branches do not wait for each other")
      .excludes(length)
      .excludes(long_worms);
  declare_limits(line, options.segment);
  declare_forms(line, options);
  declare_scope(line, options);
  io::add_names(common, "PLANNERS", "", planners(), true);
  io::add_names(common, "ROUTING", "", routing_functions());
}

SegmentCheckOptions segment_options(const Options& options) {
  SegmentCheckOptions result = options.segment;
  result.witness = !options.forms.witness.empty();
  result.suggest = result.suggest || !result.change.empty();
  result.check.assumptions = options.forms.explain;
  result.check.model = io::router_model(options.router);
  result.check.model.cut_through = options.cut_through;
  check_router(result.check.model, true);
  if (options.length_flits) result.check.flits = *options.length_flits + result.check.model.header_flits;
  if (options.long_worms) result.check.flits = long_worm_flits;
  return result;
}

/// How far a search is, on a terminal.
std::function<void(std::uint64_t, std::uint64_t)> telling_limits(io::Progress& progress) {
  return [&progress](std::uint64_t sets, std::uint64_t states) {
    progress.say_at_times(fmt::format("{} sets of worms tried, {} states explored", sets, states));
  };
}

io::VerdictForms wiping(io::VerdictForms forms, io::Progress& progress) {
  forms.begin = [&progress] { progress.wipe(); };
  return forms;
}

/// Changes that are tried, on a terminal, and those that help as they are found.
std::function<void(const SuggestionTrial&)> telling(io::Progress& progress) {
  return [&progress](const SuggestionTrial& trial) {
    const std::string change = trial.change;
    progress.wipe();
    if (trial.outcome == SuggestionTrial::Outcome::begins) progress.say("no proof; trying " + change);
    if (trial.outcome == SuggestionTrial::Outcome::suggested)
      progress.say("it would be safe with " + change, true);
  };
}

void say_how_it_switches(const Options& options) {
  if (options.router.preset == "infiniband" && !options.cut_through)
    io::diagnose(text.name,
                 "--preset infiniband is judged as wormhole switching; packets that fit into one buffer, as "
                 "InfiniBand's do, are judged with --cut-through");
}

int check_planners(const Options& options, const io::CommonOptions& common, io::Output& output) {
  io::Progress progress(text.name, common.inputs);
  io::VerdictOutput writer(wiping(options.forms, progress), output);
  PlannerScope scope = options.all_multicasts;
  scope.suggest = options.segment.suggest;
  scope.tell = telling(progress);
  CheckOptions check = segment_options(options).check;
  check.limits.tell = telling_limits(progress);
  io::check_planners(scope, check, common.inputs, writer);
  if (!scope.reductions) say_how_it_switches(options);
  return writer.finish();
}

void write_tables(const io::RecordStream& in, const std::vector<RouterTable>& tables, io::Output& output) {
  io::RecordLine line;
  output.write(in.topology_line());
  for (const RouterTable& table : tables) output.write(io::write_tables_record(table, line));
  output.write(in.end_line());
}

int check_routes(const Options& options, const io::CommonOptions& common, io::Output& output) {
  SegmentCheckOptions parameters = segment_options(options);
  io::Progress progress(text.name, common.inputs);
  parameters.check.limits.tell = telling_limits(progress);
  parameters.tell = telling(progress);
  io::VerdictOutput writer(wiping(options.forms, progress), output);
  io::RecordStream in(common.inputs);
  std::optional<SegmentCheck> check;
  bool routed = false;
  LackOfAnswers lack(parameters.check.model);
  const auto end = [&] {
    if (parameters.change.empty()) {
      Verdict verdict = check->verdict();
      progress.wipe();
      if (!speaks_of_tables(verdict)) verdict.unrouted = in.unrouted();
      writer.write(std::move(verdict), *in.topology(), in);
    } else if (check->any_program()) {
      const ChangedProgram changed = check->changed_program();
      io::write_routes(in.topology_line(), changed.flows, output, changed.program);
    } else if (check->any_tables()) {
      write_tables(in, check->changed_tables(), output);
    } else {
      io::write_routes(in.topology_line(), check->changed(), output);
    }
  };
  io::read_segments(in, {[&] { check.emplace(parameters, in.topology()); },
                         [&](const Routes& routes) {
                           routed = true;
                           lack.add(routes.plan.request);
                           writer.add(routes, *in.topology(), parameters.check);
                           check->add(routes);
                         },
                         [&](const RouterTable& table) { check->add(table); },
                         [&](const Program& program) { check->add(program, in.place()); }, end});
  if (routed) say_how_it_switches(options);
  if (const std::string said = lack.in_words(); !said.empty()) io::diagnose(text.name, said);
  return writer.finish();
}

/// Verdicts are checked as they are, and all multicasts of a planner are no stream of which a part would do.
void refuse_without_effect(const Options& options, const io::CommonOptions& common) {
  // The options beside which others have no effect, a bit each.
  enum Beside : unsigned { change = 1, reductions = 2, planners = 4, verify = 8 };
  struct Excluded {
    const char* option;
    bool given;
    unsigned beside;  ///< any of these bits
  };
  const SegmentCheckOptions usual;
  const SegmentCheckOptions& segment = options.segment;
  const PlannerScope& scope = options.all_multicasts;
  const SearchLimits &limits = segment.check.limits, &usual_limits = usual.check.limits;
  const Excluded all[] = {
      {"--suggest", segment.suggest, change | reductions | verify},
      {"--shrink", segment.shrink, change | planners | verify},
      {"--change", !segment.change.empty(), planners | verify},
      {"--list-dependencies", segment.list_dependencies, change | planners | verify},
      {"--explain", options.forms.explain, change | verify},
      {"--witness", !options.forms.witness.empty(), change | verify},
      {"--dot", !options.forms.dot.empty(), change | verify},
      {"--certificate", !options.forms.certificate.empty(), change | reductions | verify},
      {"--depends", !scope.depends.empty(), reductions},
      {"--unicast-vc", scope.unicast_vc != 0, reductions},
      {"--all-multicasts", !scope.planners.empty(), verify},
      {"--length-flits", options.length_flits.has_value(), verify},
      {"--long-worms", options.long_worms, verify},
      {"--cut-through", options.cut_through, reductions | verify},
      {"--search-limit", limits.partial_sets != usual_limits.partial_sets, reductions | verify},
      {"--state-limit", limits.states != usual_limits.states, reductions},
      {"--route-limit", segment.check.route_limit != usual.check.route_limit, reductions | verify}};
  const auto exclude = [&](bool applies, unsigned beside, const char* why) {
    for (const Excluded& one : all)
      if (applies && one.given && (one.beside & beside) != 0) throw InputError(one.option, why);
  };
  exclude(!segment.change.empty(), change, "is for verdicts, in whose place --change writes routes");
  if (segment.subset_limit != usual.subset_limit && !segment.shrink)
    refuse("--subset-limit", "is for --shrink");
  exclude(scope.reductions, reductions, "is not for --reductions");
  if (options.verify.empty())
    return exclude(!scope.planners.empty(), planners, "is for streams of routes, not for --all-multicasts");
  exclude(true, verify, "--verify checks verdicts as they are; only --state-limit goes with it");
  const std::vector<std::string>& inputs = common.inputs;
  if (options.verify == "-" && (inputs.empty() || std::count(inputs.begin(), inputs.end(), "-") != 0))
    refuse("--verify", "standard input is read once: name the verdicts' file, or what they speak of");
  if (!(options.router == io::RouterOptions{}))
    refuse("--verify", "verdicts say under which routers they hold; no router option goes with it");
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  // Planners belong to an option here, unlike in plan-multicast.
  io::refuse_names_as_files(common.inputs, find_planner,
                            "a planner and no file: check-deadlock --all-multicasts {}");
  const std::string& witness = options.forms.witness;  // as '-' it is what the records are
  io::require_separate_outputs(common.output_path, {{"--witness", witness == "-" ? "" : witness},
                                                    {"--dot", options.forms.dot},
                                                    {"--certificate", options.forms.certificate}});
  refuse_without_effect(options, common);
  if (!options.verify.empty()) {
    const io::Progress progress(text.name, common.inputs);
    return io::verify_verdicts(options.verify, common.inputs, options.segment.check.limits.states,
                               common.verbose);
  }
  return options.all_multicasts.planners.empty() ? check_routes(options, common, output)
                                                 : check_planners(options, common, output);
}

}  // namespace check_deadlock

int main(int argc, char** argv) {
  using namespace check_deadlock;
  return io::run_tool<Options>(argc, argv, text, declare, run);
}
