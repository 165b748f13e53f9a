// A queue in an array that is used in a circle, and doubles when it is full: nothing is allocated per entry.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace wormcast {

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

}  // namespace wormcast
