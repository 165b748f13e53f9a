// Optimal edge-disjoint stars for any number of ports, on small instances.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/stars/star_search.hpp"

namespace wormcast {

/// The best star whose paths share no channel and have at most `limit` hops each; `known` is one of them,
/// and returned (not exact) where more than `state_limit` states and legs would have to be tried. `bound`:
/// what no such star is below.
SearchResult disjoint_sweep(StarHalf& half, Goal goal, std::int64_t limit, const CostedStar& known,
                            const StarCost& bound, std::uint64_t state_limit);
/// The best star of one path: there is always one, and it shares no channel with another.
CostedStar single_path(const StarHalf& half);

/// The best star of a half with at most two ports whose paths share no channel. `bound` is a lower
/// bound on its first criterion: the optimum without the disjointness. There always is a star: the
/// single path.
CostedStar disjoint_pair(StarHalf& half, Goal goal, std::int64_t bound);

/// The one of least traffic among those whose longest path has at most `limit` hops; `known` is one of
/// them, `bound` a lower bound on the traffic.
CostedStar disjoint_pair_within(StarHalf& half, std::int64_t limit, const CostedStar& known,
                                std::int64_t bound);

/// True if no two paths of the star share a channel.
bool is_disjoint(const StarHalf& half, const Star& star);

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
