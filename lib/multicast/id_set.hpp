// Which ids a segment has had: one bit each, and next to nothing where they are dense.
//
// Ids are kept 64 to a word. The word of the last id is at hand; the others lie in a table, and those that
// are full in ranges. A stream that counts from 0 takes one range whatever its length, one with every second
// id (streams that were merged) about a byte an id, and ids at random about 50 bytes each.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

namespace wormcast {

class IdSet {
 public:
  bool contains(std::uint64_t id) const { return (word(id / 64) >> id % 64 & 1) != 0; }
  /// Adds `id`; false if it was there.
  bool insert(std::uint64_t id) {
    if (id / 64 != at_) go_to(id / 64);
    const std::uint64_t bit = std::uint64_t{1} << id % 64;
    if ((here_ & bit) != 0) return false;
    here_ |= bit;
    return true;
  }

 private:
  std::uint64_t word(std::uint64_t index) const { return index == at_ ? here_ : stored(index); }
  std::uint64_t stored(std::uint64_t index) const;
  void go_to(std::uint64_t index);
  void fill(std::uint64_t index);

  std::uint64_t at_ = 0;                                    ///< index of the word at hand
  std::uint64_t here_ = 0;                                  ///< and its bits
  std::unordered_map<std::uint64_t, std::uint64_t> words_;  ///< the others: index → bits
  std::map<std::uint64_t, std::uint64_t> full_;             ///< words full of ids: first → last
};

}  // namespace wormcast
