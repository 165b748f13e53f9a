// Pattern `broadcast`: every other node.
// SPDX-License-Identifier: MIT
#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast::pattern_broadcast {
namespace {

class Broadcast final : public DestinationPattern {
 public:
  explicit Broadcast(std::uint32_t hosts) : hosts_(hosts) {}

  std::vector<HostId> destinations(HostId source, Random&) const override {
    std::vector<HostId> result;
    result.reserve(hosts_ - 1);
    for (std::uint32_t host = 0; host < hosts_; ++host)
      if (host != source.value) result.push_back(HostId{host});
    return result;
  }

 private:
  std::uint32_t hosts_;
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  if (topology.hosts() < 2)
    throw InputError("--pattern", "'broadcast' needs two nodes, " + topology.name() + " has one");
  return std::make_unique<Broadcast>(topology.hosts());
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "broadcast",
    .summary = "every other node",
    .topologies = "all",
    .bind = bind,
};

}  // namespace wormcast::pattern_broadcast
