// Deadlocks of allocating routers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulation/allocating/link_table.hpp"
#include "simulation/allocating/transit.hpp"
#include "simulation/engine.hpp"

namespace wormcast {

/// Looks at an engine's state, changes none of it.
class AllocationDeadlockSearch {
 public:
  AllocationDeadlockSearch(const LinkTable& links, const SlotPool<TransitWorm>& worms,
                           const SlotPool<Visit>& visits, const SlotPool<Branch>& branches,
                           const RouterModel& model);

  /// False only where none of these worms is part of a deadlock, or comes to stand behind one.
  bool may_exist(const std::vector<std::uint32_t>& suspects, Cycle now);
  /// The deadlock that exists after the moves of `now`, if there is one. `all`: nothing moves any more, and a
  /// worm waits for itself whose buffer is full of what further copies have yet to be read from.
  std::optional<Deadlock> find(Cycle now, const Resources& ids, bool all);

 private:
  std::size_t waits_of(const TransitWorm& worm) const;
  bool is_behind(std::uint32_t visit) const;
  template <class Visit>
  void each_way(const Branch& branch, Visit visit) const;
  void collect(Cycle now, bool all);
  std::uint64_t room(std::uint32_t visit) const;
  std::uint64_t will_leave(std::uint32_t visit);
  void drain();
  bool becomes_free(std::uint32_t link_vc) const;
  bool is_stuck_behind(std::uint32_t visit) const;
  Deadlock report(Cycle now, const Resources& ids, bool all) const;

  const LinkTable& links_;
  const SlotPool<TransitWorm>& worms_;
  const SlotPool<Visit>& visits_;
  const SlotPool<Branch>& branches_;
  bool early_;
  std::vector<std::uint64_t> seen_;  ///< by worm: the epoch that saw it
  std::uint64_t epoch_ = 0;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> dead_;     ///< requests
  std::vector<bool> is_dead_;           ///< by branch
  std::vector<std::uint32_t> order_;    ///< visits, from the furthest from its source to the nearest
  std::vector<std::uint64_t> left_;     ///< by visit: flits that will ever have left
  std::vector<std::uint64_t> crossed_;  ///< by branch: flits that will ever have crossed
};

}  // namespace wormcast
