// Links that virtual channels share, under the link engine.
//
// A group that is due asks for its links. A link that is not free makes it due again when it is; of those
// that ask in one cycle each link picks one: round robin over virtual channels or the one granted first,
// links in channel order; a group that needs several links stands for election at the first of them, and wins
// all or none. A group that alone has flits to come over its one link needs no election.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <utility>

#include "simulation/engines/link_motion.hpp"

namespace wormcast {

/// Calls `visit` with every shared link of the group, and the hop that needs it.
template <class Visit>
void LinkMotion::for_each_link(const Crossing& group, Visit visit) {
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (hop.is_network()) visit(links_[hop.target], hop, at);
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

/// The group, which is due, crosses where no other one can want its link in this cycle; else it stands for
/// election, or waits until its links are free.
void LinkMotion::ask_for_link(std::uint32_t slot) {
  const Crossing& group = crossings_[slot];
  if (!group.plain) [[unlikely]] {
    const Cycle free_from = links_free_from(group);
    return free_from > now() ? due_in(slot, free_from) : stand_for_election(slot);
  }
  Link& link = *group.link;
  if (link.free_from > now()) return due_in(slot, link.free_from);
  if (link.crossing > 1) return stand_for_election(slot);
  take_link(link, group.vc);
  cross(slot);
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

void LinkMotion::elect() {
  std::exchange(several_links_, false) ? elect_in_order() : elect_one_by_one();
  candidates_.clear();
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

}  // namespace wormcast
