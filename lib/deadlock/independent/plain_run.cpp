// Worms make requests, and flits move as far as they can, until nothing moves any more.
//
// Between two requests a flit waits for flits and grants alone, and an earlier move never prevents a later
// one; so the final state depends on the order of requests, not on their timing. A request for resources that
// no other worm can still want conflicts with none: it is made at once. Where requests queue (atomic
// allocation), making one is a step of its own. Worms whose flits have not all arrived when nothing can be
// requested or granted are deadlocked. Cost: a replay is linear in the flits that move, times the hops; the
// number of orders is exponential, and limited.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/plain_run.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "deadlock/plain/shared_worms.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

namespace {

class PlainRun {
 public:
  using Place = SharedWorms::Place;

  PlainRun(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms,
           bool streaming)
      : worms_(topology, model, worms, streaming) {}

  const SharedWorms& worms() const { return worms_; }

  /// Makes the request for which the place stands, if it is one that can be granted or has to queue.
  bool ask(SharedState& state, Place place) const {
    const SharedWorms::Spot& spot = worms_.spot(place);
    if (spot.request.empty() || state.granted[place] || !worms_.reached(state, place)) return false;
    if (spot.queues.empty()) return grant(state, place);
    const std::vector<Place>& queue = state.queues[spot.queues.front()];
    if (std::find(queue.begin(), queue.end(), place) != queue.end()) return false;
    for (const std::uint32_t q : spot.queues) state.queues[q].push_back(place);
    return true;
  }

  /// Lets flits move, and makes the requests that `may` allows, until neither brings anything.
  template <class May>
  void settle(SharedState& state, const May& may) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (Place place = 0; place < worms_.size(); ++place) {
        while (worms_.move(state, place)) changed = true;
        changed = (may(state, place) && ask(state, place)) || changed;
      }
      for (const std::vector<Place>& queue : state.queues)
        while (!queue.empty() && grant_first(state, queue.front())) changed = true;
    }
  }

  /// No other worm can still want what is requested.
  bool uncontested(const SharedState& state, Place place) const {
    const std::vector<Place>& request = worms_.spot(place).request;
    return std::all_of(request.begin(), request.end(), [&](Place p) { return worms_.alone(state, p); });
  }

 private:
  bool grant(SharedState& state, Place place) const {
    const std::vector<Place>& request = worms_.spot(place).request;
    if (!std::all_of(request.begin(), request.end(), [&](Place p) { return worms_.available(state, p); }))
      return false;
    for (const Place p : request) worms_.grant(state, p);
    return true;
  }

  bool grant_first(SharedState& state, Place place) const {
    const std::vector<std::uint32_t>& queues = worms_.spot(place).queues;
    const auto first = [&](std::uint32_t q) { return state.queues[q].front() == place; };
    if (!std::all_of(queues.begin(), queues.end(), first) || !grant(state, place)) return false;
    for (const std::uint32_t q : queues) state.queues[q].erase(state.queues[q].begin());
    return true;
  }

  SharedWorms worms_;
};

}  // namespace

bool stands_still_in_turn(const Topology& topology, const RouterModel& model,
                          const std::vector<ExploredWorm>& worms,
                          const std::vector<std::vector<std::int32_t>>& late) {
  const PlainRun run(topology, model, worms, true);
  SharedState state = run.worms().nothing_granted();
  std::vector<bool> early(run.worms().size(), true);
  for (SharedWorms::Place place = 0; place < early.size(); ++place) {
    const SharedWorms::Spot& spot = run.worms().spot(place);
    const std::vector<std::int32_t>& hops = late[spot.worm];
    for (const SharedWorms::Place asked : spot.request) {
      const auto hop = static_cast<std::int32_t>(run.worms().spot(asked).position) - 1;
      if (std::find(hops.begin(), hops.end(), hop) != hops.end()) early[place] = false;
    }
  }
  for (std::uint32_t started = 0; started < worms.size(); ++started)
    run.settle(state, [&](const SharedState&, SharedWorms::Place place) {
      return early[place] && run.worms().spot(place).worm <= started;
    });
  run.settle(state, [](const SharedState&, SharedWorms::Place) { return true; });
  return !run.worms().finished(state);
}

namespace {

/// `gaps`: flits may come after a gap, to find a register before a full buffer closed, and arbiters be
/// locked; what stands still then may do so.
AllOrders follow_orders(const PlainRun& run, bool gaps, std::uint64_t limit) {
  const auto without_choice = [&](const SharedState& state, SharedWorms::Place place) {
    return run.uncontested(state, place);
  };
  AllOrders result;
  std::set<SharedState> seen;
  std::vector<const SharedState*> open;
  const auto learn = [&](SharedState state) {
    run.settle(state, without_choice);
    if (const auto [place, fresh] = seen.insert(std::move(state)); fresh) open.push_back(&*place);
  };
  learn(run.worms().nothing_granted());
  for (std::uint64_t states = 0; !open.empty() && states < limit; ++states) {
    const SharedState& state = *open.back();
    open.pop_back();
    bool any = false;
    std::vector<SharedWorms::Place> asked;
    for (SharedWorms::Place place = 0; place < run.worms().size(); ++place) {
      SharedState next = state;
      if (!run.ask(next, place)) continue;
      any = true;
      asked.push_back(place);
      learn(std::move(next));
    }
    for (SharedWorms::Place place = 0; gaps && place < run.worms().size(); ++place)
      if (SharedState next = state; run.worms().push(next, place)) learn(std::move(next));
    if (gaps) any = any && !run.worms().may_be_locked(state, asked);
    if (any || run.worms().finished(state)) continue;
    result.deadlock = true;
    return result;
  }
  result.exhausted = open.empty();
  return result;
}

}  // namespace

AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit) {
  const AllOrders streaming = follow_orders(PlainRun(topology, model, worms, true), false, limit);
  if (streaming.deadlock || register_flits(model) == 0) return streaming;
  const AllOrders late = follow_orders(PlainRun(topology, model, worms, false), true, limit);
  return {false, late.exhausted && !late.deadlock};
}

}  // namespace wormcast
