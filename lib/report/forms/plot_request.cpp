// What --plot asks for.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "report/collector.hpp"
#include "report/decimal.hpp"
#include "report/forms/plot_request.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast {
namespace {

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::size_t placed(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::vector<std::string> PlotRequest::parameters() const {
  std::vector<std::string> names = by;
  const std::string& along = at.empty() ? x : at;
  if (placed(names, along) == names.size()) names.push_back(along);
  return names;
}

std::string PlotRequest::x_of(const GroupedKind& kind, const Group& group) const {
  if (at.empty()) return group.key[placed(parameters(), x)];
  const std::optional<std::size_t> metric = kind.metric(x);
  if (!metric)
    throw InputError("--plot", unknown_name_message("metric", x, {kind.metrics.begin(), kind.metrics.end()}));
  return statistic_text(kind.sample(group, *metric), Statistic::mean, kind.digits[*metric], plot_digits);
}

std::vector<std::string> PlotRequest::line_of(const Group& group) const {
  std::vector<std::string> key;
  const std::vector<std::string> names = parameters();
  for (const std::string& name : by) key.push_back(group.key[placed(names, name)]);
  return key;
}

PlotRequest parse_plot(std::string_view text) {
  PlotRequest request;
  request.by = {"planner"};
  std::set<std::string> given;
  for (const std::string& part : parts_of(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (value.empty()) throw InputError("--plot", "'" + part + "' is not of the form name=value, as x=rate");
    if (!given.insert(name).second) throw InputError("--plot", name + "= is given twice");
    if (name == "x") {
      request.x = value;
    } else if (name == "y") {
      request.y = value;
    } else if (name == "by") {
      request.by = parts_of(value, '+');
      if (std::set<std::string>(request.by.begin(), request.by.end()).size() != request.by.size())
        throw InputError("--plot", "by=" + value + " names a parameter twice");
    } else if (name == "at") {
      request.at = value;
    } else if (name == "ymax") {
      if (const std::optional<NumberText> most = number_text(value); !most || !most->above_zero())
        throw InputError("--plot", "ymax=" + value + " is not a number above 0");
      request.y_most = value;
    } else if (name == "as") {
      if (value != "svg" && value != "pdf" && value != "tikz")
        throw InputError("--plot", "as=" + value + " is none of svg, pdf, tikz");
      request.as = value;
    } else if (name == "intervals") {
      if (value != "bars" && value != "bands")
        throw InputError("--plot", "intervals=" + value + " is neither bars nor bands");
      request.bands = value == "bands";
    } else if (name == "title") {
      request.title = value;
    } else if (name == "log") {
      if (value != "x" && value != "y" && value != "xy")
        throw InputError("--plot", "log=" + value + " is none of log=x, log=y, log=xy");
      request.log = value;
    } else {
      throw InputError(
          "--plot", unknown_name_message("part", name,
                                         {"x", "y", "by", "at", "log", "ymax", "title", "as", "intervals"}));
    }
  }
  if (request.x.empty() || request.y.empty())
    throw InputError("--plot", "x= and y= are needed, as in x=destinations,y=latency_cycles,by=planner");
  // No record can be grouped by a metric: every run is a point then.
  const std::vector<ParameterText>& known = known_parameters();
  const bool parameter = std::any_of(known.begin(), known.end(),
                                     [&](const ParameterText& entry) { return entry.name == request.x; });
  if (request.at.empty() && !parameter && is_known_metric(request.x)) request.at = "segment";
  return request;
}

std::string note_on_sums(const PlotRequest& request, const GroupedKind& kind) {
  if (!request.at.empty()) return "";
  const std::vector<std::string> by = request.parameters();
  const std::size_t x = placed(by, request.x);
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

}  // namespace wormcast
