// Fat trees: the k-ary n-tree, with k hosts on every switch of the lowest level.
//
// Switches stand in n levels of k^(n−1), numbered level by level from the hosts upwards; the number w
// of a switch within its level has n−1 digits to base k. A switch of level l is linked to those of
// level l+1 whose number differs from its own in digit l only. Host h hangs on switch h / k.
// up*/down* starts at the first switch of the highest level, so routes turn as low as they can.
// Cost: O(n · k^n). cite: Petrini, Vanneschi 1997 (k-ary n-trees).
// SPDX-License-Identifier: MIT
#include <array>

#include "topology/generator.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::array<GeneratorParameter, 2> fat_tree_parameters = {{
    {"arity", "k: hosts of a lowest switch, links up and down of the others", std::nullopt},
    {"levels", "n: levels of switches", std::nullopt},
}};

TopologySpec generate_fat_tree(std::span<const std::uint64_t> values) {
  const auto [arity, levels] = std::array{values[0], values[1]};
  if (arity < 2) refuse("--arity", "{} is below 2", arity);
  if (levels == 0) throw InputError("--levels", "0 levels, at least 1");
  std::uint64_t hosts = 1;
  for (std::uint64_t level = 0; level < levels; ++level) {
    if (hosts > max_generated_hosts / arity)
      refuse("--levels", "the tree has more than {} hosts", max_generated_hosts);
    hosts *= arity;
  }
  const std::uint64_t width = hosts / arity;
  check_graph_size("--levels", levels * width, hosts, (levels - 1) * hosts);
  TopologySpec spec;
  spec.graph.routers = static_cast<std::uint32_t>(levels * width);
  for (std::uint64_t h = 0; h < hosts; ++h) spec.graph.hosts.push_back(static_cast<std::uint32_t>(h / arity));
  std::uint64_t weight = 1;  // of digit `level`
  for (std::uint64_t level = 0; level + 1 < levels; ++level, weight *= arity)
    for (std::uint64_t w = 0; w < width; ++w)
      for (std::uint64_t digit = 0; digit < arity; ++digit) {
        const std::uint64_t above = w - w / weight % arity * weight + digit * weight;
        add_link(spec.graph, level * width + w, (level + 1) * width + above);
      }
  spec.root = static_cast<std::uint32_t>((levels - 1) * width);
  return spec;
}

}  // namespace

extern const Generator generator_fat_tree = {
    .name = "fat-tree",
    .summary = "k-ary n-tree: k^n hosts under n levels of switches; root = a highest switch",
    .cite = "Petrini, Vanneschi 1997",
    .parameters = fat_tree_parameters,
    .generate = generate_fat_tree,
};

}  // namespace wormcast
