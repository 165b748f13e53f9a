// The data of the page, in the page that draws it (data/package/run.html).
//
// A segment is {"title", "nodes": [[x, y, name]…], "links": [[from, to, dx, dy]…], "holds": [[place, worm,
// multicast, from, until, to the end]…], "arrivals": [[node, multicast, cycle]…], "end", "deadlock",
// "waits"}. A place is [from, to, virtual channel], or [node] of an injection or consumption channel. (dx,
// dy) is the direction of a link around a dimension. Nodes without places on paper have no x and y: the
// script finds some.
// SPDX-License-Identifier: MIT
#include "io/runs/run_trace.hpp"

#include <fmt/format.h>

#include "io/records/delivery_record.hpp"
#include "io/runs/node_layout.hpp"
#include "multicast/planner_choice.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {

/// data/package/run.html, of which CMake makes a source.
extern const std::string_view run_page;

namespace {

constexpr std::string_view runs_end = "\n];";  // of the array of runs, which is empty in the file

/// As a string of JSON within a script: `</` would end that.
std::string script_string(std::string_view text) {
  RecordLine line;
  line.begin_object().key("s").string(text);
  std::string json(line.written().substr(5));
  for (std::size_t at = 0; (at = json.find("</", at)) != std::string::npos; at += 3)
    json.insert(at + 1, "\\");
  return json;
}

void add(std::string& array, const std::string& element) {
  if (!array.empty()) array += ',';
  array += element;
}

}  // namespace

std::unique_ptr<RunTrace> open_trace(const std::string& path) {
  if (path.ends_with(".html")) return std::make_unique<RunPage>(path);
  return std::make_unique<TraceEvents>(path);
}

RunPage::RunPage(const std::string& path) : output_(path) {
  output_.write(run_page.substr(0, run_page.find(runs_end)));
}

void RunPage::begin_segment(const Topology& topology, const RouterModel& model) {
  topology_ = &topology;
  resources_.emplace(topology, model);
  holds_.clear();
  arrivals_.clear();
}

std::string RunPage::place_of(ResourceId id) const {
  const Resource resource = resources_->describe(id);
  if (resource.kind == Resource::Kind::network) {
    const ChannelEnds ends = topology_->ends(resource.channel).value();
    return fmt::format("[{},{},{}]", ends.from.value, ends.to.value, resource.vc);
  }
  return fmt::format("[{}]", topology_->router_of(resource.host).value);
}

void RunPage::hold(WormName worm, ResourceId resource, Cycle from, Cycle until, bool to_the_end) {
  add(holds_, fmt::format("[{},{},{},{},{},{}]", place_of(resource), worm.worm, worm.multicast, from, until,
                          to_the_end ? 1 : 0));
}

void RunPage::held(WormName worm, ResourceId resource, Cycle from, Cycle until) {
  hold(worm, resource, from, until, false);
}

void RunPage::still_held(WormName worm, ResourceId resource, Cycle from, Cycle end) {
  hold(worm, resource, from, end, true);
}

void RunPage::arrived(WormName worm, HostId host, Cycle cycle) {
  add(arrivals_, fmt::format("[{},{},{}]", topology_->router_of(host).value, worm.multicast, cycle));
}

void RunPage::add_nodes() {
  const NodeLayout layout(*topology_);
  std::string nodes, links;
  for (std::uint32_t node = 0; node < topology_->routers(); ++node) {
    const std::string name = script_string(called(*topology_, NodeId{node}));
    const CanvasPoint at = layout.placed() ? layout.place(NodeId{node}) : CanvasPoint{};
    add(nodes, layout.placed() ? fmt::format("[{:.0f},{:.0f},{}]", at.x, at.y, name)
                               : fmt::format("[null,null,{}]", name));
  }
  for (std::uint32_t id = 0; id < topology_->channel_bound(); ++id) {
    const std::optional<ChannelEnds> ends = topology_->ends(ChannelId{id});
    if (!ends) continue;
    const auto around = layout.placed() ? layout.around(ends->from, ends->to) : std::nullopt;
    const CanvasPoint way = around.value_or(CanvasPoint{});
    add(links, fmt::format("[{},{},{:.0f},{:.0f}]", ends->from.value, ends->to.value, way.x, way.y));
  }
  output_.write(fmt::format("\"nodes\":[{}],\n\"links\":[{}],\n", nodes, links));
}

/// What each worm of the core waits for: [place, worm, multicast].
void RunPage::add_waits(const Deadlock& deadlock) {
  std::string waits;
  for (const StuckWorm& stuck : deadlock.core)
    for (const ResourceId resource : stuck.waits)
      add(waits, fmt::format("[{},{},{}]", place_of(resource), stuck.name.worm, stuck.name.multicast));
  output_.write(fmt::format("\"deadlock\":{},\"waits\":[{}],\n", deadlock.cycle, waits));
}

void RunPage::end_segment(const Plan& planned, const Summary& summary) {
  const std::string title =
      planned.planner.empty() ? topology_->name() : planner_label(planned) + ", " + topology_->name();
  output_.write(fmt::format("{}{{\"title\":{},\n", any_ ? ",\n" : "",
                            script_string(fmt::format("{}: {}", title, outcome_name(summary.outcome)))));
  any_ = true;
  add_nodes();
  if (summary.deadlock) add_waits(*summary.deadlock);
  output_.write("\"holds\":[");
  output_.write(holds_);
  output_.write("],\n\"arrivals\":[");
  output_.write(arrivals_);
  output_.write(fmt::format("],\n\"end\":{}}}", summary.last_cycle));
}

void RunPage::finish() {
  output_.write(run_page.substr(run_page.find(runs_end)));
  output_.finish();
}

}  // namespace wormcast::io
