// Whether routes can be simulated under a router model.
// SPDX-License-Identifier: MIT
#include "simulation/route_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "topology/error.hpp"
#include "topology/resources.hpp"

namespace wormcast {

std::uint32_t check_simulable(const Resources& resources, const Routes& routes) {
  std::vector<ResourceId> used;
  std::uint32_t all = 0;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const std::vector<RouteHop>& hops = routes.worms[w].hops;
    const auto consumed =
        std::count_if(hops.begin(), hops.end(), [](const RouteHop& h) { return !h.is_channel(); });
    all += static_cast<std::uint32_t>(consumed);
    if (consumed < 2) continue;
    used.clear();
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
      throw InputError(fmt::format("worms[{}].hops", w),
                       fmt::format("the worm takes the consumption channel of node {} twice",
                                   resources.describe(*twice).host.value));
  }
  return all;
}

}  // namespace wormcast
