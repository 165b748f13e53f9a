// All reductions of a planner: proved, or one set that deadlocks.
//
// Proved by a numbering of channels, for all lengths, buffers and times, of planners whose worms are
//   - unicasts: nodes combine, and hold nothing of the network until they send on;
//   - paths from the root, where joins are ideal and a node's own part waits outside the network: hosts have
//   no
//     links and injection does not block. Run backwards a path joins one part that has come with one of the
//     node, for which nothing else has to move. Behind a host's link it would: two reductions of the same
//     nodes, started in one order at one node and in another at the next, block each other for good.
// A worm run backwards holds a channel while it waits for the next, which the multicast's holds while it
// waits for the first: so its dependencies are those of the multicast among channels, turned round.
//
// Of all else, and where they have a cycle, sets of few reductions of one or two sources among hosts near
// each other, with some of the unicasts, are drawn until one deadlocks. What does so alone does beside
// anything. cite: derived here. Cost: that of legs; drawn sets, of which those with a cycle (join_graph.cpp)
// are simulated.
// SPDX-License-Identifier: MIT
#include "proofs/reduction_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checks/leg_walk.hpp"
#include "checks/numbering_check.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/around_faults.hpp"
#include "multicast/legs.hpp"
#include "proofs/joined_verdicts.hpp"
#include "proofs/runs.hpp"
#include "router/router_model.hpp"
#include "topology/random.hpp"
#include "topology/refuse.hpp"
#include "topology/spread.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t most_drawn_sets = 4'000, most_simulated_sets = 100;
constexpr std::size_t near_hosts = 9;
constexpr std::uint64_t long_message_flits = 16;

Request reduction_request(HostId root, std::vector<HostId> sources, std::uint64_t flits) {
  Request request;
  request.source = root;
  request.start_cycles.assign(sources.size(), 0);
  request.destinations = std::move(sources);
  request.length_flits = flits;
  return request;
}

std::string scope_of_reductions(const Plan& planned_by, const RoutingFunction* unicast) {
  return "all reductions" +
         scope_of_planner(planned_by, unicast != nullptr).substr(std::string_view("all multicasts").size());
}

Routes planned(const BoundPlanner& planner, Request request) {
  return expand(planner.plan(std::move(request)), planner.context().routing);
}

/// Of a channel the one back. Consumption stands for the stop at which a worm goes on.
ResourceId back(const Topology& topology, const Resources& resources, ResourceId id) {
  const Resource resource = resources.describe(id);
  return resource.kind == Resource::Kind::network
             ? resources.network(topology.opposite(resource.channel), resource.vc)
             : id;
}

bool among_channels(const Resources& resources, ResourceId held, ResourceId wanted) {
  return resources.kind(held) == Resource::Kind::network && resources.kind(wanted) == Resource::Kind::network;
}

/// Whether the dependencies of the planner's multicasts say what those of its reductions are.
bool turns_round(const BoundPlanner& bound, const RouterModel& model, const Resources& resources) {
  const Planner& planner = bound.planner();
  if (planner.legs == nullptr) return false;
  return planner.worms.single_stops ||
         (planner.worms.chains && planner.worms.from_source && !model.discipline().copies_flit_by_flit() &&
          !resources.injection_blocks() && !bound.context().topology.hosts_have_links());
}

/// Some hosts around one of them.
std::vector<HostId> hosts_near(const Topology& topology, Random& random) {
  const HostId around = topology.nth_host(static_cast<std::uint32_t>(random.below(topology.host_count())));
  std::vector<HostId> hosts;
  spread(topology, {topology.router_of(around)}, [&](NodeId router, NodeId) {
    for (const HostId host : topology.host_ids())
      if (topology.router_of(host) == router) hosts.push_back(host);
    return hosts.size() >= near_hosts;
  });
  return hosts;
}

void refuse_one_way(const Topology& topology) {
  if (topology.ways() != Ways::both)
    refuse("topology", "channels of {} run one way; reductions take those that lead back", topology.name());
}

class AllReductions {
 public:
  AllReductions(const BoundPlanner& planner, const RoutingFunction* unicast, const CheckOptions& options)
      : planner_(planner),
        unicast_(unicast),
        options_(options),
        topology_(planner.context().topology),
        resources_(topology_, options.model) {}

  Verdict run() {
    Verdict result;
    name_planner(planner_, unicast_ != nullptr, result);
    result.scope = scope_of_reductions(result.planned_by, unicast_);
    result.model = options_.model;
    result.flits = options_.flits;
    if (turns_round(planner_, options_.model, resources_) && proved(result)) return result;
    if (result.flits == long_worm_flits) result.flits.reset();  // the witness says how long they are
    draw(result);
    return result;
  }

 private:
  bool proved(Verdict& result) const {
    DependencyGraph of_multicasts, of_unicasts, graph;
    const auto collect = [&](const RoutingFunction& routing, DependencyGraph& into, const auto& legs_of) {
      LegGraph legs(routing, options_.model, long_worm_flits, into, 0, LegSink::Detail::every_dependency);
      legs_of(legs);
      legs.finish();
      result.worms += legs.legs();
    };
    collect(planner_.context().routing, of_multicasts,
            [&](LegSink& legs) { legs_of_planner(planner_.context(), legs); });
    if (unicast_ != nullptr)
      collect(*unicast_, of_unicasts, [&](LegSink& legs) { unicast_legs({topology_, *unicast_, {}}, legs); });
    for (const Dependency& edge : of_multicasts.dependencies())
      graph.add(back(topology_, resources_, edge.to), back(topology_, resources_, edge.from), edge.cause);
    for (const Dependency& edge : of_unicasts.dependencies())
      if (among_channels(resources_, edge.from, edge.to)) graph.add(edge.from, edge.to, edge.cause);
    const DependencyOrder order(graph);
    result.dependencies = graph.size();
    result.resources = graph.resources();
    if (!order.acyclic()) return false;
    result.evidence = ByNumbering{order.numbering()};
    if (!result.flits) result.flits = long_worm_flits;
    return true;
  }

  void draw(Verdict& result) const {
    std::uint64_t set = 0, simulated = 0;
    for (; set < most_drawn_sets && simulated < most_simulated_sets; ++set) {
      Random random = RandomStreams(0, "reductions that stand still").stream(set);
      const std::vector<Routes> messages = drawn(set, random);
      if (messages.size() < 2 || order_joins(JoinedWorms(topology_, options_.model, messages)).cycle.empty())
        continue;
      ++simulated;
      JoinRuns runs(topology_, options_.model);
      if (!runs.search(messages)) continue;
      runs.leave_out([](const Request&) { return false; });
      result.joins.reductions = true;
      result.replayed = runs.replayed();
      result.multicasts = result.replayed.size();
      ByWitness found{runs.witness()};
      for (WitnessWorm& worm : found.witness) {
        const Request& request = messages[worm.name.multicast].plan.request;
        worm.planned = PlannedMulticast{request.source, request.destinations, !request.reduces()};
      }
      result.evidence = std::move(found);
      return;
    }
    result.evidence = AtLimit{fmt::format(
        "no proof; of {} sets of few reductions {} have a dependency cycle, and no run of these stood still",
        set, simulated)};
  }

  std::vector<Routes> drawn(std::uint64_t set, Random& random) const {
    const std::vector<HostId> hosts = hosts_near(topology_, random);
    const std::uint64_t flits =
        options_.flits && *options_.flits != long_worm_flits
            ? std::max<std::uint64_t>(
                  1, *options_.flits - std::min<std::uint64_t>(*options_.flits, options_.model.header_flits))
        : set % 4 < 2 ? 1
                      : long_message_flits;
    std::vector<Routes> messages;
    if (hosts.size() < 2) return messages;
    for (std::uint64_t left = 2 + set / 8 % 9; left-- > 0;) {
      std::vector<std::uint32_t> at =
          sample(random, static_cast<std::uint32_t>(std::min<std::size_t>(hosts.size(), 2 + random.below(2))),
                 static_cast<std::uint32_t>(hosts.size()));
      shuffle(random, at);
      std::vector<HostId> sources;
      for (std::size_t i = 1; i < at.size(); ++i) sources.push_back(hosts[at[i]]);
      std::sort(sources.begin(), sources.end());
      Routes routes;
      try {
        if (unicast_ != nullptr && set % 2 == 1 && random.below(2) == 0) {
          routes = unicast_routes(*unicast_, hosts[at[0]], sources.front(), 0);
          routes.plan.request.length_flits = flits;
        } else {
          routes = planned(planner_, reduction_request(hosts[at[0]], std::move(sources), flits));
        }
        routes.plan.request.id = messages.size();
        JoinedWorms(topology_, options_.model, {routes});
      } catch (const InputError&) {
        continue;  // sources that no header names
      }
      messages.push_back(std::move(routes));
    }
    return messages;
  }

  const BoundPlanner& planner_;
  const RoutingFunction* unicast_;
  const CheckOptions& options_;
  const Topology& topology_;
  Resources resources_;
};

/// By the second reading of legs.
std::string refuse_numbering(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const Verdict& verdict) {
  const Topology& topology = planner.context().topology;
  const Resources resources(topology, verdict.model);
  if (!turns_round(planner, verdict.model, resources))
    return "numbering: it proves nothing of joins of such worms by such routers";
  NumberingCheck numbering(topology, verdict.model, verdict.numbering());
  std::string fault = numbering.fault();
  const auto ignore = [](auto...) {};
  const bool parts_block = topology.hosts_have_links() || resources.injection_blocks();
  const auto walk = [&](const PlanningContext& context, const auto& legs_of, bool backwards) {
    const auto wait = [&](ResourceId held, ResourceId wanted) {
      if (!fault.empty() || !(backwards || among_channels(resources, held, wanted))) return;
      if (backwards && parts_block && resources.kind(held) == Resource::Kind::consumption &&
          resources.kind(wanted) == Resource::Kind::network) {
        fault = "numbering: nodes join parts that wait behind others of their host, of which it says nothing";
        return;
      }
      fault = backwards ? numbering.refuse(back(topology, resources, wanted), back(topology, resources, held))
                        : numbering.refuse(held, wanted);
    };
    walk_legs(context, legs_of, verdict.model, long_worm_flits, {wait, ignore, ignore});
  };
  walk(planner.context(), legs_of_planner, true);
  if (unicast != nullptr) walk({topology, *unicast, {}}, unicast_legs, false);
  return fault;
}

}  // namespace

BoundPlanner bind_for_reductions(const PlannerChoice& choice, const Topology& topology,
                                 std::string_view routing) {
  const std::string_view chosen = choice.routing_or(routing);
  BoundPlanner planner(*choice.planner, topology, choice.options, chosen);
  const std::string backwards = chosen.empty() ? routing_backwards(planner) : "";
  if (backwards.empty()) return planner;
  return BoundPlanner(*choice.planner, topology, choice.options, backwards);
}

Verdict check_all_reductions(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options) {
  refuse_one_way(planner.context().topology);
  refuse_router_of_joins(planner.context().topology, options.model);
  const WormShape& worms = planner.planner().worms;
  for (const RoutingFunction* routing : {&planner.context().routing, unicast})
    if (routing != nullptr && (routing->adaptive() || routing->draws()))
      refuse("--reductions", "worms with several ways; reductions are judged by routing functions with one");
  if (options.model.discipline().copies_flit_by_flit() && worms.single_stops && !worms.from_source)
    refuse("--all-multicasts",
           "worms after others; routers that join flit by flit take those that start at once");
  return AllReductions(planner, unicast, options).run();
}

CheckedVerdict check_reductions_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                        const Verdict& verdict) {
  const Topology& topology = planner.context().topology;
  refuse_one_way(topology);
  if (verdict.scope != scope_of_reductions(verdict.planned_by, unicast))
    return refused("its scope is not that of its planner, options and routing functions");
  refuse_router_of_joins(topology, verdict.model);
  if (verdict.answer() == Answer::safe) return refused_if(refuse_numbering(planner, unicast, verdict));
  if (verdict.answer() == Answer::unknown) return {};
  if (verdict.answer() != Answer::deadlock) return refused("it is not said of all reductions");
  std::map<std::uint64_t, const WitnessWorm*> named;
  for (const WitnessWorm& worm : verdict.witness()) {
    if (!worm.planned || (worm.planned->unicast && unicast == nullptr))
      return refused(
          "a worm of the witness does not say what its multicast is, or there are no such unicasts");
    named.emplace(worm.name.multicast, &worm);
  }
  std::vector<Routes> messages;
  for (const auto& [id, worm] : named) {
    const PlannedMulticast& multicast = *worm->planned;
    Routes& routes = messages.emplace_back(
        multicast.unicast ? unicast_routes(*unicast, multicast.source, multicast.destinations.front(), 0)
                          : planned(planner, reduction_request(multicast.source, multicast.destinations,
                                                               worm->length_flits)));
    routes.plan.request.id = id;
    routes.plan.request.length_flits = worm->length_flits;
  }
  return run_joined_witness(topology, verdict, messages);
}

}  // namespace wormcast
