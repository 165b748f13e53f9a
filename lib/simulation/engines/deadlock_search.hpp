// The exact deadlock condition of a running simulation, evaluated at the end of a cycle.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simulation/engine.hpp"
#include "simulation/engines/grant_table.hpp"
#include "simulation/engines/worm_pool.hpp"

namespace wormcast {

/// A worm with a request that can never be granted.
struct DeadWorm {
  StuckWorm stuck;
  std::vector<WormName> waits_for;  ///< worms, dead or not, each for every wait for it
};

/// All dead worms are blocked; its core is left when those that no other waits for are left out in turn.
Deadlock deadlock_of(Cycle cycle, std::vector<DeadWorm> dead);

class DeadlockSearch {
 public:
  DeadlockSearch(WormPool& pool, const GrantTable& grants, const RouterModel& model)
      : pool_(&pool), grants_(&grants), model_(model), queues_hold_up_(model.discipline().queues_jointly) {}

  /// True if some request is dead. `suspects` must hold every hop that began to wait, or was granted
  /// to a worm that waits elsewhere, since the last call, which found nothing. It need not hold one whose
  /// only awaited worm waited for nothing when it began: of worms that keep each other from moving, the one
  /// that began to wait last, or was granted last, is a suspect.
  bool exists(const std::vector<std::uint32_t>& suspects);
  /// The deadlock as it stands, over all worms.
  Deadlock report(Cycle cycle);
  /// Calls its second argument with every hop whose flits the header at the hop waits for besides holders.
  using Before = std::function<void(std::uint32_t, const std::function<void(std::uint32_t)>&)>;
  /// The same when nothing moves any more: all that wait are dead.
  Deadlock report_standstill(Cycle cycle, Before before);

  /// Early reuse only: the tail of `ahead` is still in the buffer that `hop` enters; kNone: no more.
  void set_ahead(std::uint32_t hop, std::uint32_t ahead);

 private:
  bool has_waits(const WormState& worm) const { return worm.waiting > 0 || worm.behind > 0; }
  bool plainly_moves(std::uint32_t worm) const;
  void begin();
  void add(std::uint32_t worm);
  void close();
  void settle();
  bool settle_worm(std::uint32_t worm);
  void measure(const WormState& worm);
  bool request_lives(std::uint32_t slot) const;
  bool holder_stuck(const Hop& hop, std::uint32_t slot) const;
  bool tail_stays(const Hop& hop) const;
  std::uint64_t flits_ahead(std::uint32_t hop) const;
  bool member(const Hop& hop) const { return pool_->worm(hop.worm).mark == epoch_; }
  bool dead(std::uint32_t slot) const { return dead_[slot] == epoch_; }
  std::uint32_t ahead(std::uint32_t hop) const { return hop < ahead_.size() ? ahead_[hop] : kNone; }
  Deadlock describe(Cycle cycle) const;
  std::uint32_t copied_before(std::uint32_t slot) const;
  template <class Visit>
  void for_each_awaited(std::uint32_t slot, Visit visit) const;

  WormPool* pool_;
  const GrantTable* grants_;
  RouterModel model_;
  bool queues_hold_up_;  ///< a worm may wait behind others for what is free
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> members_;   ///< worms that wait and are awaited, in order of discovery
  std::vector<std::uint32_t> dead_;      ///< by hop slot: the epoch in which its request is dead
  std::vector<std::uint64_t> crossing_;  ///< by hop slot: flits that ever cross while dead requests stay so
  std::vector<std::uint64_t> before_;    ///< scratch: crossing_ of one worm
  std::vector<std::uint32_t> ahead_;     ///< by hop slot, early reuse only
  Before before_header_;                 ///< of report_standstill()
};

}  // namespace wormcast
