// What `report --expect` and `report --energy` read from files.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/expectation.hpp"
#include "simulation/events.hpp"

namespace wormcast::io {

/// Throws SystemError for a file that cannot be read, InputError, its place the line, for what is no
/// expectation, and for a file that has none.
std::vector<Expectation> read_expectations(const std::string& path);

/// What each event costs, and whether any record counted events.
struct Energy {
  EventCounts attojoules;
  bool used = false;
};
/// From a file: a JSON object {"name", "cite", "attojoules": {each event: integer}}. Throws SystemError where
/// it cannot be read, InputError where it is none.
Energy read_energy(const std::string& path);

}  // namespace wormcast::io
