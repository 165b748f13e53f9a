// A heat map of a network's channels.
//
// Each channel is a line on the right-hand side of the straight way from its sender, coloured in
// eight equal steps of the greatest load in the picture; unused channels are thin and grey.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/decimal.hpp"
#include "report/pictures/dot_canvas.hpp"
#include "report/pictures/pictures.hpp"
#include "topology/name_table.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

const std::vector<std::string> heat = {"#fee391", "#fec44f", "#fe9929", "#f46d2b",
                                       "#e03524", "#bd0026", "#8c0030", "#4d0026"};
constexpr double lane = 3;  // points from the straight way to a channel's line
constexpr std::string_view per_cycle = "flits_per_cycle";
constexpr unsigned per_cycle_digits = 6;

/// A load as the picture says it: a number of something, or millionths of a flit per cycle.
std::string load_text(std::uint64_t load, bool rate) {
  return rate ? decimal(static_cast<Wide>(load), power_of_ten(per_cycle_digits), 3) : std::to_string(load);
}

std::size_t heat_level(std::uint64_t load, std::uint64_t greatest) {
  // 1 … size: the load's share of the greatest, rounded up.
  const Wide scaled = Wide{load} * static_cast<Wide>(heat.size());
  return static_cast<std::size_t>((scaled + static_cast<Wide>(greatest) - 1) / static_cast<Wide>(greatest));
}

void add_load(std::vector<std::uint64_t>& loads, std::uint32_t channel, std::uint64_t load) {
  if (loads.size() <= channel) loads.resize(channel + 1);
  loads[channel] += load;
}

void draw_channels(DotCanvas& canvas, const Topology& topology, const std::vector<std::uint64_t>& loads,
                   std::uint64_t greatest, bool rate) {
  for (std::uint32_t node = 0; node < topology.routers(); ++node) canvas.node(NodeId{node}, "");
  for (std::uint32_t id = 0; id < topology.channel_bound(); ++id) {
    const std::optional<ChannelEnds> ends = topology.ends(ChannelId{id});
    if (!ends) continue;
    const std::uint64_t load = id < loads.size() ? loads[id] : 0;
    if (load == 0) {
      canvas.line(ends->from, ends->to, lane, false, DotCanvas::unused_line);
      continue;
    }
    const std::size_t level = heat_level(load, greatest);
    canvas.line(
        ends->from, ends->to, lane, true,
        fmt::format(
            "color=\"{}\", penwidth={}.{}, tooltip={}", heat[level - 1], 1 + level / 4, level % 4 * 25,
            dot_quoted(fmt::format("channel {}: {}",
                                   has_names(topology) ? called(topology, ChannelId{id}) : std::to_string(id),
                                   load_text(load, rate)))));
  }
}

}  // namespace

LoadPicture::LoadPicture(std::string metric) : metric_(std::move(metric)) {
  const std::vector<std::string_view> known = {"flits", "flits_per_cycle", "worms", "held_cycles"};
  if (!metric_.empty() && std::find(known.begin(), known.end(), metric_) == known.end())
    throw InputError("--metric", unknown_name_message("metric of a channel", metric_, known));
}

LoadPicture::Tile& LoadPicture::tile(const Subject& subject) {
  const std::vector<std::string>& key = key_.read(subject);
  const std::string& planner = key.front();
  const std::string& routing = key.back();
  const std::string topology = subject.topology->name();
  const std::string title = planner.empty() ? topology : planner + ", " + topology;
  for (Tile& tile : tiles_)
    if (tile.title == title && tile.routing == routing && tile.network == subject.network) return tile;
  if (tiles_.size() == most_tiles)
    throw InputError("--dot",
                     fmt::format("more than {} networks in one picture; choose with --where", most_tiles));
  tiles_.push_back(
      {title, routing, std::string(subject.network), build_topology(subject.topology->spec()), {}, {}, 0, 0});
  return tiles_.back();
}

void LoadPicture::add_record(const Subject& subject, Tile& into) {
  any_recorded_ = true;
  bool observed = false;
  for (const Metric& metric : subject.metrics) {
    const bool wanted =
        metric_.empty() || metric_ == per_cycle ? metric.name == "flits" : metric.name == metric_;
    if (wanted) add_load(into.recorded, subject.channel->value, static_cast<std::uint64_t>(metric.value));
    if (metric.name != "observed_cycles") continue;
    observed = true;
    if (into.segment != subject.segment) into.observed_cycles += static_cast<std::uint64_t>(metric.value);
    into.segment = subject.segment;
  }
  all_observed_ = all_observed_ && observed;
}

/// The recorded loads over the cycles they were counted in, in millionths, rounded half up.
std::vector<std::uint64_t> LoadPicture::rates(const Tile& tile) {
  std::vector<std::uint64_t> result = tile.recorded;
  const Wide cycles = static_cast<Wide>(tile.observed_cycles);
  for (std::uint64_t& load : result)
    load = cycles == 0
               ? 0
               : static_cast<std::uint64_t>(
                     (2 * static_cast<Wide>(load) * power_of_ten(per_cycle_digits) + cycles) / (2 * cycles));
  return result;
}

void LoadPicture::add(const Subject& subject) {
  Tile& into = tile(subject);
  if (subject.channel) add_record(subject, into);
  if (subject.routes == nullptr) return;
  for (const WormRoute& worm : subject.routes->worms) {
    const std::uint64_t each = metric_ == "worms" ? 1 : worm.flits(subject.plan->request.length_flits, 0);
    for (const RouteHop& hop : worm.hops)
      if (hop.is_channel()) add_load(into.routed, hop.target, each);
  }
}

std::string LoadPicture::full_title(const Tile& tile) const {
  std::string result = tile.title;
  const auto differs_in = [&](std::string Tile::*member) {
    return std::any_of(tiles_.begin(), tiles_.end(), [&](const Tile& other) {
      return other.title == tile.title && other.*member != tile.*member;
    });
  };
  if (differs_in(&Tile::routing)) result += ", routing " + tile.routing;
  if (differs_in(&Tile::network)) result += ", network " + tile.network;
  return result;
}

std::string LoadPicture::draw(bool sorted) {
  if (!any_recorded_ && metric_ == "held_cycles")
    throw InputError("--metric",
                     "held_cycles needs channel-load records (simulate-wormhole --channel-loads)");
  if (sorted)
    std::sort(tiles_.begin(), tiles_.end(), [](const Tile& a, const Tile& b) {
      if (a.title != b.title) return natural_before(a.title, b.title);
      return std::tie(a.routing, a.network) < std::tie(b.routing, b.network);
    });
  const bool windows = any_recorded_ && all_observed_;
  if (!windows && metric_ == per_cycle)
    throw InputError("--metric",
                     "flits_per_cycle needs channel-load records of open-loop runs alone "
                     "(simulate-wormhole --channel-loads --measure-cycles)");
  const bool rate = windows && (metric_.empty() || metric_ == per_cycle);
  std::vector<std::vector<std::uint64_t>> loads;  // by tile
  std::uint64_t greatest = 0;
  for (const Tile& tile : tiles_) {
    loads.push_back(rate ? rates(tile) : any_recorded_ ? tile.recorded : tile.routed);
    for (const std::uint64_t load : loads.back()) greatest = std::max(greatest, load);
  }
  if (greatest == 0)
    throw InputError(
        "--dot",
        "no channel is loaded: it needs routes, or channel-load records (the network alone: gen-topology "
        "export dot)");
  DotCanvas canvas;
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    if (loads[i].empty()) continue;
    canvas.begin_tile(*tiles_[i].topology, full_title(tiles_[i]));
    draw_channels(canvas, *tiles_[i].topology, loads[i], greatest, rate);
  }
  std::string unit(rate ? per_cycle : metric_.empty() ? "flits" : metric_);
  std::replace(unit.begin(), unit.end(), '_', ' ');
  canvas.scale(unit + (rate ? " of a channel: 0" : " per channel: 0"), heat, load_text(greatest, rate));
  return canvas.finish();
}

}  // namespace wormcast
