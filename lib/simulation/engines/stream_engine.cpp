// The stream of an engine, beside its cycle.
// SPDX-License-Identifier: MIT
#include "simulation/engines/stream_engine.hpp"

#include <algorithm>
#include <cstdlib>

#include "multicast/check.hpp"
#include "router/discipline.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

StreamEngine::StreamEngine(const Topology& topology, const SimulationOptions& options)
    : topology_(&topology), options_(options), time_bound_(topology, options_.model) {
  if (options.window) ledger_.measure(*options.window, topology.host_count());
}

void StreamEngine::take(Routes& routes) {
  if (stopped_) return;
  const Cycle start_cycle = routes.plan.request.start_cycle;
  if (start_cycle < horizon_)
    refuse("start_cycle", "{} lies before the {} of a multicast before it", start_cycle, horizon_);
  if (!options_.routes_checked) check_routes(routes, *topology_);
  const RouteNeeds needs = prepare(routes);
  time_bound_.add(routes, needs.latest_request);
  if (put_off_ > 0 && !routes.plan.request.depends_on.empty()) {  // what is over need not go to its source
    catch_up();
    ledger_.settle(horizon_, model().flit_cycles);
  }
  if (options_.events) require_multicast(routes.plan.request, "the count of events");
  MulticastState& state = ledger_.open(routes.plan, needs.consumption_hops, model().flit_cycles);
  const bool ready = state.open_dependencies == 0;
  const Request& request = state.delivery.plan.request;
  if (ready && request.reduces() && request.depends_on.empty()) comes(state, 1);
  if (options_.events) state.delivery.events = events_of(routes, request.length_flits, *topology_, model());
  slots_.clear();
  std::size_t at_source = 0;
  for (std::uint32_t i = 0; i < routes.worms.size(); ++i) {
    const std::uint32_t slot = add_worm(routes, i, state);
    const std::int32_t after = routes.worms[i].after;
    slots_.push_back(slot);
    at_source += after < 0 ? 1 : 0;
    if (request.reduces()) continue;  // its parts start one by one
    if (after >= 0)
      follow(slots_[static_cast<std::size_t>(after)], slot);
    else if (ready)
      start(slot, state.ready);
    else
      starters_[state.slot].push_back(slot);
  }
  if (ready && !request.reduces()) comes(state, at_source);
  added(request, routes.worms);
  ledger_.totals().worms += routes.worms.size();
  unfinished_worms_ += routes.worms.size();
  horizon_ = start_cycle;
}

void StreamEngine::arrived(std::uint32_t multicast, const TailArrival& arrival) {
  ready_.clear();
  ledger_.arrived(multicast, arrival, model().flit_cycles, ready_);
  for (const std::uint32_t dependent : ready_) {
    if (ledger_.at(dependent).delivery.plan.request.reduces()) {
      start_parts(dependent);
      continue;
    }
    comes(ledger_.at(dependent), starters_[dependent].size());
    for (const std::uint32_t worm : starters_[dependent]) start(worm, ledger_.at(dependent).ready);
    starters_.erase(dependent);
  }
}

void StreamEngine::advance() {
  const bool may_end = options_.window || options_.stop_on_deadlock;  // what comes then is not even counted
  if (!may_end && ++put_off_ < options_.taken_at_once) return;
  catch_up();
  if (!options_.window || stopped_) return;
  // The run ends with its window, or when too much has piled up.
  const OpenLoop loop = ledger_.look_at_window(horizon_, model().flit_cycles);
  if (loop.window_begins) {
    options_.window = ledger_.window()->options();
    begin_window();
  }
  stopped_ = loop.over;
  if (stopped_) end_ = horizon_;
}

void StreamEngine::catch_up() {
  put_off_ = 0;
  run_before(horizon_);
  simulated_ = horizon_;
  retire_before(now_);
}

void StreamEngine::simulate_before(Cycle limit) {
  horizon_ = std::max(horizon_, limit);
  catch_up();
}

void StreamEngine::end_with(std::optional<Deadlock> deadlock) {
  deadlock_ = std::move(deadlock);
  stopped_ = deadlock_ && options_.stop_on_deadlock;
  if (stopped_) end_ = now_ + 1;
}

void StreamEngine::finish() {
  run_before(kNever);
  if (!stopped_) end_stream();
  finished_ = true;
  retire_before(end_);
  if (unfinished_worms_ > 0 && !deadlock_ && !stopped_)
    std::abort();  // nothing moves, and nothing is dead: a bug
  if (unfinished_worms_ > 0) settle_rest();
  ledger_.close(end_);
  if (stopped_ && saturated() && !deadlock_ && !model().discipline().grants_ways && !model().answered())
    look_beyond();
}

bool StreamEngine::saturated() const {
  return ledger_.window() && (ledger_.window()->given_up() || ledger_.window()->falls_behind());
}

/// All is counted. What is under way when a run ends as saturated goes on by itself, until it is over or
/// stands still: queues may come of a deadlock that forms. Where nodes wait to answer, answers may
/// be missing: nothing is said.
void StreamEngine::look_beyond() {
  counted_ = summary();
  options_.observer = nullptr;
  options_.channel_loads.reset();
  options_.stop_on_deadlock = true;
  const Cycle end = end_;
  stopped_ = false;
  run_before(kNever);
  end_stream();
  stopped_ = true;
  end_ = end;
}

const Delivery* StreamEngine::poll() {
  if (stopped_ && !finished_) return nullptr;  // finish() sorts out what lies behind the end
  return ledger_.poll(counted_ ? 0 : finished_ ? kNever : simulated_, model().flit_cycles);
}

Summary StreamEngine::summary() const {
  Summary result = counted_ ? *counted_ : ledger_.totals();
  result.outcome = deadlock_                                ? Outcome::deadlock
                   : finished_ && (counted_ || saturated()) ? Outcome::saturated
                                                            : Outcome::complete;
  if (ledger_.window() && !counted_) result.window = ledger_.window()->summary(end_);
  result.deadlock = deadlock_;
  if (deadlock_ && !counted_ && result.window) result.window->saturated.reset();
  return result;
}

void StreamEngine::count_load(const LoadName& name, Cycle from, Cycle until, Cycle ChannelLoad::*cycles,
                              std::uint64_t flits) {
  if (options_.window) {
    from = std::max(from, options_.window->warmup_cycles);
    until = std::min({until, options_.window->end(), end_});
  }
  if (from >= until) return;
  const LoadsBy by = *options_.channel_loads;
  const bool by_worm = by == LoadsBy::worm;
  ChannelLoad& load =
      loads_[{name.channel, by == LoadsBy::channel ? 0 : name.vc, by_worm ? name.worm : WormName{}}];
  load.channel = ChannelId{name.channel};
  if (by != LoadsBy::channel) load.vc = name.vc;
  if (by_worm) load.multicast = name.worm.multicast;
  if (by_worm) load.worm = name.worm.worm;
  load.worms += flits > 0 ? 1 : 0;
  load.flits += flits;
  load.*cycles += until - from;
}

std::vector<ChannelLoad> StreamEngine::channel_loads() const {
  std::vector<ChannelLoad> result;
  for (const auto& [key, load] : loads_) {
    result.push_back(load);
    if (options_.window) result.back().observed_cycles = ledger_.window()->summary(end_).observed_cycles;
  }
  return result;
}

}  // namespace wormcast
