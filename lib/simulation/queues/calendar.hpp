// A calendar queue in integer time: events of the next cycles in a ring of buckets, later ones in
// a heap. Scheduling and taking cost O(1) near the present; idle time is skipped by bit scans.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast {

inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// What falls due in a cycle. `hop` is the slot of a hop.
struct Event {
  enum class Kind : std::uint32_t {
    request,  ///< the hop is requested
    inject,   ///< of allocating routers: the worm of this number comes to its source
    header,   ///< the header can ask for what follows the hop
    release,  ///< a unit of the hop's resource is free again, or an observer wants to know that it is
    wake,     ///< the hop's resource is free, and a request waits for it
    tail,     ///< a tail starts to move into the hop, a consumption channel
    arrival,  ///< a tail comes over a host's link
    flit,     ///< a flit is due (Motion::flit_due)
    tick      ///< flits may be able to move; nothing else
  };
  Kind kind = Kind::tick;
  std::uint32_t hop = 0;
};

class Calendar {
 public:
  Calendar() { open_.fill(&full_); }
  Calendar(const Calendar&) = delete;
  Calendar& operator=(const Calendar&) = delete;

  /// Adds an event at `cycle`, which must not lie before the cycle last taken.
  void schedule(Cycle cycle, Event event) {
    next_ = std::min(next_, cycle);
    if (cycle - base_ >= kBuckets) return schedule_later(cycle, event);
    Chunk* chunk = open_[cycle % kBuckets];
    if (chunk->count == kChunk) chunk = add_chunk(cycle % kBuckets);
    chunk->events[chunk->count++] = event;
  }

  /// The cycle of the earliest event, or kNever.
  Cycle next() const { return next_; }

  /// Takes all events of `cycle` <= next() out and calls visit(event) for each. Later schedules, those of
  /// `visit` too, must be at `cycle` or after; what they add at `cycle` stays.
  template <class Visit>
  void take(Cycle cycle, Visit visit) {
    base_ = cycle;
    if (next_ != cycle) return;
    next_ = kNever;
    const std::size_t at = cycle % kBuckets;
    const std::uint64_t bit = std::uint64_t{1} << at % 64;
    if ((occupied_[at / 64] & bit) != 0) {
      if ((occupied_[at / 64] &= ~bit) == 0) words_ &= ~(1U << at / 64);
      open_[at] = &full_;
      for (Chunk* chunk = first_[at]; chunk != nullptr;) {
        const std::uint32_t count = chunk->count;  // nothing is added to what is taken out
        for (std::uint32_t i = 0; i < count; ++i) visit(chunk->events[i]);
        Chunk* const next = std::exchange(chunk->next, free_);
        free_ = std::exchange(chunk, next);
      }
    }
    while (!later_.empty() && later_.top().first == cycle) {
      const Event event = later_.top().second;
      later_.pop();
      visit(event);
    }
    next_ = std::min(next_, next_in_ring());
    if (!later_.empty()) next_ = std::min(next_, later_.top().first);
  }

 private:
  static constexpr std::uint32_t kChunk = 14;
  /// Some events of a bucket; two cache lines. What is free is a list, too, so that few are in use at a time.
  struct alignas(64) Chunk {
    std::array<Event, kChunk> events;
    Chunk* next = nullptr;
    std::uint32_t count = 0;
  };
  static_assert(sizeof(Chunk) == 128);

  // What is rare stands apart, so that what is not costs no call.
  [[gnu::noinline]] void schedule_later(Cycle cycle, Event event) { later_.emplace(cycle, event); }
  /// The bucket's last chunk is full, or it has none.
  [[gnu::noinline]] Chunk* add_chunk(std::size_t bucket) {
    Chunk* chunk = free_ != nullptr ? std::exchange(free_, free_->next) : &chunks_.emplace_back();
    chunk->next = nullptr;
    chunk->count = 0;
    const std::uint64_t bit = std::uint64_t{1} << bucket % 64;
    ((occupied_[bucket / 64] & bit) == 0 ? first_[bucket] : open_[bucket]->next) = chunk;
    occupied_[bucket / 64] |= bit;
    words_ |= 1U << bucket / 64;
    open_[bucket] = chunk;
    return chunk;
  }

  static constexpr std::size_t kWords = 32;
  static constexpr std::size_t kBuckets = kWords * 64;
  struct LaterFirst {
    bool operator()(const std::pair<Cycle, Event>& a, const std::pair<Cycle, Event>& b) const {
      return a.first > b.first;
    }
  };

  /// The ring holds the cycles base_ … base_ + kBuckets − 1 only.
  Cycle next_in_ring() const {
    const std::size_t start = base_ % kBuckets;
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & ~std::uint64_t{0} << start % 64;
    if (bits == 0) {  // the word itself comes last: it may hold the end of the ring
      if (words_ == 0) return kNever;
      const auto turned = std::rotr(words_, static_cast<int>(word + 1));
      word = (word + 1 + static_cast<std::size_t>(std::countr_zero(turned))) % kWords;
      bits = occupied_[word];
    }
    const std::size_t bucket = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return base_ + (bucket + kBuckets - start) % kBuckets;
  }

  Cycle base_ = 0;
  Cycle next_ = kNever;
  std::deque<Chunk> chunks_;  ///< which stay where they are
  Chunk* free_ = nullptr;
  Chunk full_{
      .events = {}, .next = nullptr, .count = kChunk};  ///< stands for the last chunk of what has none
  std::array<Chunk*, kBuckets> open_;                   ///< the last chunk of each bucket
  std::array<Chunk*, kBuckets> first_{};                ///< means something where occupied_ says so
  std::array<std::uint64_t, kWords> occupied_{};
  std::uint32_t words_ = 0;  ///< of occupied_, those that are not 0
  std::priority_queue<std::pair<Cycle, Event>, std::vector<std::pair<Cycle, Event>>, LaterFirst> later_;
};

// What arrives after few cycles, all of one kind: a list for each of the next cycles. Later arrivals wait in
// a heap. Adding and taking cost O(1), and nothing has to be told apart.
class DelayLine {
 public:
  /// Never do more than `most` arrive in one cycle.
  explicit DelayLine(std::size_t most)
      : most_(most), lists_(new std::uint32_t[kCycles * most]) {  // not cleared
    for (std::size_t i = 0; i < kCycles; ++i) ends_[i] = list(i);
  }
  /// `what` arrives at `now` + `delay`, delay ≥ 1. `now` is the cycle last taken.
  void add(Cycle now, Cycle delay, std::uint32_t what) {
    if (delay >= kCycles) return add_later(now + delay, what);
    *ends_[(now + delay) % kCycles]++ = what;
  }
  /// Takes what arrives at `cycle`: no cycle with arrivals may be left out. It stands there until that is
  /// past; what was long under way last, in the order of key(what).
  template <class Key>
  std::span<const std::uint32_t> take(Cycle cycle, Key key) {
    const std::size_t at = cycle % kCycles;
    std::uint32_t* const later = std::exchange(ends_[at], list(at));
    std::uint32_t* end = later;
    for (; !later_.empty() && later_.front().first == cycle; later_.pop_back()) {
      *end++ = later_.front().second;
      std::pop_heap(later_.begin(), later_.end(), std::greater<>{});
    }
    std::sort(later, end, [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    return {list(at), end};
  }
  /// The first cycle after `now` in which anything arrives, or kNever.
  Cycle next(Cycle now) const {
    const Cycle later = later_.empty() ? kNever : later_.front().first;
    for (Cycle cycle = now + 1; cycle < now + kCycles; ++cycle)
      if (ends_[cycle % kCycles] != list(cycle % kCycles)) return std::min(cycle, later);
    return later;
  }
  /// Calls change(what) for all that is under way.
  template <class Change>
  void each(Change change) {
    for (std::size_t i = 0; i < kCycles; ++i) std::for_each(list(i), ends_[i], change);
    for (auto& [cycle, what] : later_) change(what);
    std::make_heap(later_.begin(), later_.end(), std::greater<>{});
  }

 private:
  static constexpr Cycle kCycles = 16;

  std::uint32_t* list(std::size_t cycle) const { return lists_.get() + cycle * most_; }
  [[gnu::noinline]] void add_later(Cycle cycle, std::uint32_t what) {
    later_.emplace_back(cycle, what);
    std::push_heap(later_.begin(), later_.end(), std::greater<>{});
  }

  std::size_t most_;
  std::unique_ptr<std::uint32_t[]> lists_;
  std::array<std::uint32_t*, kCycles> ends_;            ///< behind the last of each list
  std::vector<std::pair<Cycle, std::uint32_t>> later_;  ///< a heap, the earliest first
};

/// What is due at a known time, first things first: a queue for those that come in order, as nearly all do
/// where worms are equally long, and a heap for the others. O(1) and O(log n).
/// Entries are ordered by their operator>; equal ones leave in no particular order.
template <class Entry>
class DueQueue {
 public:
  bool empty() const { return in_order_.empty() && others_.empty(); }
  /// The first of all; there must be one.
  const Entry& first() const { return from_others() ? others_.top() : in_order_.front(); }
  void push(const Entry& entry) {
    if (in_order_.empty() || !(in_order_.back() > entry))
      in_order_.push_back(entry);
    else
      others_.push(entry);
  }
  void pop() {
    if (from_others())
      others_.pop();
    else
      in_order_.pop_front();
  }

 private:
  bool from_others() const {
    return !others_.empty() && (in_order_.empty() || in_order_.front() > others_.top());
  }

  std::deque<Entry> in_order_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> others_;
};

}  // namespace wormcast
