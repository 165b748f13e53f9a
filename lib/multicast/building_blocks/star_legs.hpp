// What the general star algorithms know of a multicast: which destination may follow which, at what cost.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace wormcast {

/// Destinations in an order in which a path may visit them, ports it may leave by, and the hops of
/// legs. No destination follows a later one.
class StarLegs {
 public:
  static constexpr std::uint32_t no_leg = std::numeric_limits<std::uint32_t>::max();

  StarLegs() = default;
  StarLegs(const StarLegs&) = default;
  StarLegs& operator=(const StarLegs&) = default;
  StarLegs(StarLegs&&) = default;
  StarLegs& operator=(StarLegs&&) = default;
  virtual ~StarLegs() = default;

  virtual std::size_t size() const = 0;
  /// Paths there can be; each starts at a port of its own number.
  virtual std::size_t port_count() const = 0;
  /// Ports of one kind can be exchanged, and have neighbouring numbers.
  virtual std::size_t kind(std::size_t port) const { return port; }
  /// Hops from the source by `port` to destination j as its first; no_leg if not allowed.
  virtual std::uint32_t first(std::size_t port, std::size_t j) const = 0;
  /// Hops from destination i to destination j > i; no_leg if j may not follow i.
  virtual std::uint32_t leg(std::size_t i, std::size_t j) const = 0;
};

}  // namespace wormcast
