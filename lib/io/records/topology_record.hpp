// Codec of the records that open and close a segment: topology and end.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// What a topology record says; throws InputError. Sizes are checked when the network is built.
TopologySpec read_topology_record(const Value& record);
/// The record's line; `labels_explicitly` writes the label of each node even where it is the
/// family's closed form.
std::string_view write_topology_record(const Topology& topology, RecordLine& line,
                                       bool labels_explicitly = false);

void read_end_record(const Value& record);
inline constexpr std::string_view end_line = "{\"kind\":\"end\"}\n";

}  // namespace wormcast::io
