// The worms of one multicast on the network, hop by hop.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "multicast/check.hpp"
#include "multicast/planner_choice.hpp"
#include "report/pictures/dot_canvas.hpp"
#include "report/pictures/line_style.hpp"
#include "report/pictures/pictures.hpp"
#include "report/statistics.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

void draw_nodes(DotCanvas& canvas, const Topology& topology, const Request& request) {
  std::vector<bool> destination(topology.routers(), false);
  for (const HostId host : request.destinations) destination[topology.router_of(host).value] = true;
  const NodeId source = topology.router_of(request.source);
  for (std::uint32_t node = 0; node < topology.routers(); ++node) {
    std::string_view look;
    if (destination[node])
      look = "style=filled, fillcolor=\"#b7d7f0\", color=\"#1f4e79\", fontcolor=\"#000000\", penwidth=1.5";
    if (NodeId{node} == source)
      look =
          "style=filled, fillcolor=\"#202020\", color=\"#000000\", fontcolor=\"#ffffff\", "
          "shape=doublecircle, width=0.2";
    canvas.node(NodeId{node}, look);
  }
}

void draw_worms(DotCanvas& canvas, const Topology& topology, const Routes& routes) {
  std::map<std::uint32_t, int> used;  // worms drawn so far on each channel
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const std::string colour = worm_colour(w);
    const std::string_view line = routes.worms[w].after >= 0 ? ", style=dashed" : "";
    for (const RouteHop& hop : routes.worms[w].hops) {
      if (!hop.is_channel()) continue;
      const std::optional<ChannelEnds> ends = topology.ends(ChannelId{hop.target});
      if (!ends) continue;
      canvas.line(ends->from, ends->to, DotCanvas::lane(used[hop.target]++), true,
                  fmt::format("color=\"{}\", penwidth=1.6{}, tooltip=\"worm {}\"", colour, line, w));
    }
  }
}

}  // namespace

void WormPicture::add(const Subject& subject) {
  if (subject.routes == nullptr || subject.plan->request.id != id_) return;
  require_hops(*subject.routes, "there are no hops to draw");
  const std::string planner = planner_label(*subject.plan);
  const std::string topology = subject.topology->name();
  if (tiles_.size() == most_tiles)
    throw InputError(
        "--draw", fmt::format("multicast {} comes more than {} times; choose with --where", id_, most_tiles));
  std::string title = planner.empty() ? topology : planner + ", " + topology;
  for (const Metric& metric : subject.metrics) {
    if (metric.name == "traffic_channels") title += fmt::format(", traffic {}", metric.value);
    if (metric.name == "longest_path_hops") title += fmt::format(", longest path {}", metric.value);
  }
  Digest content;
  content.add(subject.network);
  for (const WormRoute& worm : subject.routes->worms)
    for (const RouteHop& hop : worm.hops) {
      content.add(hop.target);
      content.add(hop.parent);
    }
  tiles_.push_back(
      {std::move(title), content.text(), build_topology(subject.topology->spec()), *subject.routes});
}

std::string WormPicture::draw(bool sorted) {
  if (tiles_.empty())
    throw InputError("--draw", fmt::format("no routes record has the id {} (route-expand writes them)", id_));
  if (sorted)
    std::sort(tiles_.begin(), tiles_.end(), [](const Tile& a, const Tile& b) {
      return a.title == b.title ? a.content < b.content : natural_before(a.title, b.title);
    });
  DotCanvas canvas;
  for (const Tile& tile : tiles_) {
    canvas.begin_tile(*tile.topology, tile.title);
    draw_nodes(canvas, *tile.topology, tile.routes.plan.request);
    canvas.links(*tile.topology);
    draw_worms(canvas, *tile.topology, tile.routes);
  }
  return canvas.finish();
}

}  // namespace wormcast
