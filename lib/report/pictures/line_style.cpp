// Colours and markers of planners.
// SPDX-License-Identifier: MIT
#include "report/pictures/line_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>

namespace wormcast {
namespace {

struct PlannerLook {
  std::string_view planner;
  std::string_view colour;
  int point;
};

// Planners that are compared with each other differ in hue; a colour that comes twice has another
// marker. Filled markers of gnuplot: 5 square, 7 circle, 9 triangle, 11 triangle down, 13 diamond,
// 15 pentagon.
constexpr PlannerLook looks[] = {
    {"separate", "#7f7f7f", 5},    {"unicast", "#7f7f7f", 7},   {"binomial", "#4d4d4d", 9},
    {"u-mesh", "#a6761d", 11},     {"u-cube", "#a6761d", 13},   {"u-torus", "#a6761d", 15},
    {"u-ccc", "#1b9e77", 11},      {"u-tree", "#1b9e77", 15},   {"switch-ordered", "#4d4d4d", 13},
    {"fixed-path", "#8c564b", 13}, {"dual-path", "#1f77b4", 5}, {"multi-path", "#2ca02c", 9},
    {"ocms", "#ff7f0e", 7},        {"otms", "#d62728", 13},     {"column-path", "#17becf", 9},
    {"xy-path", "#bcbd22", 15},    {"dpm", "#e377c2", 11},      {"t2w", "#1f77b4", 7},
    {"btl", "#d62728", 9},         {"dual-arm", "#2ca02c", 15}, {"mpm-ssr", "#ff7f0e", 9},
    {"opm", "#2ca02c", 7},         {"xy-tree", "#9467bd", 15},  {"shortest-path-tree", "#e7298a", 7},
    {"rpm", "#005f73", 9},         {"rectangle", "#bcbd22", 5}, {"steiner-tree", "#000000", 11},
};

constexpr std::array<std::string_view, 8> colours = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                                     "#9467bd", "#8c564b", "#e377c2", "#17becf"};
constexpr std::array<int, 6> points = {7, 5, 9, 13, 11, 15};

constexpr int dashes = 5;
/// Colours of worms after those of series: as far from these and from each other as could be found.
constexpr std::array<std::string_view, 8> further_colours = {"#bcbd22", "#000000", "#e7298a", "#005f73",
                                                             "#a6761d", "#00c853", "#6a00f4", "#ff9896"};

std::uint32_t hash(std::string_view text) {
  std::uint32_t value = 0x811c9dc5;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x01000193;
  return value;
}

/// A free look of that colour, the nearest to `wanted`: with a marker and a dash of its own if there is one;
/// nothing where all are taken.
std::optional<LineStyle> free_style(const LineStyle& wanted, const std::set<LineStyle>& used) {
  std::optional<LineStyle> free;
  const auto start =
      static_cast<std::size_t>(std::find(points.begin(), points.end(), wanted.point | 1) - points.begin());
  const bool hollow = wanted.point % 2 == 0;
  for (std::size_t look = 0; look < 2 * points.size(); ++look)
    for (int step = 0; step < dashes; ++step) {
      const bool other = look >= points.size();
      LineStyle style = wanted;
      style.point = points[(start + look) % points.size()] - (hollow != other ? 1 : 0);
      style.dash = 1 + (wanted.dash - 1 + step) % dashes;
      if (used.contains(style)) continue;
      const bool alike = std::any_of(used.begin(), used.end(), [&](const LineStyle& known) {
        return known.colour == style.colour && (known.point == style.point || known.dash == style.dash);
      });
      if (!alike) return style;
      if (!free) free = style;
    }
  return free;
}

}  // namespace

LineStyle planner_style(std::string_view label) {
  // Unicasts have the look of the scheme that they run beside.
  if (const std::size_t at = label.find("beside="); at != std::string_view::npos) label.remove_prefix(at + 7);
  const std::size_t space = label.find(':');
  const std::string_view planner = label.substr(0, space);
  const std::string_view options = space == std::string_view::npos ? "" : label.substr(space + 1);
  LineStyle style;
  const auto known = std::find_if(std::begin(looks), std::end(looks),
                                  [&](const PlannerLook& l) { return l.planner == planner; });
  if (known != std::end(looks)) {
    style.colour = known->colour;
    style.point = known->point;
  } else {
    style = series_style(hash(planner) % (colours.size() * points.size()));
  }
  if (options.empty()) return style;
  style.point -= 1;
  style.dash =
      options.find("first-hop=free") != std::string_view::npos ? 2 : 3 + static_cast<int>(hash(options) % 2);
  return style;
}

LineStyle series_style(std::size_t index) {
  LineStyle style;
  style.colour = colours[index % colours.size()];
  style.point = points[(index + index / colours.size()) % points.size()];
  return style;
}

std::vector<LineStyle> distinct_styles(std::vector<LineStyle> wanted) {
  std::set<LineStyle> used;
  for (LineStyle& style : wanted) {
    if (used.contains(style)) {
      std::optional<LineStyle> free = free_style(style, used);
      for (std::size_t i = 0; !free && i < colours.size(); ++i) {
        LineStyle other = style;
        other.colour = colours[i];
        free = free_style(other, used);
      }
      if (free) style = *free;  // else there are more lines than looks
    }
    used.insert(style);
  }
  return wanted;
}

std::string worm_colour(std::size_t index) {
  if (index < colours.size()) return std::string(colours[index]);
  index -= colours.size();
  if (index < further_colours.size()) return std::string(further_colours[index]);
  // Steps of three primes through the darker half of each primary colour: no two of the next 2500 alike.
  index -= further_colours.size() - 1;
  return fmt::format("#{:02x}{:02x}{:02x}", 20 + index * 89 % 179, 20 + index * 53 % 167,
                     20 + index * 131 % 191);
}

}  // namespace wormcast
