// Worms make requests, and flits move as far as they can, until nothing moves any more.
//
// Between two requests a flit waits for flits and grants alone, and an earlier move never prevents a later
// one; so the final state depends on the order of requests, not on their timing. A request for resources that
// no other worm can still want conflicts with none: it is made at once. Where requests queue (atomic
// allocation), making one is a step of its own. Worms whose flits have not all arrived when nothing can be
// requested or granted are deadlocked. Cost: a replay is linear in the flits that move, times the hops; the
// number of orders is exponential, and limited.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/verdict_check.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "deadlock/plain/shared_worms.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

bool stands_still_in_turn(const Topology& topology, const RouterModel& model,
                          const std::vector<ExploredWorm>& worms,
                          const std::vector<std::vector<std::int32_t>>& late) {
  const SharedWorms run(topology, model, worms, true);
  SharedState state = run.nothing_granted();
  std::vector<bool> early(run.size(), true);
  for (SharedWorms::Place place = 0; place < early.size(); ++place) {
    const SharedWorms::Spot& spot = run.spot(place);
    const std::vector<std::int32_t>& hops = late[spot.worm];
    for (const SharedWorms::Place asked : spot.request) {
      const auto hop = static_cast<std::int32_t>(run.spot(asked).position) - 1;
      if (std::find(hops.begin(), hops.end(), hop) != hops.end()) early[place] = false;
    }
  }
  for (std::uint32_t started = 0; started < worms.size(); ++started)
    run.settle(state,
               [&](SharedWorms::Place place) { return early[place] && run.spot(place).worm <= started; });
  run.settle(state, [](SharedWorms::Place) { return true; });
  return !run.finished(state);
}

namespace {

/// `gaps`: flits may come after a gap, to find a register before a full buffer closed, and arbiters be
/// locked; what stands still then may do so.
AllOrders follow_orders(const SharedWorms& run, bool gaps, std::uint64_t limit) {
  AllOrders result;
  std::unordered_set<SharedState, HashOfSharedState> seen;
  std::vector<const SharedState*> open;
  const auto learn = [&](SharedState state) {
    run.settle(state, [&](SharedWorms::Place place) { return run.uncontested(state, place); });
    if (const auto [place, fresh] = seen.insert(std::move(state)); fresh) open.push_back(&*place);
  };
  learn(run.nothing_granted());
  for (std::uint64_t states = 0; !open.empty() && states < limit; ++states) {
    const SharedState& state = *open.back();
    open.pop_back();
    bool any = false;
    std::vector<SharedWorms::Place> asked;
    for (SharedWorms::Place place = 0; place < run.size(); ++place) {
      if (!run.can_ask(state, place)) continue;
      SharedState next = state;
      run.ask(next, place);
      any = true;
      asked.push_back(place);
      learn(std::move(next));
    }
    for (SharedWorms::Place place = 0; gaps && place < run.size(); ++place)
      if (SharedState next = state; run.push(next, place)) learn(std::move(next));
    if (gaps) any = any && !run.may_be_locked(state, asked);
    if (any || run.finished(state)) continue;
    result.deadlock = true;
    return result;
  }
  result.exhausted = open.empty();
  return result;
}

}  // namespace

AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit) {
  const AllOrders streaming = follow_orders(SharedWorms(topology, model, worms, true), false, limit);
  if (streaming.deadlock || register_flits(model) == 0) return streaming;
  const AllOrders late = follow_orders(SharedWorms(topology, model, worms, false), true, limit);
  return {false, late.exhausted && !late.deadlock};
}

}  // namespace wormcast
