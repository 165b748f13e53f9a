// From records of any kind to what the report adds up.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/subject.hpp"

namespace wormcast::io {

/// Calls take(subject) for each record of the files (none or "-": standard input) that says more
/// than where a segment opens and closes. An InputError that it throws is told the place.
void read_subjects(const std::vector<std::string>& files, const std::function<void(const Subject&)>& take);

}  // namespace wormcast::io
