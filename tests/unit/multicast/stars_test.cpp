// Optimal stars: every reference value, brute force on small cases, two methods against each other.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "multicast/assignment_duals.hpp"
#include "multicast/balanced_pass.hpp"
#include "multicast/expand.hpp"
#include "multicast/planner.hpp"
#include "multicast/run_graph.hpp"
#include "multicast/star_flow.hpp"
#include "multicast/star_search.hpp"
#include "multicast/worms.hpp"
#include "routing/label_monotone.hpp"
#include "unit/multicast/labelled_graph.hpp"
#include "unit/multicast/random_requests.hpp"

using namespace wormcast;
using namespace wormcast::testing;
using nlohmann::json;

namespace {

std::vector<json> reference(const std::string& name) {
  std::ifstream file(std::string(WORMCAST_SOURCE_DIR) + "/tests/reference/" + name);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  REQUIRE_FALSE(lines.empty());
  return lines;
}

/// A plan whose routes have been expanded, so that its measures are those of real channels.
Plan planned(const Topology& topology, std::string_view name, const Request& request,
             const PlanOptions& options = {}, std::string_view routing = "label") {
  const BoundPlanner bound(*find_planner(name), topology, options, routing);
  return expand(bound.plan(request), bound.context().routing).plan;
}

struct Case {
  std::unique_ptr<const Topology> mesh;
  Request request;
};

Case plane_case(const json& line) {
  const std::uint32_t width = line.at("cols");
  Case result{make("mesh", {width, line.at("rows").get<std::uint64_t>()}), {}};
  std::vector<std::uint32_t> destinations;
  for (const json& d : line.at("dests"))
    destinations.push_back(d[0].get<std::uint32_t>() + width * d[1].get<std::uint32_t>());
  result.request = request_of(
      line["source"][0].get<std::uint32_t>() + width * line["source"][1].get<std::uint32_t>(), destinations);
  return result;
}

/// A bound routing function and one half of a request, with the context it refers to.
struct Half {
  std::unique_ptr<const RoutingFunction> routing;
  PlanningContext context;
  StarHalf star;

  Half(const Topology& topology, std::string_view name, const Request& request, bool up, FirstHop rule)
      : routing(bind_routing(name, topology)),
        context{topology, *routing, {}},
        star(context, request.source, destinations(topology, request, up), up, rule) {}

  static std::vector<HostId> destinations(const Topology& topology, const Request& request, bool up) {
    LabelHalves halves = split_by_label(topology, request);
    return up ? halves.up : halves.down;
  }
};

/// Costs of all stars of a half, by going through every assignment of destinations to ports.
std::set<std::pair<std::int64_t, std::int64_t>> all_costs(const StarHalf& half) {
  std::set<std::pair<std::int64_t, std::int64_t>> costs;
  std::vector<std::int64_t> lengths(half.ports().size(), 0);
  std::vector<std::size_t> last(half.ports().size(), half.size());
  const std::function<void(std::size_t)> place = [&](std::size_t j) {
    if (j == half.size()) {
      std::int64_t traffic = 0;
      for (const std::int64_t length : lengths) traffic += length;
      costs.emplace(*std::max_element(lengths.begin(), lengths.end()), traffic);
      return;
    }
    for (std::size_t p = 0; p < lengths.size(); ++p) {
      const std::uint32_t hops = last[p] == half.size() ? half.first(p, j) : half.leg(last[p], j);
      if (hops == StarHalf::no_leg) continue;
      const std::size_t before = std::exchange(last[p], j);
      lengths[p] += hops;
      place(j + 1);
      lengths[p] -= hops;
      last[p] = before;
    }
  };
  place(0);
  return costs;
}

std::int64_t least_traffic_of(const std::set<std::pair<std::int64_t, std::int64_t>>& costs) {
  std::int64_t least = costs.begin()->second;
  for (const auto& cost : costs) least = std::min(least, cost.second);
  return least;
}

/// Every destination once, in order, by different ports; and the cost is what the star says.
void check_star(const StarHalf& half, const Star& star) {
  std::vector<bool> seen(half.size(), false);
  std::set<std::size_t> ports;
  for (const StarPath& path : star) {
    CHECK(ports.insert(path.port).second);
    CHECK(std::is_sorted(path.stops.begin(), path.stops.end()));
    for (const std::uint32_t stop : path.stops) {
      CHECK_FALSE(seen[stop]);
      seen[stop] = true;
    }
    if (!path.stops.empty()) CHECK(half.first(path.port, path.stops[0]) != StarHalf::no_leg);
  }
  CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
}

/// The Pareto front as (longest, traffic), shortest first.
std::vector<std::pair<std::int64_t, std::int64_t>> front(
    const std::set<std::pair<std::int64_t, std::int64_t>>& costs) {
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const auto& cost : costs)
    if (result.empty() || cost.second < result.back().second) result.push_back(cost);
  return result;
}

void check_half(Half& half) {
  const auto costs = all_costs(half.star);
  const std::int64_t traffic = least_traffic_of(costs);
  const StarCost best{costs.begin()->first, costs.begin()->second};
  const Star flow = least_traffic_flow(half.star);
  check_star(half.star, flow);
  CHECK(cost_of(half.star, flow).traffic == traffic);
  const AssignmentDuals duals = duals_of(half.star, flow);
  CHECK(duals.bound() == traffic);
  const SearchResult search = least_longest_search(half.star, 1u << 22);
  CHECK(search.exact);
  CHECK(search.best.cost == best);
  CHECK(cost_of(half.star, search.best.star) == best);
  check_star(half.star, search.best.star);
  if (!is_plane(half.star)) return;
  const PlaneHalf plane(half.star);
  const Star linear = least_traffic_plane(plane);
  check_star(half.star, linear);
  CHECK(cost_of(half.star, linear).traffic == traffic);
  const CostedStar balanced = balanced_plane(plane);
  check_star(half.star, balanced.star);
  CHECK(balanced.cost == best);
  CHECK(cost_of(half.star, balanced.star) == best);
  // Walk down the whole front.
  auto expected = front(costs);
  for (std::int64_t limit = costs.rbegin()->first;; --limit) {
    const auto star = least_traffic_within(plane, limit);
    if (!star) break;
    REQUIRE_FALSE(expected.empty());
    CHECK(star->cost == StarCost{expected.back().first, expected.back().second});
    CHECK(cost_of(half.star, star->star) == star->cost);
    limit = star->cost.longest;
    expected.pop_back();
  }
  CHECK(expected.empty());
}

constexpr FirstHop both_rules[] = {FirstHop::strict, FirstHop::free};

}  // namespace

TEST_CASE("2-D reference instances: dual, multi, fixed path, ocms and otms by both rules") {
  for (const json& line : reference("mesh.jsonl")) {
    const Case c = plane_case(line);
    CAPTURE(line.dump());
    const auto values = [&](std::string_view name, const PlanOptions& options = {},
                            std::string_view routing = "label") {
      const Plan plan = planned(*c.mesh, name, c.request, options, routing);
      return std::pair<std::uint64_t, std::uint64_t>(*plan.traffic_channels, *plan.longest_path_hops);
    };
    const auto stated = [&](const char* name) {
      return std::pair<std::uint64_t, std::uint64_t>(line[name]["traffic"], line[name]["max"]);
    };
    CHECK(values("dual-path") == stated("dual_path"));
    CHECK(values("multi-path") == stated("multi_path"));
    CHECK(values("fixed-path", {}, "hamiltonian-path") == stated("fixed_path"));
    for (const bool free : {false, true}) {
      const json& optima = free ? line["forced"] : line;
      const std::string rule = free ? "free" : "strict";
      CHECK(values("ocms", {{"first-hop", rule}}).first == optima["ocms"]);
      CHECK(values("otms", {{"first-hop", rule}}).second == optima["otms"]);
      const auto by_time = values("otms", {{"first-hop", rule}, {"tie", "traffic"}});
      CHECK(by_time.first == optima["otms_then_traffic"]);
      CHECK(by_time.second == optima["otms"]);
      const auto by_traffic = values("ocms", {{"first-hop", rule}, {"tie", "longest"}});
      CHECK(by_traffic.first == optima["ocms"]);
      CHECK(by_traffic.second == optima["ocms_then_max"]);
    }
  }
}

TEST_CASE("2-D reference instances: Pareto fronts of every half") {
  for (const json& line : reference("mesh.jsonl")) {
    const Case c = plane_case(line);
    CAPTURE(line.dump());
    for (const FirstHop rule : both_rules)
      for (const bool up : {true, false}) {
        const json& expected =
            (rule == FirstHop::free ? line["forced"]["fronts"] : line["fronts"])[up ? 0 : 1];
        Half half(*c.mesh, "label", c.request, up, rule);
        if (half.star.size() == 0) continue;
        const PlaneHalf plane(half.star);
        json found = json::array();
        std::int64_t limit = plane.chain(plane.single_first_leg);
        while (const auto star = least_traffic_within(plane, limit)) {
          found.insert(found.begin(), json{star->cost.longest, star->cost.traffic});
          limit = star->cost.longest - 1;
        }
        CHECK(found == expected);
      }
  }
}

TEST_CASE("2-D reference stars, half by half") {
  int checked = 0;
  for (const json& line : reference("mesh_stars.jsonl")) {
    const Case c = plane_case(line);
    for (const bool up : {true, false}) {
      if (!line["halves"].contains(up ? "up" : "down")) continue;
      const json& expected = line["halves"][up ? "up" : "down"];
      for (const FirstHop rule : both_rules) {
        Half half(*c.mesh, "label", c.request, up, rule);
        std::vector<std::uint32_t> labels;
        for (const HostId host : half.star.destinations())
          labels.push_back(c.mesh->label(NodeId{host.value}).value);
        CHECK(json(labels) == expected["labels"]);
        const json& optima = expected[rule == FirstHop::strict ? "strict" : "relaxed"];
        const PlaneHalf plane(half.star);
        CHECK(cost_of(half.star, least_traffic_plane(plane)).traffic == optima["ocms_sum"]);
        CHECK(balanced_plane(plane).cost.longest == optima["otms_max"]);
        ++checked;
      }
    }
  }
  CHECK(checked == 166);
}

TEST_CASE("more dimensions, tori and Hamiltonian graphs: every reference value") {
  for (const json& line : reference("mesh_nd.jsonl")) {
    CAPTURE(line.dump());
    std::unique_ptr<const Topology> topology;
    if (line["kind"] == "mesh") {
      topology = make("mesh", line["dims"].get<std::vector<std::uint64_t>>());
    } else {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
      if (line["kind"] == "adjacency") {
        for (const json& edge : line["edges"]) links.emplace_back(edge[0], edge[1]);
      } else {
        // These give the slowest dimension first.
        auto dims = line["dims"].get<std::vector<std::uint64_t>>();
        std::reverse(dims.begin(), dims.end());
        const auto mesh = make("mesh", dims);
        const Grid& grid = *mesh->grid();
        for (std::uint32_t node = 0; node < mesh->routers(); ++node)
          for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
            std::vector<std::uint32_t> next = grid.coordinates(NodeId{node});
            next[d] = (next[d] + 1) % grid.dims()[d];
            const auto link =
                std::minmax({mesh->label(NodeId{node}).value, mesh->label(grid.node(next)).value});
            if (link.first != link.second &&
                std::find(links.begin(), links.end(), std::pair<std::uint32_t, std::uint32_t>(link)) ==
                    links.end())
              links.emplace_back(link);
          }
      }
      topology = std::make_unique<LabelledGraph>(line["nodes"], links);
    }
    std::vector<std::uint32_t> destinations;
    for (const json& label : line["dest_labels"])
      destinations.push_back(topology->node_at(Label{label}).value);
    const Request request = request_of(topology->node_at(Label{line["source_label"]}).value, destinations);
    const Plan dual = planned(*topology, "dual-path", request);
    CHECK(dual.traffic_channels == line["dual_path_R"]["traffic"].get<std::uint64_t>());
    CHECK(dual.longest_path_hops == line["dual_path_R"]["max"].get<std::uint64_t>());
    for (const std::string routing : {"label", "label-shortest"})
      for (const std::string rule : {"strict", "free"}) {
        const json& optima =
            line[std::string(routing == "label" ? "R" : "best") + (rule == "strict" ? "_paper" : "_forced")];
        CAPTURE(routing);
        CAPTURE(rule);
        CHECK(planned(*topology, "ocms", request, {{"first-hop", rule}}, routing).traffic_channels ==
              optima["ocms"].get<std::uint64_t>());
        CHECK(planned(*topology, "otms", request, {{"first-hop", rule}}, routing).longest_path_hops ==
              optima["otms"].get<std::uint64_t>());
        CHECK(planned(*topology, "otms", request, {{"first-hop", rule}, {"tie", "traffic"}}, routing)
                  .traffic_channels == optima["otms_then_traffic"].get<std::uint64_t>());
        CHECK(planned(*topology, "ocms", request, {{"first-hop", rule}, {"tie", "longest"}}, routing)
                  .longest_path_hops == optima["ocms_then_max"].get<std::uint64_t>());
      }
  }
}

TEST_CASE("optima equal brute force on small 2-D meshes") {
  Dice dice(11);
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {1, 7}, {7, 1}, {2, 5}, {5, 2},
                                                      {3, 4}, {4, 3}, {5, 5}, {8, 3}, {6, 6}};
  for (const auto& dims : sizes) {
    const auto mesh = make("mesh", dims);
    for (int i = 0; i < 60; ++i) {
      const Request request = random_request(*mesh, 1 + dice.below(std::min(9u, mesh->hosts() - 1)), dice);
      CAPTURE(mesh->name());
      for (const FirstHop rule : both_rules)
        for (const bool up : {true, false}) {
          Half half(*mesh, "label", request, up, rule);
          if (half.star.size() > 0) check_half(half);
        }
    }
  }
}

TEST_CASE("optima equal brute force on graphs with up to four ports a half") {
  Dice dice(12);
  std::vector<std::unique_ptr<const Topology>> networks;
  networks.push_back(make("mesh", {2, 2, 2}));
  networks.push_back(make("mesh", {3, 2, 3}));
  networks.push_back(make("hypercube", {4}));
  networks.push_back(make("mesh", {3, 3}, {0, 1, 2, 7, 8, 3, 6, 5, 4}));
  for (int i = 0; i < 8; ++i) networks.push_back(random_labelled_graph(9, 3 + dice.below(9), dice));
  for (const auto& network : networks)
    for (int i = 0; i < 25; ++i) {
      const Request request =
          random_request(*network, 1 + dice.below(std::min(7u, network->hosts() - 1)), dice);
      CAPTURE(network->name());
      for (const std::string_view routing : {"label", "label-shortest"})
        for (const FirstHop rule : both_rules)
          for (const bool up : {true, false}) {
            Half half(*network, routing, request, up, rule);
            if (half.star.size() > 0 && half.star.ports().size() <= 4) check_half(half);
          }
    }
}

TEST_CASE("plane algorithms agree with the general ones on larger halves") {
  Dice dice(13);
  for (int i = 0; i < 40; ++i) {
    const auto mesh = make("mesh", {2 + dice.below(12), 2 + dice.below(12)});
    const Request request = random_request(*mesh, 1 + dice.below(std::min(30u, mesh->hosts() - 1)), dice);
    CAPTURE(mesh->name());
    for (const FirstHop rule : both_rules)
      for (const bool up : {true, false}) {
        Half half(*mesh, "label", request, up, rule);
        if (half.star.size() == 0) continue;
        const PlaneHalf plane(half.star);
        const Star flow = least_traffic_flow(half.star);
        CHECK(cost_of(half.star, least_traffic_plane(plane)).traffic == cost_of(half.star, flow).traffic);
        CHECK(duals_of(half.star, flow).bound() == cost_of(half.star, flow).traffic);
        CHECK(balanced_plane(plane).cost == least_longest_search(half.star, 1u << 24).best.cost);
      }
  }
}

TEST_CASE("the report's limits: multi-path can beat strict otms, never the free optimum") {
  const auto mesh = make("mesh", {4, 3});
  const Request request = request_of(2 + 4 * 2, {2 + 4, 3 + 4, 3, 0});
  CHECK(planned(*mesh, "otms", request).longest_path_hops == 6);
  CHECK(planned(*mesh, "multi-path", request).longest_path_hops == 4);
  CHECK(planned(*mesh, "otms", request, {{"first-hop", "free"}}).longest_path_hops == 4);
  Dice dice(14);
  for (int i = 0; i < 300; ++i) {
    const auto larger = make("mesh", {2 + dice.below(9), 2 + dice.below(9)});
    const Request any = random_request(*larger, 1 + dice.below(larger->hosts() - 1), dice);
    const Plan multi = planned(*larger, "multi-path", any);
    CHECK(planned(*larger, "ocms", any, {{"first-hop", "free"}}).traffic_channels <= multi.traffic_channels);
    CHECK(planned(*larger, "otms", any, {{"first-hop", "free"}}).longest_path_hops <=
          multi.longest_path_hops);
  }
}

TEST_CASE("means on 16x16 with 16 destinations are those of the literature check, within sampling error") {
  const auto mesh = make("mesh", {16, 16});
  Dice dice(15);
  constexpr int sets = 400;
  double fixed = 0, dual = 0, multi = 0, strict = 0, free = 0;
  double dual_max = 0, multi_max = 0, strict_max = 0, free_max = 0;
  for (int i = 0; i < sets; ++i) {
    const Request request = random_request(*mesh, 16, dice);
    const auto add = [&](std::string_view name, const PlanOptions& options, double* traffic,
                         double* longest) {
      const BoundPlanner bound(*find_planner(name), *mesh, options);
      const Plan plan = bound.plan(request);
      if (traffic != nullptr) *traffic += static_cast<double>(*plan.traffic_channels) / sets;
      if (longest != nullptr) *longest += static_cast<double>(*plan.longest_path_hops) / sets;
    };
    add("fixed-path", {}, &fixed, nullptr);
    add("dual-path", {}, &dual, &dual_max);
    add("multi-path", {}, &multi, &multi_max);
    add("ocms", {{"first-hop", "strict"}}, &strict, nullptr);
    add("ocms", {{"first-hop", "free"}}, &free, nullptr);
    add("otms", {{"first-hop", "strict"}}, nullptr, &strict_max);
    add("otms", {{"first-hop", "free"}}, nullptr, &free_max);
  }
  // Tolerances are four standard errors of these 400 sets, from the spread seen in larger samples.
  CHECK(fixed == doctest::Approx(229).epsilon(0.02));
  CHECK(dual == doctest::Approx(96.1).epsilon(0.03));
  CHECK(multi == doctest::Approx(82.7).epsilon(0.03));
  CHECK(strict == doctest::Approx(81.4).epsilon(0.03));
  CHECK(free == doctest::Approx(73.7).epsilon(0.03));
  CHECK(dual_max == doctest::Approx(74.3).epsilon(0.06));
  CHECK(multi_max == doctest::Approx(50.8).epsilon(0.06));
  CHECK(strict_max == doctest::Approx(49.4).epsilon(0.08));
  CHECK(free_max == doctest::Approx(32.9).epsilon(0.05));
}
