// Replays a witness: required arrival order, then flit by flit.
// SPDX-License-Identifier: MIT
#include "checks/witness_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace wormcast {

namespace {

/// `gaps`: flits may come after a gap, to find a register before a full buffer closed, and arbiters be
/// locked; a deadlock then may depend on that. Depth first, and worms that have come less far first: full
/// networks deadlock soonest.
AllOrders follow_orders(const FlitRun& run, bool gaps, std::uint64_t limit, const WantedEnd& wanted) {
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
    result.deadlock = !wanted || wanted(run, state);
    if (result.deadlock) return result;
  }
  result.exhausted = open.empty();
  return result;
}

}  // namespace

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

WitnessArrivals::Order WitnessArrivals::order(const std::vector<WitnessWorm>& witness) const {
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
          result.through_others = result.through_others || !at.directly;
          result.earlier[m].emplace_back(index, host);
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
    for (const auto& [before, host] : earlier[m])
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

AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit,
                         const WantedEnd& wanted) {
  const AllOrders streaming = follow_orders(FlitRun(topology, model, worms, true), false, limit, wanted);
  if (streaming.deadlock || model.discipline().registers == 0) return streaming;
  const AllOrders late = follow_orders(FlitRun(topology, model, worms, false), true, limit, wanted);
  return {false, late.exhausted && !late.deadlock};
}

namespace {

constexpr const char* stands_nowhere = "the witness's worms cannot come to stand so in any order of grants";

bool contains(const std::vector<std::int32_t>& hops, std::int32_t hop) {
  return std::find(hops.begin(), hops.end(), hop) != hops.end();
}

std::int32_t hop_of(const FlitRun::Spot& spot) { return static_cast<std::int32_t>(spot.position) - 1; }

}  // namespace

WitnessRuns::WitnessRuns(const Topology& topology, const RouterModel& model,
                         const std::vector<WitnessWorm>& witness, WitnessArrivals::Order order)
    : topology_(topology),
      model_(model),
      witness_(witness),
      order_(std::move(order)),
      answers_(std::any_of(witness.begin(), witness.end(),
                           [](const WitnessWorm& claim) { return claim.answers.has_value(); })),
      fault_(refuse_lists()) {
  for (const WitnessWorm& claim : witness) {
    worms_.push_back({claim.route, claim.route.flits(claim.length_flits, model.header_flits)});
    worms_.back().route.after = -1;
    worms_.back().route.port.reset();
  }
  for (std::uint32_t w = 0; w < worms_.size() && fault_.empty(); ++w) fault_ = take_answer(w);
  for (std::size_t w = 0; w < order_.earlier.size() && answers_; ++w)  // the order in which they came
    for (const auto& [before, host] : order_.earlier[w])
      if (!stands_aside(witness[w]) && host == witness[w].route.source) worms_[w].awaits.push_back(before);
}

/// Why it answers nothing; else gives it the port by which came what it answers.
std::string WitnessRuns::take_answer(std::uint32_t w) {
  const WitnessWorm& claim = witness_[w];
  if (!claim.answers) return "";
  const std::string name = worm_name(claim.name);
  if (!model_.answered()) return name + " answers nothing";
  const auto asked = std::find_if(witness_.begin(), witness_.end(), [&](const WitnessWorm& worm) {
    return worm.name.multicast == claim.answers && !worm.answers &&
           worm.route.delivers_to(claim.route.source);
  });
  if (asked == witness_.end())
    return fmt::format("{} answers multicast {}, which the witness does not bring to its source", name,
                       *claim.answers);
  WormRoute& route = worms_[w].route;
  route.after = static_cast<std::int32_t>(asked - witness_.begin());
  for (std::uint32_t other = 0; other < w; ++other)
    if (worms_[other].route.after == route.after && witness_[other].route.source == route.source)
      return name + " answers what has been answered";
  for (const RouteHop& hop : asked->route.hops) {
    if (!hop.delivers_to(route.source)) continue;
    route.port.emplace();
    if (hop.parent < 0) continue;
    const RouteHop& input = asked->route.hops[static_cast<std::size_t>(hop.parent)];
    route.port = AnswerPort{ChannelId{input.target}, input.vc};
  }
  return "";
}

std::string WitnessRuns::refuse_lists() const {
  if (witness_.empty()) return "the witness has no worms";
  std::set<WormRef> names;
  bool any = false;
  for (const WitnessWorm& claim : witness_) {
    const std::string name = worm_name(claim.name);
    if (!names.insert(claim.name).second) return name + " appears twice";
    std::set<std::int32_t> listed;
    for (const std::vector<std::int32_t>* hops : {&claim.holds, &claim.waits})
      for (const std::int32_t hop : *hops) {
        if (hop < (hops == &claim.holds ? answered_port : -1) ||
            hop >= static_cast<std::int32_t>(claim.route.hops.size()))
          return fmt::format("{}: it has no hop {}", name, hop);
        if (!listed.insert(hop).second) return fmt::format("{}: hop {} appears twice", name, hop);
      }
    // Where nodes answer, others are there because the blocked ones come after them.
    if (claim.waits.empty() && !(model_.answered() && claim.holds.empty()))
      return name + ": it waits for nothing";
    any = any || !claim.waits.empty();
  }
  return any ? "" : "no worm waits";
}

/// Where a run ends whose requests are made when their time has come.
FlitRun::State WitnessRuns::end_of(const FlitRun& run, const TimeOf& time_of) {
  std::vector<std::uint64_t> times;
  for (FlitRun::Place place = 0; place < run.size(); ++place) times.push_back(time_of(run.spot(place)));
  FlitRun::State state = run.begin();
  for (const std::uint64_t now : std::set(times.begin(), times.end()))
    run.settle(state, [&](FlitRun::Place place) { return times[place] <= now; });
  return state;
}

FlitRun::State WitnessRuns::end_in_turn(const FlitRun& run) const {
  return end_of(run, [&](const FlitRun::Spot& spot) {
    const bool late = std::any_of(spot.request.begin(), spot.request.end(), [&](FlitRun::Place asked) {
      return contains(witness_[spot.worm].waits, hop_of(run.spot(asked)));
    });
    return late ? UINT64_MAX : spot.worm;
  });
}

std::string WitnessRuns::refuse_end(const FlitRun& run, const FlitRun::State& end) const {
  if (run.arrived(end)) return stands_nowhere;
  for (std::uint32_t w = 0; w < witness_.size(); ++w) {
    const WitnessWorm& claim = witness_[w];
    const std::string name = worm_name(claim.name);
    for (const std::int32_t hop : claim.holds)
      if (!run.has(end, w, hop)) return fmt::format("{}: it does not keep hop {}", name, hop);
    for (const std::int32_t hop : claim.waits) {
      const FlitRun::Place place = run.place(w, slot_after(hop)), before = run.spot(place).parent;
      if (!run.waits(end, place)) return fmt::format("{}: it cannot be blocked at hop {}", name, hop);
      if (hop >= 0 && run.spot(before).position > 0 && run.holds(end, before) &&
          !contains(claim.holds, hop_of(run.spot(before))))
        return fmt::format("{}: it waits for hop {} where it does not say that it holds the one before", name,
                           hop);
      for (const auto& [other, held] : run.takers(place))
        if (run.has(end, other, held) && !contains(witness_[other].holds, held))
          return fmt::format("{}: it waits for hop {}, which {} does not say that it holds", name, hop,
                             worm_name(witness_[other].name));
    }
    for (std::size_t i = 0; w < order_.earlier.size() && i < order_.earlier[w].size(); ++i) {
      const auto& [before, host] = order_.earlier[w][i];
      if (!stands_aside(claim) && !run.has_come(end, before, host))
        return name + " waits for " + worm_name(witness_[before].name) + " to arrive";
    }
  }
  return "";
}

/// What is waited for is held by as many as can have it, or queued for; no order of requests has to be tried
/// for that. A copy can wait for the one before it.
std::string WitnessRuns::refuse_lack(const FlitRun& run) const {
  for (std::uint32_t w = 0; w < witness_.size(); ++w)
    for (const std::int32_t hop : witness_[w].waits) {
      if (hop < 0 || model_.discipline().queues_jointly || model_.discipline().copies_serially()) continue;
      const FlitRun::Place place = run.place(w, slot_after(hop));
      const auto takers = run.takers(place);
      const auto holders = std::count_if(takers.begin(), takers.end(), [&](const auto& taker) {
        return contains(witness_[taker.first].holds, taker.second);
      });
      if (run.units(place) == 0 || holders < static_cast<std::ptrdiff_t>(run.units(place)))
        return fmt::format("{} waits for hop {}, which the others do not hold", worm_name(witness_[w].name),
                           hop);
    }
  return "";
}

CheckedVerdict WitnessRuns::check(std::uint64_t state_limit) const {
  if (!fault_.empty()) return refused(fault_);
  const FlitRun run(topology_, model_, worms_, true);
  if (std::string fault = refuse_lack(run); !fault.empty()) return refused(std::move(fault));
  const std::string fault = refuse_end(run, end_in_turn(run));
  if (fault.empty() && (answers_ ? !order_.through_others : order_.as_listed())) return {};
  const AllOrders found = try_all_orders(
      topology_, model_, worms_, state_limit,
      [&](const FlitRun& other, const FlitRun::State& end) { return refuse_end(other, end).empty(); });
  if (found.deadlock && (answers_ ? !order_.through_others : !order_.any())) return {};
  if (found.deadlock)
    return undecided(
        "the witness fits together, but not in the order in which its worms wait for each other");
  if (found.exhausted) return refused(fault.empty() || answers_ ? stands_nowhere : fault);
  return undecided(fmt::format(
      "the witness fits together, but exploring how to reach it takes more than {} states", state_limit));
}

std::string WitnessRuns::refuse_as_timed() const {
  if (!fault_.empty()) return fault_;
  const FlitRun run(topology_, model_, worms_, true);
  const std::string fault = refuse_end(run, end_in_turn(run));
  if (fault.empty()) return "";
  const FlitRun::State end = end_of(run, [&](const FlitRun::Spot& spot) {
    const WitnessWorm& claim = witness_[spot.worm];
    std::uint64_t time = spot.position == 0 ? claim.start_cycle : 0;
    for (const FlitRun::Place asked : spot.request)
      if (const std::size_t position = run.spot(asked).position; position > 0)
        time = std::max<std::uint64_t>(time, claim.route.hops[position - 1].not_before_cycle);
    return time;
  });
  return refuse_end(run, end).empty() ? "" : fault;
}

bool WitnessRuns::blocked_in_turn() const {
  const FlitRun run(topology_, model_, worms_, true);
  const FlitRun::State end = end_in_turn(run);
  for (std::uint32_t w = 0; w < witness_.size(); ++w)
    if (!run.waits(end, run.place(w, slot_after(witness_[w].waits.front())))) return false;
  return true;
}

bool blocked_as_recorded(const Topology& topology, const RouterModel& model,
                         const std::vector<WitnessWorm>& witness) {
  std::vector<WitnessWorm> cut = witness;
  for (WitnessWorm& claim : cut) {  // it states hops up to the one that is waited for
    std::vector<RouteHop>& hops = claim.route.hops;
    hops.resize(slot_after(claim.waits.front()));
    std::int32_t before = -1;
    for (std::size_t h = 0; h < hops.size(); ++h) {
      hops[h].parent = before;
      if (hops[h].is_channel()) before = static_cast<std::int32_t>(h);
    }
  }
  return WitnessRuns(topology, model, cut).blocked_in_turn();
}

}  // namespace wormcast
