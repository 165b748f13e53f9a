// Completed multicasts by cycle and id: a queue for those that come in order, as nearly all do where worms
// are equally long, and a heap for the others. O(1) and O(log n).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast {

/// A multicast whose last tail comes in `cycle`, which may lie ahead.
struct Completion {
  Cycle cycle = 0;
  std::uint64_t id = 0;
  std::uint32_t slot = 0;  ///< in the ledger
  bool operator>(const Completion& other) const {
    return cycle != other.cycle ? cycle > other.cycle : id > other.id;
  }
};

class CompletionQueue {
 public:
  bool empty() const { return in_order_.empty() && others_.empty(); }
  /// The first of all; there must be one.
  const Completion& first() const { return from_others() ? others_.top() : in_order_.front(); }
  void push(const Completion& completion) {
    if (in_order_.empty() || completion > in_order_.back())
      in_order_.push_back(completion);
    else
      others_.push(completion);
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

  std::deque<Completion> in_order_;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> others_;
};

}  // namespace wormcast
