// gen-topology: writes the topology record that opens a stream.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <deque>

#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "topology/error.hpp"
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
        "Reads nothing. Writes: topology, end.\n"
        "Exit status: 0 done, 2 usage or I/O error.\n"
        "Examples:\n"
        "  gen-topology mesh 16 16 | gen-multicast --count 10 --destinations 8\n"
        "  gen-topology irregular --switches 16 --ports 8 --hosts 4 --open-ports 1 --seed 7",
};

struct Options {
  std::string family;
  std::vector<std::uint64_t> sizes;
  std::deque<std::pair<std::string_view, std::optional<std::uint64_t>>> parameters;  ///< of generators
  std::string root;
  std::uint32_t virtual_channels = 0;
  bool explicit_labels = false;
  std::optional<std::uint64_t> label_seed;
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

void declare(CLI::App& app, Options& options, io::CommonOptions& common) {
  common.lists.push_back(known_networks());
  app.add_option("FAMILY", options.family, "What network")->type_name("FAMILY");
  app.add_option("SIZES", options.sizes, "Its sizes, the fastest dimension first");
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
  app.add_flag("--list", options.list, "List the networks and stop");
}

void list_networks(io::Output& output) {
  for (const TopologyFamily* family : topology_families())
    output.write(
        fmt::format("{:<10} {:<8} {} [{}]\n", family->name, family->usage, family->summary, family->cite));
  for (const Generator* generator : generators()) {
    output.write(fmt::format("{:<19} {} [{}]\n", generator->name, generator->summary, generator->cite));
    for (const GeneratorParameter& parameter : generator->parameters)
      output.write(fmt::format("{:<19} --{} {}{}\n", "", parameter.name, parameter.summary,
                               parameter.fallback ? fmt::format(" (default: {})", *parameter.fallback) : ""));
  }
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

TopologySpec specify(const Options& options) {
  std::vector<GivenParameter> given;
  for (const auto& [name, value] : options.parameters)
    if (value) given.push_back({name, *value});
  if (const Generator* generator = find_generator(options.family)) {
    if (!options.sizes.empty())
      throw InputError("SIZES", fmt::format("{} takes options, no sizes (see --list)", generator->name));
    return generate(*generator, given);
  }
  const TopologyFamily* family = find_topology_family(options.family);
  if (family == nullptr) {
    std::vector<std::string_view> known;
    for (const TopologyFamily* one : topology_families())
      if (!one->sizes_key.empty()) known.push_back(one->name);
    for (const Generator* generator : generators()) known.push_back(generator->name);
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
  spec.sizes = options.sizes;
  return spec;
}

int run(const Options& options, const io::CommonOptions&, io::Output& output) {
  if (options.list) {
    list_networks(output);
    return io::exit_yes;
  }
  if (options.family.empty()) throw InputError("FAMILY", "no network given (see --list)");
  TopologySpec spec = specify(options);
  spec.virtual_channels = options.virtual_channels;
  if (!options.root.empty() && options.root != "best") spec.root = parse_root(options.root);
  auto topology = build_topology(std::move(spec));
  if (options.root == "best") {
    TopologySpec rooted = topology->spec();
    rooted.root = best_root(*topology);
    topology = build_topology(std::move(rooted));
  }
  if (options.label_seed) {
    HamiltonianLabels found = find_hamiltonian_labels(*topology, *options.label_seed);
    if (found.labels.empty())
      throw InputError("--find-labels",
                       fmt::format("{} {}: {}", topology->name(),
                                   found.proven ? "has no Hamiltonian path" : "may have no Hamiltonian path",
                                   found.reason));
    TopologySpec labelled = topology->spec();
    labelled.labels = std::move(found.labels);
    topology = build_topology(std::move(labelled));
  }
  if (options.explicit_labels && !topology->labelled())
    throw InputError("--explicit-labels", topology->name() + " has no Hamiltonian-path labels of its own");
  io::RecordLine line;
  output.write(io::write_topology_record(*topology, line, options.explicit_labels));
  output.write(io::end_line);
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
