// Stars of up*/down* path worms: brute force over all orders, ports and numbers of worms; no deadlock.
// WORMCAST_LONG=1 takes 20,000 networks instead of 120.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "deadlock/checker/checker.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "multicast/verification/verify.hpp"
#include "routing/up_down.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::up_down_stars_test {

using namespace testing;

namespace {

std::uint64_t networks() { return few_or_many(120u, 20'000u); }

std::unique_ptr<const Topology> random_network(std::uint64_t seed, Dice& dice) {
  const std::uint64_t switches = 2 + dice.below(8);
  const std::uint64_t hosts = 1 + dice.below(3);
  TopologySpec spec = generate(
      *find_generator("irregular"),
      {{"switches", switches}, {"hosts", hosts}, {"ports", hosts + 2 + dice.below(3)}, {"seed", seed}});
  if (seed % 3 == 0 && !spec.graph.links.empty()) spec.graph.links.push_back(spec.graph.links.front());
  if (seed % 2 == 0) spec.root = dice.below(static_cast<std::uint32_t>(switches));
  return build_topology(std::move(spec));
}

struct Best {
  std::uint64_t worms_a_port = 0;
  std::pair<std::uint64_t, std::uint64_t> shortest;  ///< longest path, traffic
  std::uint64_t traffic = 0;
};

/// Every star there is, from the definition: worms of any stops in any order by any port, walked hop by
/// hop by the routing function; the fewest worms a port come first.
class EveryStar {
 public:
  EveryStar(const Topology& topology, const Request& request, bool free)
      : topology_(topology),
        routing_(bind_routing("up-down-path", topology)),
        source_(topology.router_of(request.source)),
        free_(free) {
    for (const HostId host : request.destinations)
      if (topology.router_of(host) != source_) left_.push_back(topology.router_of(host));
  }

  std::optional<Best> best() {
    if (left_.empty()) return std::nullopt;
    next_worm();
    return best_;
  }

 private:
  /// Hops to `to`, or nothing where a worm may not go on like that.
  std::optional<std::uint64_t> walk(NodeId& at, RoutingState& state, NodeId to) const {
    std::uint64_t hops = 0;
    try {
      for (; at != to; ++hops) {
        const RoutingStep step = routing_->next(at, state, to);
        at = step.to;
        state = step.state;
      }
    } catch (const InputError&) {
      return std::nullopt;
    }
    return hops;
  }

  void next_worm() {
    if (left_.empty()) return done();
    for (std::size_t i = 0; i < left_.size(); ++i)
      for (std::uint32_t p = 0; p < topology_.ports(); ++p) {
        if (!topology_.neighbour(source_, PortId{p})) continue;
        const NodeId to = left_[i];
        RoutingState state = routing_->first(source_, to, 0);
        const RoutingStep own = routing_->next(source_, state, to);
        const bool forced = own.channel != topology_.channel(source_, PortId{p});
        if (forced && !free_) continue;
        const RoutingStep step = forced ? routing_->forced(source_, PortId{p}, state, to) : own;
        NodeId at = step.to;
        state = step.state;
        if (const auto rest = walk(at, state, to)) extend(i, p, 1 + *rest, at, state);
      }
  }

  /// The present worm, by port `p`, stops at left_[i] after `length` hops.
  void extend(std::size_t i, std::uint32_t p, std::uint64_t length, NodeId at, RoutingState state) {
    const NodeId stop = left_[i];
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t j = 0; j < left_.size(); ++j) {
      if (left_[j] == stop) continue;  // one destination of a router at most
      NodeId here = at;
      RoutingState then = state;
      if (const auto hops = walk(here, then, left_[j])) extend(j, p, length + *hops, here, then);
    }
    ++used_[p];
    lengths_.push_back(length);
    next_worm();
    lengths_.pop_back();
    --used_[p];
    left_.insert(left_.begin() + static_cast<std::ptrdiff_t>(i), stop);
  }

  void done() {
    Best star;
    for (const auto& [port, worms] : used_) star.worms_a_port = std::max(star.worms_a_port, worms);
    for (const std::uint64_t length : lengths_) star.traffic += length;
    star.shortest = {*std::max_element(lengths_.begin(), lengths_.end()), star.traffic};
    if (!best_ || star.worms_a_port < best_->worms_a_port) best_ = star;
    if (star.worms_a_port > best_->worms_a_port) return;
    best_->shortest = std::min(best_->shortest, star.shortest);
    best_->traffic = std::min(best_->traffic, star.traffic);
  }

  const Topology& topology_;
  std::unique_ptr<const RoutingFunction> routing_;
  NodeId source_;
  bool free_;
  std::vector<NodeId> left_;
  std::map<std::uint32_t, std::uint64_t> used_;
  std::vector<std::uint64_t> lengths_;
  std::optional<Best> best_;
};

Plan planned(const Topology& topology, const char* name, const Request& request, const PlanOptions& options) {
  const BoundPlanner bound(*find_planner(name), topology, options);
  Plan plan = expand(bound.plan(request), bound.context().routing).plan;
  CHECK_FALSE(PlanVerifier(topology).check(plan));
  return plan;
}

}  // namespace

TEST_CASE("up*/down* stars equal brute force over all worms, orders and ports") {
  Dice dice(51);
  std::uint64_t several = 0;
  for (std::uint64_t seed = 1; seed <= networks(); ++seed) {
    const auto network = random_network(seed, dice);
    if (network->hosts() < 2) continue;
    const bool free = seed % 2 == 0;
    const std::uint32_t most = free ? 4 : 5;
    const Request request =
        random_request(*network, 1 + dice.below(std::min(most, network->hosts() - 1)), dice);
    CAPTURE(seed);
    CAPTURE(network->name());
    const auto best = EveryStar(*network, request, free).best();
    const PlanOptions options{{"first-hop", free ? "free" : "strict"}};
    const Plan ocms = planned(*network, "ocms-up-down", request, options);
    const Plan otms = planned(*network, "otms-up-down", request, options);
    if (!best) {
      CHECK(ocms.traffic_channels == 0);
      continue;
    }
    several += best->worms_a_port > 1 ? 1 : 0;
    CHECK(ocms.traffic_channels == best->traffic);
    CHECK(ocms.facts == PlanFacts{{"worms_a_port", best->worms_a_port}});
    CHECK(otms.longest_path_hops == best->shortest.first);
    CHECK(otms.traffic_channels == best->shortest.second);
    CHECK(otms.facts == ocms.facts);  // no bound: proven
    const Plan together = planned(*network, "ocms-up-down", request,
                                  {{"first-hop", free ? "free" : "strict"}, {"same-router", "together"}});
    CHECK(together.traffic_channels <= ocms.traffic_channels);
  }
  CHECK(several > 0);
}

TEST_CASE("up*/down* stars are proved free of deadlock on irregular networks, whatever the multicasts") {
  Dice dice(52);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto network = random_network(seed, dice);
    if (network->hosts() < 2) continue;
    CAPTURE(network->name());
    for (const char* rule : {"strict", "free"}) {
      const BoundPlanner bound(*find_planner("ocms-up-down"), *network, {{"first-hop", rule}});
      CHECK(check_all_multicasts(bound, nullptr, {}).answer() == Answer::safe);
    }
  }
}

TEST_CASE("after a delivery a worm that goes up would be refused") {
  // A line 0 - 1 - 2 with its root at 0: from 2 to a host of 1, then of 0, is upwards again.
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 3;
  spec.graph.hosts = {0, 1, 2};
  for (const std::uint32_t r : {0u, 1u}) {
    GraphLink link;
    link.ends = {r, r + 1};
    spec.graph.links.push_back(link);
  }
  const auto line = build_topology(std::move(spec));
  const auto path = bind_routing("up-down-path", *line);
  const auto plain = bind_routing("up-down", *line);
  for (const RoutingFunction* routing : {path.get(), plain.get()}) {
    const RoutingStep step = routing->next(NodeId{2}, routing->first(NodeId{2}, NodeId{1}, 0), NodeId{1});
    CHECK(step.to == NodeId{1});
    if (routing == plain.get())
      CHECK(routing->next(NodeId{1}, step.state, NodeId{0}).to == NodeId{0});
    else
      CHECK_THROWS_AS(routing->next(NodeId{1}, step.state, NodeId{0}), InputError);
  }
}

}  // namespace wormcast::up_down_stars_test
