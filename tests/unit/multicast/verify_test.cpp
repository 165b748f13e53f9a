// Verification: every planner's plans pass, tampered ones do not; certificates prove their optimum.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "multicast/bounds/bounds.hpp"
#include "multicast/planner.hpp"
#include "multicast/stars/star_search.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/multicast/labelled_graph.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/multicast/verdict.hpp"

namespace wormcast::verify_test {

using namespace testing;

namespace {

Plan planned(const Topology& topology, std::string_view name, const Request& request,
             const PlanOptions& options = {}, std::string_view routing = {}, bool certify = false) {
  const BoundPlanner bound(*find_planner(name), topology, options, routing);
  Plan plan = bound.plan(request);
  if (certify) plan.certificate = certificate_of(bound, plan);
  return plan;
}

}  // namespace

TEST_CASE("plans of every planner are in order" * doctest::test_suite("long")) {
  Dice dice(21);
  for (const auto& topology : small_networks())
    for (const Planner* planner : planners()) {
      if (planner->unsupported(*topology)) continue;
      CAPTURE(topology->name());
      CAPTURE(planner->name);
      for (int i = 0; i < 6; ++i) {
        const std::uint32_t k = planner->name == "unicast" ? 1 : 1 + dice.below(topology->hosts() - 1);
        CHECK(verdict(*topology, planned(*topology, planner->name, random_request(*topology, k, dice))) ==
              "in order");
      }
      CHECK(verdict(*topology, planned(*topology, planner->name, request_of(0, {0}))) == "in order");
    }
}

TEST_CASE("certificates of optimal plans are accepted, by both rules and any number of ports") {
  Dice dice(22);
  std::vector<std::unique_ptr<const Topology>> networks = small_networks();
  networks.push_back(make("mesh", {12, 9}));
  for (int i = 0; i < 4; ++i) networks.push_back(random_labelled_graph(10, 4 + dice.below(6), dice));
  for (const auto& topology : networks)
    for (const std::string rule : {"strict", "free"}) {
      if (find_planner("ocms")->unsupported(*topology)) continue;
      for (const std::string_view routing : {"label", "label-shortest"})
        for (int i = 0; i < 8; ++i) {
          CAPTURE(topology->name());
          CAPTURE(rule);
          const Request request = random_request(*topology, 1 + dice.below(topology->hosts() - 1), dice);
          CHECK(verdict(*topology, planned(*topology, "ocms", request, {{"first-hop", rule}}, routing,
                                           true)) == "in order");
          // Beyond the search's limit, or with disjoint paths, there may be no certificate; never a wrong
          // one.
          const Plan otms = planned(*topology, "otms", request, {{"first-hop", rule}}, routing, true);
          CHECK(verdict(*topology, otms) == "in order");
          if (topology->spec().family == "mesh" && topology->grid()->dimensions() <= 2)
            CHECK(otms.certificate.empty() == (request.destinations.front() == request.source));
          for (const char* name : {"ocms", "otms"}) {
            if (request.destinations.size() > 9) continue;
            const Plan disjoint = planned(*topology, name, request,
                                          {{"first-hop", rule}, {"edge-disjoint", "yes"}}, routing, true);
            CHECK(verdict(*topology, disjoint) == "in order");
          }
        }
    }
}

TEST_CASE("a search that stops at its limit states what is proven, and gives no certificate" *
          doctest::test_suite("long")) {
  const auto cube = make("hypercube", {6});
  Dice dice(29);
  const Request request = random_request(*cube, 32, dice);
  const PlanOptions options{{"first-hop", "free"}, {"edge-disjoint", "yes"}, {"tie", "longest"}};
  const Plan plan = planned(*cube, "ocms", request, options, "label-shortest", true);
  CHECK(verdict(*cube, plan) == "in order");
  REQUIRE(plan.facts.size() == 2);
  CHECK(plan.facts[0].first == "star_longest_bound_hops");
  CHECK(plan.facts[0].second < plan.longest_path_hops);
  CHECK(plan.facts[1].first == "star_traffic_bound_channels");
  CHECK(plan.facts[1].second ==
        planned(*cube, "ocms", request, {{"first-hop", "free"}}, "label-shortest").traffic_channels);
  CHECK(plan.facts[1].second < plan.traffic_channels);
  CHECK(plan.certificate.empty());
}

TEST_CASE("a plan that is not optimal cannot keep its certificate") {
  const auto mesh = make("mesh", {6, 6});
  Dice dice(23);
  int caught = 0;
  for (int i = 0; i < 40; ++i) {
    const Request request = random_request(*mesh, 8, dice);
    const Plan ocms = planned(*mesh, "ocms", request, {{"first-hop", "free"}}, {}, true);
    Plan worse = planned(*mesh, "dual-path", request);
    if (worse.traffic_channels == ocms.traffic_channels) continue;
    worse.planner = "ocms";
    worse.options = ocms.options;
    worse.certificate = ocms.certificate;
    CHECK(verdict(*mesh, worse) == "certificate: it proves a least traffic of " +
                                       std::to_string(*ocms.traffic_channels) + ", the plan has " +
                                       std::to_string(*worse.traffic_channels));
    const Plan otms = planned(*mesh, "otms", request, {{"first-hop", "free"}}, {}, true);
    if (otms.longest_path_hops == worse.longest_path_hops) continue;
    worse.planner = "otms";
    CHECK(verdict(*mesh, worse) == "longest_path_hops: a star whose longest path is below " +
                                       std::to_string(*worse.longest_path_hops) + " exists");
    ++caught;
  }
  CHECK(caught > 10);
}

TEST_CASE("tampered plans and certificates: the first violation is named") {
  const auto mesh = make("mesh", {4, 3});
  const Request request = request_of(6, {0, 3, 4, 5, 7, 9, 11});
  const auto tampered = [&](const std::function<void(Plan&)>& change) {
    Plan plan = planned(*mesh, "ocms", request, {}, {}, true);
    change(plan);
    return verdict(*mesh, plan);
  };
  CHECK(tampered([](Plan&) {}) == "in order");
  CHECK(tampered([](Plan& p) { p.worms[0].stops.pop_back(); }).find("is not delivered") != std::string::npos);
  CHECK(tampered([](Plan& p) {
          std::swap(p.worms[0].stops[0].node, p.worms[0].stops[1].node);
        }).find("labels turn round") != std::string::npos);
  CHECK(tampered([](Plan& p) {
          p.worms[0].stops.push_back({0, static_cast<std::int32_t>(p.worms[0].stops.size()) - 1});
        }).find("host 0 is delivered to twice") != std::string::npos);
  CHECK(tampered([](Plan& p) { p.worms[0].stops[1].parent = -1; }).find("ocms worms do not branch") !=
        std::string::npos);
  CHECK(tampered([](Plan& p) { ++*p.traffic_channels; }).find("traffic_channels: the plan says") == 0);
  CHECK(tampered([](Plan& p) { ++*p.longest_path_hops; }).find("longest_path_hops: the plan says") == 0);
  CHECK(tampered([](Plan& p) { ++*p.longest_chain_hops; }).find("longest_chain_hops: the plan says") == 0);
  CHECK(tampered([](Plan& p) { p.worms[0].source = HostId{1}; }).find("starts a worm that is after none") !=
        std::string::npos);
  CHECK(tampered([](Plan& p) { p.routing = "none"; }).find("routing: unknown routing function") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].prices[0] += 100;
        }).find("certificate[0].prices[0]: price") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].rents.pop_back();
        }).find("certificate[0].rents: there are") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].ports.clear();
        }).find("certificate[0].ports: these are not") == 0);
  CHECK(tampered([](Plan& p) {
          p.certificate[0].port_rents.push_back(1);
        }).find("certificate[0].port_rents") == 0);
  CHECK(tampered([](Plan& p) { p.certificate.pop_back(); }) ==
        "certificate: a half with destinations is missing");
  CHECK(tampered([](Plan& p) { p.certificate[1] = p.certificate[0]; }) ==
        "certificate[1].half: this half appears twice");
  CHECK(tampered([](Plan& p) {
          p.certificate[0].rents.back() += 1;
        }).find("certificate: it proves a least traffic of") == 0);
}

TEST_CASE("promised shapes are held: strict ports, different ports, single stops") {
  const auto mesh = make("mesh", {4, 3});
  Plan plan = planned(*mesh, "otms", request_of(10, {6, 7, 3, 0}), {{"first-hop", "free"}});
  CHECK(verdict(*mesh, plan) == "in order");
  plan.options = {{"first-hop", "strict"}};
  CHECK(verdict(*mesh, plan).find("under the strict rule") != std::string::npos);
  Plan split = planned(*mesh, "separate", request_of(0, {2, 3}));
  CHECK(verdict(*mesh, split) == "in order");
  split.planner = "dual-path";
  split.routing = "label";
  CHECK(verdict(*mesh, split).find("by the same channel as an earlier worm") != std::string::npos);
  Plan chain = planned(*mesh, "dual-path", request_of(0, {2, 3}));
  chain.planner = "separate";
  CHECK(verdict(*mesh, chain) == "worms[0].stops: separate worms have one stop");
  Plan tree = planned(*mesh, "binomial", request_of(0, {2, 3, 5}));
  tree.worms[2].after = -1;
  CHECK(verdict(*mesh, tree).find("starts a worm that is after none") != std::string::npos);
  CHECK_THROWS_AS(planned(*mesh, "dual-path", request_of(0, {2}), {}, {}, true), InputError);
}

TEST_CASE("options that are no planner's, and values that are none, are refused; no rule is the strict one") {
  const auto mesh = make("mesh", {4, 3});
  const auto fabric = build_topology(
      generate(*find_generator("irregular"), {{"switches", 8}, {"hosts", 2}, {"ports", 6}, {"seed", 4}}));
  const auto forged = [](const Topology& network, Plan plan, const char* value) {
    NamedValues options = plan.options.values();
    options.front() = {"first-hop", value};
    plan.options = std::move(options);
    return verdict(network, plan);
  };
  Dice dice(27);
  int strict_refused = 0;
  for (const std::string_view name : {"ocms", "otms", "ocms-up-down", "otms-up-down"})
    for (int i = 0; i < 10; ++i) {
      CAPTURE(name);
      const Topology& network = name.ends_with("up-down") ? *fabric : *mesh;
      const Plan plan = planned(network, name, random_request(network, 6, dice), {{"first-hop", "free"}});
      CHECK(verdict(network, plan) == "in order");
      for (const char* value : {"", "no", "Strict"})
        CHECK(forged(network, plan, value).find("options.first-hop: '" + std::string(value) + "' is no") ==
              0);
      Plan bare = plan;
      bare.options = {};
      CHECK(verdict(network, bare) == forged(network, plan, "strict"));
      strict_refused += verdict(network, bare).find("under the strict rule") != std::string::npos ? 1 : 0;
    }
  CHECK(strict_refused > 0);
}

TEST_CASE("the shape that a planner promises is not what its plan says of itself") {
  const auto mesh = make("mesh", {4, 4});
  const Request request = request_of(5, {1, 2, 3, 6, 7, 11});
  Plan unicasts = planned(*mesh, "separate", request);
  unicasts.planner = "dual-path";
  unicasts.routing = "label";
  CHECK(verdict(*mesh, unicasts).find("by the same channel as an earlier worm") != std::string::npos);
  unicasts.options = {{"worms-a-port", "any"}};
  CHECK(verdict(*mesh, unicasts) == "options: dual-path plans have no option 'worms-a-port'");
  // As many worms a port as there are is an option of ocms.
  CHECK(verdict(*mesh, planned(*mesh, "ocms", request, {{"worms-a-port", "any"}}, {}, true)) == "in order");
  for (const Planner* planner : planners()) {
    if (planner->unsupported(*mesh)) continue;
    CAPTURE(planner->name);
    const Plan plan = planned(*mesh, planner->name, request_of(5, {6}));
    CHECK(verdict(*mesh, plan) == "in order");
    for (const RoutingEntry* routing : routing_functions()) {
      const auto own = planner->joined_by();
      if (routing->unsupported(*mesh) || std::find(own.begin(), own.end(), routing->name) != own.end())
        continue;
      Plan other = plan;
      other.routing = routing->name;
      CHECK(verdict(*mesh, other).find("routing: " + plan.planner + " plans are joined by ") == 0);
    }
  }
  // dual-path's labels would turn round under XY.
  Plan turning = planned(*mesh, "dual-path", request);
  turning.routing = "dimension-order";
  CHECK(verdict(*mesh, turning).find("routing: dual-path plans are joined by label") == 0);
}

TEST_CASE("unicast trees are binomial, columns are columns") {
  const auto mesh = make("mesh", {6, 6});
  Dice dice(30);
  for (const char* name : {"binomial", "u-mesh"})
    for (int i = 0; i < 20; ++i) {
      const Request request = random_request(*mesh, 3 + dice.below(20), dice);
      CHECK(verdict(*mesh, planned(*mesh, name, request)) == "in order");
      Plan unicasts = planned(*mesh, "separate", request, {}, "dimension-order");
      CHECK(verdict(*mesh, unicasts) == "in order");
      unicasts.planner = name;
      CHECK(verdict(*mesh, unicasts).find("worms: a binomial tree reaches") == 0);
    }
  const auto column_path = [&](std::vector<std::vector<std::uint32_t>> worms) {
    std::vector<std::uint32_t> all;
    Plan plan;
    for (const auto& stops : worms) {
      Worm worm;
      worm.source = HostId{14};  // column 2, row 2
      for (const std::uint32_t stop : stops) {
        worm.stops.push_back({stop, static_cast<std::int32_t>(worm.stops.size()) - 1, StopAction::deliver});
        all.push_back(stop);
      }
      plan.worms.push_back(worm);
    }
    plan.request = request_of(14, all);
    plan.planner = "column-path";
    plan.routing = "dimension-order";
    return verdict(*mesh, plan);
  };
  CHECK(column_path({{22, 28}, {10, 4}, {20, 26}, {9}}) == "in order");
  CHECK(column_path({{16, 22}, {10}, {17}}) == "in order");
  CHECK(column_path({{22, 27}}) == "worms[0].stops: a column-path worm stays in one column");
  CHECK(column_path({{28, 22}}).find("goes away from the source's row") != std::string::npos);
  CHECK(column_path({{10, 16}}).find("goes away from the source's row") != std::string::npos);
  CHECK(column_path({{22}, {28}}).find("one column-path worm upwards and one") != std::string::npos);
  CHECK(column_path({{16}, {22}}).find("one column-path worm upwards and one") != std::string::npos);
  CHECK(column_path({{10}, {16}}).find("one column-path worm upwards and one") != std::string::npos);
}

TEST_CASE("facts that contradict the plan are violations") {
  const auto mesh = make("mesh", {5, 5});
  const Request request = request_of(7, {0, 3, 4, 11, 18, 24});
  const auto said = [&](std::string_view planner, const char* name, std::uint64_t value) {
    Plan plan = planned(*mesh, planner, request);
    plan.facts = {{name, value}};
    return verdict(*mesh, plan);
  };
  const Plan plan = planned(*mesh, "otms", request);
  const std::pair<const char*, std::uint64_t> bounds[] = {
      {"traffic_bound_channels", *plan.traffic_channels},
      {"star_traffic_bound_channels", *plan.traffic_channels},
      {"star_longest_bound_hops", *plan.longest_path_hops},
      {"chain_bound_hops", *plan.longest_chain_hops}};
  for (const auto& bound : bounds) {  // no structured binding: clang 14 captures none
    const char* const name = bound.first;
    const std::uint64_t measure = bound.second;
    CAPTURE(name);
    CHECK(said("otms", name, measure) == "in order");
    CHECK(said("otms", name, measure + 1).find("facts." + std::string(name) + ": the plan says that ") == 0);
  }
  CHECK(said("otms", "traffic_bound_exact", 1) == "in order");
  CHECK(said("otms", "traffic_bound_exact", 2) == "facts.traffic_bound_exact: must be 0 or 1, not 2");
  CHECK(said("u-mesh", "step_bound_steps", 3) == "in order");
  CHECK(said("u-mesh", "step_bound_steps", 4).find("facts.step_bound_steps: the plan says that 4") == 0);
  CHECK(said("otms", "anything-else", 99) == "in order");
  const auto ccc = make("ccc", {3});
  Dice dice(31);
  int shared = 0;
  for (int i = 0; i < 20; ++i) {
    Plan tree = planned(*ccc, "u-ccc", random_request(*ccc, 4 + dice.below(16), dice));
    CHECK(verdict(*ccc, tree) == "in order");
    shared += tree.facts[0].second > 0 ? 1 : 0;
    ++tree.facts[0].second;
    CHECK(verdict(*ccc, tree).find("facts.same_step_shared_links: the plan says") == 0);
  }
  CHECK(shared > 0);
}

TEST_CASE("the front of a multicast: from otms with ties to ocms with ties, every point attained") {
  Dice dice(24);
  for (const auto& topology : small_networks()) {
    if (find_planner("otms")->unsupported(*topology) || topology->name().starts_with("torus")) continue;
    for (const std::string rule : {"strict", "free"})
      for (int i = 0; i < 6; ++i) {
        CAPTURE(topology->name());
        const Request request =
            random_request(*topology, 1 + dice.below(std::min(topology->hosts() - 1, 8u)), dice);
        const BoundPlanner otms(*find_planner("otms"), *topology, {{"first-hop", rule}, {"tie", "traffic"}});
        const Plan shortest = otms.plan(request);
        const Plan cheapest = planned(*topology, "ocms", request, {{"first-hop", rule}, {"tie", "longest"}});
        const std::vector<FrontPoint> front = front_of(otms, request);
        REQUIRE_FALSE(front.empty());
        CHECK(front.front().longest_path_hops == *shortest.longest_path_hops);
        CHECK(front.front().traffic_channels == *shortest.traffic_channels);
        CHECK(front.back().longest_path_hops == *cheapest.longest_path_hops);
        CHECK(front.back().traffic_channels == *cheapest.traffic_channels);
        for (std::size_t p = 1; p < front.size(); ++p) {
          CHECK(front[p - 1].longest_path_hops < front[p].longest_path_hops);
          CHECK(front[p - 1].traffic_channels > front[p].traffic_channels);
        }
      }
  }
  const auto mesh = make("mesh", {3, 3});
  CHECK_THROWS_AS(front_of(BoundPlanner(*find_planner("dual-path"), *mesh, {}), request_of(0, {1})),
                  InputError);
}

}  // namespace wormcast::verify_test
