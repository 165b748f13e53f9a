// Times a simulation engine alone: routes are read before, deliveries are thrown away.
// SPDX-License-Identifier: MIT
#include <ctime>
#include <vector>

#include "io/multicast_record.hpp"
#include "io/router_options.hpp"
#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "simulation/engine.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "time-engine",
    .summary = "Time a simulation engine alone.",
    .details = "Reads: topology, routes. Writes: a line of figures for each segment.",
};

struct Options {
  io::RouterOptions router;
  bool flit = false;
};

void declare(CLI::App& app, Options& options, io::CommonOptions& common) {
  io::add_inputs(app, common);
  io::add_router_options(app, options.router);
  app.add_flag("--flit", options.flit, "The flit engine (default: the worm engine)");
}

std::string run_engine(const Topology& topology, std::vector<Routes> all, const Options& options) {
  SimulationOptions simulation;
  simulation.model = io::router_model(options.router);
  simulation.routes_checked = true;  // by the reader
  std::uint64_t worm_hops = 0;
  for (const Routes& routes : all)
    for (const WormRoute& worm : routes.worms) worm_hops += worm.hops.size() + 1;  // injection, too
  const auto engine =
      options.flit ? make_flit_engine(topology, simulation) : make_worm_engine(topology, simulation);
  const std::clock_t begin = std::clock();
  for (Routes& routes : all) {
    engine->push(std::move(routes));
    engine->advance();
    while (engine->poll()) {
    }
  }
  engine->finish();
  while (engine->poll()) {
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const Summary summary = engine->summary();
  return fmt::format("{{\"seconds\":{:.6f},\"cycles\":{},\"flit_hops\":{},\"worm_hops\":{},\"events\":{}}}\n",
                     seconds, summary.last_cycle, summary.flit_hops, worm_hops, engine->events());
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  io::RecordStream in(common.inputs);
  std::vector<Routes> all;
  in.for_each([&](const io::Record& record) {
    if (record.kind == io::Kind::routes)
      io::read_routes_record(record.value, *in.topology(), all.emplace_back());
    else if (record.kind == io::Kind::end)
      output.write(run_engine(*in.topology(), std::exchange(all, {}), options));
  });
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
