// Verdicts on given worms whose routers choose: exact within limits.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/check_options.hpp"
#include "deadlock/independent/segment_worms.hpp"
#include "deadlock/verdict.hpp"

namespace wormcast {

/// The worms concurrently active, each once, in any order and at any time, whatever routers choose. Throws
/// InputError for models under which they are not judged.
Verdict check_segment_relations(const Topology& topology, const SegmentWorms& worms,
                                const CheckOptions& options);

}  // namespace wormcast
