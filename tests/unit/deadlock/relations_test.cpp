// Verdicts on routing relations: registered functions, relations at random
// against an unreduced explorer, relations that lead nowhere, nodes that
// answer.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks/answer_check.hpp"
#include "checks/certificate_check.hpp"
#include "checks/checked_verdict.hpp"
#include "checks/numbering_check.hpp"
#include "checks/planner_verdict_check.hpp"
#include "checks/relation_reading.hpp"
#include "checks/relation_verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/relations/relation_check.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/deadlock/random_relation.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::relations_test {

using random_relation::all_pairs;
using random_relation::Explorer;
using random_relation::make_relation;
using random_relation::TableRelation;

namespace {

struct Judged {
  Answer answer = Answer::unknown;
  std::string fault;  ///< what the independent check says of the evidence
  bool escape = false;
};

/// Unicasts between all pairs by the relation, judged and checked by the parts
/// of the checker.
Judged judge(const Topology& topology, const RoutingFunction& routing) {
  const RouterModel model;
  const RelationGraph graph(topology, model, {{&routing, all_pairs(topology), true, false, 0}}, std::nullopt);
  const RelationReading reading{
      topology, model, {{&routing, all_pairs(topology), true, false, 0}}, std::nullopt};
  const DependencyGraph all = graph.dependencies();
  const DependencyOrder order(all);
  if (order.acyclic()) return {Answer::safe, reading.refuse_numbering(order.numbering(), true)};
  if (const std::string fault = reading.refuse_cycle(order.shortest_cycle()); !fault.empty())
    return {Answer::unknown, fault};
  const Escape escape = find_escape(graph);
  if (escape.complete) return {Answer::safe, reading.refuse_numbering(escape.numbering, false), true};
  BlockedWormsRules rules;
  rules.worms_a_source = topology.hosts_have_links() ? 1 : 0;
  rules.partial_sets = 20'000;
  rules.exists = [](const RelationWorm&) { return true; };
  const BlockedWorms found = find_blocked_worms(graph, escape, rules);
  if (!found.worms) return {};
  const auto witness = time_blocked_worms(
      graph, model, std::vector<std::uint64_t>(found.worms->size(), long_worm_flits), *found.worms);
  std::vector<AllowedWorm> allowed;
  for (const RelationWorm& worm : *found.worms) {
    const std::vector<HostId> stops = stops_of(graph, worm).hosts;
    AllowedWorm& one = allowed.emplace_back();
    one.worm = chain_worm(graph.vertices()[worm.entry].origin, stops);
    one.routing = &routing;
  }
  return {Answer::deadlock, refuse_relation_witness(topology, model, witness, allowed)};
}

Verdict judge_planner(const Topology& topology, const char* planner, const char* routing,
                      const RelationScope& scope = {}, const char* unicasts = nullptr,
                      const RouterModel& model = {}) {
  const BoundPlanner bound(*find_planner(planner), topology, {}, routing);
  const auto beside = unicasts == nullptr ? nullptr : bind_routing(unicasts, topology);
  CheckOptions options;
  options.model = model;
  options.answer_check = check_answer;
  Verdict verdict = check_all_multicasts(bound, beside.get(), options, scope);
  if (unicasts != nullptr) verdict.unicast_routing = unicasts;
  CHECK(check_planner_verdict(topology, verdict, 1000).reason == "");
  return verdict;
}

/// The plain replayer: the flit engine on the witness's fixed hops.
bool stands_still(const Topology& topology, const Verdict& verdict) {
  const std::vector<Routes> witness = witness_routes(verdict.witness());
  const Summary summary = hand_made::simulate(topology, verdict.model, witness);
  return summary.outcome == Outcome::deadlock && summary.deadlock->blocked.size() == witness.size();
}

}  // namespace

TEST_CASE(
    "turn models and label order: all that is offered is acyclic; "
    "escapes are found") {
  const auto mesh = testing::make("mesh", {4, 3});
  for (const char* routing : {"west-first", "north-last", "negative-first", "odd-even", "up-down-adaptive"}) {
    CAPTURE(routing);
    const Verdict verdict = judge_planner(*mesh, "separate", routing);
    CHECK(verdict.answer() == Answer::safe);
    CHECK(verdict.proof() == acyclic_proof);
  }
  for (const char* routing : {"minimal-adaptive", "minimal-adaptive-return"})
    for (const char* family : {"mesh", "torus"}) {
      const auto network = testing::make(family, {4, 4});
      const Verdict verdict = judge_planner(*network, "separate", routing);
      CHECK(verdict.answer() == Answer::safe);
      CHECK(verdict.proof() == escape_proof);
      RouterModel early;
      early.vc_reuse = VcReuse::early;
      CHECK(judge_planner(*network, "separate", routing, {}, nullptr, early).answer() == Answer::unknown);
      Verdict forged = verdict;
      std::reverse(std::get<ByNumbering>(forged.evidence).numbering.begin(),
                   std::get<ByNumbering>(forged.evidence).numbering.end());
      CHECK(check_planner_verdict(*network, forged, 1000).outcome == CheckedVerdict::Outcome::refused);
      forged = verdict;
      std::get<ByNumbering>(forged.evidence).numbering.pop_back();
      CHECK(check_planner_verdict(*network, forged, 1000).outcome == CheckedVerdict::Outcome::refused);
      forged = verdict;
      std::get<ByNumbering>(forged.evidence).proof = acyclic_proof;
      CHECK(check_planner_verdict(*network, forged, 1000).outcome == CheckedVerdict::Outcome::refused);
    }
  const Verdict paths = judge_planner(*mesh, "dual-path", "label-adaptive");
  CHECK(paths.answer() == Answer::safe);
  CHECK(paths.proof() == acyclic_proof);
}

TEST_CASE("by a port that its plan forces a worm is offered all that routers offer there, escapes too") {
  const auto mesh = testing::make("mesh", {3, 3});
  const auto routing = bind_routing("minimal-adaptive", *mesh);
  Leg leg;
  leg.to = HostId{8};
  leg.first_port = PortId{0};
  const RelationGraph graph(*mesh, {}, {{routing.get(), {leg}, true, false, 0}}, std::nullopt);
  std::vector<RoutingCandidate> offered;
  routing->forced_candidates(NodeId{0}, PortId{0}, routing->first(NodeId{0}, NodeId{8}, 0), NodeId{8},
                             offered);
  REQUIRE(offered.size() == 2);
  std::vector<ResourceId> vcs, taken;
  for (const RoutingCandidate& hop : offered)
    for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc)
      vcs.push_back(graph.resources().network(hop.channel, vc));
  for (const RelationArc& arc : graph.arcs(0)) taken.push_back(arc.vc);
  CHECK(taken == vcs);
}

TEST_CASE(
    "without an escape worms stand still, and the witness replays; "
    "spoilt witnesses are refused") {
  for (const std::uint32_t vcs : {1U, 2U, 3U}) {
    TopologySpec spec;
    spec.family = "mesh";
    spec.sizes = {3, 3};
    spec.virtual_channels = vcs;
    const auto mesh = build_topology(spec);
    const Verdict verdict = judge_planner(*mesh, "separate", "fully-adaptive");
    REQUIRE(verdict.answer() == Answer::deadlock);
    CHECK(verdict.witness().size() == 4 * vcs);
    CHECK(stands_still(*mesh, verdict));
    const auto refused = [&](const Verdict& forged) {
      return check_planner_verdict(*mesh, forged, 1000).outcome == CheckedVerdict::Outcome::refused;
    };
    Verdict forged = verdict;
    std::get<ByWitness>(forged.evidence).witness.pop_back();
    CHECK(refused(forged));
    forged = verdict;
    std::get<ByWitness>(forged.evidence).witness[0].holds.pop_back();
    CHECK(refused(forged));
    forged = verdict;
    std::get<ByWitness>(forged.evidence).witness[0].route.hops[0].vc = vcs;
    CHECK(refused(forged));
    forged = verdict;
    std::swap(std::get<ByWitness>(forged.evidence).witness[0].route,
              std::get<ByWitness>(forged.evidence).witness[1].route);
    CHECK(refused(forged));
    forged = verdict;
    std::reverse(forged.cycle.begin(), forged.cycle.end());
    CHECK(refused(forged));
  }
  const auto mesh = testing::make("mesh", {4, 4});
  const Verdict mixed = judge_planner(*mesh, "dual-path", "label-adaptive", {}, "minimal-adaptive");
  CHECK(mixed.answer() == Answer::deadlock);
  CHECK(stands_still(*mesh, mixed));
}

TEST_CASE(
    "a node that takes requests only while it can reply: deadlock on "
    "shared virtual channels") {
  const auto mesh = testing::make("mesh", {4, 4});
  for (const char* planner : {"separate", "dual-path"}) {
    CAPTURE(planner);
    const char* routing = std::string(planner) == "separate" ? "dimension-order" : "label";
    RelationScope scope;
    scope.depends = ProtocolRule{multicast_sort, unicast_sort};
    const Verdict shared = judge_planner(*mesh, planner, routing, scope, "dimension-order");
    CHECK(shared.answer() == Answer::deadlock);
    CHECK(stands_still(*mesh, shared));
    scope.unicast_vc = 1;
    CHECK(judge_planner(*mesh, planner, routing, scope, "dimension-order").answer() == Answer::safe);
    // Each is safe with the other where no node answers; separate virtual
    // channels or not.
    CHECK(judge_planner(*mesh, "separate", "dimension-order", {}, "dimension-order").answer() ==
          Answer::safe);
  }
  const auto two = testing::make("mesh", {2, 1});
  RelationScope scope;
  scope.depends = ProtocolRule{unicast_sort, unicast_sort};
  CHECK(judge_planner(*two, "separate", "dimension-order", scope, "dimension-order").answer() !=
        Answer::safe);
}

TEST_CASE(
    "places round which a worm may go for ever do not keep the channel that leads to them from an escape") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 4;
  spec.graph.hosts = {0, 1, 2, 3};
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = a + 1; b < 4; ++b) spec.graph.links.emplace_back().ends = {a, b};
  const auto complete = build_topology(std::move(spec));
  const auto hop = [&](std::uint32_t from, std::uint32_t to, std::uint32_t vc) -> RoutingCandidate {
    return {hand_made::channel(*complete, from, to), vc, vc + 1, NodeId{to}, {}, 0};
  };
  TableRelation relation(*complete, 2, 1);
  for (std::uint32_t at = 0; at < 4; ++at)
    for (std::uint32_t to = 0; to < 4; ++to)
      if (at != to) relation.entry(NodeId{at}, {}, NodeId{to}) = {hop(at, to, 0)};
  // To node 3 worms from node 0 go by node 1, and may go to and fro between nodes 1 and 2.
  relation.entry(NodeId{0}, {}, NodeId{3}) = {hop(0, 1, 0)};
  relation.entry(NodeId{1}, {}, NodeId{3}).push_back(hop(1, 2, 1));
  relation.entry(NodeId{2}, {}, NodeId{3}).push_back(hop(2, 1, 1));
  const std::vector<RelationTraffic> traffic{{&relation, all_pairs(*complete), true, false, 0}};
  const RelationGraph graph(*complete, {}, traffic, std::nullopt);
  CHECK(graph.endless().has_value());
  const Escape escape = find_escape(graph);
  CHECK(escape.complete);
  const RelationReading reading{*complete, {}, traffic, std::nullopt};
  CHECK(reading.refuse_numbering(escape.numbering, false) == "");
}

TEST_CASE(
    "relations that lead nowhere are refused with router, channel and "
    "destination") {
  const auto mesh = testing::make("mesh", {3, 1});
  const auto channel = [&](std::uint32_t from, std::uint32_t to) {
    return hand_made::channel(*mesh, from, to);
  };
  const auto line = [&] {
    auto relation = std::make_unique<TableRelation>(*mesh, 1, 1);
    for (std::uint32_t at = 0; at < 3; ++at)
      for (std::uint32_t to = 0; to < 3; ++to) {
        if (at == to) continue;
        const std::uint32_t next = to > at ? at + 1 : at - 1;
        relation->entry(NodeId{at}, {}, NodeId{to}) = {{channel(at, next), 0, 1, NodeId{next}, {}, 0}};
      }
    return relation;
  };
  CHECK(judge(*mesh, *line()).answer == Answer::safe);
  auto dead_end = line();
  dead_end->entry(NodeId{1}, {}, NodeId{2}).clear();
  CHECK_THROWS_WITH_AS(judge(*mesh, *dead_end),
                       "at router 1, reached by channel 0, on the way to node "
                       "2 there is no way on: a dead end",
                       InputError);
  auto away = line();
  away->entry(NodeId{1}, {}, NodeId{2}) = {{channel(1, 0), 0, 1, NodeId{0}, {}, 0}};
  CHECK_THROWS_WITH_AS(judge(*mesh, *away),
                       "at router 0, reached by channel 5, on the way to node "
                       "2 no choice ever leads there: a worm "
                       "stays away for ever",
                       InputError);
  auto nowhere = line();
  nowhere->entry(NodeId{1}, {}, NodeId{2}) = {{channel(0, 1), 0, 1, NodeId{2}, {}, 0}};
  CHECK_THROWS_AS(judge(*mesh, *nowhere), InputError);
  auto no_vc = line();
  no_vc->entry(NodeId{1}, {}, NodeId{2}).front().vc_end = 2;
  CHECK_THROWS_AS(judge(*mesh, *no_vc), InputError);
}

TEST_CASE(
    "random relations: safe never where a deadlock is reachable, "
    "deadlock only where one is" *
    doctest::test_suite("long")) {
  const RandomStreams streams(5, "relations");
  const int count = testing::few_or_many(1500, 20'000);
  int safe = 0, escapes = 0, deadlocks = 0, unknown = 0, bad = 0, complete = 0, confirmed = 0;
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const auto topology = random_relation::small_graph(random);
    const auto relation = make_relation(random, *topology);
    INFO("relation ", i);
    Judged judged;
    try {
      judged = judge(*topology, *relation);
    } catch (const InputError&) {
      ++bad;
      continue;
    }
    CHECK(judged.fault == "");
    Explorer explorer(*relation, judged.answer == Answer::deadlock ? 3000 : 800);
    const bool reachable = explorer.deadlock_reachable();
    complete += explorer.cut ? 0 : 1;
    if (judged.answer == Answer::safe) {
      ++safe;
      escapes += judged.escape ? 1 : 0;
      CHECK_FALSE(reachable);
    } else if (judged.answer == Answer::deadlock) {
      ++deadlocks;
      confirmed += reachable ? 1 : 0;
      CHECK((reachable || explorer.cut));
    } else {
      ++unknown;
    }
  }
  MESSAGE(safe, " safe (", escapes, " by an escape), ", deadlocks, " deadlocks (", confirmed,
          " reached by the explorer), ", unknown, " unknown, ", bad, " refused; ", complete,
          " explored to the end");
  CHECK(safe > count / 10);
  CHECK(escapes > 0);
  CHECK(deadlocks > count / 20);
  CHECK(confirmed > deadlocks / 2);
}

TEST_CASE(
    "given worms that routers route: the same answers as an unreduced "
    "exploration" *
    doctest::test_suite("long")) {
  const RandomStreams streams(6, "segment relations");
  const int count = testing::few_or_many(150, 5000);
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {2, 2}, {3, 2}};
  int safe = 0, unreachable = 0, deadlocks = 0, unknown = 0, open = 0;
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    TopologySpec spec;
    spec.family = "mesh";
    spec.sizes = sizes[random.below(sizes.size())];
    spec.virtual_channels = random.below(8) == 0 ? 2 : 1;
    const auto mesh = build_topology(spec);
    const auto routing = bind_routing("fully-adaptive", *mesh);
    CheckOptions options;
    options.flits = long_worm_flits;
    options.answer_check = check_answer;
    SegmentWorms worms(*mesh, options.model, options.flits);
    std::vector<Explorer::Unicast> unicasts;
    const std::uint64_t wanted = random.between(4, 7);
    // Now and then each of the four across the 2×2 mesh, which can block each other.
    const bool across = mesh->hosts() == 4 && random.below(2) == 0;
    while (unicasts.size() < wanted) {
      auto from = static_cast<std::uint32_t>(random.below(mesh->hosts()));
      auto to = static_cast<std::uint32_t>(random.below(mesh->hosts()));
      if (across && unicasts.size() < 4) {
        from = static_cast<std::uint32_t>(unicasts.size());
        to = 3 - from;
      }
      if (mesh->distance(NodeId{from}, NodeId{to}) < 2) continue;
      unicasts.emplace_back(from, to);
      Routes routes;
      routes.plan.request.id = unicasts.size();
      routes.plan.routing = "fully-adaptive";
      const HostId stop{to};
      routes.plan.worms.push_back(chain_worm(HostId{from}, {&stop, 1}));
      routes.worms.emplace_back().source = HostId{from};
      worms.add(routes);
    }
    if (worms.empty()) continue;
    INFO("set ", i);
    Verdict verdict = check_segment_relations(*mesh, worms, options);
    verdict.planned_by = worms.planned_by();
    const CheckedVerdict checked = check_segment_verdict(*mesh, verdict, worms);
    CHECK(checked.outcome != CheckedVerdict::Outcome::refused);
    Explorer explorer(*routing, 8000, unicasts);
    const bool reachable = explorer.deadlock_reachable();
    if (explorer.cut) {
      ++open;
      if (verdict.answer() == Answer::deadlock) CHECK(stands_still(*mesh, verdict));
      continue;
    }
    if (verdict.answer() == Answer::deadlock) {
      ++deadlocks;
      CHECK(reachable);
      CHECK(stands_still(*mesh, verdict));
    } else if (verdict.answer() == Answer::unknown) {
      ++unknown;
    } else {
      verdict.answer() == Answer::safe ? ++safe : ++unreachable;
      CHECK_FALSE(reachable);
    }
  }
  MESSAGE(safe, " safe, ", unreachable, " safe-unreachable, ", deadlocks, " deadlocks, ", unknown,
          " unknown, ", open, " not explored to the end");
  CHECK(safe > count / 20);
  CHECK(deadlocks > count / 20);
  CHECK(unknown == 0);
}

}  // namespace wormcast::relations_test
