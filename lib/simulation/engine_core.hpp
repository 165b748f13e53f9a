// What all engines share: time, requests and grants, startups, deadlock detection, the books.
// An engine adds how flits follow the headers: when a header crosses, a tail arrives, a resource is
// free again.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulation/calendar.hpp"
#include "simulation/deadlock_search.hpp"
#include "simulation/engine.hpp"
#include "simulation/grant_table.hpp"
#include "simulation/ledger.hpp"
#include "simulation/paged_array.hpp"
#include "simulation/worm_pool.hpp"

namespace wormcast {

class EngineCore : public Engine {
 public:
  EngineCore(const Topology& topology, const SimulationOptions& options);

  void take(Routes& routes) final;
  void advance() final;
  const Delivery* poll() final;
  void finish() final;
  bool stopped() const final { return stopped_; }
  Summary summary() const final;
  std::vector<ChannelLoad> channel_loads() const final;
  std::uint64_t events() const final { return event_count_; }

 protected:
  /// The worm's hops are all idle; engines size their own arrays here.
  virtual void worm_added(std::uint32_t worm) = 0;
  /// Everything that leaves the end of `node` together with `hop` is granted: all children of `node`
  /// where copies move together, `hop` alone otherwise. `node` is the injection hop at the source.
  virtual void group_granted(std::uint32_t node, std::uint32_t hop) = 0;
  /// The last phase of a cycle.
  virtual void move() = 0;

  // For engines to report what follows from their moves. Cycles may lie ahead, never behind.
  void header_due(std::uint32_t node, Cycle cycle) { calendar_.schedule(cycle, {Event::Kind::header, node}); }
  void release_due(std::uint32_t hop, Cycle cycle);
  void tick_due(Cycle cycle) { calendar_.schedule(cycle, {Event::Kind::tick, kNone}); }
  /// The worm's tail starts to move into consumption channel `hop` at `cycle`.
  void tail_consumed(std::uint32_t hop, Cycle cycle);
  /// A further way in which `hop` can come to wait, for engines where buffers hold several worms.
  void suspect(std::uint32_t hop) { suspects_.push_back(hop); }

  const RouterModel& model() const { return options_.model; }
  Cycle now() const { return now_; }

  WormPool pool_;
  GrantTable grants_;
  DeadlockSearch search_;

 private:
  struct Load {
    std::uint64_t worms = 0;
    std::uint64_t flits = 0;
    Cycle held = 0;
  };

  void run_before(Cycle limit);
  void end_window();
  void observe_rest();
  void step(Cycle cycle);
  void take_event(Event event);
  void start(std::uint32_t multicast);
  void request(std::uint32_t hop);
  void release(std::uint32_t hop);
  void retire(std::uint32_t worm);
  void count_load(const Hop& hop);
  void count_rest();
  void header_at(std::uint32_t node);
  void header_in_tree(const WormState& worm, const Hop& from);
  void request_later(std::uint32_t hop, Cycle cycle);
  void grant_phase(GrantTable::Class phase);
  void grant_atomic();
  bool atomic_group_free(std::uint32_t node) const;
  bool in_atomic_group(std::uint32_t hop) const;
  void grant(std::uint32_t hop, GrantTable::State& state);
  void detect();
  // Path reservation.
  void request_whole(const WormState& worm);
  bool whole_free(const WormState& worm) const;
  void consider_whole(const GrantTable::State& state);
  void grant_whole();
  void enter_reserved(const WormState& worm, std::uint32_t node);

  const Topology* topology_;
  SimulationOptions options_;
  Calendar calendar_;
  Ledger ledger_;
  PagedArray<Load> loads_;
  Cycle now_ = 0;
  std::uint64_t event_count_ = 0;
  Cycle horizon_ = 0;  ///< every cycle before it has been simulated
  bool finished_ = false;
  bool stopped_ = false;
  bool saturated_ = false;
  Cycle last_ = kNever;  ///< the cycle with which the run was stopped
  std::optional<Deadlock> deadlock_;
  std::uint64_t unfinished_worms_ = 0;
  std::vector<std::vector<std::uint32_t>> starters_;  ///< by multicast slot: worms that start by themselves
  std::vector<std::uint32_t> suspects_;      ///< hops whose state changed so that a deadlock may exist
  std::vector<std::uint32_t> atomic_nodes_;  ///< nodes whose atomic group may be grantable
  // Scratch of one cycle.
  std::vector<std::uint32_t> whole_;  ///< worms that may be able to have everything on their way
  std::vector<GrantTable::State*> touched_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> ready_;
};

inline void EngineCore::release_due(std::uint32_t slot, Cycle cycle) {
  Hop& hop = pool_.hop(slot);
  WormState& worm = pool_.worm_of(hop);
  hop.until = cycle;
  worm.until = std::max(worm.until, cycle);
  const GrantTable::Then then = grants_.release_from(hop, cycle);
  if (then == GrantTable::Then::release || options_.observer != nullptr)
    calendar_.schedule(cycle, {Event::Kind::release, slot});
  if (then == GrantTable::Then::wake) calendar_.schedule(cycle, {Event::Kind::wake, hop.resource.value});
  if (--worm.held == 0) calendar_.schedule(worm.until, {Event::Kind::retire, hop.worm});
}

inline void EngineCore::request(std::uint32_t slot) {
  const GrantTable::Met met = grants_.request(slot);
  if (model().allocation == Allocation::atomic) suspects_.push_back(slot);
  if (!met.waits) return;  // granted in this cycle, it waits for nothing
  if (met.wake != kNever) calendar_.schedule(met.wake, {Event::Kind::wake, pool_.hop(slot).resource.value});
  suspects_.push_back(slot);
  if (met.displaced != kNone) suspects_.push_back(met.displaced);
}

}  // namespace wormcast
