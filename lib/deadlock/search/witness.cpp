// Start cycles and delays that bring a set of worms into its deadlock.
//
// Worms that keep all they acquire need no delay inside the network where starts alone can order the
// requests: a header that meets no other requests its j-th channel j·H cycles after its first, so "v is
// granted r before w asks for it" is a difference constraint on two starts (ties go to the smaller rank).
// Shortest paths solve them, or show that starts alone do not do. Otherwise the worms start one after the
// other, each when the one before has come to rest, and the hops at which they are to be held up are
// requested only when all are in place. Cost: O(worms² · waits) for the
// constraints, linear otherwise. cite: Bellman 1958 (difference constraints).
// SPDX-License-Identifier: MIT
#include "deadlock/search/search.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace wormcast {

namespace {

class Timing {
 public:
  Timing(const std::vector<BlockedWorm>& set, const std::vector<ExploredRequest>& requests,
         const SearchedWorms& searched)
      : set_(set),
        requests_(requests),
        searched_(searched),
        topology_(searched.topology),
        model_(searched.model) {}

  std::vector<WitnessWorm> build() {
    for (const BlockedWorm& member : set_) worms_.push_back(describe(member));
    if (!requests_.empty())
      request_in_turn();
    else if (!start_together())
      start_in_turn();
    std::stable_sort(worms_.begin(), worms_.end(), [](const WitnessWorm& a, const WitnessWorm& b) {
      return a.start_cycle < b.start_cycle;
    });
    return std::move(worms_);
  }

 private:
  struct Constraint {
    std::size_t first, second;  ///< start[first] ≤ start[second] + slack
    std::int64_t slack;
  };

  const Footprint& footprint(std::size_t m) const { return searched_.footprint(set_[m]); }

  WitnessWorm describe(const BlockedWorm& member) const {
    const Footprint& steps = searched_.footprint(member);
    const StoredRoute& stored = searched_.route(member);
    WitnessWorm worm;
    worm.name = member.name;
    worm.route = stored.route;
    worm.route.after = -1;
    // A verdict is about any timing: what the stream delays is timed anew.
    for (RouteHop& hop : worm.route.hops) hop.not_before_cycle = 0;
    if (steps.asynchronous()) worm.route.replication = Copies::asynchronous;
    std::uint32_t header = stored.route.header_flits.value_or(model_.header_flits);
    if (model_.cut_through && header >= stored.flits) {  // whatever its length, one buffer holds it
      header = 0;
      worm.route.header_flits = 0;
    }
    worm.length_flits = stored.flits > header ? stored.flits - header : 1;
    // Held for good is what stays even if everything else were granted in the end.
    StepSet for_good = steps.kept(steps.all_but(member.waits));
    for_good &= member.acquired;
    for_good &= member.kept;  // less where its flits stand in FIFOs behind those of others
    for (std::uint32_t s = 0; s < steps.size(); ++s)
      if (for_good.has(s)) worm.holds.push_back(steps.steps()[s].hop);
    for (const std::uint32_t wait : member.waits) worm.waits.push_back(steps.steps()[wait].hop);
    sort_unique(worm.holds);
    sort_unique(worm.waits);
    if (member.answers) worm.answers = member.answers->multicast;
    return worm;
  }

  /// Cycles from a path worm's first request to that of `step`, if nothing holds it up.
  std::int64_t request_offset(std::size_t m, std::uint32_t step) const {
    std::int64_t cycles = 0;
    for (std::uint32_t s = 0; s < step; ++s)
      if (footprint(m).steps()[s].buffered) cycles += hop_cycles(m, footprint(m).steps()[s].hop);
    return cycles;
  }

  /// What a header takes over a buffered hop of a worm's route; −1: its host's link.
  std::int64_t hop_cycles(std::size_t m, std::int32_t hop) const {
    std::int64_t cycles = model_.routing_cycles;
    const WormRoute& route = searched_.route(set_[m]).route;
    if (hop < 0) return cycles + topology_.own(LinkValue::hop_cycles, route.source, false, model_.hop_cycles);
    return cycles + topology_.own(LinkValue::hop_cycles,
                                  ChannelId{route.hops[static_cast<std::size_t>(hop)].target},
                                  model_.hop_cycles);
  }

  bool ranks_before(std::size_t a, std::size_t b) const { return worms_[a].name < worms_[b].name; }

  std::optional<std::vector<Constraint>> constraints() const {
    std::vector<Constraint> result;
    std::set<std::uint64_t> multicasts;
    for (std::size_t w = 0; w < set_.size(); ++w) {
      // Two worms of one multicast get ids of their own, and with them other ranks.
      if (!multicasts.insert(set_[w].name.multicast).second) return std::nullopt;
      if (!footprint(w).is_path() || set_[w].kept != set_[w].acquired) return std::nullopt;
      const ResourceId wanted = footprint(w).steps()[set_[w].waits.front()].resource;
      for (std::size_t v = 0; v < set_.size(); ++v) {
        for (std::uint32_t s = 0; s < footprint(v).size(); ++s) {
          if (!set_[v].kept.has(s) || footprint(v).steps()[s].resource != wanted) continue;
          const std::int64_t slack = request_offset(w, set_[w].waits.front()) - request_offset(v, s);
          // Of requests of one cycle the first in rank wins; a round robin may let either pass.
          const bool wins_tie = model_.serves_first_come() && ranks_before(v, w);
          result.push_back(Constraint{v, w, slack - (wins_tie ? 0 : 1)});
        }
      }
    }
    return result;
  }

  bool start_together() {
    const auto all = constraints();
    if (!all) return false;
    std::vector<std::int64_t> start(set_.size(), 0);
    for (std::size_t round = 0;; ++round) {
      bool changed = false;
      for (const Constraint& c : *all) {
        if (start[c.first] <= start[c.second] + c.slack) continue;
        start[c.first] = start[c.second] + c.slack;
        changed = true;
      }
      if (!changed) break;
      if (round > set_.size()) return false;
    }
    const std::int64_t first = *std::min_element(start.begin(), start.end());
    for (std::size_t m = 0; m < set_.size(); ++m)
      worms_[m].start_cycle = static_cast<Cycle>(start[m] - first);
    return true;
  }

  /// Enough cycles for a worm alone to come to rest, whatever the parameters.
  Cycle rest_cycles(std::size_t m) const {
    Cycle slowest = Cycle{model_.hop_cycles} + model_.routing_cycles + model_.consumption_cycles;
    for (const Step& step : footprint(m).steps())
      if (step.buffered) slowest = std::max(slowest, static_cast<Cycle>(hop_cycles(m, step.hop)));
    const Cycle step =
        slowest + topology_.most(LinkValue::flit_cycles, model_.flit_cycles) + model_.credit_cycles;
    const Cycle flits = searched_.route(set_[m]).flits;
    return model_.startup_cycles + model_.overhead_cycles + (flits + footprint(m).size() + 1) * step;
  }

  void start_in_turn() {
    Cycle now = 0;
    for (std::size_t m = 0; m < set_.size(); ++m) {
      worms_[m].start_cycle = now;
      now += rest_cycles(m);
    }
    for (std::size_t m = 0; m < set_.size(); ++m) {
      const Footprint& steps = footprint(m);
      for (std::uint32_t s = 0; s < steps.size(); ++s) {
        const bool next = !set_[m].acquired.has(s) && set_[m].acquired.contains(steps.required(s));
        if (next) worms_[m].route.hops[static_cast<std::size_t>(steps.steps()[s].hop)].not_before_cycle = now;
      }
    }
  }

  /// Every request waits until all worms have come to rest after the one before.
  void request_in_turn() {
    Cycle rest = 0;
    for (std::size_t m = 0; m < set_.size(); ++m) rest += rest_cycles(m);
    const Cycle end = rest * (requests_.size() + 1);
    for (WitnessWorm& worm : worms_) {
      worm.start_cycle = end;
      for (RouteHop& hop : worm.route.hops) hop.not_before_cycle = end;
    }
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      WitnessWorm& worm = worms_[requests_[i].worm];
      const Cycle cycle = rest * i;
      if (requests_[i].hop < 0) {
        worm.start_cycle = cycle;
        continue;
      }
      const RouteHop& asked = worm.route.hops[static_cast<std::size_t>(requests_[i].hop)];
      const bool together = footprint(requests_[i].worm).granted_together();
      for (RouteHop& hop : worm.route.hops)
        if (&hop == &asked || (together && hop.parent == asked.parent)) hop.not_before_cycle = cycle;
    }
  }

  const std::vector<BlockedWorm>& set_;
  const std::vector<ExploredRequest>& requests_;
  const SearchedWorms& searched_;
  const Topology& topology_;
  const RouterModel& model_;
  std::vector<WitnessWorm> worms_;
};

/// A multicast has a destination: a worm that only relays delivers there.
void make_destinations(WormRoute& route, Request& request) {
  const bool delivers = std::any_of(route.hops.begin(), route.hops.end(),
                                    [](const RouteHop& hop) { return hop.kind == RouteHop::Kind::deliver; });
  for (RouteHop& hop : route.hops) {
    if (hop.is_channel()) continue;
    if (!delivers) hop.kind = RouteHop::Kind::deliver;
    if (hop.kind == RouteHop::Kind::deliver) request.destinations.push_back(HostId{hop.target});
  }
  std::sort(request.destinations.begin(), request.destinations.end());
}

}  // namespace

std::vector<WitnessWorm> time_witness(const std::vector<BlockedWorm>& set,
                                      const std::vector<ExploredRequest>& requests,
                                      const SearchedWorms& worms) {
  return Timing(set, requests, worms).build();
}

std::vector<Routes> witness_routes(const std::vector<WitnessWorm>& witness) {
  std::uint64_t fresh = 0;
  for (const WitnessWorm& worm : witness) fresh = std::max(fresh, worm.name.multicast + 1);
  std::set<std::uint64_t> used;
  std::vector<Routes> result;
  std::map<std::pair<std::uint64_t, HostId>, std::uint64_t> came;  // by multicast and node: as which of these
  for (const WitnessWorm& worm : witness) {
    Routes& routes = result.emplace_back();
    Request& request = routes.plan.request;
    request.id = used.insert(worm.name.multicast).second ? worm.name.multicast : fresh++;
    request.source = worm.route.source;
    request.length_flits = worm.length_flits;
    request.start_cycle = worm.start_cycle;
    request.extras =
        ",\"x_worm\":[" + std::to_string(worm.name.multicast) + "," + std::to_string(worm.name.worm) + "]";
    if (worm.answers) {
      request.depends_on = {came.at({*worm.answers, request.source})};
      request.workload.add(std::string(workload_answer), "true");
    }
    bool answered = false, at_source = true;
    for (const WitnessWorm& other : witness) {
      if (other.answers != worm.name.multicast || !worm.route.delivers_to(other.route.source)) continue;
      answered = true;
      at_source = at_source && other.route.comes_to(worm.route.source);  // a relay delivers in the witness
    }
    if (answered)
      request.workload.add(std::string(workload_answers), std::string(at_source ? "true" : answers_anywhere));
    make_destinations(routes.worms.emplace_back(worm.route), request);
    for (const HostId host : request.destinations) came[{worm.name.multicast, host}] = request.id;
  }
  return result;
}

}  // namespace wormcast
