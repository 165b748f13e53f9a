// Export to Graphviz: routers as boxes, hosts as ellipses, ports at the ends of links.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "io/export/format.hpp"

namespace wormcast::io {
namespace {

std::string escaped(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
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
  if (link.hop_cycles)
    label +=
        fmt::format("{}{}/{} cycles", label.empty() ? "" : " ", (*link.hop_cycles)[0], (*link.hop_cycles)[1]);
  if (!label.empty()) add("label=" + escaped(label));
  return text.empty() ? "" : " [" + text + "]";
}

std::string write(const TopologySpec& spec, const std::string& name) {
  const GraphSpec& graph = spec.graph;
  std::string text = "graph " + escaped(name) + " {\n  node [shape=box];\n";
  for (std::uint32_t r = 0; r < graph.routers; ++r)
    text += fmt::format("  r{} [label={}];\n", r,
                        escaped(graph.names.empty() ? std::to_string(r) : graph.names[r]));
  text += "  node [shape=ellipse];\n";
  for (std::size_t h = 0; h < graph.hosts.size(); ++h)
    text += fmt::format("  h{} [label={}];\n", h,
                        escaped(graph.host_names.empty() ? std::to_string(h) : graph.host_names[h]));
  for (const GraphLink& link : graph.links)
    text += fmt::format("  r{} -- r{}{};\n", link.ends[0], link.ends[1], attributes(link));
  for (std::size_t h = 0; h < graph.hosts.size(); ++h)
    text += fmt::format("  r{} -- h{}{};\n", graph.hosts[h], h,
                        graph.host_links.empty() ? "" : attributes(graph.host_links[h]));
  return text + "}\n";
}

}  // namespace

extern const ExportFormat export_dot;
const ExportFormat export_dot = {
    .name = "dot",
    .summary = "Graphviz: routers, hosts, links with ports and rates",
    .cite = "Gansner, North 2000",
    .write = write,
};

}  // namespace wormcast::io
