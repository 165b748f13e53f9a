// Where a line of a plot ends because the runs beyond did not complete, and the mark that says so.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/collector.hpp"
#include "report/pictures/plot.hpp"

namespace wormcast {

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
