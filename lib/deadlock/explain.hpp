// A verdict in two sentences that an engineer can act on.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "deadlock/verdict.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// "channel 4→5 (VC 1)", "a consumption channel of node 3", …, by names and ports where there are any.
std::string describe_resource(const Topology& topology, const Resource& resource);

/// What was found, and what to do about it.
std::string explain(const Verdict& verdict, const Topology& topology);

}  // namespace wormcast
