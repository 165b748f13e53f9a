// Codecs of what describes a network: topology and tables.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// What a topology record says; throws InputError. Sizes are checked when the network is built.
TopologySpec read_topology_record(const Value& record);
/// The record's line; `labels_explicitly` writes the label of each node even where it is the
/// family's closed form.
std::string_view write_topology_record(const Topology& topology, RecordLine& line,
                                       bool labels_explicitly = false);

inline constexpr std::string_view end_line = "{\"kind\":\"end\"}\n";

/// Fills `table` from a tables record; throws InputError for what the topology cannot have.
void read_tables_record(const Value& record, const Topology& topology, RouterTable& table);
std::string_view write_tables_record(const RouterTable& table, RecordLine& line);

}  // namespace wormcast::io
