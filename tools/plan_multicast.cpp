// plan-multicast: turns each multicast into the worms that carry it, by one planner or several.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "io/multicast_record.hpp"
#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "multicast/bounds.hpp"
#include "multicast/certify.hpp"
#include "multicast/front.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/verify.hpp"
#include "multicast/workload/workload.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "plan-multicast",
    .summary = "Plan the worms of every multicast.",
    .details =
        "Reads: topology, multicast. Writes: topology, plan; one segment for each planner.\n"
        "A planner may carry options of its own: otms:first-hop=free.\n"
        "With --verify it reads and forwards plan records instead, and checks each by code that\n"
        "shares nothing with the planners: coverage, order, ports, lengths, certificate, front.\n"
        "Exit status: 0 done, 1 a plan is not in order (--verify; the output then lacks its end),\n"
        "2 usage, input or I/O error.\n"
        "Example: gen-topology mesh 8 8 | gen-multicast --count 9 --destinations 8 |\n"
        "         plan-multicast dual-path,otms,otms:first-hop=free | report",
};

struct Options {
  std::string planners;
  std::string routing;
  std::deque<std::pair<std::string, std::string>> shared;  ///< --first-hop and the like: name, value or ""
  bool certify = false;
  bool front = false;
  bool bounds = false;
  bool verify = false;
  bool list = false;
};

/// A planner as the user named it, with the options given for it alone.
using Choice = PlannerChoice;

/// True if the option can be given for this choice; that of a header's format goes with all planners.
bool takes(const Choice& choice, std::string_view name) {
  if (name == header_encoding_option) return true;
  if (name == flit_bits_option)
    return std::any_of(choice.options.begin(), choice.options.end(),
                       [](const auto& o) { return o.first == header_encoding_option; });
  const Planner& planner = *choice.planner;
  for (const PlannerParameter& parameter : planner.parameters)
    if (parameter.name == name) return true;
  return false;
}

/// The option as the planner declares it that adds values to those of `first`.
const PlannerParameter& widest(const PlannerParameter& first) {
  const PlannerParameter* result = &first;
  for (const Planner* planner : planners())
    for (const PlannerParameter& parameter : planner->parameters)
      if (parameter.name == first.name && parameter.values.size() > result->values.size() &&
          std::equal(first.values.begin(), first.values.end(), parameter.values.begin()))
        result = &parameter;
  return *result;
}

void declare(CLI::App& app, Options& options, io::CommonOptions& common) {
  app.add_option("PLANNERS", options.planners, "Planners, separated by commas (see --list)")
      ->type_name("PLANNERS");
  io::add_names(common, "PLANNERS", "Planners:", planners(), true);
  io::add_names(common, "ROUTING", "", routing_functions());
  io::add_inputs(app, common);
  app.add_option("--routing", options.routing,
                 "Routing function that joins the stops (default: the planner's first)")
      ->type_name("ROUTING");
  for (const Planner* planner : planners())
    for (const PlannerParameter& declared : planner->parameters) {
      const PlannerParameter& parameter = widest(declared);
      const std::string flag = fmt::format("--{}", parameter.name);
      if (app.get_option_no_throw(flag) != nullptr) continue;
      options.shared.emplace_back(parameter.name, "");
      const std::string help(parameter.summary);
      // One that is on or off is a flag: --literal is --literal=yes.
      if (parameter.values.size() == 2 && parameter.values.back() == "yes")
        app.add_flag(flag + "{yes}", options.shared.back().second, help)->group("Planner options");
      else
        app.add_option(flag, options.shared.back().second, help)
            ->type_name(fmt::format("{}", fmt::join(parameter.values, "|")))
            ->group("Planner options");
    }
  const auto header = [&](std::string_view name, const std::string& help) {
    options.shared.emplace_back(name, "");
    app.add_option(fmt::format("--{}", name), options.shared.back().second, help);
  };
  header(header_encoding_option,
         fmt::format("What a worm's header holds: {}|own, own being what the planner's scheme was made for; "
                     "plans then say header_flits (default: own where the workload states its flit's bits, "
                     "else none)",
                     fmt::join(header_encodings(), "|")));
  header(flit_bits_option, "Width of a flit, for --header-encoding (default: 16)");
  app.add_flag("--certify", options.certify,
               "Add to every plan the certificate of its optimality (ocms, otms, -up-down)");
  app.add_flag("--front", options.front,
               "Add to every plan all trade-offs of longest path and traffic, with worms (ocms, otms)");
  app.add_flag("--bounds", options.bounds,
               "Add to every plan what no plan can be below: traffic, longest chain, steps of unicasts");
  app.add_flag("--verify", options.verify, "Check plan records instead of planning; no PLANNERS then");
  app.add_flag("--list", options.list,
               "List the planners with summary, topologies, cost and citation, and stop");
}

void list_planners(io::Output& output) {
  for (const Planner* planner : planners()) {
    output.write(fmt::format("{:<18} {}\n", planner->name, planner->summary));
    output.write(
        fmt::format("{:<18} on {}; {}; [{}]\n", "", planner->topologies, planner->cost, planner->cite));
    output.write(fmt::format("{:<18} needs {}\n", "", planner->needs));
    output.write(fmt::format("{:<18} routing {}\n", "", fmt::join(planner->routings, "|")));
    for (const PlannerParameter& parameter : planner->parameters)
      output.write(fmt::format("{:<18} --{} {}: {}\n", "", parameter.name, fmt::join(parameter.values, "|"),
                               parameter.summary));
  }
}

std::vector<std::string_view> split(std::string_view text_to_split, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text_to_split.find(separator);
    parts.push_back(text_to_split.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text_to_split.remove_prefix(end + 1);
  }
}

std::vector<Choice> choose(const Options& options) {
  if (options.planners.empty()) throw InputError("PLANNERS", "no planner given (see --list)");
  std::vector<Choice> choices;
  for (std::string_view word : split(options.planners, ','))
    choices.push_back(parse_planner_choice(word, "PLANNERS"));
  for (const auto& [name, value] : options.shared) {
    if (value.empty()) continue;
    bool used = false;
    for (Choice& choice : choices) {
      if (!takes(choice, name)) continue;
      used = true;
      const bool own = std::any_of(choice.options.begin(), choice.options.end(),
                                   [&, &option = name](const auto& o) { return o.first == option; });
      if (!own) choice.options.emplace_back(name, value);
    }
    if (!used && name == flit_bits_option) throw InputError("--flit-bits", "it needs a --header-encoding");
    if (!used) throw InputError("--" + name, "none of the planners named has this option");
  }
  return choices;
}

/// A choice on one network. Multicasts whose workload states the width of a flit get headers in the planner's
/// own encoding, unless the user says how they are counted.
class Planning {
 public:
  Planning(const Choice& choice, const Topology& topology, std::string_view routing)
      : choice_(&choice),
        topology_(&topology),
        routing_(routing),
        as_said_(*choice.planner, topology, choice.options, routing),
        said_(std::any_of(choice.options.begin(), choice.options.end(),
                          [](const auto& o) { return o.first == header_encoding_option; })) {}

  const BoundPlanner& as_said() const { return as_said_; }
  const BoundPlanner& planner_for(const Request& request) {
    if (said_) return as_said_;
    for (const auto& [name, value] : request.workload)
      if (name == workload_flit_bits) return with_headers(value);
    return as_said_;
  }

 private:
  const BoundPlanner& with_headers(const std::string& flit_bits) {
    const auto found = with_headers_.find(flit_bits);
    if (found != with_headers_.end()) return found->second;
    PlanOptions options = choice_->options;
    options.emplace_back(header_encoding_option, own_encoding);
    options.emplace_back(flit_bits_option, flit_bits);
    try {
      return with_headers_.try_emplace(flit_bits, *choice_->planner, *topology_, options, routing_)
          .first->second;
    } catch (const InputError& error) {
      throw InputError("workload." + std::string(workload_flit_bits), error.what());
    }
  }

  const Choice* choice_;
  const Topology* topology_;
  std::string_view routing_;
  BoundPlanner as_said_;
  std::map<std::string, BoundPlanner> with_headers_;  ///< by the width of a flit
  bool said_;                                         ///< how headers are counted
};

/// Forwards the plans it is given up to the first that is not in order.
int verify(const Options& options, const io::CommonOptions& common, io::Output& output) {
  const bool plans = options.certify || options.front || options.bounds || !options.routing.empty() ||
                     std::any_of(options.shared.begin(), options.shared.end(),
                                 [](const auto& o) { return !o.second.empty(); });
  if (plans)
    throw InputError("--verify", "it checks plans as they are; options of planning do not go with it");
  std::vector<std::string> inputs = common.inputs;
  if (!options.planners.empty()) inputs.insert(inputs.begin(), options.planners);
  io::RecordStream in(inputs);
  std::shared_ptr<const Topology> topology;
  std::optional<PlanVerifier> verifier;
  std::uint64_t unsettled_fronts = 0;
  Plan plan;
  try {
    in.for_each([&](const io::Record& record) {
      if (record.kind == io::Kind::topology) {
        if (verifier) unsettled_fronts += verifier->unsettled_fronts();
        verifier.reset();
        topology = in.topology();
        verifier.emplace(*topology);
      } else if (record.kind == io::Kind::plan) {
        io::read_plan_record(record.value, *topology, plan);
        if (const auto violation = verifier->check(plan)) throw *violation;
      } else if (record.kind != io::Kind::end) {
        io::refuse_kind(record, "plan records");
      }
      output.write(record.line);
      output.write("\n");
    });
  } catch (const Violation& found) {
    io::diagnose(text.name, fmt::format("multicast {}: {}: {}", plan.request.id, found.field, found.message));
    return io::exit_no;
  }
  if (verifier) unsettled_fronts += verifier->unsettled_fronts();
  if (unsettled_fronts > 0)
    io::diagnose(text.name, fmt::format("{} fronts are in order; that they lack no point is not settled, "
                                        "without a certificate or beyond the limit of states",
                                        unsettled_fronts));
  return io::exit_yes;
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  if (options.list) {
    list_planners(output);
    return io::exit_yes;
  }
  if (options.verify) return verify(options, common, output);
  const std::vector<Choice> choices = choose(options);
  std::vector<Planning> bound;
  // The first planner's segment streams through; the others' wait in files until it is closed.
  std::vector<io::Spool> spools(choices.size() - 1);
  io::RecordStream in(common.inputs);
  std::shared_ptr<const Topology> topology;
  io::RecordLine line;
  io::StartOrder order;
  Request request;
  std::uint64_t certified = 0;
  std::uint64_t uncertified = 0;
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        bound.clear();
        topology = in.topology();
        for (const Choice& choice : choices) {
          bound.emplace_back(choice, *topology, options.routing);
          const auto& prepared = bound.back().as_said().context().prepared;
          if (common.verbose && prepared && !prepared->summary().empty())
            io::diagnose(text.name, fmt::format("{} on {}: {}", choice.planner->name, topology->name(),
                                                prepared->summary()));
        }
        order.begin_segment();
        output.write(in.topology_line());
        break;
      case io::Kind::multicast: {
        io::read_multicast_record(record.value, *topology, request);
        order.check(request.start_cycle);
        const PlanFacts facts = options.bounds ? facts_of(bounds_of(*topology, request)) : PlanFacts();
        for (std::size_t i = 0; i < bound.size(); ++i) {
          const BoundPlanner& planner = bound[i].planner_for(request);
          Plan plan = planner.plan(request);
          plan.facts.insert(plan.facts.end(), facts.begin(), facts.end());
          if (options.front) plan.front = front_of(planner, request);
          if (options.certify) {
            plan.certificate = certificate_of(planner, plan);
            ++(plan.certificate.empty() && plan.traffic_channels > 0 ? uncertified : certified);
          }
          const std::string_view planned = io::write_plan_record(plan, line);
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
        io::refuse_kind(record, "multicast records");
    }
  });
  if (uncertified > 0)
    io::diagnose(text.name,
                 fmt::format("{} of {} plans carry no certificate: dual values and a bounded search do "
                             "not settle their optimum",
                             uncertified, certified + uncertified));
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
