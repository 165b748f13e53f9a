// What reductions hold and wait for, beside multicasts and unicasts: a graph over worms in their places.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/dependency.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "multicast/routes.hpp"
#include "topology/resources.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The graph of a segment with reductions; `messages` must outlive it. Throws InputError for routes that
/// routers which join flit by flit do not take.
class JoinGraph {
 public:
  JoinGraph(const Topology& topology, const RouterModel& model, const std::vector<Routes>& messages);

  /// Why the graph would prove nothing without a cycle; empty: it proves that nothing stands still.
  const std::string& lack() const { return lack_; }
  /// Of routers that join flit by flit: reductions told apart by nothing, two and two, by id.
  const std::vector<std::vector<std::uint64_t>>& mistakable() const { return mistakable_; }
  /// Worms in places for which several can wait, so that each waits for later ones only; empty where `cycle`
  /// is not.
  std::vector<WormCause> order{};
  /// A cycle: what is held, what is waited for, by which worm.
  std::vector<Dependency> cycle{};
  std::uint64_t places = 0, dependencies = 0;

 private:
  /// A worm; its slot 0 is its source, of a reduction its root, and slot h + 1 hop h.
  struct Member {
    const Request* request = nullptr;
    const WormRoute* route = nullptr;
    std::uint32_t worm = 0;
    std::uint32_t first = 0;                         ///< its first slot, of all worms'
    std::uint32_t like = 0;                          ///< the first of the worms that routers take for it
    std::vector<std::vector<std::uint32_t>> next{};  ///< by slot: those of the hops behind it
    /// By slot: worms that the part which starts there, or the worm, waits for.
    std::map<std::uint32_t, std::vector<std::uint32_t>> awaits{};
  };
  enum Kind : std::uint32_t { place, wanted, subtree, beside, kinds };

  void add_members(const std::vector<Routes>& messages);
  void find_like(std::uint32_t m, std::map<std::vector<std::uint32_t>, std::uint32_t>& named);
  void find_lack();
  void lead(const Member& member, std::uint32_t slot);
  void lead_joined(const Member& member, std::uint32_t slot);
  void lead_to_holders();
  std::vector<ResourceId> resources(const Member& member, std::uint32_t slot) const;
  std::uint32_t parent(const Member& member, std::uint32_t slot) const {
    return static_cast<std::uint32_t>(member.route->hops[slot - 1].parent + 1);
  }
  ResourceId node(const Member& member, std::uint32_t slot, Kind kind) const {
    return ResourceId{(member.first + slot) * kinds + kind};
  }
  /// What all wait for that wait for the worm to arrive.
  ResourceId arrival(std::uint32_t member) const { return ResourceId{slots_ * kinds + member}; }
  void edge(ResourceId from, ResourceId to) { graph_.add(from, to, WormCause{}); }
  void read_order();

  using Holder = std::pair<std::uint32_t, std::uint32_t>;  ///< member and slot
  const Topology& topology_;
  const RouterModel& model_;
  Resources resources_;
  bool by_flit_;
  std::vector<Member> members_;
  std::uint32_t slots_ = 0;
  std::map<ResourceId, std::vector<Holder>> holders_;
  std::set<std::uint32_t> alike_;  ///< worms for which others are taken
  DependencyGraph graph_;
  std::string lack_;
  std::vector<std::vector<std::uint64_t>> mistakable_;
};

}  // namespace wormcast
