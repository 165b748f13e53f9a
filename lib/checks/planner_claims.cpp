// Whether planners say all of their worms: by samples of plans, and a search of what routers choose.
//
// Planners say by their legs what they can produce, and a numbering is found and checked from these. A
// planner whose legs leave something out would pass, so real plans are held against the numbering as well:
// not a proof, but by other code. What goes wrong between branches does so next to where they part, so half
// of the samples lie around their source. Cost: a constant number of plans.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <tuple>

#include "checks/verdict_check.hpp"
#include "multicast/expansion/expand.hpp"
#include "topology/connectivity.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t samples_each = 64;
constexpr std::uint32_t most_destinations = 24;
constexpr std::size_t most_near = 12;

/// A random source and destinations anywhere.
void add_anywhere(const Topology& topology, Random random, MulticastSet& requests) {
  const auto count =
      static_cast<std::uint32_t>(random.between(1, std::min(topology.hosts() - 1, most_destinations)));
  std::vector<std::uint32_t> hosts = sample(random, count + 1, topology.hosts());
  const auto source = static_cast<std::size_t>(random.below(hosts.size()));
  const std::uint32_t from = hosts[source];
  hosts.erase(hosts.begin() + static_cast<std::ptrdiff_t>(source));
  requests.emplace(from, hosts, std::nullopt);
}

/// A random source, and of the hosts nearest to it each or not, by turns.
void add_nearby(const Topology& topology, const HostsByRouter& hosts, Random random, MulticastSet& requests) {
  const auto source = static_cast<std::uint32_t>(random.below(topology.hosts()));
  std::vector<bool> seen(topology.routers(), false);
  std::vector<NodeId> queue{topology.router_of(HostId{source})};
  seen[queue.front().value] = true;
  std::vector<std::uint32_t> near;
  for (std::size_t head = 0; head < queue.size() && near.size() < most_near; ++head) {
    for (const HostId host : hosts.at(queue[head]))
      if (host.value != source && near.size() < most_near) near.push_back(host.value);
    for (std::uint32_t port = 0; port < topology.ports(); ++port) {
      const auto next = topology.neighbour(queue[head], PortId{port});
      if (!next || seen[next->value]) continue;
      seen[next->value] = true;
      queue.push_back(*next);
    }
  }
  std::erase_if(near, [&](std::uint32_t) { return random.below(2) == 0; });
  std::sort(near.begin(), near.end());
  if (!near.empty()) requests.emplace(source, std::move(near), std::nullopt);
}

// The search looks at every place to which headers can come. A place is a router, a routing state, the
// channel by which the header came, and its destination. From a source every candidate and every port that a
// plan may force is followed; at a destination the worm may go on to any other. Each hop must be a start or a
// turn that the planner says, and behind a stop also one that it says of the consumption there. Then any
// dependency between channels that these worms can have is one of the planner's, and an order of channels in
// which its turns lead upwards is one for every choice: number the virtual channels of a channel alike, and
// all waits lead up. Cost: places times ports, up to most_cover_places. cite: this project; Dally, Seitz
// 1987.

constexpr std::size_t most_cover_places = 2'000'000;
constexpr std::uint32_t from_nowhere = 0xffffffff;

class SaidTurns final : public LegSink {
 public:
  void leg(const Leg&) override { others = true; }
  void part_of(const Worm&) override { others = true; }
  void start(HostId source, const Output& first) override {
    if (!first.host) starts.emplace(source.value, first.channel.value);
  }
  void turn(const Output& before, const Output& next) override {
    if (next.host && !before.host) deliveries.emplace(next.host->value, before.channel.value);
    if (next.host) return;
    if (before.vc != 0 || next.vc != 0) others = true;
    if (before.host)
      behind_stops.emplace(before.host->value, before.channel.value, next.channel.value);
    else
      turns.emplace(before.channel.value, next.channel.value);
  }
  void split(const Output&, const Output&, Copies) override {}

  bool others = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> starts, turns, deliveries;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> behind_stops;
};

class CoverSearch {
 public:
  CoverSearch(const SaidTurns& said, const RoutingFunction& routing, bool stops)
      : said_(said), routing_(routing), topology_(routing.topology()), stops_(stops) {}

  bool run() {
    for (std::uint32_t from = 0; from < topology_.hosts(); ++from)
      for (std::uint32_t to = 0; to < topology_.hosts(); ++to)
        if (!start(HostId{from}, HostId{to})) return false;
    while (!open_.empty()) {
      const Header header = open_.back();
      open_.pop_back();
      if (seen_.size() > most_cover_places || !follow(header)) return false;
    }
    return true;
  }

 private:
  struct Header {
    std::uint32_t at = 0, state = 0, came = from_nowhere, to = 0;  ///< to: a host
    friend auto operator<=>(const Header&, const Header&) = default;
  };

  NodeId router(std::uint32_t host) const { return topology_.router_of(HostId{host}); }

  void visit(const RoutingCandidate& hop, std::uint32_t to) {
    const Header next{hop.to.value, hop.state.bits, hop.channel.value, to};
    if (seen_.insert(next).second) open_.push_back(next);
  }

  bool start(HostId from, HostId to) {
    const NodeId at = topology_.router_of(from), target = topology_.router_of(to);
    if (at == target) return true;
    const RoutingState state = routing_.first(at, target, 0);
    std::vector<RoutingCandidate> all, forced;
    routing_.candidates(at, state, target, all);
    for (std::uint32_t port = 0; stops_ && port < topology_.ports(); ++port) {
      try {
        routing_.forced_candidates(at, PortId{port}, state, target, forced);
      } catch (const InputError&) {
        continue;  // no link, or none that is of use
      }
      all.insert(all.end(), forced.begin(), forced.end());
    }
    for (const RoutingCandidate& hop : all) {
      if (!said_.starts.contains({from.value, hop.channel.value})) return false;
      visit(hop, to.value);
    }
    return true;
  }

  bool follow(const Header& header) {
    if (router(header.to).value != header.at) return take(header, header.to, false);
    if (!said_.deliveries.contains({header.to, header.came})) return false;
    for (std::uint32_t to = 0; stops_ && to < topology_.hosts(); ++to)
      if (router(to).value != header.at && !take(header, to, true)) return false;
    return true;
  }

  bool take(const Header& header, std::uint32_t to, bool behind_stop) {
    std::vector<RoutingCandidate> all;
    routing_.candidates(NodeId{header.at}, RoutingState{header.state}, router(to), all);
    for (const RoutingCandidate& hop : all) {
      if (!said_.turns.contains({header.came, hop.channel.value})) return false;
      if (behind_stop && !said_.behind_stops.contains({header.to, header.came, hop.channel.value}))
        return false;
      visit(hop, to);
    }
    return true;
  }

  const SaidTurns& said_;
  const RoutingFunction& routing_;
  const Topology& topology_;
  bool stops_;  ///< worms may have several
  std::set<Header> seen_;
  std::vector<Header> open_;
};

/// True if the planner gives its legs as turns (LegSink::start, turn), and every hop that its adaptive
/// function offers, from any source and after any stops, is one of them; so too of `unicast` (nullptr: none),
/// if that is adaptive. One that is not has one virtual channel. What is then shown of channels by the turns
/// holds of all their virtual channels, whichever routers choose.
bool turns_cover_choices(const BoundPlanner& planner, const RoutingFunction* unicast) {
  const RoutingFunction& routing = planner.context().routing;
  if (!routing.adaptive() || routing.draws() || planner.planner().legs == nullptr) return false;
  SaidTurns said;
  planner.planner().legs(planner.context(), said);
  if (said.others || said.starts.empty() || !CoverSearch(said, routing, true).run()) return false;
  if (unicast == nullptr) return true;
  if (unicast->adaptive()) return !unicast->draws() && CoverSearch(said, *unicast, false).run();
  return unicast->virtual_channels() == 1 && routing.virtual_channels() == 1;
}

}  // namespace

std::vector<Routes> plan_all(const BoundPlanner& planner, const MulticastSet& requests) {
  std::vector<Routes> all;
  Expander expander(planner.context().routing);
  for (const auto& [source, destinations, vc_class] : requests) {
    std::vector<std::uint32_t> classes;
    if (vc_class) classes.push_back(*vc_class);
    Request request;
    request.id = all.size();
    request.source = HostId{source};
    for (const std::uint32_t host : destinations) request.destinations.push_back(HostId{host});
    Plan plan;
    try {
      plan = planner.plan(std::move(request), classes);
    } catch (const InputError&) {
      continue;
    }
    all.push_back(expander.expand(std::move(plan)));
  }
  return all;
}

std::string refuse_by_plans(const BoundPlanner& planner, const RouterModel& model, std::uint64_t flits,
                            const std::vector<ResourceId>& numbering) {
  const Topology& topology = planner.context().topology;
  if (topology.hosts() < 2) return "";
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

bool PlannedWorms::judged_by_turns(const RouterModel& model) const {
  return !scope_.any() && !model.cut_through && !model.discipline().grants_ways &&
         !model.discipline().slots_differ() && turns_cover_choices(planner_, unicast_);
}

}  // namespace wormcast
