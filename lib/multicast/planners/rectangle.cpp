// Rectangle multicast, as tiled accelerators have it: the destinations of a worm are all nodes of a box.
//
// A set of destinations is cut into boxes: the lowest destination left is the lower left corner of the box
// that serves most of those left (ties: the widest), and so on. A source inside its own box is passed over,
// and so are nodes without a host.
// tree: the worm goes to the node of the box nearest to the source, then both ways along that row of the box,
// and both ways up and down every column (y-major; x-major: along that column, and along every row). rows: a
// worm for every row of the box goes to its nearer end and then along it to the other (from inside the row:
// one each way). The header names two corners, whatever the number of destinations. Either form turns from
// columns into rows, which dimension-order unicasts never do: safe only with a path that is reserved, or
// buffers for the whole worm on trees whose boxes lie in the source's row. Where channels run one way
// (one_way_box_tree) the tree is the one that the chip builds, with the same name for its major axis, and a
// set that is one box, which may wrap, is not cut. Cost: O(k · width · height) for the boxes. cite:
// Tenstorrent, TT-Metalium noc_async_write_multicast (a rectangle and its start and end),
// tt-isa-documentation (RoutingPaths); the boxes of other sets and the trees on meshes: this project.
//
// Where channels run one way, every node lies upwards as the source sees it (TorusAsMesh), so a tree is three
// sweeps upwards: where the source is not within the box along the major dimension, to where the box begins;
// along the other one; and along the major one at each coordinate that is wanted. A source within the box
// starts where it is, and the sweeps go round the rings to what lies behind it. No channel is used twice: a
// sweep is shorter than its ring, and those along the major dimension are in different rings, or the last
// goes on from the first. Cost: O(nodes of the tree · log).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/around_faults.hpp"
#include "multicast/building_blocks/grid_tree.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"

namespace wormcast {
namespace {

constexpr std::array<PlannerParameter, 2> rectangle_parameters = {{
    {"shape",
     {"tree", "rows", "x-major", "y-major"},
     "what serves a rectangle: one tree (x-major: from a column along its rows; y-major: from a row along "
     "its "
     "columns; tree: y-major on meshes, x-major where channels run one way), or a path for each row"},
    tree_replication,
}};

/// How far up from the source the coordinates lie, ascending.
std::vector<std::uint32_t> steps_up(const PlanningContext& context, HostId source,
                                    const std::vector<std::uint32_t>& coordinates, std::uint32_t dimension) {
  const Grid& grid = *context.topology.grid();
  const TorusAsMesh as_mesh(context.topology, NodeId{source.value});
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t at : coordinates)
    steps.push_back(grid.coordinate(as_mesh.to_mesh(NodeId{at * grid.stride(dimension)}), dimension));
  std::sort(steps.begin(), steps.end());
  return steps;
}

/// One tree for the box: along the major dimension to the box's first coordinate in it, unless the source is
/// within, then along the other one to the last that is wanted, and at each that is wanted along the major
/// dimension again. It is consumed at `destinations` (sorted).
Worm one_way_box_tree(const PlanningContext& context, HostId source, const RingBox& box, std::uint32_t major,
                      std::span<const HostId> destinations) {
  const std::uint32_t minor = 1 - major;
  const std::vector<std::uint32_t> along = steps_up(context, source, box[major], major);
  const std::vector<std::uint32_t> across = steps_up(context, source, box[minor], minor);
  GridTree tree(context.topology, source, context.routing.last_dimension_first());
  const auto sweep = [&](std::uint32_t at, std::uint32_t dimension, std::uint32_t to) {
    while (tree.place(at)[dimension] < to) at = tree.join(at, dimension, true);
    return at;
  };
  std::uint32_t at = sweep(0, major, along.front());
  for (const std::uint32_t step : across) {
    at = sweep(at, minor, step);
    sweep(at, major, along.back());
  }
  return tree.worm(destinations, replication_of(context));
}

/// A path for each row of the box: to its first node that is wanted, and on along it.
std::vector<Worm> one_way_box_rows(const PlanningContext& context, HostId source, const RingBox& box) {
  const TorusAsMesh as_mesh(context.topology, NodeId{source.value});
  std::vector<Worm> worms;
  for (const std::uint32_t y : box[1]) {
    std::vector<HostId> row = hosts_of(context.topology, {box[0], {y}}, source);
    std::sort(row.begin(), row.end(), [&](HostId a, HostId b) {
      return as_mesh.to_mesh(NodeId{a.value}) < as_mesh.to_mesh(NodeId{b.value});
    });
    append_chain(worms, source, row);
  }
  return worms;
}

/// Takes out of the box what the source comes to first along a dimension.
void drop_first(const PlanningContext& context, HostId source, RingBox& box, std::uint32_t dimension = 0) {
  const auto steps = [&](std::uint32_t at) { return steps_up(context, source, {at}, dimension).front(); };
  const auto first = std::min_element(box[dimension].begin(), box[dimension].end(),
                                      [&](std::uint32_t a, std::uint32_t b) { return steps(a) < steps(b); });
  box[dimension].erase(first);
}

/// Every tree of one_way_box_tree is a part of one of these: from each source a broadcast to all columns, and
/// for each column but its own one to the nodes from there on.
void legs_of_one_way_box_trees(const PlanningContext& context, std::uint32_t major, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  for (const HostId node : context.topology.host_ids())
    for (RingBox box = {numbers_from(0, grid.dims()[0]), numbers_from(0, grid.dims()[1])};
         !box[major].empty(); drop_first(context, node, box, major)) {
      const std::vector<HostId> hosts = hosts_of(context.topology, box, node);
      if (!hosts.empty()) sink.part_of(one_way_box_tree(context, node, box, major, hosts));
    }
}

/// Likewise: from each source to each row, from each of its columns on.
void legs_of_one_way_box_rows(const PlanningContext& context, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  for (const HostId node : context.topology.host_ids())
    for (std::uint32_t y = 0; y < grid.dims()[1]; ++y)
      for (RingBox box = {numbers_from(0, grid.dims()[0]), {y}}; !box[0].empty();
           drop_first(context, node, box))
        for (const Worm& worm : one_way_box_rows(context, node, box)) sink.part_of(worm);
}

/// Both corners inside.
struct Box {
  std::uint32_t left, right, low, high;
};

class Boxes {
 public:
  Boxes(const Topology& topology, const Grid& grid, const Request& request)
      : topology_(topology), grid_(grid), source_(request.source), open_(grid.nodes(), false) {
    for (const HostId host : request.destinations) open_[host.value] = true;
  }

  /// The next box whose lower left destination is `corner`; its destinations are served.
  Box take(HostId corner) {
    const std::uint32_t left = x(corner);
    const std::uint32_t low = y(corner);
    Box best{left, left, low, low};
    std::uint32_t most = 0;
    std::uint32_t width = grid_.dims()[0] - left;
    std::uint32_t served = 0;
    for (std::uint32_t row = low; row < grid_.dims()[1]; ++row) {
      std::uint32_t run = 0;
      while (run < width && filled(left + run, row)) ++run;
      if (run == 0) break;
      width = run;
      served = count({left, left + width - 1, low, row});
      const bool wider = served == most && width > best.right - best.left + 1;
      if (served > most || wider) best = {left, left + width - 1, low, row};
      most = std::max(most, served);
    }
    while (best.left < best.right && count({best.right, best.right, best.low, best.high}) == 0) --best.right;
    while (best.low < best.high && count({best.left, best.right, best.high, best.high}) == 0) --best.high;
    for (std::uint32_t row = best.low; row <= best.high; ++row)
      for (std::uint32_t column = best.left; column <= best.right; ++column) open_[node(column, row)] = false;
    return best;
  }

  bool open(HostId host) const { return open_[host.value]; }
  std::uint32_t x(HostId host) const { return grid_.coordinate(NodeId{host.value}, 0); }
  std::uint32_t y(HostId host) const { return grid_.coordinate(NodeId{host.value}, 1); }
  std::uint32_t node(std::uint32_t column, std::uint32_t row) const { return column + row * grid_.stride(1); }

 private:
  bool filled(std::uint32_t column, std::uint32_t row) const {
    const HostId host{node(column, row)};
    return open_[host.value] || host == source_ || !topology_.has_host(host);
  }
  std::uint32_t count(const Box& box) const {
    std::uint32_t sum = 0;
    for (std::uint32_t row = box.low; row <= box.high; ++row)
      for (std::uint32_t column = box.left; column <= box.right; ++column) sum += open_[node(column, row)];
    return sum;
  }

  const Topology& topology_;
  const Grid& grid_;
  HostId source_;
  std::vector<bool> open_;
};

/// The dimension along which the tree serves what branches off in the other one.
std::uint32_t major_of(const PlanningContext& context) {
  const std::string_view shape = context.option("shape");
  if (shape == "tree") return context.topology.ways() == Ways::both ? 1 : 0;
  return shape == "y-major" ? 1 : 0;
}

class Server {
 public:
  Server(const PlanningContext& context, const Request& request)
      : context_(context), source_(request.source), boxes_(context.topology, *host_grid(context), request) {
    const bool rows = context.option("shape") == "rows";
    const bool one_way = context.topology.ways() != Ways::both;
    if (const auto box =
            one_way ? box_of(context.topology, request.source, request.destinations) : std::nullopt) {
      serve_one_way(*box, request.destinations);
      return;
    }
    for (const HostId host : request.destinations) {
      if (!boxes_.open(host)) continue;
      const Box box = boxes_.take(host);
      if (one_way)
        serve_one_way(sides(box), hosts_in(box));
      else if (rows)
        for (std::uint32_t row = box.low; row <= box.high; ++row) serve_row(box, row);
      else
        serve_by_trees(box);
    }
  }

  std::vector<Worm> worms;

 private:
  static RingBox sides(const Box& box) {
    return {numbers_from(box.left, box.right - box.left + 1), numbers_from(box.low, box.high - box.low + 1)};
  }

  void serve_one_way(const RingBox& box, const std::vector<HostId>& destinations) {
    if (context_.option("shape") == "rows") {
      const std::vector<Worm> paths = one_way_box_rows(context_, source_, box);
      worms.insert(worms.end(), paths.begin(), paths.end());
    } else {
      worms.push_back(one_way_box_tree(context_, source_, box, major_of(context_), destinations));
    }
  }

  bool serves(HostId host) const { return host != source_ && context_.topology.has_host(host); }

  /// In order; without the source. As hosts_of(), without lists of the sides.
  std::vector<HostId> hosts_in(const Box& box) const {
    std::vector<HostId> hosts;
    for (std::uint32_t row = box.low; row <= box.high; ++row)
      for (std::uint32_t c = box.left; c <= box.right; ++c)
        if (const HostId host{boxes_.node(c, row)}; serves(host)) hosts.push_back(host);
    return hosts;
  }

  /// Where links in the box or on the way to it have failed: by trees of its halves.
  void serve_by_trees(const Box& box) {
    if (hosts_in(box).empty()) return;
    worms.push_back(tree_of(box));
    const bool one_node = box.left == box.right && box.low == box.high;
    if (!context_.routing.goes_around() || one_node || reached_directly(context_.routing, worms.back()))
      return;
    worms.pop_back();
    Box first = box, second = box;
    if (box.right - box.left >= box.high - box.low)
      second.left = (first.right = (box.left + box.right) / 2) + 1;
    else
      second.low = (first.high = (box.low + box.high) / 2) + 1;
    serve_by_trees(first);
    serve_by_trees(second);
  }

  Worm tree_of(const Box& box) const {
    const Grid& routers = *router_grid(context_);
    GridTree tree(context_.topology, source_, false, &routers);
    const std::uint32_t major = major_of(context_);
    const std::uint32_t minor = 1 - major;
    const auto router = [&](std::uint32_t x, std::uint32_t y) {
      const NodeId node = context_.topology.router_of(HostId{boxes_.node(x, y)});
      return std::array<std::uint32_t, 2>{routers.coordinate(node, 0), routers.coordinate(node, 1)};
    };
    const std::array<std::uint32_t, 2> first = router(box.left, box.low);
    const std::array<std::uint32_t, 2> last = router(box.right, box.high);
    const std::array<std::uint32_t, 2> entry = router(std::clamp(boxes_.x(source_), box.left, box.right),
                                                      std::clamp(boxes_.y(source_), box.low, box.high));
    const std::uint32_t middle = tree.attach(0, entry);
    const auto both_ways = [&](std::uint32_t at, std::uint32_t dimension, auto visit) {
      std::uint32_t end = at;
      for (std::uint32_t c = entry[dimension]; c < last[dimension]; ++c)
        visit(end = tree.join(end, dimension, true));
      end = at;
      for (std::uint32_t c = entry[dimension]; c > first[dimension]; --c)
        visit(end = tree.join(end, dimension, false));
    };
    const auto tooth = [&](std::uint32_t at) { both_ways(at, major, [](std::uint32_t) {}); };
    tooth(middle);
    both_ways(middle, minor, tooth);
    return tree.worm(hosts_in(box), replication_of(context_));
  }

  void serve_row(const Box& box, std::uint32_t row) {
    const std::uint32_t from = boxes_.x(source_);
    std::vector<HostId> right;
    std::vector<HostId> left;
    const bool beside = boxes_.y(source_) == row && from > box.left && from < box.right;
    const bool rightwards = from <= box.left || (from < box.right && from - box.left <= box.right - from);
    for (std::uint32_t c = box.left; c <= box.right; ++c) {
      const HostId host{boxes_.node(c, row)};
      if (!serves(host)) continue;
      (beside ? c > from : rightwards) ? right.push_back(host) : left.push_back(host);
    }
    std::reverse(left.begin(), left.end());
    append_chain(worms, source_, right);
    append_chain(worms, source_, left);
  }

  const PlanningContext& context_;
  HostId source_;
  Boxes boxes_;
};

std::optional<std::string> no_boxes(const Topology& topology) {
  return needs(
      (topology.one_way_grid() && topology.grid()->dimensions() == 2) || !no_plane_of_hosts(topology),
      "a mesh, or a torus whose channels run one way, of two dimensions, or a cmesh");
}

std::vector<Worm> plan_rectangle(const PlanningContext& context, const Request& request) {
  return Server(context, request).worms;
}

/// rows: to any node from anywhere, then along its row either way, straight on where it came along it.
void legs_of_rectangle(const PlanningContext& context, LegSink& sink) {
  const bool rows = context.option("shape") == "rows";
  if (context.topology.ways() != Ways::both)
    return rows ? legs_of_one_way_box_rows(context, sink)
                : legs_of_one_way_box_trees(context, major_of(context), sink);
  if (!rows) return legs_of_grid_trees(context, sink);
  const Grid& grid = *host_grid(context);
  constexpr std::uint32_t rightwards = 0;
  constexpr std::uint32_t leftwards = 1;
  each_pair(context.topology, [&](HostId from, HostId to) {
    const bool row = grid.coordinate(NodeId{from.value}, 1) == grid.coordinate(NodeId{to.value}, 1);
    for (const std::uint32_t kind : {rightwards, leftwards})
      if (!row || (from < to) == (kind == rightwards))
        sink.leg({row ? std::optional(kind) : std::nullopt, kind, from, to});
  });
}

}  // namespace

extern const Planner planner_rectangle = {
    .name = "rectangle",
    .summary = "destinations cut into rectangles, each served by one tree or by a path for each row",
    .topologies = "2-D mesh, cmesh, 2-D torus-forward and torus-backward",
    .cost = "O(k * width * height)",
    .cite = "Tenstorrent TT-Metalium (rectangle multicast)",
    .needs = "copy to several ports (rows: to the processor on the way); corners compared at every router",
    .parameters = rectangle_parameters,
    .routings = {"dimension-order", "one-way", "one-way-swapped", "two-rounds"},
    .worms = {.from_source = true},
    .unsupported = no_boxes,
    .plan = plan_rectangle,
    .legs = legs_of_rectangle,
    .prepare = prepare_tiles,
    .header = HeaderEncoding::corners,
};

}  // namespace wormcast
