// Shortest label-monotone routes: of the neighbours on one, the largest label (downwards the smallest).
//
// On meshes and hypercubes with the closed-form snake a shortest path of monotone label exists
// between any two nodes: let i be the highest dimension in which they differ; the order of the
// lower dimensions alternates between the slabs of dimension i, at least two of which are crossed,
// so the lower dimensions can be corrected (by induction monotonically) in one that runs the right
// way. Hence every neighbour that is one hop closer and not past the destination lies on such a
// path, and the choice is local. Elsewhere the distances come from a sweep down the labels: the
// channels of growing label form an acyclic graph, and d(u) = 1 + min d(w) over the neighbours w of
// larger label that is not past the destination. Small networks keep all of them in a table; large
// ones sweep the labels between the two ends for each hop.
// Cost a hop: O(ports) on meshes and hypercubes and with the table (N² entries, built once), else
// O(ports · |L(v) − L(u)|).
// cite: Lin, Ni 1991 (the label order); shortest monotone choice: this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <vector>

#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

/// Most nodes for which the distances of all pairs are kept (8 MiB).
constexpr std::uint32_t table_nodes = 2048;

/// Where the network's own distance is the monotone one: meshes and hypercubes with closed-form labels.
bool distance_is_monotone(const Topology& topology) {
  return topology.spec().labels.empty() && (topology.line_grid() || topology.bit_addresses());
}

class LabelShortest final : public LabelMonotone {
 public:
  explicit LabelShortest(const Topology& topology)
      : LabelMonotone(topology), local_(distance_is_monotone(topology)) {
    if (!local_ && topology.routers() <= table_nodes) fill_table();
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    if (from == to) return 0;
    if (local_) return topology().distance(from, to);
    if (!table_.empty()) return table_[entry(from, to)];
    return sweep(from, to).front();
  }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    if (local_ || !table_.empty())
      return to_best(at, state, destination, [&](NodeId node) { return distance(node, destination); });
    const std::vector<std::uint32_t> hops = sweep(at, destination);
    const std::uint32_t start = topology().label(at).value;
    return to_best(at, state, destination, [&](NodeId node) {
      const std::uint32_t label = topology().label(node).value;
      return hops[label < start ? start - label : label - start];
    });
  }

 private:
  std::size_t entry(NodeId from, NodeId to) const {
    return std::size_t{to.value} * topology().routers() + from.value;
  }

  /// Monotone hops to `to` of every label between the two ends, from `from`'s outwards.
  std::vector<std::uint32_t> sweep(NodeId from, NodeId to) const {
    const Topology& network = topology();
    const std::uint32_t start = network.label(from).value;
    const std::uint32_t target = network.label(to).value;
    const bool up = start < target;
    const std::uint32_t span = up ? target - start : start - target;
    std::vector<std::uint32_t> hops(span + 1, std::numeric_limits<std::uint32_t>::max());
    hops[span] = 0;
    for (std::uint32_t back = span; back-- > 0;) {
      const std::uint32_t label = up ? start + back : start - back;
      const NodeId node = network.node_at(Label{label});
      for (std::uint32_t port = 0; port < network.ports(); ++port) {
        const auto next_node = network.neighbour(node, PortId{port});
        if (!next_node) continue;
        const Label next_label = network.label(*next_node);
        if (!on_the_way(Label{label}, next_label, Label{target})) continue;
        const std::uint32_t offset = up ? next_label.value - start : start - next_label.value;
        hops[back] = std::min(hops[back], hops[offset] + 1);
      }
    }
    return hops;
  }

  void fill_table() {
    const Topology& network = topology();
    const std::uint32_t nodes = network.routers();
    table_.resize(std::size_t{nodes} * nodes);
    if (nodes == 0) return;
    const NodeId ends[2] = {network.node_at(Label{0}), network.node_at(Label{nodes - 1})};
    for (std::uint32_t destination = 0; destination < nodes; ++destination)
      for (const NodeId end : ends) {
        const std::vector<std::uint32_t> hops = sweep(end, NodeId{destination});
        for (std::uint32_t i = 0; i < hops.size(); ++i) {
          const NodeId node = network.node_at(Label{end == ends[0] ? i : nodes - 1 - i});
          table_[entry(node, NodeId{destination})] = static_cast<std::uint16_t>(hops[i]);
        }
      }
  }

  bool local_;
  std::vector<std::uint16_t> table_;
};

}  // namespace

extern const RoutingEntry routing_label_shortest = {
    .name = "label-shortest",
    .summary = "shortest route of monotone label; ties to the largest label (downwards the smallest)",
    .topologies = "any with Hamiltonian-path labels; shortest of all on meshes and hypercubes",
    .cite = "Lin, Ni 1991 (label order)",
    .unsupported = unlabelled,
    .bind = bound<LabelShortest>,
};

}  // namespace wormcast
