// The marks at the ends of lines.
//
// A scheme that saturates has no latency there, so its line has nowhere to go but up: it rises, dotted, from
// its last point to the first run that did not complete, and leaves the picture at a cross.
// SPDX-License-Identifier: MIT
#include "report/pictures/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "report/decimal.hpp"

namespace wormcast {
namespace {

constexpr std::string_view end_look = "pointtype 2 pointsize 0.9 linewidth 2";

bool less_than(const std::string& a, const std::string& b) {
  return number_text(a).value() < number_text(b).value();
}

}  // namespace

std::vector<PlotEnd> ends_of(const PlotRequest& request, const GroupedKind& left_out,
                             const std::vector<std::string>& outcomes) {
  const std::vector<std::string> by = request.parameters();
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(by.begin(), by.end(), name) - by.begin());
  };
  std::vector<PlotEnd> ends;
  for (std::size_t g = 0; g < left_out.groups.size(); ++g) {
    const Group& group = left_out.groups[g];
    PlotEnd end;
    for (const std::string& name : request.by) end.key.push_back(group.key[at(name)]);
    end.outcome = outcomes[g];
    if (request.at.empty()) {
      const std::string& x = group.key[at(request.x)];
      end.x = sum_text(x).value_or(x);
    } else if (const auto metric = left_out.metric(request.x)) {
      const Accumulator& sample = left_out.sample(group, *metric);
      if (sample.count() > 0)
        end.x = statistic_text(sample, Statistic::mean, left_out.digits[*metric], plot_digits);
    }
    if (number_text(end.x)) ends.push_back(std::move(end));
  }
  return ends;
}

const PlotEnd* end_beyond(const std::vector<PlotEnd>& ends, const std::vector<std::string>& key,
                          const std::string& last) {
  const PlotEnd* first = nullptr;
  for (const PlotEnd& end : ends)
    if (end.key == key && less_than(last, end.x) && (first == nullptr || less_than(end.x, first->x)))
      first = &end;
  return first;
}

std::string marks_of(const std::vector<DrawnEnd>& ends) {
  std::string script;
  for (const DrawnEnd& end : ends) {
    script += fmt::format(
        "set arrow from first {},{} to first {},graph 1 nohead linecolor rgb '{}' dashtype '.' linewidth "
        "1.6\n",
        end.from_x, end.from_y, end.to_x, end.colour);
    script += fmt::format("set label '' at first {},graph 1 point linecolor rgb '{}' {}\n", end.to_x,
                          end.colour, end_look);
  }
  return script;
}

std::string legend_of(const std::vector<DrawnEnd>& ends) {
  if (ends.empty()) return "";
  std::set<std::string> outcomes;
  for (const DrawnEnd& end : ends) outcomes.insert(end.outcome);
  return fmt::format(", \\\n     NaN with points linecolor rgb '#404040' {} title '{}'", end_look,
                     fmt::join(outcomes, " or "));
}

}  // namespace wormcast
