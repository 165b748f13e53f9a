// Turning routes into flat hops: resources, children, and how the copies move.
// SPDX-License-Identifier: MIT
#include "simulation/worm_pool.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

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

namespace {

/// True if the header asks for the hops in the order in which they stand, where they are a path's.
bool in_path_order(const std::vector<RouteHop>& hops) {
  std::int32_t last_channel = -1;
  bool consumed = false;  // at the end of last_channel
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (hops[i].parent != last_channel || (consumed && !hops[i].is_channel())) return false;
    consumed = !hops[i].is_channel();
    if (!consumed) last_channel = static_cast<std::int32_t>(i);
  }
  return true;
}

}  // namespace

/// What every hop has: its place in the list of its parent's children comes later.
inline void WormPool::add_hop(std::uint32_t slot, std::uint32_t parent, const RouteHop& route_hop) {
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

/// The injection channel, and the host's link where there is one.
void WormPool::add_source(const WormState& worm) {
  Hop& injection = hops_[worm.first];
  injection.target = worm.source.value;
  injection.resource = resources_.injection(worm.source);
  if (!topology_->hosts_have_links()) return;
  Hop& link = hops_[worm.first + 1];
  link.kind = HopKind::channel;
  link.target = worm.source.value;
  link.parent = worm.first;
  link.resource = resources_.host_link(worm.source);
  injection.first_child = worm.first + 1;
  injection.ungranted = 1;
}

void WormPool::add_path(const WormState& worm, std::uint32_t slot, const std::vector<RouteHop>& hops) {
  const std::uint32_t end = worm.first + worm.hops;
  std::uint32_t node = slot - 1;
  hops_[node].first_child = slot;
  for (const RouteHop& route_hop : hops) {
    add_hop(slot, node, route_hop);
    const std::uint32_t next = slot + 1 < end ? slot + 1 : kNone;
    if (route_hop.is_channel()) {
      hops_[slot].first_child = next;
      node = slot;
    } else {
      hops_[slot].next_sibling = next;  // the channel beside it
    }
    ++slot;
  }
}

void WormPool::add_tree(const WormState& worm, std::uint32_t slot, const std::vector<RouteHop>& hops) {
  for (std::uint32_t i = 0; i < hops.size(); ++i)
    add_hop(slot + i, hops[i].parent < 0 ? slot - 1 : slot + static_cast<std::uint32_t>(hops[i].parent),
            hops[i]);
  for (std::uint32_t at = worm.first + worm.hops - 1; at >= slot; --at) {  // so lists end up in branch order
    Hop& hop = hops_[at];
    hop.next_sibling = hops_[hop.parent].first_child;
    hops_[hop.parent].first_child = at;
    ++hops_[hop.parent].ungranted;
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
  const bool in_order = route.replication == Replication::unstated && in_path_order(route.hops);
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
  worm.path = in_order || route.is_path();
  worm.joint = worm.path || route.replication == Replication::lock_step;
  worm.atomic = !worm.path && worm.joint && model_.allocation == Allocation::atomic;
  worm.flits = route.flits(request.length_flits, model_.header_flits);
  worm.startup =
      (route.after < 0 ? model_.startup_cycles : model_.relay_startup_cycles) + model_.overhead_cycles;
  Hop idle;
  idle.worm = slot;
  std::fill_n(hops_.begin() + first, count, idle);
  add_source(worm);
  if (in_order) {
    add_path(worm, first + lead, route.hops);
  } else if (worm.path) {
    sorted_ = route.hops;
    std::sort(sorted_.begin(), sorted_.end(), [](const RouteHop& a, const RouteHop& b) {
      return std::pair(a.parent, a.is_channel()) < std::pair(b.parent, b.is_channel());
    });
    add_path(worm, first + lead, sorted_);
  } else {
    add_tree(worm, first + lead, route.hops);
  }
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
