// What pictures show, as lines of JSON. Scripts trust them: records were checked when they were read.
// A network is its topology record.
// SPDX-License-Identifier: MIT
#include "io/runs/report_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "io/records/topology_record.hpp"
#include "multicast/check.hpp"
#include "multicast/header.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "report/statistics.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

/// Most networks that one picture shows side by side.
constexpr std::size_t most_tiles = 12;

constexpr std::string_view flits_of_channel = "flits", flits_per_cycle_of_window = "flits_per_cycle";
constexpr std::string_view channel_metrics[] = {flits_of_channel, flits_per_cycle_of_window, "worms",
                                                "held_cycles", "blocked_cycles"};

using Form = ReportRequest::Form;

bool of_networks(Form form) { return form == Form::loads || form == Form::worms; }

std::vector<std::string> script_arguments(const ReportRequest& request) {
  std::vector<std::string> words;
  if (of_networks(request.form)) words.emplace_back(request.form == Form::loads ? "loads" : "worms");
  if (request.form == Form::loads && !request.metrics.empty())
    words.push_back("--metric=" + request.metrics.front());
  if (request.form == Form::worms) words.push_back("--id=" + std::to_string(request.drawn));
  if (request.sorted) words.emplace_back("--sorted");
  return words;
}

/// A string of JSON; what is no UTF-8, as a title or the name of a file may be, stays as it is.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    if (c >= 0 && c < ' ')
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      (c == '"' || c == '\\' ? result += '\\' : result) += c;
  return result + "\"";
}

void add_texts(std::string_view key, const std::vector<std::string>& texts, RecordLine& line) {
  line.key(key).array(texts, [&](const std::string& text) { line.raw(quoted(text)); });
}

/// The network of a picture, as a member.
void add_network(const Topology& topology, RecordLine& line) {
  RecordLine record;
  std::string_view text = write_topology_record(topology, record);
  text.remove_suffix(1);  // the newline
  line.key("network").raw(text);
}

}  // namespace

ReportPicture::ReportPicture(const ReportRequest& request)
    : form_(request.form),
      option_(form_ == Form::loads   ? "--dot"
              : form_ == Form::worms ? "--draw"
                                     : "--cards"),
      metric_(request.metrics.empty() ? "" : request.metrics.front()),
      drawn_(request.drawn),
      script_(of_networks(form_) ? "network-picture" : "cards", script_arguments(request)) {
  if (form_ == Form::loads && !metric_.empty())
    place_of_name("--metric", "metric of a channel", metric_, channel_metrics);
}

void ReportPicture::add(const Subject& subject) {
  if (form_ == Form::loads) return add_load(subject);
  form_ == Form::worms ? add_worms(subject) : add_card(subject);
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
    refuse("--dot", "more than {} networks in one picture; choose with --where", most_tiles);
  line_.begin_object().key("title").string(title).key("routing").string(key.back());
  line_.key("digest").string(subject.network);
  add_network(*subject.topology, line_);
  script_.write(line_.end());
  return tile->second;
}

void ReportPicture::add_load(const Subject& subject) {
  const std::size_t tile = tile_of(subject);
  if (subject.routes != nullptr) {
    std::vector<std::uint64_t>& loads = routed_[tile];
    loads.resize(subject.topology->channel_bound());
    const std::uint64_t length = subject.plan->request.length_flits;
    for (const WormRoute& worm : subject.routes->worms)
      for (const RouteHop& hop : worm.hops)
        if (hop.is_channel()) {
          loads[hop.target] += metric_ == "worms" ? 1 : worm.flits(length, 0);
          if (loads[hop.target] > max_integer) write_routed(tile);
        }
  }
  if (!subject.channel) return;
  line_.begin_object().key("tile").number(tile);
  line_.key("channel").number(subject.channel->value).key("segment").number(subject.segment);
  const std::string_view wanted =
      metric_.empty() || metric_ == flits_per_cycle_of_window ? flits_of_channel : metric_;
  for (const Metric& metric : subject.metrics)
    if (metric.name == wanted || metric.name == "observed_cycles")
      line_.key(metric.name == wanted ? "load" : "cycles").signed_number(metric.value);
  script_.write(line_.end());
}

/// What routes have loaded the channels with since the last time.
void ReportPicture::write_routed(std::size_t tile) {
  std::vector<std::uint64_t>& loads = routed_[tile];
  line_.begin_object().key("tile").number(tile).key("routed");
  line_.integers(loads, [](std::uint64_t load) { return static_cast<std::int64_t>(load); });
  script_.write(line_.end());
  std::fill(loads.begin(), loads.end(), 0);
}

std::string ReportPicture::finish() {
  for (const auto& [tile, loads] : routed_) write_routed(tile);
  return script_.needed("report", option_);
}

void ReportPicture::add_worms(const Subject& subject) {
  if (subject.routes == nullptr || subject.plan->request.id != drawn_) return;
  const Routes& routes = *subject.routes;
  const Topology& topology = *subject.topology;
  require_hops(routes, "there are no hops to draw");
  if (worms_++ == most_tiles)
    refuse("--draw", "multicast {} comes more than {} times; choose with --where", drawn_, most_tiles);
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
  // Of each worm whether it comes after another, and then the channels of its hops.
  line_.key("worms").array(routes.worms, [&](const WormRoute& worm) {
    line_.raw(worm.after >= 0 ? "[1" : "[0");
    for (const RouteHop& hop : worm.hops)
      if (hop.is_channel()) line_.raw(",").number(hop.target);
    line_.raw("]");
  });
  add_network(topology, line_);
  script_.write(line_.end());
}

/// Of every record what cards ask for; what planners need and how many virtual channels a routing function
/// uses with the first record of a planner, and with that of each segment.
void ReportPicture::add_card(const Subject& subject) {
  meetings_.add(subject);
  if (subject.segment != segment_) routings_.clear();
  segment_ = subject.segment;
  const std::string planner = parameter(subject, "planner"), routing = parameter(subject, "routing");
  line_.begin(subject.kind).key("segment").number(subject.segment).key("met").boolean(meetings_.met());
  line_.key("planner").string(planner).key("routing").string(routing);
  line_.key("topology").string(subject.topology->name()).key("network").string(subject.network);
  const std::string_view name = std::string_view(planner).substr(0, planner.find(':'));
  if (planners_.emplace(name).second)
    if (const Planner* known = find_planner(name)) line_.key("needs").string(known->needs);
  if (!routing.empty() && !planner.empty() && routings_.insert(routing).second &&
      find_routing_function(routing))
    line_.key("virtual_channels").number(bind_routing(routing, *subject.topology)->virtual_channels());
  line_.key("says").raw("{");
  constexpr std::string_view said[] = {"answer",  "scope",        "cut_through",          "path_reservation",
                                       "outcome", "buffer_flits", "consumption_channels", flit_bits_option};
  for (const std::string_view one : said)
    if (const std::string value = parameter(subject, one); !value.empty()) line_.key(one).string(value);
  line_.raw("}").key("routers").raw("{");
  for (const Attribute& one : subject.attributes)
    if (one.of == Attribute::Of::routers && one.name != "path_reservation")
      line_.key(one.name).string(one.value);
  line_.raw("}").key("metrics").raw("{");
  for (const Metric& metric : subject.metrics)
    if (!metric.name.starts_with("x_")) line_.key(metric.name).signed_number(metric.value);
  line_.raw("}");
  if (subject.plan != nullptr) {
    const Request& request = subject.plan->request;
    line_.key("destinations").number(request.destinations.size());
    line_.key("length_flits").number(request.length_flits);
    line_.key("waits").boolean(!request.depends_on.empty()).key("flit_bits").number(default_flit_bits);
    std::vector<std::uint32_t> headers;
    for (const Worm& worm : subject.plan->worms)
      if (worm.header_flits) headers.push_back(*worm.header_flits);
    line_.key("headers").integers(headers, std::identity());
  }
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

// What the script that draws plots is handed, as lines of JSON: the request, then points, then where lines
// end.

std::string drawn_plot(const PlotRequest& request, const PlotTable& table) {
  Script script("plot", {});
  RecordLine line;
  line.begin_object().key("x").raw(quoted(request.x)).key("y").raw(quoted(request.y));
  add_texts("by", request.by, line);
  line.key("at").raw(quoted(request.at)).key("log").string(request.log).key("ymax").string(request.y_most);
  line.key("as")
      .string(request.as)
      .key("bands")
      .boolean(request.intervals == "bands")
      .key("title")
      .raw(quoted(table.title));
  line.key("x_title").raw(quoted(metric_title(request.x))).key("y_title").string(mean_title(request.y));
  script.write(line.end());
  for (const PlotPoint& point : table.points) {
    add_texts("key", point.key, line.begin_object());
    line.key("x").raw(quoted(point.x)).key("y").string(point.y).key("half").string(point.half);
    if (const std::optional<std::string> sum = sum_text(point.x)) line.key("sum").string(*sum);
    script.write(line.end());
  }
  for (const PlotEnd& end : table.ends) {
    add_texts("key", end.key, line.begin_object());
    line.key("x").string(end.x).key("outcome").raw(quoted(end.outcome));
    script.write(line.end());
  }
  return script.needed("report", "--plot");
}

}  // namespace wormcast::io
