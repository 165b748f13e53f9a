// plan-multicast: turns each multicast into the worms that carry it, by one planner or several.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <memory>

#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/topology_record.hpp"
#include "io/verdicts/plan_verification.hpp"
#include "multicast/bounds/bounds.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "routing/routing_function.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

using namespace wormcast;

namespace plan_multicast {

constexpr io::ToolText text = {
    .name = "plan-multicast",
    .summary = "Plan the worms of every multicast.",
    .details = R"(Reads: topology, multicast, reduction. Writes: topology, plan; one segment for each planner.
A reduction is planned as the multicast from its root, which route-expand runs backwards.
--verify checks coverage, order, ports, steps, lengths, facts, certificate and front by other code.
Exit status: 0 done; 1 a plan is not in order (--verify; the output then lacks its end);
2 usage, input or I/O error.
Example: gen-topology mesh 8 8 | gen-multicast --count 9 --destinations 8 |
         plan-multicast dual-path,otms,otms:first-hop=free | report)",
};

struct Options {
  std::string planners;
  std::string unicasts;
  std::string routing;
  std::deque<std::pair<std::string, std::string>> shared;  ///< --first-hop and the like: name, value or ""
  bool certify = false;
  bool front = false;
  bool bounds = false;
  bool verify = false;
  bool list = false;
};

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  line.add_option("PLANNERS", options.planners, "PLANNERS", "Planners, separated by commas (see --list)");
  io::add_names(common, "PLANNERS", "Planners:", planners(), true);
  io::add_names(common, "ROUTING", "", routing_functions());
  io::add_inputs(line, common);
  line.add_option("--routing", options.routing, "ROUTING",
                  "Routing function that joins the stops (default: the planner's first)");
  line.add_option("--unicasts", options.unicasts, "PLANNER",
                  "Planner of the unicasts, with options of its own (default: as the others)");
  line.group("Planner options");
  for (const OfferedOption& option : planner_options()) {
    options.shared.emplace_back(option.name, "");
    const std::string flag = fmt::format("--{}", option.name);
    // One that is on or off is a flag: --literal is --literal=yes.
    if (option.values.size() == 2 && option.values.back() == "yes")
      line.add_flag(flag, "yes", options.shared.back().second, option.summary);
    else
      line.add_option(flag, options.shared.back().second, fmt::format("{}", fmt::join(option.values, "|")),
                      option.summary);
  }
  line.group();
  const auto header = [&](std::string_view name, const std::string& help) {
    options.shared.emplace_back(name, "");
    line.add_option(fmt::format("--{}", name), options.shared.back().second, help);
  };
  header(header_encoding_option,
         fmt::format("What a worm's header holds: {}|own (the planner's). Plans then state header_flits "
                     "(default: own where the workload states the bits of a flit, else none)",
                     fmt::join(header_encodings(), "|")));
  header(flit_bits_option, "Width of a flit, for --header-encoding (default: 16)");
  header(routing_seed_option, "Seed of random routes, such as valiant's (default: 1)");
  line.add_flag("--certify", options.certify,
                "Add to every plan the certificate of its optimality (ocms, otms, -up-down)");
  line.add_flag("--front", options.front,
                "Add to every plan all trade-offs of longest path and traffic, with worms (ocms, otms)");
  line.add_flag("--bounds", options.bounds,
                "Add to every plan lower bounds: traffic, longest chain, steps of unicasts");
  line.add_flag("--verify", options.verify, "Check plan records instead of planning; no PLANNERS then");
  line.add_flag("--list", options.list,
                "List the planners with topologies, cost and citation; or which of them apply to the network "
                "of a FILE (- too), and why the others do not");
}

/// Where no planners are named, the first operand is a file, too.
std::vector<std::string> all_operands(const Options& options, const io::CommonOptions& common) {
  std::vector<std::string> inputs = common.inputs;
  if (!options.planners.empty()) inputs.insert(inputs.begin(), options.planners);
  return inputs;
}

/// Plans are checked as they are.
int verify(const Options& options, const io::CommonOptions& common, const PlanOptions& shared,
           io::Output& output) {
  if (options.certify || options.front || options.bounds || !options.routing.empty() ||
      !options.unicasts.empty() || !shared.empty())
    refuse("--verify", "checks plans as they are; options of planning do not go with it");
  return io::verify_plans(all_operands(options, common), output);
}

/// PLANNERS, and behind them what --unicasts names, if anything.
std::vector<PlannerChoice> choose(const Options& options, const PlanOptions& shared) {
  std::error_code no_such_name;  // a list of planners may be longer than names of files
  if (find_planner(options.planners) == nullptr && std::filesystem::exists(options.planners, no_such_name))
    refuse("PLANNERS",
           "no planner given before the file '{0}', as in plan-multicast dual-path {0} (see --list)",
           options.planners);
  std::vector<PlannerChoice> choices = parse_planner_choices(options.planners, {}, "PLANNERS");
  if (!options.unicasts.empty()) choices.push_back(parse_planner_choice(options.unicasts, "--unicasts"));
  for (PlannerChoice& choice : choices)
    if (choice.routing.empty()) choice.routing = options.routing;
  share_options(choices, shared);
  return choices;
}

/// Two segments of one name would be one planner with twice the records to their readers.
void refuse_repetition(const std::vector<ChosenPlanner>& bound, std::size_t segments) {
  for (std::size_t i = 0; i < segments; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const BoundPlanner& one = bound[j].as_said();
      const BoundPlanner& other = bound[i].as_said();
      if (&one.planner() == &other.planner() && one.context().options == other.context().options &&
          one.routing_name() == other.routing_name())
        refuse("PLANNERS", "planners {} and {} are the same: {} by {}", j + 1, i + 1,
               planner_label(bound[i].choice()), other.routing_name());
    }
}

/// "dual-path otms": blanks separate files.
void refuse_planners_as_files(const std::vector<std::string>& inputs) {
  io::refuse_names_as_files(inputs, find_planner,
                            "a planner and no file; planners are separated by commas: dual-path,otms");
}

/// Every planner with summary, topologies, cost, citation, needs, routing functions and options.
void list_planners(io::Output& output) {
  for (const Planner* planner : planners()) {
    output.write(fmt::format("{:<18} {}\n", planner->name, planner->summary));
    output.write(
        fmt::format("{:<18} on {}; {}; [{}]\n", "", planner->topologies, planner->cost, planner->cite));
    output.write(fmt::format("{:<18} needs {}\n", "", planner->needs));
    output.write(fmt::format("{:<18} routing {}\n", "", fmt::join(planner->joined_by(), "|")));
    for (const PlannerParameter& parameter : planner->parameters)
      output.write(fmt::format("{:<18} --{} {}: {}\n", "", parameter.name, fmt::join(parameter.values, "|"),
                               parameter.summary));
  }
}

/// For the network of each segment of these streams: every planner with the routing function that it would be
/// joined by (`routing`, empty: its first that fits), or why it does not apply.
void list_applicable_planners(const std::vector<std::string>& inputs, std::string_view routing,
                              io::Output& output) {
  if (!routing.empty() && find_routing_function(routing) == nullptr)
    throw InputError("--routing",
                     unknown_name("routing function", routing, routing_functions(), "route-expand --list"));
  io::RecordStream in(inputs);
  in.for_each([&](const io::Record& record) {
    if (record.kind != io::Kind::topology) return;
    const Topology& topology = *in.topology();
    std::string lines;
    std::size_t applicable = 0;
    for (const Planner* planner : planners()) {
      std::string said;
      try {
        said = fmt::format("routing {}", BoundPlanner(*planner, topology, {}, routing).routing_name());
        ++applicable;
      } catch (const InputError& error) {
        const std::string known = fmt::format("{} does not apply to {}: ", planner->name, topology.name());
        const std::string_view reason = error.what();
        // An option whose default does not fit the network can be changed; what --routing asks for is known.
        const bool of_option = error.field.starts_with("--") && error.field != "--routing";
        const std::string option = of_option ? error.field + ": " : "";
        said = fmt::format("no: {}{}", option, reason.substr(reason.starts_with(known) ? known.size() : 0));
      }
      lines += fmt::format("{:<18} {}\n", planner->name, said);
    }
    output.write(fmt::format("{}: {} of {} planners apply\n{}", topology.name(), applicable,
                             planners().size(), lines));
  });
}

/// All planners, or what they are on the networks of files.
int list(const Options& options, const io::CommonOptions& common, io::Output& output) {
  const std::vector<std::string> inputs = all_operands(options, common);
  refuse_planners_as_files(inputs);
  if (inputs.empty())
    list_planners(output);
  else
    list_applicable_planners(inputs, options.routing, output);
  return io::exit_yes;
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  if (options.list) return list(options, common, output);
  PlanOptions shared;
  for (const auto& [name, value] : options.shared)
    if (!value.empty()) shared.emplace_back(name, value);
  if (options.verify) return verify(options, common, shared, output);
  const std::vector<PlannerChoice> choices = choose(options, shared);
  const bool unicasts_apart = !options.unicasts.empty();
  const std::size_t segments = choices.size() - (unicasts_apart ? 1 : 0);
  refuse_planners_as_files(common.inputs);
  std::vector<std::string> schemes;
  for (const PlannerChoice& choice : choices) schemes.push_back(planner_label(choice));
  std::vector<ChosenPlanner> bound;
  // The first planner's segment streams through; the others' wait in files until it is closed.
  std::vector<io::Spool> spools(segments - 1);
  io::RecordStream in(common.inputs);
  std::shared_ptr<const Topology> topology;
  io::RecordLine line;
  Plan plan;  // its buffers are used again
  std::uint64_t certified = 0;
  std::uint64_t uncertified = 0;
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        bound.clear();
        topology = in.topology();
        for (const PlannerChoice& choice : choices) {
          bound.emplace_back(choice, *topology, options.routing);
          const auto& prepared = bound.back().as_said().context().prepared;
          if (common.verbose && prepared && !prepared->summary().empty())
            io::diagnose(text.name, fmt::format("{} on {}: {}", choice.planner->name, topology->name(),
                                                prepared->summary()));
        }
        refuse_repetition(bound, segments);
        output.write(in.topology_line());
        break;
      case io::Kind::multicast:
      case io::Kind::reduction: {
        const Request& request = plan.request;
        const io::VerbatimMembers as_read = io::read_request_record(record, *topology, plan.request);
        in.order().check(request);
        const PlanFacts facts = options.bounds ? facts_of(bounds_of(*topology, request)) : PlanFacts();
        for (std::size_t i = 0; i < segments; ++i) {
          const bool apart = unicasts_apart && request.destinations.size() == 1;
          const BoundPlanner& planner = (apart ? bound.back() : bound[i]).planner_for(request);
          planner.plan_into(plan);
          if (apart) plan.options.add(std::string(beside_option), schemes[i]);
          plan.facts.insert(plan.facts.end(), facts.begin(), facts.end());
          if (options.front && !apart) plan.front = front_of(planner, request);
          if (options.certify && !apart) {
            plan.certificate = certificate_of(planner, plan);
            ++(plan.certificate.empty() && plan.traffic_channels > 0 ? uncertified : certified);
          }
          const std::string_view planned = io::write_plan_record(plan, line, as_read);
          i == 0 ? output.write(planned) : spools[i - 1].write(planned);
        }
        break;
      }
      case io::Kind::end:
        output.write(in.end_line());
        for (io::Spool& spool : spools) {
          output.write(in.topology_line());
          spool.drain_to(output);
          output.write(in.end_line());
        }
        break;
      default:
        io::refuse_kind(record, "multicast or reduction records");
    }
  });
  if (uncertified > 0)
    io::diagnose(text.name, fmt::format("{} of {} plans carry no certificate: dual values and a bounded "
                                        "search do not settle their optimum",
                                        uncertified, certified + uncertified));
  return io::exit_yes;
}

}  // namespace plan_multicast

int main(int argc, char** argv) {
  using namespace plan_multicast;
  return io::run_tool<Options>(argc, argv, text, declare, run);
}
