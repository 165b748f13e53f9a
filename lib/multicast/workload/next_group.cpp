// Pattern `next-group`: every node sends to random nodes of the group after its own, on dragonflies.
//
// All traffic of a group then takes the links to one other group: the worst case of minimal routing, for
// which Valiant's was made. cite: Kim, Dally, Scott, Abts 2008 (worst-case traffic).
// SPDX-License-Identifier: MIT
#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"
#include "topology/generated.hpp"

namespace wormcast::pattern_next_group {
namespace {

class NextGroup final : public DestinationPattern {
 public:
  NextGroup(std::uint32_t hosts, std::uint32_t group) : hosts_(hosts), group_(group) {}

  std::vector<HostId> destinations(HostId source, Random& random) const override {
    const std::uint32_t first = (source.value / group_ + 1) * group_ % hosts_;
    return {HostId{first + static_cast<std::uint32_t>(random.below(group_))}};
  }

 private:
  std::uint32_t hosts_;
  std::uint32_t group_;  ///< hosts of a group
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  const auto values = generated_by(topology, "dragonfly");
  if (!values)
    throw InputError("--pattern",
                     "'next-group': " + not_generated_by(topology, "dragonfly") + ", not " + topology.name());
  const auto group = static_cast<std::uint32_t>((*values)[0] * (*values)[1]);
  if (group == topology.hosts())
    throw InputError("--pattern", "'next-group' needs two groups, " + topology.name() + " has one");
  return std::make_unique<NextGroup>(topology.hosts(), group);
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "next-group",
    .summary = "unicast to a random node of the next group: the worst case of minimal routes",
    .topologies = "dragonfly",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .bind = bind,
};

}  // namespace wormcast::pattern_next_group
