// Colours and markers: a planner looks the same in every plot.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wormcast {

struct LineStyle {
  std::string colour;  ///< "#1f77b4"
  int point = 7;       ///< gnuplot's number of a filled marker; one less is its outline
  int dash = 1;        ///< gnuplot's dash type
};

/// The look of a planner with its options. The planner fixes colour and marker; options other than
/// the default variant dash the line and hollow the marker.
LineStyle planner_style(std::string_view label);
/// The look of series number `index` where series are not planners.
LineStyle series_style(std::size_t index);

}  // namespace wormcast
