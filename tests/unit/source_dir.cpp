// Where the project's files are: the one file that knows, so that compiler caches can share the others.
// SPDX-License-Identifier: MIT
#include "unit/source_dir.hpp"

namespace wormcast::testing {

std::string source_dir() { return WORMCAST_SOURCE_DIR; }

}  // namespace wormcast::testing
