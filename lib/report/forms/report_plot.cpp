// The points of a plot, and those that it leaves out.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/forms/report.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

/// Whether a metric is of what got through: throughput, and what was done to the network, is not.
bool of_what_got_through(const std::string& kind, const std::string& metric) {
  return kind == "delivery" || metric.find("latency_cycles") != std::string::npos;
}

}  // namespace

/// Takes out of the points of a plot those with a run that did not complete, whatever kind of record says so:
/// what got through until then was fast, and of what did not nothing is known. Who asks for an outcome, or
/// tells lines apart by it, gets them.
std::vector<PlotEnd> Report::leave_unfinished_out(const std::string& kind, GroupedKind& points) {
  const std::vector<std::string> names = request_.plot.parameters();
  const auto is_outcome = [](const auto& condition) { return condition.first == outcome_parameter; };
  if (!of_what_got_through(kind, request_.plot.y) || position_of(names, outcome_parameter) < names.size() ||
      std::any_of(request_.where.begin(), request_.where.end(), is_outcome))
    return {};
  const std::vector<std::string>& by = collector_.by();
  std::map<std::vector<std::string>, std::string> unfinished;  // and how the run ended
  for (const std::string& any_kind : collector_.kinds())
    for (const Group& group : collector_.kind(any_kind)->groups) {
      const std::string& outcome = group.key[position_of(by, outcome_parameter)];
      if (!is_unfinished(outcome)) continue;
      std::vector<std::string> key;
      for (const std::string& name : names) key.push_back(group.key[position_of(by, name)]);
      unfinished.emplace(std::move(key), outcome);
    }
  GroupedKind out;
  out.metrics = points.metrics;
  out.digits = points.digits;
  std::erase_if(points.groups, [&](const Group& group) {
    if (!unfinished.contains(group.key)) return false;
    out.groups.push_back(group);
    return true;
  });
  if (out.groups.empty()) return {};
  constexpr std::string_view remedy = "--where outcome=saturated,deadlock draws such points";
  if (points.groups.empty())
    throw InputError("--plot", fmt::format("every point is of a run that did not complete; {}", remedy));
  const auto has_records = [](const Group& group) { return group.records > 0; };  // others are named apart
  const auto left_out = std::count_if(out.groups.begin(), out.groups.end(), has_records);
  if (left_out > 0)
    notes_.push_back(fmt::format(
        "--plot: {} point{} left out, of runs that did not complete (first: {}); {}", left_out,
        left_out == 1 ? "" : "s",
        fmt::join(std::find_if(out.groups.begin(), out.groups.end(), has_records)->key, " "), remedy));
  std::vector<PlotEnd> ends;
  for (const Group& group : out.groups) {
    std::string x = request_.plot.x_of(out, group);
    if (std::optional<std::string> sum = sum_text(x)) x = std::move(*sum);
    if (number_text(x))
      ends.push_back({request_.plot.line_of(group), std::move(x), unfinished.at(group.key)});
  }
  return ends;
}

PlotTable Report::plot_table() {
  const std::string name = kind_with(request_.plot.y, "--plot");
  const GroupedKind& kind = *collector_.kind(name);
  if (pools_routings(kind, request_.plot.parameters())) {
    request_.plot.by.emplace_back(routing_parameter);
    add_missing(names_, std::string(routing_parameter));
  }
  if (const std::string without = collector_.without_records(name); !without.empty())
    notes_.push_back("--plot: " + without);
  GroupedKind grouped = collector_.grouped(kind, request_.plot.parameters());
  PlotTable table;
  table.ends = leave_unfinished_out(name, grouped);
  if (std::string note = note_on_sums(request_.plot, grouped); !note.empty())
    notes_.push_back(std::move(note));
  if (by_runs(name)) has_intervals(name, grouped, request_.plot.y, "--plot");
  const std::vector<std::string> topologies =
      collector_.values(kind, position_of(collector_.by(), "topology"));
  table.title = request_.plot.title.empty()
                    ? fmt::format("{}, {}", metric_title(request_.plot.y), fmt::join(topologies, ", "))
                    : request_.plot.title;
  const std::size_t y = grouped.metric(request_.plot.y).value();
  for (const Group& group : grouped.groups) {
    const Accumulator& sample = grouped.sample(group, y);
    std::string x = sample.count() == 0 ? "" : request_.plot.x_of(grouped, group);
    if (x.empty()) continue;
    const auto text = [&](Statistic statistic) {
      return statistic_text(sample, statistic, grouped.digits[y], plot_digits);
    };
    const std::string half = text(Statistic::interval95);
    table.points.push_back(
        {request_.plot.line_of(group), std::move(x), text(Statistic::mean), half.empty() ? "0" : half});
  }
  return table;
}

}  // namespace wormcast
