// When flits moved, as far as other flits wait for that.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "topology/ids.hpp"

namespace wormcast {

/// Cycles in which flits did something, one after the other. The latest `most` are kept, or all: nothing asks
/// for older ones.
class RecentCycles {
 public:
  std::uint64_t count() const { return count_; }
  Cycle operator[](std::uint64_t flit) const { return cycles_[flit & mask_]; }
  /// The latest.
  Cycle last() const { return cycles_[(count_ - 1) & mask_]; }
  void add(Cycle cycle, std::uint64_t most) {
    if (count_ > mask_ && mask_ + 1 < most) [[unlikely]]
      widen(2 * (mask_ + 1));
    cycles_[count_++ & mask_] = cycle;
  }
  /// There is none, and last() is what it is told to be; to be called before everything else.
  void clear(Cycle last = 0) {
    if (cycles_ == nullptr) widen(8);
    count_ = 0;
    cycles_[mask_] = last;
  }
  /// As if `count` had been added, `step` cycles apart, the last one at `last`.
  void fill(std::uint64_t count, Cycle last, Cycle step, std::uint64_t most) {
    clear();
    const std::uint64_t kept = std::min(count, most);
    while (mask_ + 1 < kept) widen(2 * (mask_ + 1));
    count_ = count;
    for (std::uint64_t i = 0; i < kept; ++i) cycles_[(count - 1 - i) & mask_] = last - i * step;
  }

 private:
  [[gnu::noinline]] void widen(std::uint64_t size) {
    auto wider = std::make_unique<Cycle[]>(size);
    for (std::uint64_t at = 0; at < std::min(count_, size / 2); ++at)
      wider[(count_ - 1 - at) & (size - 1)] = (*this)[count_ - 1 - at];
    cycles_ = std::move(wider);
    mask_ = size - 1;
  }

  std::unique_ptr<Cycle[]> cycles_;  ///< flit f at f modulo the size, a power of two
  std::uint64_t mask_ = 0;           ///< the size − 1
  std::uint64_t count_ = 0;
};

}  // namespace wormcast
