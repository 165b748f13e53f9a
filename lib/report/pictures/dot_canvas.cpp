// Graphviz pictures of networks.
// SPDX-License-Identifier: MIT
#include "report/pictures/dot_canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/decimal.hpp"

namespace wormcast {
namespace {

constexpr double pitch = 44;  // points between neighbours
constexpr double radius = 9;  // of a node
constexpr double tile_gap = 60;
constexpr double title_drop = 40;  // from the lowest nodes to the title, if lines do not reach lower
constexpr double stub = 15;        // of a line around a dimension, what is drawn of it at each end
constexpr int most_columns = 10;   // of a caption: a scale of eight colours and what stands beside it

std::string number(double value) { return decimal(value, 1); }
std::string point(CanvasPoint p) { return number(p.x) + "," + number(p.y); }

/// The sizes along which a family lies on paper; empty where it does not.
std::vector<std::uint32_t> paper_dims(const Topology& topology) {
  if (const Grid* grid = topology.grid()) return {grid->dims().begin(), grid->dims().end()};
  if (topology.bit_addresses()) return std::vector<std::uint32_t>(topology.ports(), 2);
  return {};
}

constexpr std::uint32_t most_colour_steps = 10000;  ///< a larger coordinate is a number of something else

/// "3,2" as two numbers, or more; nothing where the name is something else.
std::vector<std::uint32_t> coordinates_in(std::string_view name) {
  std::vector<std::uint32_t> coordinates(1);
  bool digit = false;
  for (const char c : name) {
    if (c == ',' && digit) {
      coordinates.push_back(0);
      digit = false;
    } else if (c >= '0' && c <= '9' && coordinates.back() < most_colour_steps) {
      coordinates.back() = coordinates.back() * 10 + static_cast<std::uint32_t>(c - '0');
      digit = true;
    } else {
      return {};
    }
  }
  if (!digit || coordinates.size() < 2) return {};
  return coordinates;
}

/// The coordinates that are the names of all routers, as many of each and no two alike; else none.
std::vector<std::vector<std::uint32_t>> coordinates_of(const std::vector<std::string>& names) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const std::string& name : names) {
    all.push_back(coordinates_in(name));
    if (all.back().empty() || all.back().size() != all.front().size()) return {};
  }
  std::set<std::vector<std::uint32_t>> different(all.begin(), all.end());
  if (different.size() != all.size()) return {};
  return all;
}

}  // namespace

std::string dot_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (is_control(c))
      result += replacement_character;
    else
      result += c;
  }
  return result + '"';
}

NodeLayout::NodeLayout(const Topology& topology)
    : dims_(paper_dims(topology)), coordinates_(coordinates_of(topology.spec().graph.names)) {
  if (named()) dims_.assign(coordinates_.front().size(), 1);
  for (const auto& node : coordinates_)
    for (std::size_t d = 0; d < node.size(); ++d) dims_[d] = std::max(dims_[d], node[d] + 1);
  double across[2] = {0, 0};
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    double& extent = across[d % 2];
    const double step = d < 2 ? pitch : extent + 1.6 * pitch;
    steps_.push_back(step);
    extent += step * (dims_[d] - 1);
  }
  width_ = across[0];
  height_ = across[1];
}

std::vector<std::uint32_t> NodeLayout::coordinates(NodeId node) const {
  if (named()) return coordinates_[node.value];
  std::vector<std::uint32_t> digits;
  std::uint32_t rest = node.value;
  for (const std::uint32_t dim : dims_) {
    digits.push_back(rest % dim);
    rest /= dim;
  }
  return digits;
}

CanvasPoint NodeLayout::place(NodeId node) const {
  CanvasPoint p;
  const std::vector<std::uint32_t> at = coordinates(node);
  for (std::size_t d = 0; d < dims_.size(); ++d) (d % 2 == 0 ? p.x : p.y) += steps_[d] * at[d];
  return p;
}

std::optional<CanvasPoint> NodeLayout::around(NodeId from, NodeId to) const {
  const std::vector<std::uint32_t> a = coordinates(from);
  const std::vector<std::uint32_t> b = coordinates(to);
  std::optional<CanvasPoint> direction;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (a[d] == b[d]) continue;
    const std::uint32_t last = dims_[d] - 1;
    if (direction || d > 1 || last < 2 || std::max(a[d], b[d]) != last || std::min(a[d], b[d]) != 0)
      return std::nullopt;
    const double sign = a[d] == last ? 1 : -1;
    direction = d == 0 ? CanvasPoint{sign, 0} : CanvasPoint{0, sign};
  }
  return direction;
}

void DotCanvas::begin_tile(const Topology& topology, std::string_view title) {
  end_tile();
  lowest_ = 0;
  tile_start_ = body_.size();
  layout_.emplace(topology);
  names_ = topology.spec().graph.names;
  placed_ = placed_ && layout_->placed();
  left_ = right_;
  // A title is wider than a small network; about seven points a letter.
  const double width = std::max(layout_->width(), 7.0 * static_cast<double>(title.size()));
  right_ += width + tile_gap;
  ++tiles_;
  if (!layout_->placed()) return unplaced_.push_back({tiles_, std::string(title)});
  title_ = title;
}

/// The title stands before what the tile has, but below all its lines.
void DotCanvas::end_tile() {
  if (!title_) return;
  const double y = std::min(-title_drop, lowest_ - 0.4 * title_drop);
  lowest_title_ = std::min(lowest_title_, y);
  body_.insert(
      tile_start_,
      fmt::format("  title{} [shape=plaintext, fixedsize=false, label={}, fontsize=14, pos=\"{}\"]\n", tiles_,
                  dot_quoted(*title_), point({left_ + layout_->width() / 2, y})));
  title_.reset();
}

CanvasPoint DotCanvas::at(NodeId node) const {
  CanvasPoint p = layout_->place(node);
  p.x += left_;
  return p;
}

std::string DotCanvas::name(NodeId node) const { return fmt::format("t{}n{}", tiles_, node.value); }

void DotCanvas::node(NodeId node, std::string_view attributes) {
  const std::string place = layout_->placed() ? ", pos=\"" + point(at(node)) + "\"" : "";
  const bool named = !names_.empty() && !names_[node.value].empty();
  const std::string label = named ? names_[node.value] : std::to_string(node.value);
  // Coordinates fit into a circle, long ones in smaller type; other names stand in a box.
  const std::string_view size = !layout_->named()  ? named ? ", shape=box, fixedsize=false, margin=0.04" : ""
                                : label.size() > 3 ? ", fontsize=6"
                                                   : "";
  body_ += fmt::format("  {} [label={}{}{}{}{}]\n", name(node), dot_quoted(label), size, place,
                       attributes.empty() ? "" : ", ", attributes);
}

void DotCanvas::links(const Topology& topology) {
  for (std::uint32_t id = 0; id < topology.channel_bound(); ++id) {
    const std::optional<ChannelEnds> ends = topology.ends(ChannelId{id});
    if (ends && ends->from < ends->to) line(ends->from, ends->to, 0, false, unused_line);
  }
}

/// The part from `start` to `end` points behind `a` of the way to `b`, as DOT has it; a way over other nodes
/// bends around them.
std::string DotCanvas::spline(CanvasPoint a, CanvasPoint b, double start, double end, double beside,
                              bool arrow) {
  const double length = std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
  const double ux = (b.x - a.x) / length;
  const double uy = (b.y - a.y) / length;
  const double bulge = length > 1.5 * pitch ? 0.18 * length : 0;
  const auto on = [&](double along, double aside) {
    const CanvasPoint p{a.x + ux * along + uy * aside, a.y + uy * along - ux * aside};
    lowest_ = std::min(lowest_, p.y);
    return p;
  };
  const double stop = end - (arrow ? 5 : 0);
  const std::string tip = arrow ? "e," + point(on(end, beside)) + " " : "";
  const double third = (stop - start) / 3;
  return fmt::format("{}{} {} {} {}", tip, point(on(start, beside)), point(on(start + third, beside + bulge)),
                     point(on(stop - third, beside + bulge)), point(on(stop, beside)));
}

void DotCanvas::line(NodeId from, NodeId to, double beside, bool arrow, std::string_view attributes) {
  std::string place;
  if (layout_->placed()) {
    const CanvasPoint a = at(from);
    const CanvasPoint b = at(to);
    if (const std::optional<CanvasPoint> out = layout_->around(from, to)) {
      const double far = radius + stub;
      const CanvasPoint left{a.x + out->x * far, a.y + out->y * far};
      const CanvasPoint back{b.x - out->x * far, b.y - out->y * far};
      place = spline(a, left, radius, far, beside, false) + ";" + spline(back, b, 0, stub, beside, arrow);
    } else {
      const double length = std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
      place = spline(a, b, radius, length - radius, beside, arrow);
    }
    place = fmt::format("pos=\"{}\", ", place);
  }
  body_ += fmt::format("  {} -> {} [{}{}{}]\n", name(from), name(to), place, arrow ? "" : "arrowhead=none, ",
                       attributes);
}

void DotCanvas::scale(std::string_view before, const std::vector<std::string>& colours,
                      std::string_view after) {
  if (!placed_) {
    scale_ = fmt::format("<tr><td>{}</td>", html_text(before));
    for (const std::string& colour : colours)
      scale_ += fmt::format("<td bgcolor=\"{}\" width=\"22\" height=\"13\" fixedsize=\"true\"></td>", colour);
    scale_ += fmt::format("<td>{}</td></tr>", html_text(after));
    return;
  }
  end_tile();
  constexpr double box = 22;
  const double y = lowest_title_ - 36;
  double x = 7.0 * static_cast<double>(before.size());
  body_ +=
      fmt::format("  scale_before [shape=plaintext, fixedsize=false, label={}, fontsize=12, pos=\"{}\"]\n",
                  dot_quoted(before), point({x / 2, y}));
  x += box;
  for (std::size_t i = 0; i < colours.size(); ++i, x += box)
    body_ += fmt::format(
        "  scale{} [shape=box, style=filled, label=\"\", width=0.3, height=0.18, color=\"{}\", "
        "fillcolor=\"{}\", "
        "pos=\"{}\"]\n",
        i, colours[i], colours[i], point({x, y}));
  body_ +=
      fmt::format("  scale_after [shape=plaintext, fixedsize=false, label={}, fontsize=12, pos=\"{}\"]\n",
                  dot_quoted(after), point({x + 3.5 * static_cast<double>(after.size()), y}));
}

/// Graphviz would find places for titles and boxes, too, anywhere: what belongs to the whole picture is the
/// label of the graph, and a title among others hangs on a node of its tile.
void DotCanvas::caption_unplaced() {
  std::string rows;
  if (tiles_ == 1) {
    rows =
        fmt::format("<tr><td colspan=\"{}\">{}</td></tr>", most_columns, html_text(unplaced_.front().title));
  } else {
    for (const Title& title : unplaced_)
      body_ += fmt::format(
          "  title{0} [shape=plaintext, fixedsize=false, label={1}, fontsize=14]\n  title{0} -> t{0}n0 "
          "[style=invis]\n",
          title.tile, dot_quoted(title.title));
  }
  rows += scale_;
  if (!rows.empty())
    body_ += "  label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"4\">" + rows +
             "</table>>\n";
}

std::string DotCanvas::finish() {
  end_tile();
  if (!unplaced_.empty()) caption_unplaced();
  // nop2 takes nodes and lines as they are placed; neato finds places.
  return fmt::format(
             "// Draw with: dot -Tsvg THIS > picture.svg\n"
             "digraph {{\n"
             "  graph [layout={}, bgcolor=\"white\", fontname=\"DejaVu Sans\", pad=0.2, overlap=false]\n"
             "  node [shape=circle, fixedsize=true, width=0.25, fontname=\"DejaVu Sans\", fontsize=8, "
             "color=\"#808080\", fontcolor=\"#606060\"]\n"
             "  edge [arrowsize=0.35, fontname=\"DejaVu Sans\"]\n",
             placed_ ? "nop2" : "neato") +
         body_ + "}\n";
}

}  // namespace wormcast
