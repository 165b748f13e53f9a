// The core of a deadlock. Cost: O(waits · log worms).
// SPDX-License-Identifier: MIT
#include "simulation/engines/deadlock_search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace wormcast {

Deadlock deadlock_of(Cycle cycle, std::vector<DeadWorm> dead) {
  const auto name = [](const DeadWorm& worm) { return worm.stuck.name; };
  std::sort(dead.begin(), dead.end(),
            [&](const DeadWorm& a, const DeadWorm& b) { return name(a) < name(b); });
  Deadlock deadlock;
  deadlock.cycle = cycle;
  for (const DeadWorm& worm : dead) deadlock.blocked.push_back(name(worm));
  std::vector<std::size_t> awaited(dead.size());  // by how many waits of those that are left
  const auto for_each_awaited = [&](const DeadWorm& worm, auto visit) {
    for (const WormName& other : worm.waits_for) {
      const auto found = std::lower_bound(deadlock.blocked.begin(), deadlock.blocked.end(), other);
      if (found != deadlock.blocked.end() && *found == other)
        visit(static_cast<std::size_t>(found - deadlock.blocked.begin()));
    }
  };
  for (const DeadWorm& worm : dead) for_each_awaited(worm, [&](std::size_t other) { ++awaited[other]; });
  std::vector<std::size_t> leaving;
  for (std::size_t i = 0; i < dead.size(); ++i)
    if (awaited[i] == 0) leaving.push_back(i);
  std::vector<bool> left(dead.size());
  while (!leaving.empty()) {
    const std::size_t worm = leaving.back();
    leaving.pop_back();
    left[worm] = true;
    for_each_awaited(dead[worm], [&](std::size_t other) {
      if (--awaited[other] == 0) leaving.push_back(other);
    });
  }
  for (std::size_t i = 0; i < dead.size(); ++i) {
    if (left[i]) continue;
    StuckWorm& stuck = dead[i].stuck;
    for (auto* list : {&stuck.holds, &stuck.waits}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    deadlock.core.push_back(std::move(stuck));
  }
  return deadlock;
}

}  // namespace wormcast
