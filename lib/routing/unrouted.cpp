// A route that does not arrive either comes to a router without an entry, or to one that it has left already:
// tables know nothing but the destination, so from there on it goes round for ever; or it is dropped, where
// its service level has no virtual channel. Cost: one route, in hops. cite: InfiniBand architecture, volume
// 1, 18.2.4 (forwarding).
// SPDX-License-Identifier: MIT
#include "routing/unrouted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "topology/name_table.hpp"
#include "topology/faults.hpp"

namespace wormcast {
namespace {

constexpr std::size_t most_named = 8;  ///< routers of a loop that are written out

std::string loop_text(const Topology& topology, const std::vector<NodeId>& way, std::size_t begin) {
  std::string text = "in a forwarding loop at ";
  for (std::size_t i = begin; i < way.size() && i < begin + most_named; ++i)
    text += (i == begin ? "" : ", ") + router_name(topology, way[i]);
  return text + (way.size() > begin + most_named ? ", …" : "");
}

/// Where the route from `source` ends instead.
std::string why(const ForwardingTables& tables, HostId source, HostId destination) {
  const Topology& topology = tables.topology();
  std::vector<NodeId> way;
  std::vector<bool> passed(topology.routers());
  const std::optional<std::uint8_t> level = tables.level(source, destination);
  TableHop in = ~static_cast<TableHop>(source.value);
  for (NodeId at = topology.router_of(source);;) {
    if (passed[at.value])
      return loop_text(topology, way,
                       static_cast<std::size_t>(std::find(way.begin(), way.end(), at) - way.begin()));
    passed[at.value] = true;
    way.push_back(at);
    const TableHop hop = tables.next(at, destination);
    if (hop == ForwardingTables::no_hop) return "no entry at " + router_name(topology, at);
    if (tables.has_lanes() && (hop < 0 || (level && tables.lane(in, hop, *level) == no_lane)))
      return (level ? fmt::format("service level {} has no virtual channel at ", *level)
                    : "no service level has virtual channels all the way to ") +
             router_name(topology, at);
    in = static_cast<TableHop>(topology.opposite(ChannelId{static_cast<std::uint32_t>(hop)}).value);
    at = topology.ends(ChannelId{static_cast<std::uint32_t>(hop)})->to;
  }
}

}  // namespace

void UnroutedPairs::add(HostId source, HostId destination, std::uint64_t count) {
  if (count_ == 0 ||
      std::tie(source.value, destination.value) < std::tie(source_.value, destination_.value)) {
    source_ = source;
    destination_ = destination;
  }
  count_ += count;
}

std::string UnroutedPairs::in_words(const ForwardingTables& tables) const {
  if (count_ == 0) return "";
  const Topology& topology = tables.topology();
  const std::uint64_t hosts = topology.hosts();
  return fmt::format("{} of {} pairs of hosts are not routed (first: {} to {}, {})", count_,
                     hosts * (hosts - 1), called(topology, source_), called(topology, destination_),
                     why(tables, source_, destination_));
}

}  // namespace wormcast
