// What worms can do whose routers choose: every place where a header can wait, what it asks for there, and
// where each choice leads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/relation_scope.hpp"
#include "topology/router_model.hpp"

namespace wormcast {

struct RelationArc {
  ResourceId lane;  ///< nothing_taken: nothing is taken
  std::uint32_t to = 0;
};
inline constexpr ResourceId nothing_taken{0xffffffff};

class RelationGraph {
 public:
  enum class Kind : std::uint8_t {
    waits,     ///< a header at a router: it takes any one of its arcs, whichever lane is free
    consumed,  ///< at its destination's router, where it waits for a consumption channel that inputs share
    passes,    ///< arrived: every arc is something that can come next, as multicasts (or replies) want it
    anywhere  ///< what a worm whose header ran ahead can be waiting for at stops behind it; nobody walks here
  };
  struct Vertex {
    Kind kind = Kind::waits;
    bool entry = false;  ///< a worm can begin here, with nothing in its hands
    std::uint16_t traffic = 0;
    std::uint32_t leg_kind = 0;  ///< as which kind of leg it arrives, plus 1; 0: it ends
    NodeId at;
    HostId destination;
    RoutingState state;
    HostId origin;                        ///< of a worm that comes here
    std::optional<std::uint32_t> forced;  ///< index of a leg whose first port is forced: here it leaves
    std::size_t first_arc = 0;
    std::uint32_t arcs = 0;
  };

  /// Throws InputError ("routing") where a routing function leads nowhere, to a dead end, or where from some
  /// place on no choice leads to the destination any more.
  RelationGraph(const Topology& topology, const RouterModel& model, std::vector<RelationTraffic> traffic,
                std::optional<ProtocolRule> replies);

  const Topology& topology() const { return topology_; }
  const Resources& resources() const { return resources_; }
  const std::vector<RelationTraffic>& traffic() const { return traffic_; }
  const std::vector<Vertex>& vertices() const { return vertices_; }
  const std::vector<RelationArc>& arcs() const { return arcs_; }
  std::span<const RelationArc> arcs(std::uint32_t vertex) const {
    return {arcs_.data() + vertices_[vertex].first_arc, vertices_[vertex].arcs};
  }
  /// Every lane is below this.
  std::uint32_t lane_bound() const { return lane_bound_; }
  /// Some worm stops on its way at a consumption channel that inputs share.
  bool stops_share_consumption() const { return stops_share_; }
  /// A place from which a worm may come back to it, so that it may go round for ever; nothing where every
  /// choice brings it closer.
  const std::optional<std::string>& endless() const { return endless_; }
  std::uint64_t legs() const;

  /// Who holds what while asking for what: edges from each lane to all that its worm may ask for next.
  DependencyGraph dependencies() const;

 private:
  struct Key {
    std::uint64_t who = 0;
    std::uint64_t where = 0;
    friend bool operator==(const Key& a, const Key& b) { return a.who == b.who && a.where == b.where; }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t x = key.who * 0x9e3779b97f4a7c15ULL ^ (key.where + (key.who >> 29));
      x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9ULL;
      return static_cast<std::size_t>(x ^ (x >> 29));
    }
  };

  std::uint32_t place(Vertex vertex);
  /// Where a header is that is at `at` on the way to the destination: waiting, or arrived.
  std::uint32_t on_the_way(Vertex vertex);
  std::uint32_t arrived(Vertex vertex);
  void add_entries();
  void expand(std::uint32_t id);
  void expand_waiting(std::uint32_t id, const Vertex& vertex);
  void expand_passing(const Vertex& vertex);
  void take(const Vertex& vertex, const RoutingCandidate& hop);
  std::vector<RoutingCandidate> choices(const Vertex& vertex) const;
  bool runs_ahead(const Vertex& vertex) const;
  void check_candidate(const Vertex& vertex, const RoutingCandidate& hop) const;
  std::string say(const Vertex& vertex) const;
  void check_ways();
  void index_legs();

  const Topology& topology_;
  Resources resources_;
  bool shared_consumption_;
  std::vector<RelationTraffic> traffic_;
  std::optional<ProtocolRule> replies_;
  bool requests_stop_ = false;                                      ///< requests have several stops
  std::vector<std::vector<std::vector<std::uint32_t>>> legs_from_;  ///< by traffic and host
  std::vector<Vertex> vertices_;
  std::vector<RelationArc> arcs_;
  std::unordered_map<Key, std::uint32_t, KeyHash> known_;  // looked up, never gone through
  std::uint32_t lane_bound_ = 0;
  bool stops_share_ = false;
  std::optional<std::string> endless_;
};

}  // namespace wormcast
