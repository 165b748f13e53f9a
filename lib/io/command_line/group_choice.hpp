// gen-topology import --group: which multicast groups of imported tables stay.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "io/import/format.hpp"

namespace wormcast::io {

/// Keeps the groups that are named, by their names in the tables, by MLIDs or by MGIDs; all where none is.
/// The network's generator says how many were left out. Throws InputError for a group that is not there.
void keep_groups(Imported& found, const std::vector<std::string>& wanted);

}  // namespace wormcast::io
