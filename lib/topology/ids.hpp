// Distinct types for the dense integers of the library, so that a label cannot be passed for a node; helpers
// for lists: consecutive numbers, duplicates.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace wormcast {

/// A dense integer id in [0, 2^32). `Tag` only keeps the kinds apart; `value` is the plain number.
template <class Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t number) : value(number) {}
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// A router; on direct networks also its processor.
using NodeId = Id<struct NodeTag>;
/// A multicast end point. On direct networks host h is the processor of node h.
using HostId = Id<struct HostTag>;
/// Position of a node on the Hamiltonian path, in [0, routers).
using Label = Id<struct LabelTag>;
/// Attachment of a router, in [0, ports). Mesh and torus: +x −x +y −y …; hypercube: the bit.
using PortId = Id<struct PortTag>;
/// One directed link between routers: sending router · ports + port; graph link k has 2k and 2k+1.
using ChannelId = Id<struct ChannelTag>;
/// Anything a worm can hold and another can wait for (router/router_model.hpp).
using ResourceId = Id<struct ResourceTag>;

/// Clock time in cycles, from 0.
using Cycle = std::uint64_t;

/// Largest integer a record may hold, 2^53 − 1: every JSON implementation keeps it exact.
inline constexpr std::uint64_t max_integer = (std::uint64_t{1} << 53) - 1;

/// `first`, `first` + 1 and so on, `count` of them.
inline std::vector<std::uint32_t> numbers_from(std::uint32_t first, std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}
/// Sorts the list and removes duplicates.
template <class List>
void sort_unique(List& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}
/// Sorts the list; its least duplicate, or nullptr.
template <class List>
const typename List::value_type* twice_in(List& list) {
  std::sort(list.begin(), list.end());
  const auto twice = std::adjacent_find(list.begin(), list.end());
  return twice == list.end() ? nullptr : &*twice;
}

}  // namespace wormcast

template <class Tag>
struct std::hash<wormcast::Id<Tag>> {
  std::size_t operator()(wormcast::Id<Tag> id) const noexcept { return id.value; }
};
