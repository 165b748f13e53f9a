// Small networks and random requests for the planner tests.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "multicast/plan.hpp"
#include "topology/topology.hpp"
#include "unit/networks.hpp"

namespace wormcast::testing {

/// A fixed generator (splitmix64): the same cases on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

/// A request of `k` distinct destinations (at most all other nodes) from a random source.
inline Request random_request(const Topology& topology, std::uint32_t k, Dice& dice) {
  std::vector<HostId> nodes(topology.hosts());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes[i] = HostId{i};
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(k + 1, topology.hosts()); ++i)
    std::swap(nodes[i], nodes[i + dice.below(topology.hosts() - i)]);
  Request request;
  request.source = nodes[0];
  request.destinations.assign(nodes.begin() + 1,
                              nodes.begin() + 1 + std::min<std::uint32_t>(k, topology.hosts() - 1));
  std::sort(request.destinations.begin(), request.destinations.end());
  return request;
}

inline Request request_of(std::uint32_t source, std::vector<std::uint32_t> destinations) {
  Request request;
  request.source = HostId{source};
  std::sort(destinations.begin(), destinations.end());
  for (const std::uint32_t d : destinations) request.destinations.push_back(HostId{d});
  return request;
}

inline std::vector<std::unique_ptr<const Topology>> small_networks() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (auto dims : std::vector<std::vector<std::uint64_t>>{{2},
                                                           {7},
                                                           {1, 6},
                                                           {6, 1},
                                                           {2, 2},
                                                           {4, 3},
                                                           {3, 4},
                                                           {5, 5},
                                                           {8, 4},
                                                           {2, 2, 2},
                                                           {3, 3, 3},
                                                           {3, 1, 2, 2}})
    all.push_back(make("mesh", dims));
  for (auto dims :
       std::vector<std::vector<std::uint64_t>>{{6}, {1, 5}, {2, 2}, {4, 3}, {5, 5}, {6, 4}, {3, 2, 4}})
    all.push_back(make("torus", dims));
  for (auto dims : std::vector<std::vector<std::uint64_t>>{{6}, {1, 5}, {2, 2}, {4, 3}, {5, 6}, {3, 2, 4}})
    for (const char* family : {"torus-forward", "torus-backward"}) all.push_back(make(family, dims));
  for (std::uint64_t n = 1; n <= 5; ++n) all.push_back(make("hypercube", {n}));
  all.push_back(make("ccc", {3}));
  all.push_back(make("ccc", {4}));
  all.push_back(make("mesh", {3, 3}, {0, 1, 2, 7, 8, 3, 6, 5, 4}));  // a spiral
  return all;
}

}  // namespace wormcast::testing
