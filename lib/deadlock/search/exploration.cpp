// Exhaustive exploration of everything that a few worms can do.
//
// A state says what each worm has been granted, how many flits have entered each hop, in which order the
// worms stand in each FIFO, and in which order they queue for what atomic nodes ask for together. A step is
// one grant, or one request that has to queue; then all flits move as far as they can, and the first of the
// queues are granted what they can be.
//
// Why rest is enough: a virtual channel passes from worm to worm in the order of its grants, and its FIFO
// keeps that order; where there are queues, the order of requests is that of the grants. Given the orders,
// every flit waits for flits and for grants alone, and whatever happens early only lets more happen. So all
// timings of one order end in the same state, and in none of them can more be granted or asked for at any
// moment than when everything moves at once. No rule of arbitration is supposed: any worm that can be granted
// a free resource may be next. A resource that no other will ever ask for again is granted at once.
//
// Why most requests need no queue: one that no atomic node's can stand behind holds up none while it waits,
// so it may as well be made when it can be granted. One that can (or is one) is tried as soon as the header
// is there: what comes later waits for it even where the resource itself is free.
//
// Where a header is granted only outputs with a slot, nothing queues, and what holds for free outputs holds
// for slots. Where outputs end in registers, a flit more stands before a full buffer if it came without a
// gap. That depends on timing: deadlocks are looked for as if none had gaps, as where worms start one after
// the other; that there is none is said only if none is found in which any flit may have been held back so,
// and any router's arbiter of several outputs be locked.
//
// A state in which nothing can be granted or asked for although a tail has not arrived is a deadlock. Depth
// first, a request at a time: what is looked for are deadlocks, and these lie at the ends. Cost: up to the
// number of orders, in the worst case; a settling is linear in the flits that move, times the hops, so states
// of many hops count as several.
// SPDX-License-Identifier: MIT
#include "deadlock/search/search.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace wormcast {

namespace {

constexpr std::uint64_t settled_between_news = 1024;  ///< states
constexpr std::uint64_t places_a_state = 256;  ///< that are settled for a state; more count as several states

class Explorer {
 public:
  Explorer(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms,
           bool streaming, std::function<void(std::uint64_t)> tell = nullptr)
      : worms_(topology, model, worms, streaming),
        count_(worms.size()),
        gaps_(!streaming),
        tell_(std::move(tell)) {}

  Exploration run(std::uint64_t limit) {
    Exploration result;
    bool fresh = learn(worms_.nothing_granted(), 0, {});
    while (result.states < limit) {
      if (fresh) {
        const auto at = static_cast<std::uint32_t>(known_.size() - 1);
        const SharedState& state = *known_[at].state;
        result.states = std::max(result.states + 1, settled_ * worms_.size() / places_a_state);
        if (!open(state, at) && !worms_.finished(state)) {
          if (!gaps_) describe(state, at, result);  // else it may be one or not
          return result;
        }
      }
      result.exhausted = open_.empty();
      if (result.exhausted) break;
      const Step step = open_.back();
      open_.pop_back();
      SharedState next = *known_[step.from].state;
      if (settled_ % settled_between_news == 0 && tell_) tell_(result.states);
      if (!step.is_flit) {
        worms_.ask(next, step.place);
        fresh = learn(std::move(next), step.from, {request_of(worms_.spot(step.place))});
      } else {
        fresh = worms_.push(next, step.place) && learn(std::move(next), step.from, {});
      }
    }
    return result;
  }

  std::vector<std::uint32_t> drawn_deadlock(Random& random) const {
    SharedState state = worms_.nothing_granted();
    std::vector<ExploredRequest> requests;
    for (;;) {
      settle(state, requests);
      const std::vector<Place> next = next_requests(state);
      if (next.empty()) break;
      worms_.ask(state, next[random.below(next.size())]);
    }
    return worms_.finished(state) ? std::vector<std::uint32_t>() : shortest_cycle_of(standing(state));
  }

 private:
  using Place = SharedWorms::Place;
  using Spot = SharedWorms::Spot;
  struct Known {
    const SharedState* state = nullptr;
    std::uint32_t from = 0;
    std::vector<ExploredRequest> requests;  ///< that lead here from there
  };
  struct Step {
    std::uint32_t from = 0;
    Place place = 0;
    bool is_flit = false;  ///< after a gap, and no request
  };

  static ExploredRequest request_of(const Spot& spot) {
    return {spot.worm, static_cast<std::int32_t>(spot.position) - 1};
  }

  /// Everything moves that can, and what no other worm will ask for is asked for.
  void settle(SharedState& state, std::vector<ExploredRequest>& requests) const {
    worms_.settle(state, [&](Place place) {
      if (!uncontested(worms_, state, place)) return false;
      requests.push_back(request_of(worms_.spot(place)));
      return true;
    });
  }

  /// True if it is a new one, the last that is known.
  bool learn(SharedState state, std::uint32_t from, std::vector<ExploredRequest> requests) {
    settle(state, requests);
    ++settled_;
    const auto [place, fresh] = seen_.insert(std::move(state));
    if (fresh) known_.push_back(Known{&*place, from, std::move(requests)});
    return fresh;
  }

  /// What can be granted or has to queue, as the next thing that happens.
  std::vector<Place> next_requests(const SharedState& state) const {
    std::vector<Place> requests;
    for (Place place = 0; place < worms_.size(); ++place)
      if (worms_.can_ask(state, place)) requests.push_back(place);
    return requests;
  }

  /// Every grant, queued request and flit after a gap may be next; false if there may be no grant or request.
  bool open(const SharedState& state, std::uint32_t at) {
    const std::vector<Place> requests = next_requests(state);
    for (const Place place : requests) open_.push_back({at, place, false});
    for (Place place = 0; gaps_ && place < worms_.size(); ++place) open_.push_back({at, place, true});
    return !requests.empty() && !(gaps_ && worms_.may_be_locked(state, requests));
  }

  std::vector<DeadlockedWorm> standing(const SharedState& state) const {
    std::vector<DeadlockedWorm> result(count_);
    for (std::uint32_t w = 0; w < count_; ++w) result[w].ready = worms_.ready(state, w);
    for (Place place = 0; place < worms_.size(); ++place)
      stand(state, place, result[worms_.spot(place).worm]);
    for (DeadlockedWorm& worm : result) sort_unique(worm.waits_for);
    return result;
  }

  void describe(const SharedState& state, std::uint32_t at, Exploration& result) const {
    std::vector<std::uint32_t> way{at};
    while (way.back() != 0) way.push_back(known_[way.back()].from);
    result.deadlock.emplace();
    for (auto step = way.rbegin(); step != way.rend(); ++step)
      result.deadlock->insert(result.deadlock->end(), known_[*step].requests.begin(),
                              known_[*step].requests.end());
    result.blocked = standing(state);
  }

  /// The copy before it keeps the slots that its own flits need.
  bool copy_never_comes(const SharedState& state, Place place) const {
    const Spot& spot = worms_.spot(place);
    return !state.granted[place] && worms_.outgrows(spot.worm) &&
           std::any_of(spot.before.begin(), spot.before.end(),
                       [&](Place before) { return state.granted[before]; });
  }

  void stand(const SharedState& state, Place place, DeadlockedWorm& worm) const {
    const Spot& spot = worms_.spot(place);
    const bool firm = state.granted[place] && worms_.at_head(state, place);
    const std::vector<std::uint32_t> before = standing_before(state, place);
    // A worm that queues to start blocks none, unless it is an answer. Of what an atomic node asks for
    // together some may be free.
    const bool waits = (spot.position > 0 || spot.port) && !firm && worms_.reached(state, place) &&
                       (state.granted[place] || !before.empty() || !worms_.available(state, place));
    const bool copied_last = copy_never_comes(state, place);
    if (spot.position == 0) worm.keeps_port = spot.port && worms_.holds_port(state, place);
    worm.firm.push_back(firm);
    worm.held.push_back(firm && worms_.stays(state, place));
    worm.waits.push_back(waits || copied_last);
    if (copied_last) worm.waits_for.push_back(spot.worm);
    if (!waits) return;
    worm.waits_for.insert(worm.waits_for.end(), before.begin(), before.end());
    if (spot.network) {
      for (const Place other : worms_.fifo(state, place)) {
        if (other == place) break;
        worm.waits_for.push_back(worms_.spot(other).worm);
      }
      return;
    }
    for (const std::uint32_t r : spot.resources) {
      for (const Place taker : worms_.taken()[r].takers)
        if (worms_.holds(state, taker)) worm.waits_for.push_back(worms_.spot(taker).worm);
      for (const Place source : worms_.taken()[r].answers)
        if (worms_.holds_port(state, source)) worm.waits_for.push_back(worms_.spot(source).worm);
    }
  }

  /// Worms whose requests stand before this place's in the queues for it.
  std::vector<std::uint32_t> standing_before(const SharedState& state, Place place) const {
    std::vector<std::uint32_t> before;
    if (state.granted[place]) return before;
    for (const std::uint32_t r : worms_.spot(place).resources) {
      const auto& queue = worms_.taken()[r].queue;
      if (!queue) continue;
      for (const Place other : worms_.queue(state, *queue)) {
        if (worms_.spot(other).worm == worms_.spot(place).worm) break;
        before.push_back(worms_.spot(other).worm);
      }
    }
    return before;
  }

  /// The fewest worms of which each waits for the next.
  static std::vector<std::uint32_t> shortest_cycle_of(const std::vector<DeadlockedWorm>& worms) {
    DependencyGraph waits;
    for (std::uint32_t worm = 0; worm < worms.size(); ++worm)
      for (const std::uint32_t next : worms[worm].waits_for) {
        if (next == worm) return {worm};  // none is shorter
        waits.add(ResourceId{worm}, ResourceId{next}, {});
      }
    const DependencyOrder order(waits);
    std::vector<std::uint32_t> cycle;
    if (!order.acyclic())
      for (const Dependency& edge : order.shortest_cycle()) cycle.push_back(edge.from.value);
    return cycle;
  }

  SharedWorms worms_;
  std::size_t count_;
  bool gaps_;  ///< between flits, which leave registers empty
  std::unordered_set<SharedState, HashOfSharedState> seen_;
  std::vector<Known> known_;
  std::vector<Step> open_;
  std::uint64_t settled_ = 0;  ///< states, those known before as well
  std::function<void(std::uint64_t)> tell_;
};

}  // namespace

/// Weak, as explore(), explore_joins() and find_start_order(): tests/planted puts others in their places,
/// which err.
[[gnu::weak]] bool uncontested(const SharedWorms& worms, const SharedState& state, SharedWorms::Place place) {
  const auto alone = [&](SharedWorms::Place asked) {
    const std::vector<std::uint32_t>& resources = worms.spot(asked).resources;
    return std::all_of(resources.begin(), resources.end(), [&](std::uint32_t r) {
      const SharedWorms::Taken& taken = worms.taken()[r];
      return taken.units == 0 ||
             std::all_of(taken.takers.begin(), taken.takers.end(),
                         [&](SharedWorms::Place taker) { return taker == asked || state.granted[taker]; });
    });
  };
  const std::vector<SharedWorms::Place>& request = worms.spot(place).request;
  return std::all_of(request.begin(), request.end(), alone);
}

[[gnu::weak]] Exploration explore(const Topology& topology, const RouterModel& model,
                                  const std::vector<ExploredWorm>& worms, std::uint64_t limit,
                                  const std::function<void(std::uint64_t)>& tell) {
  Exploration found = Explorer(topology, model, worms, true, tell).run(limit);
  if (found.deadlock || model.discipline().registers == 0) return found;
  return Explorer(topology, model, worms, false, tell).run(limit);
}

MulticastSet drawn_deadlock(const Topology& topology, const RouterModel& model,
                            const std::vector<Routes>& multicasts, std::uint64_t flits, Random& random) {
  std::vector<ExploredWorm> worms;
  std::vector<const Request*> of;  // by worm
  for (const Routes& routes : multicasts)
    for (const std::size_t first = worms.size(); const WormRoute& route : routes.worms) {
      worms.push_back({route, flits});
      if (route.after >= 0) worms.back().route.after += static_cast<std::int32_t>(first);
      of.push_back(&routes.plan.request);
    }
  MulticastSet result;
  for (const std::uint32_t worm : Explorer(topology, model, worms, true).drawn_deadlock(random)) {
    std::vector<std::uint32_t> to;
    for (const HostId host : of[worm]->destinations) to.push_back(host.value);
    result.emplace(of[worm]->source.value, std::move(to), std::nullopt);
  }
  return result;
}

}  // namespace wormcast
