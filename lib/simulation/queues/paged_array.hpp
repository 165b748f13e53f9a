// Arrays that grow: by pages that come into being when first written, and by slots that are used again.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace wormcast {

/// Of value-initialised elements: state per resource of a million-node network costs memory only where worms
/// have been.
template <class T>
class PagedArray {
 public:
  /// The element, created with its page where it was never touched.
  T& operator[](std::size_t index) {
    return get(index, [](T&, std::size_t) {});
  }
  /// The same; begin(element, index) is called for every element of a page that comes into being.
  template <class Begin>
  T& get(std::size_t index, Begin begin) {
    const std::size_t page = index / kPage;
    if (page >= pages_.size() || !pages_[page]) add(page, begin);
    return (*pages_[page])[index % kPage];
  }
  /// The element, or nullptr where its page was never touched.
  const T* find(std::size_t index) const {
    const std::size_t page = index / kPage;
    return page < pages_.size() && pages_[page] ? &(*pages_[page])[index % kPage] : nullptr;
  }
  /// One past the last element that can exist now.
  std::size_t bound() const { return pages_.size() * kPage; }

 private:
  static constexpr std::size_t kPage = 512;
  using Page = std::array<T, kPage>;
  /// Apart, so that what is rare does not stand in the way of what is not.
  template <class Begin>
  [[gnu::noinline]] void add(std::size_t page, Begin begin) {
    if (page >= pages_.size()) pages_.resize(page + 1);
    pages_[page] = std::make_unique<Page>();
    for (std::size_t i = 0; i < kPage; ++i) begin((*pages_[page])[i], page * kPage + i);
  }
  std::vector<std::unique_ptr<Page>> pages_;
};

/// Slots that are used again; what stood in one keeps its buffers. take() may move what the others hold.
template <class T>
class SlotPool {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }
  T& operator[](std::uint32_t slot) { return slots_[slot]; }
  const T& operator[](std::uint32_t slot) const { return slots_[slot]; }
  auto begin() const { return slots_.begin(); }
  auto end() const { return slots_.end(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  std::vector<T> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace wormcast
