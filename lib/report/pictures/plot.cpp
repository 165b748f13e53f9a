// Plots as gnuplot scripts.
// SPDX-License-Identifier: MIT
#include "report/pictures/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/pictures/line_style.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

constexpr std::size_t most_labelled_tics = 12;

struct Point {
  std::string x;
  std::string y;
  std::string half;  ///< of the 95 % interval; "0" where there is none
};

struct Series {
  std::vector<std::string> key;
  std::vector<Point> points;
};

std::size_t position(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::size_t metric_index(const GroupedKind& kind, const std::string& name) {
  const std::optional<std::size_t> metric = kind.metric(name);
  if (metric) return *metric;
  throw InputError("--plot",
                   unknown_name_message("metric", name, {kind.metrics.begin(), kind.metrics.end()}));
}

std::vector<Series> collect(const PlotRequest& request, const GroupedKind& kind) {
  const std::vector<std::string> by = request.parameters();
  const std::size_t y = metric_index(kind, request.y);
  std::optional<std::size_t> x_metric;
  if (!request.at.empty()) x_metric = metric_index(kind, request.x);
  std::map<std::vector<std::string>, std::size_t> index;
  std::vector<Series> all;
  for (const Group& group : kind.groups) {
    const Accumulator& sample = kind.sample(group, y);
    if (sample.count() == 0) continue;
    Point point;
    if (x_metric)
      point.x =
          statistic_text(kind.sample(group, *x_metric), Statistic::mean, kind.digits[*x_metric], plot_digits);
    else
      point.x = group.key[position(by, request.x)];
    if (point.x.empty()) continue;
    point.y = statistic_text(sample, Statistic::mean, kind.digits[y], plot_digits);
    point.half = statistic_text(sample, Statistic::interval95, kind.digits[y], plot_digits);
    if (point.half.empty()) point.half = "0";
    std::vector<std::string> key;
    for (const std::string& name : request.by) key.push_back(group.key[position(by, name)]);
    const auto [place, fresh] = index.try_emplace(key, all.size());
    if (fresh) all.push_back({key, {}});
    all[place->second].points.push_back(std::move(point));
  }
  if (all.empty()) throw InputError("--plot", "no record has both " + request.x + " and " + request.y);
  return all;
}

bool number_before(const std::string& a, const std::string& b) {
  return number_text(a).value() < number_text(b).value();
}

/// The distinct x values in order, if each is a number.
std::optional<std::vector<std::string>> numeric_x(const std::vector<Series>& all) {
  std::set<std::string> distinct;
  for (const Series& series : all)
    for (const Point& point : series.points) {
      if (!number_text(point.x)) return std::nullopt;
      distinct.insert(point.x);
    }
  std::vector<std::string> values(distinct.begin(), distinct.end());
  std::sort(values.begin(), values.end(), number_before);
  return values;
}

/// Puts points whose x is a sum of numbers where their sum lies, if every other x is a number; false where no
/// x is a sum.
bool sum_up(std::vector<Series>& all) {
  std::vector<Series> summed = all;
  bool any = false;
  for (Series& series : summed) {
    for (Point& point : series.points) {
      std::optional<std::string> sum = sum_text(point.x);
      any = any || sum;
      if (!sum && !number_text(point.x)) return false;
      if (sum) point.x = std::move(*sum);
    }
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const Point& a, const Point& b) { return number_before(a.x, b.x); });
  }
  if (any) all = std::move(summed);
  return any;
}

/// Texts on the x axis become 0, 1, 2 … with the texts as tics.
std::vector<std::string> number_texts(std::vector<Series>& all) {
  std::vector<std::string> texts;
  std::map<std::string, std::size_t> numbers;
  for (Series& series : all)
    for (Point& point : series.points) {
      const auto [at, fresh] = numbers.try_emplace(point.x, texts.size());
      if (fresh) texts.push_back(point.x);
      point.x = std::to_string(at->second);
    }
  return texts;
}

std::string tics(const PlotRequest& request, const std::vector<std::string>& texts, bool numeric) {
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i)
    list += fmt::format("{}{} {}", i > 0 ? ", " : "", request.literal(texts[i]),
                        numeric ? texts[i] : std::to_string(i));
  return "set xtics (" + list + ")\n";
}

/// The look that a series would have in any plot.
LineStyle style_of(const PlotRequest& request, const Series& series, std::size_t index,
                   std::map<std::vector<std::string>, int>& others) {
  const std::size_t at = position(request.by, "planner");
  if (at == request.by.size() || series.key[at].empty()) return series_style(index);
  LineStyle style = planner_style(series.key[at]);
  std::vector<std::string> rest = series.key;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  const int variant = others.try_emplace(rest, static_cast<int>(others.size())).first->second;
  style.dash = 1 + (style.dash - 1 + variant) % 5;
  return style;
}

std::vector<LineStyle> styles_of(const PlotRequest& request, const std::vector<Series>& all) {
  std::map<std::vector<std::string>, int> others;
  std::vector<LineStyle> styles;
  for (std::size_t i = 0; i < all.size(); ++i) styles.push_back(style_of(request, all[i], i, others));
  return distinct_styles(std::move(styles));
}

std::string series_title(const Series& series) {
  std::string title;
  for (const std::string& value : series.key) title += (title.empty() ? "" : ", ") + value;
  return title.empty() ? "all" : title;
}

/// What titles of several values are of: a line of the legend, since the legend's own title overlaps it in
/// TikZ.
std::string legend_head(const PlotRequest& request) {
  if (request.by.size() < 2) return "";
  return fmt::format(" NaN with points pointsize 0 linecolor rgb '#ffffff' title {}, \\\n    ",
                     request.literal(fmt::format("{}", fmt::join(request.by, ", "))));
}

/// The least and the greatest of some numbers, as texts.
std::pair<std::string, std::string> extremes(const std::vector<std::string>& numbers) {
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end(), number_before);
  return {*least, *greatest};
}

/// A range with some room at both ends; gnuplot works out the expressions.
std::string x_range(const std::vector<std::string>& numbers, bool log) {
  const auto [least, greatest] = extremes(numbers);
  if (log && !number_text(least)->above_zero()) throw InputError("--plot", "log=x needs numbers above 0");
  if (least == greatest) return "";
  // gnuplot divides integers as such
  const std::string upper = greatest + (greatest.find('.') == std::string::npos ? "." : "");
  if (log)
    return fmt::format("set xrange [{0}*({2}/{0})**-0.04:{1}*({2}/{0})**0.04]\n", least, greatest, upper);
  return fmt::format("set xrange [{0}-0.04*({1}-{0}):{1}+0.04*({1}-{0})]\n", least, greatest);
}

/// A logarithmic y axis with tics at 1, 2 and 5 times the powers of ten.
std::string log_y_axis(const std::vector<Series>& all) {
  std::vector<std::string> numbers;
  for (const Series& series : all)
    for (const Point& point : series.points) numbers.push_back(point.y);
  const auto [least, greatest] = extremes(numbers);
  if (!number_text(least)->above_zero()) throw InputError("--plot", "log=y needs numbers above 0");
  const double from = as_number(least).value();
  const double to = as_number(greatest).value();
  std::string list;
  for (double power = 1e-6; power < 1e19; power *= 10)
    for (const int digit : {1, 2, 5})
      if (digit * power > from / 1.3 && digit * power < to * 1.3)
        list += fmt::format("{}{:g}", list.empty() ? "" : ", ", digit * power);
  const std::string axis = fmt::format("set logscale y 10\nset yrange [{}/1.3:{}*1.3]\n", least, greatest);
  return list.empty() ? axis : axis + "set ytics (" + list + ")\n";
}

/// From 0, unless something lies below it.
std::string linear_y_axis(const std::vector<Series>& all, const std::string& most) {
  const bool below = std::any_of(all.begin(), all.end(), [](const Series& series) {
    return std::any_of(series.points.begin(), series.points.end(),
                       [](const Point& point) { return point.y.starts_with('-'); });
  });
  return fmt::format("set yrange [{}:{}]\n", below ? "*" : "0", most);
}

/// What is on the x axis; of sums that, too.
std::string x_title(const std::string& name, bool sums) {
  std::string title = metric_title(name);
  if (!sums) return title;
  if (!title.ends_with(')')) return title + " (sum)";
  title.pop_back();
  return title + ", sum)";
}

bool has_bar(const Point& point) {
  const std::optional<NumberText> half = number_text(point.half);
  return half && half->above_zero();
}

bool has_bars(const Series& series) {
  return std::any_of(series.points.begin(), series.points.end(), has_bar);
}

/// The ends of all lines, in their order, a line without one left out; the x axis reaches as far as they do.
void take_ends(const std::vector<Series>& all, const std::vector<PlotEnd>& left_out,
               std::vector<DrawnEnd>& ends, std::vector<std::string>& numbers) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto last =
        std::max_element(all[i].points.begin(), all[i].points.end(),
                         [](const Point& a, const Point& b) { return number_before(a.x, b.x); });
    const PlotEnd* end = end_beyond(left_out, all[i].key, last->x);
    if (end == nullptr) continue;
    ends.push_back({i, last->x, last->y, end->x, end->outcome, ""});
    numbers.push_back(end->x);
  }
  std::sort(numbers.begin(), numbers.end(), number_before);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

std::string axes(const PlotRequest& request, std::vector<Series>& all, std::vector<DrawnEnd>& ends,
                 const std::vector<PlotEnd>& left_out) {
  std::string script;
  const bool sums = sum_up(all);
  std::optional<std::vector<std::string>> numbers = numeric_x(all);
  if (numbers) take_ends(all, left_out, ends, *numbers);
  script += "set xlabel " + request.literal(x_title(request.x, sums)) + "\n";
  const bool bars = std::any_of(all.begin(), all.end(), has_bars);
  script += "set ylabel " + request.literal(mean_title(request.y) + (bars ? ", 95 % interval" : "")) + "\n";
  if (request.log_x && !numbers)
    throw InputError("--plot", "log=x needs numbers, but " + request.x + " has texts");
  if (request.log_x) script += "set logscale x 2\n";
  script += request.log_y ? log_y_axis(all) : linear_y_axis(all, request.y_most);
  if (!numbers) {
    const std::vector<std::string> texts = number_texts(all);
    script += fmt::format("set xrange [-0.4:{}.4]\n", texts.size() - 1) + tics(request, texts, false);
    return script;
  }
  script += x_range(*numbers, request.log_x);
  if (request.at.empty() && numbers->size() <= most_labelled_tics) script += tics(request, *numbers, true);
  return script;
}

/// A line with its bars, which are drawn full, by themselves, where it is dashed; or before it its band.
std::string drawn(const PlotRequest& request, const Series& series, std::size_t index,
                  const LineStyle& style) {
  const std::string colour = fmt::format("linecolor rgb '{}'", style.colour);
  const bool apart = has_bars(series) && (request.bands || style.dash != 1);
  std::string text;
  if (apart && request.bands)
    text = fmt::format(
        " $series{} using 1:($2-$3):($2+$3) with filledcurves fillcolor rgb '{}' fillstyle transparent solid "
        "0.18 noborder notitle, \\\n    ",
        index, style.colour);
  else if (apart)
    text = fmt::format(
        " $series{} using 1:2:3 with yerrorbars {} pointtype {} pointsize 0.7 linewidth 1.6 notitle, \\\n   "
        " ",
        index, colour, style.point);
  return text + fmt::format(" $series{} {} {} pointtype {} pointsize 0.7 dashtype {} linewidth 1.6 title {}",
                            index, apart ? "using 1:2 with linespoints" : "using 1:2:3 with yerrorlines",
                            colour, style.point, style.dash, request.literal(series_title(series)));
}

}  // namespace

std::string gnuplot_script(const PlotRequest& request, const GroupedKind& kind, std::string_view topologies,
                           const std::vector<PlotEnd>& left_out) {
  std::vector<Series> all = collect(request, kind);
  const std::string title =
      request.title.empty() ? metric_title(request.y) + ", " + std::string(topologies) : request.title;
  std::string script = fmt::format("# Draw with: gnuplot THIS > plot.{}\nset terminal {}\n", request.suffix(),
                                   request.terminal()) +
                       "set border 3 linecolor rgb '#404040'\n"
                       "set tics nomirror\n"
                       "set grid linecolor rgb '#d8d8d8' linewidth 1 dashtype 1\n"
                       "set key outside right center vertical Left reverse samplen 2.5 spacing 1.2\n"
                       "set errorbars small\n";
  script += "set title " + request.literal(title) + "\n";
  std::vector<DrawnEnd> ends;
  script += axes(request, all, ends, left_out);
  const std::vector<LineStyle> styles = styles_of(request, all);
  for (DrawnEnd& end : ends) end.colour = styles[end.line].colour;
  script += marks_of(ends);
  std::string plot;
  for (std::size_t i = 0; i < all.size(); ++i) {
    script += fmt::format("$series{} << END\n", i);
    for (const Point& point : all[i].points)
      script += fmt::format("{} {} {}\n", point.x, point.y, point.half);
    script += "END\n";
    plot += (i == 0 ? "plot" + legend_head(request) : ", \\\n    ") + drawn(request, all[i], i, styles[i]);
  }
  return script + plot + legend_of(ends) + "\n";
}

std::string note_on_sums(const PlotRequest& request, const GroupedKind& kind) {
  if (!request.at.empty()) return "";
  const std::vector<std::string> by = request.parameters();
  const std::size_t x = position(by, request.x);
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
