// Channels sorted by router and port, and breadth-first search over them.
//
// Channel ids are walked, not ports: a link may name port 65535 of a router that has one link.
// Cost: O(channel ids + channels · log(ports of a router)). cite: this project.
// SPDX-License-Identifier: MIT
#include "topology/adjacency.hpp"

#include <algorithm>

namespace wormcast {

Adjacency::Adjacency(const Topology& topology, bool back) : first_(topology.routers() + std::size_t{1}) {
  for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
    if (const auto ends = topology.ends(ChannelId{c})) ++first_[(back ? ends->to : ends->from).value + 1];
  for (std::size_t r = 1; r < first_.size(); ++r) first_[r] += first_[r - 1];
  channels_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
    if (const auto ends = topology.ends(ChannelId{c}))
      channels_[next[(back ? ends->to : ends->from).value]++] = {back ? ends->from : ends->to, ends->port,
                                                                 ChannelId{c}};
  for (std::size_t r = 0; r + 1 < first_.size(); ++r)
    std::sort(channels_.begin() + first_[r], channels_.begin() + first_[r + 1],
              [](const OutChannel& a, const OutChannel& b) { return a.port < b.port; });
}

void Adjacency::search(NodeId from, std::vector<std::uint32_t>& hops, std::vector<NodeId>& reached) const {
  hops.assign(routers(), unreachable);
  reached.assign(1, from);
  hops[from.value] = 0;
  for (std::size_t head = 0; head < reached.size(); ++head)
    for (const OutChannel& channel : out(reached[head])) {
      if (hops[channel.to.value] != unreachable) continue;
      hops[channel.to.value] = hops[reached[head].value] + 1;
      reached.push_back(channel.to);
    }
}

}  // namespace wormcast
