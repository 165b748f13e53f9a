// Colours and markers: a planner looks the same in every plot.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace wormcast {

struct LineStyle {
  std::string colour;  ///< "#1f77b4"
  int point = 7;       ///< gnuplot's number of a filled marker; one less is its outline
  int dash = 1;        ///< gnuplot's dash type, 1 to 5; 1 is a full line

  bool operator==(const LineStyle&) const = default;
  // By hand: libc++ 14 has no <=> for strings.
  bool operator<(const LineStyle& other) const {
    return std::tie(colour, point, dash) < std::tie(other.colour, other.point, other.dash);
  }
};

/// The look of a planner with its options. The planner fixes colour and marker; options other than
/// the default variant dash the line and hollow the marker.
LineStyle planner_style(std::string_view label);
/// The look of series number `index` where series are not planners.
LineStyle series_style(std::size_t index);
/// The looks of the series of one plot, each another: the first with a look keeps it; a later one keeps its
/// colour, and is given a marker and a dash that no line of that colour has, or at least not both, or, where
/// these are all taken, another colour.
std::vector<LineStyle> distinct_styles(std::vector<LineStyle> wanted);
/// The colour of worm number `index` of a picture: another for each of many, the first those of series.
std::string worm_colour(std::size_t index);

}  // namespace wormcast
