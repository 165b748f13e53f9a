// A labelled graph for tests: any links, node = label.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "topology/topology.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::testing {

/// Nodes are numbered by their labels, so consecutive nodes must be linked.
class LabelledGraph final : public Topology {
 public:
  LabelledGraph(std::uint32_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& links)
      : Topology(spec(), nodes, nodes, degree(nodes, links)), neighbours_(nodes) {
    for (const auto& [a, b] : links) {
      neighbours_[a].push_back(b);
      neighbours_[b].push_back(a);
    }
    for (auto& list : neighbours_) std::sort(list.begin(), list.end());
  }

  std::string whole_name() const override { return "test-graph"; }
  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    if (port.value >= neighbours_[node.value].size()) return std::nullopt;
    return NodeId{neighbours_[node.value][port.value]};
  }
  std::uint32_t distance(NodeId from, NodeId to) const override {
    std::vector<std::uint32_t> hops(routers(), 0xffffffff);
    std::queue<std::uint32_t> queue({from.value});
    hops[from.value] = 0;
    for (; !queue.empty(); queue.pop())
      for (const std::uint32_t next : neighbours_[queue.front()])
        if (hops[next] == 0xffffffff) {
          hops[next] = hops[queue.front()] + 1;
          queue.push(next);
        }
    return hops[to.value];
  }

 protected:
  Label closed_form_label(NodeId node) const override { return Label{node.value}; }
  NodeId closed_form_node_at(Label label) const override { return NodeId{label.value}; }

 private:
  static TopologySpec spec() {
    TopologySpec spec;
    spec.family = "test";
    return spec;
  }
  static std::uint32_t degree(std::uint32_t nodes,
                              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& links) {
    std::vector<std::uint32_t> count(nodes, 0);
    for (const auto& [a, b] : links) {
      ++count[a];
      ++count[b];
    }
    return *std::max_element(count.begin(), count.end());
  }

  std::vector<std::vector<std::uint32_t>> neighbours_;
};

/// Whether random links can join two nodes that are linked.
enum class Parallel : bool { no, yes };

/// A path through all nodes and `extra` random links more.
inline std::unique_ptr<const Topology> random_labelled_graph(std::uint32_t nodes, std::uint32_t extra,
                                                             Dice& dice, Parallel parallel = Parallel::no) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  for (std::uint32_t i = 0; i + 1 < nodes; ++i) links.emplace_back(i, i + 1);
  for (std::uint32_t i = 0; i < extra; ++i) {
    std::uint32_t a = dice.below(nodes);
    std::uint32_t b = dice.below(nodes);
    if (a > b) std::swap(a, b);
    const bool linked = std::find(links.begin(), links.end(), std::pair(a, b)) != links.end();
    if (a == b || (linked && parallel == Parallel::no)) continue;
    links.emplace_back(a, b);
  }
  return std::make_unique<LabelledGraph>(nodes, links);
}

}  // namespace wormcast::testing
