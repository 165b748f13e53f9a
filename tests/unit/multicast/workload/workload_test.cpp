// Workloads: reproducible multicast by multicast, open arrivals against their definition, refusals.
// SPDX-License-Identifier: MIT
#include "multicast/workload/workload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "topology/error.hpp"
#include "unit/multicast/workload/made.hpp"
#include "unit/networks.hpp"

namespace wormcast::workload_test {

using testing::make;

namespace {

bool same(const Request& a, const Request& b) {
  return a.source == b.source && a.destinations == b.destinations && a.start_cycle == b.start_cycle &&
         a.length_flits == b.length_flits;
}

WorkloadSpec open_spec(const char* rate, std::uint64_t cycles, std::uint64_t length) {
  WorkloadSpec spec;
  spec.length_flits = length;
  spec.open = OpenArrivals{rate, cycles};
  return spec;
}

}  // namespace

TEST_CASE("closed: count, ids, starts and lengths are as asked") {
  const auto mesh = make("mesh", {4, 4});
  WorkloadSpec spec;
  spec.closed = {5, 10};
  spec.start_cycle = 7;
  spec.length_flits = 3;
  const auto requests = all(spec, *mesh);
  REQUIRE(requests.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(requests[i].id == i);
    CHECK(requests[i].start_cycle == 7 + 10 * i);
    CHECK(requests[i].length_flits == 3);
    CHECK(requests[i].destinations.size() == 1);
    CHECK(requests[i].depends_on.empty());
  }
  spec.closed.count = 0;
  CHECK(all(spec, *mesh).empty());
}

TEST_CASE("closed: multicast i is the same whatever else is drawn") {
  const auto mesh = make("mesh", {8, 8});
  WorkloadSpec spec;
  spec.seed = 7;
  spec.options.destinations = "3:9";
  spec.closed = {50, 4};
  const auto requests = all(spec, *mesh);
  spec.closed.count = 10;
  const auto fewer = all(spec, *mesh);
  for (std::size_t i = 0; i < fewer.size(); ++i) CHECK(same(fewer[i], requests[i]));
  // The sources do not depend on the number of destinations or the pattern.
  spec.options.destinations = "20";
  const auto larger = all(spec, *mesh);
  for (std::size_t i = 0; i < larger.size(); ++i) CHECK(larger[i].source == requests[i].source);
  spec.seed = 8;
  int equal = 0;
  const auto other = all(spec, *mesh);
  for (std::size_t i = 0; i < other.size(); ++i) equal += same(other[i], larger[i]) ? 1 : 0;
  CHECK(equal == 0);
}

TEST_CASE("closed: sources are uniform over those that send") {
  const auto mesh = make("mesh", {4, 4});
  WorkloadSpec spec;
  spec.pattern = "transpose";
  spec.closed.count = 12000;
  std::vector<int> times(16);
  for (const Request& request : all(spec, *mesh)) ++times[request.source.value];
  for (std::uint32_t node = 0; node < 16; ++node) {
    if (node % 5 == 0) {
      CHECK(times[node] == 0);
    } else {
      CHECK(times[node] > 880);
      CHECK(times[node] < 1120);
    }
  }
  spec.pattern = "uniform";
  spec.sources = {"3,2", "4"};
  for (const Request& request : all(spec, *mesh))
    CHECK((request.source.value == 4 || request.source.value == 11));
}

TEST_CASE("open: multicasts are those of one trial a node and cycle") {
  const auto mesh = make("mesh", {3, 2});
  WorkloadSpec spec = open_spec("0.3", 2000, 2);
  spec.seed = 11;
  spec.start_cycle = 100;
  const auto requests = all(spec, *mesh);
  // The definition, node by node and cycle by cycle.
  std::vector<std::tuple<Cycle, std::uint32_t>> expected;
  for (std::uint32_t node = 0; node < 6; ++node) {
    Random random = RandomStreams(11, "arrivals").stream(node);
    Bernoulli starts(Fraction{3, 20});
    for (Cycle cycle = 0; cycle < 2000; ++cycle)
      if (starts(random)) expected.emplace_back(100 + cycle, node);
  }
  std::ranges::sort(expected);
  REQUIRE(requests.size() == expected.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CHECK(std::tuple(requests[i].start_cycle, requests[i].source.value) == expected[i]);
    CHECK(requests[i].id == i);
    Random random = RandomStreams(11, "destinations")
                        .stream((requests[i].start_cycle - 100) * 6 + requests[i].source.value);
    CHECK(requests[i].destinations ==
          bind_pattern("uniform", *mesh, {}).destinations(requests[i].source, random));
  }
  // 6 nodes, 2000 cycles, 0.15 starts: 1800 expected, deviation 39.
  CHECK(requests.size() > 1640);
  CHECK(requests.size() < 1960);
}

TEST_CASE("open: a greater rate keeps every multicast of a smaller one") {
  const auto mesh = make("mesh", {4, 4});
  const auto key = [](const Request& r) { return std::tuple(r.start_cycle, r.source, r.destinations); };
  std::set<std::tuple<Cycle, HostId, std::vector<HostId>>> before;
  for (const char* rate : {"0.01", "0.02", "0.1", "0.55", "1"}) {
    std::set<std::tuple<Cycle, HostId, std::vector<HostId>>> now;
    for (const Request& request : all(open_spec(rate, 500, 8), *mesh)) now.insert(key(request));
    CHECK(now.size() > before.size());
    CHECK(std::ranges::includes(now, before));
    before = now;
  }
}

TEST_CASE("open: the ends of the range") {
  const auto mesh = make("mesh", {2, 2});
  CHECK(all(open_spec("0", 1000000000000, 1), *mesh).empty());
  CHECK(all(open_spec("0.5", 0, 1), *mesh).empty());
  const auto full = all(open_spec("4", 10, 4), *mesh);
  REQUIRE(full.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(full[i].start_cycle == i / 4);
    CHECK(full[i].source.value == i % 4);
  }
}

TEST_CASE("a multicast says what made it") {
  const auto mesh = make("mesh", {4, 4});
  WorkloadSpec spec = open_spec("0.50", 50, 2);
  spec.pattern = "hotspot";
  spec.options.hotspot = {"3", "1,1"};
  spec.options.hotspot_share = "0.25";
  spec.seed = 9;
  for (const Request& request : all(spec, *mesh))
    CHECK(request.workload == NamedValues{{"pattern", "hotspot"},
                                          {"hotspot", "3 1,1"},
                                          {"hotspot-share", "0.25"},
                                          {"rate", "0.50"},
                                          {"seed", "9"}});
}

TEST_CASE("what no network can be asked for is refused") {
  const auto mesh = make("mesh", {4, 4});
  WorkloadSpec spec;
  spec.sources = {"5"};
  spec.pattern = "explicit";
  spec.options.to = {"5", "6"};
  CHECK(refusal(spec, *mesh) ==
        "--source: node 5 is the source and among several destinations (pattern 'explicit')");
  spec.sources = {"16"};
  CHECK(refusal(spec, *mesh) == "--source: node 16 is not in mesh-4x4 (16 nodes)");
  spec = {};
  spec.pattern = "tornado";
  CHECK(refusal(spec, *make("mesh", {2, 2})) ==
        "--pattern: 'tornado': every node of mesh-2x2 would be its own destination");
  spec = {};
  spec.length_flits = 0;
  CHECK(refusal(spec, *mesh) == "--length-flits: 0 is not between 1 and 2^53-1");
  spec = {};
  spec.closed = {3, (std::uint64_t{1} << 52) + 1};
  CHECK(refusal(spec, *mesh) == "--interval: the last multicast would start after cycle 2^53-1");
  CHECK(refusal(open_spec("3", 10, 2), *mesh) ==
        "--rate: offers more than one multicast of 2 flits a node and cycle; at most 2");
  CHECK(refusal(open_spec("0.000000000000001", 10, 1000003), *mesh) == "--rate: has too many digits");
  CHECK(refusal(open_spec("1e-3", 10, 1), *mesh) == "--rate: '1e-3' is not a decimal number such as 0.05");
  CHECK(refusal(open_spec("0.1", std::uint64_t{1} << 53, 1), *mesh) ==
        "--cycles: the window would end after cycle 2^53-1");
}

TEST_CASE("a recorded workload never changes") {
  // Fixed when the definition was written.
  const auto mesh = make("mesh", {16, 16});
  WorkloadSpec spec;
  spec.seed = 7;
  spec.options.destinations = "4";
  spec.closed.count = 2;
  const auto requests = all(spec, *mesh);
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].source == HostId{226});
  CHECK(requests[0].destinations == std::vector<HostId>{HostId{1}, HostId{75}, HostId{144}, HostId{220}});
  CHECK(requests[1].source == HostId{38});
  CHECK(requests[1].destinations == std::vector<HostId>{HostId{61}, HostId{88}, HostId{112}, HostId{169}});
}

TEST_CASE("shards in order are the whole, each in any order and anywhere") {
  const auto mesh = make("mesh", {8, 8});
  for (const std::uint64_t count : {0u, 1u, 7u, 100u}) {
    WorkloadSpec spec;
    spec.seed = 5;
    spec.options.destinations = "1:9";
    spec.closed = {count, 40};
    const auto told = [](const std::vector<Request>& requests) {
      std::vector<std::tuple<std::uint64_t, std::uint32_t, std::vector<HostId>, Cycle, NamedValues>> list;
      for (const Request& r : requests)
        list.emplace_back(r.id, r.source.value, r.destinations, r.start_cycle, r.workload.values());
      return list;
    };
    const auto whole = told(all(spec, *mesh));
    for (const std::uint64_t parts : {1u, 2u, 3u, 8u, 101u}) {
      std::vector<Request> joined;
      for (std::uint64_t part = 1; part <= parts; ++part) {
        spec.shard = Shard{part, parts};
        const auto requests = all(spec, *mesh);
        CHECK(requests.size() >= count / parts);
        CHECK(requests.size() <= (count + parts - 1) / parts);
        joined.insert(joined.end(), requests.begin(), requests.end());
      }
      CHECK(told(joined) == whole);
    }
  }
}

TEST_CASE("a shard is K/N, of multicasts that do not meet") {
  for (const char* text : {"", "3", "0/4", "5/4", "1/0", "/4", "1/", "1/2/3", "-1/2", "a/b"})
    CHECK_THROWS_AS(parse_shard(text), InputError);
  CHECK(parse_shard("4/4").index == 4);
  const auto mesh = make("mesh", {4, 4});
  WorkloadSpec spec = open_spec("0.1", 50, 2);
  spec.shard = Shard{1, 2};
  CHECK(refusal(spec, *mesh) == "--shard: excludes --rate: multicasts of one window meet in the network");
}

}  // namespace wormcast::workload_test
