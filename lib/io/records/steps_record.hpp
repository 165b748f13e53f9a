// Codec of steps records: how a multicast goes in the step model.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "multicast/plan.hpp"
#include "simulation/steps.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Pairs of worms that can contend (deadlock/contention.hpp).
struct ContentionCounts {
  std::uint64_t step_vc_pairs = 0;     ///< in one nominal step, for a virtual channel
  std::uint64_t depth_vc_pairs = 0;    ///< under some delay, for a virtual channel
  std::uint64_t depth_link_pairs = 0;  ///< under some delay, for a channel
};

/// A multicast with its plan's keys, the model, and the run.
struct StepsRecord {
  Plan plan;  ///< without its worms
  StepModel model;
  StepRun run;
  std::optional<ContentionCounts> contention;
  std::optional<std::uint64_t> fluid_millisteps;  ///< simulation/steps.cpp
};

std::string_view write_steps_record(const StepsRecord& record, RecordLine& line);
/// Fills `record` (its old contents go) from a steps record; throws InputError.
void read_steps_record(const Value& value, const Topology& topology, StepsRecord& record);

/// The model of these names; throws InputError on `reading_field` or `priority_field`.
StepModel step_model(std::string_view reading_field, std::string_view reading,
                     std::string_view priority_field, std::string_view priority);

}  // namespace wormcast::io
