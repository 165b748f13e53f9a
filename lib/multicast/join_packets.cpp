// Packets of routers that join flit by flit.
// SPDX-License-Identifier: MIT
#include "multicast/join_packets.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "router/discipline.hpp"
#include "topology/grid_address.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

// Ports of a grid are +x −x +y −y.
constexpr std::array<MeshSide, 4> side_of_port = {east_side, west_side, north_side, south_side};
constexpr std::array<std::uint32_t, 4> port_of_side = {2, 0, 3, 1};

MeshPlace place_in(const Grid& grid, std::uint32_t node) {
  return {grid.coordinate(NodeId{node}, 0), grid.coordinate(NodeId{node}, 1)};
}

MeshPlace mask_of_sources(const Grid& grid, const std::vector<std::uint32_t>& sources, std::size_t worm) {
  std::vector<std::uint64_t> addresses;
  for (const std::uint32_t source : sources) addresses.push_back(mask_address(grid, NodeId{source}));
  std::sort(addresses.begin(), addresses.end());
  const auto mask = mask_of(addresses);
  if (!mask)
    refuse(indexed("worms", worm, ".hops"),
           "{} sources are no node with bits flipped: a (destination, mask) header cannot name them "
           "(plan-multicast mask-trees cuts them into sets that it can)",
           sources.size());
  const std::vector<std::uint32_t> bits = by_dimension(grid, *mask);
  return {bits[0], bits[1]};
}

}  // namespace

ChannelId channel_out_of(const Topology& topology, NodeId node, MeshSide output) {
  return topology.channel(node, PortId{port_of_side[output]});
}

ChannelId channel_into(const Topology& topology, NodeId node, MeshSide input) {
  return topology.opposite(channel_out_of(topology, node, input));
}

JoinPacket packet_of(const Topology& topology, const Request& request, const WormRoute& route,
                     std::size_t index, std::uint32_t usual_header) {
  const Grid& grid = *topology.grid();
  JoinPacket packet;
  packet.flits = route.flits(request.length_flits, usual_header);
  std::vector<std::uint32_t> leaves;
  std::optional<std::uint32_t> network;
  for (const RouteHop& hop : route.hops) {
    if (!hop.is_channel()) {
      leaves.push_back(hop.target);
      continue;
    }
    if (hop.vc >= networks_of(topology))
      refuse(indexed("worms", index, ".hops"),
             "virtual channel {}: these routers have {}, each a network of its own (gen-topology "
             "--virtual-channels)",
             hop.vc, networks_of(topology));
    if (network && *network != hop.vc)
      refuse(indexed("worms", index, ".hops"), "virtual channels {} and {}: they are networks of their own",
             *network, hop.vc);
    network = hop.vc;
  }
  packet.network = network.value_or(0);
  packet.joins = request.reduces() && leaves.size() > 1;
  if (packet.joins) {
    packet.root = place_in(grid, request.source.value);
    packet.mask = mask_of_sources(grid, leaves, index);
  }
  std::map<std::uint32_t, SideSet> ways;
  const std::uint32_t first = packet.network * topology.routers();
  for (const RouteHop& hop : route.hops) {
    if (!hop.is_channel()) {
      ways[first + (request.reduces() ? request.source.value : hop.target)] |= SideSet{1U << node_side};
      continue;
    }
    const ChannelEnds ends = topology.ends(ChannelId{hop.target}).value();
    const MeshSide side = side_of_port[ends.port.value];
    ways[first + ends.from.value] |= static_cast<SideSet>(1U << side);
    if (packet.joins && side != towards(place_in(grid, ends.from.value), packet.root))
      refuse(indexed("worms", index, ".hops"),
             "channel {} is not on the dimension-order route to the root, {}, by which these routers join "
             "(plan-multicast xy-tree plans them so)",
             hop.target, request.source.value);
  }
  packet.ways.assign(ways.begin(), ways.end());
  return packet;
}

void check_joining(const Topology& topology, const RouterModel& m) {
  const char* const joins = "routers that copy and join flit by flit (--replication per-flit) ";
  if (!topology.line_grid() || topology.grid()->dimensions() != 2)
    refuse("topology", "{}join on two-dimensional meshes, not on {}", joins, topology.name());
  const RouterModel usual;
  if (m.hop_cycles != 1 || m.flit_cycles != 1 || m.credit_cycles != 1 || m.routing_cycles != 0 ||
      m.shared_links || m.startup_cycles != 0 || m.overhead_cycles != 0 || m.consumption_cycles > 1 ||
      m.injection_channels != 1 || m.consumption_channels != 1 || !m.reuses_early() || m.buffer_flits < 2 ||
      m.output_arbitration != OutputArbitration::round_robin ||
      m.consumption_release != usual.consumption_release || m.discipline().grants_ways ||
      m.allocation != usual.allocation)
    refuse("--preset",
           "{}are simulated as the preset floonoc has them, with other --buffer-flits (2 or more) and "
           "--header-flits alone",
           joins);
}

}  // namespace wormcast
