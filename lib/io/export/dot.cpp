// Export to Graphviz: routers as boxes, hosts as ellipses, ports at the ends of links. What the drawing does
// not show, or not so that it could be told apart, is said in attributes of our own, and the import reads all
// of it.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/export/format.hpp"
#include "topology/error.hpp"

namespace wormcast::io::export_dot {
namespace {

std::string escaped(std::string_view text) {
  // The import, as Graphviz itself, would read another name.
  if (text.find('\0') != std::string_view::npos)
    throw InputError("dot", "a name, GUID or speed holds a null character, which Graphviz text cannot");
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

template <class Link>
std::string attributes(const Link& link) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  if (link.ports) add(fmt::format("taillabel={}, headlabel={}", (*link.ports)[0], (*link.ports)[1]));
  std::string label = link.width == 0 ? "" : fmt::format("{}x", link.width);
  label += link.speed;
  if (const auto& cycles = link.own[LinkValue::hop_cycles]; cycles[0] != 0)
    label += fmt::format("{}{}/{} cycles", label.empty() ? "" : " ", cycles[0], cycles[1]);
  if (!label.empty()) add("label=" + escaped(label));
  const auto pair = [&](std::string_view key, const LinkValues::Both& both) {
    add(fmt::format("{}=\"{},{}\"", key, both[0], both[1]));
  };
  if (link.ports) pair("ports", *link.ports);
  for (std::size_t i = 0; i < link_value_keys.size(); ++i)
    if (link.own.of[i][0] != 0) pair(link_value_keys[i], link.own.of[i]);
  if (link.width != 0) add(fmt::format("width={}", link.width));
  if (!link.speed.empty()) add("speed=" + escaped(link.speed));
  return text.empty() ? "" : " [" + text + "]";
}

std::string write(const TopologySpec& spec, const std::string& name) {
  const GraphSpec& graph = spec.graph;
  std::string text = "graph " + escaped(name) + " {\n";
  if (spec.root != 0) text += fmt::format("  spanning_tree_root=r{};\n", spec.root);
  if (spec.virtual_channels != 0) text += fmt::format("  virtual_channels={};\n", spec.virtual_channels);
  const auto node = [&](char letter, std::size_t i, const std::vector<std::string>& names,
                        const std::vector<std::string>& guids, const std::vector<std::uint32_t>& labels,
                        const std::vector<std::uint32_t>& groups) {
    std::string said;
    if (!names.empty()) said += names[i].empty() ? "name=\"\"" : "label=" + escaped(names[i]);
    if (!guids.empty() && !guids[i].empty()) said += (said.empty() ? "guid=" : ", guid=") + escaped(guids[i]);
    if (!labels.empty()) said += fmt::format("{}path_label={}", said.empty() ? "" : ", ", labels[i]);
    if (!groups.empty()) said += fmt::format("{}router_group={}", said.empty() ? "" : ", ", groups[i]);
    text += fmt::format("  {}{}{};\n", letter, i, said.empty() ? "" : " [" + said + "]");
  };
  text += "  node [shape=box, class=router];\n";
  for (std::size_t r = 0; r < graph.routers; ++r)
    node('r', r, graph.names, graph.guids, spec.labels, graph.groups);
  text += "  node [shape=ellipse, class=host];\n";
  for (std::size_t h = 0; h < graph.hosts.size(); ++h)
    node('h', h, graph.host_names, graph.host_guids, {}, {});
  for (const GraphLink& link : graph.links)
    text += fmt::format("  r{} -- r{}{};\n", link.ends[0], link.ends[1], attributes(link));
  for (std::size_t h = 0; h < graph.hosts.size(); ++h)
    text += fmt::format("  r{} -- h{}{};\n", graph.hosts[h], h,
                        graph.host_links.empty() ? "" : attributes(graph.host_links[h]));
  return text + "}\n";
}

constexpr std::array<std::string_view, 11> keeps = {"names",
                                                    "GUIDs",
                                                    "ports",
                                                    "widths",
                                                    "speeds",
                                                    "latencies",
                                                    "flit times, buffers and virtual channels of links",
                                                    "the spanning tree's root",
                                                    "virtual channels",
                                                    "path labels",
                                                    "groups"};

}  // namespace

extern const ExportFormat entry;
const ExportFormat entry = {
    .name = "dot",
    .summary = "Graphviz: routers, hosts, links with ports and rates",
    .cite = "Gansner, North 2000",
    .write = write,
    .keeps = keeps,
};

}  // namespace wormcast::io::export_dot
