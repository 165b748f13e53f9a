// Arrivals, dependencies between multicasts, and deliveries in order.
//
// A multicast is no longer in flight once it is delivered, at the earliest F cycles after its completion. One
// that a later record depends on has then reached its source by that record's start, so finished
// multicasts need not be remembered: only which ids there were.
// SPDX-License-Identifier: MIT
#include "simulation/engines/ledger.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "topology/refuse.hpp"

namespace wormcast {

namespace {

template <class Part>
void exchange(Part& a, Part& b) {
  std::swap(a, b);
}
/// What says the same in the whole stream is not copied.
[[gnu::always_inline]] inline void exchange(std::string& a, std::string& b) {
  if (a != b) a.swap(b);
}

}  // namespace

Cycle Delivery::latency_cycles() const {
  return *std::max_element(arrival_cycles.begin(), arrival_cycles.end()) - plan.request.start_cycle;
}

[[gnu::noinline]] void Ledger::refuse_sum(const char* field) {
  refuse(field, "the sum over the run is above {}", max_integer);
}

/// The slot of the multicast, or kNoSlot where it is no longer in flight.
std::uint32_t Ledger::find_open(std::uint64_t id) {
  if (!asked_)
    for (const MulticastState& state : states_)
      if (state.in_flight) open_.emplace(state.delivery.plan.request.id, state.slot);
  asked_ = true;
  const auto found = open_.find(id);
  return found == open_.end() ? kNoSlot : found->second;
}

void Ledger::depend(MulticastState& state, std::uint32_t index, Cycle flit_cycles) {
  const Request& request = state.delivery.plan.request;
  const std::uint64_t id = request.depends_on[index];
  const std::string field = "depends_on[" + std::to_string(index) + "]";
  if (!seen_.contains(id) || id == request.id)
    refuse(field, "multicast {} does not come earlier in the stream", id);
  const std::uint32_t found = find_open(id);
  if (found == kNoSlot) return;
  MulticastState& first = states_[found];
  if (request.reduces()) {
    if (!depend_parts(state, first, flit_cycles))
      refuse(field, "multicast {} goes to none of the sources", id);
    return;
  }
  const auto hosts = first.delivery.plan.request.receivers();
  const auto place = std::lower_bound(hosts.begin(), hosts.end(), request.source);
  if (place == hosts.end() || *place != request.source)
    refuse(field, "multicast {} does not go to node {}", id, request.source.value);
  const Cycle arrival = first.delivery.arrival_cycles[static_cast<std::size_t>(place - hosts.begin())];
  if (arrival != kNever) {
    state.ready = std::max(state.ready, arrival + flit_cycles);
  } else {
    first.dependents.push_back({state.slot, 1});
    ++state.open_dependencies;
  }
}

/// The parts at nodes that the first goes to wait for it; false: there are none.
bool Ledger::depend_parts(MulticastState& state, MulticastState& first, Cycle flit_cycles) {
  const std::span<const HostId> hosts = first.delivery.plan.request.receivers();
  const std::vector<HostId>& sources = state.delivery.plan.request.destinations;
  bool any = false;
  std::uint32_t open = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto place = std::lower_bound(hosts.begin(), hosts.end(), sources[i]);
    if (place == hosts.end() || *place != sources[i]) continue;
    any = true;
    const Cycle arrival = first.delivery.arrival_cycles[static_cast<std::size_t>(place - hosts.begin())];
    PartState& part = state.parts[i];
    part.ready = std::max(part.ready, arrival == kNever ? 0 : arrival + flit_cycles);
    part.open += arrival == kNever ? 1 : 0;
    open += arrival == kNever ? 1 : 0;
  }
  if (open > 0) first.dependents.push_back({state.slot, open});
  return any;
}

/// What the multicast, or its part at the host, waited for is there. Returns how many waited for it, 1 or 0;
/// in `ready` if it waits for nothing more.
std::uint32_t Ledger::tell(MulticastState& waiting, HostId host, Cycle from,
                           std::vector<std::uint32_t>& ready) {
  const Request& request = waiting.delivery.plan.request;
  const std::size_t i = request.reduces() ? place_of(host, request.destinations) : 0;
  if ((request.reduces() ? request.destinations[i] : request.source) != host) return 0;
  Cycle& ready_from = request.reduces() ? waiting.parts[i].ready : waiting.ready;
  ready_from = std::max(ready_from, from);
  if (--(request.reduces() ? waiting.parts[i].open : waiting.open_dependencies) == 0)
    ready.push_back(waiting.slot);
  return 1;
}

void Ledger::part_came(std::uint32_t slot, Cycle cycle) {
  Delivery& delivery = states_[slot].delivery;
  delivery.first_part_cycle = std::min(delivery.first_part_cycle.value_or(cycle), cycle);
  delivery.last_part_cycle = std::max(delivery.last_part_cycle.value_or(cycle), cycle);
}

MulticastState& Ledger::open(Plan& plan, std::uint32_t consumption_hops, Cycle flit_cycles) {
  const std::uint64_t id = plan.request.id;
  if (seen_.contains(id)) refuse("id", "multicast {} appears twice", id);
  const std::uint32_t slot = states_.take();
  MulticastState& state = states_[slot];
  state.slot = slot;
  state.open_dependencies = 0;
  state.dependents.clear();
  static_cast<DeliveryMeasures&>(state.delivery) = {};
  state.last_arrival = 0;
  state.last_queued = 0;
  state.open_arrivals = consumption_hops;
  state.ready = plan.request.start_cycle;
  state.delivery.arrival_cycles.assign(plan.request.receivers().size(), kNever);
  // To move a plan whole, three times for a swap, takes longer than to simulate a short worm.
  std::apply(
      [&](auto&... kept) {
        std::apply([&](auto&... taken) { (exchange(kept, taken), ...); }, parts_but_worms(plan));
      },
      parts_but_worms(state.delivery.plan));
  const Request& request = state.delivery.plan.request;
  state.parts.clear();
  for (const Cycle start : request.start_cycles) state.parts.push_back({start});
  for (std::uint32_t i = 0; i < request.depends_on.size(); ++i) depend(state, i, flit_cycles);
  seen_.insert(id);
  if (asked_) open_.emplace(id, slot);
  state.at_source = 0;
  state.in_flight = true;
  ++totals_.multicasts;
  totals_.destinations += request.receivers().size();
  if (window_) window_->started(request);
  return state;
}

void Ledger::arrived(std::uint32_t slot, const TailArrival& arrival, Cycle flit_cycles,
                     std::vector<std::uint32_t>& ready) {
  const auto& [host, destination, cycle, queued] = arrival;
  MulticastState& state = states_[slot];
  Delivery& delivery = state.delivery;
  delivery.completion_cycle = std::max(delivery.completion_cycle, cycle);
  if (destination) {
    if (cycle > state.last_arrival) state.last_queued = 0;
    if (cycle >= state.last_arrival) state.last_queued = std::max(state.last_queued, queued);
    state.last_arrival = std::max(state.last_arrival, cycle);
    const bool reduces = delivery.plan.request.reduces();
    const bool last = !reduces || state.open_arrivals == 1;  // of a reduction's worms
    if (!reduces)
      delivery.arrival_cycles[place_of(host, delivery.plan.request.destinations)] = cycle;
    else if (last)
      delivery.arrival_cycles.front() = state.last_arrival;
    const Cycle from = (reduces ? state.last_arrival : cycle) + flit_cycles;
    std::size_t kept = 0;
    for (Dependent dependent : state.dependents) {
      if (last) dependent.hosts -= tell(states_[dependent.slot], host, from, ready);
      if (dependent.hosts > 0) state.dependents[kept++] = dependent;
    }
    state.dependents.resize(kept);
  }
  if (--state.open_arrivals == 0)
    completed_.push({delivery.completion_cycle, delivery.plan.request.id, slot});
}

/// The completed multicast that comes first leaves: its slot, or kNoSlot where it is not measured.
std::uint32_t Ledger::confirm() {
  const std::uint32_t slot = completed_.first().slot;
  completed_.pop();
  MulticastState& state = states_[slot];
  Delivery& delivery = state.delivery;
  if (asked_) open_.erase(delivery.plan.request.id);
  state.in_flight = false;
  const Cycle latency = state.last_arrival - delivery.plan.request.start_cycle;
  delivery.network_latency_cycles = state.last_arrival - state.ready - state.last_queued;
  ++totals_.delivered_multicasts;
  totals_.delivered_destinations += delivery.arrival_cycles.size();
  add(totals_.latency_cycles_sum, latency, "latency_cycles_sum");
  totals_.latency_cycles_max = std::max(totals_.latency_cycles_max, latency);
  if (window_) window_->delivered(delivery);
  if (!window_ || window_->measures(delivery.plan.request.start_cycle)) {
    add_events(delivery.events, totals_.events);
    return slot;
  }
  states_.give_back(slot);
  return kNoSlot;
}

/// The same, for a delivery that is not polled yet.
void Ledger::confirm_ahead() {
  const std::uint32_t slot = confirm();
  if (slot != kNoSlot) confirmed_.push_back(slot);
}

const Delivery* Ledger::poll(Cycle horizon, Cycle flit_cycles) {
  if (polled_ != kNoSlot) states_.give_back(std::exchange(polled_, kNoSlot));
  if (!confirmed_.empty()) {
    polled_ = confirmed_.front();
    confirmed_.pop_front();
  }
  while (polled_ == kNoSlot && due(horizon, flit_cycles)) polled_ = confirm();
  return polled_ == kNoSlot ? nullptr : &states_[polled_].delivery;
}

void Ledger::settle(Cycle horizon, Cycle flit_cycles) {
  while (due(horizon, flit_cycles)) confirm_ahead();
}

/// To the queues of sources, what comes before `horizon`.
void Ledger::let_come(Cycle horizon) {
  for (; !coming_.empty() && coming_.first() < horizon; coming_.pop()) window_->came(coming_.first());
}

OpenLoop Ledger::look_at_window(Cycle horizon, Cycle flit_cycles) {
  settle(horizon, flit_cycles);
  let_come(horizon);
  OpenLoop loop;
  loop.window_begins = window_->begin_behind(horizon);
  loop.over = window_->given_up() || window_->done(horizon);
  return loop;
}

void Ledger::close(Cycle end) {
  let_come(end);
  while (!completed_.empty() && completed_.first().cycle < end) confirm_ahead();
  for (const MulticastState& state : states_) {
    if (!state.in_flight) continue;
    for (const Cycle arrival : state.delivery.arrival_cycles)
      if (arrival < end) {
        ++totals_.delivered_destinations;
        if (window_) window_->arrived(arrival, state.delivery.plan.request);
      }
  }
  completed_ = {};
}

}  // namespace wormcast
