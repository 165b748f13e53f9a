// Exhaustive exploration where several worms can stand in one FIFO.
//
// A state says what each worm has been granted, how many flits have entered each hop, and in which order the
// worms stand in each FIFO. A step is one grant; then all flits move as far as they can.
//
// Why rest is enough: a virtual channel passes from worm to worm in the order of its grants, and its FIFO
// keeps that order. Given the orders, every flit waits for flits and for grants alone, and whatever happens
// early only lets more happen. So all timings of one order end in the same state, and in none of them can
// more be granted at any moment than when everything moves at once. No rule of arbitration is supposed:
// whoever can be granted a free resource may be the next. Where nobody else will ever ask for a resource
// again there is no order to choose: it is granted at once.
//
// A state in which nothing can be granted although a tail has not arrived is a deadlock. Depth first: what is
// looked for are deadlocks, and these lie at the ends. Cost: up to the number of orders, in the worst case; a
// settling is linear in the flits that move, times the hops.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/shared_exploration.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "deadlock/independent/plain_worm.hpp"

namespace wormcast {

namespace {

using Place = std::uint32_t;  ///< a position of a worm; those of all worms are numbered through

/// One position of one worm.
struct Spot {
  std::uint32_t worm = 0;
  std::uint32_t position = 0;
  Place parent = 0;
  std::vector<Place> outputs;
  std::vector<Place> before;             ///< outputs of the same node that a path asks for first
  std::vector<std::uint32_t> resources;  ///< indices among those that the worms take
  std::optional<std::uint32_t> port;     ///< the one that an answer has without asking
  bool network = false;
  bool consumption = false;
};

struct Taken {
  std::uint32_t units = 0;  ///< 0: no limit
  std::vector<Place> takers;
  std::vector<Place> answers;  ///< sources that have it until their tails have left
};

struct FlitState {
  std::vector<bool> granted;
  std::vector<std::uint32_t> entered;     ///< flits, by place; of a source without a link all of them
  std::vector<std::vector<Place>> fifos;  ///< by resource: who has been granted it and not left it

  friend bool operator<(const FlitState& a, const FlitState& b) {
    if (a.entered != b.entered) return a.entered < b.entered;
    if (a.granted != b.granted) return a.granted < b.granted;
    return a.fifos < b.fifos;
  }
};

class SharedExplorer {
 public:
  SharedExplorer(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms)
      : worms_(worms),
        link_(topology.hosts_have_links()),
        per_flit_(model.copies == Copies::per_flit),
        buffer_(model.buffer_flits) {
    const Resources resources(topology, model);
    std::map<ResourceId, std::uint32_t> numbers;
    for (std::uint32_t w = 0; w < worms.size(); ++w) {
      const PlainWorm plain(topology, model, worms[w].route, worms[w].flits);
      flits_.push_back(static_cast<std::uint32_t>(plain.flits()));
      together_.push_back(plain.copies_together());
      first_.push_back(static_cast<Place>(spots_.size()));
      for (std::uint32_t p = 0; p < plain.positions(); ++p) add_spot(plain, w, p, resources, numbers);
    }
  }

  Exploration run(std::uint64_t limit) {
    FlitState begin;
    begin.granted.resize(spots_.size());
    begin.entered.resize(spots_.size());
    begin.fifos.resize(taken_.size());
    learn(std::move(begin), 0, {});
    Exploration result;
    while (!open_.empty() && result.states < limit) {
      const std::uint32_t at = open_.back();
      open_.pop_back();
      ++result.states;
      const FlitState state = *known_[at].state;
      if (expand(state, at) || finished(state)) continue;
      describe(state, at, result);
      return result;
    }
    result.exhausted = open_.empty();
    return result;
  }

 private:
  struct Known {
    const FlitState* state = nullptr;
    std::uint32_t from = 0;
    std::vector<ExploredRequest> requests;  ///< that lead here from there
  };

  void add_spot(const PlainWorm& plain, std::uint32_t w, std::uint32_t p, const Resources& resources,
                std::map<ResourceId, std::uint32_t>& numbers) {
    Spot spot;
    spot.worm = w;
    spot.position = p;
    const auto place = static_cast<Place>(spots_.size());
    for (const ResourceId resource : plain.resources(p)) {
      const auto [number, fresh] = numbers.emplace(resource, static_cast<std::uint32_t>(taken_.size()));
      if (fresh) taken_.push_back(Taken{resources.units(resource), {}, {}});
      if (p == 0 && plain.port() == resource) {
        taken_[number->second].answers.push_back(place);
        spot.port = number->second;
        continue;
      }
      taken_[number->second].takers.push_back(place);
      spot.resources.push_back(number->second);
    }
    if (p > 0) {
      spot.network = worms_[w].route.hops[p - 1].is_channel();
      spot.consumption = !spot.network;
      spot.parent = first_[w] + static_cast<Place>(plain.parent(p));
      std::vector<Place>& outputs = spots_[spot.parent].outputs;
      if (plain.is_path())
        for (const Place other : outputs) {
          const std::uint32_t q = spots_[other].position;
          if (plain.turn(q) < plain.turn(p)) spot.before.push_back(other);
          if (plain.turn(p) < plain.turn(q)) spots_[other].before.push_back(place);
        }
      outputs.push_back(place);
    }
    spots_.push_back(std::move(spot));
  }

  std::uint32_t flits(Place place) const { return flits_[spots_[place].worm]; }

  /// Flits that have left the end of a hop, or the source, in every branch.
  std::uint32_t left(const FlitState& state, Place node) const {
    std::uint32_t least = state.entered[node];
    for (const Place output : spots_[node].outputs) least = std::min(least, state.entered[output]);
    return least;
  }

  bool at_head(const FlitState& state, Place node) const {
    if (!spots_[node].network) return true;
    const std::vector<Place>& fifo = state.fifos[spots_[node].resources.front()];
    return fifo.empty() || fifo.front() == node ||
           std::find(fifo.begin(), fifo.end(), node) == fifo.end();  // its tail has left
  }

  /// Flits that can enter now, by the slots of the buffer.
  std::uint32_t room(const FlitState& state, Place place) const {
    if (spots_[place].consumption) return ~std::uint32_t{0};
    std::uint32_t used = 0;
    if (!spots_[place].network)
      used = state.entered[place] - left(state, place);
    else
      for (const Place other : state.fifos[spots_[place].resources.front()])
        used += state.entered[other] - left(state, other);
    return used < buffer_ ? buffer_ - used : 0;
  }

  /// Moves flits into the outputs of a node; true if any moved.
  bool move(FlitState& state, Place node) const {
    const Spot& spot = spots_[node];
    if (!state.granted[node] || !at_head(state, node)) return false;
    bool any = false;
    const bool link = spot.position == 0 && link_;
    if (link && state.entered[node] < flits(node)) {
      const std::uint32_t more = std::min(flits(node) - state.entered[node], room(state, node));
      state.entered[node] += more;
      any = more > 0;
    }
    if (together_[spot.worm]) {
      std::uint32_t more = ~std::uint32_t{0};
      for (const Place output : spot.outputs)
        more = std::min(more, can_enter(state, node, output, state.entered[node]));
      for (const Place output : spot.outputs) state.entered[output] += more;
      any = any || (more > 0 && !spot.outputs.empty());
    } else {
      for (const Place output : spot.outputs) {
        const bool one_by_one = per_flit_ && spot.outputs.size() > 1;
        const std::uint32_t upto =
            one_by_one ? std::min(state.entered[node], left(state, node) + 1) : state.entered[node];
        const std::uint32_t more = can_enter(state, node, output, upto);
        state.entered[output] += more;
        any = any || more > 0;
      }
    }
    if (any && spot.network && left(state, node) == flits(node)) {
      std::vector<Place>& fifo = state.fifos[spot.resources.front()];
      fifo.erase(std::find(fifo.begin(), fifo.end(), node));
    }
    return any;
  }

  std::uint32_t can_enter(const FlitState& state, Place, Place output, std::uint32_t upto) const {
    if (!state.granted[output] || state.entered[output] >= upto) return 0;
    return std::min(upto - state.entered[output], room(state, output));
  }

  /// The header stands where it can ask for the place, or has gone on from there.
  bool reached(const FlitState& state, Place place) const {
    const Spot& spot = spots_[place];
    if (spot.position == 0) return ready(state, spot.worm);
    if (!state.granted[spot.parent] || state.entered[spot.parent] == 0 || !at_head(state, spot.parent))
      return false;
    return std::all_of(spot.before.begin(), spot.before.end(), [&](Place p) { return state.granted[p]; });
  }

  /// Relays, answers, and who awaits answers: the earlier worms' tails have entered the consumption channels
  /// at this worm's source.
  bool ready(const FlitState& state, std::uint32_t w) const {
    const std::int32_t after = worms_[w].route.after;
    if (after >= 0 && !has_come(state, static_cast<std::uint32_t>(after), w)) return false;
    return std::all_of(worms_[w].awaits.begin(), worms_[w].awaits.end(),
                       [&](std::uint32_t earlier) { return has_come(state, earlier, w); });
  }

  bool has_come(const FlitState& state, std::uint32_t earlier, std::uint32_t w) const {
    const std::vector<RouteHop>& hops = worms_[earlier].route.hops;
    for (std::uint32_t h = 0; h < hops.size(); ++h)
      if (!hops[h].is_channel() && hops[h].target == worms_[w].route.source.value)
        return state.entered[first_[earlier] + h + 1] == flits_[earlier];
    return false;
  }

  /// True if the worm has the resource for itself: of a virtual channel the right to send into it.
  bool holds(const FlitState& state, Place taker) const {
    if (!state.granted[taker]) return false;
    const bool source = spots_[taker].position == 0;
    return (source ? left(state, taker) : state.entered[taker]) < flits(taker);
  }

  /// The answer has what it answers came by.
  bool holds_port(const FlitState& state, Place source) const {
    return ready(state, spots_[source].worm) && left(state, source) < flits(source);
  }

  bool available(const FlitState& state, Place place) const {
    return std::all_of(spots_[place].resources.begin(), spots_[place].resources.end(), [&](std::uint32_t r) {
      const auto holders = std::count_if(taken_[r].takers.begin(), taken_[r].takers.end(),
                                         [&](Place taker) { return holds(state, taker); }) +
                           std::count_if(taken_[r].answers.begin(), taken_[r].answers.end(),
                                         [&](Place source) { return holds_port(state, source); });
      return taken_[r].units == 0 || holders < static_cast<std::ptrdiff_t>(taken_[r].units);
    });
  }

  /// Nobody else can ask for its resources any more: no order is to be chosen.
  bool alone(const FlitState& state, Place place) const {
    return std::all_of(spots_[place].resources.begin(), spots_[place].resources.end(), [&](std::uint32_t r) {
      return taken_[r].units == 0 ||
             std::all_of(taken_[r].takers.begin(), taken_[r].takers.end(),
                         [&](Place taker) { return taker == place || state.granted[taker]; });
    });
  }

  void grant(FlitState& state, Place place, std::vector<ExploredRequest>& requests) const {
    const Spot& spot = spots_[place];
    state.granted[place] = true;
    if (spot.position == 0 && !link_) state.entered[place] = flits(place);
    if (spot.network) state.fifos[spot.resources.front()].push_back(place);
    requests.push_back(ExploredRequest{spot.worm, static_cast<std::int32_t>(spot.position) - 1});
  }

  /// Everything moves that can, and is granted where there is no choice.
  void settle(FlitState& state, std::vector<ExploredRequest>& requests) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (Place place = 0; place < spots_.size(); ++place) {
        if (!state.granted[place] && reached(state, place) && alone(state, place) &&
            available(state, place)) {
          grant(state, place, requests);
          changed = true;
        }
        while (move(state, place)) changed = true;
      }
    }
  }

  void learn(FlitState state, std::uint32_t from, std::vector<ExploredRequest> requests) {
    settle(state, requests);
    const auto [place, fresh] = seen_.insert(std::move(state));
    if (!fresh) return;
    open_.push_back(static_cast<std::uint32_t>(known_.size()));
    known_.push_back(Known{&*place, from, std::move(requests)});
  }

  bool finished(const FlitState& state) const {
    for (Place place = 0; place < spots_.size(); ++place)
      if (spots_[place].consumption && state.entered[place] < flits(place)) return false;
    return true;
  }

  /// Learns every state one grant away; false if nothing can be granted.
  bool expand(const FlitState& state, std::uint32_t at) {
    bool any = false;
    for (Place place = 0; place < spots_.size(); ++place) {
      if (state.granted[place] || !reached(state, place) || !available(state, place)) continue;
      FlitState next = state;
      std::vector<ExploredRequest> requests;
      grant(next, place, requests);
      learn(std::move(next), at, std::move(requests));
      any = true;
    }
    return any;
  }

  void describe(const FlitState& state, std::uint32_t at, Exploration& result) const {
    std::vector<std::uint32_t> way{at};
    while (way.back() != 0) way.push_back(known_[way.back()].from);
    result.deadlock.emplace();
    for (auto step = way.rbegin(); step != way.rend(); ++step)
      result.deadlock->insert(result.deadlock->end(), known_[*step].requests.begin(),
                              known_[*step].requests.end());
    result.granted.resize(worms_.size());
    for (std::uint32_t w = 0; w < worms_.size(); ++w) result.ready.push_back(ready(state, w));
    result.standing.resize(worms_.size());
    for (Place place = 0; place < spots_.size(); ++place) {
      result.granted[spots_[place].worm].push_back(state.granted[place]);
      stand(state, place, result.standing[spots_[place].worm]);
    }
    for (StandingWorm& worm : result.standing) {
      std::sort(worm.waits_for.begin(), worm.waits_for.end());
      worm.waits_for.erase(std::unique(worm.waits_for.begin(), worm.waits_for.end()), worm.waits_for.end());
    }
  }

  void stand(const FlitState& state, Place place, StandingWorm& worm) const {
    const Spot& spot = spots_[place];
    const bool firm = state.granted[place] && at_head(state, place);
    const bool stays = (spot.consumption ? state.entered[place] : left(state, place)) < flits(place);
    // A worm that queues to start is in nobody's way, unless it is an answer.
    const bool waits = (spot.position > 0 || spot.port) && !firm && reached(state, place);
    worm.firm.push_back(firm);
    worm.held.push_back(firm && stays);
    worm.waits.push_back(waits);
    if (!waits) return;
    if (!spot.network) {
      for (const std::uint32_t r : spot.resources)
        for (const Place taker : taken_[r].takers)
          if (holds(state, taker)) worm.waits_for.push_back(spots_[taker].worm);
      for (const std::uint32_t r : spot.resources)
        for (const Place source : taken_[r].answers)
          if (holds_port(state, source)) worm.waits_for.push_back(spots_[source].worm);
      return;
    }
    for (const Place other : state.fifos[spot.resources.front()]) {
      if (other == place) break;
      worm.waits_for.push_back(spots_[other].worm);
    }
  }

  const std::vector<ExploredWorm>& worms_;
  bool link_;
  bool per_flit_;
  std::uint32_t buffer_;
  std::vector<std::uint32_t> flits_;  ///< by worm
  std::vector<bool> together_;        ///< by worm: copies leave a node at the same time
  std::vector<Place> first_;          ///< by worm: its source
  std::vector<Spot> spots_;
  std::vector<Taken> taken_;
  std::set<FlitState> seen_;
  std::vector<Known> known_;
  std::vector<std::uint32_t> open_;
};

}  // namespace

bool shares_buffers(const RouterModel& model, const Topology& topology,
                    const std::vector<ExploredWorm>& worms) {
  return shares_buffers(model) && std::any_of(worms.begin(), worms.end(), [&](const ExploredWorm& worm) {
           return PlainWorm(topology, model, worm.route, worm.flits).flits() == worm.flits;
         });
}

Exploration explore_shared_buffers(const Topology& topology, const RouterModel& model,
                                   const std::vector<ExploredWorm>& worms, std::uint64_t limit) {
  return SharedExplorer(topology, model, worms).run(limit);
}

}  // namespace wormcast
