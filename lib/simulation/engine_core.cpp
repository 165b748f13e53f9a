// The cycle that all engines share (DESIGN rule 5): releases, injection grants, consumption grants,
// network grants, moves, and then the look for a deadlock. Only cycles with an event are visited.
// SPDX-License-Identifier: MIT
#include "simulation/engine_core.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "multicast/check.hpp"
#include "simulation/route_check.hpp"
#include "topology/error.hpp"

namespace wormcast {

EngineCore::EngineCore(const Topology& topology, const SimulationOptions& options)
    : pool_(topology, options.model),
      grants_(pool_),
      search_(pool_, grants_, options.model),
      topology_(&topology),
      options_(options) {
  if (options.window) ledger_.measure(*options.window);
}

void EngineCore::take(Routes& routes) {
  if (stopped_) return;
  const Cycle start_cycle = routes.plan.request.start_cycle;
  if (start_cycle < horizon_)
    throw InputError("start_cycle", std::to_string(start_cycle) + " lies before the " +
                                        std::to_string(horizon_) + " of a multicast before it");
  if (!options_.routes_checked) check_routes(routes, *topology_);
  const std::uint32_t consumption = check_simulable(pool_.resources(), routes);
  MulticastState& state = ledger_.open(routes.plan, consumption, model().flit_cycles);
  const Request& request = state.delivery.plan.request;

  if (state.slot >= starters_.size()) starters_.resize(state.slot + 1);
  slots_.clear();
  for (std::uint32_t i = 0; i < routes.worms.size(); ++i) {
    const std::uint32_t slot = pool_.add(request, routes.worms, i, state.slot);
    slots_.push_back(slot);
    if (routes.worms[i].after < 0) {
      starters_[state.slot].push_back(slot);
    } else {
      WormState& before = pool_.worm(slots_[static_cast<std::size_t>(routes.worms[i].after)]);
      pool_.worm(slot).next_follower = std::exchange(before.followers, slot);
    }
    worm_added(slot);
  }
  ledger_.totals().worms += routes.worms.size();
  unfinished_worms_ += routes.worms.size();
  horizon_ = start_cycle;
  if (state.open_dependencies == 0) start(state.slot);
}

void EngineCore::start(std::uint32_t multicast) {
  const Cycle ready = ledger_.at(multicast).ready;
  for (const std::uint32_t worm : starters_[multicast]) request_later(pool_.worm(worm).first, ready);
  starters_[multicast].clear();
}

void EngineCore::advance() {
  run_before(horizon_);
  if (options_.window && !stopped_) end_window();
}

/// Open loop: the run is over when everything measured is delivered, or when too much has piled up.
void EngineCore::end_window() {
  const std::uint64_t under_way = ledger_.settle(horizon_, model().flit_cycles);
  const std::uint64_t backlog = options_.window->saturation_backlog;
  saturated_ = backlog > 0 && under_way > backlog * topology_->hosts();
  if (!saturated_ && !ledger_.window()->done(horizon_)) return;
  stopped_ = true;
  last_ = horizon_ - 1;
}

void EngineCore::finish() {
  run_before(kNever);
  finished_ = true;
  if (unfinished_worms_ > 0 && !deadlock_ && !stopped_)
    std::abort();  // nothing moves, and nothing is dead: a bug
  if (unfinished_worms_ > 0) count_rest();
  ledger_.close(last_);
  if (options_.observer != nullptr) observe_rest();
}

/// Reports what worms hold that never let go of it.
void EngineCore::observe_rest() {
  const Cycle end = (stopped_ ? last_ : ledger_.totals().last_cycle) + 1;
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

/// What unfinished worms let go of before the end. A worm's hops are counted when it retires otherwise.
void EngineCore::count_rest() {
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot) {
    const WormState& worm = pool_.worm(slot);
    if (!worm.under_way) continue;
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
      const Hop& hop = pool_.hop(at);
      if (hop.until == kNever || hop.until > last_) continue;
      ledger_.totals().last_cycle = std::max(ledger_.totals().last_cycle, hop.until);
      if (hop.network) count_load(hop);
    }
  }
}

const Delivery* EngineCore::poll() {
  if (stopped_ && !finished_) return nullptr;  // finish() sorts out what lies behind the end
  return ledger_.poll(finished_ ? kNever : horizon_, model().flit_cycles);
}

void EngineCore::run_before(Cycle limit) {
  while (!stopped_) {
    const Cycle cycle = calendar_.next();
    if (cycle >= limit) return;
    step(cycle);
  }
}

void EngineCore::step(Cycle cycle) {
  now_ = cycle;
  grants_.begin_cycle(cycle);
  calendar_.take(cycle, [this](Event event) { take_event(event); });
  if (model().path_reservation) {
    grant_whole();
  } else {
    for (const auto phase : {GrantTable::injection, GrantTable::consumption, GrantTable::network})
      if (grants_.any_touched(phase)) grant_phase(phase);
    if (!atomic_nodes_.empty()) grant_atomic();
  }
  move();
  if (grants_.any_touched(GrantTable::consumption)) tick_due(cycle + 1);
  if (!suspects_.empty() && !deadlock_ && !model().path_reservation) detect();
  suspects_.clear();
}

inline void EngineCore::take_event(Event event) {
  ++event_count_;
  if (event.kind == Event::Kind::header) return header_at(event.hop);  // most are
  switch (event.kind) {
    case Event::Kind::release:
      release(event.hop);
      break;
    case Event::Kind::request:
      if (model().path_reservation) return request_whole(pool_.worm_of(pool_.hop(event.hop)));
      request(event.hop);
      break;
    case Event::Kind::header:
    case Event::Kind::tick:
      break;
    case Event::Kind::wake:
      grants_.touch_waited(ResourceId{event.hop});
      break;
    case Event::Kind::retire:
      retire(event.hop);
      break;
  }
}

void EngineCore::release(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  if (pool_.resources().units(hop.resource) > 1) grants_.release(slot);
  const WormState& worm = pool_.worm(hop.worm);
  if (options_.observer != nullptr)
    options_.observer->held({worm.id, worm.index}, hop.resource, hop.since, now_);
}

void EngineCore::count_load(const Hop& hop) {
  Load& load = loads_[hop.target];
  ++load.worms;
  load.flits += pool_.worm(hop.worm).flits;
  load.held += hop.until - hop.since;
}

/// The worm lets go of the last that it holds. Its slots stay as they are to the end of the cycle.
void EngineCore::retire(std::uint32_t slot) {
  const WormState& worm = pool_.worm(slot);
  std::uint64_t channels = 0;
  for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
    const Hop& hop = pool_.hop(at);
    if (!hop.network) continue;
    count_load(hop);
    ++channels;
  }
  Summary& totals = ledger_.totals();
  totals.last_cycle = now_;
  totals.flit_hops += worm.flits * channels;
  ++totals.finished_worms;
  --unfinished_worms_;
  pool_.remove(slot);
}

void EngineCore::request_later(std::uint32_t hop, Cycle cycle) {
  Cycle due = std::max(cycle, pool_.hop(hop).not_before);
  if (model().path_reservation) {
    const WormState& worm = pool_.worm_of(pool_.hop(hop));
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
      due = std::max(due, pool_.hop(at).not_before);
  }
  if (due > now_ || pool_.hop(hop).kind == HopKind::injection) {
    calendar_.schedule(due, {Event::Kind::request, hop});
    return;
  }
  request(hop);
}

/// The header has come to the end of `node` and asks for what follows (rules 8 and 9). In line, since nearly
/// every event is one.
[[gnu::always_inline]] inline void EngineCore::header_at(std::uint32_t node) {
  const Hop& from = pool_.hop(node);
  const WormState& worm = pool_.worm_of(from);
  if (model().path_reservation) return enter_reserved(worm, node);
  if (worm.path)
    return pool_.hop(node + 1).not_before > now_ ? request_later(node + 1, now_) : request(node + 1);
  header_in_tree(worm, from);
}

void EngineCore::header_in_tree(const WormState& worm, const Hop& from) {
  Cycle cycle = now_;
  if (worm.atomic)
    for (std::uint32_t at = from.first_child; at != kNone; at = pool_.hop(at).next_sibling)
      cycle = std::max(cycle, pool_.hop(at).not_before);
  for (std::uint32_t at = from.first_child; at != kNone;) {
    const std::uint32_t after = pool_.hop(at).next_sibling;
    request_later(at, cycle);
    at = after;
  }
}

bool EngineCore::in_atomic_group(std::uint32_t slot) const {
  const Hop& hop = pool_.hop(slot);
  if (hop.kind == HopKind::injection || !pool_.worm(hop.worm).atomic) return false;
  return pool_.hop(pool_.hop(hop.parent).first_child).next_sibling != kNone;
}

void EngineCore::grant_phase(GrantTable::Class phase) {
  grants_.take_touched(phase, touched_);
  for (GrantTable::State* state : touched_) {
    state->touched = false;
    for (std::uint32_t head = state->queue_head; head != kNone && grants_.free(*state);
         head = state->queue_head) {
      if (in_atomic_group(head)) {
        atomic_nodes_.push_back(pool_.hop(head).parent);
        break;
      }
      grant(head, *state);
    }
  }
}

/// True if every output of the node stands first in its queue and is free.
bool EngineCore::atomic_group_free(std::uint32_t node) const {
  for (std::uint32_t at = pool_.hop(node).first_child; at != kNone; at = pool_.hop(at).next_sibling) {
    const Hop& hop = pool_.hop(at);
    if (hop.state != HopState::waiting || grants_.head(hop.resource) != at || !grants_.free(hop.resource))
      return false;
  }
  return true;
}

/// Nodes whose outputs are all free get them together. Where a consumption queue with several units
/// moves on by that, another atomic node may follow at once, a plain request in the next cycle.
void EngineCore::grant_atomic() {
  for (std::size_t i = 0; i < atomic_nodes_.size(); ++i) {
    const std::uint32_t node = atomic_nodes_[i];
    if (!atomic_group_free(node)) continue;
    for (std::uint32_t at = pool_.hop(node).first_child; at != kNone; at = pool_.hop(at).next_sibling) {
      const ResourceId resource = pool_.hop(at).resource;
      GrantTable::State& state = grants_.state(resource);
      grant(at, state);
      const std::uint32_t head = state.queue_head;
      if (head == kNone || !grants_.free(state)) continue;
      if (in_atomic_group(head))
        atomic_nodes_.push_back(pool_.hop(head).parent);
      else
        grants_.touch(resource, GrantTable::class_of(pool_.hop(head)));
    }
  }
  atomic_nodes_.clear();
}

void EngineCore::grant(std::uint32_t slot, GrantTable::State& state) {
  Hop& hop = pool_.hop(slot);
  WormState& worm = pool_.worm_of(hop);
  const Cycle waited = now_ - hop.since;
  grants_.grant(slot, state);
  Summary& totals = ledger_.totals();
  totals.last_cycle = now_;
  if (worm.waiting > 0) suspects_.push_back(slot);
  if (hop.kind == HopKind::injection) {
    totals.source_queueing_cycles += waited;
    ledger_.at(worm.multicast).delivery.source_queueing_cycles += waited;
    if (worm.startup == 0)
      header_at(slot);
    else
      header_due(slot, now_ + worm.startup);
    return;
  }
  if (waited > 0) {
    Delivery& delivery = ledger_.at(worm.multicast).delivery;
    totals.blocked_cycles += waited;
    delivery.blocked_cycles += waited;
    ++totals.contention;
    ++delivery.contention;
  }
  const bool complete =
      worm.path ? !hop.is_consumption() || hop.next_sibling == kNone : --pool_.hop(hop.parent).ungranted == 0;
  if (complete || !worm.joint)
    group_granted(hop.parent, slot);
  else if (worm.path)
    request_later(hop.next_sibling, now_);
}

void EngineCore::tail_consumed(std::uint32_t slot, Cycle cycle) {
  const Hop& hop = pool_.hop(slot);
  WormState& worm = pool_.worm(hop.worm);
  const HostId host{hop.target};
  const Cycle arrival = topology_->hosts_have_links() ? cycle + model().hop_cycles : cycle;
  if (options_.observer != nullptr) options_.observer->arrived({worm.id, worm.index}, host, arrival);
  // A follower that starts leaves the list: its slot may belong to another worm when this one arrives
  // at its next host.
  for (std::uint32_t* link = &worm.followers; *link != kNone;) {
    WormState& follower = pool_.worm(*link);
    if (follower.source == host) {
      request_later(follower.first, arrival + model().flit_cycles);
      *link = follower.next_follower;
    } else {
      link = &follower.next_follower;
    }
  }
  ready_.clear();
  ledger_.arrived(worm.multicast, host, hop.kind == HopKind::deliver, arrival, model().flit_cycles, ready_);
  for (const std::uint32_t multicast : ready_) start(multicast);
}

void EngineCore::detect() {
  if (!search_.exists(suspects_)) return;
  deadlock_ = search_.report(now_);
  stopped_ = options_.stop_on_deadlock;
  if (stopped_) last_ = now_;
}

Summary EngineCore::summary() const {
  Summary result = ledger_.totals();
  result.outcome = deadlock_ ? Outcome::deadlock : saturated_ ? Outcome::saturated : Outcome::complete;
  if (ledger_.window()) result.window = ledger_.window()->summary(last_);
  result.deadlock = deadlock_;
  return result;
}

std::vector<ChannelLoad> EngineCore::channel_loads() const {
  std::vector<ChannelLoad> result;
  for (std::uint32_t channel = 0; channel < loads_.bound(); ++channel) {
    const Load* load = loads_.find(channel);
    if (load != nullptr && load->worms > 0)
      result.push_back({ChannelId{channel}, load->worms, load->flits, load->held});
  }
  return result;
}

}  // namespace wormcast
