// Pattern `invalidation`: the home node of a cache line tells K sharers to drop it, and each of them answers.
//
// A start is one multicast from the home to its sharers, uniform over all other nodes as in pattern
// `uniform`, and one unicast of one flit back from each sharer, which waits for the multicast to reach it.
// --rate counts the multicast. cite: Sorin, Hill, Wood: A Primer on Memory Consistency and Cache Coherence,
// 2011 (directory protocols).
// SPDX-License-Identifier: MIT
#include <array>
#include <utility>

#include "multicast/workload/arguments.hpp"
#include "multicast/workload/pattern.hpp"

namespace wormcast::pattern_invalidation {
namespace {

class Invalidation final : public DestinationPattern {
 public:
  explicit Invalidation(std::unique_ptr<const DestinationPattern> sharers) : sharers_(std::move(sharers)) {}

  std::vector<HostId> destinations(HostId source, Random& random) const override {
    return sharers_->destinations(source, random);
  }

  std::vector<GroupMember> group(HostId source, Random& random) const override {
    const std::vector<HostId> sharers = destinations(source, random);
    std::vector<GroupMember> result = {{source, sharers, {}, 0}};
    for (const HostId sharer : sharers) result.push_back({sharer, {source}, {0}, 1});
    return result;
  }

 private:
  std::unique_ptr<const DestinationPattern> sharers_;
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions& options) {
  return std::make_unique<Invalidation>(bind_pattern("uniform", topology, options));
}

constexpr std::array<std::string_view, 1> takes = {"--destinations"};

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "invalidation",
    .summary = "a start goes to K (or K1 to K2) sharers, each of which answers with one flit when it has it",
    .topologies = "all",
    .cite = "Sorin, Hill, Wood 2011",
    .options = takes,
    .bind = bind,
    .grouped = true,
    .flit_bits = chip_flit_bits,
};

}  // namespace wormcast::pattern_invalidation
