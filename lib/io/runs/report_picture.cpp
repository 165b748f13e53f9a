// What pictures show, as lines of JSON. Scripts trust them: records were checked when they were read.
//
// A network is {"width", "coordinates": names are such, "nodes": [[name, x, y]…], "channels": [[id, from, to,
// called, [dx, dy], [port, port there]]…]}. What has no name is called null; nodes without places have no x
// and y.
// SPDX-License-Identifier: MIT
#include "io/runs/report_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/runs/node_layout.hpp"
#include "multicast/check.hpp"
#include "multicast/planner_choice.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

/// Most networks that one picture shows side by side.
constexpr std::size_t most_tiles = 12;

constexpr std::string_view flits = "flits", flits_per_cycle_of_window = "flits_per_cycle";
const std::vector<std::string_view> channel_metrics = {flits, flits_per_cycle_of_window, "worms",
                                                       "held_cycles"};

void add_channel(const Topology& topology, const NodeLayout& layout, ChannelId channel,
                 const ChannelEnds& ends, RecordLine& line) {
  line.raw(fmt::format("[{},{},{},", channel.value, ends.from.value, ends.to.value));
  has_names(topology) ? line.string(called(topology, channel)) : line.raw("null");
  const auto around = layout.placed() ? layout.around(ends.from, ends.to) : std::nullopt;
  line.raw(around ? fmt::format(",[{},{}]", around->x, around->y) : ",null");
  const std::vector<GraphLink>& links = topology.spec().graph.links;
  const std::size_t link = channel.value / 2, way = channel.value % 2;
  if (link < links.size() && links[link].ports)
    line.raw(fmt::format(",[{},{}]", (*links[link].ports)[way], (*links[link].ports)[1 - way]));
  else
    line.raw(",null");
  line.raw("]");
}

void add_network(const Topology& topology, RecordLine& line) {
  const NodeLayout layout(topology);
  const std::vector<std::string>& names = topology.spec().graph.names;
  line.key("network").raw("{").key("coordinates").boolean(layout.named()).key("width");
  line.raw(fmt::format("{}", layout.width())).key("nodes").raw("[");
  for (std::uint32_t node = 0; node < topology.routers(); ++node) {
    line.raw(node == 0 ? "[" : ",[");
    names.empty() || names[node].empty() ? line.raw("null") : line.string(names[node]);
    const CanvasPoint at = layout.placed() ? layout.place(NodeId{node}) : CanvasPoint{};
    line.raw(layout.placed() ? fmt::format(",{},{}]", at.x, at.y) : "]");
  }
  line.raw("]").key("channels").raw("[");
  bool first = true;
  for (std::uint32_t id = 0; id < topology.channel_bound(); ++id) {
    const std::optional<ChannelEnds> ends = topology.ends(ChannelId{id});
    if (!ends) continue;
    if (!std::exchange(first, false)) line.raw(",");
    add_channel(topology, layout, ChannelId{id}, *ends, line);
  }
  line.raw("]}");
}

/// Of each worm a number, and then the channels of its hops.
template <class Number>
void add_hops(const Routes& routes, RecordLine& line, Number number) {
  line.key("worms").array(routes.worms, [&](const WormRoute& worm) {
    line.raw("[").number(number(worm));
    for (const RouteHop& hop : worm.hops)
      if (hop.is_channel()) line.raw(",").number(hop.target);
    line.raw("]");
  });
}

std::string script_of(ReportRequest::Form form) {
  return form == ReportRequest::Form::loads || form == ReportRequest::Form::worms ? "network-picture"
                                                                                  : "cards";
}

std::vector<std::string> script_arguments(const ReportRequest& request) {
  std::vector<std::string> words = {request.form == ReportRequest::Form::loads ? "loads" : "worms"};
  if (!request.metrics.empty()) words.push_back("--metric=" + request.metrics.front());
  if (request.form == ReportRequest::Form::worms) words.push_back("--id=" + std::to_string(request.drawn));
  if (request.sorted) words.emplace_back("--sorted");
  return words;
}

}  // namespace

ReportPicture::ReportPicture(const ReportRequest& request)
    : form_(request.form),
      option_(form_ == ReportRequest::Form::loads ? "--dot" : "--draw"),
      metric_(request.metrics.empty() ? "" : request.metrics.front()),
      drawn_(request.drawn),
      script_(script_of(form_), script_arguments(request)) {
  if (form_ == ReportRequest::Form::loads && !metric_.empty() &&
      std::find(channel_metrics.begin(), channel_metrics.end(), metric_) == channel_metrics.end())
    throw InputError("--metric", unknown_name_message("metric of a channel", metric_, channel_metrics));
}

void ReportPicture::add(const Subject& subject) {
  form_ == ReportRequest::Form::loads ? add_load(subject) : add_worms(subject);
}

/// The number of its picture: there is one for each planner, routing function and network.
std::size_t ReportPicture::tile_of(const Subject& subject) {
  const std::vector<std::string>& key = key_.read(subject);
  const std::string topology = subject.topology->name();
  const std::string title = key.front().empty() ? topology : key.front() + ", " + topology;
  const auto [tile, fresh] =
      tiles_.try_emplace({title, key.back(), std::string(subject.network)}, tiles_.size());
  if (!fresh) return tile->second;
  if (tiles_.size() > most_tiles)
    throw InputError("--dot",
                     fmt::format("more than {} networks in one picture; choose with --where", most_tiles));
  line_.begin_object().key("title").string(title).key("routing").string(key.back());
  line_.key("digest").string(subject.network);
  add_network(*subject.topology, line_);
  script_.write(line_.end());
  return tile->second;
}

void ReportPicture::add_load(const Subject& subject) {
  const std::size_t tile = tile_of(subject);
  if (!subject.channel && subject.routes == nullptr) return;
  line_.begin_object().key("tile").number(tile);
  if (subject.channel) {
    line_.key("channel").number(subject.channel->value).key("segment").number(subject.segment);
    const std::string_view wanted = metric_.empty() || metric_ == flits_per_cycle_of_window ? flits : metric_;
    for (const Metric& metric : subject.metrics)
      if (metric.name == wanted || metric.name == "observed_cycles")
        line_.key(metric.name == wanted ? "load" : "cycles").signed_number(metric.value);
  } else {
    const std::uint64_t length = subject.plan->request.length_flits;
    add_hops(*subject.routes, line_,
             [&](const WormRoute& worm) { return metric_ == "worms" ? 1 : worm.flits(length, 0); });
  }
  script_.write(line_.end());
}

void ReportPicture::add_worms(const Subject& subject) {
  if (subject.routes == nullptr || subject.plan->request.id != drawn_) return;
  const Routes& routes = *subject.routes;
  const Topology& topology = *subject.topology;
  require_hops(routes, "there are no hops to draw");
  if (worms_++ == most_tiles)
    throw InputError("--draw", fmt::format("multicast {} comes more than {} times; choose with --where",
                                           drawn_, most_tiles));
  std::string title = planner_label(*subject.plan);
  title += (title.empty() ? "" : ", ") + topology.name();
  for (const Metric& metric : subject.metrics) {
    if (metric.name == "traffic_channels") title += fmt::format(", traffic {}", metric.value);
    if (metric.name == "longest_path_hops") title += fmt::format(", longest path {}", metric.value);
  }
  Digest content;
  content.add(subject.network);
  for (const WormRoute& worm : routes.worms)
    for (const RouteHop& hop : worm.hops) {
      content.add(hop.target);
      content.add(hop.parent);
    }
  line_.begin_object().key("title").string(title).key("content").string(content.text());
  line_.key("source").number(topology.router_of(subject.plan->request.source).value);
  line_.key("destinations").integers(subject.plan->request.destinations, [&](HostId host) {
    return topology.router_of(host).value;
  });
  add_hops(routes, line_, [](const WormRoute& worm) { return worm.after >= 0 ? 1U : 0U; });
  add_network(topology, line_);
  script_.write(line_.end());
}

void DeadlockPicture::add(const Topology& topology, std::string_view title,
                          const std::vector<PicturedWorm>& worms) {
  line_.begin_object().key("title").string(title);
  if (++tiles_ <= most_tiles) {  // others are counted
    // A place is [channel, virtual channel], or [router] of an injection or consumption channel.
    const auto add_places = [&](const char* key, const std::vector<Resource>& resources) {
      line_.key(std::string_view(key)).array(resources, [&](const Resource& resource) {
        line_.raw(resource.kind == Resource::Kind::network
                      ? fmt::format("[{},{}]", resource.channel.value, resource.vc)
                      : fmt::format("[{}]", topology.router_of(resource.host).value));
      });
    };
    line_.key("worms").array(worms, [&](const PicturedWorm& worm) {
      line_.raw("{").key("name").string(worm.name);
      if (worm.source) line_.key("source").number(worm.source->value);
      add_places("holds", worm.holds);
      add_places("waits", worm.waits);
      line_.raw("}");
    });
    add_network(topology, line_);
  }
  script_.write(line_.end());
}

}  // namespace wormcast::io
