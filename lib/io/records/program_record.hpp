// Codec of program records.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "io/text/shapes.hpp"
#include "programs/program.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Of runs, in programs and verdicts.
inline constexpr auto program_event_rows = table(
    where_stated<&ProgramEvent::flow, Number<>>("flow", "id of its routes"),
    row<Part<&ProgramEvent::hop>, Signed<-1, INT32_MAX>>("hop", "index in its `hops`, −1 for the source")
        .only_if([](const ProgramEvent& event) { return event.flow.has_value(); })
        .absent([](ProgramEvent& event) { event.hop = -1; }),
    where_stated<&ProgramEvent::process, Number32>("process", "index in the program's `processes`"));

/// Fills `program` from a program record; throws InputError. bind_program() sees to what its steps name.
void read_program_record(const Value& record, const Topology& topology, Program& program);
std::string_view write_program_record(const Program& program, RecordLine& line);

}  // namespace wormcast::io
