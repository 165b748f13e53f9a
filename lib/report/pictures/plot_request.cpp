// What --plot asks for, and the gnuplot terminals that draw it.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "report/collector.hpp"
#include "report/decimal.hpp"
#include "report/pictures/plot.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

struct Terminal {
  std::string_view name, suffix, setting;
};
constexpr std::array<Terminal, 3> terminals = {{
    {"svg", "svg", "svg size 860,520 dynamic noenhanced font 'DejaVu Sans,14' background 'white'"},
    {"pdf", "pdf", "pdfcairo size 8.6in,5.2in noenhanced font 'DejaVu Sans,14'"},
    {"tikz", "tex", "tikz size 14cm,8.5cm"},
}};

const Terminal& terminal_of(const std::string& name) {
  const auto found = std::find_if(terminals.begin(), terminals.end(),
                                  [&](const Terminal& terminal) { return terminal.name == name; });
  if (found == terminals.end()) throw InputError("--plot", "as=" + name + " is none of svg, pdf, tikz");
  return *found;
}

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

std::string_view PlotRequest::suffix() const { return terminal_of(as).suffix; }
std::string_view PlotRequest::terminal() const { return terminal_of(as).setting; }

std::string PlotRequest::literal(std::string_view text) const {
  const std::string shown = as == "tikz" ? latex_text(text) : std::string(text);
  std::string result = "'";
  for (const char c : shown) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
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
      request.as = value;
      request.terminal();
    } else if (name == "intervals") {
      if (value != "bars" && value != "bands")
        throw InputError("--plot", "intervals=" + value + " is neither bars nor bands");
      request.bands = value == "bands";
    } else if (name == "title") {
      request.title = value;
    } else if (name == "log") {
      if (value != "x" && value != "y" && value != "xy")
        throw InputError("--plot", "log=" + value + " is none of log=x, log=y, log=xy");
      request.log_x = value.find('x') != std::string::npos;
      request.log_y = value.find('y') != std::string::npos;
    } else {
      throw InputError("--plot",
                       unknown_name_message("part", name, {"x", "y", "by", "at", "log", "ymax", "title", "as", "intervals"}));
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

}  // namespace wormcast
