// gen-topology: writes the topology record that opens a stream.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>

#include "io/network_files.hpp"
#include "io/tables_record.hpp"
#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "topology/error.hpp"
#include "topology/faults.hpp"
#include "topology/generator.hpp"
#include "topology/hamiltonian.hpp"
#include "topology/suggestion.hpp"
#include "topology/topology.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "gen-topology",
    .summary = "Write a network: a topology record and the end of its segment.",
    .details =
        "gen-topology import FILE... reads a network from another program's files (-: standard input);\n"
        "gen-topology export FORMAT [FILE...] writes one for another program. --list shows the formats.\n"
        "Reads: nothing, or the files of import and export. Writes: topology, tables, end; text for export.\n"
        "Exit status: 0 done, 2 usage, input or I/O error.\n"
        "Examples:\n"
        "  gen-topology mesh 16 16 | gen-multicast --count 10 --destinations 8\n"
        "  gen-topology irregular --switches 16 --ports 8 --hosts 4 --open-ports 1 --seed 7\n"
        "  gen-topology import opensm-subnet.lst opensm.fdbs opensm.mcfdbs | check-deadlock\n"
        "  gen-topology mesh 4 4 --without-link 1,1,2,1 --random-faults 2 | gen-topology export dot",
};

struct Options {
  std::string family;
  std::vector<std::string> operands;  ///< sizes; files of import; format and files of export
  std::deque<std::pair<std::string_view, std::optional<std::uint64_t>>> parameters;  ///< of generators
  std::string root;
  std::uint32_t virtual_channels = 0;
  bool explicit_labels = false;
  std::optional<std::uint64_t> label_seed;
  std::string format;
  std::string name;
  Faults faults;
  bool list = false;
};

/// Families that have sizes as operands, then the generators of graphs.
io::NameList known_networks() {
  io::NameList list{"FAMILY", "Networks:", {}, false};
  for (const TopologyFamily* family : topology_families())
    if (!family->sizes_key.empty())
      list.entries.emplace_back(family->name, fmt::format("{}: {}", family->usage, family->summary));
  for (const Generator* generator : generators())
    list.entries.emplace_back(generator->name, generator->summary);
  list.entries.emplace_back("import", "FILE...: a network from files of another program");
  list.entries.emplace_back("export", "FORMAT [FILE...]: a topology as a file for another program");
  return list;
}

/// "irregular: number of switches; dragonfly: …": what a parameter means to each generator that has it.
std::string parameter_help(std::string_view name) {
  std::string help;
  for (const Generator* generator : generators())
    for (const GeneratorParameter& parameter : generator->parameters) {
      if (parameter.name != name) continue;
      const std::string fallback =
          parameter.fallback ? fmt::format(" (default: {})", *parameter.fallback) : "";
      help +=
          fmt::format("{}{}: {}{}", help.empty() ? "" : "; ", generator->name, parameter.summary, fallback);
    }
  return help;
}

void declare_files_and_faults(CLI::App& app, Options& options) {
  app.add_option("--format", options.format, "import, export: format of the files (default: auto)");
  app.add_option("--name", options.name,
                 "import: what the network is called in tables (default: its format)");
  app.add_option("--without-link", options.faults.links,
                 "Take out the links between two routers: numbers, coordinates or names; the rest as a graph")
      ->type_name("A,B")
      ->allow_extra_args(false);
  app.add_option("--without-node", options.faults.routers, "Take out a router with its hosts and links")
      ->type_name("ROUTER")
      ->allow_extra_args(false);
  app.add_option("--random-faults", options.faults.random,
                 "Take out so many random links, none that holds the network together; by --seed")
      ->type_name("UINT");
}

void declare(CLI::App& app, Options& options, io::CommonOptions& common) {
  common.lists.push_back(known_networks());
  app.add_option("FAMILY", options.family, "What network")->type_name("FAMILY");
  app.add_option("SIZES", options.operands,
                 "Its sizes, the fastest dimension first, as 8 8 or 8x8; or the files");
  for (const Generator* generator : generators())
    for (const GeneratorParameter& parameter : generator->parameters) {
      const std::string flag = fmt::format("--{}", parameter.name);
      if (app.get_option_no_throw(flag) != nullptr) continue;
      options.parameters.emplace_back(parameter.name, std::nullopt);
      app.add_option(flag, options.parameters.back().second, parameter_help(parameter.name))
          ->type_name("UINT")
          ->group("Generator options");
    }
  app.add_option(
         "--root", options.root,
         "Router that up*/down* and spanning trees start from: a number, or best (least eccentricity, "
         "then most links); default: 0, or the generator's")
      ->type_name("ROUTER|best");
  app.add_option("--virtual-channels", options.virtual_channels,
                 "Limit on virtual channels per directed channel (default: none)")
      ->check(CLI::Range(1, 255));
  app.add_flag("--explicit-labels", options.explicit_labels,
               "Write the Hamiltonian-path label of every node");
  app.add_option("--find-labels", options.label_seed,
                 "Search a Hamiltonian path with this seed (default: 1) and write its labels; for networks "
                 "without a closed form")
      ->type_name("[SEED]")
      ->expected(0, 1)
      ->default_str("1");
  declare_files_and_faults(app, options);
  app.add_flag("--list", options.list, "List the networks and formats and stop");
}

std::uint32_t parse_root(const std::string& text_given) {
  std::uint32_t root = 0;
  const char* last = text_given.data() + text_given.size();
  const auto [end, error] = std::from_chars(text_given.data(), last, root);
  const bool padded = text_given.size() > 1 && text_given[0] == '0';
  if (error != std::errc() || end != last || padded)
    throw InputError("--root", fmt::format("'{}' is neither a router's number nor best", text_given));
  return root;
}

TopologySpec import_spec(const Options& options, std::vector<RouterTable>& tables) {
  io::Imported found = io::import_files(options.operands, options.format);
  if (!options.name.empty())
    found.spec.generator.insert(found.spec.generator.begin(), {"network", options.name});
  tables = std::move(found.tables);
  return std::move(found.spec);
}

/// "8", or several sizes as in "8x8"; what is no number is refused as the whole operand.
void append_sizes(const std::string& operand, std::vector<std::uint64_t>& sizes) {
  const bool several = operand.find_first_not_of("0123456789x") == std::string::npos &&
                       operand.find("xx") == std::string::npos && !operand.starts_with('x') &&
                       !operand.ends_with('x');
  std::size_t at = 0;
  do {
    const std::size_t end = several ? std::min(operand.find('x', at), operand.size()) : operand.size();
    sizes.push_back(io::whole_number_operand("SIZES", operand.substr(at, end - at)));
    at = end + 1;
  } while (at <= operand.size());
}

TopologySpec specify(const Options& options, std::vector<RouterTable>& tables) {
  std::vector<GivenParameter> given;
  const bool takes_seed = find_generator(options.family) != nullptr;
  for (const auto& [name, value] : options.parameters)
    if (value && (takes_seed || name != "seed" || !options.faults.random)) given.push_back({name, *value});
  if (options.family == "import" && given.empty()) return import_spec(options, tables);
  for (const auto& [option, text_given] : {std::pair{"--format", options.format}, {"--name", options.name}})
    if (!text_given.empty()) throw InputError(option, "only an import takes this option");
  if (const Generator* generator = find_generator(options.family)) {
    if (!options.operands.empty())
      throw InputError("SIZES", fmt::format("{} takes options, no sizes (see --list)", generator->name));
    return generate(*generator, given);
  }
  const TopologyFamily* family = find_topology_family(options.family);
  if (family == nullptr) {
    std::vector<std::string_view> known;
    for (const TopologyFamily* one : topology_families())
      if (!one->sizes_key.empty()) known.push_back(one->name);
    for (const Generator* generator : generators()) known.push_back(generator->name);
    known.insert(known.end(), {"import", "export"});
    throw InputError("FAMILY", unknown_name_message("network", options.family, known));
  }
  if (family->sizes_key.empty())
    throw InputError("FAMILY",
                     fmt::format("a {} is written by a generator or an import (see --list)", family->name));
  if (!given.empty())
    throw InputError(fmt::format("--{}", given.front().name),
                     fmt::format("a {} does not take this option", family->name));
  TopologySpec spec;
  spec.family = options.family;
  for (const std::string& operand : options.operands) append_sizes(operand, spec.sizes);
  return spec;
}

using Network = std::unique_ptr<const Topology>;

/// The network with what the options say about faults, virtual channels, root and labels.
Network settle(Network topology, const Options& options) {
  if (options.faults.any()) {
    Faults faults = options.faults;
    for (const auto& [name, value] : options.parameters)
      if (name == "seed" && value) faults.seed = *value;
    topology = build_topology(with_faults(*topology, faults));
  }
  TopologySpec spec = topology->spec();
  if (options.virtual_channels != 0) spec.virtual_channels = options.virtual_channels;
  if (options.root == "best")
    spec.root = best_root(*topology);
  else if (!options.root.empty())
    spec.root = parse_root(options.root);
  topology = build_topology(std::move(spec));
  if (!options.label_seed) return topology;
  HamiltonianLabels found = find_hamiltonian_labels(*topology, *options.label_seed);
  if (found.labels.empty())
    throw InputError(
        "--find-labels",
        fmt::format("{} {}: {}", topology->name(),
                    found.proven ? "has no Hamiltonian path" : "may have no Hamiltonian path", found.reason));
  TopologySpec labelled = topology->spec();
  labelled.labels = std::move(found.labels);
  return build_topology(std::move(labelled));
}

/// An export takes what it is given as it is.
void refuse_beside_export(const Options& options) {
  const bool parameters = std::any_of(options.parameters.begin(), options.parameters.end(),
                                      [](const auto& parameter) { return parameter.second.has_value(); });
  if (parameters || options.faults.any() || !options.root.empty() || !options.name.empty() ||
      options.virtual_channels != 0 || options.explicit_labels || options.label_seed)
    throw InputError("export", "it takes no option but --format; change the network before");
}

int run(const Options& options, const io::CommonOptions&, io::Output& output) {
  if (options.list) {
    io::list_networks(output);
    return io::exit_yes;
  }
  if (options.family.empty()) throw InputError("FAMILY", "no network given (see --list)");
  if (options.family == "export") {
    refuse_beside_export(options);
    io::export_network(options.operands, options.format, output);
    return io::exit_yes;
  }
  std::vector<RouterTable> tables;
  const auto topology = settle(build_topology(specify(options, tables)), options);
  if (options.explicit_labels && !topology->labelled())
    throw InputError("--explicit-labels", topology->name() + " has no Hamiltonian-path labels of its own");
  if (options.faults.any() && !tables.empty())
    throw InputError("--without-link",
                     "forwarding tables were imported: they do not hold for another network");
  io::RecordLine line;
  output.write(io::write_topology_record(*topology, line, options.explicit_labels));
  for (const RouterTable& table : tables) output.write(io::write_tables_record(table, line));
  output.write(io::end_line);
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
