// The calendar and the lines of requests beside it, against sorted lists.
// SPDX-License-Identifier: MIT
#include "simulation/queues/calendar.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "simulation/queues/request_line.hpp"
#include "topology/random.hpp"

namespace wormcast::calendar_test {

TEST_CASE("a calendar gives the events of each cycle, near and far, and those that come in it") {
  Random random = RandomStreams(1, "calendar").stream(0);
  for (const std::uint64_t spread : {1U, 3U, 100U, 2047U, 2048U, 2049U, 100'000U}) {
    CAPTURE(spread);
    Calendar calendar;
    std::multimap<Cycle, std::uint32_t> expected;
    std::uint32_t scheduled = 0;
    const auto schedule = [&](Cycle cycle) {
      calendar.schedule(cycle, {Event::Kind::wake, scheduled});
      expected.emplace(cycle, scheduled++);
    };
    CHECK(calendar.next() == kNever);
    for (int i = 0; i < 40; ++i) schedule(random.below(spread));
    Cycle cycle = 0;
    while (!expected.empty()) {
      // Cycles in which nothing is due may be taken, too.
      cycle = random.below(3) == 0 ? std::min(cycle + 1, expected.begin()->first) : expected.begin()->first;
      REQUIRE(calendar.next() == expected.begin()->first);
      std::vector<std::uint32_t> taken;
      std::vector<std::uint32_t> due;
      const auto [first, last] = expected.equal_range(cycle);
      for (auto at = first; at != last; ++at) due.push_back(at->second);
      expected.erase(first, last);
      calendar.take(cycle, [&](Event event) {
        taken.push_back(event.hop);
        if (scheduled < 3000) schedule(cycle + random.below(spread));
      });
      std::sort(taken.begin(), taken.end());
      REQUIRE(taken == due);
    }
    CHECK(calendar.next() == kNever);
    CHECK(scheduled >= 3000);
  }
}

TEST_CASE("a line takes requests in order and refuses others; each comes in its cycle") {
  Random random = RandomStreams(1, "request line").stream(0);
  RequestLine line;
  std::multimap<Cycle, std::uint32_t> expected;
  std::uint32_t refused = 0;
  Cycle last = 0;
  for (std::uint32_t hop = 0; hop < 20'000; ++hop) {
    const Cycle cycle = (hop < 10'000       ? last
                         : expected.empty() ? last
                                            : expected.begin()->first) +
                        random.below(3) - (last > 0 && random.below(10) == 0 ? 1 : 0);
    const bool in_order = expected.empty() || cycle >= last;
    REQUIRE(line.add(cycle, hop) == in_order);
    refused += in_order ? 0 : 1;
    if (in_order) {
      last = cycle;
      expected.emplace(cycle, hop);
    }
    while (expected.size() > 300 || (!expected.empty() && random.below(4) == 0)) {
      REQUIRE(line.first() == expected.begin()->first);
      std::vector<std::uint32_t> taken;
      const std::uint32_t count = line.take([&](std::uint32_t at) { taken.push_back(at); });
      REQUIRE(count == taken.size());
      const auto [begin, end] = expected.equal_range(expected.begin()->first);
      std::vector<std::uint32_t> due;
      for (auto at = begin; at != end; ++at) due.push_back(at->second);
      expected.erase(begin, end);
      REQUIRE(taken == due);
    }
    REQUIRE((line.first() == kNever) == expected.empty());
  }
  CHECK(refused > 100);
}

}  // namespace wormcast::calendar_test
