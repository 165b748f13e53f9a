// Flits move as far as they can. Where FIFOs are shared (early reuse) they keep the order of their grants,
// and their slots are shared; else a worm has its FIFO to itself until its tail has left it.
//
// An atomic node's request waits in a queue for each of its outputs that others want, until it is the first
// in all of them and all are free. All that ask for one of these wait in that queue. Cost: linear in hops.
// SPDX-License-Identifier: MIT
#include "router/shared_worms.hpp"

#include <set>
#include <utility>

namespace wormcast {

SharedWorms::SharedWorms(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, bool streaming, bool whole)
    : worms_(worms),
      link_(topology.hosts_have_links()),
      per_flit_(model.discipline().copies_flit_by_flit()),
      shares_(shares_buffers(model)),
      serial_(model.discipline().copies_serially()),
      source_flits_(model.discipline().buffers_sources ? model.buffer_flits : UINT32_MAX),
      registers_(streaming ? model.discipline().registers : 0) {
  const Resources resources(topology, model);
  std::map<ResourceId, std::uint32_t> numbers;
  for (std::uint32_t w = 0; w < worms.size(); ++w) add_worm(w, topology, model, resources, numbers, whole);
  find_requests();
  if (!grants_need_slots(model)) find_queues();
  lay_out_lines();
}

void SharedWorms::add_worm(std::uint32_t w, const Topology& topology, const RouterModel& model,
                           const Resources& resources, std::map<ResourceId, std::uint32_t>& numbers,
                           bool whole) {
  const WormRoute& route = worms_[w].route;
  const Footprint steps(topology, resources, model, route, worms_[w].flits);
  const std::uint64_t flits = whole ? worms_[w].flits : steps.flits();
  const Advance& goes = goes_.emplace_back(model, route);
  const WaitRules rules(topology, model, flits);
  flits_.push_back(flits);
  outgrows_.push_back(stands_still_alone(model, route, flits));
  const auto first = static_cast<Place>(spots_.size());
  first_.push_back(first);
  spots_.resize(first + route.hops.size() + 1);
  for (const Step& step : steps.steps()) {
    const Place place = first + static_cast<Place>(step.hop < 0 ? 0 : step.hop + 1);
    Spot& spot = spots_[place];
    const auto [number, fresh] = numbers.emplace(step.resource, static_cast<std::uint32_t>(taken_.size()));
    if (fresh) taken_.push_back(Taken{resources.units(step.resource), {}, {}, {}, {}});
    if (step.buffered) spot.slots = step.slots;
    if (step.hop == port_hop) {
      taken_[number->second].answers.push_back(place);
      spot.port = number->second;
      continue;
    }
    taken_[number->second].takers.push_back(place);
    spot.resources.push_back(number->second);
  }
  const auto rank = [&](Place place) {  // of serial copies of equal rank the one that the route names first
    const RouteHop& hop = route.hops[place - first - 1];
    return std::pair(hop.is_channel() ? copy_rank(topology, ChannelId{hop.target}) : topology.ports(), place);
  };
  const auto earlier = [&](Place a, Place b) {  // on paths consumption is asked for before the next channel
    return goes.path ? spots_[a].consumption && spots_[b].network : serial_ && rank(a) < rank(b);
  };
  for (Place place = first; place < spots_.size(); ++place) {
    Spot& spot = spots_[place];
    spot.worm = w;
    spot.position = place - first;
    spot.router = topology.router_of(route.source).value;
    if (place == first) continue;
    const RouteHop& hop = route.hops[spot.position - 1];
    spot.network = hop.is_channel();
    spot.consumption = !spot.network;
    spot.router = spot.network ? topology.ends(ChannelId{hop.target})->from.value
                               : topology.router_of(HostId{hop.target}).value;
    spot.never_refused = spot.consumption && rules.alone;
    const std::size_t parent = slot_after(hop.parent);
    spot.parent = first + static_cast<Place>(parent);
    std::optional<ChannelId> before;
    if (parent > 0 && route.hops[parent - 1].vc == hop.vc) before = ChannelId{route.hops[parent - 1].target};
    if (spot.network) spot.needed = slots_needed(topology, model, flits, before, ChannelId{hop.target});
    std::vector<Place>& outputs = spots_[spot.parent].outputs;
    for (const Place other : outputs) {
      if (earlier(other, place)) spot.before.push_back(other);
      if (earlier(place, other)) spots_[other].before.push_back(place);
    }
    outputs.push_back(place);
  }
}

void SharedWorms::find_requests() {
  for (Place place = 0; place < spots_.size(); ++place) {
    Spot& spot = spots_[place];
    if (spot.position == 0 || !goes_[spot.worm].at_once) spot.request = {place};
    if (goes_[spot.worm].at_once && !spot.outputs.empty())
      spots_[spot.outputs.front()].request = spot.outputs;
  }
}

/// Others want what it takes, and may get it first.
bool SharedWorms::contested(Place place) const {
  return !spots_[place].never_refused &&
         std::any_of(spots_[place].resources.begin(), spots_[place].resources.end(),
                     [&](std::uint32_t r) { return taken_[r].units != 0 && taken_[r].takers.size() > 1; });
}

void SharedWorms::find_queues() {
  for (const Spot& spot : spots_) {
    const auto wanted = std::count_if(spot.request.begin(), spot.request.end(),
                                      [&](Place place) { return contested(place); });
    for (const Place place : spot.request)
      if (wanted > 1 && contested(place))
        for (const std::uint32_t r : spots_[place].resources)
          if (!taken_[r].queue) {
            taken_[r].queue = static_cast<std::uint32_t>(queues_.size());
            queues_.emplace_back();
          }
  }
  for (Spot& spot : spots_)
    for (const Place place : spot.request)
      for (const std::uint32_t r : spots_[place].resources)
        if (taken_[r].queue && !spots_[place].never_refused) spot.queues.push_back(*taken_[r].queue);
}

void SharedWorms::lay_out_lines() {
  const auto place_line = [&](Line& line) {
    line.begin = static_cast<std::uint32_t>(lines_);
    lines_ += line.size;
  };
  for (const Spot& spot : spots_) {
    if (spot.network) ++taken_[spot.resources.front()].fifo.size;
    for (const std::uint32_t q : spot.queues) ++queues_[q].size;
  }
  for (Taken& taken : taken_) place_line(taken.fifo);
  for (Line& queue : queues_) place_line(queue);
}

void SharedWorms::join(SharedState& state, const Line& line, Place place) {
  state.lines[line.begin + in_line(state, line).size()] = place;
}

void SharedWorms::leave(SharedState& state, const Line& line, Place place) {
  const auto begin = state.lines.begin() + line.begin, end = begin + line.size;
  *std::remove(begin, end, place) = no_place;
}

SharedState SharedWorms::nothing_granted() const {
  return {std::vector<std::uint8_t>(spots_.size()), std::vector<std::uint64_t>(spots_.size()),
          std::vector<std::uint32_t>(lines_, no_place)};
}

bool SharedWorms::at_head(const SharedState& state, Place node) const {
  if (!spots_[node].network) return true;
  const std::span<const Place> line = fifo(state, node);
  return line.empty() || line.front() == node ||
         std::find(line.begin(), line.end(), node) == line.end();  // its tail has left
}

/// Flits that can enter now, by the slots of the buffer.
std::uint64_t SharedWorms::room(const SharedState& state, Place place, std::uint32_t registers) const {
  if (spots_[place].consumption) return ~std::uint64_t{0};
  std::uint64_t used = 0;
  if (!spots_[place].network)
    used = state.entered[place] - left(state, place);
  else
    for (const Place other : fifo(state, place)) used += state.entered[other] - left(state, other);
  const std::uint64_t slots = std::uint64_t{spots_[place].slots} + (spots_[place].network ? registers : 0);
  return used < slots ? slots - used : 0;
}

bool SharedWorms::stream(SharedState& state, Place source) const {
  if (!link_ || shares_ || serial_ || state.entered[source] + 1 >= flits(source)) return false;
  const Place end = source + static_cast<Place>(worms_[spots_[source].worm].route.hops.size()) + 1;
  std::uint64_t most = flits(source) - 1 - state.entered[source];
  for (Place place = source; place < end; ++place) {
    if (!state.granted[place]) return false;
    if (spots_[place].consumption && !state.allowed.empty())
      most = std::min(most, state.allowed[place] - state.entered[place]);
  }
  for (Place place = source; place < end; ++place) state.entered[place] += most;
  return most > 0;
}

bool SharedWorms::move(SharedState& state, Place node) const {
  const Spot& spot = spots_[node];
  const bool link = spot.position == 0 && link_;
  if (!state.granted[node] || (!link && left(state, node) == state.entered[node]) || !at_head(state, node))
    return false;
  bool any = false;
  if (link && state.entered[node] < flits(node)) {
    const std::uint64_t more = std::min(flits(node) - state.entered[node], room(state, node));
    state.entered[node] += more;
    any = more > 0;
  }
  if (goes_[spot.worm].together) {
    any = move_together(state, node, UINT64_MAX, registers_) || any;
  } else {
    std::uint64_t come = state.entered[node];
    if (spot.position == 0 && !link_) come = std::min(come, left(state, node) + source_flits_);
    std::uint64_t all = come;  // that every branch can take; flit by flit one takes one more
    for (const Place output : spot.outputs)
      all = std::min(all, state.entered[output] + can_enter(state, output, come, 0));
    for (const Place output : spot.outputs) {
      const bool one_by_one = per_flit_ && spot.outputs.size() > 1;
      const std::uint64_t more = can_enter(state, output, one_by_one ? std::min(come, all + 1) : come, 0);
      state.entered[output] += more;
      any = any || more > 0;
    }
  }
  if (any) leave_if_done(state, node);
  return any;
}

/// At most so many flits leave the node by all its outputs; true if any did.
bool SharedWorms::move_together(SharedState& state, Place node, std::uint64_t most,
                                std::uint32_t registers) const {
  const std::vector<Place>& outputs = spots_[node].outputs;
  for (const Place output : outputs)
    most = std::min(most, can_enter(state, output, state.entered[node], registers));
  for (const Place output : outputs) state.entered[output] += most;
  return most > 0 && !outputs.empty();
}

bool SharedWorms::push(SharedState& state, Place node) const {
  if (!state.granted[node] || !at_head(state, node) || !goes_[spots_[node].worm].together ||
      !move_together(state, node, 1, 1))
    return false;
  leave_if_done(state, node);
  return true;
}

void SharedWorms::leave_if_done(SharedState& state, Place node) const {
  if (!spots_[node].network || left(state, node) < flits(node)) return;
  leave(state, taken_[spots_[node].resources.front()].fifo, node);
}

bool SharedWorms::share_resource(Place a, Place b) const {
  return std::any_of(spots_[a].request.begin(), spots_[a].request.end(), [&](Place one) {
    return std::any_of(spots_[b].request.begin(), spots_[b].request.end(),
                       [&](Place other) { return spots_[one].resources == spots_[other].resources; });
  });
}

bool SharedWorms::may_be_locked(const SharedState& state, const std::vector<Place>& requests) const {
  const auto locks = [&](Place place, std::uint32_t router) {  // its worm may have won against another one
    const Spot& spot = spots_[place];
    return spot.router == router && spot.request.size() > 1 && state.granted[place] &&
           left(state, spot.parent) + 1 < flits(place);
  };
  return std::all_of(requests.begin(), requests.end(), [&](Place place) {
    const Spot& spot = spots_[place];
    if (spot.request.size() < 2) return false;
    bool locked = false;
    for (Place other = 0; other < size(); ++other) locked = locked || locks(other, spot.router);
    return locked && std::any_of(requests.begin(), requests.end(), [&](Place other) {
             return other != place && spots_[other].request.size() > 1 && share_resource(place, other);
           });
  });
}

std::uint64_t SharedWorms::can_enter(const SharedState& state, Place output, std::uint64_t upto,
                                     std::uint32_t registers) const {
  if (!state.allowed.empty() && spots_[output].consumption) upto = std::min(upto, state.allowed[output]);
  if (!state.granted[output] || state.entered[output] >= upto) return 0;
  return std::min(upto - state.entered[output], room(state, output, registers));
}

bool SharedWorms::reached(const SharedState& state, Place place) const {
  const Spot& spot = spots_[place];
  if (spot.position == 0) return ready(state, spot.worm);
  if (!state.granted[spot.parent] || state.entered[spot.parent] == 0 || !at_head(state, spot.parent))
    return false;
  return std::all_of(spot.before.begin(), spot.before.end(),
                     [&](Place p) { return serial_ ? state.entered[p] == flits(p) : state.granted[p]; });
}

bool SharedWorms::ready(const SharedState& state, std::uint32_t w) const {
  if (!state.allowed.empty()) return state.allowed[first_[w]] != 0;
  const std::int32_t after = worms_[w].route.after;
  if (after >= 0 && !has_come(state, static_cast<std::uint32_t>(after), w)) return false;
  return std::all_of(worms_[w].awaits.begin(), worms_[w].awaits.end(),
                     [&](std::uint32_t earlier) { return has_come(state, earlier, w); });
}

bool SharedWorms::has_come(const SharedState& state, std::uint32_t earlier, std::uint32_t w) const {
  const std::vector<RouteHop>& hops = worms_[earlier].route.hops;
  for (std::uint32_t h = 0; h < hops.size(); ++h)
    if (hops[h].comes_to(worms_[w].route.source))
      return state.entered[first_[earlier] + h + 1] == flits_[earlier];
  return false;
}

bool SharedWorms::holds(const SharedState& state, Place taker) const {
  if (!state.granted[taker]) return false;
  const bool until_left = spots_[taker].position == 0 || (spots_[taker].network && !shares_);
  return (until_left ? left(state, taker) : state.entered[taker]) < flits(taker);
}

bool SharedWorms::holds_port(const SharedState& state, Place source) const {
  return ready(state, spots_[source].worm) && sends(state, source);
}

[[gnu::weak]] bool SharedWorms::available(const SharedState& state, Place place) const {
  if (spots_[place].needed > 0 && room(state, place) < spots_[place].needed) return false;
  return std::all_of(spots_[place].resources.begin(), spots_[place].resources.end(), [&](std::uint32_t r) {
    const auto holders = std::count_if(taken_[r].takers.begin(), taken_[r].takers.end(),
                                       [&](Place taker) { return holds(state, taker); }) +
                         std::count_if(taken_[r].answers.begin(), taken_[r].answers.end(),
                                       [&](Place source) { return holds_port(state, source); });
    return taken_[r].units == 0 || holders < static_cast<std::ptrdiff_t>(taken_[r].units);
  });
}

bool SharedWorms::finished(const SharedState& state) const {
  for (Place place = 0; place < spots_.size(); ++place)
    if (spots_[place].consumption && state.entered[place] < flits(place)) return false;
  return true;
}

/// All that the place's request asks for is free.
bool SharedWorms::can_grant(const SharedState& state, Place place) const {
  const std::vector<Place>& request = spots_[place].request;
  return std::all_of(request.begin(), request.end(), [&](Place asked) { return available(state, asked); });
}

bool SharedWorms::can_ask(const SharedState& state, Place place) const {
  const Spot& spot = spots_[place];
  if (spot.request.empty() || state.granted[place] || !reached(state, place)) return false;
  if (spot.queues.empty()) return can_grant(state, place);
  const std::span<const Place> line = queue(state, spot.queues.front());
  return std::find(line.begin(), line.end(), place) == line.end();
}

void SharedWorms::ask(SharedState& state, Place place) const {
  const Spot& spot = spots_[place];
  for (const std::uint32_t q : spot.queues) join(state, queues_[q], place);
  for (const Place asked : spot.request)
    if (spot.queues.empty()) give(state, asked);
}

void SharedWorms::give(SharedState& state, Place place) const {
  const Spot& spot = spots_[place];
  state.granted[place] = true;
  if (spot.position == 0 && !link_) state.entered[place] = flits(place);
  if (spot.network) join(state, taken_[spot.resources.front()].fifo, place);
}

/// Grants a request that has queued, if it is the first in all its queues and all that it asks for is free.
bool SharedWorms::grant_first(SharedState& state, Place place) const {
  const std::vector<std::uint32_t>& queues = spots_[place].queues;
  const auto first = [&](std::uint32_t q) { return queue(state, q).front() == place; };
  if (!std::all_of(queues.begin(), queues.end(), first) || !can_grant(state, place)) return false;
  for (const Place asked : spots_[place].request) give(state, asked);
  for (const std::uint32_t q : queues) leave(state, queues_[q], place);
  return true;
}

bool stands_still_alone(const RouterModel& model, const WormRoute& route, std::uint64_t flits) {
  std::set<std::int32_t> followed;
  const auto branches = [&](const RouteHop& hop) { return !followed.insert(hop.parent).second; };
  return outgrows_buffers(model, flits) && std::any_of(route.hops.begin(), route.hops.end(), branches);
}

}  // namespace wormcast
