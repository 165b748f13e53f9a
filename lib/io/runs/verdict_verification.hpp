// Verdicts of a stream against the routes or tables they speak of.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wormcast::io {

/// Checks every verdict of the stream `verdicts` ("-": standard input) against the segments of `inputs`, in
/// turn. The first violation, or what cannot be checked, goes to stderr; returns the exit status.
int verify_verdicts(const std::string& verdicts, const std::vector<std::string>& inputs,
                    std::uint64_t state_limit, bool verbose);

}  // namespace wormcast::io
