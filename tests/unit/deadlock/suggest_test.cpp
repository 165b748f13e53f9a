// Suggested changes: what they do to routes, and that the changed routes run.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest.hpp"
#include "checks/witness_runs.hpp"
#include "deadlock/checker/checker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "unit/deadlock/flit_oracle.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::suggest_test {

namespace {

std::vector<Routes> random_set(Random& random, const Topology& topology) {
  std::vector<Routes> all;
  for (std::uint64_t m = 0; m < 6; ++m) {
    const auto replication = random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step;
    WormRoute worm = random.below(3) != 0 ? hand_made::random_path(random, topology, 6)
                                          : hand_made::random_tree(random, topology, 5, replication);
    all.push_back(hand_made::multicast(m, {std::move(worm)}, random.between(1, 40)));
  }
  return all;
}

/// (destination, times) of a multicast, and its channels with multiplicity.
std::pair<std::map<std::uint32_t, int>, std::map<std::uint32_t, int>> what_it_does(const Routes& routes) {
  std::pair<std::map<std::uint32_t, int>, std::map<std::uint32_t, int>> result;
  for (const WormRoute& worm : routes.worms)
    for (const RouteHop& hop : worm.hops) {
      if (hop.kind == RouteHop::Kind::deliver) ++result.first[hop.target];
      if (hop.is_channel()) ++result.second[hop.target];
    }
  return result;
}

Outcome run(const Topology& topology, const RouterModel& model, std::vector<Routes> all, Random& random) {
  for (Routes& routes : all) routes.plan.request.start_cycle = random.below(6);
  std::stable_sort(all.begin(), all.end(), [](const Routes& a, const Routes& b) {
    return a.plan.request.start_cycle < b.plan.request.start_cycle;
  });
  return hand_made::simulate(topology, model, all).outcome;
}

bool safe(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& all) {
  return hand_made::verdict_of(topology, options, all).answer() == Answer::safe;
}

}  // namespace

TEST_CASE(
    "worms cut at their stops do the same, and never deadlock where unicasts of one turn class do not") {
  const RandomStreams streams(61, "split");
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({3, 3});
    const std::vector<Routes> before = random_set(random, *topology);
    const auto after = split_at_stops(*topology, before);
    if (!after) continue;
    INFO("set ", i);
    for (std::size_t m = 0; m < before.size(); ++m) {
      CHECK(what_it_does(before[m]) == what_it_does((*after)[m]));
      for (const WormRoute& worm : (*after)[m].worms) {
        CHECK(worm.is_path());
        CHECK(std::count_if(worm.hops.begin(), worm.hops.end(),
                            [](const RouteHop& hop) { return !hop.is_channel(); }) == 1);
      }
    }
    if (safe(*topology, {}, *after)) CHECK(run(*topology, {}, *after, random) == Outcome::complete);
  }
}

TEST_CASE("virtual channels by dateline and by class make path worms safe") {
  const RandomStreams streams(62, "virtual channels");
  int fewer_by_class = 0, fewer_by_dateline = 0, layered = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({3, 3});
    std::vector<Routes> paths;
    for (std::uint64_t m = 0; m < 12; ++m)
      paths.push_back(hand_made::multicast(m, {hand_made::random_path(random, *topology, 6)}, 50));
    if (safe(*topology, {}, paths)) continue;
    INFO("set ", i);
    const auto datelines = channels_by_dateline(*topology, {}, paths);
    const auto classes = channels_by_class(*topology, {}, paths);
    REQUIRE(datelines.has_value());
    REQUIRE(classes.has_value());
    CHECK(safe(*topology, {}, datelines->routes));
    CHECK(safe(*topology, {}, classes->routes));
    CHECK(datelines->virtual_channels > 1);
    CHECK(classes->virtual_channels > 1);
    CHECK(run(*topology, {}, datelines->routes, random) == Outcome::complete);
    ++layered;
    fewer_by_class += classes->virtual_channels < datelines->virtual_channels ? 1 : 0;
    fewer_by_dateline += datelines->virtual_channels < classes->virtual_channels ? 1 : 0;
  }
  CHECK(layered > 100);
  MESSAGE(layered, " sets; fewer channels by class in ", fewer_by_class, ", by dateline in ",
          fewer_by_dateline);
}

TEST_CASE("suggestions are in order, and those of the model hold in every order of flits" *
          doctest::test_suite("long")) {
  const RandomStreams streams(63, "suggestions");
  int checked = 0;
  for (std::uint64_t i = 0; i < 150; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({2, 2});
    CheckOptions options;
    options.model.consumption_channels = static_cast<std::uint32_t>(random.below(2));
    std::vector<Routes> all = random_set(random, *topology);
    all.resize(random.between(2, 3));
    for (Routes& routes : all) routes.plan.request.length_flits = random.between(2, 4);
    INFO("set ", i);
    const std::vector<Suggestion> found = suggest(*topology, options, all);
    REQUIRE_FALSE(found.empty());
    CHECK(found.back().change == "path-reservation");
    for (const Suggestion& suggestion : found) {
      RouterModel model = options.model;
      if (suggestion.change == "consumption-channel-per-input")
        model.consumption_channels = 0;
      else if (suggestion.change == "buffers")
        model.buffer_flits = static_cast<std::uint32_t>(suggestion.buffer_flits);
      else
        continue;
      const std::optional<bool> truth = hand_made::FlitOracle(model, all).deadlocks(20'000);
      CHECK(truth != true);
      checked += truth ? 1 : 0;
    }
  }
  CHECK(checked > 20);
}

namespace {

auto proves(const Topology& topology, const CheckOptions& options) {
  return [&](const std::vector<Routes>& parts) {
    const Answer answer = hand_made::verdict_of(topology, options, parts).answer();
    return answer == Answer::safe || answer == Answer::safe_unreachable;
  };
}

}  // namespace

TEST_CASE("a limit on lengths: the parts never deadlock, and one flit more is not proved" *
          doctest::test_suite("long")) {
  const RandomStreams streams(64, "limits on length");
  int found = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({2, 2});
    CheckOptions options;
    options.limits.states = testing::few_or_many(10'000u, 100'000u);
    options.model.copies = random.below(2) == 0 ? Copies::per_flit : Copies::unstated;
    options.model.vc_reuse = random.below(2) == 0 ? VcReuse::early : VcReuse::drained;
    options.model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 2));
    std::vector<Routes> all = random_set(random, *topology);
    all.resize(random.between(2, 3));
    for (Routes& routes : all) routes.plan.request.length_flits = random.between(2, 4);
    const Answer whole = hand_made::verdict_of(*topology, options, all).answer();
    if (whole == Answer::safe || whole == Answer::safe_unreachable) continue;
    const auto most = longest_safe_message(all, proves(*topology, options));
    if (!most) continue;
    INFO("set ", i, ", ", *most);
    ++found;
    const auto parts = in_parts(all, *most);
    REQUIRE(parts.has_value());
    std::uint64_t before = 0, after = 0;
    for (const Routes& routes : all) before += routes.plan.request.length_flits;
    for (const Routes& routes : *parts) {
      CHECK(routes.plan.request.length_flits <= *most);
      after += routes.plan.request.length_flits;
    }
    CHECK(before == after);
    const Answer longer = hand_made::verdict_of(*topology, options, *in_parts(all, *most + 1)).answer();
    CHECK((longer == Answer::deadlock || longer == Answer::unknown));
    for (int times = 0; times < 5; ++times)
      CHECK(run(*topology, options.model, *parts, random) == Outcome::complete);
    CHECK_FALSE(try_all_orders(*topology, options.model, hand_made::explored(options.model, *parts), 20'000)
                    .deadlock);
  }
  CHECK(found > 10);
}

TEST_CASE("a limit on lengths: two trees that take the same two local ports, each a flit before the other") {
  const auto topology = hand_made::mesh({2, 2});
  CheckOptions options;
  options.model.copies = Copies::per_flit;
  options.model.consumption_channels = options.model.buffer_flits = 1;
  const std::vector<Routes> all =
      hand_made::one_each({hand_made::tree(*topology, 0, {{1, -1}, {2, -1}}, Copies::asynchronous),
                           hand_made::tree(*topology, 3, {{1, -1}, {2, -1}}, Copies::asynchronous)},
                          3);
  CHECK(hand_made::verdict_of(*topology, options, all).answer() == Answer::deadlock);
  // Two flits each are safe, but not two of them and then one: parts can be in each other's way.
  CheckOptions shorter = options;
  shorter.flits = 2;
  CHECK(hand_made::verdict_of(*topology, shorter, all).answer() == Answer::safe_unreachable);
  CHECK(hand_made::verdict_of(*topology, options, *in_parts(all, 2)).answer() == Answer::deadlock);
  REQUIRE(longest_safe_message(all, proves(*topology, options)) == std::uint64_t{1});
  const std::vector<Routes> parts = *in_parts(all, 1);
  CHECK(parts.size() == 6);
  CHECK(
      try_all_orders(*topology, options.model, hand_made::explored(options.model, parts), 200'000).exhausted);
}

TEST_CASE("the ring of four turns: two virtual channels by dateline, two by class, relays") {
  const auto topology = hand_made::mesh({2, 2});
  std::vector<Routes> all;
  for (const std::vector<std::uint32_t>& nodes :
       std::vector<std::vector<std::uint32_t>>{{0, 1, 3}, {1, 3, 2}, {3, 2, 0}, {2, 0, 1}})
    all.push_back(hand_made::multicast(all.size(), {hand_made::path(*topology, nodes, {nodes[1]})}, 100));
  std::string changes;
  for (const Suggestion& suggestion : suggest(*topology, {}, all)) {
    changes += suggestion.change + ' ';
    if (suggestion.change.starts_with("virtual-channels")) CHECK(suggestion.virtual_channels == 2);
  }
  CHECK(changes == "virtual-channels-by-dateline virtual-channels-by-class relays path-reservation ");
}

}  // namespace wormcast::suggest_test
