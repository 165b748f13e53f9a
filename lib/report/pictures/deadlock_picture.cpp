// Deadlocks and dependency cycles as arrows beside the links of a network.
// SPDX-License-Identifier: MIT
#include "report/pictures/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/pictures/line_style.hpp"
#include "topology/name_table.hpp"

namespace wormcast {

namespace {

/// Router at which an injection or consumption channel lies.
NodeId place_of(const Topology& topology, const Resource& resource) {
  return topology.router_of(resource.host);
}

std::vector<std::string> node_looks(const Topology& topology, const std::vector<PicturedWorm>& worms) {
  std::vector<std::string> looks(topology.routers());
  for (std::size_t w = 0; w < worms.size(); ++w) {
    const std::string colour = worm_colour(w);
    if (worms[w].source)
      looks[worms[w].source->value] =
          fmt::format("style=filled, fillcolor=\"{0}\", color=\"{0}\", fontcolor=\"#ffffff\"", colour);
  }
  for (std::size_t w = 0; w < worms.size(); ++w)
    for (const Resource& resource : worms[w].waits)
      if (resource.kind != Resource::Kind::network)
        looks[place_of(topology, resource).value] =
            fmt::format("style=dashed, color=\"{}\", penwidth=2", worm_colour(w));
  return looks;
}

/// At both ends of an arrow, where they are known.
std::string port_labels(const Topology& topology, ChannelId channel) {
  const std::vector<GraphLink>& links = topology.spec().graph.links;
  const std::size_t link = channel.value / 2;
  if (link >= links.size() || !links[link].ports) return "";
  const std::array<std::uint32_t, 2>& ports = *links[link].ports;
  return fmt::format(", taillabel=\"{}\", headlabel=\"{}\", labelfontsize=7", ports[channel.value % 2],
                     ports[1 - channel.value % 2]);
}

/// A worm in the legend; a dependency by the channel that is held, where it has names.
std::string in_legend(const Topology& topology, const PicturedWorm& worm) {
  if (worm.source || !has_names(topology) || worm.holds.empty() ||
      worm.holds.front().kind != Resource::Kind::network)
    return worm.name;
  return worm.name + ": " + called(topology, worm.holds.front().channel);
}

}  // namespace

void DeadlockPicture::add(const Topology& topology, std::string_view title,
                          const std::vector<PicturedWorm>& worms) {
  if (++tiles_ > most_tiles) return;
  canvas_.begin_tile(topology, title);
  const std::vector<std::string> looks = node_looks(topology, worms);
  for (std::uint32_t node = 0; node < topology.routers(); ++node) canvas_.node(NodeId{node}, looks[node]);
  canvas_.links(topology);
  std::map<ChannelId, int> drawn;
  for (std::size_t w = 0; w < worms.size(); ++w) {
    const auto draw = [&](const std::vector<Resource>& resources, std::string_view style,
                          std::string_view verb) {
      for (const Resource& resource : resources) {
        if (resource.kind != Resource::Kind::network) continue;
        const std::optional<ChannelEnds> ends = topology.ends(resource.channel);
        if (!ends) continue;
        std::string what = fmt::format("{} {} VC {}", worms[w].name, verb, resource.vc);
        if (has_names(topology)) what += " of " + called(topology, resource.channel);
        canvas_.line(ends->from, ends->to, DotCanvas::lane(drawn[resource.channel]++), true,
                     fmt::format("color=\"{}\", {}, tooltip={}{}", worm_colour(w), style, dot_quoted(what),
                                 port_labels(topology, resource.channel)));
      }
    };
    draw(worms[w].holds, "penwidth=1.8", "holds");
    draw(worms[w].waits, "penwidth=1.4, style=dashed", "waits for");
    if (names_.size() <= w) {
      names_.push_back(in_legend(topology, worms[w]));
      colours_.push_back(worm_colour(w));
    } else if (names_[w] != in_legend(topology, worms[w])) {
      names_[w].clear();  // a colour with different names in two pictures has none
    }
  }
}

std::string DeadlockPicture::draw() {
  constexpr std::size_t most_named = 8;
  std::string text = "full arrows: held, dashed: waited for";
  for (std::size_t w = 0; w < std::min(names_.size(), most_named); ++w)
    if (!names_[w].empty()) text += (w == 0 ? "; " : ", ") + names_[w];
  if (tiles_ > most_tiles) text += fmt::format("; {} more are not drawn", tiles_ - most_tiles);
  canvas_.scale("", colours_, text);
  return canvas_.finish();
}

}  // namespace wormcast
