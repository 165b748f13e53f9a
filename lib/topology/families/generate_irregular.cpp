// Random irregular networks: switches with hosts on some ports and random links on the others.
//
// Each switch has `hosts` hosts and leaves `open-ports` ports unconnected; the others are stubs. First
// a tree makes the network connected: the switches in random order, each linked to a random one
// before it that has a stub left. Then stubs are paired at random, never two of one switch; parallel
// links may arise. Stubs that are left over at one switch break up a link elsewhere, u–v becoming
// u–switch–v, so that at most one port more than asked for stays open (at an odd number of stubs) as
// long as such a link exists. Connected by construction, not uniform over connected networks.
// Cost: O(switches · ports) expected. cite: Sivaram, Panda, Stunkel 1997, section 5.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "topology/generator.hpp"
#include "topology/random.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::array<GeneratorParameter, 5> irregular_parameters = {{
    {"switches", "number of switches", std::nullopt},
    {"ports", "ports of a switch", 8},
    {"hosts", "hosts of a switch", 4},
    {"open-ports", "ports of a switch left unconnected", 0},
    {"seed", "seed of the links", 1},
}};
constexpr std::uint64_t max_ports = 4096;

using Link = std::array<std::uint32_t, 2>;

/// Takes a random entry out of `items`.
std::uint32_t draw(Random& random, std::vector<std::uint32_t>& items) {
  const std::size_t index = static_cast<std::size_t>(random.below(items.size()));
  std::swap(items[index], items.back());
  const std::uint32_t item = items.back();
  items.pop_back();
  return item;
}

/// A random tree over all switches; takes its stubs out of `free`.
std::vector<Link> random_tree(Random& random, std::vector<std::uint32_t>& free) {
  std::vector<std::uint32_t> order = numbers_from(0, free.size());
  shuffle(random, order);
  std::vector<Link> links;
  std::vector<std::uint32_t> open;  // switches of the tree with a stub left
  for (const std::uint32_t s : order) {
    if (!links.empty() || !open.empty()) {
      const std::size_t index = static_cast<std::size_t>(random.below(open.size()));
      const std::uint32_t other = open[index];
      links.push_back({other, s});
      --free[s];
      if (--free[other] == 0) {
        open[index] = open.back();
        open.pop_back();
      }
    }
    if (free[s] > 0) open.push_back(s);
  }
  return links;
}

/// Pairs the stubs that are left.
void pair_stubs(Random& random, const std::vector<std::uint32_t>& free, std::vector<Link>& links) {
  std::vector<std::uint32_t> stubs;
  for (std::uint32_t s = 0; s < free.size(); ++s) stubs.insert(stubs.end(), free[s], s);
  std::vector<std::uint32_t> left = free;
  while (!stubs.empty()) {
    const std::uint32_t s = draw(random, stubs);
    --left[s];
    if (left[s] == stubs.size()) {  // only stubs of this switch are left
      stubs.push_back(s);
      break;
    }
    std::uint32_t other = draw(random, stubs);
    while (other == s) {
      stubs.push_back(other);
      other = draw(random, stubs);
    }
    --left[other];
    links.push_back({s, other});
  }
  for (; stubs.size() >= 2; stubs.resize(stubs.size() - 2)) {
    const std::uint32_t s = stubs.back();
    std::vector<std::uint32_t> apart;
    for (std::uint32_t k = 0; k < links.size(); ++k)
      if (links[k][0] != s && links[k][1] != s) apart.push_back(k);
    if (apart.empty()) break;
    Link& broken = links[apart[static_cast<std::size_t>(random.below(apart.size()))]];
    const std::uint32_t far = broken[1];
    broken[1] = s;
    links.push_back({s, far});
  }
}

TopologySpec generate_irregular(std::span<const std::uint64_t> values) {
  const auto [switches, ports, hosts, open_ports, seed] =
      std::array{values[0], values[1], values[2], values[3], values[4]};
  check_between("--switches", switches, 1, max_generated_routers);
  if (ports > max_ports) refuse("--ports", "{} ports, at most {}", ports, max_ports);
  if (hosts == 0) throw InputError("--hosts", "0 hosts a switch, at least 1");
  if (hosts > ports || open_ports > ports - hosts)
    refuse("--ports", "{} hosts and {} open ports do not fit on {} ports", hosts, open_ports, ports);
  const std::uint64_t stubs = ports - hosts - open_ports;
  const std::uint64_t least = switches > 2 ? 2 : switches - 1;
  if (stubs < least)
    refuse("--ports", "{} of {} ports are left for switches, a connected network needs {}", stubs, ports,
           least);
  check_graph_size("--ports", switches, switches * hosts, switches * stubs / 2);
  Random random = RandomStreams(seed, "irregular network").stream(0);
  std::vector<std::uint32_t> free(static_cast<std::size_t>(switches), static_cast<std::uint32_t>(stubs));
  std::vector<Link> links;
  if (switches > 1) {
    links = random_tree(random, free);
    pair_stubs(random, free, links);
  }
  for (Link& link : links)
    if (link[0] > link[1]) std::swap(link[0], link[1]);
  std::sort(links.begin(), links.end());
  TopologySpec spec;
  spec.graph.routers = static_cast<std::uint32_t>(switches);
  for (std::uint32_t s = 0; s < switches; ++s)
    spec.graph.hosts.insert(spec.graph.hosts.end(), static_cast<std::size_t>(hosts), s);
  for (const auto& [a, b] : links) add_link(spec.graph, a, b);
  return spec;
}

}  // namespace

extern const Generator generator_irregular = {
    .name = "irregular",
    .summary = "switches with random links, connected; parallel links may arise",
    .cite = "Sivaram, Panda, Stunkel 1997, section 5",
    .parameters = irregular_parameters,
    .generate = generate_irregular,
};

}  // namespace wormcast
