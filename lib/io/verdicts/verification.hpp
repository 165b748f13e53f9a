// Segments read, and verdicts checked against the worms they are about.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/records/record_stream.hpp"
#include "multicast/routes.hpp"
#include "programs/program.hpp"
#include "routing/forwarding_tables.hpp"

namespace wormcast::io {

/// Who hears of a segment.
struct SegmentListener {
  std::function<void()> begin;
  std::function<void(const Routes&)> routes;
  std::function<void(const RouterTable&)> table;
  std::function<void(const Program&)> program;
  std::function<void()> end;
};

/// Throws InputError for records of other kinds, and for multicasts out of order.
void read_segments(RecordStream& in, const SegmentListener& listener);

/// Checks every verdict of the stream `verdicts` ("-": standard input) against the segments of `inputs`, in
/// turn. The first violation, or what cannot be checked, goes to stderr; returns the exit status.
int verify_verdicts(const std::string& verdicts, const std::vector<std::string>& inputs,
                    std::uint64_t state_limit, bool verbose);

}  // namespace wormcast::io
