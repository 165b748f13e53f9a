// Plots as gnuplot scripts with their data inside: axes with units, a legend, confidence bars or bands.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/collector.hpp"
#include "report/table.hpp"

namespace wormcast {

/// What is drawn against what: "x=destinations,y=latency_cycles,by=planner+length_flits,log=x".
struct PlotRequest {
  std::string x;                ///< a parameter; with `at`, a metric
  std::string y;                ///< a metric, its mean is drawn
  std::vector<std::string> by;  ///< parameters, one line for each combination
  std::string at;  ///< parameter that tells the points of a line apart where x is a metric; the run
                   ///< where none is given
  bool log_x = false;
  bool log_y = false;
  std::string y_most = "*";  ///< where a linear y axis ends; "*" = above every point
  std::string title;
  std::string as = "svg";  ///< svg, pdf or tikz
  bool bands = false;      ///< intervals as bands and not as bars

  /// Of gnuplot, and of the file it writes. Throw InputError on field "--plot" for a name that is none.
  std::string_view terminal() const;
  std::string_view suffix() const;
  /// A gnuplot string: single quotes take no escapes but themselves, and what TeX draws has its own.
  std::string literal(std::string_view text) const;
  /// The grouping parameters that the plot needs.
  std::vector<std::string> parameters() const;
};

/// A run that did not complete, whose point was left out.
struct PlotEnd {
  std::vector<std::string> key;  ///< values of `by`
  std::string x;                 ///< a number
  std::string outcome;
};

/// Digits of the numbers in scripts.
inline constexpr unsigned plot_digits = 6;

/// Throws InputError on field "--plot".
PlotRequest parse_plot(std::string_view text);

/// The script; it draws on gnuplot's standard output. The groups of `kind` are by request.parameters();
/// `topologies` stands in the title where none is given; bars show confidence intervals.
/// A line beyond whose last point runs were left out (`ends`) rises to the first of them.
/// Where values of x are sums of numbers, as rates can be, and the others numbers, each stands at its sum.
/// Throws InputError where no record has x and y.
std::string gnuplot_script(const PlotRequest& request, const GroupedKind& kind, std::string_view topologies,
                           const std::vector<PlotEnd>& ends = {});

/// What to tell the user of numbers on the x axis that stand beside sums (of the rates of several classes of
/// traffic): they may be sums of equal numbers, which records state once. "" where there is nothing to tell.
std::string note_on_sums(const PlotRequest& request, const GroupedKind& kind);

/// From the last point of a line to where the first run stands that did not complete.
struct DrawnEnd {
  std::size_t line = 0;  ///< which line of the plot
  std::string from_x;
  std::string from_y;
  std::string to_x;
  std::string outcome;  ///< of that run
  std::string colour;
};

/// Every x at which a point was left out, from the groups that were, which are by request.parameters().
/// Groups without x are passed over.
std::vector<PlotEnd> ends_of(const PlotRequest& request, const GroupedKind& left_out,
                             const std::vector<std::string>& outcomes);

/// The end of the line `key` whose last point is at `last`: the least beyond it; nullptr where there is none.
const PlotEnd* end_beyond(const std::vector<PlotEnd>& ends, const std::vector<std::string>& key,
                          const std::string& last);

/// Dotted lines that rise out of the picture, a cross where each leaves it. To stand before `plot`.
std::string marks_of(const std::vector<DrawnEnd>& ends);
/// What the legend says of the crosses, to follow the lines of `plot`; "" without any.
std::string legend_of(const std::vector<DrawnEnd>& ends);

}  // namespace wormcast
