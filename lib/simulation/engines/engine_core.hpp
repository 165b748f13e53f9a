// What all engines share: time, requests and grants, startups, deadlock detection, the books.
// A Motion adds how flits follow the headers: when a header crosses, a tail arrives, a resource is
// free again.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "multicast/reply_tracker.hpp"
#include "simulation/engine.hpp"
#include "simulation/engines/deadlock_search.hpp"
#include "simulation/engines/grant_table.hpp"
#include "simulation/engines/motion.hpp"
#include "simulation/engines/output_arbiter.hpp"
#include "simulation/engines/stream_engine.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "simulation/queues/due_queue.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

/// A worm that lets go of the last that it holds in `cycle`.
struct Retirement {
  Cycle cycle = 0;
  std::uint32_t worm = 0;  ///< its slot

  bool operator>(const Retirement& other) const { return cycle > other.cycle; }
};

class EngineCore final : public StreamEngine {
 public:
  EngineCore(const Topology& topology, const SimulationOptions& options, MakeMotion make_motion);

  std::string_view name() const override { return motion_->name(); }
  std::optional<Cycle> flits_moved_from() const override { return flits_moved_from_; }

 private:
  friend class Motion;

  // What motions report; see there.
  void release_due(WormState& worm, std::uint32_t hop, Cycle cycle);
  // Reductions (simulation/joining/reductions.cpp).
  void take_reduction(const Request& request, const std::vector<WormRoute>& worms);
  void start_parts(std::uint32_t multicast) override;
  void combined(std::uint32_t worm, Cycle cycle);
  void part_ready(std::uint32_t injection, Cycle cycle);
  void part_at(const Hop& from, const WormState& worm);
  Cycle startup_of_part(std::uint32_t injection) const;
  // Nodes that are busy until they have answered (answering.cpp).
  void take_answer(const Request& request, const std::vector<WormRoute>& worms);
  bool awaits_answer(const WormState& worm, std::uint32_t hop, Cycle cycle);
  void answer_leaves(const WormState& worm, Cycle cycle);
  void tail_due(std::uint32_t hop, Cycle cycle);
  void tail_consumed(std::uint32_t hop, Cycle cycle);

  void run_before(Cycle limit) override;
  RouteNeeds prepare(Routes& routes) override;
  std::uint32_t add_worm(const Routes& routes, std::uint32_t index, const MulticastState& state) override;
  void follow(std::uint32_t before, std::uint32_t worm) override;
  void start(std::uint32_t worm, Cycle cycle) override;
  void added(const Request& request, const std::vector<WormRoute>& worms) override;
  void begin_window() override { motion_->begin_window(*options_.window); }
  void retire_before(Cycle end) override;
  void end_stream() override;
  void settle_rest() override;
  // From the worm engine to the link engine (hand_over.cpp).
  bool uses_second_vc(const Routes& routes);
  void hand_over(Cycle from);
  void forget_releases(WormState& worm, Cycle from);
  void step(Cycle cycle);
  void take_event(Event event);
  void request(std::uint32_t hop);
  void leaves(std::uint32_t hop);
  void leave_source(std::uint32_t hop, const WormState& worm);
  void request_in_queue(Hop& hop, std::uint32_t slot);
  void wait(std::uint32_t hop);
  void tick_due(Cycle cycle) { calendar_.schedule(cycle, {Event::Kind::tick, kNone}); }
  void header_due(std::uint32_t node, Cycle cycle) { calendar_.schedule(cycle, {Event::Kind::header, node}); }
  void release_watched(const Hop& hop, std::uint32_t slot);
  void release(std::uint32_t hop);
  void load(const WormState& worm);
  void header_at(std::uint32_t node);
  void header_in_tree(const WormState& worm, const Hop& from);
  void request_later(std::uint32_t hop, Cycle cycle);
  void grant_phase(ResourceClass phase);
  void grant_atomic();
  void grant_reserved();
  std::uint32_t first_with_slot(std::uint32_t head);
  void find_standstill();
  bool atomic_group_free(std::uint32_t node) const;
  bool in_atomic_group(std::uint32_t hop) const;
  Cycle hold(Hop& hop, WormState& worm, std::uint32_t slot);
  void grant_injection(std::uint32_t hop);
  void grant(std::uint32_t hop);
  void detect();
  // Path reservation.
  void request_whole(const WormState& worm);
  bool whole_free(const WormState& worm) const;
  void consider_whole(const ResourceState& state);
  void grant_whole();
  void enter_reserved(const WormState& worm, std::uint32_t node);

  WormPool pool_;
  GrantTable grants_;
  DeadlockSearch search_;
  std::unique_ptr<Motion> motion_;
  std::optional<OutputArbiter> arbiter_;  ///< where it is not first come, first served
  std::optional<TwoStepGrants> reservations_;
  DueQueue<Retirement> retiring_;          ///< worms whose releases are all known
  bool may_hand_over_ = false;             ///< once worms use two virtual channels of a link
  std::optional<Cycle> flits_moved_from_;  ///< since that has come
  PagedArray<std::uint8_t> link_vcs_;      ///< by channel: 1 + the virtual channel used; 0: none is
  std::set<std::pair<Cycle, std::uint32_t>> forgotten_;  ///< releases, by hop, that were foreseen too early
  Cycle moved_ = 0;                                      ///< when a flit crossed last, as far as motions say
  /// What a node has taken and has yet to answer, by multicast and node.
  struct Awaited {
    std::uint32_t port = kNone;    ///< the hop of the worm that came, once its tail's coming is known
    Cycle cycle = 0;               ///< when that would let go of it by itself
    std::uint32_t answer = kNone;  ///< slot of the injection hop of the answer, once that is known
  };
  std::optional<ReplyTracker> answers_;  ///< where nodes are busy until they have answered
  std::map<std::pair<std::uint64_t, std::uint32_t>, Awaited> awaited_;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>
      answering_;  ///< by injection hop of an answer
  /// A part that a node sends; where it combines others with its own it waits for these.
  struct Part {
    std::uint32_t open = 1;  ///< what has yet to be there
    Cycle ready = 0;
    bool combines = false;
  };
  bool joins_ = false;                             ///< a reduction has been taken
  std::unordered_map<std::uint32_t, Part> parts_;  ///< by injection hop, until it is requested
  /// By slot of the reduction: its injection hops.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> parts_of_;
  std::unordered_map<std::uint32_t, std::uint32_t>
      combined_by_;                          ///< by worm: the injection hop that sends on what it brings
  std::vector<std::uint32_t> suspects_;      ///< hops whose state changed so that a deadlock may exist
  std::vector<std::uint32_t> atomic_nodes_;  ///< nodes whose atomic group may be grantable
  // Scratch of one cycle.
  std::vector<std::uint32_t> granted_;
  std::vector<std::uint32_t> whole_;  ///< worms that may be able to have everything on their way
};

inline void EngineCore::release_due(WormState& worm, std::uint32_t slot, Cycle cycle) {
  Hop& hop = pool_.hop(slot);
  if (answers_ && hop.kind == HopKind::deliver && awaits_answer(worm, slot, cycle)) [[unlikely]]
    return;
  hop.until = cycle;
  if (cycle > worm.until) worm.until = cycle;
  ResourceState& state = *hop.resource_state;
  state.carried = true;
  if (state.by_clock) [[likely]] {
    state.free_from = cycle;
    if (state.queue_head != kNone) calendar_.schedule(cycle, {Event::Kind::wake, slot});
  } else {
    release_watched(hop, slot);
  }
  if (--worm.held == 0) retiring_.push({worm.until, hop.worm});
  if (answers_ && hop.kind == HopKind::injection) [[unlikely]]
    answer_leaves(worm, cycle);
}

inline Motion::Motion(EngineCore& core)
    : pool_(core.pool_), uniform_(core.topology_->uniform_hop_cycles()), core_(core) {}
inline bool Motion::vcs_share_links() const {
  return model().shared_links && core_.topology_->spec().virtual_channels != 1;
}
inline const RouterModel& Motion::model() const { return core_.model(); }
inline const Topology& Motion::topology() const { return *core_.topology_; }
inline Cycle Motion::now() const { return core_.now_; }
inline void Motion::header_due(std::uint32_t node, Cycle cycle) {
  core_.calendar_.schedule(cycle, {Event::Kind::header, node});
}
inline void Motion::release_due(WormState& worm, std::uint32_t hop, Cycle cycle) {
  core_.release_due(worm, hop, cycle);
}
inline void Motion::tick_due(Cycle cycle) { core_.calendar_.schedule(cycle, {Event::Kind::tick, kNone}); }
inline void Motion::request_due(std::uint32_t hop, Cycle cycle) { core_.request_later(hop, cycle); }
inline void Motion::slot_due(std::uint32_t hop, Cycle cycle) {
  const std::uint32_t head = pool_.hop(hop).resource_state->queue_head;  // it waits: its slot stays its own
  if (head != kNone) core_.calendar_.schedule(cycle, {Event::Kind::wake, head});
}
inline void Motion::moves() { core_.moved_ = now(); }
inline void Motion::flit_due(std::uint32_t hop, Cycle cycle) {
  core_.calendar_.schedule(cycle, {Event::Kind::flit, hop});
}
inline void Motion::tail_consumed(std::uint32_t hop, Cycle cycle) { core_.tail_due(hop, cycle); }
inline void Motion::suspect(std::uint32_t hop) { core_.suspects_.push_back(hop); }
inline void Motion::set_ahead(std::uint32_t hop, std::uint32_t ahead) { core_.search_.set_ahead(hop, ahead); }

inline void EngineCore::request(std::uint32_t slot) {
  if (model().allocation == Allocation::atomic) suspects_.push_back(slot);
  Hop& hop = pool_.hop(slot);
  if (model().path_reservation && hop.kind == HopKind::injection) return request_whole(pool_.worm_of(hop));
  if (reservations_ && hop.kind != HopKind::injection && hop.next_sibling == kNone)
    reservations_->ask(hop.parent);
  request_in_queue(hop, slot);
}

/// The hop is granted: if it is the last of those right behind the source, its worm queues there no more.
inline void EngineCore::leaves(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  WormState& worm = pool_.worm(hop.worm);
  if (worm.at_source == 0 || (hop.parent != worm.first && !worm.joins)) return;
  if (--worm.at_source == 0) ledger_.left_source(worm.multicast, now_);
}

/// What is granted in this cycle waits for nothing.
inline void EngineCore::request_in_queue(Hop& hop, std::uint32_t slot) {
  if (!grants_.request(hop, pool_.worm_of(hop), slot)) wait(slot);
}

}  // namespace wormcast
