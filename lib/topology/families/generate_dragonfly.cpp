// Dragonflies: groups of routers, all linked within a group, and global links between the groups.
//
// Router r of group g has number g·a + r, and host h hangs on router h / p. A group has a·h global
// ports, port j at router j / h. They are dealt out in rounds of one link to each other group as long as a
// whole round is left, in round q the ports from q·(groups−1) on: of these, the link from group i to
// group j leaves by
//   relative   (dragonfly)            (j − i) mod groups − 1
//   absolute   (dragonfly-absolute)   j, or j − 1 where j > i
//   palm tree  (dragonfly-palm-tree)  (i − j) mod groups − 1: relative with the groups counted backwards
// With groups = a·h + 1 (0: the default) every port is used once. Cost: O(links). cite: Kim, Dally, Scott,
// Abts 2008; Hastings et al. 2015 (relative, absolute); Camarero, Vallejo, Beivide 2014 (palm tree).
// SPDX-License-Identifier: MIT
#include <array>

#include "topology/generator.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::array<GeneratorParameter, 4> dragonfly_parameters = {{
    {"group-routers", "a: routers of a group", std::nullopt},
    {"hosts", "p: hosts of a router", std::nullopt},
    {"global-links", "h: global links of a router", std::nullopt},
    {"groups", "number of groups; 0 = a*h + 1", 0},
}};
constexpr std::uint64_t max_group = 4096;

enum class Wiring { relative, absolute, palm_tree };

/// The port of group i, of a round's, by which the link to group j leaves.
std::uint64_t port_of(Wiring wiring, std::uint64_t i, std::uint64_t j, std::uint64_t groups) {
  if (wiring == Wiring::absolute) return j < i ? j : j - 1;
  return (wiring == Wiring::relative ? j + groups - i : i + groups - j) % groups - 1;
}

template <Wiring wiring>
TopologySpec generate_dragonfly(std::span<const std::uint64_t> values) {
  const auto [routers, hosts, global] = std::array{values[0], values[1], values[2]};
  check_between("--group-routers", routers, 1, max_group);
  check_between("--hosts", hosts, 1, max_group);
  check_between("--global-links", global, 0, max_group);
  const std::uint64_t global_ports = routers * global;
  const std::uint64_t groups = values[3] == 0 ? global_ports + 1 : values[3];
  if (groups > global_ports + 1)
    refuse("--groups", "{} groups, but a group has only {} global links", groups, global_ports);
  // At most 2^36 routers with 2^12 neighbours in the group and 2^12 outside: no product overflows.
  check_graph_size("--group-routers", groups * routers, groups * routers * hosts,
                   groups * routers * (routers - 1 + global) / 2);
  TopologySpec spec;
  GraphSpec& graph = spec.graph;
  graph.routers = static_cast<std::uint32_t>(groups * routers);
  for (std::uint64_t r = 0; r < groups * routers; ++r)
    graph.hosts.insert(graph.hosts.end(), static_cast<std::size_t>(hosts), static_cast<std::uint32_t>(r));
  for (std::uint64_t g = 0; g < groups; ++g)
    for (std::uint64_t a = 0; a < routers; ++a)
      for (std::uint64_t b = a + 1; b < routers; ++b) add_link(graph, g * routers + a, g * routers + b);
  for (std::uint64_t r = 0; r < groups * routers; ++r)
    graph.groups.push_back(static_cast<std::uint32_t>(r / routers));
  const std::uint64_t rounds = groups > 1 ? global_ports / (groups - 1) : 0;
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (std::uint64_t i = 0; i < groups; ++i)
      for (std::uint64_t j = i + 1; j < groups; ++j) {
        const std::uint64_t near = (round * (groups - 1) + port_of(wiring, i, j, groups)) / global;
        const std::uint64_t far = (round * (groups - 1) + port_of(wiring, j, i, groups)) / global;
        add_link(graph, i * routers + near, j * routers + far);
      }
  return spec;
}

}  // namespace

extern const Generator generator_dragonfly = {
    .name = "dragonfly",
    .summary = "groups of fully linked routers, joined by global links",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .parameters = dragonfly_parameters,
    .generate = generate_dragonfly<Wiring::relative>,
};

extern const Generator generator_dragonfly_absolute = {
    .name = "dragonfly-absolute",
    .summary = "the same, global ports numbered as the groups they lead to",
    .cite = "Hastings et al. 2015",
    .parameters = dragonfly_parameters,
    .generate = generate_dragonfly<Wiring::absolute>,
};

extern const Generator generator_dragonfly_palm_tree = {
    .name = "dragonfly-palm-tree",
    .summary = "the same, the first global port to the group before",
    .cite = "Camarero, Vallejo, Beivide 2014",
    .parameters = dragonfly_parameters,
    .generate = generate_dragonfly<Wiring::palm_tree>,
};

}  // namespace wormcast
