// Plans of a stream checked against the requests that they carry.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "io/text/output.hpp"

namespace wormcast::io {

/// Forwards the plans of `inputs` up to the first that is not in order, which goes to stderr. Returns the
/// exit status; the output of a refused plan lacks its end.
int verify_plans(const std::vector<std::string>& inputs, Output& output);

}  // namespace wormcast::io
