// Codec of tables records: the forwarding table of one router.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Fills `table` from a tables record; throws InputError for what the topology cannot have.
void read_tables_record(const Value& record, const Topology& topology, RouterTable& table);
std::string_view write_tables_record(const RouterTable& table, RecordLine& line);

}  // namespace wormcast::io
