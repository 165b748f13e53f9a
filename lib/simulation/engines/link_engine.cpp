// The link engine: every flit of every worm by itself, but each only in the cycle in which it crosses.
//
// Let x(g, f) be the cycle in which flit f crosses group g: all outputs of a node where copies move together,
// else a single hop. It comes F cycles after flit f − 1, H cycles after flit f came into the node, and C
// cycles after flit f − B has left the end of each of g's channels. So when g has crossed flit f − 1, either
// all three are known, and the group is due in the latest of them; or it sleeps until the group before it or
// one behind it crosses, which then looks again. Of each group the crossings of its last B flits are kept:
// nobody asks for older ones. What is due is never taken back, since each of these cycles is final.
//
// Where virtual channels share links, a group that is due asks for its links. A link that is not free makes
// it due again when it is; of those that ask in one cycle each link picks one: round robin over virtual
// channels or who was granted first, links in channel order; a group that needs several links stands for
// election at the first of them, and wins all or none.
//
// Exact for drained buffers and copies that are made as planned, on links of any speed. Cost: O(1) a flit and
// hop, and as much again for an election that is lost.
// cite: derived here from rules 7 to 9; the flit engine is its measure.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "simulation/engines/link_motion.hpp"

namespace wormcast {

void LinkMotion::keep_more(Crossing& group) {
  std::vector<Cycle> wider(2 * group.kept.size());
  for (std::uint64_t flit = group.crossed - group.kept.size(); flit < group.crossed; ++flit)
    wider[flit & (wider.size() - 1)] = cycle_of(group, flit);
  set_kept(group, std::move(wider));
}

Cycle LinkMotion::room_from_all(const Crossing& group) {
  const std::uint64_t freeing = group.crossed - buffer_flits_;
  Cycle from = 0;
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (waits_for_node(hop)) from = std::max(from, cycle_of(group, freeing) + model().consumption_cycles);
    if (!hop.is_channel()) return;
    for_each_group_at(at, group.joint, [&](std::uint32_t slot) {
      const Crossing& behind = crossings_[slot];
      from = std::max(from, behind.crossed <= freeing ? kNever : cycle_of(behind, freeing) + credit_cycles_);
    });
  });
  return from;
}

void LinkMotion::header_crosses(const Crossing& group) {
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (hop.is_channel()) header_due(at, now() + hop_cycles(hop) + model().routing_cycles);
  });
}

void LinkMotion::tail_crosses(const Crossing& group) {
  if (group.links) count_on_links(group, -1);
  const Hop& node = pool_.hop(group.node);
  if (--crossings_[group.node].open == 0) {
    // The last of the groups that empty the node's buffer; what entered it has crossed before.
    if (node.kind == HopKind::injection)
      release_due(group.node, now() + flit_cycles_);
    else
      release_due(group.node, std::max(now() + credit_cycles_, crossings_[group.before].last + flit_cycles_));
  }
  for_each_hop(group, [&](std::uint32_t at) {
    if (!pool_.hop(at).is_consumption()) return;
    release_due(at, now() + model().consumption_held());
    tail_consumed(at, now());
  });
}

/// The group's next flit crosses now.
inline void LinkMotion::cross(std::uint32_t slot) {
  Crossing& group = crossings_[slot];
  keep(group, now());
  group.in_window += now() - window_from_ < window_cycles_ ? 1 : 0;
  if (group.crossed == 1) header_crosses(group);
  if (group.crossed == group.flits) {
    group.state = State::done;
    tail_crosses(group);
  } else {
    look(slot);
  }
  if (group.before != kNone) wake(group.before);
  if (group.plain) {
    if (group.behind != kNone) wake(group.behind);
    return;
  }
  for_each_hop(group, [&](std::uint32_t at) {
    if (pool_.hop(at).is_channel())
      for_each_group_at(at, group.joint, [&](std::uint32_t behind) { wake(behind); });
  });
}

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

inline void LinkMotion::take_link(Link& link, std::uint32_t vc) {
  link.free_from = now() + flit_cycles_;
  link.pointer = vc + 1;
}

/// The group, which is due, crosses where no other one can want its links in this cycle; else it stands for
/// election, or waits until they are free.
inline void LinkMotion::ask(std::uint32_t slot) {
  const Crossing& group = crossings_[slot];
  if (!group.links) return cross(slot);
  if (!group.plain) [[unlikely]]
    return ask_for_several(slot);
  Link& link = *group.link;
  if (link.free_from > now()) return due_in(slot, link.free_from);
  if (link.crossing > 1) return stand_for_election(slot);
  take_link(link, group.vc);
  cross(slot);
}

void LinkMotion::ask_for_several(std::uint32_t slot) {
  const Crossing& group = crossings_[slot];
  const Cycle free_from = links_free_from(group);
  free_from > now() ? due_in(slot, free_from) : stand_for_election(slot);
}

/// At the first of its links in channel order.
void LinkMotion::stand_for_election(std::uint32_t slot) {
  Candidate candidate{nullptr, kNone, 0, kNone, slot, kNone};
  std::uint32_t links = 0;
  for_each_link(crossings_[slot], [&](Link& link, const Hop& hop, std::uint32_t at) {
    ++links;
    if (hop.target < candidate.channel) candidate = {&link, hop.target, hop.vc, at, slot, kNone};
  });
  several_links_ = several_links_ || links > 1;
  candidates_.push_back(candidate);
}

/// Whether a link would rather let `a` pass than `b`.
bool LinkMotion::comes_before(const Candidate& a, const Candidate& b) const {
  if (model().arbitration == Arbitration::first_come)
    return pool_.requested_before(pool_.hop(a.hop), pool_.hop(b.hop));
  const std::uint32_t pointer = a.link->pointer;
  return (a.vc < pointer) != (b.vc < pointer) ? b.vc < pointer : a.vc < b.vc;
}

/// Every candidate needs one link alone: links elect in any order.
void LinkMotion::elect_one_by_one() {
  for (std::uint32_t i = 0; i < candidates_.size(); ++i)
    candidates_[i].next = std::exchange(candidates_[i].link->candidate, i);
  for (const Candidate& candidate : candidates_) {
    Link& link = *candidate.link;
    std::uint32_t best = std::exchange(link.candidate, kNone);
    if (best == kNone) continue;  // it has elected
    const std::uint32_t first = best;
    for (std::uint32_t at = candidates_[best].next; at != kNone; at = candidates_[at].next)
      if (comes_before(candidates_[at], candidates_[best])) best = at;
    take_link(link, candidates_[best].vc);
    for (std::uint32_t at = first; at != kNone; at = candidates_[at].next)
      if (at != best) due_in(candidates_[at].group, link.free_from);
    cross(candidates_[best].group);
  }
}

/// Links elect in channel order; one that was taken for a group elected before elects nobody.
void LinkMotion::elect_in_order() {
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.channel != b.channel) return a.channel < b.channel;
    return comes_before(a, b);
  });
  for (const Candidate& candidate : candidates_) {
    const Cycle free_from = links_free_from(crossings_[candidate.group]);
    if (free_from > now()) {
      due_in(candidate.group, free_from);
      continue;
    }
    for_each_link(crossings_[candidate.group],
                  [&](Link& link, const Hop& hop, std::uint32_t) { take_link(link, hop.vc); });
    cross(candidate.group);
  }
}

void LinkMotion::move(const std::vector<std::uint32_t>& granted) {
  due_now_.swap(next_due_);  // from here on it is the next cycle's
  candidates_.clear();
  several_links_ = false;
  for (const std::uint32_t slot : granted) {  // the header crosses in the cycle of its grant
    const std::uint32_t group = group_of(pool_.hop(slot), slot);
    crossings_[group].state = State::due;
    if (crossings_[group].links) count_on_links(crossings_[group], 1);
    if (crossings_[group].kept.empty()) set_kept(crossings_[group], std::vector<Cycle>(8));
    granted_.push_back(group);
  }
  for (const std::uint32_t group : granted_) ask(group);
  granted_.clear();
  for (const std::uint32_t group : due_now_) ask(group);
  due_now_.clear();
  for (const std::uint32_t group : due_) ask(group);
  due_.clear();
  if (!candidates_.empty()) several_links_ ? elect_in_order() : elect_one_by_one();
  if (!next_due_.empty()) tick_due(now() + 1);
}

bool LinkMotion::crossed_in_window(const WormState& worm, Cycle, std::vector<std::uint64_t>& flits) {
  flits.assign(worm.hops, 0);
  for (std::uint32_t i = 1; i < worm.hops; ++i) {
    const std::uint32_t slot = worm.first + i;
    flits[i] = crossings_[group_of(pool_.hop(slot), slot)].in_window;
  }
  return true;
}

std::unique_ptr<Motion> make_link_motion(EngineCore& core, const Topology& topology,
                                         const SimulationOptions& options) {
  return std::make_unique<LinkMotion>(core, topology, options);
}

}  // namespace wormcast
