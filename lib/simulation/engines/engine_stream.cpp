// Worms come from the stream, retire, and are counted.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "multicast/check.hpp"
#include "simulation/engines/engine_core.hpp"
#include "topology/error.hpp"

namespace wormcast {

RouteNeeds EngineCore::prepare(Routes& routes) {
  const RouteNeeds needs = check_simulable(pool_.resources(), routes);
  if (model().shared_links && model().copies == Copies::as_planned && topology_->spec().virtual_channels != 1)
    check_links_once(*topology_, routes);
  for (std::size_t w = 0; w < routes.worms.size(); ++w)
    check_ring_entry(*topology_, model(), routes.worms[w],
                     routes.worms[w].flits(routes.plan.request.length_flits, model().header_flits), w);
  if (routes.plan.request.reduces()) {
    const char* const why = join_lack(model());
    if (why != nullptr || may_hand_over_ || motion_->name() == "link")
      throw InputError(
          "start_cycles",
          std::string("a reduction: ") + (why != nullptr ? why : "only --engine flit joins its parts here"));
  }
  if (may_hand_over_ && uses_second_vc(routes)) hand_over(routes.plan.request.start_cycle);
  return needs;
}

std::uint32_t EngineCore::add_worm(const Routes& routes, std::uint32_t index, const MulticastState& state) {
  const std::uint32_t slot = pool_.add(state.delivery.plan.request, routes.worms, index, state.slot);
  motion_->worm_added(slot);
  return slot;
}

void EngineCore::follow(std::uint32_t before, std::uint32_t worm) {
  pool_.worm(worm).next_follower = std::exchange(pool_.worm(before).followers, worm);
}

void EngineCore::start(std::uint32_t slot, Cycle cycle) { request_later(pool_.worm(slot).first, cycle); }

void EngineCore::added(const Request& request, const std::vector<WormRoute>& worms) {
  if (request.reduces()) take_reduction(request, worms);
  if (answers_) take_answer(request, worms);
}

void EngineCore::end_stream() {
  find_standstill();
  if (answers_ && !stopped_) answers_->refuse_unanswered();
}

/// Worms that let go of the last that they hold before `end` make room for others. Nothing else follows from
/// it, so it is no event.
void EngineCore::retire_before(Cycle end) {
  Summary& totals = ledger_.totals();
  while (!retiring_.empty() && retiring_.first().cycle < end) {
    const auto [cycle, slot] = retiring_.first();
    retiring_.pop();
    const WormState& worm = pool_.worm(slot);
    totals.last_cycle = std::max(totals.last_cycle, cycle);
    totals.flit_hops += worm.flits * worm.channels;
    ++totals.finished_worms;
    if (options_.channel_loads) load(worm);
    --unfinished_worms_;
    for (std::uint32_t at = worm.first; answers_ && at < worm.first + worm.hops; ++at)
      grants_.forget_lent(at);
    pool_.remove(slot);
  }
}

/// What the worm has carried over channels: it has let go of everything, or the run has ended. In a closed
/// run channels count that it has passed entirely.
void EngineCore::load(const WormState& worm) {
  for (std::uint32_t at = worm.first + 1; at < worm.first + worm.hops; ++at) {
    const Hop& hop = pool_.hop(at);
    if (!hop.is_network() || hop.state != HopState::held) continue;
    if (options_.window)
      count_load(hop.target, hop.since, hop.until, motion_->crossed_in_window(at, end_));
    else if (hop.until < end_)
      count_load(hop.target, hop.since, hop.until, worm.flits);
  }
}

void EngineCore::settle_rest() {
  Summary& totals = ledger_.totals();
  const auto for_each = [&](auto visit) {
    for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot)
      if (pool_.worm(slot).under_way) visit(pool_.worm(slot));  // else its slots are free or another's
  };
  for_each([&](const WormState& worm) {
    if (options_.channel_loads) load(worm);
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
      if (pool_.hop(at).until < end_) totals.last_cycle = std::max(totals.last_cycle, pool_.hop(at).until);
  });
  if (options_.observer == nullptr) return;
  const Cycle end = stopped_ ? end_ : totals.last_cycle + 1;
  for_each([&](const WormState& worm) {
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
      const Hop& hop = pool_.hop(at);
      if (hop.state == HopState::held && hop.since < end && hop.until >= end)
        options_.observer->still_held({worm.id, worm.index}, hop.resource, hop.since, end);
    }
  });
}

}  // namespace wormcast
