// What crosses together under the link engine: worked out from a worm's hops when it is taken in, and from
// its past when the worm engine hands over (hand_over.cpp).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulation/engines/link_motion.hpp"

namespace wormcast {

/// H of the hop: a link's own where it has one.
std::uint32_t LinkMotion::hop_cycles(const Hop& hop) const {
  if (uniform_ || hop.kind == HopKind::injection) return model().hop_cycles;
  if (hop.is_network()) return topology_.hop_cycles(ChannelId{hop.target}, model().hop_cycles);
  return topology_.host_hop_cycles(HostId{hop.target}, hop.is_consumption(), model().hop_cycles);
}

/// As in the flit engine: flits come to wait for the node's credits only where the buffer before is wider.
bool LinkMotion::waits_for_node(const Hop& hop) const {
  const WormState& worm = pool_.worm(hop.worm);
  if (!hop.is_consumption() || model().consumption_cycles == 0) return false;
  if (!uniform_) return true;
  for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
    if (pool_.hop(at).is_channel()) return false;
  return true;
}

void LinkMotion::worm_added(std::uint32_t worm_slot) {
  if (crossings_.size() < pool_.hop_slots()) crossings_.resize(pool_.hop_slots());
  const WormState& worm = pool_.worm(worm_slot);
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) crossings_[slot].open = 0;
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) set_group(worm, slot);
}

/// Works out what stands at the slot, if a group does.
void LinkMotion::set_group(const WormState& worm, std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  Crossing& group = crossings_[slot];
  group.state = State::idle;
  group.crossed = 0;
  group.in_window = 0;
  group.hop = worm.joint ? hop.first_child : slot;
  if (group.hop == kNone || (!worm.joint && slot == worm.first)) return;
  group.joint = worm.joint;
  group.flits = worm.flits;
  group.node = worm.joint ? slot : hop.parent;
  ++crossings_[group.node].open;
  const Hop& node = pool_.hop(group.node);
  group.before = node.kind == HopKind::injection ? kNone : group_of(node, group.node);
  group.hop_cycles = hop_cycles(node);
  group.link = nullptr;
  group.links = false;
  group.behind = kNone;
  std::uint32_t channels = 0;
  std::uint32_t behind = 0;
  group.plain = true;
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& output = pool_.hop(at);
    if (waits_for_node(output)) group.plain = false;
    if (!output.is_channel()) return;
    ++channels;
    if (output.is_network() && shared_links_) {
      group.link = &links_[output.target];
      group.links = true;
      group.vc = output.vc;
    }
    for_each_group_at(at, worm.joint, [&](std::uint32_t next) {
      group.behind = next;
      ++behind;
    });
  });
  group.plain = group.plain && channels <= 1 && behind <= 1;
}

// Taking over from the worm engine.

void LinkMotion::adopt(Crossings& past, Cycle from) {
  for (std::uint32_t worm = 0; worm < pool_.worm_slots(); ++worm)
    if (pool_.worm(worm).under_way) adopt_worm(worm, past, from);
  // When all are known.
  for (std::uint32_t slot = 0; slot < crossings_.size(); ++slot)
    if (crossings_[slot].state == State::asleep) look(slot);
  if (shared_links_) adopt_links();
  if (!next_due_.empty()) tick_due(now() + 1);
}

void LinkMotion::adopt_worm(std::uint32_t worm_slot, Crossings& past, Cycle from) {
  worm_added(worm_slot);
  const WormState& worm = pool_.worm(worm_slot);
  past.last_cycles(worm, from, buffer_flits_, past_cycles_);
  past.count(worm, from, past_flits_);
  for (std::uint32_t i = 1; i < worm.hops; ++i) {
    const std::uint32_t slot = worm.first + i;
    const std::uint32_t at = group_of(pool_.hop(slot), slot);
    Crossing& group = crossings_[at];
    if (past_flits_[i] == 0 || group.state != State::idle) continue;  // or seen with the hop beside it
    const std::vector<Cycle>& cycles = past_cycles_[i];
    set_kept(group, std::vector<Cycle>(std::bit_ceil(std::max<std::size_t>(8, cycles.size()))));
    group.crossed = past_flits_[i] - cycles.size();
    for (const Cycle cycle : cycles) keep(group, cycle);
    group.state = group.crossed == group.flits ? State::done : State::asleep;
    if (group.state == State::done)
      --crossings_[group.node].open;
    else if (group.links)
      count_on_links(group, 1);
  }
  if (window_cycles_ == 0 || window_from_ >= from) return;
  past.count(worm, std::min(from, window_from_ + window_cycles_), past_flits_);
  std::vector<std::uint64_t> before;
  past.count(worm, window_from_, before);
  for (std::uint32_t i = 1; i < worm.hops; ++i) {
    const std::uint32_t slot = worm.first + i;
    crossings_[group_of(pool_.hop(slot), slot)].in_window = past_flits_[i] - before[i];
  }
}

/// Each link has been used by one virtual channel only; the last flit over it says when it is free.
void LinkMotion::adopt_links() {
  const ResourceTable& states = pool_.resource_states();
  for (std::uint32_t vc = 0; states.ids().bound(vc) < states.bound(); ++vc)
    for (std::uint32_t channel = 0; channel < topology_.channel_bound(); ++channel) {
      const ResourceState* state = states.find(states.ids().network(ChannelId{channel}, vc));
      if (state == nullptr || state->holders == kNone) continue;
      const std::uint32_t slot = state->holders;  // of the latest worm, or another's by now
      const Hop& hop = pool_.hop(slot);
      const bool holds =
          hop.resource_state == state && hop.state == HopState::held && pool_.worm(hop.worm).under_way;
      const Crossing& group = crossings_[holds ? group_of(hop, slot) : 0];
      const bool crosses = holds && group.crossed > 0;
      if (holds && !crosses && !state->carried) continue;
      links_[channel].pointer = vc + 1;
      if (crosses) links_[channel].free_from = group.last + flit_cycles_;
    }
}

std::unique_ptr<Motion> take_over_by_links(EngineCore& core, const Topology& topology,
                                           const SimulationOptions& options, Crossings& past, Cycle from) {
  auto motion = std::make_unique<LinkMotion>(core, topology, options);
  motion->adopt(past, from);
  return motion;
}

}  // namespace wormcast
