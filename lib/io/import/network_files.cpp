// Networks from and to files.
// SPDX-License-Identifier: MIT
#include "io/import/format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/export/format.hpp"
#include "topology/faults.hpp"
#include "topology/generator.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {

Imported import_files(const std::vector<std::string>& names, const std::string& format) {
  std::vector<ImportFile> files = read_import_files(names);
  std::string name = format.empty() ? "auto" : format;
  if (auto file = converted(format_of(files, name), files, name != "auto")) {
    files.assign(1, std::move(*file));
    name = "auto";
  }
  return import_network(files, name);
}

std::unique_ptr<const Topology> build_imported(TopologySpec spec, const std::vector<std::string>& names) {
  try {
    return build_topology(std::move(spec));
  } catch (InputError& error) {
    for (const std::string& name : names)
      if (name != "-") error.place += (error.place.empty() ? "" : ", ") + name;
    throw;
  }
}

void export_network(const std::vector<std::string>& operands, const std::string& format, Output& output) {
  if (operands.empty()) throw InputError("FORMAT", "none given, as in gen-topology export dot (see --list)");
  const ExportFormat* writer = find_export_format(operands.front());
  if (writer == nullptr)
    throw InputError("FORMAT",
                     unknown_name("format", operands.front(), export_formats(), "gen-topology --list") +
                         (operands.front() == "booksim"    ? "; BookSim2 reads anynet"
                          : operands.front() == "graphviz" ? "; Graphviz reads dot"
                                                           : ""));
  const std::vector<std::string> names(operands.begin() + 1, operands.end());
  const auto topology = build_imported(import_files(names, format).spec, names);
  const TopologySpec graph = as_graph(*topology);
  output.write(exported(*writer, graph, topology->name()));
  std::vector<std::string_view> lost;
  if (topology->spec().family != graph.family) lost.push_back("the family (the import makes a graph of it)");
  for (const ExportPart& part : export_parts())
    if (part.has(graph) &&
        std::find(writer->keeps.begin(), writer->keeps.end(), part.name) == writer->keeps.end())
      lost.push_back(part.name);
  if (!lost.empty())
    diagnose("gen-topology", fmt::format("export {}: not written: {}", writer->name, fmt::join(lost, ", ")));
}

void list_networks(Output& output) {
  for (const TopologyFamily* family : topology_families())
    output.write(
        fmt::format("{:<14} {:<8} {} [{}]\n", family->name, family->usage, family->summary, family->cite));
  for (const Generator* generator : generators()) {
    output.write(fmt::format("{:<19} {} [{}]\n", generator->name, generator->summary, generator->cite));
    for (const GeneratorParameter& parameter : generator->parameters)
      output.write(fmt::format("{:<19} --{} {}{}\n", "", parameter.name, parameter.summary,
                               parameter.fallback ? fmt::format(" (default: {})", *parameter.fallback) : ""));
  }
  output.write("\nimport FILE...\n");
  for (const ImportFormat* format : import_formats())
    output.write(fmt::format("{:<19} {}{}{} [{}]\n", format->name, format->summary,
                             format->command.empty() ? "" : ", by a converter: ", format->command,
                             format->cite));
  output.write(
      "In node-link, dot, graphml and gml a node of type, class or role host is a host, of router or switch "
      "none;\n"
      "where no node is a host, every node is a router with one host.\n");
  output.write("\nexport FORMAT [FILE]\n");
  for (const ExportFormat* format : export_formats())
    output.write(fmt::format("{:<19} {} [{}]\n", format->name, format->summary, format->cite));
}

}  // namespace wormcast::io
