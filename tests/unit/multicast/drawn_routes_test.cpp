// Ways drawn for worms: uniform, and the same whatever else is planned, in whatever order.
// SPDX-License-Identifier: MIT
#include "multicast/expansion/expand.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::drawn_routes_test {

using namespace testing;

namespace {

Request request(std::uint64_t id, std::uint32_t source, const std::vector<std::uint32_t>& to) {
  Request result;
  result.id = id;
  result.source = HostId{source};
  for (const std::uint32_t host : to) result.destinations.push_back(HostId{host});
  return result;
}

std::vector<std::uint32_t> classes(const Plan& plan) {
  std::vector<std::uint32_t> all;
  for (const Worm& worm : plan.worms) all.push_back(worm.vc_class);
  return all;
}

}  // namespace

TEST_CASE("a multicast has the ways that its id and its worms' places give, alone or among others") {
  const auto mesh = make("mesh", {4, 4});
  const BoundPlanner planner(*find_planner("separate"), *mesh, {}, "valiant");
  std::vector<std::vector<std::uint32_t>> forwards, backwards;
  for (std::uint64_t id = 0; id < 50; ++id)
    forwards.push_back(classes(planner.plan(request(id, 0, {3, 5, 9}))));
  for (std::uint64_t id = 50; id-- > 0;)
    backwards.insert(
        backwards.begin(),
        classes(
            BoundPlanner(*find_planner("separate"), *mesh, {}, "valiant").plan(request(id, 0, {3, 5, 9}))));
  CHECK(forwards == backwards);
  const BoundPlanner other(*find_planner("separate"), *mesh, {{"routing-seed", "2"}}, "valiant");
  CHECK(classes(other.plan(request(0, 0, {3, 5, 9, 12, 14}))) !=
        classes(planner.plan(request(0, 0, {3, 5, 9, 12, 14}))));
}

TEST_CASE("every way is drawn as often as another") {
  const auto mesh = make("mesh", {3, 3});
  for (const auto& [routing, ways] :
       std::map<std::string, std::size_t>{{"valiant", 9}, {"romm", 6}, {"o1turn", 2}}) {
    const auto& name = routing;  // what is captured may be no structured binding
    CAPTURE(name);
    const BoundPlanner planner(*find_planner("unicast"), *mesh, {}, routing);
    std::map<std::uint32_t, int> times;
    for (std::uint64_t id = 0; id < 18000; ++id) ++times[planner.plan(request(id, 0, {5})).worms[0].vc_class];
    CHECK(times.size() == ways);
    for (const auto& [drawn, count] : times) {
      CHECK(count > 0.9 * 18000 / static_cast<double>(ways));
      CHECK(count < 1.1 * 18000 / static_cast<double>(ways));
    }
  }
}

TEST_CASE("plans with drawn ways state what their routes have, and those asked for are taken or refused") {
  const auto mesh = make("mesh", {4, 4});
  for (const char* routing : {"valiant", "romm", "o1turn"}) {
    const BoundPlanner planner(*find_planner("binomial"), *mesh, {}, routing);
    for (std::uint64_t id = 0; id < 40; ++id) {
      const Plan plan = planner.plan(request(id, 5, {0, 3, 6, 12, 15}));
      CHECK_NOTHROW(expand(plan, planner.context().routing));  // which holds the measures against the routes
      CHECK(classes(planner.plan(request(id + 100, 5, {0, 3, 6, 12, 15}), classes(plan))) == classes(plan));
    }
  }
  const BoundPlanner romm(*find_planner("separate"), *mesh, {}, "romm");
  CHECK(romm.plan(request(0, 0, {5}), {4}).worms[0].vc_class == 4);
  CHECK_THROWS_AS(romm.plan(request(0, 0, {5}), {2}), InputError);
  CHECK_THROWS_AS(romm.plan(request(0, 0, {5}), {4, 4}), InputError);
  CHECK(romm.plan(request(0, 0, {0})).worms[0].vc_class == 0);
  const BoundPlanner xy(*find_planner("separate"), *mesh, {}, "dimension-order");
  CHECK_THROWS_AS(xy.plan(request(0, 0, {5}), {0}), InputError);
  CHECK_THROWS_AS(BoundPlanner(*find_planner("separate"), *mesh, {{"routing-seed", "1"}}, "dimension-order"),
                  InputError);
  for (const char* seed : {"", "x", "-1", "9007199254740992", "1.5"})
    CHECK_THROWS_AS(routing_seed(seed), InputError);
}

}  // namespace wormcast::drawn_routes_test
