// A calendar queue in integer time: events of the next cycles in a ring of buckets, later ones in
// a heap. Scheduling and taking cost O(1) near the present; idle time is skipped by bit scans.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast {

inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// What falls due in a cycle. `hop` is the id of what it says: a hop, a resource, a worm.
struct Event {
  enum class Kind : std::uint32_t {
    release,  ///< a unit of the hop's resource is free again, or an observer wants to know that it is
    request,  ///< the hop is requested
    header,   ///< the header can ask for what follows the hop
    wake,     ///< the resource is free, and somebody waits for it
    retire,   ///< the worm has let go of everything
    tick      ///< flits may be able to move; nothing else
  };
  Kind kind = Kind::tick;
  std::uint32_t hop = 0;
};

class Calendar {
 public:
  /// Adds an event at `cycle`, which must not lie before the cycle last taken.
  void schedule(Cycle cycle, Event event) {
    if (cycle - base_ >= kBuckets) return schedule_later(cycle, event);
    if (free_ == kEnd) add_node();
    const std::uint32_t index = free_;
    Node* const nodes = nodes_.data();
    free_ = nodes[index].next;
    nodes[index] = {event, kEnd};
    const std::size_t at = cycle % kBuckets;
    Bucket& bucket = buckets_[at];
    const std::uint64_t bit = std::uint64_t{1} << at % 64;
    if ((occupied_[at / 64] & bit) == 0) {
      occupied_[at / 64] |= bit;
      bucket.first = index;
    } else {
      nodes[bucket.last].next = index;
    }
    bucket.last = index;
  }

  /// The cycle of the earliest event, or kNever.
  Cycle next() const {
    const Cycle near = next_in_ring();
    return later_.empty() ? near : std::min(near, later_.front().first);
  }

  /// Takes all events of `cycle` = next() out and calls visit(event) for each. Later schedules, those of
  /// `visit` too, must be at `cycle` or after; what they add at `cycle` stays.
  template <class Visit>
  void take(Cycle cycle, Visit visit) {
    base_ = cycle;
    const std::size_t at = cycle % kBuckets;
    const std::uint64_t bit = std::uint64_t{1} << at % 64;
    if ((occupied_[at / 64] & bit) != 0) {
      occupied_[at / 64] &= ~bit;
      const Bucket bucket = buckets_[at];
      for (std::uint32_t index = bucket.first; index != kEnd;) {
        const Node node = nodes_[index];
        visit(node.event);
        index = node.next;
      }
      nodes_[bucket.last].next = free_;
      free_ = bucket.first;
    }
    while (!later_.empty() && later_.front().first == cycle) {
      const Event event = later_.front().second;
      std::pop_heap(later_.begin(), later_.end(), LaterFirst{});
      later_.pop_back();
      visit(event);
    }
  }

 private:
  // What is rare stands apart, so that what is not costs no call.
  [[gnu::noinline]] void schedule_later(Cycle cycle, Event event) {
    later_.emplace_back(cycle, event);
    std::push_heap(later_.begin(), later_.end(), LaterFirst{});
  }
  [[gnu::noinline]] void add_node() {
    free_ = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }

  static constexpr std::size_t kBuckets = 2048;  // a power of two and a multiple of 64
  static constexpr std::size_t kWords = kBuckets / 64;
  static constexpr std::uint32_t kEnd = 0xffffffff;
  /// An event in the list of its bucket; what is free is a list, too, so that few are in use at a time.
  struct Node {
    Event event;
    std::uint32_t next = kEnd;
  };
  /// Means something where occupied_ says so.
  struct Bucket {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  struct LaterFirst {
    bool operator()(const std::pair<Cycle, Event>& a, const std::pair<Cycle, Event>& b) const {
      return a.first > b.first;
    }
  };

  /// The ring holds the cycles base_ … base_ + kBuckets − 1 only.
  Cycle next_in_ring() const {
    const std::size_t start = base_ % kBuckets;
    for (std::size_t step = 0; step <= kWords; ++step) {
      const std::size_t word = (start / 64 + step) % kWords;
      std::uint64_t bits = occupied_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << start % 64;
      if (step == kWords) bits &= ~(~std::uint64_t{0} << start % 64);
      if (bits == 0) continue;
      const std::size_t bucket = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return base_ + (bucket + kBuckets - start) % kBuckets;
    }
    return kNever;
  }

  Cycle base_ = 0;
  std::vector<Node> nodes_;
  std::uint32_t free_ = kEnd;
  std::array<Bucket, kBuckets> buckets_{};
  std::array<std::uint64_t, kWords> occupied_{};
  std::vector<std::pair<Cycle, Event>> later_;
};

}  // namespace wormcast
