// Pattern `explicit`: the destinations that were named, for every multicast.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/arguments.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast::pattern_explicit {
namespace {

class Explicit final : public DestinationPattern {
 public:
  explicit Explicit(std::vector<HostId> to) : to_(std::move(to)) {}

  // A source may be its own destination only alone (a self-send).
  std::optional<std::string_view> silence(HostId source) const override {
    if (to_.size() == 1 || !std::binary_search(to_.begin(), to_.end(), source)) return std::nullopt;
    return "is the source and among several destinations";
  }
  std::vector<HostId> destinations(HostId, Random&) const override { return to_; }

 private:
  std::vector<HostId> to_;
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions& options) {
  if (options.to.empty()) throw InputError("--to", "pattern 'explicit' needs the destinations");
  return std::make_unique<Explicit>(parse_hosts(topology, "--to", options.to));
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "explicit",
    .summary = "the destinations given by --to",
    .topologies = "all",
    .options = {"--to"},
    .bind = bind,
};

}  // namespace wormcast::pattern_explicit
