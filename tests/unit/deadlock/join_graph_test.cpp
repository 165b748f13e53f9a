// Orders of what reductions wait for: what they prove, runs that would refute them, and forged ones.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checks/join_order_check.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "multicast/planner.hpp"
#include "multicast/routes.hpp"
#include "proofs/runs.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"
#include "unit/networks.hpp"

namespace wormcast {
namespace {

Routes planned(const Topology& topology, const char* planner, const char* routing, Request request) {
  const BoundPlanner bound(*find_planner(planner), topology, {}, routing);
  return expand(bound.plan(std::move(request)), *bind_routing(bound.routing_name(), topology));
}

Routes reduction(const Topology& topology, std::uint64_t id, std::uint32_t root,
                 const std::vector<std::uint32_t>& sources, std::uint64_t flits = 1) {
  Request request;
  request.id = id;
  request.source = HostId{root};
  for (const std::uint32_t source : sources) request.destinations.push_back(HostId{source});
  request.start_cycles.assign(sources.size(), 0);
  request.length_flits = flits;
  return planned(topology, "xy-tree", "yx", std::move(request));
}

RouterModel joins_by_flit() {
  RouterModel model;
  model.buffer_flits = 2;
  model.injection_channels = model.consumption_channels = 1;
  model.vc_reuse = VcReuse::early;
  model.copies = Copies::per_flit;
  model.output_arbitration = OutputArbitration::round_robin;
  return model;
}

TEST_CASE("join graph: reductions that meet in two routers in opposite order wait for each other") {
  const auto mesh = testing::make("mesh", {4, 4});
  // Without a sender in common.
  const std::vector<Routes> crossing = {reduction(*mesh, 0, 11, {2, 10}), reduction(*mesh, 1, 3, {0, 8})};
  for (const RouterModel& model : {joins_by_flit(), RouterModel{}}) {
    const JoinedWorms worms(*mesh, model, crossing);
    JoinOrder found = order_joins(worms);
    CHECK(worms.lack.empty());
    CHECK(found.order.empty());
    REQUIRE(found.cycle.size() == 2);
    CHECK(refuse_join_cycle(worms, found.cycle).empty());
    std::swap(found.cycle[0].cause, found.cycle[1].cause);
    CHECK(refuse_join_cycle(worms, found.cycle) == "dependency_cycle[0]: no worm holds and waits so");
    CHECK(refuse_join_cycle(worms, {}) == "dependency_cycle: it is missing");
    CHECK(JoinRuns(*mesh, model).search(crossing));
  }
}

TEST_CASE("join graph: an order is refused where it is forged") {
  const auto mesh = testing::make("mesh", {4, 4});
  const std::vector<Routes> same = {reduction(*mesh, 0, 0, {1, 2, 3}), reduction(*mesh, 7, 0, {2, 3})};
  for (const RouterModel& model : {joins_by_flit(), RouterModel{}}) {
    if (model.copies == Copies::per_flit)
      CHECK_THROWS_AS(JoinedWorms(*mesh, model, same), InputError);  // no mask
    const std::vector<Routes> messages = {reduction(*mesh, 0, 0, {1, 3}), reduction(*mesh, 7, 0, {2, 3})};
    const JoinedWorms worms(*mesh, model, messages);
    const JoinOrder found = order_joins(worms);
    CHECK(found.cycle.empty());
    REQUIRE(found.order.size() >= 4);
    CHECK(refuse_join_order(worms, found.order).empty());
    std::vector<WormCause> forged(found.order.rbegin(), found.order.rend());
    CHECK(refuse_join_order(worms, forged).find("waits for what is held in an earlier place") !=
          std::string::npos);
    forged = found.order;
    forged.pop_back();
    CHECK(refuse_join_order(worms, forged).find("or in one that is left out") != std::string::npos);
    forged = found.order;
    forged.push_back(forged.front());
    CHECK(refuse_join_order(worms, forged).find("no such place, or again") != std::string::npos);
    forged.back() = {9, 0, 0};
    CHECK(refuse_join_order(worms, forged).find("no such place, or again") != std::string::npos);
  }
}

TEST_CASE("join graph: what it says nothing of where flits are joined") {
  const auto mesh = testing::make("mesh", {4, 4});
  const auto lack = [&](std::vector<Routes> messages) {
    return JoinedWorms(*mesh, joins_by_flit(), messages).lack;
  };
  CHECK(lack({reduction(*mesh, 0, 11, {9, 13}), reduction(*mesh, 1, 11, {9, 13})}).empty());
  CHECK(lack({reduction(*mesh, 0, 11, {9, 13}), reduction(*mesh, 1, 11, {8, 12})}).find("other sources") !=
        std::string::npos);
  CHECK(lack({reduction(*mesh, 0, 0, {1, 5}, 2), reduction(*mesh, 1, 3, {7, 15}, 2)}).empty());
  CHECK(lack({reduction(*mesh, 0, 0, {1, 5}, 2), reduction(*mesh, 1, 0, {4, 12}, 1)}).find("several flits") !=
        std::string::npos);  // only the root in common
  const std::vector<Routes> twins = {reduction(*mesh, 3, 11, {9, 13}), reduction(*mesh, 8, 11, {9, 13})};
  const JoinedWorms alike(*mesh, joins_by_flit(), twins);
  CHECK(alike.mistakable == std::vector<std::vector<std::uint64_t>>{{3, 8}});
}

Routes worm(const Topology& topology, std::uint64_t id, std::uint32_t from,
            const std::vector<std::uint32_t>& to, const char* routing = "dimension-order") {
  Request request;
  request.id = id;
  request.source = HostId{from};
  for (const std::uint32_t host : to) request.destinations.push_back(HostId{host});
  request.length_flits = 1;
  return planned(topology, "xy-tree", routing, std::move(request));
}

/// Whether an order proves the messages safe that leaves out what reductions wait for beside their way.
bool safe_apart(const Topology& topology, const std::vector<Routes>& messages) {
  const JoinedWorms worms(topology, joins_by_flit(), messages);
  const JoinOrder found = order_joins(worms, true);
  return worms.lack.empty() && found.cycle.empty() && refuse_join_order(worms, found.order).empty();
}

TEST_CASE(
    "join graph: what a reduction of one flit waits for beside its way can be left out where nothing comes "
    "back") {
  const auto mesh = testing::make("mesh", {4, 4});
  // Where 9 and 11 meet, each waits for the other behind a unicast that waits for it.
  const std::vector<Routes> crossed = {reduction(*mesh, 0, 10, {9, 11}), worm(*mesh, 1, 9, {14}),
                                       worm(*mesh, 2, 11, {6})};
  CHECK(safe_apart(*mesh, crossed));
  CHECK_FALSE(safe_apart(*mesh, {reduction(*mesh, 0, 11, {2, 10}), reduction(*mesh, 1, 3, {0, 8})}));
  // A part that waits for a unicast to come to its node.
  std::vector<Routes> waits = {worm(*mesh, 3, 8, {11}), crossed[0], crossed[1], crossed[2]};
  CHECK(safe_apart(*mesh, waits));
  waits[1].plan.request.depends_on = {3};
  CHECK_FALSE(safe_apart(*mesh, waits));

  const auto small = testing::make("mesh", {3, 3});
  Random random(7);
  int proved = 0, safe_before = 0, left = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint32_t> sources;
    const std::uint64_t mask = 1 + 2 * random.below(2), corner = random.below(2) * 3;
    for (std::uint32_t host = 0; host < 4; ++host)
      if ((host & ~mask) == 0)
        sources.push_back(
            static_cast<std::uint32_t>((host & 1) + 3 * (host >> 1) + (mask == 1 ? corner : 0)));
    std::vector<Routes> messages = {
        reduction(*small, 0, static_cast<std::uint32_t>(random.below(9)), sources)};
    const std::uint64_t many = 4 + random.below(3);
    const bool mixed = random.below(2) == 0;
    for (std::uint64_t id = 1; id <= many; ++id) {
      const std::uint32_t from = sources[random.below(sources.size())];
      std::vector<std::uint32_t> to;
      for (std::uint32_t host = 0; host < 9; ++host)
        if (host != from && random.below(8) == 0) to.push_back(host);
      if (to.empty()) to.push_back(8 - from == from ? 0 : 8 - from);
      messages.push_back(
          worm(*small, id, from, to, mixed && random.below(2) == 0 ? "yx" : "dimension-order"));
    }
    const JoinedWorms worms(*small, joins_by_flit(), messages);
    if (order_joins(worms).cycle.empty()) {
      ++safe_before;
      continue;
    }
    const bool safe = safe_apart(*small, messages);
    const JoinExploration all = explore_joins(*small, joins_by_flit(), messages, 8'000, {});
    CHECK_FALSE((safe && all.deadlock));
    ++(safe ? proved : left);
  }
  MESSAGE(proved << " proved, " << safe_before << " without, " << left << " others");
  CHECK(proved > 20);
  CHECK(left > 4);
}

/// What drawn sets come to: the graph's word, and whether a run stands still.
struct Tally {
  int safe = 0, stood = 0, open = 0;
};

void draw(const Topology& mesh, const RouterModel& model, Random& random, const char* planner, Tally& tally) {
  std::vector<Routes> messages;
  const std::uint64_t many = 2 + random.below(3);
  for (std::uint64_t id = 0; id < many; ++id) {
    Request request;
    request.id = id;
    request.source = HostId{static_cast<std::uint32_t>(random.below(mesh.hosts()))};
    for (std::uint32_t host = 0; host < mesh.hosts(); ++host)
      if (HostId{host} != request.source && random.below(3) == 0)
        request.destinations.push_back(HostId{host});
    if (request.destinations.empty()) continue;
    request.length_flits = 1 + random.below(12);
    if (random.below(3) != 0) request.start_cycles.assign(request.destinations.size(), 0);
    // Of those before it one that comes to where it starts.
    for (const Routes& routes : messages) {
      const Request& earlier = routes.plan.request;
      const std::vector<HostId> starts =
          request.reduces() ? request.destinations : std::vector<HostId>{request.source};
      for (const HostId host : earlier.receivers())
        if (std::count(starts.begin(), starts.end(), host) != 0 && random.below(8) == 0)
          request.depends_on = {earlier.id};
    }
    const char* const routing = std::string(planner) == "u-mesh" ? ""
                                : random.below(2) == 0           ? "yx"
                                                                 : "dimension-order";
    messages.push_back(planned(mesh, planner, routing, std::move(request)));
  }
  if (messages.empty()) return;
  const JoinedWorms worms(mesh, model, messages);
  const JoinOrder found = order_joins(worms);
  if (found.cycle.empty()) {
    CHECK(refuse_join_order(worms, found.order) == "");
  } else {
    CHECK(refuse_join_cycle(worms, found.cycle) == "");
  }
  const bool stood = JoinRuns(mesh, model).search(messages);
  CHECK_FALSE((stood && found.cycle.empty()));
  ++(stood ? tally.stood : found.cycle.empty() ? tally.safe : tally.open);
}

TEST_CASE("join graph: without a cycle no run of drawn sets stands still, where routers join by request") {
  const auto mesh = testing::make("mesh", {3, 3});
  Random random(5);
  for (const char* planner : {"xy-tree", "u-mesh", "separate"}) {
    Tally tally;
    for (int round = 0; round < 40; ++round) {
      RouterModel model;
      model.buffer_flits = static_cast<std::uint32_t>(1 + random.below(4));
      model.injection_channels = static_cast<std::uint32_t>(random.below(2));
      model.consumption_channels = static_cast<std::uint32_t>(random.below(2));
      model.vc_reuse = random.below(2) == 0 ? VcReuse::early : VcReuse::drained;
      draw(*mesh, model, random, planner, tally);
    }
    CAPTURE(planner);
    CHECK(tally.safe >= 5);
    if (std::string(planner) == "xy-tree") CHECK(tally.stood >= 5);
  }
}

}  // namespace
}  // namespace wormcast
