// The reference multicasts on cube-connected cycles (tests/reference/ccc.jsonl), for several tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "multicast/expansion/expand.hpp"
#include "multicast/measures.hpp"
#include "multicast/planner.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::testing {

/// One reference multicast: the network, the request, and what it is expected to become.
struct CccCase {
  std::uint32_t n = 0;
  std::unique_ptr<const Topology> network;
  Request request;
  nlohmann::json expected;

  std::uint32_t node(const nlohmann::json& pair) const {
    return pair.at(1).get<std::uint32_t>() * n + pair.at(0).get<std::uint32_t>();
  }
};

/// `source_dir`: the project, as the build tells the tests that read files.
inline std::vector<CccCase> ccc_cases(const std::string& source_dir) {
  std::ifstream file(source_dir + "/tests/reference/ccc.jsonl");
  std::vector<CccCase> cases;
  for (std::string line; std::getline(file, line);) {
    CccCase one;
    one.expected = nlohmann::json::parse(line);
    one.n = one.expected.at("n").get<std::uint32_t>();
    one.network = make("ccc", {one.n});
    std::vector<std::uint32_t> destinations;
    for (const auto& pair : one.expected.at("dests")) destinations.push_back(one.node(pair));
    one.request = request_of(one.node(one.expected.at("source")), destinations);
    cases.push_back(std::move(one));
  }
  REQUIRE(cases.size() == 34);
  return cases;
}

/// Routes of a request on a CCC by u-ccc in that order.
inline Routes u_ccc_routes(const Topology& network, const Request& request,
                           const std::string& order = "paper") {
  const BoundPlanner planner(*find_planner("u-ccc"), network, {{"order", order}});
  return expand(planner.plan(request), planner.context().routing);
}

}  // namespace wormcast::testing
