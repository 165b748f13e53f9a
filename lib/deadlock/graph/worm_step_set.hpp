// A set of the steps of one worm, as bits.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wormcast {

/// Steps are numbered from 0; every set that is combined with another has the same size.
class StepSet {
 public:
  StepSet() = default;
  explicit StepSet(std::size_t steps) : words_((steps + 63) / 64) {}

  bool has(std::uint32_t step) const { return (words_[step / 64] >> (step % 64) & 1U) != 0; }
  void add(std::uint32_t step) { words_[step / 64] |= std::uint64_t{1} << (step % 64); }
  StepSet& operator|=(const StepSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  StepSet& operator&=(const StepSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  void remove(const StepSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  bool contains(const StepSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((other.words_[i] & ~words_[i]) != 0) return false;
    return true;
  }
  bool meets(const StepSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((other.words_[i] & words_[i]) != 0) return true;
    return false;
  }
  bool empty() const {
    for (const std::uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }
  friend bool operator==(const StepSet&, const StepSet&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace wormcast
