// gen-topology: writes the topology record that opens a stream.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "io/command_line/network_options.hpp"
#include "io/command_line/tool.hpp"
#include "io/import/network_file.hpp"
#include "io/records/topology_record.hpp"
#include "topology/connectivity.hpp"
#include "topology/faults.hpp"
#include "topology/generator.hpp"
#include "topology/refuse.hpp"
#include "topology/topology.hpp"

using namespace wormcast;

namespace gen_topology {

constexpr io::ToolText text = {
    .name = "gen-topology",
    .summary = "Write a network: a topology record and the end of its segment.",
    .details =
        R"(gen-topology import FILE... reads a network from another program's files (-: standard input);
gen-topology export FORMAT [FILE...] writes one for another program. --list shows the formats.
Reads: nothing, or the files of import and export. Writes: topology, tables, end; of designs
program and routes, too; text for export.
Exit status: 0 done, 2 usage, input or I/O error.
Examples:
  gen-topology mesh 16 16 | gen-multicast --count 10 --destinations 8
  gen-topology irregular --switches 16 --ports 8 --hosts 4 --open-ports 1 --seed 7
  gen-topology import opensm-subnet.lst opensm.fdbs opensm.mcfdbs | check-deadlock
  gen-topology mesh 4 4 --without-link 1,1,2,1 --random-faults 2 | gen-topology export dot)",
};

struct Options {
  io::NetworkOptions network;
  std::string root;
  std::uint32_t virtual_channels = 0;
  std::vector<std::string> link_classes, open;
  bool explicit_labels = false;
  std::optional<std::string> label_seed;
  Faults faults;
};

void declare_faults(io::CommandLine& line, Options& options) {
  line.add_option("--without-link", options.faults.links, "A,B",
                  "Take out the links between two routers, by number, name or coordinates: 5,6 or 1,1,2,1 "
                  "for 1,1 and 2,1; may be repeated")
      .one_value_each();
  line.add_option("--without-node", options.faults.routers, "ROUTER",
                  "Take out a router with its hosts and links; may be repeated")
      .one_value_each();
  line.add_option("--without-core", options.faults.cores, "ROUTER",
                  "Take out a router's hosts, but not the router; of grids *,2 is a row; may be repeated")
      .one_value_each();
  line.add_option("--random-faults", options.faults.random, "UINT",
                  "Take out N random links (--seed) that leave the network connected");
}

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  io::add_network_options(line, options.network, common);
  line.add_option(
      "--root", options.root, "ROUTER|best",
      "Root of up*/down* and spanning trees; a router by number, coordinates or name after faults, or best, "
      "the one of least eccentricity, then of most links (default: 0, or the generator's)");
  line.add_option("--virtual-channels", options.virtual_channels,
                  "Limit on virtual channels of a channel (default: none); routes need not use all")
      .range(1, 255);
  line.add_option(
          "--link-class", options.link_classes, "LINKS,KEY=N...",
          "Mesh and tori: links of a dimension, or of the borders of blocks of EVERY nodes there "
          "(DIM/EVERY); graphs: of hosts, of those whose names begin with NAME (hosts/NAME), of groups, "
          "between them, or of routers with numbers N apart (apart/N); have hop-cycles=N, flit-cycles=N, "
          "buffer-flits=N, virtual-channels=N of their own (N:M: up:down, to the router:to the host); "
          "2,flit-cycles=4 or 0/4,hop-cycles=3 or hosts,hop-cycles=2; may be repeated")
      .one_value_each();
  line.add_option("--open", options.open, "DIMENSION",
                  "Torus: this dimension (from 0) is a line, not a ring; may be repeated")
      .one_value_each();
  line.add_flag("--explicit-labels", options.explicit_labels,
                "Write the Hamiltonian-path label of every node");
  line.add_option("--find-labels", options.label_seed, "[SEED]",
                  "Search for a Hamiltonian path with this seed (default: 1) and write its labels; for "
                  "networks that have none of their own")
      .value_may_lack("1");
  io::add_file_options(line, options.network);
  declare_faults(line, options);
  io::add_list(line, common, "List the networks and formats and stop", io::list_networks);
}

/// The router that --root names.
std::uint32_t root_of(const Topology& topology, const std::string& named) {
  if (named == "best") return best_root(topology);
  try {
    return find_router(topology, "--root", named).value;
  } catch (const InputError& error) {
    refuse(error.field, "{}; a router, or best", error.what());
  }
}

using Network = std::unique_ptr<const Topology>;

/// "14 of 16 nodes are left and numbered anew, 0 to 13".
void tell_numbers(std::uint32_t left, std::uint32_t whole, const char* things, const char* names) {
  if (left != whole)
    io::diagnose(text.name, fmt::format("{} of {} {} are left and numbered anew, 0 to {}{}", left, whole,
                                        things, left - 1, names));
}

/// Whether each router has one host, of its own number.
bool hosts_are_routers(const Topology& topology) {
  if (topology.host_count() != topology.routers()) return false;
  for (std::uint32_t h = 0; h < topology.hosts(); ++h)
    if (topology.router_of(HostId{h}) != NodeId{h}) return false;
  return true;
}

void tell_labels_and_parts(const Topology& whole, const Topology& left, const Options& options) {
  if (!whole.spec().labels.empty() && left.spec().labels.empty() && !options.label_seed)
    io::diagnose(text.name,
                 "the labels are gone: they need not be a path of what is left (see --find-labels)");
  if (const auto parts = disconnected(left))
    io::diagnose(text.name, left.name() + ": " + *parts + " routers");
  else if (const auto cut = no_paths(left))
    io::diagnose(text.name, left.name() + ": " + *cut);
}

/// Says what a fault does to all that is behind it: numbers that are others now, parts of the network, a
/// root and labels that are gone.
void tell_damage(const Topology& whole, const Topology& left, const Options& options) {
  if (!left.given_by_links()) {
    if (left.host_count() != whole.host_count())
      io::diagnose(text.name, fmt::format("{} of {} nodes have hosts", left.host_count(), left.hosts()));
    tell_labels_and_parts(whole, left, options);
    return;
  }
  const GraphSpec& graph = left.spec().graph;
  tell_numbers(left.hosts(), whole.host_count(), "nodes",
               graph.host_names.empty() ? "" : "; they keep their names, which gen-multicast takes too");
  if (!hosts_are_routers(whole))
    tell_numbers(left.routers(), whole.routers(), "routers",
                 graph.names.empty() ? "" : "; they keep their names, which --root takes too");
  const NodeId root{whole.spec().root};
  const bool root_lost =
      std::any_of(options.faults.routers.begin(), options.faults.routers.end(),
                  [&](const std::string& router) { return router_named(whole, router) == root; });
  if (root_lost && root.value != 0 && options.root.empty())  // 0 was not chosen
    io::diagnose(text.name, fmt::format("router {} was the root and is gone; up*/down* and spanning trees "
                                        "start from router 0 unless --root says otherwise",
                                        router_name(whole, root)));
  tell_labels_and_parts(whole, left, options);
}

/// The network with what the options say about faults, virtual channels, root and labels.
Network settle(Network topology, const Options& options, Survivors& survivors) {
  if (options.virtual_channels != 0 || !options.link_classes.empty() || !options.open.empty()) {
    TopologySpec spec = topology->spec();
    if (options.virtual_channels != 0) spec.virtual_channels = options.virtual_channels;
    for (const std::string& said : options.link_classes) io::add_link_class(spec, said);
    for (const std::string& dimension : options.open)
      spec.open.push_back(static_cast<std::uint32_t>(
          std::min<std::uint64_t>(io::whole_number_operand("--open", dimension), UINT32_MAX)));
    std::sort(spec.open.begin(), spec.open.end());
    topology = build_topology(std::move(spec));
  }
  if (options.faults.any()) {
    Faults faults = options.faults;
    if (const auto seed = options.network.parameter("seed")) faults.seed = *seed;
    Network left = build_topology(with_faults(*topology, faults, &survivors));
    tell_damage(*topology, *left, options);
    topology = std::move(left);
  }
  TopologySpec spec = topology->spec();
  if (!options.root.empty()) spec.root = root_of(*topology, options.root);
  topology = build_topology(std::move(spec));
  if (!options.label_seed) return topology;
  const std::uint64_t label_seed = io::whole_number_operand("--find-labels", *options.label_seed);
  HamiltonianLabels found = find_hamiltonian_labels(*topology, label_seed);
  if (found.labels.empty())
    refuse("--find-labels", "{} {}: {}", topology->name(),
           found.proven ? "has no Hamiltonian path" : "may have no Hamiltonian path", found.reason);
  TopologySpec labelled = topology->spec();
  labelled.labels = std::move(found.labels);
  return build_topology(std::move(labelled));
}

/// An export takes what it is given as it is.
void refuse_beside_export(const Options& options) {
  if (options.network.any_parameter() || options.faults.any() || !options.root.empty() ||
      !options.network.name.empty() || !options.network.groups.empty() || !options.open.empty() ||
      options.virtual_channels != 0 || !options.link_classes.empty() || options.explicit_labels ||
      options.label_seed)
    refuse("export", "takes no option but --format; change the network before");
}

/// A limit below the lanes that imported tables send packets into would make a record that every tool
/// refuses.
void check_lanes(const std::vector<RouterTable>& tables, std::uint32_t limit) {
  std::uint32_t lanes = 0;
  for (const RouterTable& table : tables)
    for (const RouterTable::Sl2vl& entry : table.sl2vl)
      for (const std::uint8_t vc : entry.vcs)
        if (vc != no_lane) lanes = std::max(lanes, std::uint32_t{vc} + 1);
  if (limit != 0 && limit < lanes)
    refuse("--virtual-channels",
           "{}, but the imported tables send packets into virtual channels up to {}, which makes {}", limit,
           lanes - 1, lanes);
}

int run(const Options& options, const io::CommonOptions&, io::Output& output) {
  const io::NetworkOptions& network = options.network;
  if (network.family.empty()) refuse("FAMILY", "no network given (see --list)");
  if (network.family == "export") {
    refuse_beside_export(options);
    io::export_network(network.operands, network.format, output);
    return io::exit_yes;
  }
  io::Imported imported;
  Network given = io::given_network(network, options.faults.random.has_value(), imported);
  std::vector<RouterTable>& tables = imported.tables;
  if (options.faults.any() && !imported.flows.empty())
    refuse("routes", "nothing is taken out of a network whose routes name its channels");
  const bool torn = options.faults.any() && !tables.empty();
  if (torn && !given->given_by_links())
    refuse("tables", "nothing is taken out of a network with forwarding tables unless it is a graph");
  check_lanes(tables, options.virtual_channels);
  Survivors survivors;
  const Network topology = settle(std::move(given), options, survivors);
  if (torn)
    io::diagnose(text.name, fmt::format("{} entries and links of groups are gone with what was taken out",
                                        keep_tables(tables, survivors)));
  if (options.explicit_labels && !topology->labelled())
    refuse("--explicit-labels", "{} has no Hamiltonian-path labels of its own", topology->name());
  io::RecordLine line;
  output.write(io::write_topology_record(*topology, line, options.explicit_labels));
  for (const RouterTable& table : tables) output.write(io::write_tables_record(table, line));
  output.write(imported.flows);
  output.write(io::end_line);
  return io::exit_yes;
}

}  // namespace gen_topology

int main(int argc, char** argv) {
  using namespace gen_topology;
  return io::run_tool<Options>(argc, argv, text, declare, run);
}
