// Verdicts on routers that allocate virtual channels.
//
// safe. Let the virtual channels among which a router may choose for a hop be a group: those of the hop's
// class, all of them interchangeable. Decide of routers whose channels have one virtual channel for each
// group, and number the groups so that whatever a worm can hold comes before whatever it then waits for. Of
// worms that block each other take the group with the largest number of which one holds a virtual channel
// while it waits: it waits for a group with a larger one, of which all are held, by worms that wait. So there
// are none, however many virtual channels a group has and whichever the router gives. No two groups share a
// virtual channel but the same: functions with other numbers of classes are unknown beside each other. Proofs
// for adaptive functions are about all that routers may choose anyway.
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
#include <map>
#include <optional>

#include "deadlock/worms/planned_worms.hpp"
#include "multicast/expansion/expand.hpp"
#include "proofs/runs.hpp"
#include "router/router_parameters.hpp"
#include "router/worm_footprint.hpp"
#include "simulation/engine.hpp"
#include "topology/random.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t crowds = 8;  ///< twice as many where ways are fixed
constexpr std::uint32_t crowd_worms_a_host = 4, crowd_destinations = 4;  ///< for each virtual channel

/// Virtual channels of the largest group.
std::uint32_t group_size(const RoutingFunction& routing) {
  return (routing.channel_vcs() + routing.virtual_channels() - 1) / routing.virtual_channels();
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
  const std::uint64_t flits = Footprint(topology, Resources(topology, model), model, route, said).flits();
  if (flits == said) return;
  const std::uint64_t header = route.header_flits.value_or(model.header_flits);
  length = flits > header ? flits - header : 1;
  route.header_flits = static_cast<std::uint32_t>(flits - length);
}

/// The worms of a witness by what its record says of them, so that --verify runs the same ones: by the routes
/// of `multicast_of(claim)`, and what they wait for is asked for when all stand.
template <class MulticastOf>
std::vector<Routes> whole_witness(const Topology& topology, const RouterModel& model,
                                  const std::vector<WitnessWorm>& witness, MulticastOf multicast_of) {
  std::vector<Routes> worms;
  Cycle last_start = 0, rest = 0;
  for (const WitnessWorm& claim : witness) {
    const Routes whole = multicast_of(claim);
    Routes& routes = worms.emplace_back();
    routes.plan.planner = whole.plan.planner;
    routes.plan.options = whole.plan.options;
    routes.plan.routing = whole.plan.routing;
    WormRoute& route = routes.worms.emplace_back(whole.worms.at(claim.name.worm));
    route.after = -1;
    Request& request = routes.plan.request;
    request.source = route.source;
    request.start_cycle = claim.start_cycle;
    request.length_flits = claim.length_flits;
    for (RouteHop& hop : route.hops) {
      if (hop.is_channel()) continue;
      hop.kind = RouteHop::Kind::deliver;
      request.destinations.push_back(HostId{hop.target});
    }
    std::sort(request.destinations.begin(), request.destinations.end());
    cut_off(topology, model, routes);
    last_start = std::max(last_start, claim.start_cycle);
    rest =
        std::max<Cycle>(rest, route.flits(request.length_flits, model.header_flits) + route.hops.size() + 10);
  }
  const Cycle slowest = Cycle{model.hop_cycles} + model.credit_cycles + model.routing_cycles +
                        model.consumption_cycles + model.vc_allocation_cycles + 2;
  const Cycle all_stand = last_start + rest * slowest + model.startup_cycles + model.overhead_cycles;
  for (std::size_t i = 0; i < worms.size(); ++i) {
    std::vector<RouteHop>& hops = worms[i].worms.front().hops;
    for (const std::int32_t hop : witness[i].waits)
      if (hop >= 0 && static_cast<std::size_t>(hop) < hops.size())
        hops[static_cast<std::size_t>(hop)].not_before_cycle = all_stand;
  }
  return worms;
}

/// One of the unicasts beside a planner's multicasts. Records say the routing function, by which routers know
/// what they may choose, with a planner alone.
Routes unicast_beside(const RoutingFunction& routing, const std::string& name, HostId from, HostId to,
                      std::uint32_t vc_class) {
  Routes routes = unicast_routes(routing, from, to, vc_class);
  routes.plan.planner = "unicast";
  routes.plan.routing = name;
  return routes;
}

/// Multicasts of a planner and unicasts beside them, at random.
std::vector<Routes> crowd(const BoundPlanner& planner, const RoutingFunction* unicast,
                          const std::string& unicast_name, std::uint64_t seed, std::uint64_t flits,
                          std::uint32_t times) {
  const Topology& topology = planner.context().topology;
  Expander expander(planner.context().routing);
  Random random = RandomStreams(seed, "crowd").stream(0);
  std::vector<Routes> result;
  const std::uint32_t hosts = topology.host_count();
  for (std::uint32_t host = 0; host < hosts; ++host)
    for (std::uint32_t worm = 0; worm < times * crowd_worms_a_host && hosts > 1; ++worm) {
      const std::uint32_t most = std::min(hosts - 1, times * crowd_destinations);
      const auto count = seed % 2 == 0 ? 1 : static_cast<std::uint32_t>(random.between(1, most));
      Request request;
      request.id = result.size();
      request.source = topology.nth_host(host);
      request.length_flits = flits;
      for (const std::uint32_t other : sample(random, count, hosts - 1))
        request.destinations.push_back(topology.nth_host(other + (other >= host ? 1 : 0)));
      const HostId first = request.destinations.front();
      const NodeId from = topology.router_of(request.source), to = topology.router_of(first);
      if (unicast == nullptr || worm % 2 == 0) {
        try {
          result.push_back(expander.expand(planner.plan(std::move(request))));
        } catch (const InputError&) {
          // The planner has no plan for it.
        }
      } else if (from != to) {
        request.destinations.resize(1);
        result.push_back(unicast_beside(*unicast, unicast_name, request.source, first,
                                        unicast->choices_between(from, to).front()));
        result.back().plan.request = std::move(request);
      }
    }
  return result;
}

}  // namespace

RouterModel stand_in(const RouterModel& model) {
  if (!model.discipline().chooses_vcs) return model;
  RouterModel result = with_discipline(model, discipline_per_flit);
  const RouterModel usual;
  result.vc_selection = usual.vc_selection;
  result.vc_allocation_cycles = usual.vc_allocation_cycles;
  return result;
}

CheckOptions on_stand_in(CheckOptions options, const Topology& topology) {
  options.allocating = allocates(options.model, topology);
  options.model = stand_in(options.model);
  return options;
}

bool AllocatingVerdict::deadlocks(const Topology& topology, std::vector<Routes> routes, Runs& runs) const {
  std::uint64_t left = most_run_flits;
  SimulationOptions options;
  options.model = model_;
  options.stop_on_deadlock = true;
  const std::optional<Summary> summary = run_stream(topology, options, routes, left);
  runs.too_long = runs.too_long || !summary;
  if (!summary || summary->outcome != Outcome::deadlock) return false;
  runs.deadlock = std::move(routes);
  return true;
}

Verdict AllocatingVerdict::say(Verdict verdict, Runs runs) const {
  verdict.model = model_;
  verdict.replayed = std::move(runs.deadlock);
  if (verdict.answer() == Answer::deadlock && verdict.replayed.empty()) {
    std::string limit =
        "worms can block each other if each hop has one virtual channel, or if routers choose badly; with "
        "the choice left to allocating routers, " +
        (runs.tried.empty() ? "no run was tried" : "no run came to a standstill: not " + runs.tried);
    if (runs.too_long)
      limit += "; runs of more than " + std::to_string(most_run_flits) + " flits were left out";
    verdict.evidence = AtLimit{std::move(limit)};
  } else if (verdict.answer() == Answer::safe_unreachable) {
    verdict.rests_on.clear();
    verdict.evidence = AtLimit{
        "no set of these worms can block itself if each hop has one virtual channel; of routers that "
        "allocate them nothing was shown"};
  }
  return verdict;
}

AllocatingVerdict::Runs AllocatingVerdict::run(const Verdict& verdict, const Topology& topology,
                                               const std::vector<Routes>& stream) const {
  Runs runs;
  runs.tried =
      "the stream as it is, nor all its worms at once, nor those that can block each other before the rest";
  std::map<std::uint64_t, const Routes*> by_id;
  bool fixed = true;
  for (const Routes& routes : stream) {
    by_id[routes.plan.request.id] = &routes;
    fixed = fixed && !routes.routed_on_the_way();
  }
  const auto of_stream = [&](const WitnessWorm& claim) -> const Routes& {
    return *by_id.at(claim.name.multicast);
  };
  if (fixed &&
      deadlocks(topology,
                repeated(whole_witness(topology, stand_in(model_), verdict.witness(), of_stream), 1), runs))
    return runs;
  std::vector<Routes> all = stream;
  std::uint64_t longest = 1;
  for (const WitnessWorm& worm : verdict.witness()) longest = std::max(longest, worm.length_flits);
  for (Routes& routes : all)
    if (verdict.flits) routes.plan.request.length_flits = longest;
  if (deadlocks(topology, all, runs)) return runs;
  for (Routes& routes : all) {  // a verdict is about any order
    routes.plan.request.start_cycle = 0;
    routes.plan.request.depends_on.clear();
  }
  if (deadlocks(topology, all, runs)) return runs;
  Cycle last = 0;
  for (const WitnessWorm& worm : verdict.witness()) last = std::max(last, worm.start_cycle);
  for (Routes& routes : all) {
    routes.plan.request.start_cycle = last + 1;
    for (const WitnessWorm& worm : verdict.witness())
      if (worm.name.multicast == routes.plan.request.id) routes.plan.request.start_cycle = worm.start_cycle;
  }
  deadlocks(topology, std::move(all), runs);
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
    const std::vector<Routes> worms =
        whole_witness(topology, stand_in(model_), verdict.witness(), [&](const WitnessWorm& claim) {
          const PlannedMulticast& multicast = claim.planned.value();
          if (multicast.unicast)
            return unicast_beside(*unicast, verdict.unicast_routing, multicast.source,
                                  multicast.destinations.front(),
                                  multicast.classes.empty() ? 0 : multicast.classes.front());
          return expander.expand(plan_again(planner, multicast));
        });
    runs.tried = "the worms that can block each other, as often as there are virtual channels to choose from";
    if (deadlocks(topology, repeated(worms, group), runs)) return runs;
    runs.tried += ", nor ";
  }
  std::uint64_t flits = 1;
  for (const WitnessWorm& worm : verdict.witness()) flits = std::max(flits, worm.length_flits);
  flits = std::min(flits, most_run_flits);
  const bool any_length = verdict.flits.value_or(long_worm_flits) == long_worm_flits;
  if (!any_length) flits = std::min(flits, *verdict.flits);
  const std::uint64_t most = on_the_way ? crowds : 2 * crowds;
  runs.tried += std::to_string(most) + " crowds of random multicasts";
  for (std::uint64_t seed = 0; seed < most && runs.deadlock.empty(); ++seed) {
    // Short ones block each other in more places; where routers choose, long ones do.
    const bool short_ones = any_length && !on_the_way && seed < most / 2;
    deadlocks(topology,
              crowd(planner, unicast, verdict.unicast_routing, seed,
                    short_ones ? std::min<std::uint64_t>(flits, model_.buffer_flits) : flits,
                    on_the_way ? 1 : group),
              runs);
  }
  return runs;
}

}  // namespace wormcast
