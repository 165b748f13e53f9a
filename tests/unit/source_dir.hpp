// Where the project's files are, for tests that read some.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace wormcast::testing {

/// The project's folder, without a slash at the end.
std::string source_dir();

}  // namespace wormcast::testing
