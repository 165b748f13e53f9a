// Dependencies as members of records: what is held, what is waited for, and who makes it so.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/verdict.hpp"
#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// The cause is a worm of the stream (multicast, worm, hop), legs of a planner (source, destination, perhaps
/// the next), or of tables a route (source, destination) or a group, whose name joins `verdict.groups` where
/// it is new. The scope of `verdict` is known. Throws InputError, also where a switch or port is not that of
/// the resources.
Dependency read_dependency_member(const Value& object, const Topology& topology, const Resources& resources,
                                  Verdict& verdict);
/// With the names of `verdict`'s groups; dependencies of its tables name the switch and its ports too.
void write_dependency_member(const Dependency& edge, const Verdict& verdict, const Topology& topology,
                             const Resources& resources, RecordLine& line);

}  // namespace wormcast::io
