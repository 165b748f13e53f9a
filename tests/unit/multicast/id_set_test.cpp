// The set of ids beside std::set: every order in which streams bring them.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "multicast/id_set.hpp"
#include "topology/random.hpp"

namespace wormcast::id_set_test {

namespace {

/// Inserts `ids` one by one, asking for each of `asked` now and then.
void compare(const std::vector<std::uint64_t>& ids, const std::vector<std::uint64_t>& asked) {
  IdSet fast;
  std::set<std::uint64_t> plain;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    REQUIRE(fast.insert(ids[i]) == plain.insert(ids[i]).second);
    if (i % 97 != 0) continue;
    for (const std::uint64_t id : asked) REQUIRE(fast.contains(id) == (plain.count(id) != 0));
  }
  for (const std::uint64_t id : ids) REQUIRE_FALSE(fast.insert(id));
}

std::vector<std::uint64_t> counted(std::uint64_t first, std::uint64_t step, std::size_t count) {
  std::vector<std::uint64_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = first + i * step;
  return ids;
}

}  // namespace

TEST_CASE("ids that count up, down, in steps and in any order are each taken once") {
  const std::vector<std::uint64_t> asked = counted(0, 1, 700);
  compare(counted(0, 1, 1000), asked);
  compare(counted(0, 3, 1000), asked);
  std::vector<std::uint64_t> down = counted(0, 1, 1000);
  std::reverse(down.begin(), down.end());
  compare(down, asked);
  Random random(5);
  for (int run = 0; run < 40; ++run) {
    std::vector<std::uint64_t> ids = counted(0, 1, 1 + random.below(640));
    shuffle(random, ids);
    compare(ids, asked);
  }
}

TEST_CASE("ids of two streams that were merged, and ids anywhere, are each taken once") {
  std::vector<std::uint64_t> merged;
  for (std::uint64_t i = 0; i < 900; ++i) {
    merged.push_back(2 * i);
    if (i % 7 == 0) merged.push_back(2 * (i / 7) + 1);
  }
  compare(merged, counted(0, 1, 2000));
  Random random(6);
  std::vector<std::uint64_t> wild = {0, 63, 64, (std::uint64_t{1} << 53) - 1, UINT64_MAX, UINT64_MAX - 63};
  for (int i = 0; i < 2000; ++i) wild.push_back(random.below(std::uint64_t{1} << 53));
  compare(wild, wild);
}

}  // namespace wormcast::id_set_test
