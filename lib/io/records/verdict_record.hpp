// Codec of verdict records: what check-deadlock answers, under which model, and the evidence.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "deadlock/verdict.hpp"
#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

std::string_view write_verdict_record(const Verdict& verdict, const Topology& topology, RecordLine& line);

/// Fills `verdict` (its old contents go) from a verdict record; throws InputError. The worms of a
/// witness come without their routes, which only a witness stream has.
void read_verdict_record(const Value& record, const Topology& topology, Verdict& verdict);

}  // namespace wormcast::io
