// route-expand: turns each plan into the exact channels and virtual channels of its worms.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>
#include <memory>

#include "io/multicast_record.hpp"
#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "multicast/expand.hpp"
#include "routing/routing_function.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "route-expand",
    .summary = "Expand every plan into the channels that its worms take.",
    .details =
        "Reads: topology, plan. Writes: topology, routes.\n"
        "The plan names its routing function; a stated measure that the routes do not have is an error.\n"
        "Exit status: 0 done, 2 usage, input or I/O error.\n"
        "Example: ... | plan-multicast ocms | route-expand | simulate-wormhole",
};

struct Options {
  bool list = false;
};

void declare(CLI::App& app, Options& options, io::CommonOptions& common) {
  io::add_inputs(app, common);
  io::add_names(common, "ROUTING", "Routing functions, named by plans:", routing_functions());
  app.add_flag("--list", options.list, "List the routing functions and stop");
}

/// A routing function of the open segment with the expander that uses it.
struct Bound {
  explicit Bound(std::unique_ptr<const RoutingFunction> function)
      : routing(std::move(function)), expander(*routing) {}
  std::unique_ptr<const RoutingFunction> routing;
  Expander expander;
};

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  if (options.list) {
    for (const RoutingEntry* entry : routing_functions())
      output.write(fmt::format("{:<16} {}; on {}; [{}]\n", entry->name, entry->summary, entry->topologies,
                               entry->cite));
    return io::exit_yes;
  }
  io::RecordStream in(common.inputs);
  std::shared_ptr<const Topology> topology;
  std::map<std::string, Bound, std::less<>> bound;
  io::RecordLine line;
  io::StartOrder order;
  Plan plan;
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        bound.clear();
        topology = in.topology();
        order.begin_segment();
        output.write(in.topology_line());
        break;
      case io::Kind::plan: {
        io::read_plan_record(record.value, *topology, plan);
        order.check(plan.request.start_cycle);
        auto found = bound.find(plan.routing);
        if (found == bound.end())
          found = bound.try_emplace(plan.routing, bind_routing(plan.routing, *topology)).first;
        const Routes routes = found->second.expander.expand(std::move(plan));
        output.write(io::write_routes_record(routes, line));
        break;
      }
      case io::Kind::end:
        output.write(in.end_line());
        break;
      default:
        io::refuse_kind(record, "plan records");
    }
  });
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
