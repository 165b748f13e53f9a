// A set of addresses cut into subcubes: disjoint sets that are a node with any of some bits flipped.
//
// First by splitting: by the bit under which most addresses are there with and without it; those pairs become
// one part, in which the bit is free, what is left on either side another. Up to 64 addresses a search then
// looks for fewer: all subcubes are worked out, dimension by dimension, the address in fewest of those left
// is served first, and a branch ends where the best is not beaten by what is left: as many as the ones in its
// binary number (sizes are powers of two), or as addresses no two of which share a subcube. It gives up after
// some ten thousand branches; then, and for more addresses, the number is between a bound and what was found.
// Cost: O(k log k · bits²), and the search. cite: Quine 1952 (subcubes); this project (disjoint ones).
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/grid_tree.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <utility>

#include "topology/grid_address.hpp"

namespace wormcast {
namespace {

constexpr std::size_t most_searched = 64;
constexpr std::uint64_t most_branches = 1 << 14;

using Addresses = std::vector<std::uint64_t>;

Addresses with_flipped(std::uint64_t first, std::uint64_t mask) {
  Addresses all;
  for (std::uint64_t bits = 0;; bits = (bits - mask) & mask) {
    all.push_back(first | bits);
    if (bits == mask) return all;
  }
}

/// Those on both sides of a bit, and those on one; without the bit.
struct Halves {
  Addresses both, without, with;
  Halves(const Addresses& all, std::uint64_t bit) {
    Addresses low, high;
    for (const std::uint64_t address : all) ((address & bit) == 0 ? low : high).push_back(address & ~bit);
    std::set_intersection(low.begin(), low.end(), high.begin(), high.end(), std::back_inserter(both));
    std::set_difference(low.begin(), low.end(), high.begin(), high.end(), std::back_inserter(without));
    std::set_difference(high.begin(), high.end(), low.begin(), low.end(), std::back_inserter(with));
  }
};

/// `fixed` and `free` are bits that have been taken out of all addresses.
void split(const Addresses& all, std::uint64_t fixed, std::uint64_t free, std::vector<Addresses>& sets) {
  if (all.empty()) return;
  if (const auto mask = mask_of(all)) {
    sets.push_back(with_flipped(all.front() | fixed, *mask | free));
    return;
  }
  const std::uint64_t bits = differing_bits(all);
  std::uint64_t best = bits & (~bits + 1);
  Halves halves(all, best);
  for (std::uint64_t rest = bits ^ best; rest != 0; rest &= rest - 1) {
    const std::uint64_t bit = rest & (~rest + 1);
    Halves others(all, bit);
    if (others.both.size() <= halves.both.size()) continue;
    best = bit;
    halves = std::move(others);
  }
  split(halves.both, fixed, free | best, sets);
  split(halves.without, fixed, free, sets);
  split(halves.with, fixed | best, free, sets);
}

/// Sets of up to 64 addresses are bits of a number.
class Search {
 public:
  Search(const Addresses& all, std::size_t found) : all_(all), fewest_(found), sharing_(all.size()) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> level;  // by first address and mask
    for (std::size_t i = 0; i < all.size(); ++i) level[{all[i], 0}] = std::uint64_t{1} << i;
    const std::uint64_t bits = differing_bits(all);
    while (!level.empty()) {
      decltype(level) next;
      for (const auto& [cube, members] : level) {
        cubes_.push_back(members);
        for (std::uint64_t rest = bits & ~cube.first; rest != 0; rest &= rest - 1) {
          const std::uint64_t bit = rest & (~rest + 1);
          if (bit <= cube.second) continue;  // each once: by its bits, upwards
          const auto other = level.find({cube.first | bit, cube.second});
          if (other != level.end()) next[{cube.first, cube.second | bit}] = members | other->second;
        }
      }
      level = std::move(next);
    }
    std::reverse(cubes_.begin(), cubes_.end());  // the largest first
    for (const std::uint64_t cube : cubes_)
      for (std::uint64_t rest = cube; rest != 0; rest &= rest - 1) sharing_[index(rest)] |= cube;
  }

  /// Better sets than were found, if there are any.
  void run(MaskCover& cover) {
    const std::uint64_t everything = ~std::uint64_t{0} >> (most_searched - all_.size());
    cover.at_least = bound(everything);
    visit(everything);
    if (branches_ < most_branches) cover.at_least = fewest_;
    if (best_.empty()) return;
    cover.sets.clear();
    for (std::uint64_t cube : best_) {
      Addresses& set = cover.sets.emplace_back();
      for (; cube != 0; cube &= cube - 1) set.push_back(all_[index(cube)]);
    }
  }

 private:
  static std::size_t index(std::uint64_t set) { return static_cast<std::size_t>(std::countr_zero(set)); }

  std::uint64_t bound(std::uint64_t rest) const {
    std::uint64_t apart = 0;
    for (std::uint64_t open = rest; open != 0; open &= ~sharing_[index(open)]) ++apart;
    return std::max<std::uint64_t>(
        apart, static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(std::popcount(rest)))));
  }

  void visit(std::uint64_t rest) {
    if (rest == 0) {
      fewest_ = chosen_.size();
      best_ = chosen_;
      return;
    }
    if (chosen_.size() + bound(rest) >= fewest_ || ++branches_ >= most_branches) return;
    std::vector<std::uint64_t> fitting;
    std::vector<std::uint32_t> in(all_.size());
    for (const std::uint64_t cube : cubes_) {
      if ((cube & ~rest) != 0) continue;
      fitting.push_back(cube);
      for (std::uint64_t members = cube; members != 0; members &= members - 1) ++in[index(members)];
    }
    std::size_t rarest = index(rest);
    for (std::uint64_t open = rest; open != 0; open &= open - 1)
      if (in[index(open)] < in[rarest]) rarest = index(open);
    for (const std::uint64_t cube : fitting) {
      if ((cube >> rarest & 1) == 0) continue;
      chosen_.push_back(cube);
      visit(rest & ~cube);
      chosen_.pop_back();
    }
  }

  const Addresses& all_;
  std::size_t fewest_;
  std::vector<std::uint64_t> sharing_;  ///< by address: those in a subcube with it
  std::vector<std::uint64_t> cubes_, chosen_, best_;
  std::uint64_t branches_ = 0;
};

/// Addresses without a neighbour stand alone; the sizes of the other sets are powers of two.
std::uint64_t bound_of_many(const Addresses& all) {
  std::uint64_t alone = 0;
  const std::uint64_t bits = differing_bits(all);
  for (const std::uint64_t address : all) {
    bool neighbour = false;
    for (std::uint64_t rest = bits; rest != 0 && !neighbour; rest &= rest - 1)
      neighbour = std::binary_search(all.begin(), all.end(), address ^ (rest & (~rest + 1)));
    alone += neighbour ? 0 : 1;
  }
  return alone + static_cast<std::uint64_t>(std::popcount(all.size() - alone));
}

}  // namespace

MaskCover mask_cover(const std::vector<std::uint64_t>& addresses) {
  MaskCover cover;
  split(addresses, 0, 0, cover.sets);
  if (addresses.size() > most_searched)
    cover.at_least = bound_of_many(addresses);
  else
    Search(addresses, cover.sets.size()).run(cover);
  std::sort(cover.sets.begin(), cover.sets.end());
  return cover;
}

}  // namespace wormcast
