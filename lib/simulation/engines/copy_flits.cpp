// The flits of worms under the copy engine that something makes wait: each is looked at only in the cycle in
// which it crosses.
//
// Flit i crosses a hop when it stands at the head of the buffer before it, i flits having left that in every
// branch, the last of them F cycles ago; when it came there H cycles ago; and when the buffer ahead has a
// slot, the flit B places before it in the stream through that buffer having left C cycles ago. All of that
// is known, or the hop sleeps until the last of it becomes known: the cycle is final then. With early reuse
// the stream runs through all worms that use the buffer one after the other, and a header is at the buffer's
// end only when the tail ahead has left. Cost: O(1) a flit and hop, of which a node of many branches is
// looked at once for each of its flits. cite: derived here from rules 7 to 9; the flit engine is its
// measure.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <utility>

#include "simulation/engines/copy_motion.hpp"

namespace wormcast {

/// The hop has just been granted, its worm's flits are moved.
void CopyMotion::activate(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  Flow& flow = flows_[slot];
  flow.base = 0;
  if (early(hop)) {
    stand_behind(slot, buffer_of(hop));
  } else if (hop.is_channel()) {
    buffer_of(hop).freed.clear();  // it has drained
  }
  look(slot);
}

/// Early reuse: the worm's flits follow those granted the channel before.
void CopyMotion::stand_behind(std::uint32_t slot, Buffer& buffer) {
  if (std::exchange(buffer.computed, false)) {
    if (buffer.passable - flit_cycles_ < now()) {  // the tail has left, and its worm may be no more
      buffer.freed.fill(buffer.promised, buffer.passable - flit_cycles_, flit_cycles_, buffer_flits_);
      buffer.last_hop = kNone;
    } else {
      buffer.computed = true;
      turn_to_flits(pool_.hop(buffer.last_hop).worm);
    }
  }
  if (buffer.promised == 0) buffer.freed.clear();
  flows_[slot].base = buffer.promised;
  buffer.promised += pool_.worm(pool_.hop(slot).worm).flits;
  const std::uint32_t ahead = std::exchange(buffer.last_hop, slot);
  if (ahead == kNone) return;
  flows_[slot].ahead = true;
  flows_[ahead].behind = slot;
  set_ahead(slot, ahead);
  suspect(slot);
}

void CopyMotion::header_crosses(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  Flow& flow = flows_[slot];
  flow.first = now();
  if (flow.header_sent || !hop.is_channel()) return;
  Cycle due = now() + hop_cycles(hop);
  if (early(hop)) {
    if (flow.ahead) return;  // when that has left
    due = std::max(due, buffer_of(hop).passable);
  }
  header_due(slot, due + model().routing_cycles);
}

/// What is known already, from when the worm was computed, stays as it is.
void CopyMotion::tail_crosses(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  if (hop.until != kNever || flows_[slot].tail_known) return;
  if (hop.is_consumption()) {
    release_due(slot, now() + model().consumption_held());
    tail_consumed(slot, now());
  } else if (early(hop)) {
    release_due(slot, now() + flit_cycles_);
  }
}

/// The next flit crosses the hop, which is due now.
void CopyMotion::cross(std::uint32_t slot) {
  Flow& flow = flows_[slot];
  const Hop& hop = pool_.hop(slot);
  flow.last = now();
  flow.came.add(now(), buffer_flits_);
  flow.in_window += now() - window_from_ < window_cycles_ ? 1 : 0;
  flow.state = State::asleep;
  if (++flow.crossed == 1) header_crosses(slot);
  if (flow.crossed == pool_.worm(hop.worm).flits) {
    flow.state = State::done;
    tail_crosses(slot);
  }
  if (flow.left + 1 == flow.crossed)  // it is the first at the hop's end
    for (std::uint32_t at = hop.first_child; at != kNone; at = pool_.hop(at).next_sibling) wake(at);
  Flow& node = flows_[hop.parent];
  if (++node.taken == node.branches) leave(hop.parent);
}

/// One more flit has left the end of `node` in every branch.
void CopyMotion::leave(std::uint32_t node) {
  Flow& flow = flows_[node];
  const Hop& hop = pool_.hop(node);
  flow.taken = 0;
  flow.last_left = now();
  const bool tail = ++flow.left == pool_.worm(hop.worm).flits;
  if (hop.is_channel()) {
    Buffer& buffer = buffer_of(hop);
    buffer.freed.add(now(), buffer_flits_);
    const std::uint32_t entering = early(hop) ? buffer.last_hop : node;
    wake(entering);
    if (tail) tail_leaves(node, buffer);
  } else if (tail && hop.until == kNever) {
    release_due(node, now() + flit_cycles_);  // the source
  }
  if (tail) return;
  for (std::uint32_t at = hop.first_child; at != kNone; at = pool_.hop(at).next_sibling) wake(at);
}

/// The tail has left the channel's buffer.
void CopyMotion::tail_leaves(std::uint32_t node, Buffer& buffer) {
  const Hop& hop = pool_.hop(node);
  Flow& flow = flows_[node];
  if (!early(hop)) {
    if (hop.until == kNever) release_due(node, std::max(now() + credit_cycles_, flow.last + flit_cycles_));
    return;
  }
  buffer.passable = now() + flit_cycles_;
  if (buffer.last_hop == node) buffer.last_hop = kNone;
  if (flow.behind == kNone) return;
  Flow& next = flows_[flow.behind];
  next.ahead = false;
  set_ahead(flow.behind, kNone);
  if (next.crossed > 0)
    header_due(flow.behind, std::max(next.first + hop_cycles(pool_.hop(flow.behind)), buffer.passable) +
                                model().routing_cycles);
}

}  // namespace wormcast
