// Long tests: WORMCAST_LONG=1 takes many more cases, or larger ones, than a usual run has time for.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>

namespace wormcast::testing {

/// WORMCAST_LONG is set and not empty, as the suites read it.
inline bool long_mode() {
  const char* value = std::getenv("WORMCAST_LONG");
  return value != nullptr && *value != '\0';
}

template <class Count>
Count few_or_many(Count few, Count many) {
  return long_mode() ? many : few;
}

}  // namespace wormcast::testing
