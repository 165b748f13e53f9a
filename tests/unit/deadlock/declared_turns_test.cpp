// Turns that a planner declares against all that routers choose: none may be missing.
// SPDX-License-Identifier: MIT
#include "deadlock/worms/declared_turns.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <utility>

#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "topology/topology.hpp"

namespace wormcast::declared_turns_test {

namespace {

using Turn = std::pair<ChannelId, ChannelId>;

/// Passes on what it takes, but for one turn.
class AllButOne final : public LegSink {
 public:
  AllButOne(LegSink& rest, std::optional<Turn> left_out) : rest_(rest), left_out_(left_out) {}

  void leg(const Leg& leg) override { rest_.leg(leg); }
  void part_of(const Worm& worm) override { rest_.part_of(worm); }
  void start(HostId source, const Output& first) override { rest_.start(source, first); }
  void turn(const Output& before, const Output& next) override {
    const Turn turn(before.channel, next.channel);
    if (!before.host && !next.host) turns.insert(turn);
    if (before.host || next.host || turn != left_out_) rest_.turn(before, next);
  }
  void split(const Output& one, const Output& other, Copies replication) override {
    rest_.split(one, other, replication);
  }

  std::set<Turn> turns;

 private:
  LegSink& rest_;
  std::optional<Turn> left_out_;
};

std::optional<Turn> left_out;
std::set<Turn> declared;

void legs_but_one(const PlanningContext& context, LegSink& sink) {
  AllButOne some(sink, left_out);
  find_planner("ocms-up-down")->legs(context, some);
  declared = some.turns;
}

}  // namespace

TEST_CASE("declared turns: on a triangle each is one that a plan can make a worm take by its first port") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 3;
  spec.graph.hosts = {0, 1, 2};
  spec.graph.links.resize(3);
  spec.graph.links[0].ends = {0, 1};
  spec.graph.links[1].ends = {0, 2};
  spec.graph.links[2].ends = {1, 2};
  const auto triangle = build_topology(std::move(spec));
  Planner planner = *find_planner("ocms-up-down");
  planner.legs = legs_but_one;
  const BoundPlanner bound(planner, *triangle, {}, "up-down-path-adaptive");
  left_out.reset();
  CHECK(turns_cover_choices(bound, nullptr));
  const std::set<Turn> all = declared;
  int taken = 0;
  for (const Turn& turn : all) {
    const NodeId from = triangle->ends(turn.first)->from, to = triangle->ends(turn.second)->to;
    if (from == to) continue;  // no worm goes back to where it came from
    INFO("router ", from.value, " to ", to.value);
    left_out = turn;
    CHECK_FALSE(turns_cover_choices(bound, nullptr));
    ++taken;
  }
  left_out.reset();
  CHECK(taken == 4);
}

}  // namespace wormcast::declared_turns_test
