// route-expand: turns each plan into the exact channels and virtual channels of its worms.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/topology_record.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/table_routes.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

using namespace wormcast;

namespace route_expand {

constexpr io::ToolText text = {
    .name = "route-expand",
    .summary = "Expand every plan, or forwarding tables, into the channels that worms take.",
    .details = R"(Reads: topology, plan or tables, multicast behind tables. Writes: topology, routes.
Tables become a unicast for every pair of hosts and a worm for every sender of every group;
multicasts behind them take their routes: a group of just their hosts, or a worm to each.
A measure of the plan that the routes do not have is an error.
Exit status: 0 done, 2 usage, input or I/O error.
Example: ... | plan-multicast ocms | route-expand | simulate-wormhole)",
};

struct Options {
  std::uint64_t table_flits = 32;
  std::uint32_t answers_vc = 0;
};

void list_routing_functions(io::Output& output) {
  std::size_t width = 0;
  for (const RoutingEntry* entry : routing_functions()) width = std::max(width, entry->name.size());
  for (const RoutingEntry* entry : routing_functions())
    output.write(fmt::format("{:<{}} {}; on {}; [{}]\n", entry->name, width, entry->summary,
                             entry->topologies, entry->cite));
}

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  io::add_inputs(line, common);
  io::add_names(common, "ROUTING", "Routing functions, named by plans:", routing_functions());
  line.add_option("--length-flits", options.table_flits, "Tables: length of every message")
      .range(1, io::max_integer)
      .show_default();
  line.add_option("--answers-vc", options.answers_vc,
                  "First virtual channel of multicasts that depend on others, such as answers")
      .range(0, 254)
      .show_default();
  io::add_list(line, common, "List the routing functions and stop", list_routing_functions);
}

/// A routing function of the open segment with the expander that uses it.
struct Bound {
  explicit Bound(std::unique_ptr<const RoutingFunction> function)
      : routing(std::move(function)), expander(*routing) {}
  std::unique_ptr<const RoutingFunction> routing;
  Expander expander;
};

void move_up(Routes& routes, std::uint32_t vcs, const Topology& topology) {
  if (vcs != 0 && !routes.worms.empty() && routes.worms.front().hops.empty())
    refuse("--answers-vc", "the routers choose the channels under {}", routes.plan.routing);
  for (WormRoute& worm : routes.worms)
    for (RouteHop& hop : worm.hops)
      if (hop.is_channel() && (hop.vc += vcs) >= topology.virtual_channel_bound())
        refuse("--answers-vc", "virtual channel {}; the network has {} (gen-topology --virtual-channels)",
               hop.vc, topology.virtual_channel_bound());
}

/// Routes that do not arrive are no records: nothing after this tool could tell that they are missing.
std::uint64_t tell_unrouted(const UnroutedPairs& unrouted, const ForwardingTables& tables) {
  if (unrouted.count() != 0)
    io::diagnose(text.name, tables.topology().name() + ": " + unrouted.in_words(tables));
  return unrouted.count();
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  io::RecordStream in(common.inputs);
  std::shared_ptr<const Topology> topology;
  std::map<std::string, Bound, std::less<>> bound;
  io::RecordLine line;
  Routes routes;  // its buffers are used again
  Request request;
  std::optional<ForwardingTables> tables;
  RouterTable table;
  bool any_plan = false;  ///< in this segment
  bool asked = false;     ///< in this segment, for the routes of multicasts
  std::uint64_t left_out = 0;
  std::uint64_t unrouted = 0;  ///< of this segment
  const auto refuse_both = [] {
    refuse("kind", "plans, or multicasts before tables, in one segment with tables");
  };
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        bound.clear();
        topology = in.topology();
        tables.emplace(*topology);
        any_plan = asked = false;
        unrouted = 0;
        output.write(in.topology_line());
        break;
      case io::Kind::plan: {
        Plan& plan = routes.plan;
        const io::VerbatimMembers as_read = io::read_plan_record(record.value, in.route_check(), plan);
        in.order().check(plan.request);
        if (!tables->empty()) refuse_both();
        any_plan = true;
        auto found = bound.find(plan.routing);
        if (found == bound.end())
          found = bound.try_emplace(plan.routing, bind_routing(plan.routing, *topology)).first;
        found->second.expander.expand_checked(routes);
        if (!plan.request.depends_on.empty()) move_up(routes, options.answers_vc, *topology);
        output.write(io::write_routes_record(routes, line, as_read));
        break;
      }
      case io::Kind::tables:
        if (any_plan || asked) refuse_both();
        io::read_tables_record(record.value, *topology, table);
        tables->add(table);
        break;
      case io::Kind::multicast: {
        if (tables->empty()) io::refuse_kind(record, "plan or tables records");
        asked = true;
        io::read_multicast_record(record.value, *topology, request);
        in.order().check(request);
        const std::optional<Routes> found = table_route(*tables, request);
        if (!found) {
          ++left_out;
          ++unrouted;
          break;
        }
        output.write(io::write_routes_record(*found, line));
        break;
      }
      case io::Kind::end:
        if (!tables->empty() && !asked)
          unrouted = tell_unrouted(each_table_route(*tables, options.table_flits,
                                                    [&](const Routes& some) {
                                                      output.write(io::write_routes_record(some, line));
                                                    }),
                                   *tables);
        output.write(in.end_line(unrouted));
        break;
      default:
        io::refuse_kind(record, "plan or tables records");
    }
  });
  if (left_out != 0)
    io::diagnose(text.name,
                 fmt::format("{} multicasts are left out: by the tables they do not arrive", left_out));
  return io::exit_yes;
}

}  // namespace route_expand

int main(int argc, char** argv) {
  using namespace route_expand;
  return io::run_tool<Options>(argc, argv, text, declare, run);
}
