// The dependency graph: an edge r → s where some worm can hold r while it waits for s.
//
// An acyclic graph excludes deadlock for every timing, every number of copies of the worms, and for paths and
// lock-step trees every length and every buffer of at least one flit (of asynchronous trees, worms that fit
// into a buffer have fewer edges): a worm that waits for the resource with the largest number of all that
// blocked worms hold would wait for a free one.
// cite: Dally, Seitz 1987 (channels of unicast worms); derived here (consumption channels, siblings of
// trees).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "deadlock/dependency.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Collects dependencies; each is kept once, with its first cause.
class DependencyGraph {
 public:
  void add(ResourceId from, ResourceId to, const Cause& cause);
  /// Makes a resource known that no worm waits for and that is never held while waiting.
  void add_resource(ResourceId resource);
  /// What a worm holds one step for while it waits for the other.
  using CauseOf = std::function<Cause(const Step& held, const Step& wanted)>;
  /// All dependencies of one worm. Consecutive steps suffice: the rest is their transitive closure.
  void add(const Footprint& footprint, const CauseOf& cause_of);
  /// The same for a worm of a stream; the cause's hop is filled in.
  void add(const Footprint& footprint, WormCause cause);

  /// Makes it known that some node asks for both at once and queues for them together.
  void add_joint(ResourceId one, ResourceId other) {
    joint_[one].insert(other);
    joint_[other].insert(one);
  }
  /// True if some node asks for several resources at once and queues for all of them.
  bool has_joint_requests() const { return !joint_.empty(); }
  /// The resource, and all whose queues are joined to its queue by such requests.
  std::vector<ResourceId> asked_for_with(ResourceId resource) const;
  /// The graph in which a worm that waits for a resource also waits for whatever is asked for
  /// together with it: an atomic request at the head of one queue waits in the others meanwhile.
  DependencyGraph closed_over_queues() const;

  std::size_t size() const { return dependencies_.size(); }
  /// In the order in which they were added.
  const std::vector<Dependency>& dependencies() const& { return dependencies_; }
  std::vector<Dependency> dependencies() && { return std::move(dependencies_); }
  /// Whether the resource is taken by any worm, by id; shorter than the resources' bound.
  const std::vector<bool>& taken() const { return taken_; }

 private:
  void add_sibling_dependencies(const Footprint& footprint, std::int32_t node, const CauseOf& cause_of);
  /// What is waited for while one resource is held: a set by open addressing, in its stretch of places_. The
  /// sets of resources that lie together are looked up together, so each lies in one place.
  struct Wanted {
    std::size_t first = 0;
    std::uint32_t room = 0, count = 0;
  };
  std::uint32_t& place_of(const Wanted& set, std::uint32_t wanted);
  void grow(Wanted& set);

  std::vector<Dependency> dependencies_;
  std::map<ResourceId, std::set<ResourceId>> joint_;  ///< asked for together, both ways
  std::vector<Wanted> wanted_;                        ///< by resource
  std::vector<std::uint32_t> places_;                 ///< resources that are waited for; no_resource: free
  std::vector<bool> taken_;
};

}  // namespace wormcast
