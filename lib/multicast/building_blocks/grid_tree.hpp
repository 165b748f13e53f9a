// A tree that a planner grows on a mesh, torus or hypercube, path by path, and turns into one worm.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "topology/topology.hpp"

namespace wormcast {

// A torus seen from a source as a mesh: every ring cut opposite the source, or just before it where
// channels run one way.

/// Moves the nodes of a torus so that shorter ways from the source never wrap, + on a tie, or so that where
/// channels run one way every node is up from the source, which is node 0; dimensions that are
/// lines stay as they are.
class TorusAsMesh {
 public:
  TorusAsMesh(const Topology& topology, NodeId source)
      : grid_(topology.any_line_grid() ? nullptr : topology.grid()),
        rings_(topology.ring_dimensions()),
        ways_(topology.ways()),
        source_(source) {}

  NodeId to_mesh(NodeId node) const { return moved(node, true); }
  NodeId to_torus(NodeId node) const { return moved(node, false); }

 private:
  NodeId moved(NodeId node, bool forth) const {
    if (grid_ == nullptr) return node;
    NodeId result;
    for (std::uint32_t d = 0; d < grid_->dimensions(); ++d) {
      const std::uint32_t size = grid_->dims()[d];
      const std::uint32_t source = grid_->coordinate(source_, d);
      const std::uint32_t at = grid_->coordinate(node, d);
      const std::uint32_t middle = ways_ == Ways::both ? (size - 1) / 2 : 0;  // where the source comes to lie
      const std::uint32_t shift = (rings_ >> d & 1) != 0 ? (middle + size - source) % size : 0;
      const std::uint32_t x = ways_ == Ways::down ? source + size - at : at + (forth ? shift : size - shift);
      result.value += x % size * grid_->stride(d);
    }
    return result;
  }

  const Grid* grid_;
  std::uint32_t rings_;
  Ways ways_;
  NodeId source_;
};

/// Nodes are numbered in the order in which they join; the source is number 0. A torus is the mesh
/// around the source (TorusAsMesh), so that distances are those from the source without wrapping.
class GridTree {
 public:
  /// A node's coordinates, or the bits of its address.
  using Place = std::span<const std::uint32_t>;

  /// `last_first`: routes between stops run in the last dimension first
  /// (RoutingFunction::last_dimension_first). `grid`: of the routers of a concentrated mesh.
  GridTree(const Topology& topology, HostId source, bool last_first = false, const Grid* grid = nullptr);

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Channels from the source.
  std::uint32_t depth(std::uint32_t number) const { return nodes_[number].depth; }
  Place place(std::uint32_t number) const {
    return {&places_[std::size_t{number} * dimensions_], dimensions_};
  }
  std::vector<std::uint32_t> place_of(HostId host) const;
  static std::uint32_t distance(Place a, Place b);

  /// Joins `to` to the node `at` by the dimension-order path, none of whose nodes may belong to the
  /// tree yet. Returns the number of `to`.
  std::uint32_t attach(std::uint32_t at, Place to);
  /// Joins the neighbour of `at` that is one step forward or back in `dimension`; returns its number.
  std::uint32_t join(std::uint32_t at, std::uint32_t dimension, bool forward);

  /// The tree as one worm that is consumed at the destinations (sorted), all of which belong to the tree.
  /// Where two dimension-order legs meet at a turn that no such leg takes, the worm has a stop of its own.
  Worm worm(std::span<const HostId> destinations, Copies replication) const;

 private:
  struct Node {
    std::uint32_t node;    ///< its number in the unrolled grid
    std::uint32_t parent;  ///< its own number for the source
    std::uint32_t depth;
    std::uint32_t dimension;  ///< in which the channel into it runs
    std::uint32_t port;       ///< by which that channel leaves its parent
  };

  bool turns_back(std::uint32_t at, std::uint32_t child) const;

  const Topology& topology_;
  Coordinates coordinates_;
  TorusAsMesh as_mesh_;
  bool torus_;
  bool last_first_;
  std::uint32_t dimensions_;
  HostId source_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> places_;
};

/// The parameter of planners that plan one tree: how its nodes copy the worm.
inline constexpr PlannerParameter tree_replication = {
    "replication", {"lock-step", "asynchronous"}, "how a node copies the worm to its branches"};
/// All that tree planners on grids produce whose paths, in two dimensions, never turn back: legs between all
/// pairs for what a branch depends on along its way, and the trees of all small sets of near destinations
/// for what branches depend on in each other. Where branches wait for each other any branching tree closes
/// a cycle, and so do the turns of a plane, so these are enough never to take such a planner for safe. On a
/// line or ring, which has no turns, all trees are parts of those that go both ways to the ends. On
/// concentrated meshes more than any trees take: every turn but back, and all outputs of a router together.
void legs_of_grid_trees(const PlanningContext& context, LegSink& sink);
/// What worms of several stops take of a function's classes: on tori a dateline of their own.
std::uint32_t class_of_stops(const PlanningContext& context);
/// Why trees of dimension-order legs do not apply.
std::optional<std::string> no_grid_tree(const Topology& topology);

/// A set of nodes as few sets that a header of a destination and a mask names.
struct MaskCover {
  std::vector<std::vector<std::uint64_t>> sets;  ///< each one mask, ascending; together all, none twice
  std::uint64_t at_least = 0;  ///< there cannot be fewer; if it is their number, they are the fewest
};
/// `addresses` (topology/grid_address.hpp) ascend, each once.
MaskCover mask_cover(const std::vector<std::uint64_t>& addresses);

}  // namespace wormcast
