// Stars of least traffic on any labelled graph, for any number of ports.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/stars/up_down_star.hpp"

namespace wormcast {

/// A half as a star without port limits sees it: every path starts at the source itself and takes the
/// best port for its first destination.
class UnlimitedStar final : public StarLegs {
 public:
  /// `half` must outlive it, and have a port.
  explicit UnlimitedStar(const StarHalf& half);

  std::size_t size() const override { return half_->size(); }
  /// One more than there can be paths, so that in every star some port stays unused.
  std::size_t port_count() const override { return size() + 1; }
  std::uint32_t first(std::size_t, std::size_t j) const override { return first_[j]; }
  std::uint32_t leg(std::size_t i, std::size_t j) const override { return half_->leg(i, j); }

  /// The star with every path at a port of the half.
  Star with_ports(Star star) const;

 private:
  const StarHalf* half_;
  std::vector<std::uint32_t> first_;    ///< hops of the shortest first leg to each destination …
  std::vector<std::size_t> best_port_;  ///< … and the port it leaves by, the first of several
};

/// The star of least traffic; O(ports · k²) time.
Star least_traffic_flow(StarHalf& half);
/// The same without port limits, of the fewest paths; O(paths · k²) time.
Star least_traffic_flow(const UnlimitedStar& legs);
/// The same of up*/down* path worms, of which there must be a star.
Star least_traffic_flow(const UpDownStar& legs);

}  // namespace wormcast
