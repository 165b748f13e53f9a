// The order in which a router makes serial copies; links that differ; the rings of tori.
// SPDX-License-Identifier: MIT
#include "router/router_rules.hpp"

#include <fmt/format.h>

#include "router/router_parameters.hpp"
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

std::uint64_t slots_needed(const Topology& topology, const RouterModel& model, std::uint64_t flits,
                           std::optional<ChannelId> before, ChannelId next) {
  const Discipline& discipline = model.discipline();
  if (discipline.slots == nullptr) return grants_need_slots(model) ? 1 : 0;
  const auto ring = discipline.slots_differ() ? ring_of(topology, next) : std::nullopt;
  return discipline.slots(flits, ring && !(before && ring == ring_of(topology, *before)));
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

RingOf bubble_rings(const Topology& topology, const RouterModel& model, const Resources& resources,
                    bool one_length) {
  const Discipline& discipline = model.discipline();
  if (!discipline.slots_differ() || (discipline.rings_of_one_length && !one_length)) return nullptr;
  return [&](ResourceId resource) { return bubble_ring(topology, model, resources, resource); };
}

void refuse_with_choices(const RouterModel& model) {
  const Discipline& discipline = model.discipline();
  if (model.cut_through) refuse("--cut-through", "is not judged where routers choose or nodes answer");
  if (model.answered())
    refuse("--consumption-release",
           "answers are not judged where routers choose, or with --depends beside them");
  if (!discipline.not_with_choices.empty())
    refuse(router_option(discipline.parameter), "{}", discipline.not_with_choices);
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

void check_slots(const Topology& topology, const RouterModel& model, const WormRoute& worm,
                 std::uint64_t flits, std::size_t index) {
  if (!model.discipline().slots_differ() || worm.channels() == 0) return;
  if (const std::string fault = too_long_for_slots(topology, model, flits); !fault.empty())
    refuse(indexed("worms", index, ".flits"), "{} flits: {}", flits, fault);
}

}  // namespace wormcast
