// Verdicts on routers that allocate virtual channels.
//
// safe. Let the virtual channels among which a router may choose for a hop be a group: those of the hop's
// class, all of them interchangeable. Decide of routers whose channels have one virtual channel for each
// group, and number the groups so that whatever a worm can hold comes before whatever it then waits for. Of
// worms that block each other take the group with the largest number of which one holds a virtual channel
// while it waits: it waits for a group with a larger one, of which all are held, by worms that wait. So there
// are none, however many virtual channels a group has and whichever the router gives. Proofs for adaptive
// functions are about all that routers may choose anyway.
// deadlock. More virtual channels block fewer worms, so that worms which block each other on the stand-in
// need not do so here. They are put into the simulator of allocating routers with the choice left to it: as
// the witness says; the whole stream as it is, all at once, and those of the witness before all others; of a
// planner's multicasts the witness as many times as a group has virtual channels, unless routers choose
// channels too, then crowds of random ones. Only if that ends in a deadlock, so does the verdict. Otherwise
// it is unknown, and so it is where the stand-in's search has found no set that blocks itself
// (safe-unreachable). Cost: that of the simulations, at most 1 + 2 · crowds of them. cite: this project;
// Duato 1993.
// SPDX-License-Identifier: MIT
#include "proofs/allocating_verdicts.hpp"

#include <algorithm>

#include "deadlock/plain/plain_worm.hpp"
#include "deadlock/search/search.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/expansion/expand.hpp"
#include "simulation/engine.hpp"
#include "topology/random.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_kept = 100'000;
constexpr std::uint64_t most_flits = 50'000'000;  ///< of all worms of a run
constexpr std::uint64_t crowds = 8;               ///< twice as many where ways are fixed
constexpr std::uint32_t crowd_worms_a_host = 4, crowd_destinations = 4;  ///< for each virtual channel

/// Virtual channels of the largest group.
std::uint32_t group_size(const RoutingFunction& routing) {
  return (routing.channel_vcs() + routing.virtual_channels() - 1) / routing.virtual_channels();
}

/// Records say the routing function, by which routers know what they may choose, with a planner alone.
void planned_by(Routes& routes, std::string_view planner, const SharedValues& options,
                std::string_view routing) {
  routes.plan.planner = planner;
  routes.plan.options = options;
  routes.plan.routing = routing;
}

/// The worms of a witness `times` times, each time when all before stand; what they wait for is asked for at
/// the end.
std::vector<Routes> repeated(const std::vector<Routes>& worms, std::uint32_t times) {
  Cycle last_start = 0, end = 0;
  for (const Routes& routes : worms) {
    last_start = std::max(last_start, routes.plan.request.start_cycle);
    end = std::max(end, routes.plan.request.start_cycle + 1);
    for (const RouteHop& hop : routes.worms.front().hops)
      end = std::max<Cycle>(end, hop.not_before_cycle + 1);
  }
  std::vector<Routes> result;
  for (std::uint32_t round = 0; round < times; ++round)
    for (const Routes& one : worms) {
      Routes& routes = result.emplace_back(one);
      routes.plan.request.id = result.size() - 1;
      routes.plan.request.start_cycle += round * end;
      for (RouteHop& hop : routes.worms.front().hops)
        if (hop.not_before_cycle > 0)
          hop.not_before_cycle += (hop.not_before_cycle > last_start ? times - 1 : round) * end;
    }
  return result;
}

/// A worm longer than makes a difference to others, as far as its own stand-in can tell, is cut off there.
void cut_off(const Topology& topology, const RouterModel& model, Routes& routes) {
  WormRoute& route = routes.worms.front();
  std::uint64_t& length = routes.plan.request.length_flits;
  const std::uint64_t said = route.flits(length, model.header_flits);
  const std::uint64_t flits = PlainWorm(topology, stand_in(model), route, said).flits();
  if (flits == said) return;
  const std::uint64_t header = route.header_flits.value_or(model.header_flits);
  length = flits > header ? flits - header : 1;
  route.header_flits = static_cast<std::uint32_t>(flits - length);
}

/// The worms of a witness, as the record says them, so that --verify runs the same ones. Where it leaves out
/// the hops they are those of `route_of(claim)`, and what they wait for they ask for when all stand.
template <class RouteOf>
std::vector<Routes> whole_witness(const Topology& topology, const Verdict& verdict, RouteOf route_of) {
  std::vector<Routes> worms = witness_routes(verdict.witness);
  const RouterModel& model = verdict.model;
  Cycle last_start = 0, rest = 0;
  for (std::size_t i = 0; i < worms.size(); ++i) {
    const WitnessWorm& claim = verdict.witness[i];
    WormRoute& route = worms[i].worms.front();
    if (claim.says_hops) {
      cut_off(topology, model, worms[i]);
      continue;
    }
    const std::optional<std::uint32_t> header = route.header_flits;
    route = route_of(claim);
    route.after = -1;
    if (header) route.header_flits = header;
    Request& request = worms[i].plan.request;
    request.source = route.source;
    request.destinations.clear();
    for (RouteHop& hop : route.hops) {
      if (hop.is_channel()) continue;
      hop.kind = RouteHop::Kind::deliver;
      request.destinations.push_back(HostId{hop.target});
    }
    std::sort(request.destinations.begin(), request.destinations.end());
    cut_off(topology, model, worms[i]);
    last_start = std::max(last_start, claim.start_cycle);
    rest =
        std::max<Cycle>(rest, route.flits(request.length_flits, model.header_flits) + route.hops.size() + 10);
  }
  const Cycle slowest = Cycle{model.hop_cycles} + model.credit_cycles + model.routing_cycles +
                        model.consumption_cycles + model.vc_allocation_cycles + 2;
  const Cycle all_stand = last_start + rest * slowest + model.startup_cycles + model.overhead_cycles;
  for (std::size_t i = 0; i < worms.size(); ++i) {
    std::vector<RouteHop>& hops = worms[i].worms.front().hops;
    for (const std::int32_t hop : verdict.witness[i].waits)
      if (!verdict.witness[i].says_hops && hop >= 0 && static_cast<std::size_t>(hop) < hops.size())
        hops[static_cast<std::size_t>(hop)].not_before_cycle = all_stand;
  }
  return worms;
}

/// Multicasts of a planner and unicasts beside them, at random.
std::vector<Routes> crowd(const BoundPlanner& planner, const RoutingFunction* unicast,
                          const std::string& unicast_name, std::uint64_t seed, std::uint64_t flits,
                          std::uint32_t times) {
  const Topology& topology = planner.context().topology;
  Expander expander(planner.context().routing);
  Random random = RandomStreams(seed, "crowd").stream(0);
  std::vector<Routes> result;
  for (std::uint32_t host = 0; host < topology.hosts(); ++host)
    for (std::uint32_t worm = 0; worm < times * crowd_worms_a_host && topology.hosts() > 1; ++worm) {
      const std::uint32_t most = std::min(topology.hosts() - 1, times * crowd_destinations);
      const auto count = seed % 2 == 0 ? 1 : static_cast<std::uint32_t>(random.between(1, most));
      Request request;
      request.id = result.size();
      request.source = HostId{host};
      request.length_flits = flits;
      for (const std::uint32_t other : sample(random, count, topology.hosts() - 1))
        request.destinations.push_back(HostId{other + (other >= host ? 1 : 0)});
      const HostId first = request.destinations.front();
      const NodeId from = topology.router_of(request.source), to = topology.router_of(first);
      if (unicast == nullptr || worm % 2 == 0) {
        try {
          result.push_back(expander.expand(planner.plan(std::move(request))));
        } catch (const InputError&) {
          // The planner has no plan for it.
        }
      } else if (from != to) {
        Routes& routes = result.emplace_back(
            unicast_routes(*unicast, request.source, first, unicast->choices_between(from, to).front()));
        planned_by(routes, "unicast", {}, unicast_name);
        request.destinations.resize(1);
        routes.plan.request = std::move(request);
      }
    }
  return result;
}

}  // namespace

RouterModel stand_in(const RouterModel& model) {
  if (!allocates(model)) return model;
  RouterModel result = model;
  const RouterModel usual;
  result.vc_allocation = usual.vc_allocation;
  result.vc_selection = usual.vc_selection;
  result.vc_allocation_cycles = usual.vc_allocation_cycles;
  result.copies = Copies::per_flit;
  return result;
}

void AllocatingVerdict::begin_segment() {
  stream_.clear();
  places_.clear();
  routing_name_.clear();
  routing_.reset();
}

void AllocatingVerdict::add(const Routes& routes, const Topology& topology) {
  if (!allocates(model_)) return;
  const std::string& name = routes.plan.routing;
  if (std::exchange(routing_name_, name) != name) {
    const RoutingEntry* entry = find_routing_function(name);
    routing_ = entry != nullptr && !entry->unsupported(topology) ? bind_routing(name, topology) : nullptr;
  }
  if (routing_ != nullptr) check_classes(*routing_, routes);
  if (stream_.size() >= most_kept)
    refuse("--vc-allocation", "more than {} multicasts to keep in memory", most_kept);
  places_[routes.plan.request.id] = stream_.size();
  stream_.push_back(routes);
}

bool AllocatingVerdict::stands_still(const Topology& topology, std::vector<Routes> routes, Runs& runs) const {
  std::stable_sort(routes.begin(), routes.end(), [](const Routes& a, const Routes& b) {
    return a.plan.request.start_cycle < b.plan.request.start_cycle;
  });
  std::uint64_t flits = 0;
  for (const Routes& one : routes)
    for (const WormRoute& worm : one.worms)
      flits = std::min(
          flits + std::min(worm.flits(one.plan.request.length_flits, model_.header_flits), most_flits + 1),
          most_flits + 1);
  if (flits > most_flits) {
    runs.too_long = true;
    return false;
  }
  SimulationOptions options;
  options.model = model_;
  options.stop_on_deadlock = true;
  const auto engine = make_allocating_engine(topology, options);
  for (Routes one : routes) engine->take(one);
  engine->finish();
  runs.stood_still = engine->summary().outcome == Outcome::deadlock;
  if (runs.stood_still) runs.stood = std::move(routes);
  return runs.stood_still;
}

Verdict AllocatingVerdict::say(Verdict verdict, const Runs& runs) const {
  verdict.model = model_;
  if (verdict.answer == Answer::deadlock && !runs.stood_still) {
    verdict.limit =
        "worms can block each other if each hop has one virtual channel, or if routers choose badly; with "
        "the choice left to allocating routers, " +
        (runs.tried.empty() ? "no run was tried" : "no run came to a standstill: not " + runs.tried);
    if (runs.too_long)
      verdict.limit += "; runs of more than " + std::to_string(most_flits) + " flits were left out";
  } else if (verdict.answer == Answer::safe_unreachable) {
    verdict.limit =
        "no set of these worms can block itself if each hop has one virtual channel; of routers that "
        "allocate them nothing was shown";
  } else {
    return verdict;
  }
  verdict.answer = Answer::unknown;
  verdict.witness.clear();
  verdict.shrunk.clear();
  return verdict;
}

/// The worms of a witness on routes, by themselves and as it delays them.
bool AllocatingVerdict::witness_stands_still(const Verdict& verdict, const Topology& topology,
                                             Runs& runs) const {
  const auto of_stream = [&](const WitnessWorm& claim) -> const Routes& {
    return stream_[places_.at(claim.name.multicast)];
  };
  std::vector<Routes> worms = whole_witness(topology, verdict, [&](const WitnessWorm& claim) {
    return of_stream(claim).worms.at(claim.name.worm);
  });
  for (std::size_t i = 0; i < worms.size(); ++i) {
    const Plan& plan = of_stream(verdict.witness[i]).plan;
    planned_by(worms[i], plan.planner, plan.options, plan.routing);
  }
  return stands_still(topology, repeated(worms, 1), runs);
}

AllocatingVerdict::Runs AllocatingVerdict::run(const Verdict& verdict, const Topology& topology) const {
  Runs runs;
  runs.tried =
      "the stream as it is, nor all its worms at once, nor those that can block each other before the rest";
  const bool fixed =
      std::none_of(stream_.begin(), stream_.end(), [](const Routes& one) { return one.routed_on_the_way(); });
  if (fixed && witness_stands_still(verdict, topology, runs)) return runs;
  std::vector<Routes> all = stream_;
  std::uint64_t longest = 1;
  for (const WitnessWorm& worm : verdict.witness) longest = std::max(longest, worm.length_flits);
  for (Routes& routes : all)
    if (verdict.flits) routes.plan.request.length_flits = longest;
  if (stands_still(topology, all, runs)) return runs;
  for (Routes& routes : all) {  // a verdict is about any order
    routes.plan.request.start_cycle = 0;
    routes.plan.request.depends_on.clear();
  }
  if (stands_still(topology, all, runs)) return runs;
  Cycle last = 0;
  for (const WitnessWorm& worm : verdict.witness) last = std::max(last, worm.start_cycle);
  for (Routes& routes : all) {
    routes.plan.request.start_cycle = last + 1;
    for (const WitnessWorm& worm : verdict.witness)
      if (worm.name.multicast == routes.plan.request.id) routes.plan.request.start_cycle = worm.start_cycle;
  }
  stands_still(topology, std::move(all), runs);
  return runs;
}

AllocatingVerdict::Runs AllocatingVerdict::run(const Verdict& verdict, const BoundPlanner& planner,
                                               const RoutingFunction* unicast) const {
  const Topology& topology = planner.context().topology;
  const RoutingFunction& routing = planner.context().routing;
  // Of these worms a record says the hops up to the one that is waited for: --verify could not repeat the
  // run.
  if (verdict.relation.any()) return {};
  const bool on_the_way = routing.adaptive() || (unicast != nullptr && unicast->adaptive());
  std::uint32_t group = group_size(routing);
  if (unicast != nullptr) group = std::max(group, group_size(*unicast));
  Runs runs;
  if (!on_the_way) {
    Expander expander(planner.context().routing);
    std::vector<Routes> worms = whole_witness(topology, verdict, [&](const WitnessWorm& claim) {
      const PlannedMulticast& multicast = claim.planned.value();
      if (multicast.unicast)
        return unicast_routes(*unicast, multicast.source, multicast.destinations.front(),
                              multicast.classes.empty() ? 0 : multicast.classes.front())
            .worms.front();
      Request request;
      request.source = multicast.source;
      request.destinations = multicast.destinations;
      return expander.expand(planner.plan(std::move(request), multicast.classes)).worms.at(claim.name.worm);
    });
    for (std::size_t i = 0; i < worms.size(); ++i) {
      const bool beside = verdict.witness[i].planned && verdict.witness[i].planned->unicast;
      if (beside)
        planned_by(worms[i], "unicast", {}, verdict.unicast_routing);
      else
        planned_by(worms[i], planner.planner().name, planner.context().options, planner.routing_name());
    }
    runs.tried = "the worms that can block each other, as often as there are virtual channels to choose from";
    if (stands_still(topology, repeated(worms, group), runs)) return runs;
    runs.tried += ", nor ";
  }
  std::uint64_t flits = 1;
  for (const WitnessWorm& worm : verdict.witness) flits = std::max(flits, worm.length_flits);
  flits = std::min(flits, most_flits);
  const bool any_length = verdict.flits.value_or(long_worm_flits) == long_worm_flits;
  if (!any_length) flits = std::min(flits, *verdict.flits);
  const std::uint64_t most = on_the_way ? crowds : 2 * crowds;
  runs.tried += std::to_string(most) + " crowds of random multicasts";
  for (std::uint64_t seed = 0; seed < most && !runs.stood_still; ++seed) {
    // Short ones come to stand in more places; where routers choose, long ones do.
    const bool short_ones = any_length && !on_the_way && seed < most / 2;
    stands_still(topology,
                 crowd(planner, unicast, verdict.unicast_routing, seed,
                       short_ones ? std::min<std::uint64_t>(flits, model_.buffer_flits) : flits,
                       on_the_way ? 1 : group),
                 runs);
  }
  return runs;
}

}  // namespace wormcast
