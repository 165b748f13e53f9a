// Lists of planners.
// SPDX-License-Identifier: MIT
#include "io/command_line/planner_list.hpp"

#include <fmt/format.h>

#include "io/records/record_stream.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {

void list_planners(Output& output) {
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

void list_applicable_planners(const std::vector<std::string>& inputs, std::string_view routing,
                              Output& output) {
  if (!routing.empty() && find_routing_function(routing) == nullptr)
    throw InputError("--routing",
                     unknown_name("routing function", routing, routing_functions(), "route-expand --list"));
  RecordStream in(inputs);
  in.for_each([&](const Record& record) {
    if (record.kind != Kind::topology) return;
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

}  // namespace wormcast::io
