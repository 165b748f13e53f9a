// Codecs of what a simulation writes: delivery, channel-load and summary records.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "simulation/engine.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

std::string_view write_delivery_record(const Delivery& delivery, RecordLine& line);
/// Fills `delivery` (its old contents go) from a delivery record; throws InputError.
void read_delivery_record(const Value& record, const Topology& topology, Delivery& delivery);

/// The flits of a load over the cycles they were counted in, as the record has them; empty where that is not
/// said, or no cycle.
std::string flits_per_cycle(const ChannelLoad& load);
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

}  // namespace wormcast::io
