// Whether routes can be simulated under a router model.
// SPDX-License-Identifier: MIT
#include "simulation/route_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "multicast/check.hpp"
#include "topology/error.hpp"
#include "topology/resources.hpp"

namespace wormcast {

namespace {

/// Channels, and at their end one consumption channel: nothing to be compared with. `latest` grows to what
/// its requests are held back to.
bool consumed_once(const std::vector<RouteHop>& hops, Cycle& latest) {
  std::size_t channels = 0;
  Cycle last = latest;  // in a register
  for (const RouteHop& hop : hops) {
    channels += hop.is_channel() ? 1 : 0;
    last = std::max(last, hop.not_before_cycle);
  }
  latest = last;
  return channels + 1 == hops.size() && !hops.back().is_channel();
}

/// How many consumption channels worm `index` takes, each once.
std::uint32_t check_distinct(const Resources& resources, const std::vector<RouteHop>& hops,
                             std::size_t index) {
  std::vector<ResourceId> used;
  for (const RouteHop& hop : hops) {
    if (hop.is_channel()) continue;
    std::optional<ChannelId> input;
    std::uint32_t vc = 0;
    if (hop.parent >= 0) {
      const RouteHop& before = hops[static_cast<std::size_t>(hop.parent)];
      input = ChannelId{before.target};
      vc = before.vc;
    }
    used.push_back(resources.consumption(HostId{hop.target}, input, vc));
  }
  std::sort(used.begin(), used.end());
  const auto twice = std::adjacent_find(used.begin(), used.end());
  if (twice != used.end())
    throw InputError(fmt::format("worms[{}].hops", index),
                     fmt::format("the worm takes the consumption channel of node {} twice",
                                 resources.describe(*twice).host.value));
  return static_cast<std::uint32_t>(used.size());
}

}  // namespace

RouteNeeds check_simulable(const Resources& resources, const Routes& routes) {
  require_hops(routes, "only allocating routers simulate that (--vc-allocation islip)");
  RouteNeeds needs;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const std::vector<RouteHop>& hops = routes.worms[w].hops;
    needs.consumption_hops +=
        consumed_once(hops, needs.latest_request) ? 1 : check_distinct(resources, hops, w);
  }
  return needs;
}

}  // namespace wormcast
