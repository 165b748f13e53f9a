// Witnesses of deadlocks as members of records.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "deadlock/verdict.hpp"
#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

void write_witness_member(const std::vector<WitnessWorm>& witness, RecordLine& line);
/// Throws InputError.
WitnessWorm read_witness_worm(const Value& object, const Topology& topology);

}  // namespace wormcast::io
