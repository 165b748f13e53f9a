// An array of value-initialised elements whose pages come into being when first written.
// State per resource of a million-node network costs memory only where worms have been.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace wormcast {

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

}  // namespace wormcast
