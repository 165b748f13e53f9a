// The measure of all engines: every flit of every worm moves by itself, in every cycle in which one can.
//
// A group of hops crosses together: the outputs of a node where copies move together, a single hop otherwise.
// In a cycle its next flit crosses if the one before it did so F cycles ago, it came to the node H cycles
// ago, and every buffer ahead has a slot, its last flit having left C cycles ago. H, F and C are at least 1,
// so what happens in a cycle depends on earlier cycles only and groups can be taken in any order. Where
// virtual channels share links, each link first picks one of the groups that could move: round robin over
// virtual channels or the one granted first, links in channel order; a group that needs several links stands
// for election at the first of them, and wins all or none.
//
// Where routers copy flit by flit, the outputs of a node are groups of their own, but the flit that they take
// is the first in the buffer (or source): the next one comes there F after it has left in every branch.
//
// A buffer counts its flits as a stream through all worms that use it one after the other, so that with early
// reuse several worms can stand in it; a header is at its end only when the tail ahead has left. Cost: one
// look at each worm's every output a cycle.
// cite: Dally, Seitz: Deadlock-free message routing in multiprocessor interconnection networks.
// SPDX-License-Identifier: MIT
#include "unit/simulation/reference_engine.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "router/router_rules.hpp"
#include "simulation/engines/engine_core.hpp"
#include "unit/simulation/reference_state.hpp"

namespace wormcast {
namespace {

class FlitMotion final : public Motion {
 public:
  FlitMotion(EngineCore& core, const SimulationOptions& options)
      : Motion(core),
        discipline_(options.model.discipline()),
        source_flits_(discipline_.buffers_sources ? options.model.buffer_flits : kNever),
        slots_count_(grants_need_slots(options.model)),
        window_(options.window) {}

 private:
  /// Outputs that cross together: all children of `node`, or `hop` alone (of a reduction `hop` twice).
  struct Group {
    std::uint32_t node;
    std::uint32_t hop;
  };
  /// A group that stands for election at a link.
  struct Candidate {
    ChannelId channel;
    std::uint32_t vc;
    std::uint32_t hop;
    std::size_t group;  ///< index in active_
  };

  std::string_view name() const override { return "reference"; }

  void worm_added(std::uint32_t worm) override {
    if (crossings_.size() < pool_.hop_slots()) crossings_.resize(pool_.hop_slots());
    const WormState& state = pool_.worm(worm);
    for (std::uint32_t slot = state.first; slot < state.first + state.hops; ++slot) {
      DelayedCount kept = std::move(crossings_[slot].arrived);
      kept.reset();
      crossings_[slot] = FlitCrossing{};
      crossings_[slot].arrived = std::move(kept);
    }
  }

  template <class Visit>
  void for_each_hop(const Group& group, Visit visit) {
    if (!pool_.worm_of(pool_.hop(group.node)).together) return visit(group.hop);
    for (std::uint32_t at = pool_.hop(group.node).first_child; at != kNone; at = pool_.hop(at).next_sibling)
      visit(at);
  }

  void activate(const Group& group) {
    active_.push_back(group);
    for_each_hop(group, [&](std::uint32_t slot) {
      const Hop& granted = pool_.hop(slot);
      if (!granted.is_channel()) return;
      FlitBuffer& buffer = buffers_[granted.resource.value];
      crossings_[slot].base = buffer.promised;
      buffer.promised += pool_.worm(granted.worm).flits;
      if (early(granted)) held_early(slot);
    });
  }

  void held_early(std::uint32_t slot) override {
    if (std::exchange(crossings_[slot].queued, true)) return;
    FlitBuffer& buffer = buffers_[pool_.hop(slot).resource.value];
    const std::uint32_t ahead = std::exchange(buffer.last_hop, slot);
    if (ahead == kNone) return;
    crossings_[slot].ahead = true;
    crossings_[ahead].behind = slot;
    core_.set_ahead(slot, ahead);
    core_.suspect(slot);
  }

  /// The hops whose ends the flit leaves.
  template <class Visit>
  void for_each_before(const Group& group, Visit visit) {
    const bool joins = group.node == group.hop;
    std::uint32_t at = joins ? pool_.hop(group.hop).first_child : group.node;
    for (; at != kNone; at = joins ? pool_.hop(at).next_sibling : kNone) visit(at);
  }

  bool can_cross(const Group& group) {
    const std::uint64_t flit = crossings_[group.hop].flits;
    if (flit > 0 && discipline_.copies_flit_by_flit() && !is_first(group.node, flit)) return false;
    bool room = true;
    for_each_before(group, [&](std::uint32_t node) { room = room && stands_before(node, flit); });
    for_each_hop(group, [&](std::uint32_t slot) {
      const Hop& hop = pool_.hop(slot);
      FlitCrossing& crossing = crossings_[slot];
      room = room && (flit == 0 || crossing.last + flit_cycles(hop) <= now());
      if (!room) return;
      if (waits_for_node(hop))
        room = flit < crossing.arrived.visible(now(), model().consumption_cycles) + buffer_flits(hop);
      if (hop.is_channel()) room = has_slot(hop, crossing.base + flit);
    });
    return room;
  }

  /// The flit has come to the end of `node`, or of the source to where it is read.
  bool stands_before(std::uint32_t node, std::uint64_t flit) {
    const Hop& hop = pool_.hop(node);
    if (hop.kind == HopKind::injection) return flit - crossings_[node].left < source_flits_;
    return crossings_[node].arrived.visible(now(), hop_cycles(hop)) > flit;
  }

  /// The flit at `place` in the stream through the buffer behind the hop can enter it. A register before it
  /// takes one flit more where that follows without a gap, or the last slot has just been given back.
  bool has_slot(const Hop& hop, std::uint64_t place) {
    FlitBuffer& buffer = buffers_[hop.resource.value];
    const std::uint64_t slots = buffer.freed.visible(now(), model().credit_cycles) + buffer_flits(hop);
    if (place < slots) return true;
    return discipline_.registers > 0 && place == slots &&
           (buffer.entered + flit_cycles(hop) == now() ||
            buffer.freed.last() + model().credit_cycles == now());
  }

  /// From elsewhere, sources included, into a ring that may not fill.
  bool enters_ring(const Hop& hop) const {
    if (!discipline_.slots_differ()) return false;
    const auto ring = ring_of(topology(), ChannelId{hop.target});
    const Hop& before = pool_.hop(hop.parent);
    const bool goes_on =
        before.is_network() && before.vc == hop.vc && ring == ring_of(topology(), ChannelId{before.target});
    return ring && !goes_on;
  }

  std::uint64_t slots_for(const Hop& hop) {
    const bool counts = hop.is_network() && discipline_.slots != nullptr;
    return counts ? discipline_.slots(pool_.worm_of(hop).flits, enters_ring(hop)) : 1;
  }

  /// Asked where grants_need_slots() alone: a header then needs at least one.
  Cycle slot_for_header(const Hop& hop) override {
    if (!hop.is_channel()) return now();
    FlitBuffer& buffer = buffers_[hop.resource.value];
    const std::uint64_t needed = buffer.promised + slots_for(hop);
    if (has_slot(hop, needed - 1)) return now();
    const Cycle left = buffer.freed.when(needed - buffer_flits(hop));
    return left == kNever ? kNever : left + model().credit_cycles;
  }

  bool tail_is_next(std::uint32_t node) override {
    const std::uint64_t flits = pool_.worm_of(pool_.hop(node)).flits;
    return crossings_[node].left + 1 == flits && stands_before(node, flits - 1);
  }

  bool needs_link(const Group& group) {
    bool needs = false;
    if (model().shared_links)
      for_each_hop(group, [&](std::uint32_t slot) { needs = needs || pool_.hop(slot).is_network(); });
    return needs;
  }

  bool links_free(const Group& group) {
    bool free = true;
    for_each_hop(group, [&](std::uint32_t slot) {
      if (pool_.hop(slot).is_network()) free = free && links_[pool_.hop(slot).target].free_from <= now();
    });
    return free;
  }

  void cross_hop(std::uint32_t slot) {
    const Hop& hop = pool_.hop(slot);
    const WormState& worm = pool_.worm(hop.worm);
    FlitCrossing& crossing = crossings_[slot];
    const bool header = crossing.flits == 0;
    const bool tail = ++crossing.flits == worm.flits;
    crossing.last = now();
    if (window_ && window_->contains(now())) ++crossing.in_window;
    if (tail && discipline_.copies_serially() && hop.next_sibling != kNone)
      core_.request_later(hop.next_sibling, now() + model().flit_cycles);
    if (!uniform_) core_.tick_due(now() + flit_cycles(hop));
    if (hop.is_channel()) {
      buffers_[hop.resource.value].entered = now();
      crossing.arrived.add(now());
      if (!uniform_) core_.tick_due(now() + hop_cycles(hop));
      if (header) {
        crossing.first = now();
        const Cycle due = now() + hop_cycles(hop);
        if (!early(hop))
          core_.header_due(slot, due + model().routing_cycles);
        else if (!crossing.ahead)
          core_.header_due(slot,
                           std::max(due, buffers_[hop.resource.value].passable) + model().routing_cycles);
      }
      if (tail && early(hop)) core_.release_due(slot, now() + flit_cycles(hop));
      if (hop.is_network() && model().shared_links) {
        FlitLink& link = links_[hop.target];
        link.free_from = now() + flit_cycles(hop);
        link.pointer = hop.vc + 1;
      }
      return;
    }
    if (waits_for_node(hop)) {
      crossing.arrived.add(now());
      core_.tick_due(now() + model().consumption_cycles);
    }
    if (tail) {
      core_.release_due(slot, now() + model().consumption_held(flit_cycles(hop)));
      core_.tail_due(slot, now());
    }
  }

  /// A flit has left the end of `node` in every branch.
  void left_buffer(std::uint32_t node) {
    const Hop& hop = pool_.hop(node);
    FlitCrossing& crossing = crossings_[node];
    const bool tail = ++crossing.left == pool_.worm(hop.worm).flits;
    crossing.last_left = now();
    if (hop.kind == HopKind::injection) {
      if (tail) core_.release_due(node, now() + model().flit_cycles);
      return;
    }
    FlitBuffer& buffer = buffers_[hop.resource.value];
    buffer.freed.add(now());
    if (slots_count_) core_.slot_due(node, now() + model().credit_cycles);
    if (!tail) return;
    if (!early(hop)) {
      core_.release_due(node, model().released(now(), crossing.last, flit_cycles(hop)));
      return;
    }
    buffer.passable = now() + model().flit_cycles;
    if (buffer.last_hop == node) buffer.last_hop = kNone;
    if (crossing.behind == kNone) return;
    FlitCrossing& next = crossings_[crossing.behind];
    next.ahead = false;
    core_.set_ahead(crossing.behind, kNone);
    if (next.flits > 0)
      core_.header_due(crossing.behind,
                       std::max(next.first + hop_cycles(pool_.hop(crossing.behind)), buffer.passable) +
                           model().routing_cycles);
  }

  /// The group's next flit crosses; true if that was the tail.
  bool cross(const Group& group) {
    for_each_hop(group, [&](std::uint32_t slot) { cross_hop(slot); });
    for_each_before(group, [&](std::uint32_t node) {
      std::uint64_t left = crossings_[group.hop].flits;
      std::uint32_t at = group.node == group.hop ? kNone : pool_.hop(node).first_child;
      for (; at != kNone; at = pool_.hop(at).next_sibling) left = std::min(left, crossings_[at].flits);
      if (left > crossings_[node].left) left_buffer(node);
    });
    return crossings_[group.hop].flits == pool_.worm_of(pool_.hop(group.hop)).flits;
  }

  /// Each link with candidates lets one of them pass.
  void elect() {
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return a.channel != b.channel ? a.channel < b.channel : a.vc < b.vc;
    });
    for (std::size_t begin = 0, end = 0; begin < candidates_.size(); begin = end) {
      const ChannelId channel = candidates_[begin].channel;
      while (end < candidates_.size() && candidates_[end].channel == channel) ++end;
      const std::uint32_t pointer = links_[channel.value].pointer;
      std::size_t first = begin;
      while (first < end && candidates_[first].vc < pointer) ++first;
      if (model().arbitration == Arbitration::first_come) {
        std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(begin),
                  candidates_.begin() + static_cast<std::ptrdiff_t>(end),
                  [&](const Candidate& a, const Candidate& b) {  // by their grants, ties as requests (rule 6)
                    return pool_.requested_before(pool_.hop(a.hop), pool_.hop(b.hop));
                  });
        first = begin;
      }
      for (std::size_t i = 0; i < end - begin; ++i) {
        const Candidate& candidate = candidates_[begin + (first - begin + i) % (end - begin)];
        if (moved_[candidate.group] || !links_free(active_[candidate.group])) continue;
        moved_[candidate.group] = true;
        if (cross(active_[candidate.group])) active_[candidate.group].node = kNone;
        break;
      }
    }
  }

  void move(const std::vector<std::uint32_t>& granted) override {
    for (const std::uint32_t hop : granted)
      activate({pool_.worm_of(pool_.hop(hop)).joins ? hop : pool_.hop(hop).parent, hop});
    bool any = false;
    candidates_.clear();
    moved_.assign(model().shared_links ? active_.size() : 0, false);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const Group group = active_[i];
      if (!can_cross(group)) continue;
      if (needs_link(group)) {
        if (!links_free(group)) continue;
        any = true;
        Candidate candidate{ChannelId{0xffffffff}, 0, kNone, i};  // at its first link in channel order
        for_each_hop(group, [&](std::uint32_t slot) {
          const Hop& hop = pool_.hop(slot);
          if (hop.is_network() && ChannelId{hop.target} < candidate.channel)
            candidate = {ChannelId{hop.target}, hop.vc, slot, i};
        });
        candidates_.push_back(candidate);
        continue;
      }
      any = true;
      if (cross(group)) active_[i].node = kNone;
    }
    if (!candidates_.empty()) elect();
    if (!any) return;
    core_.moves();
    std::erase_if(active_, [](const Group& group) { return group.node == kNone; });
    core_.tick_due(now() + model().hop_cycles);
    if (model().flit_cycles != model().hop_cycles) core_.tick_due(now() + model().flit_cycles);
    if (model().credit_cycles != model().hop_cycles && model().credit_cycles != model().flit_cycles)
      core_.tick_due(now() + model().credit_cycles);
  }

  std::uint64_t crossed_in_window(std::uint32_t hop, Cycle /*end*/) override {
    return crossings_[hop].in_window;
  }

  void begin_window(const WindowOptions& window) override { window_ = window; }
  std::uint32_t last_in_buffer(const Hop& hop) const override {
    const FlitBuffer* buffer = hop.is_network() ? buffers_.find(hop.resource.value) : nullptr;
    return buffer == nullptr ? kNone : buffer->last_hop;
  }

  /// Flit by flit: the flit stands at the head of the buffer at the end of `node`, or of the source.
  bool is_first(std::uint32_t node, std::uint64_t flit) const {
    return crossings_[node].left == flit && crossings_[node].last_left + model().flit_cycles <= now();
  }

  bool early(const Hop& hop) const { return hop.is_network() && model().reuses_early(); }

  const Discipline& discipline_;
  std::uint64_t source_flits_;  ///< that stand before a source's outputs
  bool slots_count_;            ///< headers wait for them without holding anything
  std::optional<WindowOptions> window_;
  std::vector<FlitCrossing> crossings_;  ///< by hop slot
  PagedArray<FlitBuffer> buffers_;       ///< by resource
  PagedArray<FlitLink> links_;           ///< by channel
  std::vector<Group> active_;            ///< granted, tail not yet across
  std::vector<Candidate> candidates_;
  std::vector<bool> moved_;  ///< parallel to active_, while links elect
};

}  // namespace

std::unique_ptr<Engine> make_reference_engine(const Topology& topology, const SimulationOptions& options) {
  const MakeMotion make = [](EngineCore& core, const SimulationOptions& same) -> std::unique_ptr<Motion> {
    return std::make_unique<FlitMotion>(core, same);
  };
  return std::make_unique<EngineCore>(topology, options, make);
}

}  // namespace wormcast
