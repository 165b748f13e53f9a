// Relations that a topology brings, at random: refused exactly where a brute-force walk finds a header
// without a way, and judged as an unreduced explorer finds.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checks/numbering_check.hpp"
#include "checks/relation_reading.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/relations/relation_check.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "topology/error.hpp"
#include "topology/relations/relation.hpp"
#include "unit/deadlock/random_relation.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::given_relation_test {

namespace {

ChannelVcs vcs_of(Random& random, ChannelId channel, std::uint32_t vcs) {
  ChannelVcs some{channel, {}};
  if (random.below(2) == 0) return some;
  for (std::uint32_t vc = 0; vc < vcs; ++vc)
    if (random.below(2) == 0) some.vcs.push_back(vc);
  if (some.vcs.empty()) some.vcs.push_back(static_cast<std::uint32_t>(random.below(vcs)));
  return some;
}

std::vector<ChannelVcs> takes(Random& random, const Topology& topology, NodeId at, NodeId to,
                              std::uint32_t vcs) {
  std::vector<ChannelVcs> all;
  for (std::uint32_t c = 0; c < topology.channel_bound(); ++c) {
    const auto ends = topology.ends(ChannelId{c});
    if (!ends || ends->from != at) continue;
    const bool closer = topology.distance(ends->to, to) < topology.distance(at, to);
    if (closer ? random.below(8) != 0 : random.below(6) == 0)
      all.push_back(vcs_of(random, ChannelId{c}, vcs));
  }
  shuffle(random, all);
  return all;
}

std::shared_ptr<const Relation> random_rules(Random& random, const Topology& topology) {
  auto relation = std::make_shared<Relation>();
  const std::uint32_t vcs = relation->virtual_channels =
      static_cast<std::uint32_t>(random.between(1, topology.routers() > 4 ? 1 : 2));
  for (std::uint32_t at = 0; at < topology.routers(); ++at)
    for (std::uint32_t to = 0; to < topology.routers(); ++to) {
      if (at == to) continue;
      RelationRule others{NodeId{at}, {NodeId{to}}, false, {}, {}};
      others.take = takes(random, topology, NodeId{at}, NodeId{to}, vcs);
      if (!others.take.empty() && random.below(30) != 0) relation->rules.push_back(others);
      if (random.below(4) != 0) continue;
      RelationRule own{NodeId{at}, {NodeId{to}}, random.below(2) == 0, {}, {}};
      for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
        if (topology.ends(ChannelId{c}) && topology.ends(ChannelId{c})->to == NodeId{at} &&
            random.below(2) == 0)
          own.from.push_back(vcs_of(random, ChannelId{c}, vcs));
      own.take = takes(random, topology, NodeId{at}, NodeId{to}, vcs);
      if (!own.others() && !own.take.empty()) relation->rules.push_back(own);
    }
  shuffle(random, relation->rules);
  return relation;
}

bool holds_vc(const std::vector<ChannelVcs>& all, std::uint32_t channel, std::uint32_t vc) {
  return std::any_of(all.begin(), all.end(), [&](const ChannelVcs& some) {
    return some.channel.value == channel &&
           (some.vcs.empty() || std::count(some.vcs.begin(), some.vcs.end(), vc) != 0);
  });
}

/// Whether some worm can come to a place without a rule, or from which nothing leads to its destination;
/// every VC by itself.
bool leads_nowhere(const Relation& relation, const Topology& topology) {
  using Place = std::pair<std::uint32_t, std::optional<std::pair<std::uint32_t, std::uint32_t>>>;
  for (std::uint32_t to = 0; to < topology.routers(); ++to) {
    std::set<Place> seen;
    std::vector<Place> open;
    std::vector<std::pair<Place, Place>> steps;
    for (std::uint32_t from = 0; from < topology.routers(); ++from)
      if (from != to) open.push_back({from, std::nullopt});
    seen.insert(open.begin(), open.end());
    while (!open.empty()) {
      const Place here = open.back();
      open.pop_back();
      if (here.first == to) continue;
      const RelationRule* found = nullptr;
      for (const RelationRule& rule : relation.rules) {
        if (rule.router.value != here.first || std::count(rule.to.begin(), rule.to.end(), NodeId{to}) == 0)
          continue;
        const bool named =
            here.second ? holds_vc(rule.from, here.second->first, here.second->second) : rule.starts;
        if (named || (rule.others() && found == nullptr)) found = &rule;
      }
      if (found == nullptr) return true;
      for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
        for (std::uint32_t vc = 0; vc < relation.virtual_channels; ++vc) {
          if (!holds_vc(found->take, c, vc)) continue;
          const Place next{topology.ends(ChannelId{c})->to.value, std::pair(c, vc)};
          steps.emplace_back(here, next);
          if (seen.insert(next).second) open.push_back(next);
        }
    }
    std::set<Place> arrives;
    for (bool grew = true; grew;) {
      grew = false;
      for (const auto& [from, next] : steps)
        if (next.first == to || arrives.count(next) != 0) grew = arrives.insert(from).second || grew;
    }
    for (const Place& place : seen)
      if (place.first != to && arrives.count(place) == 0) return true;
  }
  return false;
}

}  // namespace

TEST_CASE(
    "given relations at random: refused where they lead nowhere, judged as an unreduced explorer finds" *
    doctest::test_suite("long")) {
  const RandomStreams streams(7, "given relations");
  const int count = testing::few_or_many(3000, 30'000);
  int refused = 0, safe = 0, escapes = 0, deadlocks = 0, unknown = 0;
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    TopologySpec spec = random_relation::small_graph(random)->spec();
    spec.relation = random_rules(random, *build_topology(spec));
    const auto topology = build_topology(spec);
    INFO("relation ", i);
    std::unique_ptr<const RoutingFunction> routing;
    try {
      routing = bind_routing("given", *topology);
    } catch (const InputError&) {
      ++refused;
    }
    CHECK((routing == nullptr) == leads_nowhere(*spec.relation, *topology));
    if (routing == nullptr) continue;
    const RouterModel model;
    const RelationGraph graph(*topology, model,
                              {{routing.get(), random_relation::all_pairs(*topology), true, false, 0}},
                              std::nullopt);
    const RelationReading reading{*topology,
                                  model,
                                  {{routing.get(), random_relation::all_pairs(*topology), true, false, 0}},
                                  std::nullopt};
    const DependencyOrder order(graph.dependencies());
    const Escape escape = find_escape(graph);
    const bool proved = order.acyclic() || escape.complete;
    if (proved)
      CHECK(reading.refuse_numbering(order.acyclic() ? order.numbering() : escape.numbering,
                                     order.acyclic()) == "");
    bool found = false;
    if (!proved) {
      BlockedWormsRules rules;
      rules.worms_a_source = 1;
      rules.partial_sets = 20'000;
      rules.exists = [](const RelationWorm&) { return true; };
      found = find_blocked_worms(graph, escape, rules).worms.has_value();
    }
    random_relation::Explorer explorer(*routing, found ? 3000 : 800);
    const bool reachable = explorer.deadlock_reachable();
    if (proved) CHECK_FALSE(reachable);
    if (found) CHECK((reachable || explorer.cut));
    safe += proved ? 1 : 0;
    escapes += proved && !order.acyclic() ? 1 : 0;
    deadlocks += found ? 1 : 0;
    unknown += !proved && !found ? 1 : 0;
  }
  MESSAGE(refused, " refused, ", safe, " safe (", escapes, " by an escape), ", deadlocks, " deadlocks, ",
          unknown, " unknown");
  CHECK(refused > count / 20);
  CHECK(safe > count / 10);
  CHECK(escapes > 0);
  CHECK(deadlocks > count / 50);
}

}  // namespace wormcast::given_relation_test
