// Header flits: what each encoding takes, and what they do to times and verdicts.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "deadlock/checker/checker.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/header.hpp"
#include "multicast/planner.hpp"
#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::header_test {

using namespace testing;

namespace {

std::unique_ptr<const Topology> mesh(std::uint64_t width, std::uint64_t height) {
  return make("mesh", {width, height});
}

/// Two switches with 3 and 1 hosts and two links between them.
std::unique_ptr<const Topology> two_switches() {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 2;
  spec.graph.hosts = {0, 0, 0, 1};
  spec.graph.links.resize(2);
  for (GraphLink& link : spec.graph.links) link.ends = {0, 1};
  return build_topology(std::move(spec));
}

Plan planned(const Topology& network, std::string_view planner, const Request& request,
             const PlanOptions& options) {
  return BoundPlanner(*find_planner(planner), network, options).plan(request);
}

std::vector<std::uint32_t> headers(const Plan& plan) {
  std::vector<std::uint32_t> flits;
  for (const Worm& worm : plan.worms) flits.push_back(worm.header_flits.value());
  return flits;
}

std::vector<Cycle> arrivals(const Topology& network, const Plan& plan, const RouterModel& model, bool flit) {
  SimulationOptions options;
  options.model = model;
  const auto engine = flit ? make_flit_engine(network, options) : make_worm_engine(network, options);
  engine->push(expand(plan, *bind_routing(plan.routing, network)));
  engine->finish();
  return engine->poll()->arrival_cycles;
}

}  // namespace

TEST_CASE("header flits of each encoding") {
  const auto network = mesh(6, 5);  // 30 hosts: addresses of 5 bits
  const Request request = request_of(0, {3, 9, 28});
  using Flits = std::vector<std::uint32_t>;
  CHECK(headers(planned(*network, "dual-path", request,
                        {{"header-encoding", "address-list"}, {"flit-bits", "1"}})) == Flits{15});
  CHECK(headers(planned(*network, "dual-path", request,
                        {{"header-encoding", "address-list"}, {"flit-bits", "8"}})) == Flits{2});
  CHECK(headers(planned(*network, "dual-path", request, {{"header-encoding", "address-list"}})) == Flits{1});
  CHECK(headers(planned(*network, "dual-path", request,
                        {{"header-encoding", "bit-string"}, {"flit-bits", "7"}})) == Flits{5});
  // A router of the middle has four links and a host.
  CHECK(headers(planned(*network, "separate", request,
                        {{"header-encoding", "switch-ports"}, {"flit-bits", "1"}})) == Flits{10, 10, 10});
  const auto switches = two_switches();
  // One bit for the switch; three hosts and two links at the larger one.
  CHECK(headers(planned(*switches, "mpm-ssr", request_of(0, {1, 2, 3}),
                        {{"header-encoding", "own"}, {"flit-bits", "1"}})) == Flits{6, 6});
  CHECK(headers(planned(*switches, "opm", request_of(0, {1, 2, 3}),
                        {{"header-encoding", "own"}, {"flit-bits", "1"}})) == Flits{4});
  const Plan self =
      planned(*network, "otms", request_of(4, {4}), {{"header-encoding", "own"}, {"flit-bits", "2"}});
  CHECK(headers(self) == Flits{3});
  CHECK(planned(*network, "otms", request, {{"header-encoding", "none"}}).worms[0].header_flits ==
        std::nullopt);
}

TEST_CASE("header options that do not fit are refused") {
  const auto network = mesh(6, 5);
  const Request request = request_of(0, {3, 9, 28});
  CHECK_THROWS_AS(planned(*network, "dual-path", request, {{"flit-bits", "8"}}), InputError);
  CHECK_THROWS_AS(planned(*network, "dual-path", request, {{"header-encoding", "own"}, {"flit-bits", "-8"}}),
                  InputError);
  CHECK_THROWS_AS(
      planned(*network, "dual-path", request, {{"header-encoding", "own"}, {"flit-bits", "4294967296"}}),
      InputError);
  CHECK_THROWS_AS(planned(*network, "dual-path", request, {{"header-encoding", "list"}}), InputError);
  CHECK_THROWS_AS(planned(*network, "dual-path", request, {{"header-encoding", "switch-ports"}}), InputError);
  Plan plan = planned(*network, "dual-path", request, {{"header-encoding", "own"}});
  plan.worms[0].header_flits = 2;
  CHECK_THROWS_AS(expand(plan, *bind_routing(plan.routing, *network)), InputError);
}

TEST_CASE("a worm with a header arrives as one that is longer by it, in every engine") {
  for (const bool direct : {true, false}) {
    const auto network = direct ? mesh(6, 5) : two_switches();
    for (const Planner* planner : planners()) {
      if (planner->unsupported(*network)) continue;
      const Request request = request_of(0, {1, 2, 3});
      if (planner->name == "unicast") continue;
      CAPTURE(planner->name);
      Plan plan = planned(*network, planner->name, request, {{"header-encoding", "own"}, {"flit-bits", "1"}});
      for (Worm& worm : plan.worms) worm.header_flits = 7;  // the same for all: so a length can stand for it
      plan.options = {};
      Plan bare = plan;
      for (Worm& worm : bare.worms) worm.header_flits.reset();
      RouterModel with_header;
      with_header.header_flits = 7;
      RouterModel ignored;
      ignored.header_flits = 100;  // every worm says what its own is
      for (const bool flit : {true, false}) {
        const auto expected = arrivals(*network, bare, with_header, flit);
        CHECK(arrivals(*network, plan, ignored, flit) == expected);
        bare.request.length_flits += 7;
        CHECK(arrivals(*network, bare, RouterModel{}, flit) == expected);
        bare.request.length_flits -= 7;
      }
    }
  }
}

TEST_CASE("headers count for deadlocks") {
  const auto network = mesh(3, 3);
  const auto answer = [&](std::optional<std::uint32_t> header) {
    DeadlockChecker checker(*network, CheckOptions{});
    for (std::uint32_t source = 0; source < 9; ++source) {
      std::vector<std::uint32_t> all;
      for (std::uint32_t node = 0; node < 9; ++node)
        if (node != source) all.push_back(node);
      Request request = request_of(source, all);
      request.id = source;
      request.length_flits = 2;
      Plan plan = planned(*network, "xy-tree", request, {{"replication", "asynchronous"}});
      for (Worm& worm : plan.worms) worm.header_flits = header;
      checker.add(expand(plan, *bind_routing(plan.routing, *network)));
    }
    return checker.verdict().answer();
  };
  CHECK(answer(std::nullopt) == Answer::safe);
  CHECK(answer(60) == Answer::deadlock);
}

}  // namespace wormcast::header_test
