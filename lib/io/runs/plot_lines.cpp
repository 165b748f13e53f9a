// What the script that draws plots is handed, as lines of JSON: the request, then points, then where lines
// end.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "io/runs/report_picture.hpp"
#include "report/decimal.hpp"

namespace wormcast::io {
namespace {

/// A string of JSON; what is no UTF-8, as a title or the name of a file may be, stays as it is.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    if (c >= 0 && c < ' ')
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      (c == '"' || c == '\\' ? result += '\\' : result) += c;
  return result + "\"";
}

void add_texts(std::string_view key, const std::vector<std::string>& texts, RecordLine& line) {
  line.key(key).array(texts, [&](const std::string& text) { line.raw(quoted(text)); });
}

}  // namespace

std::string drawn_plot(const PlotRequest& request, const PlotTable& table) {
  Script script("plot", {});
  RecordLine line;
  line.begin_object().key("x").raw(quoted(request.x)).key("y").raw(quoted(request.y));
  add_texts("by", request.by, line);
  line.key("at").raw(quoted(request.at)).key("log").string(request.log).key("ymax").string(request.y_most);
  line.key("as").string(request.as).key("bands").boolean(request.bands).key("title").raw(quoted(table.title));
  line.key("x_title").raw(quoted(metric_title(request.x))).key("y_title").string(mean_title(request.y));
  script.write(line.end());
  for (const PlotPoint& point : table.points) {
    add_texts("key", point.key, line.begin_object());
    line.key("x").raw(quoted(point.x)).key("y").string(point.y).key("half").string(point.half);
    if (const std::optional<std::string> sum = sum_text(point.x)) line.key("sum").string(*sum);
    script.write(line.end());
  }
  for (const PlotEnd& end : table.ends) {
    add_texts("key", end.key, line.begin_object());
    line.key("x").string(end.x).key("outcome").raw(quoted(end.outcome));
    script.write(line.end());
  }
  return script.needed("report", "--plot");
}

}  // namespace wormcast::io
