// simulate-wormhole: sends the worms of a stream through the network and says when each multicast arrived.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deadlock/contention.hpp"
#include "io/command_line/router_options.hpp"
#include "io/command_line/tool.hpp"
#include "io/records/delivery_record.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/program_record.hpp"
#include "io/records/topology_record.hpp"
#include "io/runs/report_picture.hpp"
#include "multicast/check.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/reply_tracker.hpp"
#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "router/router_rules.hpp"
#include "simulation/engine.hpp"
#include "simulation/program_run.hpp"
#include "simulation/route_check.hpp"
#include "simulation/segment_engine.hpp"
#include "simulation/steps.hpp"
#include "topology/refuse.hpp"

using namespace wormcast;

namespace simulate_wormhole {

constexpr io::ToolText text = {
    .name = "simulate-wormhole",
    .summary = "Simulate the worms of a stream cycle by cycle, exactly.",
    .details =
        R"(Reads: topology, program, routes. Writes: topology, delivery, channel-load, summary; or steps.
Deliveries are ordered by (completion, id). A deadlock is found in the cycle in which it forms; the
summary names the worms that wait for each other. With --measure-cycles only multicasts that start
in the window have delivery records; the outcome is 'saturated' where sources fill faster than they
empty. --engine steps is coarser: each multicast alone, a message a step, one message a link.
Exit status: 0 everything delivered or saturated; 1 deadlock, or parts of reductions interleaved or
mixed; 2 usage, input or I/O error.
Example: ... | route-expand | simulate-wormhole --buffer-flits 4 | report)",
};

/// The step model's options, as the user wrote them.
struct StepOptions {
  std::string reading, priority;  ///< or empty
  bool contention = false;        ///< also count the pairs of worms that can contend
  bool fluid = false;             ///< also the time with shared links instead of blocking

  friend bool operator==(const StepOptions&, const StepOptions&) = default;
};

struct Options {
  io::RouterOptions router;
  std::string engine = "auto";
  bool stop_on_deadlock = false;
  std::string warmup_cycles = "0";
  std::uint64_t measure_cycles = 0;
  std::uint64_t saturation_backlog = WindowOptions{}.saturation_backlog;
  bool channel_loads = false, vc_loads = false, worm_loads = false;
  bool events = false;
  bool summary_only = false;
  std::string trace;
  StepOptions steps;
};

void add_step_options(io::CommandLine& line, StepOptions& options) {
  line.group("Step model");
  line.add_option("--step-reading", options.reading, "one-port|literal|nominal",
                  "What a blocked message delays: one-port (its sender's and its receiver's sends; the "
                  "default), literal (its receiver's) or nominal (nothing)");
  line.add_option("--step-priority", options.priority, "older|chain|subtree",
                  "Which gets through: older (default), chain or subtree");
  line.add_flag("--contention", options.contention,
                "Also count the pairs of worms that can contend, in a step and under any delay");
  line.add_flag("--fluid", options.fluid,
                "Also the time if messages share the bandwidth of a link instead of blocking each other");
  line.group();
}

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  io::add_inputs(line, common);
  line.add_option(
      "--engine", options.engine, "auto|worm|link|flit|join|steps",
      "Engine (default: auto). All give the same answers but steps, a coarser model: auto takes at each "
      "moment the fastest that is exact; worm has an event for each hop; link has one for each flit and "
      "hop, and computes worms that nothing makes wait; flit computes none; join is for routers that "
      "copy and join flit by flit. auto takes what joins when a reduction comes, but behind more than "
      "10,000 other messages or with --trace only where it is the first. Routers that allocate "
      "virtual channels have an engine of their own");
  io::add_router_options(line, options.router);
  line.add_flag("--stop-on-deadlock", options.stop_on_deadlock,
                "End with the cycle in which a deadlock forms");
  const io::Option measure = line.add_option("--measure-cycles", options.measure_cycles,
                                             "Open loop: measure what starts in a window this long; the run "
                                             "ends when all of it is delivered. A program: run it so long")
                                 .range(1, io::max_integer);
  line.add_option(
          "--warmup-cycles", options.warmup_cycles, "N|found",
          "Open loop: the window begins after these (0), or where MSER-5 finds the end of the warm-up")
      .needs(measure);
  line.add_option("--saturation-backlog", options.saturation_backlog,
                  "Open loop: stop when over N multicasts a node queue at sources (100); 0: never")
      .needs(measure);
  line.add_flag("--channel-loads", options.channel_loads,
                "Write what each channel carried; in an open loop, within the window");
  line.add_flag("--vc-loads", options.vc_loads, "The same of each virtual channel");
  line.add_flag("--worm-loads", options.worm_loads,
                "The same of each worm on each virtual channel: which waited where, and for how long");
  line.add_flag(
      "--events", options.events,
      "Count what costs energy: buffer writes and reads, crossbar and link traversals, allocations");
  line.add_flag("--summary-only", options.summary_only, "Write no delivery records");
  line.add_option(
      "--trace", options.trace, "FILE",
      "Write the run to this file as Chrome trace events, for Perfetto: a track for each channel, a "
      "slice for each worm that held it, a microsecond a cycle");
  add_step_options(line, options.steps);
  io::add_list(line, common, "List the router presets with their parameters, and stop",
               [](io::Output& output) { output.write(io::list_router_presets()); });
}

std::optional<WarmupOptions> sought(const Options& options) {
  return options.warmup_cycles == "found" ? std::optional(WarmupOptions{}) : std::nullopt;
}

Cycle warmup(const Options& options) {
  if (sought(options)) return WindowOptions::kSought;
  return io::whole_number_operand("--warmup-cycles", options.warmup_cycles);
}

/// One segment after the other.
class Simulation {
 public:
  Simulation(const Options& options, const io::CommonOptions& common, io::Output& output)
      : options_(options),
        verbose_(common.verbose),
        output_(output),
        in_(common.inputs),
        progress_(text.name, common.inputs),
        lack_(io::router_model(options.router)) {
    engine_options_.model = io::router_model(options.router);
    engine_options_.routes_checked = true;  // by the reader
    engine_options_.stop_on_deadlock = options.stop_on_deadlock;
    if (options.worm_loads)
      engine_options_.channel_loads = LoadsBy::worm;
    else if (options.channel_loads || options.vc_loads)
      engine_options_.channel_loads = options.vc_loads ? LoadsBy::vc : LoadsBy::channel;
    engine_options_.events = options.events;
    if (!options.trace.empty()) trace_ = io::open_trace(options.trace);
    engine_options_.observer = trace_.get();
    if (options.measure_cycles > 0)
      engine_options_.window =
          WindowOptions{warmup(options), options.measure_cycles, options.saturation_backlog, sought(options)};
  }

  int run() {
    in_.for_each([&](const io::Record& record) { take(record); });
    if (const std::string said = lack_.in_words(); !said.empty()) io::diagnose(text.name, said);
    if (trace_) trace_->finish();
    return status_;
  }

 private:
  void take(const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        topology_ = in_.topology();
        engine_.emplace(*topology_, engine_options_, options_.engine);
        if (trace_) trace_->begin_segment(*topology_, engine_options_.model);
        last_start_.reset();
        taken_in_segment_ = 0;
        planner_ = SharedPlanner{};
        channels_.begin_segment(*topology_);
        program_.reset();
        flows_.clear();
        output_.write(in_.topology_line());
        break;
      case io::Kind::program:
        if (program_ || taken_in_segment_ > 0)
          refuse("kind", "a program stands directly behind the topology");
        io::read_program_record(record.value, *topology_, program_.emplace());
        program_place_ = in_.place();
        break;
      case io::Kind::routes:
        io::read_routes_record(record.value, in_.route_check(), routes_);
        ++taken_in_segment_;
        if (program_) {
          in_.order().check(routes_.plan.request);
          flows_.push_back(routes_);
          break;
        }
        in_.order().check_start(routes_.plan.request.start_cycle);
        last_start_ = routes_.plan.request.start_cycle;
        progress_.record(record.line.size() + 1, routes_.plan.request.start_cycle);
        planner_.add(routes_.plan);
        lack_.add(routes_.plan.request);
        if (!allocates(engine_options_.model, *topology_) || routes_.plan.routing.empty())
          channels_.add(routes_);
        engine_->take(routes_);
        write_deliveries();
        if (++taken_ % (many_under_way / 10) == 0 && !told_) tell_backlog();
        break;
      case io::Kind::end:
        end_segment();
        break;
      default:
        io::refuse_kind(record, "routes or program records");
    }
  }

  Summary run_program() {
    const Options usual;
    refuse_stated({{"--engine", options_.engine != usual.engine && options_.engine != "flit"},
                   {"--warmup-cycles", options_.warmup_cycles != usual.warmup_cycles},
                   {"--saturation-backlog", options_.saturation_backlog != usual.saturation_backlog},
                   {"--channel-loads", options_.channel_loads},
                   {"--vc-loads", options_.vc_loads},
                   {"--worm-loads", options_.worm_loads},
                   {"--events", options_.events},
                   {"--trace", !options_.trace.empty()}},
                  "is not for programs");
    try {
      SimulationOptions options = engine_options_;
      options.window.reset();
      return simulate_program(*topology_, options, bind_program(*topology_, *program_, flows_),
                              options_.measure_cycles, [&](const Delivery& delivery) {
                                if (!options_.summary_only)
                                  output_.write(io::write_delivery_record(delivery, line_));
                              });
    } catch (InputError& error) {
      if (error.place.empty() && !error.field.starts_with("--")) error.place = program_place_;
      throw;
    }
  }

  /// Which engine has simulated the segment, and why no faster one.
  void tell_engine() const {
    const std::string_view engine = engine_->engine().name();
    std::string said = fmt::format("{}: {} engine", topology_->name(), engine);
    const char* lack = engine_lack("worm", *topology_, engine_->options());
    if (const std::optional<Cycle> from = engine_->engine().flits_moved_from())
      said = fmt::format(
          "{}: worm engine, from cycle {} on {} engine, since worms use two virtual channels of a link",
          topology_->name(), *from, engine);
    else if (engine != "worm" && lack != nullptr)
      said += fmt::format(", since {}", lack);
    io::diagnose(text.name, said);
  }

  void write_summary(Summary totals) {
    const io::SummaryRecord summary{
        engine_options_.model, options_.stop_on_deadlock, std::move(totals), {}, planner_.scheme()};
    if (const std::string lack = io::window_lack(summary.summary, last_start_); !lack.empty() && !warned_) {
      io::diagnose(text.name, lack);
      warned_ = true;  // of several planners' segments all lack the same
    }
    output_.write(io::write_summary_record(summary, *topology_, line_));
    output_.write(in_.end_line());
    const bool well =
        summary.summary.outcome == Outcome::complete || summary.summary.outcome == Outcome::saturated;
    if (!well || !summary.summary.mixed.empty()) status_ = io::exit_no;
  }

  void end_segment() {
    if (program_) return write_summary(run_program());
    engine_->engine().finish();
    if (const std::string said = channels_.unused(*topology_); !said.empty()) io::diagnose(text.name, said);
    if (verbose_) tell_engine();
    write_deliveries();
    if (engine_options_.channel_loads)
      for (const ChannelLoad& load : engine_->engine().channel_loads())
        output_.write(io::write_channel_load_record(load, *topology_, line_));
    if (trace_) trace_->end_segment(planner_.scheme());
    write_summary(engine_->engine().summary());
  }

  void write_deliveries() {
    while (const Delivery* delivery = engine_->poll())
      if (!options_.summary_only) output_.write(io::write_delivery_record(*delivery, line_));
  }

  /// A load that the network does not carry piles up in memory, and ends nothing by itself.
  void tell_backlog() {
    const Summary so_far = engine_->engine().summary();
    const std::uint64_t under_way = so_far.multicasts - so_far.delivered_multicasts;
    told_ = under_way >= many_under_way;
    if (told_)
      io::diagnose(text.name,
                   fmt::format("{} multicasts are under way, and take memory until they are delivered; "
                               "--measure-cycles with --saturation-backlog gives up such a load",
                               under_way));
  }

  static constexpr std::uint64_t many_under_way = 100'000;

  const Options& options_;
  bool verbose_;
  io::Output& output_;
  io::RecordStream in_;
  io::Progress progress_;
  LackOfAnswers lack_;
  std::unique_ptr<io::RunTrace> trace_;
  SimulationOptions engine_options_;
  std::shared_ptr<const Topology> topology_;
  std::optional<SegmentEngine> engine_;
  std::optional<Program> program_;
  std::string program_place_;
  std::vector<Routes> flows_;           ///< of the program
  std::uint64_t taken_in_segment_ = 0;  ///< routes
  SharedPlanner planner_;
  VirtualChannelsUsed channels_;
  io::RecordLine line_;
  Routes routes_;
  std::optional<Cycle> last_start_;  ///< of the segment so far
  bool warned_ = false;
  std::uint64_t taken_ = 0;
  bool told_ = false;  ///< of the backlog
  int status_ = io::exit_yes;
};

/// The step model knows no routers: whatever describes them would say nothing.
void check_step_options(const Options& options) {
  if (!(options.router == io::RouterOptions{})) refuse("--engine", "the step model has no router parameters");
  if (options.stop_on_deadlock || options.channel_loads || options.vc_loads || options.worm_loads ||
      options.events || options.summary_only || options.measure_cycles > 0 || !options.trace.empty())
    refuse("--engine", "the step model has no deadlocks, channel loads, events, window, summary or trace");
}

void count_contention(const Routes& routes, io::StepsRecord& steps) {
  steps.step_vc_pairs = step_contention(routes, ContentionOn::virtual_channels).pairs.size();
  steps.depth_vc_pairs = depth_contention(routes, ContentionOn::virtual_channels).size();
  steps.depth_link_pairs = depth_contention(routes, ContentionOn::physical_links).size();
}

/// Replaces every routes record of the files by a steps record.
void run_step_model(const StepOptions& options, const std::vector<std::string>& files, io::Output& output) {
  io::StepsRecord steps;
  steps.model = io::step_model(options.reading, options.priority);
  io::RecordStream in(files);
  io::RecordLine line;
  Routes routes;
  std::optional<Resources> resources;  // of the default router: no worm may take one of them twice
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        resources.emplace(*in.topology(), RouterModel{});
        output.write(in.topology_line());
        break;
      case io::Kind::routes:
        io::read_routes_record(record.value, in.route_check(), routes);
        require_multicast(routes.plan.request, "the step model");
        require_hops(routes, "the step model takes hops alone");
        check_simulable(*resources, routes);
        in.order().check(routes.plan.request);
        steps.run = run_steps(routes, steps.model);
        if (options.contention) count_contention(routes, steps);
        if (options.fluid) steps.fluid_millisteps = fluid_millisteps(routes);
        steps.plan = std::move(routes.plan);
        output.write(io::write_steps_record(steps, line));
        break;
      case io::Kind::end:
        output.write(in.end_line());
        break;
      default:
        io::refuse_kind(record, "routes records");
    }
  });
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  if (options.engine == "steps") {
    check_step_options(options);
    run_step_model(options.steps, common.inputs, output);
    return io::exit_yes;
  }
  if (!(options.steps == StepOptions{}))
    refuse("--engine",
           "only the step model (--engine steps) has a reading, a priority, --contention and --fluid");
  if (options.trace.ends_with(".html"))
    refuse("--trace", "{}: trace events are JSON, not a page: name it .json and open it in Perfetto",
           options.trace);
  io::require_separate_outputs(common.output_path, {{"--trace", options.trace}});
  return Simulation(options, common, output).run();
}

}  // namespace simulate_wormhole

int main(int argc, char** argv) {
  using namespace simulate_wormhole;
  return io::run_tool<Options>(argc, argv, text, declare, run);
}
