// The rules of data/pages/simulator.md and FORMAT-reference, one function each; the plainest form of them, at
// any cost.
// SPDX-License-Identifier: MIT
#include "checks/flit_run.hpp"

#include <algorithm>
#include <set>

namespace wormcast {

FlitRun::FlitRun(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms,
                 bool filled)
    : worms_(worms),
      model_(model),
      filled_(filled),
      link_(topology.hosts_have_links()),
      drained_(model.vc_reuse == VcReuse::drained || model.cut_through || model.path_reservation) {
  const Resources resources(topology, model);
  std::map<ResourceId, std::uint32_t> numbers;
  for (const ExploredWorm& worm : worms)
    add(topology, PlainWorm(topology, model, worm.route, worm.flits), resources, numbers);
  // Where nodes wait for several outputs at once that others want, requests for these queue.
  for (const Spot& spot : spots_) {
    std::set<std::uint32_t> contested;
    for (const Place asked : spot.request)
      for (const std::uint32_t r : spots_[asked].takes)
        if (taken_[r].units > 0 && taken_[r].takers.size() > 1) contested.insert(r);
    for (const std::uint32_t r : contested)
      if (model.allocation == Allocation::atomic && spot.request.size() > 1 && contested.size() > 1)
        taken_[r].queued = true;
  }
}

void FlitRun::add(const Topology& topology, const PlainWorm& worm, const Resources& resources,
                  std::map<ResourceId, std::uint32_t>& numbers) {
  const auto w = static_cast<std::uint32_t>(source_.size());
  const WormRoute& route = worms_[w].route;
  const Place source = size();
  flits_.push_back(worm.flits());
  together_.push_back(worm.copies_together());
  source_.push_back(source);
  for (std::uint32_t p = 0; p < worm.positions(); ++p) {
    const Place place = size();
    Spot& spot = spots_.emplace_back();
    spot.worm = w;
    spot.position = p;
    spot.channel = worm.channel(p);
    spot.room = p == 0 || spot.channel ? worm.slots(p) : UINT64_MAX;
    for (const ResourceId resource : worm.resources(p)) {
      const auto [known, fresh] = numbers.emplace(resource, static_cast<std::uint32_t>(taken_.size()));
      if (fresh) taken_.push_back({resources.units(resource), {}, {}});
      Taken& taken = taken_[known->second];
      const bool answers = p == 0 && worm.port() == resource;
      (answers ? taken.answers : taken.takers).push_back(place);
      if (!answers) spot.takes.push_back(known->second);
    }
    if (p == 0 || !worm.granted_at_once()) spot.request = {place};
    spot.router = spot.channel
                      ? topology.ends(ChannelId{route.hops[p - 1].target})->from.value
                      : topology.router_of(p == 0 ? route.source : HostId{route.hops[p - 1].target}).value;
    if (p == 0) continue;
    if (spot.channel) spot.needed = slots_needed(topology, route, p - 1, worm.flits());
    spot.parent = source + static_cast<Place>(worm.parent(p));
    std::vector<Place>& outputs = spots_[spot.parent].outputs;
    for (const Place other : outputs) {
      if (!worm.takes_turns() || worm.turn(p) == worm.turn(spots_[other].position)) continue;
      const bool later = worm.turn(spots_[other].position) < worm.turn(p);
      (later ? spot : spots_[other]).before.push_back(later ? other : place);
    }
    outputs.push_back(place);
  }
  for (Place node = source; node < size() && worm.granted_at_once(); ++node)
    if (!spots_[node].outputs.empty()) spots_[spots_[node].outputs.front()].request = spots_[node].outputs;
}

/// Headers of two-step routers, and under round robin over inputs, need a free slot. Where bubbles keep rings
/// from filling, they need one, or slots for the packet, and to enter a ring slots for the packet besides.
std::uint64_t FlitRun::slots_needed(const Topology& topology, const WormRoute& route, std::size_t hop,
                                    std::uint64_t flits) const {
  if (model_.ring_entry == RingEntry::any)
    return !model_.cut_through && (model_.allocation == Allocation::two_step ||
                                   model_.output_arbitration == OutputArbitration::rotating);
  const RouteHop& next = route.hops[hop];
  const PortId port = topology.ends(ChannelId{next.target})->port;
  bool enters = topology.wraps(port.value / 2);
  if (next.parent >= 0) {  // straight on it is in the ring already
    const RouteHop& last = route.hops[static_cast<std::size_t>(next.parent)];
    enters = enters && (topology.ends(ChannelId{last.target})->port != port || last.vc != next.vc);
  }
  return (model_.ring_entry == RingEntry::packet_bubble ? flits : 1) + (enters ? flits : 0);
}

FlitRun::State FlitRun::begin() const {
  return {std::vector<bool>(size()), std::vector<std::uint64_t>(size()),
          std::vector<std::vector<std::pair<Place, std::uint64_t>>>(taken_.size()),
          std::vector<std::vector<Place>>(taken_.size())};
}

std::vector<FlitRun::Place> FlitRun::rivals(Place place) const {
  std::vector<Place> result;
  for (const Place asked : spots_[place].request)
    for (const std::uint32_t r : spots_[asked].takes)
      for (const Place other : taken_[r].takers)
        if (other != asked && taken_[r].units > 0) result.push_back(other);
  return result;
}

/// Flits that have left the place by every output; of consumption, that have come.
std::uint64_t FlitRun::passed(const State& state, Place place) const {
  std::uint64_t least = state.entered[place];
  for (const Place output : spots_[place].outputs) least = std::min(least, state.entered[output]);
  return least;
}

bool FlitRun::sends(const State& state, Place source) const {
  return (link_ ? state.entered[source] : passed(state, source)) < flits(source);
}

bool FlitRun::arrived(const State& state) const {
  for (Place place = 0; place < size(); ++place)
    if (spots_[place].outputs.empty() && state.entered[place] < flits(place)) return false;
  return true;
}

std::uint64_t FlitRun::free_slots(const State& state, Place place, bool filled) const {
  const Spot& spot = spots_[place];
  if (!spot.channel && spot.position > 0) return UINT64_MAX;  // a node takes what comes
  std::uint64_t slots = spot.room;
  if (filled && spot.channel && model_.allocation == Allocation::two_step) ++slots;
  std::uint64_t used = 0;
  for (const auto& [owner, flits] : state.buffers[spot.takes.back()]) used += flits;
  return used < slots ? slots - used : 0;
}

/// Of each resource a unit is nobody's, and the buffer has the slots that the header needs. A worm has its
/// source until the tail has left it by every output, a buffer likewise or, under early reuse, until the tail
/// has come into it, and a consumption channel until then; an answer that can start has what it answers came
/// by.
bool FlitRun::is_free(const State& state, Place place) const {
  if (spots_[place].needed > 0 && free_slots(state, place, false) < spots_[place].needed) return false;
  return std::all_of(spots_[place].takes.begin(), spots_[place].takes.end(), [&](std::uint32_t r) {
    const auto holds = [&](Place taker) {
      const Spot& spot = spots_[taker];
      const bool until_left = spot.position == 0 || (spot.channel && drained_);
      return state.granted[taker] &&
             (until_left ? passed(state, taker) : state.entered[taker]) < flits(taker);
    };
    const auto answers = [&](Place source) { return holds_port(state, spots_[source].worm); };
    const Taken& taken = taken_[r];
    const auto held = std::count_if(taken.takers.begin(), taken.takers.end(), holds) +
                      std::count_if(taken.answers.begin(), taken.answers.end(), answers);
    return taken.units == 0 || held < static_cast<std::ptrdiff_t>(taken.units);
  });
}

bool FlitRun::can_grant(const State& state, Place place) const {
  return std::all_of(spots_[place].request.begin(), spots_[place].request.end(),
                     [&](Place asked) { return is_free(state, asked); });
}

/// All that the worm awaits has arrived at its source.
bool FlitRun::ready(const State& state, std::uint32_t worm) const {
  std::vector<std::uint32_t> awaited = worms_[worm].awaits;
  if (worms_[worm].route.after >= 0) awaited.push_back(static_cast<std::uint32_t>(worms_[worm].route.after));
  return std::all_of(awaited.begin(), awaited.end(), [&](std::uint32_t earlier) {
    return has_come(state, earlier, worms_[worm].route.source);
  });
}

bool FlitRun::has_come(const State& state, std::uint32_t worm, HostId host) const {
  const std::vector<RouteHop>& hops = worms_[worm].route.hops;
  const auto here =
      std::find_if(hops.begin(), hops.end(), [&](const RouteHop& hop) { return hop.comes_to(host); });
  return here != hops.end() &&
         state.entered[source_[worm] + 1 + static_cast<Place>(here - hops.begin())] == flits_[worm];
}

/// No other worm's flits stand before its own in the buffer.
bool FlitRun::first_there(const State& state, Place place) const {
  if (!spots_[place].channel) return true;
  const auto& buffer = state.buffers[spots_[place].takes.front()];
  return buffer.empty() || buffer.front().first == place;
}

/// The header stands at the head of the buffer before the place.
bool FlitRun::header_before(const State& state, Place place) const {
  const Place node = spots_[place].parent;
  if (!state.granted[node] || state.entered[node] == 0) return false;
  return !spots_[node].channel ||
         (first_there(state, node) && !state.buffers[spots_[node].takes.front()].empty());
}

/// And what is served first there has been.
bool FlitRun::reached(const State& state, Place place) const {
  const Spot& spot = spots_[place];
  if (spot.position == 0) return ready(state, spot.worm);
  return header_before(state, place) && std::all_of(spot.before.begin(), spot.before.end(), [&](Place first) {
           return serial() ? state.entered[first] == flits(first) : state.granted[first];
         });
}

std::vector<std::pair<std::uint32_t, std::int32_t>> FlitRun::takers(Place place) const {
  std::vector<std::pair<std::uint32_t, std::int32_t>> result;
  for (const std::uint32_t r : spots_[place].takes) {
    for (const Place taker : taken_[r].takers)
      if (taker != place)
        result.emplace_back(spots_[taker].worm, static_cast<std::int32_t>(spots_[taker].position) - 1);
    for (const Place source : taken_[r].answers) result.emplace_back(spots_[source].worm, answered_port);
  }
  return result;
}

bool FlitRun::waits(const State& state, Place place) const {
  if (state.granted[place]) return !first_there(state, place) && passed(state, place) < flits(place);
  if (spots_[place].position == 0) return answers(spots_[place].worm) && reached(state, place);
  if (serial()) return header_before(state, place);  // the copy before it may never end
  const auto behind_others = [&](std::uint32_t r) {
    return !state.queues[r].empty() && spots_[state.queues[r].front()].worm != spots_[place].worm;
  };
  return reached(state, place) &&
         (!is_free(state, place) ||
          std::any_of(spots_[place].takes.begin(), spots_[place].takes.end(), behind_others));
}

bool FlitRun::can_ask(const State& state, Place place) const {
  const Spot& spot = spots_[place];
  if (spot.request.empty() || state.granted[place] || !reached(state, place)) return false;
  for (const Place asked : spot.request)
    for (const std::uint32_t r : spots_[asked].takes)
      if (taken_[r].queued) return std::count(state.queues[r].begin(), state.queues[r].end(), place) == 0;
  return can_grant(state, place);
}

void FlitRun::ask(State& state, Place place) const {
  bool queues = false;
  for (const Place asked : spots_[place].request)
    for (const std::uint32_t r : spots_[asked].takes)
      if (taken_[r].queued) {
        queues = true;
        state.queues[r].push_back(place);
      }
  for (const Place asked : spots_[place].request)
    if (!queues) grant(state, asked);
}

void FlitRun::grant(State& state, Place place) const {
  state.granted[place] = true;
  if (spots_[place].position == 0 && !link_) state.entered[place] = flits(place);
}

/// Grants a request that is the first in all its queues, if all that it asks for is free.
bool FlitRun::grant_queued(State& state) const {
  for (const std::vector<Place>& queue : state.queues) {
    if (queue.empty()) continue;
    const Place place = queue.front();
    std::vector<std::uint32_t> in;
    for (const Place asked : spots_[place].request)
      for (const std::uint32_t r : spots_[asked].takes)
        if (taken_[r].queued) in.push_back(r);
    if (!std::all_of(in.begin(), in.end(),
                     [&](std::uint32_t r) { return state.queues[r].front() == place; }) ||
        !can_grant(state, place))
      continue;
    for (const Place asked : spots_[place].request) grant(state, asked);
    for (const std::uint32_t r : in) state.queues[r].erase(state.queues[r].begin());
    return true;
  }
  return false;
}

/// Flits at the node that the output has yet to take and can read. A source is read flit by flit by each
/// output; where copies are serial it has a buffer, too.
std::uint64_t FlitRun::waiting(const State& state, Place node, Place output) const {
  std::uint64_t come = state.entered[node];
  if (serial() && spots_[node].position == 0 && !link_)
    come = std::min(come, passed(state, node) + model_.buffer_flits);
  const bool per_flit = model_.copies == Copies::per_flit && !model_.path_reservation;
  if (per_flit && spots_[node].outputs.size() > 1)
    come = std::min(come, passed(state, node) + 1);  // none takes a flit before all have the one before it
  return come - std::min(come, state.entered[output]);
}

void FlitRun::enter(State& state, Place place, std::uint64_t flits) const {
  state.entered[place] += flits;
  const Spot& spot = spots_[place];
  if (flits == 0 || !(spot.channel || (spot.position == 0 && link_)) || spot.outputs.empty()) return;
  auto& buffer = state.buffers[spot.takes.back()];
  if (buffer.empty() || buffer.back().first != place) buffer.emplace_back(place, 0);
  buffer.back().second += flits;
}

/// Moves at most so many flits out of the node, and into the link of its host; true if any.
bool FlitRun::move(State& state, Place node, bool filled, std::uint64_t most) const {
  const Spot& spot = spots_[node];
  const bool buffered = spot.channel || (spot.position == 0 && link_);
  if (!state.granted[node]) return false;
  bool any = false;
  if (spot.position == 0 && link_) {
    const std::uint64_t more = std::min(flits(node) - state.entered[node], free_slots(state, node, filled));
    enter(state, node, more);
    any = more > 0;
  }
  if (buffered) {
    const auto& buffer = state.buffers[spot.takes.back()];
    if (buffer.empty() || buffer.front().first != node) return any;
  }
  const std::uint64_t before = passed(state, node);
  const auto can_take = [&](Place output) {
    return state.granted[output] ? std::min(waiting(state, node, output), free_slots(state, output, filled))
                                 : 0;
  };
  if (together_[spot.worm])
    for (const Place output : spot.outputs) most = std::min(most, can_take(output));
  for (const Place output : spot.outputs) {
    const std::uint64_t more = together_[spot.worm] ? most : can_take(output);
    enter(state, output, more);
    any = any || more > 0;
  }
  if (buffered && passed(state, node) > before) {
    auto& buffer = state.buffers[spot.takes.back()];
    buffer.front().second -= passed(state, node) - before;
    if (buffer.front().second == 0) buffer.erase(buffer.begin());
  }
  return any;
}

bool FlitRun::may_be_locked(const State& state, const std::vector<Place>& requests) const {
  const auto share = [&](Place a, Place b) {
    return std::any_of(spots_[a].request.begin(), spots_[a].request.end(), [&](Place one) {
      return std::any_of(spots_[b].request.begin(), spots_[b].request.end(),
                         [&](Place other) { return spots_[one].takes == spots_[other].takes; });
    });
  };
  return std::all_of(requests.begin(), requests.end(), [&](Place place) {
    if (spots_[place].request.size() < 2) return false;
    bool locked = false;  // by a worm that may have won against another one, and has flits to come
    for (Place other = 0; other < size(); ++other)
      locked = locked || (spots_[other].router == spots_[place].router && spots_[other].request.size() > 1 &&
                          state.granted[other] && passed(state, spots_[other].parent) + 1 < flits(other));
    return locked && std::any_of(requests.begin(), requests.end(), [&](Place other) {
             return other != place && spots_[other].request.size() > 1 && share(place, other);
           });
  });
}

}  // namespace wormcast
