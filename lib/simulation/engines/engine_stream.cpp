// The stream beside the cycle: multicasts are taken in, the clock runs up to the start of the last, worms
// retire, deliveries are given out, and the run ends with its window, its stream, or a deadlock.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "multicast/check.hpp"
#include "simulation/engines/engine_core.hpp"
#include "simulation/route_check.hpp"
#include "topology/error.hpp"

namespace wormcast {

void EngineCore::take(Routes& routes) {
  if (stopped_) return;
  const Cycle start_cycle = routes.plan.request.start_cycle;
  if (start_cycle < horizon_)
    throw InputError("start_cycle", std::to_string(start_cycle) + " lies before the " +
                                        std::to_string(horizon_) + " of a multicast before it");
  if (!options_.routes_checked) check_routes(routes, *topology_);
  const RouteNeeds needs = check_simulable(pool_.resources(), routes);
  if (routes.plan.request.reduces()) {
    if (!motion_->joins() || model().copies == Copies::per_flit)
      throw InputError("start_cycles", fmt::format("a reduction, whose parts only --engine {} joins",
                                                   model().copies == Copies::per_flit ? "join" : "flit"));
    check_joins(model());
  }
  if (model().shared_links && model().copies == Copies::as_planned && topology_->spec().virtual_channels != 1)
    check_links_once(*topology_, routes);
  if (!motion_->follows(routes)) hand_over(start_cycle);
  time_bound_.add(routes, needs.latest_request);
  if (put_off_ > 0 && !routes.plan.request.depends_on.empty()) {  // what is over need not go to its source
    catch_up();
    ledger_.settle(horizon_, model().flit_cycles);
  }
  MulticastState& state = ledger_.open(routes.plan, needs.consumption_hops, model().flit_cycles);
  const Request& request = state.delivery.plan.request;

  const bool ready = state.open_dependencies == 0;
  slots_.clear();
  for (std::uint32_t i = 0; i < routes.worms.size(); ++i) {
    const std::uint32_t slot = pool_.add(request, routes.worms, i, state.slot);
    const std::int32_t after = routes.worms[i].after;
    slots_.push_back(slot);
    motion_->worm_added(slot);
    if (after >= 0 && !request.reduces()) {
      WormState& before = pool_.worm(slots_[static_cast<std::size_t>(after)]);
      pool_.worm(slot).next_follower = std::exchange(before.followers, slot);
    } else if (request.reduces()) {
      continue;  // its parts start one by one
    } else if (ready) {
      start(pool_.worm(slot), state.ready);
    } else {
      starters_[state.slot].push_back(slot);
    }
  }
  if (request.reduces()) take_reduction(request, routes.worms, state);
  if (answers_) take_answer(request, routes.worms);
  ledger_.totals().worms += routes.worms.size();
  unfinished_worms_ += routes.worms.size();
  horizon_ = start_cycle;
}

/// The worm, which has just been taken, is ready at `cycle`.
inline void EngineCore::start(const WormState& worm, Cycle cycle) {
  if (model().path_reservation) return request_later(worm.first, cycle);
  if (!sources_.add(std::max(cycle, pool_.hop(worm.first).since), worm.first))
    request_later(worm.first, cycle);
}

/// Starts the worms of a multicast that had to wait for others.
void EngineCore::start(std::uint32_t multicast) {
  if (ledger_.at(multicast).delivery.plan.request.reduces()) return start_parts(multicast);
  const Cycle ready = ledger_.at(multicast).ready;
  for (const std::uint32_t worm : starters_[multicast]) request_later(pool_.worm(worm).first, ready);
  starters_.erase(multicast);
}

void EngineCore::advance() {
  const bool may_end = options_.window || options_.stop_on_deadlock;  // what comes then is not even counted
  if (!may_end && ++put_off_ < options_.taken_at_once) return;
  catch_up();
  if (options_.window && !stopped_) end_window();
}

void EngineCore::catch_up() {
  put_off_ = 0;
  run_before(horizon_);
  simulated_ = horizon_;
  retire_before(now_);
}

/// Worms that let go of the last that they hold before `end`, which is no later than what has been simulated,
/// make room for others. Nothing else follows from it, so it is no event.
void EngineCore::retire_before(Cycle end) {
  Summary& totals = ledger_.totals();
  while (!retiring_.empty() && retiring_.first().cycle < end) {
    const auto [cycle, slot] = retiring_.first();
    retiring_.pop();
    const WormState& worm = pool_.worm(slot);
    totals.last_cycle = std::max(totals.last_cycle, cycle);
    totals.flit_hops += worm.flits * worm.channels;
    ++totals.finished_worms;
    if (window_loads_) load_window(worm);
    --unfinished_worms_;
    for (std::uint32_t at = worm.first; answers_ && at < worm.first + worm.hops; ++at)
      grants_.forget_lent(at);
    pool_.remove(slot);
  }
}

/// The run ends with its window, or when too much has piled up.
void EngineCore::end_window() {
  const OpenLoop loop = ledger_.look_at_window(horizon_, model().flit_cycles);
  if (loop.window_begins) {
    options_.window = ledger_.window()->options();
    motion_->begin_window(*options_.window);
    if (window_loads_) window_loads_->begin(*options_.window);
  }
  saturated_ = loop.saturated;
  stopped_ = loop.over;
  if (stopped_) end_ = horizon_;
}

void EngineCore::finish() {
  run_before(kNever);
  if (!stopped_) find_standstill();
  if (answers_ && !stopped_) answers_->refuse_unanswered();
  finished_ = true;
  retire_before(end_);
  if (unfinished_worms_ > 0 && !deadlock_ && !stopped_)
    std::abort();  // nothing moves, and nothing is dead: a bug
  if (unfinished_worms_ > 0 && window_loads_) load_window_with_rest();
  if (unfinished_worms_ > 0) uncount_rest();
  ledger_.close(end_);
  if (options_.observer != nullptr) observe_rest();
  if (saturated_ && !deadlock_ && !model().path_reservation && !answers_) look_beyond();
}

/// All is counted. What is under way when a run is given up for its backlog goes on by itself, until it is
/// over or stands still: a backlog may come of a deadlock that forms. Where nodes wait to answer, answers may
/// be missing: nothing is said.
void EngineCore::look_beyond() {
  counted_ = summary();
  options_.observer = nullptr;
  options_.stop_on_deadlock = true;
  const Cycle end = end_;
  stopped_ = false;
  run_before(kNever);
  find_standstill();
  stopped_ = true;
  end_ = end;
}

const Delivery* EngineCore::poll() {
  if (stopped_ && !finished_) return nullptr;  // finish() sorts out what lies behind the end
  return ledger_.poll(counted_ ? 0 : finished_ ? kNever : simulated_, model().flit_cycles);
}

}  // namespace wormcast
