// From records of any kind to what the report adds up.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/runs/report_files.hpp"
#include "report/subject.hpp"

namespace wormcast::io {

/// Calls take(subject) for each record of the files (none or "-": standard input) that says more
/// than where a segment opens and closes, and end_segment() at each end record, while the segment's topology
/// is still there. An InputError that they throw is told the place.
void read_subjects(const std::vector<std::string>& files, const std::function<void(const Subject&)>& take,
                   const std::function<void()>& end_segment, Energy* energy = nullptr);

}  // namespace wormcast::io
