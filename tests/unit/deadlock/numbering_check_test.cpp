// The linear check of numberings against the rules pair by pair.
// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "checks/numbering_check.hpp"
#include "checks/plain_worm.hpp"
#include "unit/deadlock/hand_made.hpp"

namespace wormcast::numbering_check_test {

namespace {

/// All that is waited for together with a resource, by following pairs until nothing is new.
std::set<ResourceId> together_with(ResourceId resource, const std::vector<PlainWorm>& worms) {
  std::set<ResourceId> result{resource};
  for (bool more = true; more;) {
    more = false;
    for (const PlainWorm& worm : worms)
      for (std::size_t p = 1; p < worm.positions(); ++p)
        for (std::size_t q = 1; q < worm.positions(); ++q)
          if (p != q && worm.asked_for_together(p, q) && result.count(worm.resources(p).front()) != 0)
            more = result.insert(worm.resources(q).front()).second || more;
  }
  return result;
}

/// Every pair of positions, every resource that is waited for together with the one wanted.
bool holds_pair_by_pair(const std::vector<PlainWorm>& worms, const PlainWorm& worm,
                        const std::map<ResourceId, std::size_t>& number) {
  for (std::size_t wanted = 1; wanted < worm.positions(); ++wanted)
    for (std::size_t held = 0; held < worm.positions(); ++held) {
      if (!worm.can_hold_and_wait(held, wanted)) continue;
      for (const ResourceId from : worm.resources(held))
        for (const ResourceId to : together_with(worm.resources(wanted).front(), worms))
          if (number.at(from) >= number.at(to)) return false;
    }
  return true;
}

RouterModel random_model(Random& random) {
  RouterModel model;
  model.injection_channels = static_cast<std::uint32_t>(random.below(2));
  model.consumption_channels = static_cast<std::uint32_t>(random.below(2));
  model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
  model.allocation = random.below(2) == 0 ? Allocation::atomic : Allocation::incremental;
  model.cut_through = random.below(5) == 0;
  return model;
}

/// Hops in their order, with a few swaps: often right for one worm, seldom for all.
std::vector<ResourceId> random_numbering(Random& random, const std::vector<PlainWorm>& worms) {
  std::vector<ResourceId> numbering;
  std::set<ResourceId> seen;
  for (const PlainWorm& worm : worms)
    for (std::size_t p = 0; p < worm.positions(); ++p)
      for (const ResourceId resource : worm.resources(p))
        if (seen.insert(resource).second) numbering.push_back(resource);
  for (std::uint64_t swaps = random.below(3); swaps-- > 0;)
    std::swap(numbering[random.below(numbering.size())], numbering[random.below(numbering.size())]);
  return numbering;
}

}  // namespace

TEST_CASE("numberings: the linear check says the same as all pairs") {
  const RandomStreams streams(31, "numberings");
  int held = 0, refused = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({3, 3});
    const RouterModel model = random_model(random);
    const std::uint64_t flits = random.between(1, 6);
    std::vector<WormRoute> routes;
    for (std::uint64_t w = random.between(1, 2); w-- > 0;) {
      const auto hops = static_cast<std::uint32_t>(random.between(2, 6));
      const auto replication = random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step;
      routes.push_back(random.below(3) == 0 ? hand_made::random_path(random, *topology, hops)
                                            : hand_made::random_tree(random, *topology, hops, replication));
    }
    std::vector<PlainWorm> worms;
    for (const WormRoute& route : routes) worms.emplace_back(*topology, model, route, flits);
    const std::vector<ResourceId> numbering = random_numbering(random, worms);
    std::map<ResourceId, std::size_t> number;
    for (const ResourceId resource : numbering) number.emplace(resource, number.size());
    NumberingCheck check(*topology, model, numbering);
    REQUIRE(check.fault().empty());
    for (const WormRoute& route : routes) check.ask_together(route, flits);
    INFO("set ", i);
    for (std::size_t w = 0; w < routes.size(); ++w) {
      const bool holds = holds_pair_by_pair(worms, worms[w], number);
      CHECK(check.refuse(routes[w], flits).empty() == holds);
      (holds ? held : refused) += 1;
    }
  }
  CHECK(held > 500);
  CHECK(refused > 500);
}

TEST_CASE("numberings: a resource without a number, or with two, is named") {
  const auto topology = hand_made::mesh({3, 1});
  const WormRoute route = hand_made::path(*topology, {0, 1, 2});
  const Resources resources(*topology, {});
  const ResourceId first = resources.network(hand_made::channel(*topology, 0, 1), 0);
  CHECK(NumberingCheck(*topology, {}, {first, first}).fault() == "channel 0→1 is numbered twice");
  CHECK(NumberingCheck(*topology, {}, {first}).refuse(route, 1) == "channel 1→2 has no number");
}

}  // namespace wormcast::numbering_check_test
