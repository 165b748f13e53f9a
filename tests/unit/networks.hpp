// Networks of a family, for any test.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast::testing {

inline std::unique_ptr<const Topology> make(std::string family, std::vector<std::uint64_t> sizes,
                                            std::vector<std::uint32_t> labels = {}) {
  TopologySpec spec;
  spec.family = std::move(family);
  spec.sizes = std::move(sizes);
  spec.labels = std::move(labels);
  return build_topology(std::move(spec));
}

}  // namespace wormcast::testing
