// The formula of the worm engine for every flit in place of the last.
//
// What flit i does depends on the flits before it alone, so that it crosses as the tail of a worm of i + 1
// flits with the same headers would (worm_engine.cpp): with K = ⌊i / B⌋ and P = H + C − B·F where that is
// above 0, else 0, flit i crosses group g in the cycle
//     x(g, i) = i·F + K·P + max over the groups j at or above g, a steps up, and those d that lie δ ≤ K steps
//               below j: t(d) + a·H − δ·S,
// where S is H where P > 0, else B·F − C. The maximum depends on K alone. It is worked out for K = 0, 1, …,
// up to the longest way down; beyond, it stays as it is. Of the B flits of each K those that cross before a
// given cycle are counted by a division. Since x never_crosses decreases with i, the count of a group ends
// with the first flit that does not. A header that has not been granted its hops yet crosses never_crosses,
// and neither do the flits that it is in reach of. Exact wherever the worm engine is.
// SPDX-License-Identifier: MIT
#include "simulation/engines/crossings.hpp"

#include <algorithm>
#include <limits>

namespace wormcast {
namespace {

/// Cycles are far below it, and what is taken off it leaves it above them.
constexpr std::int64_t never_crosses = std::numeric_limits<std::int64_t>::max() / 2;

}  // namespace

Crossings::Crossings(const WormPool& pool, const RouterModel& model)
    : pool_(pool), model_(model), hop_cycles_(model.hop_cycles) {
  // A buffer that takes longer to fill than any run lasts is as good as one that is never_crosses full.
  const std::int64_t buffer = static_cast<std::int64_t>(
      std::min<std::uint64_t>(std::uint64_t{model.buffer_flits} * model.flit_cycles, never_crosses / 2));
  const std::int64_t slot = hop_cycles_ + model.credit_cycles;
  buffer_cycles_ = buffer;
  slot_cycles_ = slot;
  step_cycles_ = slot > buffer ? hop_cycles_ : buffer - model.credit_cycles;
}

/// A worm that crosses no channel waits for the node's credits alone.
void Crossings::find_groups(const WormState& worm) {
  groups_.assign(worm.hops, Group{});
  bool channels = false;
  for (std::uint32_t i = 0; i < worm.hops; ++i) {
    const Hop& hop = pool_.hop(worm.first + i);
    Group& group = groups_[i];
    group.is_group = group.counting = worm.joint ? hop.first_child != kNone : i > 0;
    channels = channels || hop.is_channel();
    if (i == 0) continue;
    const std::uint32_t parent = hop.parent - worm.first;
    // The source has no buffer: what leaves it by itself does not wait for the rest of it.
    if (!worm.joint && parent == 0) continue;
    group.above = parent;
    group.depth = groups_[parent].depth + 1;
  }
  block_cycles_ = std::max<std::int64_t>(buffer_cycles_, channels ? slot_cycles_ : model_.consumption_cycles);
}

void Crossings::find_headers(const WormState& worm) {
  for (std::uint32_t i = 1; i < worm.hops; ++i) {
    const Hop& hop = pool_.hop(worm.first + i);
    Group& group = groups_[worm.joint ? hop.parent - worm.first : i];
    group.header = std::max(
        group.header, hop.state == HopState::held ? static_cast<std::int64_t>(hop.since) : never_crosses);
  }
  if (model_.path_reservation) {
    // All was granted in one cycle, and the header goes on without asking.
    const auto startup = static_cast<std::int64_t>(worm.startup);
    const std::int64_t header_cycles = hop_cycles_ + model_.routing_cycles;
    for (Group& group : groups_)
      if (group.header < never_crosses) group.header += startup + group.depth * header_cycles;
  }
  for (Group& group : groups_) group.latest = group.header;
}

/// Lets the headers K steps below be within reach, where those less than K steps below are: groups stand
/// behind those above them, so that none passes on what it is given here.
void Crossings::reach_one_further() {
  for (const Group& group : groups_) {
    if (!group.is_group || group.above == kNone) continue;
    Group& above = groups_[group.above];
    above.latest =
        std::max(above.latest, group.latest == never_crosses ? never_crosses : group.latest - step_cycles_);
  }
}

/// Counts the flits from reach · B on, before `end`, that cross before `cycle`: B and B more, each block as
/// far behind the one before. False if no group is left of which all have crossed.
bool Crossings::count_flits(std::int64_t cycle, std::uint64_t reach, std::uint64_t end) {
  const std::uint64_t first = reach * model_.buffer_flits;
  bool any = false;
  for (Group& group : groups_) {
    if (!group.is_group) continue;
    group.through = group.latest;
    if (group.above != kNone)
      group.through = std::max(group.through, groups_[group.above].through + hop_cycles_);
    group.counted = group.crossed;
    if (!group.counting) continue;
    const std::int64_t time = cycle - group.through - static_cast<std::int64_t>(reach) * block_cycles_;
    std::uint64_t flits = 0;
    if (time > 0) {
      const auto rest = static_cast<std::uint64_t>(time % block_cycles_);
      flits =
          static_cast<std::uint64_t>(time / block_cycles_) * model_.buffer_flits +
          std::min<std::uint64_t>(model_.buffer_flits, (rest + model_.flit_cycles - 1) / model_.flit_cycles);
    }
    group.counting = flits >= end - first;
    group.crossed = first + std::min(flits, end - first);
    any = any || group.counting;
  }
  return any;
}

/// Counts the worm's flits block by block, and calls visit() after each block.
template <class Visit>
void Crossings::for_each_block(const WormState& worm, Cycle cycle, Visit visit) {
  find_groups(worm);
  find_headers(worm);
  std::uint64_t furthest = (worm.flits - 1) / model_.buffer_flits;
  std::uint32_t longest = 0;
  for (const Group& group : groups_)
    if (group.is_group) longest = std::max(longest, group.depth);
  furthest = std::min<std::uint64_t>(furthest, longest);
  for (std::uint64_t reach = 0; reach <= furthest; ++reach) {
    if (reach > 0) reach_one_further();
    const std::uint64_t end = reach == furthest ? worm.flits : (reach + 1) * model_.buffer_flits;
    const bool more = count_flits(static_cast<std::int64_t>(cycle), reach, end);
    visit();
    if (!more) break;
  }
}

void Crossings::count(const WormState& worm, Cycle cycle, std::vector<std::uint64_t>& flits) {
  for_each_block(worm, cycle, [] {});
  flits.assign(worm.hops, 0);
  for (std::uint32_t i = 1; i < worm.hops; ++i)
    flits[i] = groups_[worm.joint ? pool_.hop(worm.first + i).parent - worm.first : i].crossed;
}

void Crossings::last_cycles(const WormState& worm, Cycle cycle, std::uint64_t most,
                            std::vector<std::vector<Cycle>>& cycles) {
  std::vector<std::vector<Cycle>> of_groups(worm.hops);
  for_each_block(worm, cycle, [&] {
    for (std::size_t at = 0; at < groups_.size(); ++at) {
      const Group& group = groups_[at];
      if (!group.is_group || group.crossed == group.counted) continue;
      std::vector<Cycle>& of_group = of_groups[at];
      const std::uint64_t first =
          std::max(group.counted, group.crossed - std::min<std::uint64_t>(group.crossed, most));
      if (first > group.counted) of_group.clear();
      for (std::uint64_t flit = first; flit < group.crossed; ++flit)
        of_group.push_back(static_cast<Cycle>(
            group.through + static_cast<std::int64_t>(flit / model_.buffer_flits) * block_cycles_ +
            static_cast<std::int64_t>(flit % model_.buffer_flits) *
                static_cast<std::int64_t>(model_.flit_cycles)));
      if (of_group.size() > most)
        of_group.erase(of_group.begin(), of_group.end() - static_cast<std::ptrdiff_t>(most));
    }
  });
  cycles.assign(worm.hops, {});
  for (std::uint32_t i = 1; i < worm.hops; ++i)
    cycles[i] = of_groups[worm.joint ? pool_.hop(worm.first + i).parent - worm.first : i];
}

}  // namespace wormcast
