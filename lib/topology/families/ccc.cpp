// Cube-connected cycles: every node of an n-cube becomes a cycle of n nodes, one for each dimension.
//
// Node w·n + i is node i of cycle w, so numeric order is the dimension order <_d of the multicast
// algorithms. Ports: + (to i+1 mod n), − (to i−1 mod n), cube (flips bit i of w). There is no closed
// form of a Hamiltonian path here: nodes are labelled only if the labels are given.
// cite: Preparata, Vuillemin 1981; Song, Hou, Shi 1999 (Definition 1).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <string>

#include "topology/topology.hpp"

namespace wormcast {
namespace {

/// Steps of a shortest walk on a ring of `size` from position 0 to `end` that visits every position
/// in the bit set `visit`. The walk covers an interval [left, right] of the unrolled ring and turns
/// at both of its ends at most once; the shorter of the two directions to start in costs
/// 2·(right − left) − |end|. O(size).
std::uint32_t ring_walk(std::uint32_t visit, std::uint32_t end, std::uint32_t size) {
  const int n = static_cast<int>(size);
  int best = 3 * n;
  for (int left = 0; left <= n; ++left) {  // positions n−left … n−1 are visited from the left
    const std::uint32_t rest = visit & ((1u << (n - left)) - 1);
    const int right = rest == 0 ? 0 : static_cast<int>(std::bit_width(rest)) - 1;
    for (const int target : {static_cast<int>(end), static_cast<int>(end) - n}) {
      const int low = std::min(-left, target);
      const int high = std::max(right, target);
      best = std::min(best, 2 * (high - low) - std::abs(target));
    }
  }
  return static_cast<std::uint32_t>(best);
}

class CubeConnectedCycles final : public Topology {
 public:
  CubeConnectedCycles(TopologySpec spec, std::uint32_t dimensions)
      : Topology(std::move(spec), dimensions << dimensions, dimensions << dimensions, 3),
        dimensions_(dimensions) {
    adopt_given_labels();
  }

  std::string whole_name() const override { return "ccc-" + std::to_string(dimensions_); }
  std::uint32_t cycle_nodes() const override { return dimensions_; }

  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    const std::uint32_t i = node.value % dimensions_;
    const std::uint32_t first = node.value - i;
    if (port.value == 0) return NodeId{first + (i + 1 == dimensions_ ? 0 : i + 1)};
    if (port.value == 1) return NodeId{first + (i == 0 ? dimensions_ - 1 : i - 1)};
    return NodeId{(first / dimensions_ ^ (1u << i)) * dimensions_ + i};
  }

  bool labelled() const override { return !spec().labels.empty(); }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    const std::uint32_t differ = from.value / dimensions_ ^ to.value / dimensions_;
    const std::uint32_t start = from.value % dimensions_;
    const std::uint32_t end = to.value % dimensions_;
    const std::uint32_t all = (1u << dimensions_) - 1;
    const std::uint32_t visit = (differ >> start | differ << (dimensions_ - start)) & all;
    const std::uint32_t ahead = end >= start ? end - start : end + dimensions_ - start;
    return static_cast<std::uint32_t>(std::popcount(differ)) + ring_walk(visit, ahead, dimensions_);
  }

 private:
  std::uint32_t dimensions_;
};

std::unique_ptr<const Topology> build_ccc(TopologySpec spec) {
  const std::uint32_t dimensions = checked_dimensions(spec, 3, 21);  // 22 makes more than max_channel_ids
  return std::make_unique<CubeConnectedCycles>(std::move(spec), dimensions);
}

}  // namespace

extern const TopologyFamily topology_ccc = {
    .name = "ccc",
    .summary = "cube-connected cycles; node = w*N + i for node i of cycle w",
    .usage = "N",
    .sizes_key = "dimensions",
    .cite = "Preparata, Vuillemin 1981",
    .build = build_ccc,
};

}  // namespace wormcast
