// Names and values as records write them: objects of strings, in their order.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wormcast {

/// Names and values as written in a record, in its order.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

}  // namespace wormcast
