// Where the routers of a network lie on paper.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast::io {

/// A place on the canvas, in points (1/72 inch), y upwards.
struct CanvasPoint {
  double x = 0;
  double y = 0;
};

/// Where the nodes of a network are drawn. On meshes, tori and hypercubes the dimensions go right and
/// up in turn, later ones in larger steps; so they do on graphs whose routers have coordinates as names, as
/// meshes with faults have. Others have no places: what draws them finds some.
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

 private:
  std::vector<std::uint32_t> coordinates(NodeId node) const;

  std::vector<std::uint32_t> dims_;
  std::vector<std::vector<std::uint32_t>> coordinates_;  ///< by node, where names say them; else empty
  std::vector<double> steps_;                            ///< by dimension
  double width_ = 0;
};

}  // namespace wormcast::io
