// The channels of the legs of a star, and whether legs share any.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"

namespace wormcast {

/// Channels in the order they are taken.
using Channels = std::vector<std::uint32_t>;

/// The leg from the source by a port of the half to destination j.
Channels first_leg_channels(const StarHalf& half, std::size_t port, std::size_t j);
/// The leg from destination i to destination j.
Channels leg_channels(const StarHalf& half, std::size_t i, std::size_t j);

/// A set of channels that is emptied in no time.
class ChannelMarks {
 public:
  explicit ChannelMarks(const Topology& topology) : stamp_(topology.channel_bound(), 0) {}
  void clear() { ++present_; }
  void add(const Channels& channels) {
    for (const std::uint32_t channel : channels) stamp_[channel] = present_;
  }
  bool meets(const Channels& channels) const {
    for (const std::uint32_t channel : channels)
      if (stamp_[channel] == present_) return true;
    return false;
  }

 private:
  std::vector<std::uint32_t> stamp_;
  std::uint32_t present_ = 1;
};

}  // namespace wormcast
