// One dimension after the other on every network with coordinates, for the routing functions built on it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Hops of dimension order. Routers have mixed-radix addresses; along a dimension they stand in a line, in a
/// ring, or are all linked with each other; a torus may have lines as well as rings.
class GridWalk {
 public:
  enum class Shape : std::uint8_t { line, ring, complete };

  /// Which way a worm goes where there are several.
  struct Rule {
    bool last_first = false;  ///< the last dimension first
    bool alternate = false;   ///< rings, both ways equally long: + from even coordinates, − from odd
    std::uint32_t negative_ties = 0;  ///< the same: dimensions (bits) in which it is the other way
  };
  struct Hop {
    ChannelId channel;
    NodeId to;
    bool wrap_ahead = false;  ///< the wrap link is this hop, or ahead on the way to the destination
    bool positive = true;     ///< the direction along the dimension
    bool wraps = false;       ///< the wrap link is this hop
    bool corrects = false;    ///< nothing is left to do in the dimension after it
  };

  /// Nothing for a topology without coordinates.
  static std::optional<GridWalk> of(const Topology& topology);
  /// In words, for --list and for refusals.
  static constexpr const char* topologies = "mesh, torus, hypercube, cmesh, flattened-butterfly";
  static std::optional<std::string> unsupported(const Topology& topology);

  const Grid& grid() const { return grid_; }
  Shape shape() const { return shape_; }
  /// Virtual channels that unicasts of one order take: rings have a dateline, but where the topology has one
  /// virtual channel, on which unicasts can deadlock.
  std::uint32_t virtual_channels() const { return dateline_ ? 2 : 1; }
  /// Of these, the one that a hop takes: VC0 until the wrap link has been passed, VC1 from there on and where
  /// there is none on the way.
  std::uint32_t virtual_channel(const Hop& hop) const { return dateline_ && !hop.wrap_ahead ? 1 : 0; }

  /// The same by a rule that gives both about as much to carry: in a ring a worm takes VC1 throughout if it
  /// goes + and passes the wrap link there, or − and does not; else VC0. `wrapped`: it has passed that link,
  /// as after_wrap() says from hop to hop.
  std::uint32_t even_virtual_channel(const Hop& hop, bool wrapped) const {
    return dateline_ && (hop.wrap_ahead || wrapped) == hop.positive ? 1 : 0;
  }
  static bool after_wrap(const Hop& hop, bool wrapped) { return !hop.corrects && (wrapped || hop.wraps); }

  /// The hop from `at` towards `to` ≠ `at`.
  Hop hop(NodeId at, NodeId to, const Rule& rule) const;
  std::uint32_t distance(NodeId from, NodeId to) const;
  /// Whether both ways round ring `dimension` are as long.
  bool tie(NodeId from, NodeId to, std::uint32_t dimension) const;
  /// In how many ways rings with both as long can be gone round; Rule::negative_ties of the way of an index.
  std::uint32_t ways_at_ties(NodeId from, NodeId to) const;
  std::uint32_t negative_ties(NodeId from, NodeId to, std::uint32_t index) const;
  /// Throws InputError ("class") if a bit stands for a dimension without a tie.
  void check_negative_ties(NodeId from, NodeId to, std::uint32_t negative) const;
  /// How many coordinates of `dimension` lie on shortest ways, both ends included, and the one of that index.
  std::uint32_t between(NodeId from, NodeId to, std::uint32_t dimension) const;
  std::uint32_t coordinate_between(NodeId from, NodeId to, std::uint32_t dimension,
                                   std::uint32_t index) const;

 private:
  GridWalk(const Topology& topology, Grid grid, Shape shape)
      : topology_(&topology),
        grid_(std::move(grid)),
        shape_(shape),
        dateline_(shape == Shape::ring && topology.spec().virtual_channels != 1),
        by_links_(topology.given_by_links()) {}

  bool ring(std::uint32_t dimension) const { return shape_ == Shape::ring && topology_->wraps(dimension); }
  Hop complete_hop(NodeId at, NodeId to, std::uint32_t dimension) const;
  Hop line_hop(NodeId at, std::uint32_t dimension, bool up) const;
  std::uint32_t lines(std::uint32_t dimension) const { return grid_.nodes() / grid_.dims()[dimension]; }
  bool positive(std::uint32_t from, std::uint32_t to, std::uint32_t dimension, const Rule& rule) const;
  std::uint32_t apart(std::uint32_t from, std::uint32_t to, std::uint32_t dimension) const;

  const Topology* topology_;
  Grid grid_;
  Shape shape_;
  bool dateline_;
  bool by_links_;  ///< channels are found by the numbers of the generator's links
};

/// Base of routing functions that take their hops from a GridWalk, on networks that
/// GridWalk::unsupported() allows.
template <class Base>
class WalkedRouting : public Base {
 public:
  explicit WalkedRouting(const Topology& network)
      : Base(network), walk_(*GridWalk::of(network)), one_channel_(network.spec().virtual_channels == 1) {}

  std::uint32_t distance(NodeId from, NodeId to) const override { return walk_.distance(from, to); }

 protected:
  GridWalk walk_;
  bool one_channel_;  ///< the topology has one virtual channel, which all share
};

// Dimension-order routing on tori, and the message classes by which worms choose their VC rule.

/// Classes of worms under `dimension-order` on a torus.
enum class TorusClass : std::uint32_t {
  /// Unicasts: VC0 while the wrap link of the ring is still ahead, VC1 from its far end on and where
  /// there is none on the way (Dally and Seitz). What u-torus needs: no VC is shared in a step.
  wrap_ahead = 0,
  /// Worms of several stops: VC0 until the wrap link has been crossed, VC1 after it.
  wrap_crossed = 1
};

/// Classes of worms under `torus-ring`.
enum class RingClass : std::uint32_t {
  dateline = 0,        ///< VC0 until the wrap link has been crossed, VC1 after it
  first = 1,           ///< always VC0
  second = 2,          ///< always VC1
  second_dateline = 3  ///< a dateline of its own: VC2 until the wrap link has been crossed, VC3 after it
};

/// One dimension after the other, each by the shorter way round, + where both are as long.
std::unique_ptr<const RoutingFunction> torus_dimension_order(const Topology& topology);

}  // namespace wormcast
