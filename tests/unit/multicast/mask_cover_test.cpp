// Sets cut into those that a destination and a mask name: every set of 4x4 nodes against all ways of cutting
// it.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/grid_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "topology/random.hpp"

namespace wormcast::mask_cover_test {

namespace {

using Set = std::vector<std::uint64_t>;

/// Each set one mask by counting, together `all`, none twice.
bool is_cut(const MaskCover& cover, const Set& all) {
  Set together;
  for (const Set& set : cover.sets) {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (const std::uint64_t address : set) {
      low &= address;
      high |= address;
    }
    if (std::uint64_t{1} << std::popcount(high & ~low) != set.size()) return false;
    together.insert(together.end(), set.begin(), set.end());
  }
  std::sort(together.begin(), together.end());
  return together == all && cover.at_least <= cover.sets.size() && cover.at_least > 0;
}

Set members(std::uint32_t set) {
  Set all;
  for (; set != 0; set &= set - 1) all.push_back(static_cast<std::uint64_t>(std::countr_zero(set)));
  return all;
}

}  // namespace

TEST_CASE("mask covers of every set of 16 nodes are the fewest of all ways of cutting it") {
  std::vector<std::uint32_t> cubes;
  for (std::uint32_t mask = 0; mask < 16; ++mask)
    for (std::uint32_t first = 0; first < 16; ++first) {
      if ((first & mask) != 0) continue;
      std::uint32_t cube = 0;
      for (std::uint32_t at = 0; at < 16; ++at)
        if ((at & ~mask) == first) cube |= 1U << at;
      cubes.push_back(cube);
    }
  REQUIRE(cubes.size() == 81);
  std::vector<std::uint32_t> fewest(1U << 16);
  int wrong = 0;
  for (std::uint32_t set = 1; set < fewest.size(); ++set) {
    fewest[set] = 16;
    for (const std::uint32_t cube : cubes)
      if ((cube & ~set) == 0 && (cube & set & (~set + 1)) != 0)
        fewest[set] = std::min(fewest[set], fewest[set & ~cube] + 1);
    const MaskCover cover = mask_cover(members(set));
    wrong +=
        !is_cut(cover, members(set)) || cover.sets.size() != fewest[set] || cover.at_least != fewest[set];
  }
  CHECK(wrong == 0);
}

TEST_CASE("mask covers of larger sets: cut right, and all nodes but one take as many as there are bits") {
  const RandomStreams streams(7, "masks");
  int proven = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    Random random = streams.stream(i);
    const auto count = static_cast<std::uint32_t>(random.between(1, 200));
    Set all;
    for (const std::uint32_t address : sample(random, count, 256)) all.push_back(address);
    const MaskCover cover = mask_cover(all);
    CHECK(is_cut(cover, all));
    proven += cover.at_least == cover.sets.size() ? 1 : 0;
    for (std::uint64_t& address : all) address = (address & 15) << 20 | (address & 240) << 30;
    CHECK(mask_cover(all).sets.size() == cover.sets.size());
  }
  CHECK(proven >= 40);
  Set but_one;
  for (std::uint64_t address = 0; address < 4096; ++address)
    if (address != 1234) but_one.push_back(address);
  const MaskCover cover = mask_cover(but_one);
  CHECK(cover.sets.size() == 12);
  CHECK(cover.at_least == 12);
}

}  // namespace wormcast::mask_cover_test
