// Networks from and to files: reading whole files, record streams, and what scripts read and write.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "io/import/network_file.hpp"
#include "io/records/topology_record.hpp"
#include "io/scripts/script.hpp"
#include "topology/faults.hpp"
#include "topology/generator.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

/// Spreadsheets begin a file of UTF-8 with it; it is no part of the text.
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

ImportFile read_whole(const std::string& path) {
  ImportFile file;
  const bool standard_input = path == "-";
  if (!standard_input) file.name = path;
  const std::string shown = file.shown();
  const int descriptor = standard_input ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_read(shown);
  std::array<char, 1 << 16> chunk;
  while (true) {
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const bool folder = errno == EISDIR;
      SystemError error = cannot_read(shown);
      if (folder) error = SystemError(fmt::format("{}; name the files in it", error.what()));
      if (!standard_input) ::close(descriptor);
      throw error;
    }
    if (got == 0) break;
    file.text.append(chunk.data(), static_cast<std::size_t>(got));
    if (file.text.size() > max_import_bytes) break;
  }
  if (!standard_input) ::close(descriptor);
  if (file.text.size() > max_import_bytes)
    refuse("FILE", "{} has more than {} bytes", shown, max_import_bytes);
  if (const std::string reason = compressed(file.text, file.name); !reason.empty())
    refuse("FILE", "{} is {}", shown, reason);
  if (file.text.starts_with(byte_order_mark)) file.text.erase(0, byte_order_mark.size());
  return file;
}

/// A topology record: its first key says so; blanks may stand between.
bool is_stream(const ImportFile& file) {
  std::string_view line = ImportLines(file).next_text().value_or(std::string_view());
  for (const std::string_view token : {"{", "\"kind\"", ":", "\"topology\""}) {
    line = trimmed(line);
    if (!line.starts_with(token)) return false;
    line.remove_prefix(token.size());
  }
  return true;
}

constexpr std::string_view reader = "read-network", records_format = "records";

/// As an argument of a script, which opens a named file by itself.
std::string operand_of(const ImportFile& file) {
  return file.name.empty() ? "-" : file.name.starts_with('-') ? "./" + file.name : file.name;
}

/// What the reader writes, in memory, as if it had been piped in.
ImportFile converted(std::span<const ImportFile> files, const std::string& format) {
  std::vector<std::string> arguments;
  if (!format.empty()) arguments.push_back("--format=" + format);
  ImportFile result{{}, {}, true};
  std::string_view given;
  for (const ImportFile& file : files) {
    if (file.name.empty()) given = file.text;
    arguments.push_back(operand_of(file));
    result.name += (result.name.empty() ? "" : ", ") + file.shown();
  }
  Script script(reader, arguments);
  script.write(given);
  result.text = script.needed("gen-topology", "FILE");
  if (result.text.empty()) refuse("", "{} writes nothing", reader);
  return result;
}

/// Its formats, one a line.
std::string listed_formats() { return Script(reader, {"--list"}).finish("gen-topology").value_or(""); }

/// What a script to-NAME writes.
struct ExportFormat {
  std::string_view name, summary, cite;
};
constexpr ExportFormat anynet_export = {"anynet", "BookSim 2: routers, nodes and latencies",
                                        "Jiang et al. 2013"};
constexpr ExportFormat dot_export = {"dot", "Graphviz: routers, hosts, links with ports and rates",
                                     "Gansner, North 2000"};
constexpr ExportFormat node_link_export = {"node-link", "networkx node-link JSON: every name, port and rate",
                                           "Hagberg, Schult, Swart 2008"};
constexpr std::array<const ExportFormat*, 3> export_formats = {&anynet_export, &dot_export,
                                                               &node_link_export};

}  // namespace

Imported read_records(const ImportFile& file) {
  ImportLines lines(file);
  Imported result;
  JsonText json;
  bool begun = false, ended = false;
  // Built at once, so that errors have the line; after a converter, whose lines are not the user's, only for
  // tables.
  std::unique_ptr<const Topology> topology;
  try {
    while (const auto line = lines.next()) {
      json.parse(*line);
      std::string_view kind;
      json.root().members([&](std::string_view key, const Value& value) {
        if (key == "kind") kind = value.text();
      });
      if (kind == "topology" && !begun) {
        result.spec = read_topology_record(json.root());
        if (!file.converted) topology = build_topology(result.spec);
        begun = true;
      } else if (kind == "tables" && begun && !ended) {
        if (!topology) topology = build_topology(result.spec);
        read_tables_record(json.root(), *topology, result.tables.emplace_back());
      } else if ((kind == "program" || kind == "routes") && begun && !ended) {
        result.flows.append(*line).append("\n");
      } else if (kind == "end" && begun && !ended) {
        ended = true;
        json.root().members([&](std::string_view key, const Value& value) {
          if (!file.converted || key != "x_mgids") return;
          value.members([&](std::string_view mgid, const Value& group) {
            result.group_aliases.emplace(mgid, group.text());
          });
        });
      } else {
        lines.fail(
            "kind",
            fmt::format(
                "a record of kind {}; one topology, its tables, program, routes and end can be imported",
                in_quotes(kind)));
      }
    }
  } catch (InputError& error) {
    if (error.place.empty()) error.place = import_place(file, lines.number());
    throw;
  }
  if (!ended) lines.fail("", "the input stops here without an 'end' record: it was truncated");
  return result;
}

std::vector<ImportFile> read_import_files(const std::vector<std::string>& names) {
  std::vector<ImportFile> files;
  for (const std::string& name : names.empty() ? std::vector<std::string>{"-"} : names)
    files.push_back(read_whole(name));
  return files;
}

Imported import_files(const std::vector<std::string>& names, const std::string& format) {
  const std::vector<ImportFile> files = read_import_files(names);
  const std::string name = format == "auto" ? "" : format;
  if (name != records_format && !(name.empty() && std::all_of(files.begin(), files.end(), is_stream)))
    return read_records(converted(files, name));
  if (files.size() != 1) refuse("FILE", "one stream of records at a time");
  Imported found = read_records(files.front());
  if (found.spec.family == "graph" && found.spec.generator.empty())
    found.spec.generator = {{"name", std::string(records_format)}};
  return found;
}

bool is_import_format(std::string_view name) {
  return name == records_format ||
         ("\n" + listed_formats()).find(fmt::format("\n{} ", name)) != std::string::npos;
}

void refuse_converted_workload(const ImportFile& file) {
  Script script(reader, {"--workload", operand_of(file)});
  if (file.name.empty()) script.write(file.text);
  script.finish("gen-multicast");
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
  if (operands.empty()) refuse("FORMAT", "none given, as in gen-topology export dot (see --list)");
  const ExportFormat* writer = find_by_name(export_formats, operands.front());
  if (writer == nullptr)
    refuse("FORMAT", "{}{}", unknown_name("format", operands.front(), export_formats, "gen-topology --list"),
           operands.front() == "booksim"    ? "; BookSim2 reads anynet"
           : operands.front() == "graphviz" ? "; Graphviz reads dot"
                                            : "");
  const std::vector<std::string> names(operands.begin() + 1, operands.end());
  const auto topology = build_imported(import_files(names, format).spec, names);
  TopologySpec graph = as_graph(*topology);
  const std::vector<GraphLink>& links = graph.graph.links;
  if (std::any_of(links.begin(), links.end(), [](const GraphLink& link) { return link.one_way; }))
    refuse("links", "{} has some that run one way, which exports do not write", topology->name());
  graph.generator = {{"name", topology->name()}};
  if (topology->spec().family != graph.family)
    graph.generator.emplace_back("family", topology->spec().family);
  Script script("to-" + std::string(writer->name), {});
  RecordLine line;
  script.write(write_topology_record(*build_topology(std::move(graph)), line));
  output.write(script.needed("gen-topology", "export " + std::string(writer->name)));
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
  output.write(fmt::format("{:<19} a topology record and its end, as the tools write them [FORMAT.md]\n",
                           records_format));
  output.write(listed_formats());
  output.write(
      "In node-link, dot, graphml and gml a node of type, class, role or function host is a host, of\n"
      "router or switch none; where no node is a host, every node is a router with one host.\n");
  output.write("\nexport FORMAT [FILE]\n");
  for (const ExportFormat* format : export_formats)
    output.write(fmt::format("{:<19} {} [{}]\n", format->name, format->summary, format->cite));
}

}  // namespace wormcast::io
