// How far a worm has come by a given cycle: how many of its flits have started to cross each of its hops,
// worked out from when its headers were granted what they asked for.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/engines/worm_pool.hpp"
#include "topology/router_model.hpp"

namespace wormcast {

/// Holds for the routers that the worm engine is exact for. Memory: a few words a hop of the largest worm.
class Crossings {
 public:
  /// Both must outlive this.
  Crossings(const WormPool& pool, const RouterModel& model);

  /// flits[i]: how many flits of the worm have started to cross its hop `worm.first + i` in cycles before
  /// `cycle`, if it is given no more than it has been granted so far. Cost: O(hops · min(L / B, longest
  /// path)).
  void count(const WormState& worm, Cycle cycle, std::vector<std::uint64_t>& flits);
  /// cycles[i]: when the last of those, at most `most`, started to cross the hop, ascending. Cost: that of
  /// count(), and what it gives.
  void last_cycles(const WormState& worm, Cycle cycle, std::uint64_t most,
                   std::vector<std::vector<Cycle>>& cycles);

 private:
  /// Hops that cross together, at the index of their node (copies together) or of the hop (each by itself).
  struct Group {
    std::int64_t header = 0;      ///< when the header crosses
    std::int64_t latest = 0;      ///< the latest of it and of those within reach below, each less its steps
    std::int64_t through = 0;     ///< `latest` of this group and of those above, each a step further
    std::uint64_t crossed = 0;    ///< flits, as far as they are counted
    std::uint64_t counted = 0;    ///< of them those that had been before the last call of count_flits()
    std::uint32_t above = kNone;  ///< the group before it
    std::uint32_t depth = 0;      ///< groups above it
    bool is_group = false;
    bool counting = false;  ///< all flits looked at so far cross in time
  };

  template <class Visit>
  void for_each_block(const WormState& worm, Cycle cycle, Visit visit);
  void find_groups(const WormState& worm);
  void find_headers(const WormState& worm);
  void reach_one_further();
  bool count_flits(std::int64_t cycle, std::uint64_t reach, std::uint64_t end);

  const WormPool& pool_;
  const RouterModel& model_;
  std::int64_t hop_cycles_;
  std::int64_t buffer_cycles_;     ///< B·F
  std::int64_t slot_cycles_;       ///< from when a flit takes a slot until another one can
  std::int64_t block_cycles_ = 0;  ///< of the worm: from a flit to the one B behind it
  std::int64_t step_cycles_;       ///< what each step down takes off
  std::vector<Group> groups_;      ///< by hop from the worm's first on; not every one stands for a group
};

}  // namespace wormcast
