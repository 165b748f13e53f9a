// What --plot asks for, and the points of a plot; a script draws them.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/collector.hpp"

namespace wormcast {

/// Digits of means and intervals in scripts.
inline constexpr unsigned plot_digits = 6;

/// What is drawn against what: "x=destinations,y=latency_cycles,by=planner+length_flits,log=x".
struct PlotRequest {
  std::string x;                ///< a parameter; with `at`, a metric
  std::string y;                ///< a metric, its mean is drawn
  std::vector<std::string> by;  ///< parameters, one line for each combination
  std::string at;            ///< parameter that tells the points of a line apart where x is a metric; the run
                             ///< where none is given
  std::string log;           ///< the axes that are logarithmic: "", x, y or xy
  std::string y_most = "*";  ///< where a linear y axis ends; "*" = above every point
  std::string title;
  std::string as = "svg";  ///< svg, pdf or tikz
  bool bands = false;      ///< intervals as bands and not as bars

  /// The grouping parameters that the plot needs.
  std::vector<std::string> parameters() const;
  /// What is on the x axis; empty where the group has none.
  std::string x_of(const GroupedKind& kind, const Group& group) const;
  /// Values of `by`.
  std::vector<std::string> line_of(const Group& group) const;
};

/// Throws InputError on field "--plot".
PlotRequest parse_plot(std::string_view text);

/// A run that did not complete, whose point was left out.
struct PlotEnd {
  std::vector<std::string> key;  ///< values of `by`
  std::string x;                 ///< a number
  std::string outcome;
};

/// A mean with half its 95 % interval, "0" where there is none; `x` as it is grouped by, or a mean, too.
struct PlotPoint {
  std::vector<std::string> key;
  std::string x, y, half;
};

struct PlotTable {
  std::string title;
  std::vector<PlotPoint> points;
  std::vector<PlotEnd> ends;
};

/// What to tell the user of numbers on the x axis that stand beside sums (of the rates of several classes of
/// traffic): they may be sums of equal numbers, which records state once. "" where there is nothing to tell.
std::string note_on_sums(const PlotRequest& request, const GroupedKind& kind);

}  // namespace wormcast
