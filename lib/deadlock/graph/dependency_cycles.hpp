// Order and cycles of a dependency graph: a numbering, its components, a shortest cycle.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "deadlock/dependency.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/relation_scope.hpp"
#include "topology/random.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Number of the ring that never fills of which a resource is a part; 0: of none.
using RingOf = std::function<std::uint32_t(ResourceId)>;
/// Of routers whose rings are entered by bubbles; none of others. Packets have to have one length for it.
RingOf bubble_rings(const Topology& topology, const RouterModel& model, const Resources& resources,
                    bool one_length);

/// A finished dependency graph, with out-edges by resource id.
class DependencyOrder {
 public:
  /// Cycles within one such ring are none.
  explicit DependencyOrder(const DependencyGraph& graph, RingOf ring_of = nullptr);

  bool acyclic() const { return acyclic_; }
  /// Every resource taken, such that each dependency goes to a later one, or stays in a ring all of whose
  /// resources follow each other; needs acyclic().
  const std::vector<ResourceId>& numbering() const { return numbering_; }
  /// True if both lie on one dependency cycle (or r = s lies on one).
  bool on_a_cycle(ResourceId r, ResourceId s) const {
    return r.value < component_.size() && s.value < component_.size() && component_[r.value] != 0 &&
           component_[r.value] == component_[s.value];
  }
  /// Number of the component in which the resource lies; 0: on no cycle.
  std::uint32_t component(ResourceId r) const {
    return r.value < component_.size() ? component_[r.value] : 0;
  }
  /// One of the cycles with the fewest dependencies, from its smallest resource on; needs !acyclic().
  std::vector<Dependency> shortest_cycle() const;

 private:
  void sort_out_edges();
  void number();
  void find_components();
  bool within_ring(const Dependency& edge) const;
  std::vector<Dependency> shortest_cycle_beyond_rings() const;
  bool depends_on_itself(std::uint32_t r) const;
  std::vector<Dependency> shortest_cycle_through(std::uint32_t start, std::size_t below,
                                                 std::vector<std::uint32_t>& reached) const;

  const DependencyGraph* graph_;
  RingOf ring_of_;
  std::vector<std::uint32_t> start_;      ///< by resource; edges start_[r] … start_[r + 1] − 1
  std::vector<std::uint32_t> edges_;      ///< indices of dependencies, by (from, to)
  std::vector<std::uint32_t> component_;  ///< 0 = on no cycle
  std::vector<ResourceId> numbering_;
  bool acyclic_ = true;
};

/// Multicasts that turn as the cycle does: candidates for a search, which decides.
MulticastSet multicasts_along(const Topology& topology, const Resources& resources,
                              const std::vector<Dependency>& cycle);

/// From the nearest hosts around each dependency to pairs of the nearest behind it.
MulticastSet multicasts_around(const Topology& topology, const Resources& resources,
                               const std::vector<Dependency>& cycle);

/// All multicasts with one or two destinations among the `most` hosts nearest to the cycle.
MulticastSet small_multicasts(const Topology& topology, const Resources& resources,
                              const std::vector<Dependency>& cycle, std::size_t most);

/// `count` multicasts, from any of the `most` hosts nearest to the cycle to one to `widest` others, all
/// drawn.
MulticastSet drawn_multicasts(const Topology& topology, const Resources& resources,
                              const std::vector<Dependency>& cycle, std::size_t most, std::size_t count,
                              std::size_t widest, Random& random);

}  // namespace wormcast
