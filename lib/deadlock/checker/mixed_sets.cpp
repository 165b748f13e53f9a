// Deadlocks of multicasts on routes of their own together with unicasts whose routers choose.
//
// A unicast that has no choice once its first hop is taken waits like one on a fixed route wherever it holds
// a channel. So sets of multicasts and of such unicasts, drawn at random, are searched as routes are; one in
// which a unicast waits for its first hop shows nothing. Cost: at most most_mixed searches. cite: this
// project.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include "topology/random.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t most_mixed = 192;
constexpr std::uint32_t mixed_multicasts = 24, mixed_unicasts = 24, mixed_destinations = 4;
constexpr std::uint64_t mixed_partial_sets = 20'000, mixed_states = 200;  ///< of each

/// The unicasts of an adaptive function on the ways on which they have no choice but that of the first hop.
std::vector<Routes> forced_ways(const RoutingFunction& routing, HostId from, HostId to) {
  const Topology& topology = routing.topology();
  const NodeId start = topology.router_of(from), target = topology.router_of(to);
  std::vector<Routes> ways;
  std::vector<RoutingCandidate> firsts, offered;
  for (const std::uint32_t drawn : routing.choices_between(start, target)) {
    if (start == target) break;
    routing.candidates(start, routing.first(start, target, drawn), target, offered);
    firsts.insert(firsts.end(), offered.begin(), offered.end());
  }
  for (const RoutingCandidate& first : firsts)
    for (std::uint32_t vc = first.vc_begin; vc < first.vc_end; ++vc) {
      WormRoute route;
      route.source = from;
      const auto hop = [&](std::uint32_t to_what, std::uint32_t by, RouteHop::Kind kind) {
        const auto before = static_cast<std::int32_t>(route.hops.size()) - 1;
        route.hops.push_back({to_what, before, by, kind});
      };
      hop(first.channel.value, vc, RouteHop::Kind::channel);
      RoutingCandidate at = first;
      while (at.to != target) {
        routing.candidates(at.to, at.state, target, offered);
        if (offered.size() != 1 || offered.front().vc_end != offered.front().vc_begin + 1) break;
        at = offered.front();
        hop(at.channel.value, at.vc_begin, RouteHop::Kind::channel);
      }
      if (at.to != target) continue;
      hop(to.value, 0, RouteHop::Kind::deliver);
      Routes& way = ways.emplace_back();
      way.plan.request.source = from;
      way.plan.request.destinations = {to};
      way.worms.push_back(std::move(route));
    }
  return ways;
}

/// What the search says of a set that is drawn.
Verdict search_drawn_set(const BoundPlanner& planner, const RoutingFunction& unicast,
                         const CheckOptions& options, Random random) {
  DeadlockChecker checker(planner.context().topology, options);
  std::vector<PlannedMulticast> planned;  // by id
  const auto take = [&](Routes& routes, PlannedMulticast multicast) {
    routes.plan.request.id = planned.size();
    planned.push_back(std::move(multicast));
    checker.add(routes);
  };
  const Topology& topology = planner.context().topology;
  const std::uint32_t hosts = topology.host_count();
  MulticastSet requests;
  for (std::uint32_t i = 0; i < mixed_multicasts; ++i) {
    std::vector<std::uint32_t> to =
        sample(random, static_cast<std::uint32_t>(random.between(2, std::min(hosts, mixed_destinations + 1))),
               hosts);
    for (std::uint32_t& host : to) host = topology.nth_host(host).value;
    const auto source = to.begin() + static_cast<std::ptrdiff_t>(random.below(to.size()));
    const std::uint32_t from = *source;
    to.erase(source);
    requests.emplace(from, std::move(to), std::nullopt);
  }
  for (Routes& routes : plan_all(planner, requests))
    take(routes, {routes.plan.request.source, routes.plan.request.destinations});
  for (std::uint32_t i = 0; i < mixed_unicasts; ++i) {
    const HostId from = topology.nth_host(static_cast<std::uint32_t>(random.below(hosts)));
    const HostId to = topology.nth_host(static_cast<std::uint32_t>(random.below(hosts)));
    if (from != to)
      for (Routes& way : forced_ways(unicast, from, to)) take(way, {from, {to}, true});
  }
  Verdict found = checker.verdict();
  bool first_hops = false;
  if (ByWitness* const shown = std::get_if<ByWitness>(&found.evidence))
    for (WitnessWorm& worm : shown->witness) {
      worm.planned = planned[worm.name.multicast];
      worm.says_hops = worm.planned->unicast;
      first_hops = first_hops || (worm.says_hops && worm.waits.front() <= 0);
    }
  if (first_hops) found.evidence = AtLimit{};
  return found;
}

}  // namespace

void find_mixed_deadlock(const BoundPlanner& planner, const RoutingFunction& unicast,
                         const CheckOptions& options, Verdict of_multicasts, Verdict& result) {
  if (planner.context().topology.host_count() < 2 || planner.context().routing.draws()) return;
  CheckOptions searched = options;
  searched.assumptions = false;
  searched.flits = options.flits.value_or(long_worm_flits);
  searched.limits.partial_sets = std::min(searched.limits.partial_sets, mixed_partial_sets);
  searched.limits.states = std::min(searched.limits.states, mixed_states);
  for (std::uint64_t i = 0; i < most_mixed; ++i) {
    Verdict found = search_drawn_set(planner, unicast, searched, RandomStreams(0, "mixed-sets").stream(i));
    result.looked_at += found.looked_at;
    if (found.answer() != Answer::deadlock) continue;
    const std::vector<WitnessWorm>& witness = found.witness();
    if (std::none_of(witness.begin(), witness.end(),
                     [](const WitnessWorm& w) { return w.planned->unicast; })) {
      of_multicasts.looked_at += result.looked_at;
      of_multicasts.relation = result.relation;
      result = std::move(of_multicasts);
    }
    result.evidence = std::move(found.evidence);
    result.multicasts = result.distinct_routes = result.witness().size();
    return;
  }
}

}  // namespace wormcast
