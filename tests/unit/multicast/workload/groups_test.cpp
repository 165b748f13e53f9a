// Patterns whose multicasts wait for each other: sends and their times worked out again from the
// definitions.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "multicast/reply_tracker.hpp"
#include "multicast/workload/workload.hpp"
#include "topology/error.hpp"
#include "unit/multicast/workload/made.hpp"

namespace wormcast::groups_test {

namespace {

std::unique_ptr<const Topology> mesh(std::uint64_t width, std::uint64_t height) {
  return build_topology({"mesh", {width, height}, 0, {}});
}

WorkloadSpec spec_of(std::string pattern, std::uint64_t count = 1) {
  WorkloadSpec spec;
  spec.pattern = std::move(pattern);
  spec.closed.count = count;
  spec.closed.interval_cycles = 1000;
  return spec;
}

bool goes_to(const Request& request, HostId host) {
  return std::binary_search(request.destinations.begin(), request.destinations.end(), host);
}

/// What every workload owes: ids count up, and what a multicast waits for came earlier and goes to its
/// source.
void check_dependencies(const std::vector<Request>& requests) {
  std::map<std::uint64_t, const Request*> before;
  for (const Request& request : requests) {
    CHECK(std::is_sorted(request.destinations.begin(), request.destinations.end()));
    CHECK_FALSE(goes_to(request, request.source));
    for (const std::uint64_t id : request.depends_on) {
      REQUIRE(before.count(id) == 1);
      CHECK(goes_to(*before[id], request.source));
    }
    before[request.id] = &request;
  }
}

}  // namespace

TEST_CASE("summa: panels along all rows and columns, each node after both panels of the step before") {
  for (const auto& [width, height] : {std::pair{4u, 4u}, {5u, 3u}, {2u, 6u}}) {
    const auto topology = mesh(width, height);
    const std::vector<Request> requests = all(spec_of("summa", 2), *topology);
    const std::uint32_t steps = std::min(width, height);
    REQUIRE(requests.size() == 2 * steps * (width + height));
    check_dependencies(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const Request& request = requests[i];
      const std::size_t product = i / (steps * (width + height));
      const std::size_t step = i / (width + height) % steps;
      const std::size_t line = i % (width + height);
      CHECK(request.id == i);
      CHECK(request.start_cycle == 1000 * product);
      const std::uint32_t x = request.source.value % width;
      const std::uint32_t y = request.source.value / width;
      std::set<std::uint32_t> wanted;
      if (line < height) {
        CHECK(x == step);
        CHECK(y == line);
        for (std::uint32_t other = 0; other < width; ++other) wanted.insert(y * width + other);
      } else {
        CHECK(x == line - height);
        CHECK(y == step);
        for (std::uint32_t other = 0; other < height; ++other) wanted.insert(other * width + x);
      }
      wanted.erase(request.source.value);
      std::set<std::uint32_t> got;
      for (const HostId host : request.destinations) got.insert(host.value);
      CHECK(got == wanted);
      // All multicasts of the step before that go to the source, and no others.
      std::vector<std::uint64_t> awaited;
      for (std::size_t j = 0; step > 0 && j < requests.size(); ++j)
        if (j / (steps * (width + height)) == product && j / (width + height) % steps == step - 1 &&
            goes_to(requests[j], request.source))
          awaited.push_back(j);
      CHECK(request.depends_on == awaited);
    }
  }
}

TEST_CASE(
    "layers: every tile to the whole next band, after all of the band before; bands differ by one column") {
  for (const auto& [width, height, layers] :
       {std::tuple{8u, 2u, 4u}, {7u, 3u, 3u}, {5u, 1u, 5u}, {16u, 16u, 2u}}) {
    const auto topology = mesh(width, height);
    WorkloadSpec spec = spec_of("layers");
    spec.options.layers = std::to_string(layers);
    const std::vector<Request> requests = all(spec, *topology);
    check_dependencies(requests);
    std::map<std::uint32_t, std::size_t> layer_of;  // by source, from the dependencies alone
    for (const Request& request : requests) {
      std::size_t layer = 0;
      for (const std::uint64_t id : request.depends_on)
        layer = std::max(layer, layer_of.at(requests[id].source.value) + 1);
      layer_of[request.source.value] = layer;
    }
    std::map<std::size_t, std::set<std::uint32_t>> columns;
    for (const auto& [node, layer] : layer_of) columns[layer].insert(node % width);
    for (const Request& request : requests)  // the last layer receives only
      if (layer_of.at(request.source.value) == layers - 2)
        for (const HostId host : request.destinations) columns[layers - 1].insert(host.value % width);
    CHECK(columns.size() == layers);
    std::size_t all_columns = 0;
    for (const auto& [layer, band] : columns) {
      all_columns += band.size();
      CHECK(band.size() - width / layers <= 1);
      CHECK(*band.rbegin() - *band.begin() + 1 == band.size());
    }
    CHECK(all_columns == width);
    for (const Request& request : requests) {
      const std::size_t layer = layer_of.at(request.source.value);
      CHECK(request.destinations.size() == columns[layer + 1].size() * height);
      for (const HostId host : request.destinations) CHECK(columns[layer + 1].count(host.value % width) == 1);
      CHECK(request.depends_on.size() == (layer == 0 ? 0 : columns[layer - 1].size() * height));
    }
  }
}

TEST_CASE("invalidation: the sharers of the uniform pattern, each of which answers once, with one flit") {
  const auto topology = mesh(5, 4);
  WorkloadSpec spec = spec_of("invalidation", 30);
  spec.options.destinations = "1:6";
  spec.length_flits = 3;
  const std::vector<Request> requests = all(spec, *topology);
  check_dependencies(requests);
  const auto entries = [](const Request& request) {
    return std::pair(is_answered(request), is_answer(request));
  };
  spec.pattern = "uniform";
  std::size_t at = 0;
  for (const Request& sharers : all(spec, *topology)) {
    const Request& told = requests.at(at);
    CHECK(told.source == sharers.source);
    CHECK(told.destinations == sharers.destinations);
    CHECK(told.length_flits == 3);
    CHECK(told.depends_on.empty());
    CHECK(entries(told) == std::pair(true, false));
    for (const HostId sharer : sharers.destinations) {
      const Request& answer = requests.at(++at);
      CHECK(answer.source == sharer);
      CHECK(answer.destinations == std::vector<HostId>{told.source});
      CHECK(answer.length_flits == 1);
      CHECK(entries(answer) == std::pair(false, true));
      CHECK(answer.start_cycle == told.start_cycle);
      CHECK(answer.depends_on == std::vector<std::uint64_t>{told.id});
    }
    ++at;
  }
  CHECK(at == requests.size());
}

TEST_CASE("invalidation whose homes wait: the answered workload of the uniform pattern but for the name") {
  const auto topology = mesh(4, 3);
  WorkloadSpec spec = spec_of("invalidation");
  spec.options.destinations = "1:5";
  spec.length_flits = 2;
  spec.open = OpenArrivals{"0.1", 300};
  AnsweredWorkload invalidations(workload_source(spec, *topology), 3);
  spec.pattern = "uniform";
  spec.flit_bits = chip_flit_bits;
  AnsweredWorkload writes(workload_source(spec, *topology), 3);
  std::size_t waiting = 0;
  std::size_t count = 0;
  for (std::optional<Request> wanted = writes.next(); wanted; wanted = writes.next(), ++count) {
    const std::optional<Request> got = invalidations.next();
    REQUIRE(got);
    CHECK(got->id == wanted->id);
    CHECK(got->source == wanted->source);
    CHECK(got->destinations == wanted->destinations);
    CHECK(got->length_flits == wanted->length_flits);
    CHECK(got->start_cycle == wanted->start_cycle);
    CHECK(got->depends_on == wanted->depends_on);
    NamedValues workload = wanted->workload.values();
    REQUIRE(workload.front() == std::pair<std::string, std::string>("pattern", "uniform"));
    workload.front().second = "invalidation";
    CHECK(got->workload.values() == workload);
    waiting += !is_answer(*got) && !got->depends_on.empty() ? 1 : 0;
  }
  CHECK_FALSE(invalidations.next());
  CHECK(count > 400);
  CHECK(waiting > 100);
}

TEST_CASE("invalidation under a rate: groups stay whole, in start order, with ids that count") {
  const auto topology = mesh(4, 4);
  WorkloadSpec spec = spec_of("invalidation");
  spec.options.destinations = "3";
  spec.length_flits = 2;
  spec.open = OpenArrivals{"0.05", 400};
  const std::vector<Request> requests = all(spec, *topology);
  check_dependencies(requests);
  REQUIRE(requests.size() > 100);
  CHECK(requests.size() % 4 == 0);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CHECK(requests[i].id == i);
    if (i > 0) CHECK(requests[i - 1].start_cycle <= requests[i].start_cycle);
    CHECK(requests[i].depends_on.empty() == (i % 4 == 0));
  }
}

TEST_CASE("groups merged into a stream still name their own") {
  const auto topology = mesh(3, 3);
  WorkloadMerge merge(spec_of("summa"), *topology);
  std::vector<Request> out;
  const auto emit = [&](const Request& r) { out.push_back(r); };
  Request other;
  other.id = 4;
  other.source = HostId{0};
  other.destinations = {HostId{8}};
  other.start_cycle = 0;
  merge.add(other, emit);
  merge.finish(emit);
  REQUIRE(out.size() == 19);
  check_dependencies(out);
  CHECK(out[0].id == 8);
  CHECK(out[1].id == 1);
}

TEST_CASE("workloads of chips state the width of a flit, the others do not, and both can be told") {
  const auto topology = mesh(4, 4);
  const auto stated = [&](const std::string& pattern, std::optional<std::uint64_t> bits) {
    WorkloadSpec spec = spec_of(pattern);
    spec.flit_bits = bits;
    const std::vector<Request> requests = all(spec, *topology);
    for (const auto& [name, value] : requests.front().workload)
      if (name == workload_flit_bits) return value;
    return std::string("none");
  };
  for (const char* chip : {"rectangle", "row", "column", "summa", "layers", "invalidation"}) {
    CHECK(stated(chip, std::nullopt) == "64");
    CHECK(stated(chip, 128) == "128");
    CHECK(stated(chip, 0) == "none");
  }
  for (const char* other : {"uniform", "broadcast", "transpose", "clustered"}) {
    CHECK(stated(other, std::nullopt) == "none");
    CHECK(stated(other, 32) == "32");
  }
}

TEST_CASE("what a group cannot be asked for is refused") {
  const auto topology = mesh(4, 4);
  WorkloadSpec spec = spec_of("summa");
  spec.sources = {"3"};
  CHECK(refusal(spec, *topology) == "--source: pattern 'summa' has sources of its own");
  spec = spec_of("layers");
  spec.open = OpenArrivals{"0.1", 100};
  CHECK(refusal(spec, *topology) ==
        "--rate: pattern 'layers' says itself what starts when (--count, --interval)");
  spec = spec_of("invalidation");
  spec.shard = Shard{1, 2};
  CHECK(refusal(spec, *topology) ==
        "--shard: pattern 'invalidation' makes several multicasts a start, which wait for each other");
  spec = spec_of("layers");
  spec.options.layers = "5";
  CHECK(refusal(spec, *topology) == "--layers: 5 is not between 2 and the 4 columns of mesh-4x4");
  CHECK(refusal(spec_of("summa"), *mesh(4, 1)) ==
        "--pattern: 'summa' needs two nodes in dimension 1, not mesh-4x1");
  const auto cube = build_topology({"mesh", {3, 3, 3}, 0, {}});
  CHECK(refusal(spec_of("summa"), *cube) == "--pattern: 'summa' needs two dimensions, not mesh-3x3x3");
  CHECK(refusal(spec_of("row"), *mesh(1, 4)) ==
        "--pattern: 'row' needs two nodes in dimension 0, not mesh-1x4");
}

}  // namespace wormcast::groups_test
