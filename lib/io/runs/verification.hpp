// Plans of a stream checked against the requests they carry, and verdicts against the worms they are about.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/text/output.hpp"

namespace wormcast::io {

/// Forwards the plans of `inputs` up to the first that is not in order, which goes to stderr. Returns the
/// exit status; the output of a refused plan lacks its end.
int verify_plans(const std::vector<std::string>& inputs, Output& output);

/// Checks every verdict of the stream `verdicts` ("-": standard input) against the segments of `inputs`, in
/// turn. The first violation, or what cannot be checked, goes to stderr; returns the exit status.
int verify_verdicts(const std::string& verdicts, const std::vector<std::string>& inputs,
                    std::uint64_t state_limit, bool verbose);

}  // namespace wormcast::io
