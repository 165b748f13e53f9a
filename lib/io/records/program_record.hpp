// Codec of program records.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "programs/program.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Fills `program` from a program record; throws InputError. bind_program() sees to what its steps name.
void read_program_record(const Value& record, const Topology& topology, Program& program);
std::string_view write_program_record(const Program& program, RecordLine& line);

}  // namespace wormcast::io
