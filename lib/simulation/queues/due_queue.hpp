// What is due at a known time, first things first: a queue for those that come in order, as nearly all do
// where worms are equally long, and a heap for the others. O(1) and O(log n).
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "simulation/queues/ring.hpp"

namespace wormcast {

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
