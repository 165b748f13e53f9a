// Words of ids that are not at hand.
// SPDX-License-Identifier: MIT
#include "multicast/id_set.hpp"

#include <iterator>

namespace wormcast {

namespace {

constexpr std::uint64_t all_ids = ~std::uint64_t{0};

}  // namespace

std::uint64_t IdSet::stored(std::uint64_t index) const {
  const auto next = full_.upper_bound(index);
  if (next != full_.begin() && std::prev(next)->second >= index) return all_ids;
  const auto found = words_.find(index);
  return found == words_.end() ? 0 : found->second;
}

void IdSet::go_to(std::uint64_t index) {
  if (here_ == all_ids)
    fill(at_);
  else if (here_ != 0)
    words_[at_] = here_;
  at_ = index;
  here_ = stored(index);
}

/// The word, which is full, belongs to the ranges.
void IdSet::fill(std::uint64_t index) {
  auto next = full_.upper_bound(index);
  const auto before = next == full_.begin() ? full_.end() : std::prev(next);
  if (before != full_.end() && before->second >= index) return;  // it was only looked into
  words_.erase(index);
  std::uint64_t last = index;
  if (next != full_.end() && next->first == index + 1) {
    last = next->second;
    next = full_.erase(next);
  }
  if (before != full_.end() && before->second + 1 == index)
    before->second = last;
  else
    full_.emplace_hint(next, index, last);
}

}  // namespace wormcast
