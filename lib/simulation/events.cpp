// Events of worms by their routes.
//
// A flit is written into the buffer behind each channel between routers, and behind its source's link where
// that ends in one. It is read once where copies move together, else once for each copy. Each copy crosses
// the router to its output, the source's router too. A virtual channel or consumption channel is allocated
// once for each hop; the switch so too, or for each flit where flits compete one by one: in allocating
// routers, and for links that virtual channels share. cite: Wang et al. 2002 (Orion: the events of a router)
// SPDX-License-Identifier: MIT
#include "simulation/window.hpp"

#include <fmt/format.h>

#include "topology/error.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

EventCounts events_of(const Routes& routes, std::uint64_t length_flits, const Topology& topology,
                      const RouterModel& model) {
  const bool allocates = model.vc_allocation == VcAllocation::islip;
  const bool by_flit = allocates || (model.shared_links && topology.spec().virtual_channels != 1);
  const bool host_links = topology.hosts_have_links();
  const bool source_buffer = allocates || host_links || buffers_sources(model);
  EventCounts events;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const WormRoute& worm = routes.worms[w];
    const std::uint64_t flits = worm.flits(length_flits, model.header_flits);
    std::uint64_t outputs = worm.hops.size(), channels = 0, at_source = 0;
    for (const RouteHop& hop : worm.hops) {
      channels += hop.is_channel() ? 1 : 0;
      at_source += hop.parent < 0 ? 1 : 0;
    }
    if (worm.hops.empty())
      for (const Stop& stop : routes.plan.worms[w].stops)
        outputs += stop.action != StopAction::branch ? 1 : 0;
    const std::uint64_t written = flits * (channels + (source_buffer ? 1 : 0));
    const bool together =
        !allocates &&
        copying(model, worm.is_path(), worm.replication == Replication::lock_step) == Copying::together;
    events.buffer_writes += written;
    events.buffer_reads += together ? written : flits * (outputs - (source_buffer ? 0 : at_source));
    events.crossbar_traversals += flits * outputs;
    events.link_traversals += flits * (host_links ? 1 + outputs : channels);
    events.vc_allocations += outputs;
    const std::uint64_t alone = allocates ? 0 : outputs - channels;  // consumption is no link that is shared
    events.switch_allocations += by_flit ? flits * (outputs - alone) + alone : outputs;
  }
  return events;
}

void add_events(const std::optional<EventCounts>& some, std::optional<EventCounts>& sum) {
  if (!some) return;
  if (!sum) sum.emplace();
  for (const auto& [name, count] : event_counts)
    if (((*sum).*count += (*some).*count) > max_integer)
      throw InputError(name, fmt::format("the sum over the run is above {}", max_integer));
}

void add_channel_taken(EventCounts& events, std::uint64_t flits) {
  for (const auto& [name, count] : event_counts)
    events.*count += count == &EventCounts::vc_allocations ? 1 : flits;
}

}  // namespace wormcast
