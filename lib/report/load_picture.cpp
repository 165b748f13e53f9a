// A heat map of a network's channels.
//
// Each channel is a line on the right-hand side of the straight way from its sender, coloured in
// eight equal steps of the greatest load in the picture; unused channels are thin and grey.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "report/dot_canvas.hpp"
#include "report/pictures.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

const std::vector<std::string> heat = {"#fee391", "#fec44f", "#fe9929", "#f46d2b",
                                       "#e03524", "#bd0026", "#8c0030", "#4d0026"};
constexpr double lane = 3;  // points from the straight way to a channel's line

std::size_t heat_level(std::uint64_t load, std::uint64_t greatest) {
  // 1 … size: the load's share of the greatest, rounded up.
  const Wide scaled = Wide{load} * static_cast<Wide>(heat.size());
  return static_cast<std::size_t>((scaled + static_cast<Wide>(greatest) - 1) / static_cast<Wide>(greatest));
}

void draw_channels(DotCanvas& canvas, const Topology& topology, const std::vector<std::uint64_t>& loads,
                   std::uint64_t greatest) {
  for (std::uint32_t node = 0; node < topology.routers(); ++node) canvas.node(NodeId{node}, "");
  for (std::uint32_t id = 0; id < topology.channel_bound(); ++id) {
    const std::optional<ChannelEnds> ends = topology.ends(ChannelId{id});
    if (!ends) continue;
    const std::uint64_t load = id < loads.size() ? loads[id] : 0;
    if (load == 0) {
      canvas.line(ends->from, ends->to, lane, false, "color=\"#dddddd\", penwidth=0.6");
      continue;
    }
    const std::size_t level = heat_level(load, greatest);
    canvas.line(ends->from, ends->to, lane, true,
                fmt::format("color=\"{}\", penwidth={}.{}, tooltip=\"channel {}: {}\"", heat[level - 1],
                            1 + level / 4, level % 4 * 25, id, load));
  }
}

}  // namespace

LoadPicture::LoadPicture(std::string metric) : metric_(metric.empty() ? "flits" : std::move(metric)) {
  const std::vector<std::string_view> known = {"flits", "worms", "held_cycles"};
  if (std::find(known.begin(), known.end(), metric_) == known.end())
    throw InputError("--metric", unknown_name_message("metric of a channel", metric_, known));
}

LoadPicture::Tile& LoadPicture::tile(const Subject& subject) {
  const std::string planner = planner_.read(subject).front();
  const std::string topology = subject.topology->name();
  const std::string title = planner.empty() ? topology : planner + ", " + topology;
  for (Tile& tile : tiles_)
    if (tile.title == title) return tile;
  if (tiles_.size() == most_tiles)
    throw InputError("--dot",
                     fmt::format("more than {} networks in one picture; choose with --where", most_tiles));
  tiles_.push_back({title, build_topology(subject.topology->spec()), {}, {}});
  return tiles_.back();
}

void LoadPicture::add(const Subject& subject) {
  Tile& into = tile(subject);
  const auto count = [&](std::vector<std::uint64_t>& loads, std::uint32_t channel, std::uint64_t load) {
    if (loads.size() <= channel) loads.resize(channel + 1);
    loads[channel] += load;
  };
  if (subject.channel) {
    any_recorded_ = true;
    for (const Metric& metric : subject.metrics)
      if (metric.name == metric_)
        count(into.recorded, subject.channel->value, static_cast<std::uint64_t>(metric.value));
  }
  if (subject.routes == nullptr) return;
  for (const WormRoute& worm : subject.routes->worms) {
    const std::uint64_t each = metric_ == "worms" ? 1 : worm.flits(subject.plan->request.length_flits, 0);
    for (const RouteHop& hop : worm.hops)
      if (hop.is_channel()) count(into.routed, hop.target, each);
  }
}

std::string LoadPicture::draw() const {
  if (!any_recorded_ && metric_ == "held_cycles")
    throw InputError("--metric",
                     "held_cycles needs channel-load records (simulate-wormhole --channel-loads)");
  std::uint64_t greatest = 0;
  for (const Tile& tile : tiles_)
    for (const std::uint64_t load : any_recorded_ ? tile.recorded : tile.routed)
      greatest = std::max(greatest, load);
  if (greatest == 0)
    throw InputError("--dot", "no channel is loaded: it needs routes, or channel-load records");
  DotCanvas canvas;
  for (const Tile& tile : tiles_) {
    const std::vector<std::uint64_t>& loads = any_recorded_ ? tile.recorded : tile.routed;
    if (loads.empty()) continue;
    canvas.begin_tile(*tile.topology, tile.title);
    draw_channels(canvas, *tile.topology, loads, greatest);
  }
  std::string unit = metric_;
  std::replace(unit.begin(), unit.end(), '_', ' ');
  canvas.scale(unit + " per channel: 0", heat, std::to_string(greatest));
  return canvas.finish();
}

}  // namespace wormcast
