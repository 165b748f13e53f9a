// Files of expectations, as `report --expect` reads them.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/expectation.hpp"

namespace wormcast::io {

/// Throws SystemError for a file that cannot be read, InputError, its place the line, for what is no
/// expectation, and for a file that has none.
std::vector<Expectation> read_expectations(const std::string& path);

}  // namespace wormcast::io
