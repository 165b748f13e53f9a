// Hypercubes: node = binary address, port = the bit it flips, labels by the reflected Gray code.
//
// label(d) has bit i = d_{n-1} xor … xor d_i, the inverse of the Gray code, which is the snake of
// n dimensions of size 2. cite: Lin, Ni 1991 (label of a node of the n-cube).
// SPDX-License-Identifier: MIT
#include <bit>
#include <string>

#include "topology/topology.hpp"

namespace wormcast {
namespace {

class Hypercube final : public Topology {
 public:
  Hypercube(TopologySpec spec, std::uint32_t dimensions)
      : Topology(std::move(spec), 1u << dimensions, 1u << dimensions, dimensions), dimensions_(dimensions) {
    adopt_given_labels();
  }

  std::string whole_name() const override { return "hypercube-" + std::to_string(dimensions_); }
  bool bit_addresses() const override { return true; }

  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    return NodeId{node.value ^ (1u << port.value)};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    return static_cast<std::uint32_t>(std::popcount(from.value ^ to.value));
  }

 private:
  Label closed_form_label(NodeId node) const override {
    std::uint32_t label = node.value;
    for (std::uint32_t shift = 1; shift < 32; shift *= 2) label ^= label >> shift;
    return Label{label};
  }
  NodeId closed_form_node_at(Label label) const override { return NodeId{label.value ^ (label.value >> 1)}; }

  std::uint32_t dimensions_;
};

std::unique_ptr<const Topology> build_hypercube(TopologySpec spec) {
  const std::uint32_t dimensions = checked_dimensions(spec, 1, 23);  // 24 makes more than max_channel_ids
  return std::make_unique<Hypercube>(std::move(spec), dimensions);
}

}  // namespace

extern const TopologyFamily topology_hypercube = {
    .name = "hypercube",
    .summary = "binary n-cube; node = its address",
    .usage = "N",
    .sizes_key = "dimensions",
    .cite = "Lin, Ni 1991",
    .build = build_hypercube,
};

}  // namespace wormcast
