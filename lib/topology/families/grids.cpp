// Meshes and tori of any number of dimensions, 1-wide ones too, tori some of whose dimensions are lines, and
// tori whose channels run one way.
//
// Ports are +x −x +y −y …; a port towards a missing neighbour has no channel. The wrap link of a torus' ring
// leaves its last node by + and its first by −. A ring of two nodes has two parallel links, one by + and one
// by −, each with its own two channels; a ring of one node has none. Labels are the reflected snake
// (grid_address.hpp): its steps are mesh links, so wrap links are extra neighbours to label routing.
//
// Chips have one-way tori in pairs, one network of each kind over the same nodes: a router of one needs two
// ports where one of both ways needs four, and from any node to any other there is one path in each
// dimension. Ports and channel ids are those of the torus; the ports of the other way have no neighbours, so
// a forward and a backward network together are the torus, channel by channel. No Hamiltonian labels: their
// order needs channels from each label to the next and back. cite: Bouchitté, Cohen, Fleury 1997, section 2
// (mesh); Dally, Seitz 1987 (torus, and the unidirectional one); Tenstorrent, tt-isa-documentation (NoC #0
// rightwards and downwards, NoC #1 leftwards and upwards).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "topology/grid_address.hpp"
#include "topology/refuse.hpp"
#include "topology/spread.hpp"
#include "topology/topology.hpp"

namespace wormcast {
namespace {

class GridNetwork final : public Topology {
 public:
  GridNetwork(TopologySpec given, Grid grid, std::uint32_t rings, Ways ways)
      : Topology(std::move(given), grid.nodes(), grid.nodes(), 2 * grid.dimensions()),
        grid_(std::move(grid)),
        rings_(rings),
        ways_(ways) {
    fail_links();
    if (ways_ == Ways::both) adopt_given_labels();
    for (std::size_t i = 0; i < spec().link_classes.size(); ++i) {
      const LinkClass& one = spec().link_classes[i];
      const std::string place = indexed("link_classes", i);
      if (one.dimension >= grid_.dimensions())
        refuse(place + ".dimension", "{} of a network with {}, from 0", one.dimension, grid_.dimensions());
      if (one.every == 0) throw InputError(place + ".every", "0 nodes, at least 1");
      const std::uint32_t size = grid_.dims()[one.dimension];
      if (size == 1 || one.every > (wraps(one.dimension) ? size : size - 1))
        refuse(place + ".every", "{}: dimension {} of {} nodes has no such links", one.every, one.dimension,
               size);
      note_own(one.own, place);
    }
  }

  std::string whole_name() const override {
    std::string name = sizes_name(spec().family, grid_.dims());
    for (const std::uint32_t d : spec().open)
      name += (d == spec().open[0] ? "-open-" : ",") + std::to_string(d);
    return name;
  }
  const Grid* grid() const override { return &grid_; }
  std::uint32_t ring_dimensions() const override { return rings_; }
  Ways ways() const override { return ways_; }
  /// By the snake, or as given.
  bool labelled() const override { return ways_ == Ways::both && (!snake_broken_ || !spec().labels.empty()); }

  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    const std::uint32_t dimension = port.value / 2;
    const std::uint32_t size = grid_.dims()[dimension];
    const bool up = port.value % 2 == 0;
    if (size == 1 || ways_ == (up ? Ways::down : Ways::up)) return std::nullopt;
    if (!failed_.empty() && failed_[channel(node, port).value]) return std::nullopt;
    const std::uint32_t x = grid_.coordinate(node, dimension);
    const bool last = up ? x + 1 == size : x == 0;
    if (last && !wraps(dimension)) return std::nullopt;
    const std::uint32_t step = grid_.stride(dimension) * (last ? size - 1 : 1);
    return NodeId{up != last ? node.value + step : node.value - step};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    if (!failed_.empty()) return searched_distance(from, to);
    if (ways_ == Ways::down) std::swap(from, to);
    std::uint32_t hops = 0;
    for (std::uint32_t d = 0; d < grid_.dimensions(); ++d) {
      const std::uint32_t a = grid_.coordinate(from, d);
      const std::uint32_t b = grid_.coordinate(to, d);
      const std::uint32_t up = a <= b ? b - a : b + grid_.dims()[d] - a;
      const std::uint32_t straight = a < b ? b - a : a - b;
      hops += ways_ != Ways::both ? up : wraps(d) ? std::min(straight, grid_.dims()[d] - straight) : straight;
    }
    return hops;
  }

 private:
  void fail_links() {
    std::vector<bool> failed(spec().failed.empty() ? 0 : channel_bound());
    for (std::size_t i = 0; i < spec().failed.size(); ++i) {
      const ChannelId channel{spec().failed[i]};
      const auto there = ends(channel);
      if (!there || (i > 0 && channel.value <= spec().failed[i - 1]))
        refuse(indexed("failed", i), "{} is no channel of the network, or they are not ascending",
               channel.value);
      failed[channel.value] = true;
      if (ways_ == Ways::both) failed[opposite(channel).value] = true;
    }
    failed_ = std::move(failed);
    for (std::uint32_t label = 0; !failed_.empty() && label + 1 < routers(); ++label) {
      const NodeId at = snake_node(grid_, Label{label}), next = snake_node(grid_, Label{label + 1});
      bool joined = false;
      for (std::uint32_t port = 0; port < ports(); ++port) joined |= neighbour(at, PortId{port}) == next;
      snake_broken_ |= !joined;
    }
  }

  std::uint32_t searched_distance(NodeId from, NodeId to) const {
    std::vector<std::uint32_t> hops(routers(), unreachable);
    spread(*this, {from}, [&](NodeId at, NodeId before) {
      hops[at.value] = at == from ? 0 : hops[before.value] + 1;
      return at == to;
    });
    return hops[to.value];
  }

  /// A link is known by its lower end; the wrap link of a ring stands behind its last node.
  std::uint32_t stated(LinkValue what, ChannelId channel) const override {
    const std::uint32_t port = channel.value % ports(), dimension = port / 2;
    const std::uint32_t size = grid_.dims()[dimension];
    const std::uint32_t x = grid_.coordinate(NodeId{channel.value / ports()}, dimension);
    const std::uint32_t behind = port % 2 == 0 ? x + 1 : x == 0 ? size : x;
    std::uint32_t said = 0;
    for (const LinkClass& one : spec().link_classes)
      if (one.dimension == dimension && behind % one.every == 0 && one.own[what][port % 2] != 0)
        said = one.own[what][port % 2];
    return said;
  }

  Label closed_form_label(NodeId node) const override { return snake_label(grid_, node); }
  NodeId closed_form_node_at(Label label) const override { return snake_node(grid_, label); }

  Grid grid_;
  std::uint32_t rings_;
  Ways ways_;
  std::vector<bool> failed_;  ///< by channel; empty: none
  bool snake_broken_ = false;
};

template <bool wraps, Ways ways = Ways::both>
std::unique_ptr<const Topology> build_grid(TopologySpec spec) {
  Grid grid(checked_dims(spec, 1));
  if (ways != Ways::both && !spec.labels.empty())
    refuse("labels", "a {} has none: its channels run one way", spec.family);
  std::uint32_t rings = wraps ? ~std::uint32_t{0} >> (32 - grid.dimensions()) : 0;
  for (std::size_t i = 0; i < spec.open.size(); ++i) {
    if (spec.open[i] >= grid.dimensions())
      refuse(indexed("open", i), "there is no dimension {}, only 0 to {}", spec.open[i],
             grid.dimensions() - 1);
    if (i > 0 && spec.open[i] <= spec.open[i - 1]) refuse(indexed("open", i), "dimensions are not ascending");
    rings &= ~(std::uint32_t{1} << spec.open[i]);
  }
  if (wraps && rings == 0) throw InputError("open", "all dimensions are lines: that is a mesh");
  return std::make_unique<GridNetwork>(std::move(spec), std::move(grid), rings, ways);
}

constexpr TopologyFamily grid_family(std::string_view name, std::string_view summary, std::string_view cite,
                                     std::unique_ptr<const Topology> (*build)(TopologySpec)) {
  return {.name = name,
          .summary = summary,
          .usage = "W H ...",
          .sizes_key = "dims",
          .cite = cite,
          .build = build};
}

}  // namespace

extern const TopologyFamily topology_mesh =
    grid_family("mesh", "n-dimensional mesh; node = x + W*y + W*H*z ...",
                "Bouchitte, Cohen, Fleury 1997, section 2", build_grid<false>);

extern const TopologyFamily topology_torus =
    grid_family("torus", "n-dimensional torus; node = x + W*y + W*H*z ...; rings of two have parallel links",
                "Dally, Seitz 1987", build_grid<true>);

extern const TopologyFamily topology_torus_forward = grid_family(
    "torus-forward",
    "torus whose channels run one way, up in every dimension, as those of one of a chip's two networks",
    "Dally, Seitz 1987; Tenstorrent tt-isa-documentation", build_grid<true, Ways::up>);

extern const TopologyFamily topology_torus_backward =
    grid_family("torus-backward", "the same, down in every dimension",
                "Dally, Seitz 1987; Tenstorrent tt-isa-documentation", build_grid<true, Ways::down>);

}  // namespace wormcast
