// Whether routes can be simulated under a router model.
// SPDX-License-Identifier: MIT
#include "simulation/route_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "multicast/check.hpp"
#include "topology/error.hpp"

namespace wormcast {

namespace {

/// The consumption channel that the hop, which is no channel, takes.
ResourceId consumption_of(const Resources& resources, const std::vector<RouteHop>& hops,
                          const RouteHop& hop) {
  std::optional<ChannelId> input;
  std::uint32_t vc = 0;
  if (hop.parent >= 0) {
    const RouteHop& before = hops[static_cast<std::size_t>(hop.parent)];
    input = ChannelId{before.target};
    vc = before.vc;
  }
  return resources.consumption(HostId{hop.target}, input, vc);
}

/// Throws InputError where worm `index` takes a consumption channel twice.
void check_distinct(const Resources& resources, const std::vector<RouteHop>& hops, std::size_t index) {
  std::vector<ResourceId> used;
  for (const RouteHop& hop : hops)
    if (!hop.is_channel()) used.push_back(consumption_of(resources, hops, hop));
  std::sort(used.begin(), used.end());
  const auto twice = std::adjacent_find(used.begin(), used.end());
  if (twice != used.end())
    throw InputError(fmt::format("worms[{}].hops", index),
                     fmt::format("the worm takes the consumption channel of node {} twice",
                                 resources.describe(*twice).host.value));
}

/// Adds what the worm needs. False where it may take a consumption channel twice: each leaves its mark, and
/// seldom that of another.
bool add_needs(const Resources& resources, const std::vector<RouteHop>& hops, RouteNeeds& needs) {
  constexpr std::size_t bits = 64;
  std::array<std::uint64_t, 16> marks{};
  bool distinct = true;
  for (const RouteHop& hop : hops) {
    needs.latest_request = std::max(needs.latest_request, hop.not_before_cycle);
    if (hop.is_channel()) continue;
    ++needs.consumption_hops;
    const std::uint32_t id = consumption_of(resources, hops, hop).value;
    std::uint64_t& word = marks[id / bits % marks.size()];
    const std::uint64_t mark = std::uint64_t{1} << id % bits;
    distinct = distinct && (word & mark) == 0;
    word |= mark;
  }
  return distinct;
}

}  // namespace

RouteNeeds check_simulable(const Resources& resources, const Routes& routes) {
  require_hops(routes, "only allocating routers simulate that (--vc-allocation islip)");
  RouteNeeds needs;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const std::vector<RouteHop>& hops = routes.worms[w].hops;
    if (!add_needs(resources, hops, needs)) check_distinct(resources, hops, w);
  }
  const Request& request = routes.plan.request;
  if (!request.reduces()) return needs;
  needs.consumption_hops = static_cast<std::uint32_t>(routes.worms.size());  // parts start at the others
  for (const Cycle start : request.start_cycles) needs.latest_request = std::max(needs.latest_request, start);
  return needs;
}

}  // namespace wormcast
