// gen-topology: writes the topology record that opens a stream.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "io/tool.hpp"
#include "io/topology_record.hpp"
#include "topology/error.hpp"
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
        "Example: gen-topology mesh 16 16 | gen-multicast --count 10 --destinations 8",
};

struct Options {
  std::string family;
  std::vector<std::uint64_t> sizes;
  std::uint32_t virtual_channels = 0;
  bool explicit_labels = false;
  bool list = false;
};

void declare(CLI::App& app, Options& options, io::CommonOptions&) {
  std::string families = "Family of the network:";
  for (const TopologyFamily* family : topology_families())
    families += fmt::format(" {} {},", family->name, family->usage);
  families.back() = '.';
  app.add_option("FAMILY", options.family, families);
  app.add_option("SIZES", options.sizes, "Its sizes, the fastest dimension first");
  app.add_option("--virtual-channels", options.virtual_channels,
                 "Limit on virtual channels per directed channel (default: none)")
      ->check(CLI::Range(1, 255));
  app.add_flag("--explicit-labels", options.explicit_labels,
               "Write the Hamiltonian-path label of every node");
  app.add_flag("--list", options.list, "List the families and stop");
}

int run(const Options& options, const io::CommonOptions&, io::Output& output) {
  if (options.list) {
    for (const TopologyFamily* family : topology_families())
      output.write(
          fmt::format("{:<10} {:<8} {} [{}]\n", family->name, family->usage, family->summary, family->cite));
    return io::exit_yes;
  }
  if (options.family.empty()) throw InputError("FAMILY", "no topology family given (see --list)");
  TopologySpec spec;
  spec.family = options.family;
  spec.sizes = options.sizes;
  spec.virtual_channels = options.virtual_channels;
  const auto topology = build_topology(std::move(spec));
  if (options.explicit_labels && !topology->labelled())
    throw InputError("--explicit-labels", topology->name() + " has no Hamiltonian-path labels of its own");
  io::RecordLine line;
  output.write(io::write_topology_record(*topology, line, options.explicit_labels));
  output.write(io::end_line);
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
