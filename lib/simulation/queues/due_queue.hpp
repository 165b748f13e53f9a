// What is due at a known time, first things first: a queue for those that come in order, as nearly all do
// where worms are equally long, and a heap for the others. O(1) and O(log n).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace wormcast {

// A queue in an array that is used in a circle, and doubles when it is full: nothing is allocated per entry.

template <class Entry>
class Ring {
 public:
  bool empty() const { return first_ == end_; }
  /// The entry `index` places behind the first; there must be one.
  const Entry& operator[](std::size_t index) const { return entries_[(first_ + index) & mask_]; }
  const Entry& front() const { return (*this)[0]; }
  /// The one pushed last; there must be one.
  Entry& back() { return entries_[(end_ - 1) & mask_]; }
  void push_back(const Entry& entry) {
    if (end_ - first_ > mask_) [[unlikely]]
      grow();
    entries_[end_++ & mask_] = entry;
  }
  /// Takes the first `count` entries away.
  void pop_front(std::size_t count = 1) { first_ += count; }

 private:
  [[gnu::noinline]] void grow() {
    const std::size_t size = end_ - first_;
    auto wider = std::make_unique<Entry[]>(2 * size);
    for (std::size_t i = 0; i < size; ++i) wider[i] = (*this)[i];
    entries_ = std::move(wider);
    mask_ = 2 * size - 1;
    first_ = 0;
    end_ = size;
  }

  std::size_t mask_ = 63;  ///< a power of two less one
  std::size_t first_ = 0;  ///< counted from the beginning, as end_
  std::size_t end_ = 0;
  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(mask_ + 1);
};

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

  Ring<Entry> in_order_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> others_;
};

}  // namespace wormcast
