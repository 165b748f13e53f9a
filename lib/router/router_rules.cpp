// The order in which a router makes serial copies; links that differ; the rings of tori.
// SPDX-License-Identifier: MIT
#include "router/router_rules.hpp"

#include <fmt/format.h>

#include "topology/refuse.hpp"

namespace wormcast {

std::uint32_t copy_rank(const Topology& topology, ChannelId channel) {
  const std::uint32_t port = topology.ends(channel)->port.value;  // of grids +x −x +y −y …
  return topology.grid() == nullptr || port < 2 ? port : port ^ 1U;
}

void refuse_unlike(const Topology& topology, LinkValue what, std::string_view where) {
  if (topology.alike(what)) return;
  const std::string key(link_value_keys[static_cast<std::size_t>(what)]);
  refuse("topology", "links of {} have {} of their own, which is not answered where {}", topology.name(), key,
         where);
}

std::optional<ChannelId> ring_of(const Topology& topology, ChannelId channel) {
  const auto ends = topology.ends(channel);
  const std::uint32_t dimension = ends->port.value / 2;
  if (!topology.wraps(dimension)) return std::nullopt;
  const Grid& grid = *topology.grid();
  const NodeId first{ends->from.value - grid.coordinate(ends->from, dimension) * grid.stride(dimension)};
  return topology.channel(first, ends->port);
}

std::uint32_t bubble_ring(const Topology& topology, const RouterModel& model, const Resources& resources,
                          ResourceId resource) {
  if (!model.discipline().slots_differ()) return 0;
  const Resource what = resources.describe(resource);
  // What is consumed of one input has to be at the head of its buffer, and waits for no other's.
  const bool part =
      what.kind == Resource::Kind::network || (what.kind == Resource::Kind::consumption && what.by_input);
  if (!part) return 0;
  const auto ring = ring_of(topology, what.channel);
  return ring ? resources.network(*ring, what.vc).value : 0;  // no network resource has the id 0
}

std::string too_long_for_slots(const Topology& topology, const RouterModel& model, std::uint64_t flits) {
  const Discipline& discipline = model.discipline();
  if (!discipline.slots_differ()) return "";
  if (topology.ring_dimensions() != 0)
    refuse_unlike(topology, LinkValue::buffer_flits, "rings are entered by bubbles");
  // Off the rings, too, a header needs its slots.
  const bool whole = discipline.slots(2, false) > 1;
  const std::uint64_t buffer =
      whole ? topology.least(LinkValue::buffer_flits, model.buffer_flits) : model.buffer_flits;
  const std::uint64_t longest = discipline.longest(buffer);
  if (flits <= longest) return "";
  return fmt::format("longer than {} flits, the longest worm that can enter a ring ({}) with buffers of {}",
                     longest, discipline.name, buffer);
}

}  // namespace wormcast
