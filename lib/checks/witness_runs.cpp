// Replays a witness: required arrival order, then flit by flit.
// SPDX-License-Identifier: MIT
#include "checks/witness_runs.hpp"

#include <algorithm>
#include <set>

#include "checks/flit_run.hpp"

namespace wormcast {

namespace {

/// `gaps`: flits may come after a gap, to find a register before a full buffer closed, and arbiters be
/// locked; a deadlock then may depend on that. Depth first, and worms that have come less far first: full
/// networks deadlock soonest.
AllOrders follow_orders(const FlitRun& run, bool gaps, std::uint64_t limit) {
  AllOrders result;
  std::set<FlitRun::State> seen;
  std::vector<const FlitRun::State*> open;
  std::vector<std::vector<FlitRun::Place>> rivals;
  for (FlitRun::Place place = 0; place < run.size(); ++place) rivals.push_back(run.rivals(place));
  const auto learn = [&](FlitRun::State state) {
    run.settle(state, [&](FlitRun::Place place) {
      return std::all_of(rivals[place].begin(), rivals[place].end(),
                         [&](FlitRun::Place other) { return state.granted[other]; });
    });
    if (const auto [place, fresh] = seen.insert(std::move(state)); fresh) open.push_back(&*place);
  };
  learn(run.begin());
  for (std::uint64_t states = 0; !open.empty() && states < limit; ++states) {
    const FlitRun::State& state = *open.back();
    open.pop_back();
    std::vector<FlitRun::Place> asked;
    for (FlitRun::Place place = 0; place < run.size(); ++place)
      if (run.can_ask(state, place)) asked.push_back(place);
    std::sort(asked.begin(), asked.end(), [&](FlitRun::Place a, FlitRun::Place b) {
      return run.spot(a).position > run.spot(b).position;
    });
    for (const FlitRun::Place place : asked) {
      FlitRun::State next = state;
      run.ask(next, place);
      learn(std::move(next));
    }
    bool any = !asked.empty();
    for (FlitRun::Place place = 0; gaps && place < run.size(); ++place)
      if (FlitRun::State next = state; run.fill(next, place)) learn(std::move(next));
    if (gaps) any = any && !run.may_be_locked(state, asked);
    if (any || run.arrived(state)) continue;
    result.deadlock = true;
    return result;
  }
  result.exhausted = open.empty();
  return result;
}

}  // namespace

AtRest::AtRest(const Topology& topology, const RouterModel& model, const WitnessWorm& claim, bool behind)
    : route(claim.route),
      flits(claim.route.flits(claim.length_flits, model.header_flits)),
      worm(topology, model, claim.route, flits) {
  std::vector<bool> refused(worm.positions());
  for (const std::int32_t hop : claim.waits)  // hops that are none are refused elsewhere
    if (hop >= -1 && slot_after(hop) < refused.size()) refused[slot_after(hop)] = true;
  granted = worm.all_but(refused, behind);
  rest = worm.at_rest(granted);
}

bool AtRest::has_arrived(HostId host) const {
  for (std::size_t h = 0; h < route.hops.size(); ++h)
    if (route.hops[h].comes_to(host)) return granted[h + 1] && !rest.held[h + 1];
  return false;
}

void WitnessArrivals::add(const Routes& routes) {
  const Request& request = routes.plan.request;
  const bool relays = std::any_of(routes.worms.begin(), routes.worms.end(),
                                  [](const WormRoute& worm) { return worm.after >= 0; });
  if (!relays && request.depends_on.empty()) return;
  Relations& own = relations_[request.id];
  own.source = request.source;
  own.depends_on = request.depends_on;
  for (std::uint32_t w = 0; w < routes.worms.size(); ++w) {
    own.after.push_back(routes.worms[w].after);
    own.sources.push_back(routes.worms[w].source);
    for (const RouteHop& hop : routes.worms[w].hops)
      if (!hop.is_channel()) own.arrives.emplace_back(HostId{hop.target}, w);
  }
}

/// The arrivals with which `worm` can start. Of multicasts in which nothing waits only the worms of the
/// witness are known; the others can be under way before everything else.
std::vector<WitnessArrivals::Arrival> WitnessArrivals::needed(const WormRef& worm,
                                                              const std::vector<WitnessWorm>& witness) const {
  std::vector<Arrival> result;
  const auto own = relations_.find(worm.multicast);
  if (own == relations_.end()) return result;
  const std::int32_t after = own->second.after.at(worm.worm);
  if (after >= 0)
    return {{WormRef{worm.multicast, static_cast<std::uint32_t>(after)}, own->second.sources.at(worm.worm)}};
  const HostId source = own->second.source;
  for (const std::uint64_t earlier : own->second.depends_on) {
    const auto theirs = relations_.find(earlier);
    if (theirs != relations_.end()) {
      for (const auto& [host, sender] : theirs->second.arrives)
        if (host == source) result.emplace_back(WormRef{earlier, sender}, source);
      continue;
    }
    for (const WitnessWorm& claim : witness)
      if (claim.name.multicast == earlier && claim.route.comes_to(source))
        result.emplace_back(claim.name, source);
  }
  return result;
}

WitnessArrivals::Order WitnessArrivals::order(const std::vector<WitnessWorm>& witness,
                                              const std::vector<AtRest>& at_rest) const {
  Order result;
  result.earlier.resize(witness.size());
  for (std::uint32_t m = 0; m < witness.size(); ++m) {
    struct Reached {
      WormRef worm;
      bool directly = true;  // through worms of the witness alone
    };
    std::vector<Reached> open{{witness[m].name}};
    std::set<WormRef> seen;
    while (!open.empty()) {
      const Reached at = open.back();
      open.pop_back();
      for (const Arrival& arrival : needed(at.worm, witness)) {
        const WormRef& sender = arrival.first;
        const HostId host = arrival.second;
        const auto claim = std::find_if(witness.begin(), witness.end(),
                                        [&](const WitnessWorm& worm) { return worm.name == sender; });
        const bool member = claim != witness.end();
        if (member) {
          const auto index = static_cast<std::uint32_t>(claim - witness.begin());
          const bool arrived = at_rest[index].has_arrived(host);
          if (!arrived && witness[m].answers && witness[m].waits.empty()) continue;  // it stands aside
          if (!arrived) {
            result.fault = worm_name(witness[m].name) + " waits for " + worm_name(sender) + " to arrive";
            return result;
          }
          result.through_others = result.through_others || !at.directly;
          result.earlier[m].push_back(index);
        }
        if (seen.insert(sender).second) open.push_back({sender, at.directly && member});
      }
    }
  }
  return result;
}

bool WitnessArrivals::Order::any() const {
  return std::any_of(earlier.begin(), earlier.end(), [](const auto& those) { return !those.empty(); });
}

bool WitnessArrivals::Order::as_listed() const {
  for (std::uint32_t m = 0; m < earlier.size(); ++m)
    for (const std::uint32_t before : earlier[m])
      if (before >= m) return false;
  return !through_others;
}

// In runs worms make requests, and flits move as far as they can, until nothing moves any more. Between two
// requests a flit waits for flits and grants alone, and an earlier move never prevents a later one; so the
// final state depends on the order of requests, not on their timing. Orders are followed one request at a
// time; one for resources that no other is yet to take changes nothing for the others whenever it is made, so
// it is made at once. Where requests queue (atomic allocation), making one is a step of its own.
// Worms whose flits have not all arrived when nothing can be requested or granted are deadlocked. Cost: a
// replay is linear in the flits that move, times the hops; the number of orders is exponential, and limited.

namespace {

FlitRun::State settle_in_turn(const FlitRun& run, const std::vector<std::vector<std::int32_t>>& late) {
  FlitRun::State state = run.begin();
  std::vector<bool> early(run.size(), true);
  for (FlitRun::Place place = 0; place < early.size(); ++place) {
    const FlitRun::Spot& spot = run.spot(place);
    const std::vector<std::int32_t>& hops = late[spot.worm];
    for (const FlitRun::Place asked : spot.request) {
      const auto hop = static_cast<std::int32_t>(run.spot(asked).position) - 1;
      if (std::find(hops.begin(), hops.end(), hop) != hops.end()) early[place] = false;
    }
  }
  for (std::uint32_t started = 0; started < late.size(); ++started)
    run.settle(state, [&](FlitRun::Place place) { return early[place] && run.spot(place).worm <= started; });
  run.settle(state, [](FlitRun::Place) { return true; });
  return state;
}

}  // namespace

bool blocked_in_turn(const Topology& topology, const RouterModel& model,
                     const std::vector<ExploredWorm>& worms,
                     const std::vector<std::vector<std::int32_t>>& late) {
  const FlitRun run(topology, model, worms, true);
  return !run.arrived(settle_in_turn(run, late));
}

bool blocked_as_recorded(const Topology& topology, const RouterModel& model,
                         const std::vector<WitnessWorm>& witness) {
  std::vector<ExploredWorm> worms;
  std::vector<std::vector<std::int32_t>> late;
  for (const WitnessWorm& claim : witness) {
    worms.push_back({claim.route, claim.route.flits(claim.length_flits, model.header_flits)});
    WormRoute& route = worms.back().route;
    route.after = -1;
    // A witness states hops up to the one that is waited for: whoever gets that is through.
    route.hops.resize(slot_after(claim.waits.front()));
    std::int32_t before = -1;
    for (std::size_t h = 0; h < route.hops.size(); ++h) {
      route.hops[h].parent = before;
      if (route.hops[h].is_channel()) before = static_cast<std::int32_t>(h);
    }
    late.push_back(claim.waits);
  }
  const FlitRun run(topology, model, worms, true);
  const FlitRun::State state = settle_in_turn(run, late);
  for (FlitRun::Place place = 0; place < run.size(); ++place) {
    const FlitRun::Spot& spot = run.spot(place);
    if (static_cast<std::int32_t>(spot.position) - 1 == late[spot.worm].front() && state.entered[place] > 0)
      return false;
  }
  return true;
}

AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit) {
  const AllOrders streaming = follow_orders(FlitRun(topology, model, worms, true), false, limit);
  if (streaming.deadlock || model.discipline().registers == 0) return streaming;
  const AllOrders late = follow_orders(FlitRun(topology, model, worms, false), true, limit);
  return {false, late.exhausted && !late.deadlock};
}

}  // namespace wormcast
