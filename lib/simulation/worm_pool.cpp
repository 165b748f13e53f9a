// Turning routes into flat hops: resources, children, and how the copies move.
// SPDX-License-Identifier: MIT
#include "simulation/worm_pool.hpp"

#include <bit>
#include <optional>

namespace wormcast {

WormPool::WormPool(const Topology& topology, const RouterModel& model)
    : topology_(&topology), model_(model), resources_(topology, model) {}

std::uint32_t WormPool::reserve(std::uint32_t size_class) {
  auto& free = free_hops_[size_class];
  if (!free.empty()) {
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
  }
  const auto slot = static_cast<std::uint32_t>(hops_.size());
  hops_.resize(hops_.size() + (std::size_t{1} << size_class));
  return slot;
}

void WormPool::add_hop(std::uint32_t slot, std::uint32_t parent, const RouteHop& route_hop) {
  Hop& hop = hops_[slot];
  hop.target = route_hop.target;
  hop.parent = parent;
  hop.not_before = route_hop.not_before_cycle;
  if (route_hop.is_channel()) {
    hop.kind = HopKind::channel;
    hop.network = true;
    hop.vc = static_cast<std::uint8_t>(route_hop.vc);
    hop.resource = resources_.network(ChannelId{route_hop.target}, route_hop.vc);
  } else {
    hop.kind = route_hop.kind == RouteHop::Kind::relay ? HopKind::relay : HopKind::deliver;
    const Hop& input = hops_[parent];
    std::optional<ChannelId> channel;
    if (input.network) channel = ChannelId{input.target};
    hop.resource = resources_.consumption(HostId{route_hop.target}, channel, input.vc);
  }
}

std::uint32_t WormPool::add(const Request& request, const std::vector<WormRoute>& worms, std::uint32_t index,
                            std::uint32_t multicast) {
  const WormRoute& route = worms[index];
  const std::uint32_t lead = topology_->hosts_have_links() ? 2 : 1;  // injection, and the host's link
  const auto count = static_cast<std::uint32_t>(route.hops.size()) + lead;
  const auto size_class = static_cast<std::uint32_t>(std::bit_width(count - 1));
  const std::uint32_t first = reserve(size_class);
  std::uint32_t slot = 0;
  if (free_worms_.empty()) {
    slot = static_cast<std::uint32_t>(worms_.size());
    worms_.emplace_back();
  } else {
    slot = free_worms_.back();
    free_worms_.pop_back();
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    Hop& hop = hops_[first + i];
    hop = Hop{};
    hop.worm = slot;
  }
  hops_[first].target = route.source.value;
  hops_[first].resource = resources_.injection(route.source);
  if (lead == 2) {
    Hop& link = hops_[first + 1];
    link.kind = HopKind::channel;
    link.target = route.source.value;
    link.parent = first;
    link.resource = resources_.host_link(route.source);
  }
  for (std::uint32_t i = 0; i < route.hops.size(); ++i) {
    const std::int32_t parent = route.hops[i].parent;
    add_hop(first + lead + i,
            parent < 0 ? first + lead - 1 : first + lead + static_cast<std::uint32_t>(parent), route.hops[i]);
  }
  for (std::uint32_t i = count - 1; i > 0; --i) {  // backwards: each list ends up in branch order
    Hop& hop = hops_[first + i];
    hop.next_sibling = hops_[hop.parent].first_child;
    hops_[hop.parent].first_child = first + i;
    ++hops_[hop.parent].ungranted;
  }
  WormState& worm = worms_[slot] = WormState{};
  worm.id = request.id;
  worm.index = index;
  worm.multicast = multicast;
  worm.source = route.source;
  worm.first = first;
  worm.hops = count;
  worm.size_class = size_class;
  worm.held = count;
  worm.under_way = true;
  worm.path = route.is_path();
  worm.joint = worm.path || route.replication == Replication::lock_step;
  worm.atomic = !worm.path && worm.joint && model_.allocation == Allocation::atomic;
  worm.flits = route.flits(request.length_flits, model_.header_flits);
  worm.startup =
      (route.after < 0 ? model_.startup_cycles : model_.relay_startup_cycles) + model_.overhead_cycles;
  return slot;
}

void WormPool::remove(std::uint32_t worm) {
  worms_[worm].under_way = false;
  free_hops_[worms_[worm].size_class].push_back(worms_[worm].first);
  free_worms_.push_back(worm);
}

bool WormPool::requested_before(const Hop& a, const Hop& b) const {
  if (a.since != b.since) return a.since < b.since;
  const WormState& wa = worms_[a.worm];
  const WormState& wb = worms_[b.worm];
  if (wa.id != wb.id) return wa.id < wb.id;
  if (wa.index != wb.index) return wa.index < wb.index;
  return &a < &b;
}

}  // namespace wormcast
