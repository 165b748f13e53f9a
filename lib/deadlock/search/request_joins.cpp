// All orders of grants of a few messages among which are reductions, on routers that join by request.
//
// A place is a hop of a worm, or its source, of a reduction its root. A reduction's places come before those
// towards the root: a header asks for a place when it stands in all before it, and a flit enters when it has
// come to all of these. Flits move as far as they can, and what no other worm can ask for is granted at once;
// the order of all other grants is tried, depth first. Why rest is enough: see exploration.cpp. Of a deadlock
// parts start in the order in which they first took what others wanted; whether that run of the simulator
// ends so is for the caller to see. Cost: up to the number of orders; a settling is linear in places, times
// the flits' ways.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "deadlock/search/join_exploration.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "router/worm_footprint.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t whole = UINT64_MAX;
constexpr std::uint64_t most_work = 300'000'000;  ///< places looked at, in all states

class RequestedJoins {
 public:
  RequestedJoins(const Topology& topology, const RouterModel& model, const std::vector<Routes>& messages)
      : topology_(topology), model_(model), messages_(messages), worms_(topology, model, messages) {
    for (std::uint32_t w = 0; w < worms_.all.size(); ++w) {
      first_.push_back(static_cast<std::uint32_t>(places_.size()));
      for (std::int32_t h = -1; h < worms_.hops(w); ++h) add_place(w, h);
    }
    for (std::uint32_t w = 0; w < worms_.all.size(); ++w) connect(w);
  }

  JoinExploration follow(std::uint64_t limit, const std::function<void(std::uint64_t)>& tell) {
    constexpr std::uint64_t states_between_words = 1000;
    JoinExploration result;
    learn({std::vector<std::uint8_t>(places_.size()), std::vector<std::uint64_t>(places_.size())}, 0, {});
    while (!open_.empty() && result.states < limit && work_ < most_work) {
      const std::uint32_t at = open_.back();
      open_.pop_back();
      if (++result.states % states_between_words == 0) tell(result.states);
      const State state = known_[at].state;
      bool any = false;
      for (std::uint32_t p = 0; p < places_.size(); ++p) {
        if (!can_grant(state, p)) continue;
        any = true;
        State next = state;
        grant(next, p);
        learn(std::move(next), at, {p});
      }
      if (any || finished(state)) continue;
      result.deadlock = starts_to(at);
      return result;
    }
    result.exhausted = open_.empty();
    return result;
  }

 private:
  struct Place {
    std::uint32_t worm = 0;
    std::int32_t hop = -1;
    std::vector<ResourceId> asks;
    std::vector<std::uint32_t> before, behind;  ///< towards where flits come from, and go to
    std::vector<std::uint32_t> together;        ///< those that a flit enters in one cycle, itself among them
    std::vector<std::uint32_t> turn;            ///< granted earlier, as a path wants it
    std::uint64_t slots = whole;
  };
  struct State {
    std::vector<std::uint8_t> granted;
    std::vector<std::uint64_t> entered;
  };
  struct Known {
    State state;
    std::uint32_t from = 0;
    std::vector<std::uint32_t> grants;
  };

  std::uint32_t place(std::uint32_t w, std::int32_t hop) const {
    return first_[w] + static_cast<std::uint32_t>(hop + 1);
  }
  bool starts(const Place& at) const { return at.before.empty(); }

  void add_place(std::uint32_t w, std::int32_t h) {
    Place& at = places_.emplace_back();
    at.worm = w;
    at.hop = h;
    at.asks = worms_.asked({w, h});
    const bool root = h < 0 && worms_.reduces(w);
    if (root && model_.consumption_channels == 0 && !topology_.hosts_have_links()) at.asks.clear();
    sort_unique(at.asks);
    for (const ResourceId resource : at.asks) takers_[resource].push_back(place(w, h));
    if (h >= 0 && worms_.hop({w, h}).is_channel())
      at.slots = buffer_slots(topology_, model_, ChannelId{worms_.hop({w, h}).target});
    else if (topology_.hosts_have_links() && (h < 0) != worms_.reduces(w))
      at.slots = buffer_slots(topology_, model_,
                              h < 0 ? worms_.all[w].route->source : HostId{worms_.hop({w, h}).target});
  }

  void connect(std::uint32_t w) {
    const WormRoute& route = *worms_.all[w].route;
    const Advance goes(model_, route);
    for (std::int32_t h = 0; h < worms_.hops(w); ++h) {
      std::uint32_t from = place(w, worms_.hop({w, h}).parent), to = place(w, h);
      if (worms_.reduces(w)) std::swap(from, to);
      places_[to].before.push_back(from);
      places_[from].behind.push_back(to);
    }
    for (std::int32_t h = -1; h < worms_.hops(w); ++h) {
      Place& at = places_[place(w, h)];
      at.together = {place(w, h)};
      if (worms_.reduces(w) || h < 0) continue;
      const std::vector<std::uint32_t>& siblings = places_[at.before.front()].behind;
      if (goes.together) at.together = siblings;
      for (const std::uint32_t other : siblings)
        if (goes.path && worms_.hop({w, h}).is_channel() && !worms_.hop({w, places_[other].hop}).is_channel())
          at.turn.push_back(other);
    }
  }

  std::uint64_t flits(std::uint32_t p) const { return worms_.flits(places_[p].worm); }
  std::uint64_t left(const State& state, std::uint32_t p) const {
    std::uint64_t least = state.entered[p];
    for (const std::uint32_t next : places_[p].behind) least = std::min(least, state.entered[next]);
    return least;
  }
  bool holds(const State& state, std::uint32_t p) const {
    return state.granted[p] && (places_[p].behind.empty() ? state.entered[p] : left(state, p)) < flits(p);
  }

  bool arrived(const State& state, std::uint32_t w, HostId host) const {
    if (worms_.reduces(w)) return state.entered[place(w, -1)] == worms_.flits(w);
    for (std::int32_t h = 0; h < worms_.hops(w); ++h)
      if (worms_.hop({w, h}).comes_to(host)) return state.entered[place(w, h)] == worms_.flits(w);
    return false;
  }
  bool ready(const State& state, const Place& at) const {
    const JoinedWorm& worm = worms_.all[at.worm];
    const HostId host = at.hop < 0 ? worm.route->source : HostId{worms_.hop({at.worm, at.hop}).target};
    if (!worms_.reduces(at.worm) && worm.route->after >= 0 &&
        !arrived(state, at.worm - worm.name.worm + static_cast<std::uint32_t>(worm.route->after), host))
      return false;
    const auto awaited = worm.awaits.find(at.hop);
    return awaited == worm.awaits.end() ||
           std::all_of(awaited->second.begin(), awaited->second.end(),
                       [&](std::uint32_t w) { return arrived(state, w, host); });
  }

  bool can_grant(const State& state, std::uint32_t p) const {
    const Place& at = places_[p];
    if (state.granted[p] || (starts(at) && !ready(state, at))) return false;
    for (const std::uint32_t before : at.before)
      if (!state.granted[before] || state.entered[before] == 0) return false;
    for (const std::uint32_t earlier : at.turn)
      if (!state.granted[earlier]) return false;
    return std::all_of(at.asks.begin(), at.asks.end(), [&](ResourceId resource) {
      const std::uint32_t units = worms_.units(resource);
      const std::vector<std::uint32_t>& takers = takers_.at(resource);
      return units == 0 || std::count_if(takers.begin(), takers.end(), [&](std::uint32_t taker) {
                             return holds(state, taker);
                           }) < static_cast<std::ptrdiff_t>(units);
    });
  }
  /// Others may still want what it asks for.
  bool contested(const State& state, std::uint32_t p) const {
    return std::any_of(places_[p].asks.begin(), places_[p].asks.end(), [&](ResourceId resource) {
      const std::vector<std::uint32_t>& takers = takers_.at(resource);
      return worms_.units(resource) != 0 &&
             std::any_of(takers.begin(), takers.end(),
                         [&](std::uint32_t taker) { return taker != p && !state.granted[taker]; });
    });
  }
  void grant(State& state, std::uint32_t p) const {
    state.granted[p] = 1;
    if (starts(places_[p]) && places_[p].slots == whole) state.entered[p] = flits(p);
  }

  /// As many flits as can enter the place, with those that it goes together with.
  bool move(State& state, std::uint32_t p) const {
    const Place& at = places_[p];
    if (at.together.front() != p) return false;
    std::uint64_t more = flits(p) - state.entered[p];
    for (const std::uint32_t before : at.before)
      more = std::min(more, state.entered[before] - state.entered[p]);
    for (const std::uint32_t other : at.together) {
      if (!state.granted[other]) return false;
      if (places_[other].slots != whole)
        more = std::min(more, places_[other].slots - (state.entered[other] - left(state, other)));
    }
    for (const std::uint32_t other : at.together) state.entered[other] += more;
    return more > 0;
  }

  void learn(State state, std::uint32_t from, std::vector<std::uint32_t> grants) {
    for (bool changed = true; changed;) {
      changed = false;
      work_ += places_.size();
      for (std::uint32_t p = 0; p < places_.size(); ++p) {
        changed = move(state, p) || changed;
        if (contested(state, p) || !can_grant(state, p)) continue;
        grant(state, p);
        grants.push_back(p);
        changed = true;
      }
    }
    std::string text(state.granted.begin(), state.granted.end());
    text.append(reinterpret_cast<const char*>(state.entered.data()),
                state.entered.size() * sizeof(std::uint64_t));
    if (!seen_.insert(std::move(text)).second) return;
    open_.push_back(static_cast<std::uint32_t>(known_.size()));
    known_.push_back({std::move(state), from, std::move(grants)});
  }

  bool finished(const State& state) const {
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      if (places_[p].behind.empty() && state.entered[p] < flits(p)) return false;
    return true;
  }

  JoinStarts starts_to(std::uint32_t at) const {
    std::vector<std::uint32_t> grants;
    for (std::uint32_t way = at;; way = known_[way].from) {
      grants.insert(grants.begin(), known_[way].grants.begin(), known_[way].grants.end());
      if (way == 0) break;
    }
    Cycle apart = 1;  // enough for all to come to rest
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      apart += flits(p) + model_.hop_cycles + model_.routing_cycles;
    const auto taken = [&](std::uint32_t from) {  // when what starts there first takes what others want
      for (std::uint32_t p = from;; p = places_[p].behind.front()) {
        const auto found = std::find(grants.begin(), grants.end(), p);
        const bool wanted = std::any_of(places_[p].asks.begin(), places_[p].asks.end(),
                                        [&](ResourceId r) { return takers_.at(r).size() > 1; });
        if (wanted || places_[p].behind.empty()) return static_cast<Cycle>(found - grants.begin()) * apart;
      }
    };
    JoinStarts result;
    std::uint32_t w = 0;
    for (const Routes& routes : messages_) {
      const Request& request = routes.plan.request;
      std::vector<Cycle>& starts = result.emplace_back(request.reduces() ? request.destinations.size() : 1);
      for (std::size_t i = 0; i < routes.worms.size(); ++i, ++w) {
        if (!request.reduces() && routes.worms[i].after < 0)
          starts[0] = std::max(starts[0], taken(place(w, -1)));
        for (std::int32_t h = 0; request.reduces() && h < worms_.hops(w); ++h) {
          const RouteHop& hop = worms_.hop({w, h});
          const std::size_t own = place_of(HostId{hop.target}, request.destinations);
          if (!hop.is_channel() && request.destinations[own].value == hop.target)
            starts[own] = taken(place(w, h));
        }
      }
    }
    return result;
  }

  const Topology& topology_;
  const RouterModel& model_;
  const std::vector<Routes>& messages_;
  JoinedWorms worms_;
  std::vector<std::uint32_t> first_;
  std::vector<Place> places_;
  std::map<ResourceId, std::vector<std::uint32_t>> takers_;
  std::unordered_set<std::string> seen_;
  std::vector<Known> known_;
  std::vector<std::uint32_t> open_;
  std::uint64_t work_ = 0;
};

}  // namespace

/// Weak, as explore_joins().
[[gnu::weak]] JoinExploration explore_requested_joins(const Topology& topology, const RouterModel& model,
                                                      const std::vector<Routes>& messages,
                                                      std::uint64_t state_limit,
                                                      const std::function<void(std::uint64_t)>& tell) {
  return RequestedJoins(topology, model, messages).follow(state_limit, tell);
}

}  // namespace wormcast
