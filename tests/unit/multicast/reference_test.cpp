// Optimal stars against every reference instance, all variants.
// SPDX-License-Identifier: MIT
#include "unit/multicast/star_cases.hpp"
#include "unit/source_dir.hpp"

namespace wormcast::multicast_reference_test {

using namespace testing;

namespace {

std::vector<json> reference(const std::string& name) {
  std::ifstream file(testing::source_dir() + "/tests/reference/" + name);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  REQUIRE_FALSE(lines.empty());
  return lines;
}

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
      CHECK(values("ocms", {{"first-hop", rule}, {"edge-disjoint", "yes"}}).first == optima["ed_ocms"]);
      CHECK(values("otms", {{"first-hop", rule}, {"edge-disjoint", "yes"}}).second == optima["ed_otms"]);
      if (free) continue;
      CHECK(values("ocms", {{"tie", "longest"}, {"edge-disjoint", "yes"}}) ==
            std::pair<std::uint64_t, std::uint64_t>(optima["ed_ocms"], optima["ed_ocms_then_max"]));
      CHECK(values("otms", {{"tie", "traffic"}, {"edge-disjoint", "yes"}}) ==
            std::pair<std::uint64_t, std::uint64_t>(optima["ed_otms_then_traffic"], optima["ed_otms"]));
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
        CHECK(disjoint_pair(half.star, Goal::traffic_first, INT64_MAX, single_path(half.star), 0)
                  .cost.traffic == optima["edge_disjoint_sum"]);
        CHECK(disjoint_pair(half.star, Goal::longest_first, INT64_MAX, single_path(half.star), 0)
                  .cost.longest == optima["edge_disjoint_max"]);
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
        CHECK(planned(*topology, "ocms", request, {{"first-hop", rule}, {"edge-disjoint", "yes"}}, routing)
                  .traffic_channels == optima["ed_ocms"].get<std::uint64_t>());
        CHECK(planned(*topology, "otms", request, {{"first-hop", rule}, {"edge-disjoint", "yes"}}, routing)
                  .longest_path_hops == optima["ed_otms"].get<std::uint64_t>());
      }
  }
}

}  // namespace wormcast::multicast_reference_test
