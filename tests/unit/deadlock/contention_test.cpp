// Contention of plans: the reference multicasts, Theorem 3 on random sets, Theorem 1 by its definition.
// SPDX-License-Identifier: MIT
#include "deadlock/contention.hpp"

#include <doctest/doctest.h>

#include "unit/long_mode.hpp"
#include "unit/multicast/ccc_reference.hpp"
#include "unit/source_dir.hpp"

namespace wormcast::contention_test {

using namespace testing;

namespace {

/// R_node by Definition 4: the node and all that gets the message from its members.
std::set<std::uint32_t> reachable(const std::vector<Worm>& worms, std::uint32_t node) {
  std::set<std::uint32_t> set{node};
  for (std::size_t before = 0; before != set.size();) {
    before = set.size();
    for (const Worm& worm : worms)
      if (set.count(worm.source.value) != 0) set.insert(worm.stops[0].node);
  }
  return set;
}

/// Theorem 1 word by word, for multicasts made of unicasts.
std::vector<WormPair> by_definition(const Routes& routes, ContentionOn on) {
  const std::vector<Worm>& worms = routes.plan.worms;
  const std::vector<Send> sends = schedule(worms);
  std::vector<std::set<std::uint32_t>> reach(routes.worms.size());
  std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> channels(worms.size());
  for (std::size_t w = 0; w < worms.size(); ++w) {
    reach[w] = reachable(worms, worms[w].stops[0].node);
    for (const RouteHop& hop : routes.worms[w].hops)
      if (hop.is_channel())
        channels[w].emplace(hop.target, on == ContentionOn::virtual_channels ? hop.vc : 0);
  }
  const auto fine = [&](std::size_t x, std::size_t y) {  // x in step t ≤ τ of y
    const std::uint32_t gamma = worms[y].source.value;
    if (reach[x].count(gamma) != 0 || gamma == worms[x].source.value) return true;
    for (std::size_t e = 0; e < worms.size(); ++e)
      if (worms[e].source == worms[x].source && sends[e].step > sends[x].step && reach[e].count(gamma) != 0)
        return true;
    return std::none_of(channels[x].begin(), channels[x].end(),
                        [&](const auto& channel) { return channels[y].count(channel) != 0; });
  };
  std::vector<WormPair> pairs;
  for (std::uint32_t a = 0; a < worms.size(); ++a)
    for (std::uint32_t b = a + 1; b < worms.size(); ++b)
      if (!(sends[a].step <= sends[b].step ? fine(a, b) : fine(b, a))) pairs.emplace_back(a, b);
  return pairs;
}

}  // namespace

TEST_CASE("contention: every reference multicast, in its steps and under delays") {
  for (const CccCase& one : ccc_cases(testing::source_dir())) {
    const Routes routes = u_ccc_routes(*one.network, one.request);
    const StepContention links = step_contention(routes, ContentionOn::physical_links);
    const auto& nominal = one.expected.at("multiplexed").at("N/older");
    CHECK(links.pairs.size() == one.expected.at("phys_same_step_pairs").get<std::size_t>());
    CHECK(links.pairs.size() == nominal.at("pairs").get<std::size_t>());
    CHECK(links.shared == nominal.at("shared").get<std::uint64_t>());
    CHECK(links.blocked == nominal.at("blocked").get<std::uint64_t>());
    CHECK(links.steps == nominal.at("steps").get<std::uint32_t>());
    CHECK(links.least_steps == one.expected.at("lower_bound").get<std::uint32_t>());
    CHECK(step_contention(routes, ContentionOn::virtual_channels).pairs.size() ==
          one.expected.at("vc_same_step_conflicts").get<std::size_t>());
    const auto depth = depth_contention(routes, ContentionOn::virtual_channels);
    const auto& expected = one.expected.at("vc_depth_conflicts");
    CHECK(depth.size() == (expected.is_null() ? 0 : expected.get<std::size_t>()));
  }
}

TEST_CASE("contention: Theorem 3 on random sets up to 10-D") {
  Dice dice(21);
  for (const std::uint32_t n : {3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u}) {
    const auto network = make("ccc", {n});
    for (int i = 0; i < few_or_many(25, 400); ++i) {
      const std::uint32_t most = std::min(network->hosts() - 1, 511u);
      const Routes routes = u_ccc_routes(*network, random_request(*network, 1 + dice.below(most), dice));
      const StepContention step = step_contention(routes, ContentionOn::virtual_channels);
      CHECK(step.steps == step.least_steps);
      CHECK(step.pairs.empty());
      CHECK(depth_contention(routes, ContentionOn::virtual_channels).empty());
    }
  }
}

TEST_CASE("contention: broadcasts share no physical link in a step") {
  for (const std::uint32_t n : {3u, 4u, 5u, 6u, 7u, 8u}) {
    const auto network = make("ccc", {n});
    for (const std::uint32_t source : {0u, 1u, network->hosts() / 2 + 1, network->hosts() - 1}) {
      std::vector<std::uint32_t> others;
      for (std::uint32_t i = 0; i < network->hosts(); ++i)
        if (i != source) others.push_back(i);
      const Routes routes = u_ccc_routes(*network, request_of(source, others));
      CHECK(step_contention(routes, ContentionOn::physical_links).pairs.empty());
    }
  }
}

TEST_CASE("contention: Theorem 1's conditions as its words say, on good plans and on blind ones") {
  Dice dice(22);
  std::size_t contending = 0;
  for (const std::uint32_t n : {3u, 4u, 5u}) {
    const auto network = make("ccc", {n});
    for (const std::string_view name : {"u-ccc", "binomial", "separate"})
      for (int i = 0; i < 20; ++i) {
        const BoundPlanner planner(*find_planner(name), *network, {});
        const Request request = random_request(*network, 1 + dice.below(30), dice);
        const Routes routes = expand(planner.plan(request), planner.context().routing);
        for (const ContentionOn on : {ContentionOn::virtual_channels, ContentionOn::physical_links}) {
          const auto pairs = depth_contention(routes, on);
          CHECK(pairs == by_definition(routes, on));
          contending += pairs.size();
          if (name == "separate") CHECK(pairs.empty());
        }
      }
  }
  CHECK(contending > 0);
}

TEST_CASE("contention: u-ccc needs the virtual channels") {
  TopologySpec spec;
  spec.family = "ccc";
  spec.sizes = {5};
  spec.virtual_channels = 1;
  const auto network = build_topology(spec);
  Dice dice(23);
  std::size_t contending = 0;
  for (int i = 0; i < 40; ++i) {
    const Routes routes = u_ccc_routes(*network, random_request(*network, 31, dice));
    contending += depth_contention(routes, ContentionOn::virtual_channels).size();
  }
  CHECK(contending > 0);
}

}  // namespace wormcast::contention_test
