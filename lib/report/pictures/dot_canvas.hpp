// Graphviz pictures of networks: nodes in their places, channels as lines beside each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

// Text within HTML, of pages and of Graphviz's labels.

inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";  ///< U+FFFD

/// Whether neither XML nor Graphviz can hold the character.
inline bool is_control(char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r'; }

/// The text with what HTML would take for markup written out, and control characters, which no document may
/// hold, as U+FFFD.
inline std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (is_control(c))
      result += replacement_character;
    else
      result += c;
  }
  return result;
}

/// A place on the canvas, in points (1/72 inch), y upwards.
struct CanvasPoint {
  double x = 0;
  double y = 0;
};

/// Where the nodes of a network are drawn. On meshes, tori and hypercubes the dimensions go right and
/// up in turn, later ones in larger steps; so they do on graphs whose routers have coordinates as names, as
/// meshes with faults have. Others have no places and Graphviz finds some.
class NodeLayout {
 public:
  explicit NodeLayout(const Topology& topology);

  bool placed() const { return !steps_.empty(); }
  /// Names are coordinates.
  bool named() const { return !coordinates_.empty(); }
  CanvasPoint place(NodeId node) const;
  /// Of a link around a dimension of the paper's plane, between its first and last of three nodes or more:
  /// the direction in which it leaves `from`, 1 or -1 along x or y. Nothing of other links.
  std::optional<CanvasPoint> around(NodeId from, NodeId to) const;
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  std::vector<std::uint32_t> coordinates(NodeId node) const;

  std::vector<std::uint32_t> dims_;
  std::vector<std::vector<std::uint32_t>> coordinates_;  ///< by node, where names say them; else empty
  std::vector<double> steps_;                            ///< by dimension
  double width_ = 0;
  double height_ = 0;
};

/// As a text of DOT, in quotes.
std::string dot_quoted(std::string_view text);

/// Collects the statements of one digraph. Networks stand side by side as tiles.
class DotCanvas {
 public:
  /// Starts a tile for a network, with a title below it.
  void begin_tile(const Topology& topology, std::string_view title);
  /// A node of the tile's network; `attributes` as in DOT, after a comma-separated default.
  void node(NodeId node, std::string_view attributes);
  /// How a channel looks that nothing uses.
  static constexpr std::string_view unused_line = "color=\"#dddddd\", penwidth=0.6";
  /// The links of the tile's network, thin and grey.
  void links(const Topology& topology);
  /// Points from the straight way to the next arrow on a channel with `drawn` ones beside each other.
  static double lane(int drawn) { return 2.5 + 2.6 * drawn; }
  /// A line from node to node, `beside` points to the right of the straight one, with an arrow at its end
  /// where `arrow` is true. One around a dimension is its two ends, out of the picture and into it.
  void line(NodeId from, NodeId to, double beside, bool arrow, std::string_view attributes);
  /// A row of coloured boxes under everything, with texts before and after.
  void scale(std::string_view before, const std::vector<std::string>& colours, std::string_view after);
  /// The whole graph, which says by which of Graphviz's programs its nodes find their places.
  std::string finish();

 private:
  CanvasPoint at(NodeId node) const;
  std::string name(NodeId node) const;
  void caption_unplaced();
  void end_tile();
  std::string spline(CanvasPoint a, CanvasPoint b, double start, double end, double beside, bool arrow);

  struct Title {
    std::size_t tile;
    std::string title;
  };

  std::optional<NodeLayout> layout_;
  std::vector<std::string> names_;  ///< of the tile's nodes; empty where they have none
  std::size_t tiles_ = 0;
  double left_ = 0;             ///< of the present tile
  double right_ = 0;            ///< where the next tile begins
  double lowest_ = 0;           ///< of the present tile's lines
  double lowest_title_ = 0;     ///< of the tiles before
  std::size_t tile_start_ = 0;  ///< in body_, of the present tile
  std::optional<std::string>
      title_;  ///< of the present tile, until it stands; none where nodes have no places
  bool placed_ = true;
  std::vector<Title> unplaced_;  ///< titles of tiles whose nodes have no places
  std::string scale_;            ///< a row of the caption, where nodes have no places
  std::string body_;
};

}  // namespace wormcast
