// Pattern `random-permutation`: every node sends to one node, and every node is sent to by one, drawn at
// random.
//
// The permutation depends on --permutation-seed and the number of nodes alone, so workloads of several seeds
// and rates can have the same one; every permutation is equally likely. A node that it maps to itself sends
// nothing. Cost: O(nodes) once. cite: Dally, Towles 2004, section 3.2; Jiang et al. 2013 (BookSim 2:
// randperm).
// SPDX-License-Identifier: MIT
#include <numeric>
#include <vector>

#include "multicast/workload/arguments.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/random.hpp"

namespace wormcast::pattern_random_permutation {
namespace {

constexpr std::uint64_t default_seed = 1;

class RandomPermutation final : public DestinationPattern {
 public:
  explicit RandomPermutation(std::vector<std::uint32_t> to) : to_(std::move(to)) {}

  std::optional<std::string_view> silence(HostId source) const override {
    if (to_[source.value] != source.value) return std::nullopt;
    return "would be its own destination";
  }
  std::vector<HostId> destinations(HostId source, Random&) const override {
    return {HostId{to_[source.value]}};
  }

 private:
  std::vector<std::uint32_t> to_;
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions& options) {
  const std::uint64_t seed = options.permutation_seed.empty()
                                 ? default_seed
                                 : parse_integer("--permutation-seed", options.permutation_seed);
  std::vector<std::uint32_t> to(topology.hosts());
  std::iota(to.begin(), to.end(), 0U);
  Random random = RandomStreams(seed, "permutation").stream(0);
  shuffle(random, to);
  return std::make_unique<RandomPermutation>(std::move(to));
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "random-permutation",
    .summary = "unicast to the node that a random permutation gives every node once (--permutation-seed, 1)",
    .topologies = "all",
    .cite = "Dally, Towles 2004, section 3.2",
    .options = {"--permutation-seed"},
    .bind = bind,
};

}  // namespace wormcast::pattern_random_permutation
