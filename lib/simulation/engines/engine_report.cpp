// What all engines say of a run at its end: what is still held, the totals, the loads of the channels.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulation/engines/engine_core.hpp"

namespace wormcast {

/// Reports what worms hold that never let go of it.
void EngineCore::observe_rest() {
  const Cycle end = stopped_ ? end_ : ledger_.totals().last_cycle + 1;
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot) {
    const WormState& worm = pool_.worm(slot);
    if (!worm.under_way) continue;  // its slots are free or another's
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
      const Hop& hop = pool_.hop(at);
      if (hop.state == HopState::held && hop.since < end && hop.until >= end)
        options_.observer->still_held({worm.id, worm.index}, hop.resource, hop.since, end);
    }
  }
}

/// Takes back what was counted of releases that the run did not come to.
void EngineCore::uncount_rest() {
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot) {
    const WormState& worm = pool_.worm(slot);
    if (!worm.under_way) continue;
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
      const Hop& hop = pool_.hop(at);
      if (hop.until == kNever) continue;
      if (hop.until < end_) {
        ledger_.totals().last_cycle = std::max(ledger_.totals().last_cycle, hop.until);
        continue;
      }
      if (closed_loads_) hop.resource_state->load.take_back(worm.flits, hop.until - hop.since);
    }
  }
}

/// Nothing crosses after the run's end, so what a motion has counted itself ends there.
void EngineCore::crossed_in_window(const WormState& worm, Cycle end, std::vector<std::uint64_t>& flits) {
  if (motion_->crossed_in_window(worm, end, flits)) return;
  const WindowOptions& window = *options_.window;
  window_crossings_.count(worm, std::min(end, window.end()), flits);
  if (pool_.hop(worm.first).since >= window.warmup_cycles) return;  // all within it
  window_crossings_.count(worm, window.warmup_cycles, crossed_before_);
  for (std::size_t i = 0; i < flits.size(); ++i) flits[i] -= std::min(flits[i], crossed_before_[i]);
}

/// Adds the worm to the loads of the window; it has let go of everything, or the run has ended.
void EngineCore::load_window(const WormState& worm) {
  if (!window_loads_->meets(pool_, worm)) return;
  crossed_in_window(worm, end_, crossed_);
  window_loads_->add(pool_, worm, crossed_, end_);
}

void EngineCore::load_window_with_rest() {
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot)
    if (pool_.worm(slot).under_way) load_window(pool_.worm(slot));
}

Summary EngineCore::summary() const {
  Summary result = counted_ ? *counted_ : ledger_.totals();
  result.outcome = deadlock_ ? Outcome::deadlock : saturated_ ? Outcome::saturated : Outcome::complete;
  if (ledger_.window() && !counted_) result.window = ledger_.window()->summary(end_);
  result.deadlock = deadlock_;
  return result;
}

std::vector<ChannelLoad> EngineCore::channel_loads() const {
  if (window_loads_) return window_loads_->loads(ledger_.window()->summary(end_).observed_cycles);
  if (!closed_loads_) return {};
  const ResourceTable& states = pool_.resource_states();
  std::vector<ChannelLoad> result;
  for (std::uint32_t number = 0; number < topology_->channel_bound(); ++number) {
    ChannelLoad sum;
    sum.channel = ChannelId{number};
    for (std::uint32_t vc = 0; states.ids().bound(vc) < states.bound(); ++vc) {
      const ResourceState* state = states.find(states.ids().network(sum.channel, vc));
      if (state == nullptr) continue;
      sum.worms += state->load.worms;
      sum.flits += state->load.flits;
      sum.held_cycles += state->load.held;
    }
    if (sum.worms > 0) result.push_back(sum);
  }
  return result;
}

void WindowLoads::add(const WormPool& pool, const WormState& worm, const std::vector<std::uint64_t>& flits,
                      Cycle end) {
  end = std::min(end, window_.end());
  for (std::uint32_t i = 1; i < worm.hops; ++i) {
    const Hop& hop = pool.hop(worm.first + i);
    if (!hop.is_network() || hop.state != HopState::held) continue;
    const Cycle from = std::max(hop.since, window_.warmup_cycles);
    const Cycle until = std::min(hop.until, end);
    if (from >= until) continue;
    ChannelLoad& load = loads_[hop.target];
    load.worms += flits[i] > 0 ? 1 : 0;
    load.flits += flits[i];
    load.held_cycles += until - from;
  }
}

std::vector<ChannelLoad> WindowLoads::loads(Cycle observed) const {
  std::vector<ChannelLoad> result;
  for (std::uint32_t number = 0; number < loads_.bound(); ++number) {
    const ChannelLoad* load = loads_.find(number);
    if (load == nullptr || load->held_cycles == 0) continue;
    result.push_back(*load);
    result.back().channel = ChannelId{number};
    result.back().observed_cycles = observed;
  }
  return result;
}

}  // namespace wormcast
