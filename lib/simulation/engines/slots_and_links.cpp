// What flits wait for under some routers alone: slots that headers need, registers, sources with a buffer,
// parts that are joined, links that virtual channels share (link_engine.cpp).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "simulation/engines/link_motion.hpp"

namespace wormcast {

Cycle LinkMotion::slot_for_header(const Hop& hop) {
  if (!hop.is_network()) return now();
  const Buffer& buffer = buffers_[hop.resource.value];
  const Hop& from = pool_.hop(hop.parent);
  std::optional<ChannelId> before;
  if (from.is_network() && from.vc == hop.vc) before = ChannelId{from.target};
  const std::uint64_t slots =
      slots_needed(topology(), model(), pool_.worm_of(hop).flits, before, ChannelId{hop.target});
  return slot_from(hop, buffer.freed, buffer.promised + slots - 1, now());
}

/// Of worms whose copies move together.
bool LinkMotion::tail_is_next(std::uint32_t node) {
  const Crossing& group = crossings_[node];
  if (group.cycles.count() + 1 != group.flits) return false;
  if (group.before == kNone) return true;
  const RecentCycles& before = crossings_[group.before].cycles;
  return before.count() == group.flits && before.last() + group.hop_cycles <= now();
}

/// Links have an F of their own, sources a buffer, buffers a register, or several hops before are joined.
Cycle LinkMotion::rare_crossing_after(const Crossing& group, Cycle cycle) const {
  const std::uint64_t flit = group.cycles.count();
  if (flit > 0)
    for_each_hop(group, [&](std::uint32_t at) {
      cycle = std::max(cycle, group.cycles.last() + flit_cycles(pool_.hop(at)));
    });
  if (registers_ > 0) cycle = std::max(cycle, now());  // what one could have taken before is over
  if (group.joins)
    for_each_before(group, [&](std::uint32_t at) {
      const Hop& hop = pool_.hop(at);
      const RecentCycles& before = crossings_[at].cycles;
      if (hop.kind != HopKind::injection)
        cycle = std::max(cycle, before.count() <= flit ? kNever : before[flit] + hop_cycles(hop));
    });
  else if (group.before == kNone && !group.alone && flit - crossings_[group.node].left >= source_flits_)
    return kNever;
  return cycle;
}

/// Arbiters that grant several outputs look at slots and tails in every cycle in which these may change.
void LinkMotion::fill_registers(const Crossing& group) {
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    buffers_[hop.resource.value].entered = now();
    if (std::exchange(ticked_, now()) == now() && uniform_) return;
    for (const Cycle delay : {hop_cycles(hop), flit_cycles(hop), model().credit_cycles})
      core_.tick_due(now() + delay);
  });
}

// Links that virtual channels share: a group that is due asks for its links. A link that is not free makes it
// due again when it is; of those that ask in one cycle each link picks one: round robin over virtual channels
// or the one granted first, links in channel order; a group that needs several links stands for election at
// the first, and wins all or none. A group with a link to itself needs no election.

/// The group has begun to cross its links, or has done so with all flits.
void LinkMotion::count_on_links(const Crossing& group, int more) {
  for_each_link(group, [&](Link& link, const Hop&, std::uint32_t) {
    link.crossing += static_cast<std::uint32_t>(more);
  });
}

Cycle LinkMotion::links_free_from(const Crossing& group) {
  Cycle from = 0;
  for_each_link(group,
                [&](const Link& link, const Hop&, std::uint32_t) { from = std::max(from, link.free_from); });
  return from;
}

/// At the first of its links in channel order.
void LinkMotion::stand_for_election(std::uint32_t slot) {
  Candidate candidate{nullptr, kNone, 0, kNone, slot};
  for_each_link(crossings_[slot], [&](Link& link, const Hop& hop, std::uint32_t at) {
    if (hop.target < candidate.channel) candidate = {&link, hop.target, hop.vc, at, slot};
  });
  candidates_.push_back(candidate);
}

/// Whether a link would rather let `a` pass than `b`.
bool LinkMotion::comes_before(const Candidate& a, const Candidate& b) const {
  if (model().arbitration == Arbitration::first_come)
    return pool_.requested_before(pool_.hop(a.hop), pool_.hop(b.hop));
  const std::uint32_t pointer = a.link->pointer;
  return (a.vc < pointer) != (b.vc < pointer) ? b.vc < pointer : a.vc < b.vc;
}

/// Links elect in channel order; one that was taken for a group elected before elects none.
void LinkMotion::elect() {
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
    return a.channel != b.channel ? a.channel < b.channel : comes_before(a, b);
  });
  for (const Candidate& candidate : candidates_) {
    const Crossing& group = crossings_[candidate.group];
    const Cycle free_from = links_free_from(group);
    if (free_from > now()) {
      due_in(candidate.group, free_from);
      continue;
    }
    for_each_link(group, [&](Link& link, const Hop& hop, std::uint32_t) { take_link(link, hop.vc); });
    cross(candidate.group);
  }
  candidates_.clear();
}

}  // namespace wormcast
