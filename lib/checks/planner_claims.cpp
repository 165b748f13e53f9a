// Whether the legs that a planner declares are all of its worms: by samples of plans.
//
// Planners say by their legs what they can produce, and a numbering is found and checked from these. A
// planner whose legs leave something out would pass, so real plans are held against the numbering as well:
// not a proof, but by other code. What goes wrong between branches does so next to where they part, so half
// of the samples lie around their source. Cost: a constant number of plans.
// SPDX-License-Identifier: MIT
#include "checks/planner_claims.hpp"

#include <algorithm>

#include "checks/numbering_check.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "topology/connectivity.hpp"
#include "topology/random.hpp"
#include "topology/spread.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t samples_each = 64;
constexpr std::uint32_t most_destinations = 24;
constexpr std::size_t most_near = 12;

/// A random source and destinations anywhere.
void add_anywhere(const Topology& topology, Random random, MulticastSet& requests) {
  const auto count =
      static_cast<std::uint32_t>(random.between(1, std::min(topology.host_count() - 1, most_destinations)));
  std::vector<std::uint32_t> hosts = sample(random, count + 1, topology.host_count());
  for (std::uint32_t& host : hosts) host = topology.nth_host(host).value;
  const auto source = static_cast<std::size_t>(random.below(hosts.size()));
  const std::uint32_t from = hosts[source];
  hosts.erase(hosts.begin() + static_cast<std::ptrdiff_t>(source));
  requests.emplace(from, hosts, std::nullopt);
}

/// A random source, and of the hosts nearest to it each or not, by turns.
void add_nearby(const Topology& topology, const HostsByRouter& hosts, Random random, MulticastSet& requests) {
  const std::uint32_t source =
      topology.nth_host(static_cast<std::uint32_t>(random.below(topology.host_count()))).value;
  std::vector<std::uint32_t> near;
  spread(topology, {topology.router_of(HostId{source})}, [&](NodeId router, NodeId) {
    for (const HostId host : hosts.at(router))
      if (host.value != source && near.size() < most_near) near.push_back(host.value);
    return near.size() == most_near;
  });
  std::erase_if(near, [&](std::uint32_t) { return random.below(2) == 0; });
  std::sort(near.begin(), near.end());
  if (!near.empty()) requests.emplace(source, std::move(near), std::nullopt);
}

}  // namespace

std::string refuse_by_plans(const BoundPlanner& planner, const RouterModel& model, std::uint64_t flits,
                            const std::vector<ResourceId>& numbering) {
  const Topology& topology = planner.context().topology;
  if (topology.host_count() < 2) return "";
  const HostsByRouter hosts(topology);
  const RandomStreams streams(1, "all-multicasts");
  MulticastSet requests;
  for (std::uint64_t i = 0; i < samples_each; ++i) {
    add_anywhere(topology, streams.stream(2 * i), requests);
    add_nearby(topology, hosts, streams.stream(2 * i + 1), requests);
  }
  std::vector<StoredRoute> routes;
  for (const Routes& planned : plan_all(planner, requests))
    for (std::uint32_t w = 0; w < planned.worms.size(); ++w)
      routes.push_back(StoredRoute{planned.worms[w], flits, 1, {WormRef{planned.plan.request.id, w}}});
  return refuse_numbering(topology, model, numbering, routes);
}

}  // namespace wormcast
