// Codecs of what a simulation writes: delivery, channel-load and summary records, steps of the step model.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "io/text/shapes.hpp"
#include "multicast/plan.hpp"
#include "router/router_model.hpp"
#include "simulation/engine.hpp"
#include "simulation/steps.hpp"
#include "simulation/window.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// The last arrival after the start; while a record is read, what it says of that.
struct Latency {
  static void read(const Value& value, Delivery& delivery, const Scope&) {
    delivery.completion_cycle = delivery.plan.request.start_cycle + value.integer(0);
  }
  static bool read_written(WrittenText& text, Delivery& delivery, const Scope&) {
    std::uint64_t latency = 0;
    if (!text.number(latency)) return false;
    delivery.completion_cycle = delivery.plan.request.start_cycle + latency;
    return true;
  }
  static void write(const Delivery& delivery, RecordLine& line, const Scope&) {
    line.number(delivery.latency_cycles());
  }
  static std::optional<std::uint64_t> number(const Delivery& delivery) { return delivery.latency_cycles(); }
  static std::string form() { return Number<>::form(); }
};
inline constexpr auto measured_rows =
    table(always<&DeliveryMeasures::source_queueing_cycles, Number<>>(
              "source_queueing_cycles", "sum over its worms of injection grant − ready"),
          always<&DeliveryMeasures::blocked_cycles, Number<>>(
              "blocked_cycles", "sum of grant − request, over granted network and consumption requests"),
          always<&DeliveryMeasures::contention, Number<>>("contention",
                                                          "those of these waits that took a cycle or more"),
          where_stated<&DeliveryMeasures::first_part_cycle, Number<>>(
              "first_part_cycle",
              "of a reduction: when the header of the first part, alone or joined, came to the root"),
          where_stated<&DeliveryMeasures::last_part_cycle, Number<>>("last_part_cycle",
                                                                     "the same of the last part"));
/// What a delivery says beyond its plan.
inline constexpr auto arrival_rows =
    table(row<Self<Delivery>, Latency>("latency_cycles", "last arrival − `start_cycle`").after_others(),
          always<&Delivery::arrival_cycles, SomeOf<Number<>>>(
              "arrival_cycles",
              "by destination, when the tail starts to move into the consumption channel; on `graph`, when "
              "it has crossed the host's link; of a reduction at the root, of the last of its worms"),
          rows_of<Self<Delivery, DeliveryMeasures>, measured_rows>());

std::string_view write_delivery_record(const Delivery& delivery, RecordLine& line);
/// Fills `delivery` (its old contents go) from a delivery record; throws InputError.
void read_delivery_record(const Value& record, const Topology& topology, Delivery& delivery);

/// The flits of a load over the cycles they were counted in, as the record has them; empty where that is not
/// said, or no cycle.
std::string flits_per_cycle(const ChannelLoad& load);
inline constexpr auto counted_rows = table(
    always<&ChannelLoad::worms, Number<>>("worms",
                                          "that passed it whole; open loop: at least one flit counted"),
    always<&ChannelLoad::flits, Number<>>(
        "flits", "of these, header flits included; open loop: flits that started to cross it in the window"),
    always<&ChannelLoad::held_cycles, Number<>>("held_cycles",
                                                "sum over these from the grant of the virtual channel until "
                                                "it was free; open loop: over all worms, within the window"),
    always<&ChannelLoad::blocked_cycles, Number<>>("blocked_cycles",
                                                   "sum over headers that were granted it of grant − "
                                                   "request; open loop: within the window; always written")
        .may_lack(),
    where_stated<&ChannelLoad::observed_cycles, Number<>>(
        "observed_cycles", "open loop: cycles counted, as in the summary's `window`"));
std::string_view write_channel_load_record(const ChannelLoad& load, const Topology& topology,
                                           RecordLine& line);
void read_channel_load_record(const Value& record, const Topology& topology, ChannelLoad& load);

/// A run's totals with the parameters that shaped it.
struct SummaryRecord {
  RouterModel model;
  bool stop_on_deadlock = false;
  Summary summary;
  std::string extras;  ///< x_… members of a record that was read
  Plan planned_by;     ///< planner, options and routing, where all routes share them
};

std::string_view outcome_name(Outcome outcome);
std::string_view write_summary_record(const SummaryRecord& record, const Topology& topology,
                                      RecordLine& line);
void read_summary_record(const Value& value, const Topology& topology, SummaryRecord& record);

/// A multicast with its plan's keys, the model, and the run.
struct StepsRecord {
  Plan plan;  ///< without its worms
  StepModel model;
  StepRun run;
  // Pairs of worms that can contend (deadlock/contention.hpp), where they were counted.
  std::optional<std::uint64_t> step_vc_pairs;     ///< in one nominal step, for a virtual channel
  std::optional<std::uint64_t> depth_vc_pairs;    ///< under some delay, for a virtual channel
  std::optional<std::uint64_t> depth_link_pairs;  ///< under some delay, for a channel
  std::optional<std::uint64_t> fluid_millisteps;  ///< simulation/steps.cpp
};

inline constexpr auto run_rows =
    table(always<&StepRun::steps, Number<>>("steps", "the last arrival"),
          always<&StepRun::least_steps, Number<>>(
              "least_steps", "⌈log2 of the nodes involved⌉, a bound for one-port unicasts"),
          always<&StepRun::arrival_steps, SomeOf<Number<>>>("arrival_steps",
                                                            "by destination, from 1 (0: a self-send)"),
          always<&StepRun::blocked, Number<>>("blocked", "times that a message lost"),
          always<&StepRun::shared_links, Number<>>(
              "shared_links", "channels wanted by two or more messages, summed over steps"),
          always<&StepRun::sharing_pairs, Number<>>(
              "sharing_pairs", "pairs of messages that wanted one channel in the same step"));
/// What steps say beyond their plans and models.
inline constexpr auto step_measure_rows = table(
    rows_of<Part<&StepsRecord::run>, run_rows>(),
    where_stated<&StepsRecord::step_vc_pairs, Number<>>(
        "step_vc_pairs", "`--contention`: pairs of worms of one planned step with a common virtual channel"),
    where_stated<&StepsRecord::depth_vc_pairs, Number<>>(
        "depth_vc_pairs",
        "`--contention`: pairs of worms that contend for a virtual channel under some delays; 0: depth "
        "contention-free"),
    where_stated<&StepsRecord::depth_link_pairs, Number<>>("depth_link_pairs",
                                                           "`--contention`: the same for channels"),
    where_stated<&StepsRecord::fluid_millisteps, Number<>>(
        "fluid_millisteps",
        "`--fluid`: thousandths of a step until all is done if messages share links instead of blocking each "
        "other; a sender is busy until its message has arrived"));

std::string_view write_steps_record(const StepsRecord& record, RecordLine& line);
/// Fills `record` (its old contents go) from a steps record; throws InputError.
void read_steps_record(const Value& value, const Topology& topology, StepsRecord& record);

/// The model of these names, the first where one is empty; throws InputError on --step-reading or
/// --step-priority.
StepModel step_model(const std::string& reading, const std::string& priority);

/// Counts of events, and what each event costs.
inline constexpr auto event_rows =
    table(always<&EventCounts::buffer_writes, Number<>>(
              "buffer_writes", "flits written into buffers of channels, and of sources that have one"),
          always<&EventCounts::buffer_reads, Number<>>("buffer_reads",
                                                       "once where copies move together, else for each copy"),
          always<&EventCounts::crossbar_traversals, Number<>>("crossbar_traversals",
                                                              "of each copy of a flit, to hosts too"),
          always<&EventCounts::link_traversals, Number<>>(
              "link_traversals", "of flits, between routers; on graphs to and from hosts too"),
          always<&EventCounts::vc_allocations, Number<>>(
              "vc_allocations", "grants of virtual channels and consumption channels to worms"),
          always<&EventCounts::switch_allocations, Number<>>(
              "switch_allocations", "the same, but by flit in allocating routers and on shared links"));

/// Throws InputError also where a mean or a load is not what the sums say. Loads are taken over the hosts.
struct WindowMember {
  static void read(const Value& value, std::optional<WindowSummary>& to, const Scope& scope);
  static void write(const std::optional<WindowSummary>& from, RecordLine& line, const Scope& scope);
  static std::string form();
};
/// Loads over `nodes` end points, mean and interval as the member writes them, each where there is one.
std::vector<std::pair<std::string_view, std::string>> window_figures(const WindowSummary& window,
                                                                     std::uint64_t nodes);
/// What the workloads of the measured multicasts state under a name, of all that came where none was
/// measured; of several classes of traffic each, numbers ascending, with a + between them, so that runs which
/// differ in one are told apart; "mixed" for more than eight; "" where none is stated.
std::string window_stated(const WindowSummary& window, std::string_view name);
/// All of it likewise but for `rate` and `pattern`, by name.
SharedValues window_workload(const WindowSummary& window);
/// The sum of the rates of all classes, each stated as a decimal number; "" where one is not.
std::string window_load(const WindowSummary& window);
/// The loads and the mean latency of a class, as window_figures() has them of all.
std::vector<std::pair<std::string_view, std::string>> class_figures(const WindowClass& one,
                                                                    const WindowSummary& window,
                                                                    std::uint64_t nodes);
/// What to tell a user whose traffic, which starts for the last time at `last_start`, ends before his window
/// does, by a batch of it or more: loads are too low then. "" otherwise, and where the run was ended before
/// the traffic.
std::string window_lack(const Summary& summary, std::optional<Cycle> last_start);

}  // namespace wormcast::io
