// What --plot asks for, the points of a plot, and those that it leaves out.
// SPDX-License-Identifier: MIT
#include "report/forms/report.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "report/collector.hpp"
#include "report/statistics.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Whether a metric is of what got through: throughput, and what was done to the network, is not.
bool measured_on_deliveries(const std::string& kind, const std::string& metric) {
  return kind == "delivery" || metric.find("latency_cycles") != std::string::npos;
}

}  // namespace

std::vector<std::string> PlotRequest::parameters() const {
  std::vector<std::string> names = by;
  add_missing(names, at.empty() ? x : at);
  return names;
}

std::string PlotRequest::x_of(const GroupedKind& kind, const Group& group) const {
  if (at.empty()) return group.key[position_of(parameters(), x)];
  const std::optional<std::size_t> metric = kind.metric(x);
  if (!metric)
    throw InputError("--plot", unknown_name_message("metric", x, {kind.metrics.begin(), kind.metrics.end()}));
  return statistic_text(kind.sample(group, *metric), Statistic::mean, kind.digits[*metric], plot_digits);
}

std::vector<std::string> PlotRequest::line_of(const Group& group) const {
  return key_by(by, parameters(), group);
}

PlotRequest parse_plot(std::string_view text) {
  PlotRequest request;
  std::string by = "planner";
  const std::pair<std::string_view, std::string*> parts[] = {
      {"x", &request.x},         {"y", &request.y},     {"by", &by},
      {"at", &request.at},       {"log", &request.log}, {"ymax", &request.y_most},
      {"title", &request.title}, {"as", &request.as},   {"intervals", &request.intervals}};
  std::vector<std::string_view> names;
  for (const auto& [name, value] : parts) names.push_back(name);
  std::set<std::string_view> given;
  for (const std::string_view part : parts_of(text, ',')) {
    const std::string_view name = part.substr(0, part.find('='));
    if (part.size() < name.size() + 2)
      refuse("--plot", "'{}' is not of the form name=value, as x=rate", part);
    if (!given.insert(name).second) refuse("--plot", "{}= is given twice", name);
    *parts[place_of_name("--plot", "part", name, names)].second = part.substr(name.size() + 1);
  }
  const std::optional<NumberText> most = number_text(request.y_most);
  if (given.contains("ymax") && !(most && most->above_zero()))
    refuse("--plot", "ymax={} is not a number above 0", request.y_most);
  const auto check = [](const char* name, const std::string& value, const NameList& words,
                        const char* otherwise) {
    if (std::find(words.begin(), words.end(), value) == words.end())
      refuse("--plot", "{}={} is {}", name, value, otherwise);
  };
  if (request.as == "pgf") request.as = "tikz";
  check("as", request.as, {"svg", "pdf", "tikz"}, "none of svg, pdf, tikz (pgf)");
  check("intervals", request.intervals, {"bars", "bands"}, "neither bars nor bands");
  check("log", request.log, {"", "x", "y", "xy"}, "none of log=x, log=y, log=xy");
  const std::vector<std::string_view> lines_by = parts_of(by, '+');
  request.by.assign(lines_by.begin(), lines_by.end());
  if (std::set<std::string_view>(lines_by.begin(), lines_by.end()).size() != lines_by.size())
    refuse("--plot", "by={} names a parameter twice", by);
  if (request.x.empty() || request.y.empty())
    refuse("--plot", "x= and y= are needed, as in x=destinations,y=latency_cycles,by=planner");
  // No record can be grouped by a metric: every run is a point then.
  const std::span<const KnownParameter> known = known_parameters();
  const bool parameter = std::any_of(known.begin(), known.end(),
                                     [&](const KnownParameter& entry) { return entry.name == request.x; });
  if (request.at.empty() && !parameter && is_known_metric(request.x)) request.at = "segment";
  return request;
}

std::string note_on_sums(const PlotRequest& request, const GroupedKind& kind) {
  if (!request.at.empty()) return "";
  const std::vector<std::string> by = request.parameters();
  const std::size_t x = position_of(by, request.x);
  std::string number;
  bool sums = false;
  for (const Group& group : kind.groups) {
    if (sum_text(group.key[x]))
      sums = true;
    else if (number.empty() && number_text(group.key[x]))
      number = group.key[x];
  }
  if (!sums || number.empty()) return "";
  return fmt::format(
      "--plot: {0} {1} may be a sum of two equal {0}s, which records state once; other points are sums of "
      "several classes' {0}s: x=load draws the sum of all",
      request.x, number);
}

/// Takes out of the points of a plot those with a run that did not complete, whatever kind of record says so:
/// what got through until then was fast, and the rest is unknown. Conditions and lines by outcome keep them.
std::vector<PlotEnd> Report::leave_unfinished_out(const std::string& kind, GroupedKind& points) {
  const std::vector<std::string> names = request_.plot.parameters();
  const auto is_outcome = [](const auto& condition) { return condition.first == outcome_parameter; };
  if (!measured_on_deliveries(kind, request_.plot.y) ||
      position_of(names, outcome_parameter) < names.size() ||
      std::any_of(request_.where.begin(), request_.where.end(), is_outcome))
    return {};
  const std::vector<std::string>& by = collector_.by();
  std::map<std::vector<std::string>, std::string> unfinished;  // and how the run ended
  for (const std::string& any_kind : collector_.kinds())
    for (const Group& group : collector_.kind(any_kind)->groups) {
      const std::string& outcome = group.key[position_of(by, outcome_parameter)];
      if (!is_unfinished(outcome)) continue;
      unfinished.emplace(key_by(names, by, group), outcome);
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
  if (points.groups.empty()) refuse("--plot", "every point is of a run that did not complete; {}", remedy);
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
