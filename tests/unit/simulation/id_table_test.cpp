// Slots by id against the standard library.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <map>

#include "simulation/queues/id_table.hpp"
#include "topology/random.hpp"

namespace wormcast::id_table_test {

TEST_CASE("the table of ids finds what a map finds") {
  Random random = RandomStreams(1, "ids").stream(0);
  for (const std::uint64_t stride : {1ull, 1ull << 16, 1ull << 40}) {
    CAPTURE(stride);
    IdTable table;
    std::map<std::uint64_t, std::uint32_t> map;
    for (std::uint32_t i = 0; i < 20000; ++i) {
      const std::uint64_t id = random.below(300) * stride;
      const auto known = map.find(id);
      REQUIRE(table.find(id) == (known == map.end() ? IdTable::kAbsent : known->second));
      if (known == map.end()) {
        table.insert(id, i);
        map.emplace(id, i);
      } else if (random.below(2) == 0) {
        table.erase(id);
        map.erase(known);
      }
    }
    for (std::uint64_t id = 0; id < 300; ++id) {
      const auto known = map.find(id * stride);
      CHECK(table.find(id * stride) == (known == map.end() ? IdTable::kAbsent : known->second));
    }
  }
}

}  // namespace wormcast::id_table_test
