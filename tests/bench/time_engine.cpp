// Times a simulation engine alone: routes are read before, some at a time, deliveries are thrown away.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "io/command_line/router_options.hpp"
#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/topology_record.hpp"
#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "time-engine",
    .summary = "Time a simulation engine alone.",
    .details = "Reads: topology, routes. Writes: a line of figures for each segment.",
};

struct Options {
  io::RouterOptions router;
  std::string engine = "auto";
};

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  io::add_inputs(line, common);
  io::add_router_options(line, options.router);
  line.add_option("--engine", options.engine, "auto|worm|link|flit", "As that of simulate-wormhole (auto)");
}

/// Runs an engine on some routes after the others; the clock stands still in between.
class TimedRun {
 public:
  TimedRun(const Topology& topology, const Options& options) {
    SimulationOptions simulation;
    simulation.model = io::router_model(options.router);
    simulation.routes_checked = true;  // by the reader
    const MakeEngine make = engine_named(options.engine);
    if (make == nullptr)
      throw InputError("--engine", unknown_name_message("engine", options.engine, engine_names()));
    engine_ = make(topology, simulation);
  }

  /// Where the next record goes.
  Routes& next() {
    if (filled_ == batch_.size()) run();
    return batch_[filled_++];
  }
  std::string finish() {
    run();
    const std::clock_t begin = std::clock();
    engine_->finish();
    while (engine_->poll() != nullptr) {
    }
    ticks_ += std::clock() - begin;
    const Summary summary = engine_->summary();
    return fmt::format(
        "{{\"seconds\":{:.6f},\"cycles\":{},\"flit_hops\":{},\"worm_hops\":{},\"events\":{}}}\n",
        static_cast<double>(ticks_) / CLOCKS_PER_SEC, summary.last_cycle, summary.flit_hops, worm_hops_,
        engine_->events());
  }

 private:
  void run() {
    for (std::size_t i = 0; i < filled_; ++i)
      for (const WormRoute& worm : batch_[i].worms) worm_hops_ += worm.hops.size() + 1;  // injection, too
    const std::clock_t begin = std::clock();
    for (std::size_t i = 0; i < filled_; ++i) {
      engine_->take(batch_[i]);
      engine_->advance();
      while (engine_->poll() != nullptr) {
      }
    }
    ticks_ += std::clock() - begin;
    filled_ = 0;
  }

  std::unique_ptr<Engine> engine_;
  std::vector<Routes> batch_ = std::vector<Routes>(256);  // what a cache holds
  std::size_t filled_ = 0;
  std::uint64_t worm_hops_ = 0;
  std::clock_t ticks_ = 0;
};

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  io::RecordStream in(common.inputs);
  std::unique_ptr<TimedRun> timed;
  in.for_each([&](const io::Record& record) {
    if (record.kind == io::Kind::topology)
      timed = std::make_unique<TimedRun>(*in.topology(), options);
    else if (record.kind == io::Kind::routes)
      io::read_routes_record(record.value, in.route_check(), timed->next());
    else if (record.kind == io::Kind::end)
      output.write(timed->finish());
  });
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
