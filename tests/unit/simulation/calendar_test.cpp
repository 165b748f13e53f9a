// The calendar against a sorted list.
// SPDX-License-Identifier: MIT
#include "simulation/queues/calendar.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

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

}  // namespace wormcast::calendar_test
