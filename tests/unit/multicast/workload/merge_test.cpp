// Merging: start order, fresh ids, dependencies that still name the same multicasts.
// SPDX-License-Identifier: MIT
#include "multicast/workload/workload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "topology/error.hpp"
#include "unit/networks.hpp"

namespace wormcast::merge_test {

namespace {

std::unique_ptr<const Topology> mesh() { return testing::make("mesh", {4, 4}); }

Request request(std::uint64_t id, Cycle start, std::vector<std::uint64_t> depends_on = {}) {
  Request result;
  result.id = id;
  result.source = HostId{1};
  result.destinations = {HostId{2}};
  result.start_cycle = start;
  result.depends_on = std::move(depends_on);
  result.extras = ",\"x_a\":" + std::to_string(id);
  return result;
}

std::vector<Request> merge(const WorkloadSpec& spec, std::vector<Request> stream) {
  const auto topology = mesh();
  WorkloadMerge merge(spec, *topology);
  std::vector<Request> out;
  const auto emit = [&](const Request& r) { out.push_back(r); };
  for (Request& r : stream) merge.add(r, emit);
  merge.finish(emit);
  return out;
}

WorkloadSpec five_every_ten() {
  WorkloadSpec spec;
  spec.closed = {5, 10};
  return spec;
}

}  // namespace

TEST_CASE("without multicasts in the stream own ids count from 0") {
  const auto out = merge(five_every_ten(), {});
  REQUIRE(out.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(out[i].id == i);
}

TEST_CASE("a stream is merged by start, its own multicasts first at the same start") {
  const auto out =
      merge(five_every_ten(), {request(9, 0), request(3, 15, {9}), request(4, 20), request(0, 99, {3, 4})});
  REQUIRE(out.size() == 9);
  CHECK(std::ranges::is_sorted(out, {}, &Request::start_cycle));
  std::vector<std::uint64_t> ids;
  for (const Request& r : out) ids.push_back(r.id);
  //                                      0   0  10 15 20 20 30 40 99
  CHECK(ids == std::vector<std::uint64_t>{18, 1, 3, 6, 8, 5, 7, 9, 0});
  CHECK(std::set<std::uint64_t>(ids.begin(), ids.end()).size() == ids.size());
  CHECK(out[3].depends_on == std::vector<std::uint64_t>{18});
  CHECK(out[8].depends_on == std::vector<std::uint64_t>{6, 8});
  CHECK(out[0].extras == ",\"x_a\":9");
  CHECK(out[1].extras.empty());
}

TEST_CASE("merging can be repeated and dependencies still name the same multicasts") {
  std::vector<Request> stream = {request(0, 0), request(1, 5, {0}), request(2, 12, {0, 1})};
  for (int i = 0; i < 6; ++i) stream = merge(five_every_ten(), stream);
  CHECK(stream.size() == 3 + 6 * 5);
  std::set<std::uint64_t> ids;
  std::map<std::string, const Request*> originals;
  for (const Request& r : stream) {
    CHECK(ids.insert(r.id).second);
    if (!r.extras.empty()) originals[r.extras] = &r;
  }
  REQUIRE(originals.size() == 3);
  const Request& a = *originals[",\"x_a\":0"];
  const Request& b = *originals[",\"x_a\":1"];
  const Request& c = *originals[",\"x_a\":2"];
  CHECK(a.depends_on.empty());
  CHECK(b.depends_on == std::vector<std::uint64_t>{a.id});
  CHECK(c.depends_on == std::vector<std::uint64_t>{a.id, b.id});
  CHECK(a.id < b.id);
  CHECK(b.id < c.id);
}

TEST_CASE("an id that cannot be doubled is refused") {
  CHECK_THROWS_AS(merge(five_every_ten(), {request(std::uint64_t{1} << 52, 0)}), InputError);
  CHECK_THROWS_AS(merge(five_every_ten(), {request(0, 0, {std::uint64_t{1} << 52})}), InputError);
  CHECK(merge(five_every_ten(), {request((std::uint64_t{1} << 52) - 1, 0)}).size() == 6);
}

}  // namespace wormcast::merge_test
