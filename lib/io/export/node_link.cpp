// Export to networkx's node-link JSON; the import reads back all that it writes.
// SPDX-License-Identifier: MIT
#include <array>

#include "io/export/format.hpp"
#include "io/records/network_members.hpp"
#include "io/text/record_line.hpp"

namespace wormcast::io::export_node_link {
namespace {

/// An edge from a router to a router or host.
template <class Link>
void write_edge(const std::string& source, const std::string& target, const Link& link, RecordLine& line) {
  line.raw("{").key("source").string(source).key("target").string(target);
  write_members<link_rows<Link>>(link, line);
  if constexpr (std::is_same_v<Link, GraphLink>) write_members<own_vcs_row<Link>>(link, line);
  line.raw("}");
}

std::string write(const TopologySpec& spec, const std::string& name) {
  const GraphSpec& graph = spec.graph;
  RecordLine line;
  line.begin_object().key("directed").boolean(false).key("multigraph").boolean(true);
  line.key("graph").raw("{").key("name").string(name);
  if (spec.virtual_channels != 0) line.key("virtual_channels").number(spec.virtual_channels);
  line.raw("}");
  line.key("nodes").raw("[");
  const auto node = [&](char letter, const char* type, std::size_t i, const std::vector<std::string>& names,
                        const std::vector<std::string>& guids) {
    if (letter == 'h' || i > 0) line.raw(",");
    line.raw("{").key("id").string(letter + std::to_string(i)).key("type").string(type);
    if (!names.empty()) line.key("name").string(names[i]);
    if (!guids.empty()) line.key("guid").string(guids[i]);
    if (letter == 'r' && !graph.groups.empty()) line.key("group").number(graph.groups[i]);
    line.raw("}");
  };
  for (std::size_t r = 0; r < graph.routers; ++r) node('r', "router", r, graph.names, graph.guids);
  for (std::size_t h = 0; h < graph.hosts.size(); ++h)
    node('h', "host", h, graph.host_names, graph.host_guids);
  line.raw("]").key("edges").raw("[");
  bool first = true;
  const auto separate = [&] {
    if (!first) line.raw(",");
    first = false;
  };
  for (const GraphLink& link : graph.links) {
    separate();
    write_edge("r" + std::to_string(link.ends[0]), "r" + std::to_string(link.ends[1]), link, line);
  }
  for (std::size_t h = 0; h < graph.hosts.size(); ++h) {
    separate();
    write_edge("r" + std::to_string(graph.hosts[h]), "h" + std::to_string(h),
               graph.host_links.empty() ? HostLink{} : graph.host_links[h], line);
  }
  line.raw("]");
  return std::string(line.end());
}

constexpr std::array<std::string_view, 9> keeps = {"names",
                                                   "GUIDs",
                                                   "ports",
                                                   "widths",
                                                   "speeds",
                                                   "latencies",
                                                   "flit times, buffers and virtual channels of links",
                                                   "groups",
                                                   "virtual channels"};

}  // namespace

extern const ExportFormat entry;
const ExportFormat entry = {
    .name = "node-link",
    .summary = "networkx node-link JSON: every name, port and rate",
    .cite = "Hagberg, Schult, Swart 2008",
    .keeps = keeps,
    .write = write,
};

}  // namespace wormcast::io::export_node_link
