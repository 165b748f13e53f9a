// Verdicts on planners and segments whose worms routers route, or whose nodes answer what they take.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "router/router_model.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

struct RelationArc {
  ResourceId vc;  ///< nothing_taken: nothing is taken
  std::uint32_t to = 0;
};
inline constexpr ResourceId nothing_taken{0xffffffff};

/// What worms can do whose routers choose: where headers can wait, what they ask for there, where that leads.
class RelationGraph {
 public:
  enum class Kind : std::uint8_t {
    waits,     ///< a header at a router: it takes any one of its arcs, whichever VC is free
    consumed,  ///< at its destination's router, where it waits for a consumption channel that inputs share
    passes,    ///< arrived: every arc is something that can come next, as multicasts (or replies) want it
    anywhere   ///< what a worm whose header ran ahead can be waiting for at stops behind it: no way leads on
  };
  struct Vertex {
    Kind kind = Kind::waits;
    bool entry = false;  ///< a worm can begin here, holding nothing
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
  /// Every VC is below this.
  std::uint32_t vc_bound() const { return vc_bound_; }
  /// Some worm stops on its way at a consumption channel that inputs share.
  bool stops_share_consumption() const { return stops_share_; }
  /// A place to which a worm may come back, so that it may go round for ever; nothing where there is none.
  const std::optional<std::string>& endless() const { return endless_; }
  std::uint64_t legs() const;

  /// What worms hold while asking for what: edges from each VC to all that its worm may ask for next.
  DependencyGraph dependencies() const;

 private:
  struct Key {
    std::uint64_t goal = 0;
    std::uint64_t where = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t x = key.goal * 0x9e3779b97f4a7c15ULL ^ (key.where + (key.goal >> 29));
      x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9ULL;
      return static_cast<std::size_t>(x ^ (x >> 29));
    }
  };

  std::uint32_t place(Vertex vertex);
  /// Where a header is that is at `at` on the way to the destination: waiting, or arrived.
  std::uint32_t on_the_way(Vertex vertex);
  std::uint32_t arrived(Vertex vertex);
  bool leaves_router(const Leg& leg) const;
  Vertex start_of(std::size_t traffic, const Leg& leg) const;
  void add_entries();
  void expand(std::uint32_t id);
  void expand_passing(const Vertex& vertex);
  void take(const Vertex& vertex, const RoutingCandidate& hop);
  std::vector<RoutingCandidate> choices(const Vertex& vertex) const;
  void check_candidate(const Vertex& vertex, const RoutingCandidate& hop) const;
  std::string say(const Vertex& vertex) const;
  void check_ways();

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
  std::uint32_t vc_bound_ = 0;
  bool stops_share_ = false;
  std::optional<std::string> endless_;
};

/// Why stops that share consumption channels are not searched.
inline constexpr const char* shared_stops_not_searched =
    "headers go on while their worms may still wait for consumption channels that they share: such stops are "
    "not searched for a deadlock";

/// Every source and destination set, any number at once, whatever routers choose among what the routing
/// functions offer. Of the verdict scope, planner and unicast routing are filled in by the caller. Throws
/// InputError for what relations cannot be judged under, and where a routing function leads nowhere.
Verdict check_all_relations(const PlannedWorms& worms, const CheckOptions& options);

/// The worms concurrently active, each once, in any order and at any time, whatever routers choose. Throws
/// InputError for models under which they are not judged.
Verdict check_segment_relations(const Topology& topology, const SegmentWorms& worms,
                                const CheckOptions& options);

/// An escape subfunction: an order of VCs that offers each header one later than all it can hold.
struct Escape {
  /// The escape's VCs, each later than those that a worm can hold which waits for it as its escape.
  std::vector<ResourceId> numbering;
  std::vector<bool> satisfied;  ///< by place: whether it is offered an escape (places that pass: always)
  std::vector<bool> numbered;   ///< by VC
  bool complete = false;        ///< every place is, and all that others take is numbered
};

/// The largest escape there is: complete if any is. `others`: dependencies of worms whose routers choose
/// nothing; complete only if all that these take is numbered.
Escape find_escape(const RelationGraph& graph, const DependencyGraph& others = {});

/// A worm that stands: where it began, what it took, where its header waits.
struct RelationWorm {
  std::uint32_t entry = 0;
  std::vector<std::size_t> taken;  ///< indices of the graph's arcs, in order, those of passed stops too
  std::uint32_t waits = 0;         ///< a place where a header waits for any of its arcs
};

/// Of the VCs on a worm's way how many, the last ones, have flits of it while it is blocked, and how many no
/// other worm can enter: all of these, but under early reuse only full ones. A worm can enter the FIFO behind
/// one that has left the rest of it free, if only to stand there.
struct FilledVcs {
  std::uint32_t some = UINT32_MAX, closed = UINT32_MAX;
};

struct BlockedWormsRules {
  std::vector<FilledVcs> filled_of{};  ///< by traffic
  std::uint32_t worms_a_source = 0;    ///< whose tail is still there; 0: no limit
  bool each_once = false;              ///< every sort of traffic is one worm
  std::uint64_t partial_sets = 0;      ///< tried at most
  /// Whether there is such a worm at all, which the legs alone do not say.
  std::function<bool(const RelationWorm&)> exists;
};

struct BlockedWorms {
  std::optional<std::vector<RelationWorm>> worms;  ///< in an order in which they can come to be blocked
  bool exhausted = false;                          ///< without worms: there are none
  std::uint64_t looked_at = 0;
};

/// Every VC that it took on its way.
std::vector<ResourceId> taken_vcs(const RelationGraph& graph, const RelationWorm& worm);

/// `cycle`: along which they are looked for first.
BlockedWorms find_blocked_worms(const RelationGraph& graph, const Escape& escape,
                                const BlockedWormsRules& rules, const std::vector<Dependency>& cycle = {});

/// Takes worms that hold one VC or more of the cycle, one after the other, and wait for the next; of those
/// that come to it by one place one that comes by a shortest way.
void worms_along(const RelationGraph& graph, const std::vector<Dependency>& cycle,
                 const std::function<void(const RelationWorm&)>& take);

/// The hosts at which a worm stops, from the first one to the one that it is on its way to; `joined`: how
/// many of them belong to the worm it began as, the rest to the reply that goes on from there.
struct WormStops {
  std::uint32_t sort = 0;
  std::vector<HostId> hosts;
  std::size_t joined = 0;
};
/// True if no VC stands twice among those that the worm took: its hops can be fixed.
bool takes_each_once(const RelationGraph& graph, const RelationWorm& worm);
WormStops stops_of(const RelationGraph& graph, const RelationWorm& worm);

/// Gives the verdict its proof: all dependencies, or those of an escape; where there is none, gives what
/// escape there is. `why_not`: why such a proof would prove nothing, or nullptr.
std::optional<Escape> left_by_proofs(Verdict& verdict, const RelationGraph& graph,
                                     const DependencyOrder& order, const char* why_not = nullptr);
/// Takes it back, as worms can stay on the way for another reason.
void unprove(Verdict& verdict, std::string limit, const DependencyOrder& order);
/// Makes the worms the witness, unless hops that witnesses fix cannot say what they do.
void take_witness(Verdict& verdict, const Topology& topology, std::vector<WitnessWorm> worms,
                  const std::vector<AllowedWorm>& allowed, const CheckOptions& options);
FilledVcs vcs_filled(std::uint64_t flits, const RouterModel& model);

/// Worms of so many `flits` each in the order of their starts, each with the whole way to where it was going:
/// as it went, then any shortest one. They start in turn, and ask for what they never get when all stand.
std::vector<WitnessWorm> time_blocked_worms(const RelationGraph& graph, const RouterModel& model,
                                            const std::vector<std::uint64_t>& flits,
                                            const std::vector<RelationWorm>& worms);

}  // namespace wormcast
