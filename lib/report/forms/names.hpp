// Names of parameters and their places, for all forms of a report.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wormcast {

inline constexpr std::string_view outcome_parameter = "outcome";
inline constexpr std::string_view planner_parameter = "planner";
inline constexpr std::string_view routing_parameter = "routing";

inline void add_missing(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

inline std::size_t position_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Of a run that was ended, only what got through until then was measured.
inline bool is_unfinished(const std::string& outcome) { return !outcome.empty() && outcome != "complete"; }

}  // namespace wormcast
