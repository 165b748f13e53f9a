// What all engines share: time, requests and grants, startups, deadlock detection, the ledger.
// A Motion adds how flits follow: when a header crosses, a tail arrives, a resource is free again.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "multicast/reply_tracker.hpp"
#include "simulation/engine.hpp"
#include "simulation/engines/deadlock_search.hpp"
#include "simulation/engines/grant_table.hpp"
#include "simulation/engines/output_arbiter.hpp"
#include "simulation/engines/stream_engine.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "simulation/queues/calendar.hpp"

namespace wormcast {

// How flits follow the headers: the part of an engine in which engines differ.

class EngineCore;

class Motion {
 public:
  explicit Motion(EngineCore& core);
  virtual ~Motion() = default;
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  /// As in Engine::name().
  virtual std::string_view name() const = 0;
  /// The worm's hops are all idle; motions size their own arrays here.
  virtual void worm_added(std::uint32_t worm) = 0;
  /// The last phase of a cycle. `granted` are hops held from this cycle on with which everything that leaves
  /// the end of their parent together is held: all children where copies move together, else the hop alone.
  virtual void move(const std::vector<std::uint32_t>& granted) = 0;
  /// The hop has just been granted a channel that is released while flits of its last worm may still stand
  /// in the buffer behind it (early reuse); perhaps cycles before what leaves with it.
  virtual void held_early(std::uint32_t /*hop*/) {}
  /// Where grants need slots: from when on, as far as that is known, the header can enter the hop, which is
  /// not granted; kNever where slots have yet to be given back.
  virtual Cycle slot_for_header(const Hop& /*hop*/) { return 0; }
  /// The worm whose flits came last into the buffer that the hop enters: its hop, or kNone.
  virtual std::uint32_t last_in_buffer(const Hop& /*hop*/) const { return kNone; }
  /// The tail has come to the end of `node`, and is the next flit to leave it.
  virtual bool tail_is_next(std::uint32_t /*node*/) { return false; }
  /// Goes on where another motion has moved the worms under way, in all cycles before `from`. What that
  /// foresaw of later cycles has been forgotten. Worms have used only one virtual channel of each link, by
  /// channel: 1 + its number, 0 where none has been asked for.
  virtual void take_over(Cycle /*from*/, const PagedArray<std::uint8_t>& /*link_vcs*/) {}
  /// How many flits of its worm have started to cross the hop within the window of an open-loop run that ends
  /// with `end`; where the motion counts them.
  virtual std::uint64_t crossed_in_window(std::uint32_t /*hop*/, Cycle /*end*/) { return 0; }
  /// When a flit crossed last, where nothing can any more and moves() has not been called.
  virtual Cycle last_crossing() { return 0; }
  /// The window of an open-loop run is known only now; nothing of it has been simulated.
  virtual void begin_window(const WindowOptions& /*window*/) {}
  /// Hosts may take more than before from this cycle on, of which nothing has been simulated.
  virtual void windows_open(Cycle /*from*/) {}

 protected:
  const RouterModel& model() const;
  const Topology& topology() const;
  Cycle now() const;
  /// H, F and B of the hop: its link's own where that says so.
  std::uint32_t hop_cycles(const Hop& hop) const {
    return uniform_ ? model().hop_cycles : pool_.own(LinkValue::hop_cycles, hop, model().hop_cycles);
  }
  std::uint32_t flit_cycles(const Hop& hop) const {
    return uniform_ ? model().flit_cycles : pool_.own(LinkValue::flit_cycles, hop, model().flit_cycles);
  }
  std::uint32_t buffer_flits(const Hop& hop) const {
    return uniform_ ? model().buffer_flits : pool_.own(LinkValue::buffer_flits, hop, model().buffer_flits);
  }
  /// When the hop is free whose end a worm's tail left at `left`, or for which it started then to be
  /// consumed; it had come into the buffer there at `entered`.
  Cycle free_after(const Hop& hop, Cycle left, Cycle entered = 0) const {
    if (hop.kind == HopKind::injection) return left + model().flit_cycles;
    return hop.is_channel() ? model().released(left, entered, flit_cycles(hop))
                            : left + model().consumption_held(flit_cycles(hop));
  }
  /// A consumption channel whose flits may wait for the node's credits: those of a worm without channels, and
  /// those over links faster than the model's. Elsewhere the buffer before is as narrow.
  bool waits_for_node(const Hop& hop) const;
  /// The worm crosses anything but injection and consumption channels.
  bool has_channels(const WormState& worm) const;

  WormPool& pool_;
  bool uniform_;  ///< no link says anything of itself
  std::vector<std::uint32_t> due_;
  EngineCore& core_;

 private:
  friend class EngineCore;
};

using MakeMotion = std::unique_ptr<Motion> (*)(EngineCore& core, const SimulationOptions& options);
/// Moves every flit in the cycle in which it can (link_engine.cpp).
std::unique_ptr<Motion> make_flit_motion(EngineCore& core, const SimulationOptions& options);
/// The same, with computed worms.
std::unique_ptr<Motion> make_link_motion(EngineCore& core, const SimulationOptions& options);
/// Works out when the tails follow (worm_engine.cpp).
std::unique_ptr<Motion> make_worm_motion(EngineCore& core, const SimulationOptions& options);

/// A worm that releases the last that it holds in `cycle`.
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

  // Programs move the clock themselves (program_engine.cpp).
  Cycle next_event() { return calendar_.next(); }
  void windows_open(Cycle from) { motion_->windows_open(from); }
  bool deadlocked() const { return deadlock_.has_value(); }
  /// Nothing goes on: every worm under way is blocked, or none matters any more.
  void stand_still(bool deadlock);
  /// Nothing moves any more, and some worms wait for each other.
  bool blocks_itself() { return !standstill().core.empty(); }

  // What follows from moves, as motions report it. Cycles may lie ahead, never behind.
  void header_due(std::uint32_t node, Cycle cycle) { calendar_.schedule(cycle, {Event::Kind::header, node}); }
  /// `hop` of the worm is free again from `cycle` on.
  void release_due(WormState& worm, Hop& hop, std::uint32_t slot, Cycle cycle);
  void release_due(std::uint32_t slot, Cycle cycle) {
    Hop& hop = pool_.hop(slot);
    release_due(pool_.worm_of(hop), hop, slot, cycle);
  }
  void tick_due(Cycle cycle) { calendar_.schedule(cycle, {Event::Kind::tick, kNone}); }
  /// The hop, which is idle, is requested at `cycle`, or when its route says if that is later.
  void request_later(std::uint32_t hop, Cycle cycle);
  /// A slot of the buffer that `hop` enters can be used from `cycle` on.
  void slot_due(std::uint32_t hop, Cycle cycle) {
    const std::uint32_t head = pool_.hop(hop).resource_state->queue_head;  // it waits: its slot stays its own
    if (head != kNone) calendar_.schedule(cycle, {Event::Kind::wake, head});
  }
  /// Something moves in this cycle.
  void moves() { moved_ = now_; }
  /// `hop` will stand in Motion::due_ in that cycle's move().
  void flit_due(std::uint32_t hop, Cycle cycle) { calendar_.schedule(cycle, {Event::Kind::flit, hop}); }
  /// The worm's tail starts to move into consumption channel `hop` at `cycle`.
  void tail_due(std::uint32_t hop, Cycle cycle);
  /// `hop` may begin to wait in a further way, for engines where buffers hold several worms.
  void suspect(std::uint32_t hop) { suspects_.push_back(hop); }
  /// DeadlockSearch::set_ahead().
  void set_ahead(std::uint32_t hop, std::uint32_t ahead) { search_.set_ahead(hop, ahead); }

 private:
  friend class Motion;

  // Reductions (engine_stream.cpp).
  void take_reduction(const Request& request, const std::vector<WormRoute>& worms);
  void start_parts(std::uint32_t multicast) override;
  void combined(std::uint32_t worm, Cycle cycle);
  void part_ready(std::uint32_t injection, Cycle cycle);
  void part_at(const Hop& from, const WormState& worm);
  Cycle startup_of_part(std::uint32_t injection) const;
  // Nodes that are busy until they have answered (engine_stream.cpp).
  void take_answer(const Request& request, const std::vector<WormRoute>& worms);
  bool awaits_answer(const WormState& worm, std::uint32_t hop, Cycle cycle);
  void answer_leaves(const WormState& worm, Cycle cycle);
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
  void request_now(std::uint32_t hop);
  void leaves(std::uint32_t hop);
  void leave_source(std::uint32_t hop, const WormState& worm);
  void request_in_queue(Hop& hop, std::uint32_t slot);
  void wait(std::uint32_t hop);
  void release_watched(const Hop& hop, std::uint32_t slot);
  void release(std::uint32_t hop);
  void load(const WormState& worm);
  void header_at(std::uint32_t node);
  void header_in_tree(const WormState& worm, std::uint32_t node);
  void grant_phase(ResourceClass phase);
  void grant_reserved();
  std::uint32_t first_with_slot(std::uint32_t head);
  std::uint32_t chosen(std::uint32_t head);
  void find_standstill();
  Deadlock standstill();
  Cycle hold(Hop& hop, WormState& worm, std::uint32_t slot);
  void grant_injection(std::uint32_t hop);
  void grant(std::uint32_t hop);
  void detect();
  // Requests for several resources at once (joint_grants.cpp).
  bool granted_jointly(const Hop& hop) const { return !reservations_ && pool_.in_atomic_group(hop); }
  template <class Visit>
  void for_each_with(const Hop& hop, Visit visit);
  bool all_free(const Hop& hop);
  void consider(ResourceState& state);
  void grant_jointly();
  void enter_reserved(const WormState& worm, std::uint32_t node);

  WormPool pool_;
  GrantTable grants_;
  DeadlockSearch search_;
  std::unique_ptr<Motion> motion_;
  std::optional<OutputArbiter> arbiter_;  ///< where it is not first come, first served
  bool needs_slots_;                      ///< headers do
  bool queues_hold_up_;                   ///< a worm may wait behind others for what is free
  bool first_served_;    ///< what is free goes to the first in its queue, whatever else waits
  bool grants_watched_;  ///< more is asked of a grant than what it holds
  std::optional<TwoStepGrants> reservations_;
  DueQueue<Retirement> retiring_;          ///< worms whose releases are all known
  bool may_hand_over_ = false;             ///< once worms use two virtual channels of a link
  std::optional<Cycle> flits_moved_from_;  ///< since that has come
  PagedArray<std::uint8_t> link_vcs_;      ///< by channel: 1 + the virtual channel used; 0: none is
  std::set<std::pair<Cycle, std::uint32_t>> forgotten_;  ///< mispredicted releases, by hop
  Cycle moved_ = 0;                                      ///< when a flit crossed last, as far as motions say
  /// What a node has taken and has yet to answer, by multicast and node.
  struct Awaited {
    std::uint32_t port = kNone;    ///< the hop of the worm that came, once its tail's coming is known
    Cycle cycle = 0;               ///< when that would release it by itself
    std::uint32_t answer = kNone;  ///< slot of the injection hop of the answer, once that is known
  };
  std::optional<ReplyTracker> answers_;  ///< where nodes are busy until they have answered
  std::map<std::pair<std::uint64_t, std::uint32_t>, Awaited> awaited_;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>> answering_;  ///< by injection hop
  /// A part that a node sends; where it combines others with its own it waits for these.
  struct Part {
    std::uint32_t open = 1;  ///< what has yet to be there
    Cycle ready = 0;
    bool combines = false;
  };
  /// A deadlock shows by what worms hold; where they wait for slots, for own copies or for parts of a
  /// reduction it is what is blocked when nothing moves; where ways are reserved there is none.
  enum class SearchFor : std::uint8_t { held, standstill, nothing };
  SearchFor search_for_ = SearchFor::held;
  std::unordered_map<std::uint32_t, Part> parts_;  ///< by injection hop, until it is requested
  /// By slot of the reduction: the injection hops of parts that wait for other multicasts.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> parts_of_;
  /// By worm: the injection hop that sends on what it brings.
  std::unordered_map<std::uint32_t, std::uint32_t> combined_by_;
  std::vector<std::uint32_t> suspects_;  ///< hops whose state changed so that a deadlock may exist
  std::vector<std::uint32_t> joint_;     ///< hops that may be granted with all that is requested with them
  // Scratch of one cycle.
  std::vector<std::uint32_t> granted_;
};

inline void EngineCore::release_due(WormState& worm, Hop& hop, std::uint32_t slot, Cycle cycle) {
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
    : pool_(core.pool_), uniform_(core.topology_->links_alike()), core_(core) {}
inline const RouterModel& Motion::model() const { return core_.model(); }
inline const Topology& Motion::topology() const { return *core_.topology_; }
inline Cycle Motion::now() const { return core_.now_; }

/// Calls visit(slot) for all that is granted with the hop, itself too.
template <class Visit>
void EngineCore::for_each_with(const Hop& hop, Visit visit) {
  const WormState& worm = pool_.worm(hop.worm);
  if (worm.whole_way)
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) visit(at);
  else
    for (std::uint32_t at = pool_.hop(hop.parent).first_child; at != kNone; at = pool_.hop(at).next_sibling)
      visit(at);
}

inline void EngineCore::request(std::uint32_t slot) {
  Hop& hop = pool_.hop(slot);
  if (queues_hold_up_) suspects_.push_back(slot);
  if (pool_.worm_of(hop).whole_way)
    return for_each_with(hop, [this](std::uint32_t at) { request_in_queue(pool_.hop(at), at); });
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
[[gnu::always_inline]] inline void EngineCore::request_in_queue(Hop& hop, std::uint32_t slot) {
  if (!grants_.request(hop, pool_.worm_of(hop), slot)) wait(slot);
}

}  // namespace wormcast
