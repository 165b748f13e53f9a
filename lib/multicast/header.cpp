// Header flits of a worm by encoding.
//
//   address-list   one host address of ⌈log2 hosts⌉ bits for each stop that consumes, in any order: the
//                  all-destination encoding. A unicast has one address.
//   bit-string     one bit for each host of the network, whatever the worm's destinations.
//   switch-ports   the address of one switch, ⌈log2 routers⌉ bits, and one bit for each port of the switch
//                  with most ports, those of hosts included: the header of a worm that replicates at a
//                  single switch. Where all stops hang on one switch it says everything.
//   corners        the addresses of two corners of a box of a mesh, cmesh or torus whose nodes are the worm's
//                  destinations, all but perhaps its source: 2⌈log2 hosts⌉ bits; one address where there is
//                  one destination.
//   mask           on a grid, the bits of a node's coordinates, and as many for the mask: the worm's
//                  destinations are that node with all combinations of the masked bits flipped; one address
//                  where there is one destination.
// The bits are cut into flits of the stated width and the last one is filled up. A header keeps its
// length on the way: routers that clear bits or strip addresses send on as many flits. What headers
// hold besides (routing state, message class, tags) is the same for all schemes and left out.
// Cost: O(stops); switch-ports once O(routers · ports + hosts), O(routers + links + hosts) on graphs.
// cite: Chiang, Ni 1994 (all-destination and bit-string encoding); Sivaram, Panda, Stunkel 1997 (switch
// and port string).
// SPDX-License-Identifier: MIT
#include "multicast/header.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "topology/generator.hpp"
#include "topology/grid_address.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::array<std::string_view, 6> encoding_names = {"none",         "address-list", "bit-string",
                                                            "switch-ports", "corners",      "mask"};

std::uint64_t address_bits(std::uint32_t count) {
  return count <= 2 ? 1 : static_cast<std::uint64_t>(std::bit_width(count - 1));
}

HeaderEncoding encoding_of(std::string_view name, HeaderEncoding own) {
  if (name == own_encoding) return own;
  const auto found = std::find(encoding_names.begin(), encoding_names.end(), name);
  if (found == encoding_names.end()) {
    std::vector<std::string_view> known(encoding_names.begin(), encoding_names.end());
    known.push_back(own_encoding);
    throw InputError("--header-encoding", unknown_name_message("header encoding", name, known));
  }
  return static_cast<HeaderEncoding>(found - encoding_names.begin());
}

std::uint32_t width_of(std::string_view text) {
  const auto width = whole_number(text);
  if (!width || *width == 0) refuse("--flit-bits", "'{}' is not an integer from 1 to 4294967295", text);
  return *width;
}

/// The format that a plan's record states.
HeaderFormat stated_format(const Plan& plan) {
  try {
    return header_format(plan.options.values(), HeaderEncoding::none);
  } catch (const InputError& error) {
    refuse("options", "{}: {}", error.field.substr(2), error.what());
  }
}

/// A box has as many nodes as its sides say, less those without a host: all distinct destinations, and the
/// source if it is inside.
std::uint64_t corner_bits(const Topology& topology, const std::optional<Grid>& grid, const Worm& worm) {
  if (!grid) refuse("--header-encoding", "corners needs a mesh, a torus or a cmesh, not {}", topology.name());
  std::vector<HostId> nodes;
  for (const Stop& stop : worm.stops)
    if (stop.action != StopAction::branch) nodes.push_back(HostId{stop.node});
  const std::uint64_t bits = (nodes.size() == 1 ? 1 : 2) * address_bits(topology.hosts());
  // A box may wrap where channels run one way.
  if (topology.ways() != Ways::both && grid->dimensions() == 2 && box_of(topology, worm.source, nodes))
    return bits;
  std::vector<std::uint32_t> low, high;
  for (std::uint32_t d = 0; d < grid->dimensions(); ++d) {
    const auto coordinate = [&](HostId node) { return grid->coordinate(NodeId{node.value}, d); };
    low.push_back(coordinate(nodes.front()));
    high.push_back(low.back());
    for (const HostId node : nodes) {
      low[d] = std::min(low[d], coordinate(node));
      high[d] = std::max(high[d], coordinate(node));
    }
  }
  const auto in_box = [&](HostId node) {
    for (std::uint32_t d = 0; d < grid->dimensions(); ++d) {
      const std::uint32_t x = grid->coordinate(NodeId{node.value}, d);
      if (x < low[d] || x > high[d]) return false;
    }
    return true;
  };
  std::uint64_t inside = 1;
  for (std::uint32_t d = 0; d < grid->dimensions(); ++d) inside *= high[d] - low[d] + 1;
  for (const std::uint32_t node : topology.spec().hostless) inside -= in_box(HostId{node}) ? 1 : 0;
  const bool own = std::find(nodes.begin(), nodes.end(), worm.source) != nodes.end();
  if (nodes.size() != inside && !(in_box(worm.source) && !own && nodes.size() + 1 == inside))
    refuse("--header-encoding",
           "corners names a box, and a worm from node {} has destinations that do not fill one",
           worm.source.value);
  return bits;
}

std::uint64_t bits_with_mask(const Topology& topology, const Worm& worm) {
  const Grid* grid = topology.grid();
  if (grid == nullptr) refuse("--header-encoding", "mask needs a mesh or a torus, not {}", topology.name());
  std::vector<std::uint64_t> addresses;
  for (const Stop& stop : worm.stops)
    if (stop.action != StopAction::branch) addresses.push_back(mask_address(*grid, NodeId{stop.node}));
  std::sort(addresses.begin(), addresses.end());
  if (!mask_of(addresses))
    refuse("--header-encoding",
           "mask names a node with any of some bits flipped, and a worm from node {} has other destinations "
           "(mask-trees has none)",
           worm.source.value);
  return (addresses.size() == 1 ? 1 : 2) * std::uint64_t{mask_bits(*grid)};
}

std::string said(const std::optional<std::uint32_t>& flits) {
  return flits ? std::to_string(*flits) : std::string("nothing");
}

/// Whether ascending coordinates are an interval of their ring: at most one gap, or one at the ends alone.
bool ring_interval(const std::vector<std::uint32_t>& coordinates, std::uint32_t size) {
  std::uint32_t gaps = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::uint32_t next = coordinates[(i + 1) % coordinates.size()];
    gaps += (coordinates[i] + 1) % size == next ? 0 : 1;
  }
  return gaps <= 1;
}

}  // namespace

std::span<const std::string_view> header_encodings() { return encoding_names; }

std::string_view name_of(HeaderEncoding encoding) {
  return encoding_names[static_cast<std::size_t>(encoding)];
}

HeaderFormat header_format(const PlanOptions& options, HeaderEncoding own) {
  HeaderFormat format;
  bool stated = false;
  bool wide = false;
  for (const auto& [name, value] : options) {
    if (name == header_encoding_option) {
      format.encoding = encoding_of(value, own);
      stated = true;
    } else if (name == flit_bits_option) {
      format.flit_bits = width_of(value);
      wide = true;
    }
  }
  if (wide && !stated) throw InputError("--flit-bits", "needs a --header-encoding");
  if (wide && format.encoding == HeaderEncoding::none)
    throw InputError("--flit-bits", "with header-encoding none there are no headers to count");
  return format;
}

void HeaderSizes::prepare(HeaderEncoding encoding) {
  if (encoding == HeaderEncoding::corners && !grid_) grid_ = host_grid(*topology_);
  if (encoding != HeaderEncoding::switch_ports || switch_ports_ != 0) return;
  std::vector<std::uint32_t> ports(topology_->routers());
  // Readers of records count for each of them: the links of a graph are told off faster than its ports asked.
  for (const GraphLink& link : topology_->spec().graph.links)
    for (const std::uint32_t end : link.ends) ++ports[end];
  if (topology_->spec().graph.routers == 0)
    for (std::uint32_t router = 0; router < topology_->routers(); ++router)
      for (std::uint32_t port = 0; port < topology_->ports(); ++port)
        if (topology_->neighbour(NodeId{router}, PortId{port})) ++ports[router];
  for (const HostId host : topology_->host_ids()) ++ports[topology_->router_of(host).value];
  switch_ports_ = *std::max_element(ports.begin(), ports.end());
}

std::uint64_t HeaderSizes::bits(const Worm& worm, HeaderEncoding encoding) const {
  if (encoding == HeaderEncoding::bit_string) return topology_->hosts();
  if (encoding == HeaderEncoding::address_list) {
    const auto consumers = std::count_if(worm.stops.begin(), worm.stops.end(),
                                         [](const Stop& stop) { return stop.action != StopAction::branch; });
    return static_cast<std::uint64_t>(consumers) * address_bits(topology_->hosts());
  }
  if (encoding == HeaderEncoding::corners) return corner_bits(*topology_, grid_, worm);
  if (encoding == HeaderEncoding::mask) return bits_with_mask(*topology_, worm);
  const auto router = [&](const Stop& stop) { return router_of(*topology_, stop); };
  for (const Stop& stop : worm.stops)
    if (router(stop) != router(worm.stops.front()))
      refuse("--header-encoding", "switch-ports names one switch, and a worm goes to switches {} and {}",
             router(worm.stops.front()).value, router(stop).value);
  return address_bits(topology_->routers()) + switch_ports_;
}

std::optional<std::uint32_t> HeaderSizes::flits(const Worm& worm, const HeaderFormat& format) const {
  if (format.encoding == HeaderEncoding::none) return std::nullopt;
  const std::uint64_t all = bits(worm, format.encoding);
  const std::uint64_t flits = (all + format.flit_bits - 1) / format.flit_bits;
  if (flits > std::numeric_limits<std::uint32_t>::max()) refuse("--flit-bits", "a header of {} flits", flits);
  return static_cast<std::uint32_t>(flits);
}

void HeaderSizes::check(const Plan& plan) {
  const HeaderFormat format = stated_format(plan);
  if (format.encoding == HeaderEncoding::none) return;
  prepare(format.encoding);
  for (std::size_t w = 0; w < plan.worms.size(); ++w) {
    const auto counted = flits(plan.worms[w], format);
    if (plan.worms[w].header_flits != counted)
      refuse(indexed("worms", w, ".header_flits"), "the worm says {}, {} with {}-bit flits has {}",
             said(plan.worms[w].header_flits), name_of(format.encoding), format.flit_bits, said(counted));
  }
}

// Boxes of nodes, which may wrap. Cost: O(nodes of the box · log).

std::vector<HostId> hosts_of(const Topology& topology, const RingBox& box, HostId but) {
  const Grid& grid = *topology.grid();
  std::vector<HostId> hosts;
  hosts.reserve(box[0].size() * box[1].size());
  for (const std::uint32_t y : box[1])
    for (const std::uint32_t x : box[0]) {
      const HostId host{x + y * grid.stride(1)};
      if (host != but && topology.has_host(host)) hosts.push_back(host);
    }
  return hosts;
}

std::optional<RingBox> box_of(const Topology& topology, HostId source,
                              const std::vector<HostId>& destinations) {
  const Grid& grid = *topology.grid();
  std::vector<HostId> nodes = destinations;
  for (const bool with_source : {false, true}) {  // the source may be a hole in the box
    if (with_source) nodes.push_back(source);
    RingBox box;
    bool intervals = true;
    for (const std::uint32_t d : {0U, 1U}) {
      for (const HostId host : nodes) box[d].push_back(grid.coordinate(NodeId{host.value}, d));
      sort_unique(box[d]);
      intervals = intervals && ring_interval(box[d], grid.dims()[d]);
    }
    // Destinations are within by construction: none is missing if there are as many as the box has.
    if (intervals && hosts_of(topology, box, source).size() == destinations.size()) return box;
  }
  return std::nullopt;
}

}  // namespace wormcast
