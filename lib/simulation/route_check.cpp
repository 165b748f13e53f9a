// Whether routes can be simulated, and the cycles of all worms, one after the other.
// SPDX-License-Identifier: MIT
#include "simulation/route_check.hpp"

#include <fmt/format.h>

#include <vector>

#include "multicast/check.hpp"
#include "router/discipline.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Adds what worm `index` needs. Throws InputError where it takes a consumption channel twice: with relays,
/// or where two hosts of a router have one for each input. Where what it is consumed behind ascends there are
/// none.
void add_needs(const Resources& resources, const std::vector<RouteHop>& hops, std::size_t index,
               RouteNeeds& needs) {
  RouteNeeds all = needs;
  std::int32_t behind = -2;
  bool once = true;
  for (const RouteHop& hop : hops) {
    all.latest_request = std::max(all.latest_request, hop.not_before_cycle);
    if (hop.is_channel()) continue;
    ++all.consumption_hops;
    once = once && hop.kind == RouteHop::Kind::deliver && hop.parent > behind;
    behind = hop.parent;
  }
  needs = all;
  if (once) return;
  std::vector<ResourceId> used;
  for (const RouteHop& hop : hops)
    if (!hop.is_channel()) used.push_back(resources.taken_by(hop, hops));
  if (const auto* twice = twice_in(used))
    refuse(fmt::format("worms[{}].hops", index), "the worm takes the consumption channel of node {} twice",
           resources.describe(*twice).host.value);
}

constexpr std::uint64_t most_cycles = max_integer;

/// a · b, or something above most_cycles where that is.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? most_cycles + 1 : result;
}

}  // namespace

RouteNeeds check_simulable(const Resources& resources, const Routes& routes) {
  require_hops(routes, "only allocating routers simulate that (--vc-allocation islip)");
  RouteNeeds needs;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) add_needs(resources, routes.worms[w].hops, w, needs);
  const Request& request = routes.plan.request;
  if (!request.reduces()) return needs;
  needs.consumption_hops = static_cast<std::uint32_t>(routes.worms.size());  // parts start at the others
  for (const Cycle start : request.start_cycles) needs.latest_request = std::max(needs.latest_request, start);
  return needs;
}

TimeBound::TimeBound(const Topology& topology, const RouterModel& model)
    : topology_(topology),
      model_(model),
      uniform_(topology.links_alike()),
      startup_(std::max(model.startup_cycles, model.relay_startup_cycles) + model.overhead_cycles),
      besides_hop_(std::uint64_t{model.routing_cycles} +
                   topology.most(LinkValue::flit_cycles, model.flit_cycles) + model.credit_cycles +
                   model.consumption_cycles +
                   (model.discipline().chooses_vcs
                        ? model.vc_allocation_cycles + topology.most(LinkValue::hop_cycles, 0)  // credits
                        : 0)) {}

/// Of the slowest link on the worm's way.
std::uint64_t TimeBound::slowest_hop(const WormRoute& worm) const {
  const auto own = [&](auto... link) {
    return topology_.own(LinkValue::hop_cycles, link..., model_.hop_cycles);
  };
  std::uint32_t result = std::max(model_.hop_cycles, own(worm.source, false));
  for (const RouteHop& hop : worm.hops)
    result = std::max(result, hop.is_channel() ? own(ChannelId{hop.target}) : own(HostId{hop.target}, true));
  return result;
}

void TimeBound::add(const Routes& routes, Cycle latest_request) {
  const Request& request = routes.plan.request;
  latest_ = std::max({latest_, request.start_cycle, latest_request});
  for (std::size_t index = 0; index < routes.worms.size(); ++index) {
    const WormRoute& worm = routes.worms[index];
    const std::uint64_t flit_cycles = besides_hop_ + (uniform_ ? model_.hop_cycles : slowest_hop(worm));
    const std::uint64_t flits = worm.flits(request.length_flits, model_.header_flits);
    // Injection, hosts' links, both ends. Routed on the way a worm goes to no router twice between stops.
    const std::uint64_t hops = worm.hops.empty()
                                   ? product(topology_.routers(), routes.plan.worms[index].stops.size())
                                   : worm.hops.size();
    const std::uint64_t alone = product(product(flits + 1, hops + 4), flit_cycles);
    busy_ += startup_ + std::min(alone, most_cycles + 1);
    if (busy_ > most_cycles || latest_ > most_cycles - busy_)
      refuse("length_flits", "with {} flits, so far, the run could take more than {} cycles",
             request.length_flits, most_cycles);
  }
}

std::string VirtualChannelsUsed::unused(const Topology& topology) {
  if (told_ || used_ == 0 || used_ >= offered_) return "";
  told_ = true;
  return fmt::format(
      "the routes on {} use {} of its {} virtual channels; only routers that allocate (--vc-allocation "
      "islip) use the others, for routes that name a routing function",
      topology.name(), used_, offered_);
}

}  // namespace wormcast
