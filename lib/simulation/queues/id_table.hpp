// Slots by id: a hash table with linear probing, which allocates only when it grows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace wormcast {

class IdTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffff;

  /// The slot of `id`, or kAbsent.
  std::uint32_t find(std::uint64_t id) const {
    for (std::size_t at = place(id); entries_[at].slot != kAbsent; at = after(at))
      if (entries_[at].id == id) return entries_[at].slot;
    return kAbsent;
  }
  /// `id` must not be there yet.
  void insert(std::uint64_t id, std::uint32_t slot) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    std::size_t at = place(id);
    while (entries_[at].slot != kAbsent) at = after(at);
    entries_[at] = {id, slot};
    ++size_;
  }
  /// `id` must be there.
  void erase(std::uint64_t id) {
    std::size_t hole = place(id);
    while (entries_[hole].id != id || entries_[hole].slot == kAbsent) hole = after(hole);
    // What comes later in the run moves up, unless it would stand before its own place.
    for (std::size_t at = after(hole); entries_[at].slot != kAbsent; at = after(at)) {
      const std::size_t distance = (at - place(entries_[at].id)) & mask();
      if (distance < ((at - hole) & mask())) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole].slot = kAbsent;
    --size_;
  }

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::uint32_t slot = kAbsent;
  };

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t after(std::size_t at) const { return (at + 1) & mask(); }
  std::size_t place(std::uint64_t id) const {
    return static_cast<std::size_t>(id * 0x9e3779b97f4a7c15u >> shift_);
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    --shift_;
    std::swap(old, entries_);
    size_ = 0;
    for (const Entry& entry : old)
      if (entry.slot != kAbsent) insert(entry.id, entry.slot);
  }

  int shift_ = 60;
  std::vector<Entry> entries_ = std::vector<Entry>(16);  ///< 2^(64 − shift_), at most half of them used
  std::size_t size_ = 0;
};

}  // namespace wormcast
