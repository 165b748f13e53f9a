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
