// The network: nodes, ports, channels, neighbours and labels of every family, as one immutable value.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/ids.hpp"
#include "topology/named_values.hpp"

namespace wormcast {

/// What a link may say of itself, each way, where others have what the router model has, or the network.
enum class LinkValue : std::uint8_t { hop_cycles, flit_cycles, buffer_flits, virtual_channels };
/// As records spell them.
inline constexpr std::array<std::string_view, 4> link_value_keys = {"hop_cycles", "flit_cycles",
                                                                    "buffer_flits", "virtual_channels"};
/// What one link says: by LinkValue, there and back; 0 both ways where it says nothing.
struct LinkValues {
  using Both = std::array<std::uint32_t, 2>;
  std::array<Both, link_value_keys.size()> of{};

  Both& operator[](LinkValue what) { return of[static_cast<std::size_t>(what)]; }
  const Both& operator[](LinkValue what) const { return of[static_cast<std::size_t>(what)]; }
  bool stated() const { return *this != LinkValues{}; }
  friend bool operator==(const LinkValues&, const LinkValues&) = default;
};

/// One link of a graph: two channels. Link k is channel 2k from ends[0] to ends[1] and 2k+1 back.
struct GraphLink {
  std::array<std::uint32_t, 2> ends{};                ///< routers, two different ones
  bool one_way = false;                               ///< nothing goes back: there is no channel 2k+1
  std::optional<std::array<std::uint32_t, 2>> ports;  ///< at each end; nothing = the lowest free port
  LinkValues own{};                                   ///< of each channel
  std::uint32_t width = 0;  ///< lanes; 0 = not known. For people: imports have made flit times of it
  std::string speed;        ///< as its source spells it, "EDR"; empty = not known
};

/// The link of a host to its router.
struct HostLink {
  std::optional<std::array<std::uint32_t, 2>> ports;  ///< at the router, at the host
  LinkValues own{};                                   ///< to the router, to the host; no virtual channels
  std::uint32_t width = 0;                            ///< lanes; 0 = not known
  std::string speed;                                  ///< empty = not known
};

/// Links of a grid: all of a dimension, or those between the blocks of `every` nodes that it is cut into.
struct LinkClass {
  std::uint32_t dimension = 0;
  std::uint32_t every = 1;
  LinkValues own{};  ///< up, down
};

/// A network given link by link (family graph). Hosts hang on links of their own.
struct GraphSpec {
  std::uint32_t routers = 0;
  std::vector<std::uint32_t> hosts;     ///< router of each host
  std::vector<GraphLink> links;         ///< parallel links are separate
  std::vector<std::string> names;       ///< of each router, or empty
  std::vector<std::string> host_names;  ///< of each host, or empty
  std::vector<std::string> guids;       ///< of each router, or empty
  std::vector<std::string> host_guids;  ///< of each host's port, or empty
  std::vector<HostLink> host_links;     ///< of each host, or empty
  std::vector<std::uint32_t> groups;    ///< group of each router, of dragonflies; or empty
};

struct Relation;

/// What a `topology` record says, family-independent: enough to build the network again.
struct TopologySpec {
  std::string family;                     ///< name of a registered family
  std::vector<std::uint64_t> sizes;       ///< dims (mesh, torus: first dimension fastest) or {dimensions}
  std::uint32_t virtual_channels = 0;     ///< limit per directed channel; 0 = as many as the routing needs
  std::vector<std::uint32_t> labels;      ///< label of each node if given; empty = the family's closed form
  std::uint32_t root = 0;                 ///< router that up*/down* and spanning trees start from
  GraphSpec graph{};                      ///< family graph only
  std::vector<LinkClass> link_classes{};  ///< grids only; the last that states a value counts
  NamedValues generator{};                ///< what made a graph: generator, its options, seed
  std::vector<std::uint32_t> open{};      ///< of a torus: dimensions that are lines, not rings; ascending
  std::vector<std::uint32_t> hostless{};  ///< nodes without a host, ascending; of networks that are no graphs
  std::vector<std::uint32_t> failed{};    ///< links of a grid, each by a channel of it, ascending
  std::shared_ptr<const Relation> relation{};  ///< a routing relation of its own (relation.hpp), or nothing
};

/// The two ends of a channel and the port it leaves by.
struct ChannelEnds {
  NodeId from;
  NodeId to;
  PortId port;
};

/// Mixed-radix addresses of mesh and torus nodes: node = x + W·y + W·H·z …
class Grid {
 public:
  explicit Grid(std::vector<std::uint32_t> dims);

  std::span<const std::uint32_t> dims() const { return dims_; }
  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(dims_.size()); }
  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t stride(std::uint32_t dimension) const { return strides_[dimension]; }
  std::uint32_t coordinate(NodeId node, std::uint32_t dimension) const {
    return node.value / strides_[dimension] % dims_[dimension];
  }
  std::vector<std::uint32_t> coordinates(NodeId node) const;
  NodeId node(std::span<const std::uint32_t> coordinates) const;

 private:
  std::vector<std::uint32_t> dims_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t nodes_ = 1;
};

/// Which ways channels run: every one with another back, on grids by the ports up, or down, alone, or on
/// graphs some with none back.
enum class Ways { both, up, down, mixed };

/// distance() between routers that no path joins.
inline constexpr std::uint32_t unreachable = 0xffffffff;

/// An immutable network. Families are final classes; those of grids share one. A structured family
/// computes what it is asked and stores nothing per node.
class Topology {
 public:
  virtual ~Topology() = default;
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  const TopologySpec& spec() const { return spec_; }
  /// Short name for messages and tables: mesh-8x8, hypercube-4; mesh-8x8-56h where only 56 nodes have
  /// hosts, mesh-8x8-4-failed where four links have failed.
  std::string name() const;

  std::uint32_t routers() const { return routers_; }
  /// Every host id is below this; where some routers have none (hostless) not all of them are hosts.
  std::uint32_t hosts() const { return hosts_; }
  std::uint32_t host_count() const { return hosts_ - static_cast<std::uint32_t>(spec_.hostless.size()); }
  bool has_host(HostId host) const {
    return host.value < hosts_ &&
           !std::binary_search(spec_.hostless.begin(), spec_.hostless.end(), host.value);
  }
  /// The host that `index` others come before, and how many come before `host`.
  HostId nth_host(std::uint32_t index) const;
  std::uint32_t place_of(HostId host) const;
  /// All of them, ascending.
  std::vector<HostId> host_ids() const;
  /// Ports a router can have (router-to-router only).
  std::uint32_t ports() const { return ports_; }
  /// Every channel id is below this; ids of missing edge channels stay unused.
  std::uint32_t channel_bound() const { return channel_bound_; }

  /// Every virtual channel is below this: how many the network is said to have, or 255; never so many that
  /// ids of what worms hold (Resources) would not fit into 32 bits, which 8 million channels with 255 do.
  std::uint32_t virtual_channel_bound() const;

  /// The router a host hangs on; the identity on direct networks.
  virtual NodeId router_of(HostId host) const { return NodeId{host.value}; }
  /// True of a network given link by link (graphs): ports can have gaps, and distance() is a search.
  virtual bool given_by_links() const { return false; }
  /// True where hosts sit on links of their own, which take hop time and end in a buffer (graphs).
  virtual bool hosts_have_links() const { return false; }

  /// The router at the far end of `port`, or nothing where the router has no such link.
  virtual std::optional<NodeId> neighbour(NodeId node, PortId port) const = 0;
  /// The channel that leaves `node` by `port`; the link must exist.
  virtual ChannelId channel(NodeId node, PortId port) const {
    return ChannelId{node.value * ports_ + port.value};
  }
  /// Both ends of a channel, or nothing for an id that is unused or out of range.
  virtual std::optional<ChannelEnds> ends(ChannelId channel) const;

  virtual Ways ways() const { return Ways::both; }
  /// The dimensions of its grid() that are rings, a bit for each.
  virtual std::uint32_t ring_dimensions() const { return 0; }
  bool wraps(std::uint32_t dimension) const { return (ring_dimensions() >> dimension & 1) != 0; }
  /// Whether node numbers are addresses with a link for each bit (hypercubes).
  virtual bool bit_addresses() const { return false; }
  /// Nodes of each cycle of cube-connected cycles, 0 elsewhere.
  virtual std::uint32_t cycle_nodes() const { return 0; }
  /// Whether all links are there that its family and sizes say.
  bool intact() const { return spec_.failed.empty(); }
  /// Whether it is a grid of lines, or one whose links run both ways with rings in some or in all dimensions,
  /// and intact; `any_line_grid()`: it may have failed links.
  bool any_line_grid() const { return grid() != nullptr && ring_dimensions() == 0; }
  bool line_grid() const { return any_line_grid() && intact(); }
  bool ring_grid() const { return ring_dimensions() != 0 && ways() == Ways::both && intact(); }
  bool torus_grid() const { return ring_grid() && spec().open.empty(); }
  /// Whether it is a grid whose channels all run up, or all down; it may have failed links.
  bool one_way_grid() const { return ways() == Ways::up || ways() == Ways::down; }
  /// The channel of the same link the other way; `channel` must exist, and ways() be both.
  virtual ChannelId opposite(ChannelId channel) const;
  /// The port of its receiver that a channel ends in; not on grids whose channels run one way.
  virtual PortId arrival_port(ChannelId channel) const { return ends(opposite(channel))->port; }

  /// What `channel`, or the link of `host`, to it or from it, says of itself; `usual` where it says nothing.
  std::uint32_t own(LinkValue what, ChannelId channel, std::uint32_t usual) const {
    const std::uint32_t said = alike(what) ? 0 : stated(what, channel);
    return said != 0 ? said : usual;
  }
  std::uint32_t own(LinkValue what, HostId host, bool to_host, std::uint32_t usual) const {
    const std::uint32_t said = alike(what) ? 0 : stated(what, host, to_host);
    return said != 0 ? said : usual;
  }
  /// True if no link says anything of `what`, or of anything.
  bool alike(LinkValue what) const { return extremes_[static_cast<std::size_t>(what)][1] == 0; }
  bool links_alike() const;
  /// The least and the most of what links say and of `usual`.
  std::uint32_t least(LinkValue what, std::uint32_t usual) const {
    return std::min(usual, extremes_[static_cast<std::size_t>(what)][0]);
  }
  std::uint32_t most(LinkValue what, std::uint32_t usual) const {
    return std::max(usual, extremes_[static_cast<std::size_t>(what)][1]);
  }

  /// Whether the nodes carry Hamiltonian-path labels. label() and node_at() need it.
  virtual bool labelled() const { return true; }
  /// Position of `node` on the Hamiltonian path.
  Label label(NodeId node) const {
    return labels_.empty() ? closed_form_label(node) : Label{labels_[node.value]};
  }
  /// The node with that label.
  NodeId node_at(Label label) const {
    return labels_.empty() ? closed_form_node_at(label) : NodeId{nodes_by_label_[label.value]};
  }

  /// Length in hops of a shortest path; unreachable where there is none (graphs).
  virtual std::uint32_t distance(NodeId from, NodeId to) const = 0;

  /// Addresses by coordinates on mesh and torus, nullptr elsewhere.
  virtual const Grid* grid() const { return nullptr; }

 protected:
  /// With all its hosts.
  virtual std::string whole_name() const = 0;

  Topology(TopologySpec spec, std::uint32_t routers, std::uint32_t hosts, std::uint32_t ports);
  /// For the end of each family's constructor: checks spec().labels (a permutation whose
  /// consecutive nodes are neighbours) and takes them in place of the closed form.
  void adopt_given_labels();

  /// For constructors: some link says so of itself. Throws InputError where it says it of one way only, or
  /// has more virtual channels than the network. `place` names it: "links[3]".
  void note_own(const LinkValues& own, const std::string& place);
  virtual std::uint32_t stated(LinkValue /*what*/, ChannelId /*channel*/) const { return 0; }
  virtual std::uint32_t stated(LinkValue /*what*/, HostId /*host*/, bool /*to_host*/) const { return 0; }

  /// Of families that have one; elsewhere labelled() is false until labels are given.
  virtual Label closed_form_label(NodeId /*node*/) const { return {}; }
  virtual NodeId closed_form_node_at(Label /*label*/) const { return {}; }

  std::uint32_t channel_bound_ = 0;

 private:
  TopologySpec spec_;
  std::uint32_t routers_ = 0;
  std::uint32_t hosts_ = 0;
  std::uint32_t ports_ = 0;
  std::array<std::array<std::uint32_t, 2>, link_value_keys.size()> extremes_;  ///< by LinkValue
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint32_t> nodes_by_label_;
};

/// One registered family. `build` throws InputError for sizes it cannot take.
struct TopologyFamily {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;      ///< operands of gen-topology, for example "W H ..."
  std::string_view sizes_key;  ///< how the record spells its sizes: "dims" (array), "dimensions" (integer),
                               ///< "" (a graph's own keys)
  std::string_view cite;
  std::unique_ptr<const Topology> (*build)(TopologySpec spec);
};

/// Every family, in the order of topologies.def.
std::span<const TopologyFamily* const> topology_families();
/// The family of that name, or nullptr.
const TopologyFamily* find_topology_family(std::string_view name);
/// Builds the network that `spec` describes; throws InputError (unknown family, bad sizes or labels).
std::unique_ptr<const Topology> build_topology(TopologySpec spec);

/// Why something does not apply to a topology: "it needs `what`". Nothing where `there` is.
std::optional<std::string> needs(bool there, const std::string& what);

// Checks of the sizes a topology is asked for, before anything is allocated.
/// Ids are 32 bits, and what worms can hold takes two for each (channel, VC): no network may have more
/// directed channel ids than this, which leaves it 7 virtual channels (Topology::virtual_channel_bound()).
inline constexpr std::uint64_t max_channel_ids = std::uint64_t{1} << 28;

/// Largest port number that a link may name.
inline constexpr std::uint32_t max_port_number = 65535;

/// spec.sizes as dimensions of at least `least` each, their product times two ports a dimension
/// within max_channel_ids; throws InputError on field "dims".
std::vector<std::uint32_t> checked_dims(const TopologySpec& spec, std::uint64_t least);
/// spec.sizes as the one number of dimensions, in [least, most]; throws InputError on "dimensions".
std::uint32_t checked_dimensions(const TopologySpec& spec, std::uint64_t least, std::uint64_t most);
/// "mesh" and {4, 3} make "mesh-4x3".
std::string sizes_name(std::string_view family, std::span<const std::uint32_t> dims);
/// Throws InputError on `field` for a value that is not in [least, most].
void check_between(const std::string& field, std::uint64_t value, std::uint64_t least, std::uint64_t most);

}  // namespace wormcast
