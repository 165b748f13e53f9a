// Turning routes into flat hops: resources, children, and how the copies move.
// SPDX-License-Identifier: MIT
#include "simulation/engines/worm_pool.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace wormcast {

WormPool::WormPool(const Topology& topology, const RouterModel& model, bool observed)
    : topology_(&topology),
      model_(model),
      discipline_(model.discipline()),
      host_links_(topology.hosts_have_links()),
      resources_(Resources(topology, model), observed) {}

inline std::uint32_t WormPool::reserve(std::uint32_t slots) {
  if (slots >= free_hops_.size()) free_hops_.resize(slots + 1);
  auto& free = free_hops_[slots];
  if (!free.empty()) {
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
  }
  const auto slot = static_cast<std::uint32_t>(hops_.size());
  hops_.resize(hops_.size() + slots);
  return slot;
}

inline void WormPool::set_resource(Hop& hop, ResourceId resource) {
  hop.resource = resource;
  hop.resource_state = &resources_[resource];
}

/// Writes every member: the slot may have been another worm's. The hop has no children or siblings yet.
inline Hop& WormPool::add_hop(std::uint32_t worm, std::uint32_t slot, std::uint32_t parent,
                              const RouteHop& route_hop) {
  Hop& hop = hops_[slot];
  hop.since = route_hop.not_before_cycle;
  hop.until = kNever;
  hop.worm = worm;
  hop.target = route_hop.target;
  hop.parent = parent;
  hop.first_child = kNone;
  hop.next_sibling = kNone;
  hop.next = kNone;
  hop.prev = kNone;
  hop.ungranted = 0;
  hop.state = HopState::idle;
  hop.vc = route_hop.vc & 0xff;
  if (route_hop.is_channel()) {
    hop.kind = HopKind::channel;
    set_resource(hop, resources_.ids().network(ChannelId{route_hop.target}, route_hop.vc));
  } else {
    hop.kind = route_hop.kind == RouteHop::Kind::relay ? HopKind::relay : HopKind::deliver;
    set_consumption(hop);
  }
  return hop;
}

/// Apart, since nearly every hop is a channel.
[[gnu::noinline]] void WormPool::set_consumption(Hop& hop) {
  const Hop& input = hops_[hop.parent];
  std::optional<ChannelId> channel;
  if (input.is_network()) channel = ChannelId{input.target};
  set_resource(hop, resources_.ids().consumption(HostId{hop.target}, channel, input.vc));
}

/// The injection channel, and the host's link where there is one; from `slot` on, each by itself.
void WormPool::add_source(std::uint32_t worm_slot, HostId source, std::uint32_t slot) {
  Hop& injection = hops_[slot] = blank_hop_;
  injection.worm = worm_slot;
  injection.target = source.value;
  set_resource(injection, resources_.ids().injection(source));
  if (!host_links_) return;
  Hop& link = hops_[slot + 1] = blank_hop_;
  link.worm = worm_slot;
  link.kind = HopKind::host_link;
  link.target = source.value;
  set_resource(link, resources_.ids().host_link(source));
}

/// The route is the multicast's from the root: what stands before a hop there follows it here.
void WormPool::add_reduction(std::uint32_t worm_slot, const WormRoute& route) {
  WormState& worm = worms_[worm_slot];
  const std::uint32_t lead = host_links_ ? 2 : 1;
  std::vector<std::uint32_t> slots;
  const auto follow = [&](std::uint32_t slot, std::uint32_t next) {
    hops_[slot].parent = next;
    hops_[slot].next_sibling = std::exchange(hops_[next].first_child, slot);
    ++hops_[next].ungranted;
  };
  Hop& root = hops_[worm.first] = blank_hop_;
  root.worm = worm_slot;
  root.kind = route.after < 0 ? HopKind::deliver : HopKind::relay;
  root.target = route.source.value;
  for (std::uint32_t slot = worm.first + 1; const RouteHop& hop : route.hops) {
    const std::uint32_t next = hop.parent < 0 ? worm.first : slots[static_cast<std::size_t>(hop.parent)];
    slots.push_back(slot);
    if (hop.is_channel()) {
      add_hop(worm_slot, slot, next, hop);
      ++worm.channels;
      follow(slot++, next);
      continue;
    }
    add_source(worm_slot, HostId{hop.target}, slot);
    hops_[slot].since = hop.not_before_cycle;
    if (host_links_) follow(slot, slot + 1);
    follow(slot + lead - 1, next);
    slot += lead;
  }
  const Hop& before = hops_[root.first_child];
  std::optional<ChannelId> channel;
  if (root.ungranted == 1 && before.is_network()) channel = ChannelId{before.target};
  set_resource(root, resources_.ids().consumption(route.source, channel, before.vc));
}

/// Adds the hops of a path that stand in the order in which its header asks for them. Gives false where they
/// do not, or where the worm is none: its hops must then be added in another way.
bool WormPool::add_path(std::uint32_t worm, std::uint32_t slot, const std::vector<RouteHop>& hops) {
  std::uint32_t node = slot - 1;
  std::uint32_t channels = 0;
  std::int32_t index = 0;
  std::int32_t last_channel = -1;
  bool consumed = false;  // at the end of last_channel
  hops_[node].first_child = slot;
  for (const RouteHop& route_hop : hops) {
    const bool channel = route_hop.is_channel();
    if (route_hop.parent != last_channel || (consumed && !channel)) return false;
    Hop& hop = add_hop(worm, slot, node, route_hop);
    consumed = !channel;
    if (channel) {
      node = slot;
      hop.first_child = ++slot;
      last_channel = index;
      ++channels;
    } else {
      hop.next_sibling = ++slot;  // the channel beside it
    }
    ++index;
  }
  Hop& last = hops_[slot - 1];
  (consumed ? last.next_sibling : last.first_child) = kNone;  // nothing follows
  worms_[worm].channels = channels;
  return true;
}

/// A path whose hops stand in another order.
void WormPool::add_sorted_path(std::uint32_t worm, std::uint32_t slot, const std::vector<RouteHop>& hops) {
  // Of hops that follow one channel consumption comes first; the path's channels stand in its order already.
  std::vector<std::uint32_t> order(hops.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(hops[a].parent, hops[a].is_channel()) < std::pair(hops[b].parent, hops[b].is_channel());
  });
  sorted_.clear();
  std::int32_t last_channel = -1;
  for (const std::uint32_t i : order) {
    sorted_.push_back(hops[i]);
    sorted_.back().parent = last_channel;
    if (hops[i].is_channel()) last_channel = static_cast<std::int32_t>(sorted_.size()) - 1;
  }
  add_path(worm, slot, sorted_);
}

void WormPool::add_tree(std::uint32_t worm_slot, std::uint32_t slot, const std::vector<RouteHop>& hops) {
  hops_[slot - 1].first_child = kNone;
  for (std::uint32_t i = 0; i < hops.size(); ++i) {
    add_hop(worm_slot, slot + i,
            hops[i].parent < 0 ? slot - 1 : slot + static_cast<std::uint32_t>(hops[i].parent), hops[i]);
    if (hops[i].is_channel()) ++worms_[worm_slot].channels;
  }
  const bool serial = worms_[worm_slot].serial;  // else all come in branch order
  const auto rank = [&](const Hop& hop) {
    return !serial ? 0 : hop.is_network() ? copy_rank(*topology_, ChannelId{hop.target}) : kNone;
  };
  const WormState& worm = worms_[worm_slot];
  for (std::uint32_t at = worm.first + worm.hops - 1; at >= slot; --at) {  // so lists end up in branch order
    Hop& hop = hops_[at];
    std::uint32_t* link = &hops_[hop.parent].first_child;
    while (*link != kNone && rank(hops_[*link]) < rank(hop)) link = &hops_[*link].next_sibling;
    hop.next_sibling = std::exchange(*link, at);
    ++hops_[hop.parent].ungranted;
  }
}

std::uint32_t WormPool::add(const Request& request, const std::vector<WormRoute>& worms, std::uint32_t index,
                            std::uint32_t multicast) {
  const WormRoute& route = worms[index];
  const std::uint32_t lead = host_links_ ? 2 : 1;  // injection, and the host's link
  const auto parts = static_cast<std::uint32_t>(
      request.reduces() ? std::count_if(route.hops.begin(), route.hops.end(),
                                        [](const RouteHop& hop) { return !hop.is_channel(); })
                        : 0);
  const std::uint32_t own = request.reduces() ? 1 + parts * (lead - 1) : lead;
  const std::uint32_t count = static_cast<std::uint32_t>(route.hops.size()) + own;
  // Rounded up to eighths of a power of two: few slots stay empty, and most are used again.
  const std::uint32_t step = std::max(std::bit_floor(count) / 8, 1U);
  const std::uint32_t slots = (count + step - 1) & ~(step - 1);
  const std::uint32_t first = reserve(slots);
  const std::uint32_t slot = worms_.take();
  WormState& worm = worms_[slot] = blank_worm_;
  worm.id = request.id;
  worm.index = index;
  worm.multicast = multicast;
  worm.source = route.source;
  worm.first = first;
  worm.hops = count;
  worm.slots = slots;
  worm.held = count;
  worm.under_way = true;
  if (route.after < 0) worm.at_source = 1;
  worm.flits = route.flits(request.length_flits, model_.header_flits);
  worm.startup =
      (route.after < 0 ? model_.startup_cycles : model_.relay_startup_cycles) + model_.overhead_cycles;
  worm.joins = request.reduces();
  if (worm.joins) {
    worm.startup = 0;  // each part has its own
    add_reduction(slot, route);
    return slot;
  }
  add_source(slot, route.source, first);
  if (host_links_) {
    hops_[first + 1].parent = first;
    hops_[first].first_child = first + 1;
    hops_[first].ungranted = 1;
  }
  const bool may_be_path = !discipline_.routers_copy();
  const bool in_order =
      may_be_path && !is_stated(route.replication) && add_path(slot, first + lead, route.hops);
  static_cast<Advance&>(worm) = {discipline_, in_order || (may_be_path && route.is_path()),
                                 route.replication};
  if (!in_order) {
    if (worm.path)
      add_sorted_path(slot, first + lead, route.hops);
    else
      add_tree(slot, first + lead, route.hops);
    if (worm.at_source > 0 && !worm.path && !host_links_)
      worm.at_source = static_cast<std::uint16_t>(hops_[first].ungranted);
  }
  return slot;
}

void WormPool::remove(std::uint32_t worm) {
  worms_[worm].under_way = false;
  free_hops_[worms_[worm].slots].push_back(worms_[worm].first);
  worms_.give_back(worm);
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
