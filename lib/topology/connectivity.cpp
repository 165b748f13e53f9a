// Whether a network is in one piece.
//
// Cost: O(channel ids), almost; memory: one number a router. cite: Tarjan 1975 (union-find). Where channels
// have none back, a search along them and one against them from the same router reach all others.
// SPDX-License-Identifier: MIT
#include "topology/connectivity.hpp"

#include "topology/faults.hpp"

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

std::optional<std::string> disconnected(const Topology& topology) {
  RouterSets pieces(topology.routers());
  for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
    if (const auto ends = topology.ends(ChannelId{c})) pieces.join(ends->from.value, ends->to.value);
  std::uint32_t reached = 0;
  for (std::uint32_t r = 0; r < topology.routers(); ++r) reached += pieces.find(r) == pieces.find(0) ? 1 : 0;
  if (reached == topology.routers()) return std::nullopt;
  return "it is not connected: router 0 reaches " + std::to_string(reached) + " of " +
         std::to_string(topology.routers());
}

std::optional<std::string> channels_without_return(const Topology& topology) {
  if (topology.one_way_grid()) return "its channels run one way";
  if (topology.ways() == Ways::mixed) return "some of its links run one way";
  return std::nullopt;
}

std::optional<std::string> no_paths_both_ways(const Topology& topology) {
  if (auto one_way = channels_without_return(topology)) return one_way;
  return disconnected(topology);
}

std::optional<std::string> no_paths(const Topology& topology) {
  if (topology.one_way_grid() && topology.intact()) return "its channels run one way";
  if (auto apart = disconnected(topology)) return apart;
  if (topology.ways() == Ways::both) return std::nullopt;
  for (const bool back : {false, true}) {
    const Adjacency adjacency(topology, back);
    std::vector<std::uint32_t> hops;
    std::vector<NodeId> reached;
    adjacency.search(NodeId{0}, hops, reached);
    if (reached.size() == topology.routers()) continue;
    const auto cut = std::find(hops.begin(), hops.end(), unreachable) - hops.begin();
    std::string other = router_name(topology, NodeId{static_cast<std::uint32_t>(cut)});
    const std::string first = router_name(topology, NodeId{0});
    if (const std::size_t others = topology.routers() - reached.size() - 1; others > 0)
      other += (back ? " (nor from " : " (nor to ") + std::to_string(others) + " more)";
    return "no path leads from router " + (back ? other : first) + " to router " + (back ? first : other);
  }
  return std::nullopt;
}

}  // namespace wormcast
