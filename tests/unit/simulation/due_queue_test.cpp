// Completions in any order of coming against a sorted set.
// SPDX-License-Identifier: MIT
#include "simulation/queues/calendar.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <utility>

#include "simulation/engines/ledger.hpp"
#include "topology/random.hpp"

namespace wormcast::due_queue_test {

TEST_CASE("completions leave by cycle and id, however they came") {
  Random random = RandomStreams(1, "completions").stream(0);
  for (const std::uint64_t spread : {1U, 4U, 1000U}) {  // how far out of order
    CAPTURE(spread);
    DueQueue<Completion> queue;
    std::set<std::pair<Cycle, std::uint64_t>> expected;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const std::uint64_t id = i ^ 1;
      const Cycle cycle = i / 3 + random.below(spread);
      queue.push({cycle, id, static_cast<std::uint32_t>(i)});
      expected.emplace(cycle, id);
      for (std::uint64_t left = random.below(3); left > 0 && !expected.empty(); --left) {
        REQUIRE(std::pair(queue.first().cycle, queue.first().id) == *expected.begin());
        REQUIRE(queue.first().slot == (queue.first().id ^ 1));
        expected.erase(expected.begin());
        queue.pop();
      }
      REQUIRE(queue.empty() == expected.empty());
    }
  }
}

}  // namespace wormcast::due_queue_test
