// Dual ascent for the Steiner arborescence: packing cuts between the source and single destinations.
//
// Every tree from the source has a channel into each set of routers that has a destination and not the
// source. So a number of such sets that no channel enters twice is a lower bound. Sets are taken one by
// one: the routers from which a destination is reached over channels that are already counted, of all
// destinations the set that fewest other channels enter; those count from then on. A destination is done
// when its set has the source. The sets only grow, so their number of channels is looked at again only
// when it seems to be the least. Stopped at any time the sets so far still are a bound.
// Cost: O(channels) a set looked at, a few for each unit of the bound; a limit on the sum.
// cite: Wong 1984 (A dual ascent approach for Steiner tree problems on a directed graph).
// SPDX-License-Identifier: MIT
#include "multicast/bounds/bounds.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace wormcast {
namespace {

constexpr std::uint64_t most_channels = std::uint64_t{1} << 20;
constexpr std::uint64_t most_visits = 50'000'000;

class DualAscent {
 public:
  DualAscent(const Topology& topology, NodeId source)
      : source_(source),
        first_(topology.routers() + 1, 0),
        counted_(topology.channel_bound(), false),
        stamp_(topology.routers(), 0) {
    const auto each = [&](const auto& visit) {
      for (std::uint32_t node = 0; node < topology.routers(); ++node)
        for (std::uint32_t port = 0; port < topology.ports(); ++port)
          if (const auto to = topology.neighbour(NodeId{node}, PortId{port}))
            visit(to->value, In{node, topology.channel(NodeId{node}, PortId{port}).value});
    };
    each([&](std::uint32_t to, const In&) { ++first_[to + 1]; });
    for (std::size_t node = 1; node < first_.size(); ++node) first_[node] += first_[node - 1];
    into_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    each([&](std::uint32_t to, const In& in) { into_[next[to]++] = in; });
  }

  std::uint64_t bound(std::span<const NodeId> destinations) {
    using Entry =
        std::pair<std::size_t, std::size_t>;  // channels into the set when last looked at, destination
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (std::size_t i = 0; i < destinations.size(); ++i) open.emplace(0, i);
    std::uint64_t sets = 0;
    while (!open.empty() && visits_ < most_visits) {
      const std::size_t i = open.top().second;
      open.pop();
      if (!gather(destinations[i])) continue;
      if (!open.empty() && entering_.size() > open.top().first) {
        open.emplace(entering_.size(), i);
        continue;
      }
      for (const std::uint32_t channel : entering_) counted_[channel] = true;
      ++sets;
      open.emplace(entering_.size(), i);
    }
    return sets;
  }

 private:
  struct In {
    std::uint32_t from;
    std::uint32_t channel;
  };

  /// The set of `destination`, and the channels into it; false if it has the source, or nothing enters it.
  bool gather(NodeId destination) {
    entering_.clear();
    set_.assign(1, destination.value);
    stamp_[destination.value] = ++present_;
    for (std::size_t at = 0; at < set_.size(); ++at)
      for (std::uint32_t i = first_[set_[at]]; i < first_[set_[at] + 1]; ++i) {
        ++visits_;
        const In& in = into_[i];
        if (!counted_[in.channel] || stamp_[in.from] == present_) continue;
        if (in.from == source_.value) return false;
        stamp_[in.from] = present_;
        set_.push_back(in.from);
      }
    for (const std::uint32_t node : set_)
      for (std::uint32_t i = first_[node]; i < first_[node + 1]; ++i)
        if (stamp_[into_[i].from] != present_) entering_.push_back(into_[i].channel);
    return !entering_.empty();
  }

  NodeId source_;
  std::vector<std::uint32_t> first_;  ///< of each router in into_
  std::vector<In> into_;
  std::vector<bool> counted_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t present_ = 0;
  std::uint64_t visits_ = 0;
  std::vector<std::uint32_t> set_;
  std::vector<std::uint32_t> entering_;
};

}  // namespace

std::uint64_t dual_ascent_bound(const Topology& topology, std::span<const NodeId> points) {
  if (points.size() < 2 || topology.channel_bound() > most_channels) return 0;
  return DualAscent(topology, points.front()).bound(points.subspan(1));
}

}  // namespace wormcast
