// The explicit list of export formats.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <vector>

#include "io/export/format.hpp"
#include "io/records/topology_record.hpp"
#include "io/scripts/script.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {
namespace {

/// Whether a link between routers, or one of a host, has it.
template <class Has>
bool any_link(const GraphSpec& graph, Has has) {
  return std::any_of(graph.links.begin(), graph.links.end(), has) ||
         std::any_of(graph.host_links.begin(), graph.host_links.end(), has);
}

constexpr std::array<std::string_view, 1> anynet_keeps = {"latencies"};
constexpr ExportFormat anynet_export = {.name = "anynet",
                                        .summary = "BookSim 2: routers, nodes and latencies",
                                        .cite = "Jiang et al. 2013",
                                        .keeps = anynet_keeps};
constexpr std::array<std::string_view, 11> dot_keeps = {"names",
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
constexpr ExportFormat dot_export = {.name = "dot",
                                     .summary = "Graphviz: routers, hosts, links with ports and rates",
                                     .cite = "Gansner, North 2000",
                                     .keeps = dot_keeps};

}  // namespace

namespace export_node_link {
extern const ExportFormat entry;
}

std::span<const ExportFormat* const> export_formats() {
  static constexpr std::array<const ExportFormat*, 3> list = {&anynet_export, &dot_export,
                                                              &export_node_link::entry};
  return list;
}

const ExportFormat* find_export_format(std::string_view name) { return find_by_name(export_formats(), name); }

std::string exported(const ExportFormat& format, const TopologySpec& graph, const std::string& name) {
  const std::vector<GraphLink>& links = graph.graph.links;
  if (std::any_of(links.begin(), links.end(), [](const GraphLink& link) { return link.one_way; }))
    throw InputError("links", name + " has some that run one way, which exports do not write");
  if (format.write != nullptr) return format.write(graph, name);
  TopologySpec named = graph;
  named.generator = {{"name", name}};
  Script script("to-" + std::string(format.name), {});
  RecordLine line;
  script.write(write_topology_record(*build_topology(std::move(named)), line));
  return script.needed("gen-topology", "export " + std::string(format.name));
}

std::span<const ExportPart> export_parts() {
  static constexpr std::array<ExportPart, 11> parts = {{
      {"names",
       [](const TopologySpec& spec) { return !spec.graph.names.empty() || !spec.graph.host_names.empty(); }},
      {"GUIDs",
       [](const TopologySpec& spec) { return !spec.graph.guids.empty() || !spec.graph.host_guids.empty(); }},
      {"ports",
       [](const TopologySpec& spec) {
         return any_link(spec.graph, [](const auto& link) { return link.ports.has_value(); });
       }},
      {"widths",
       [](const TopologySpec& spec) {
         return any_link(spec.graph, [](const auto& link) { return link.width != 0; });
       }},
      {"speeds",
       [](const TopologySpec& spec) {
         return any_link(spec.graph, [](const auto& link) { return !link.speed.empty(); });
       }},
      {"latencies",
       [](const TopologySpec& spec) {
         return any_link(spec.graph,
                         [](const auto& link) { return link.own[LinkValue::hop_cycles][0] != 0; });
       }},
      {"flit times, buffers and virtual channels of links",
       [](const TopologySpec& spec) {
         return any_link(spec.graph, [](auto link) {
           link.own[LinkValue::hop_cycles] = {};
           return link.own.stated();
         });
       }},
      {"groups", [](const TopologySpec& spec) { return !spec.graph.groups.empty(); }},
      {"the spanning tree's root", [](const TopologySpec& spec) { return spec.root != 0; }},
      {"virtual channels", [](const TopologySpec& spec) { return spec.virtual_channels != 0; }},
      {"path labels", [](const TopologySpec& spec) { return !spec.labels.empty(); }},
  }};
  return parts;
}

}  // namespace wormcast::io
