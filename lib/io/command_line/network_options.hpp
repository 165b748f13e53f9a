// What network gen-topology is asked for: a family with sizes, a generator with its options, files of another
// program.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/command_line/tool.hpp"
#include "io/import/network_file.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

struct NetworkOptions {
  std::string family;
  std::vector<std::string> operands;  ///< sizes; files of import; format and files of export
  std::deque<std::pair<std::string_view, std::optional<std::uint64_t>>> parameters;  ///< of generators
  std::string format;                                                                ///< of the files
  std::string name;                                                                  ///< import: in tables
  std::vector<std::string> groups;  ///< import: multicast groups to keep

  bool any_parameter() const;
  std::optional<std::uint64_t> parameter(std::string_view name_of_it) const;
};

void add_network_options(CommandLine& line, NetworkOptions& options, CommonOptions& common);
/// --format, --name and --group.
void add_file_options(CommandLine& line, NetworkOptions& options);

/// Adds what --link-class says: DIMENSION[/EVERY],hop-cycles=4,flit-cycles=2:3, of graphs hosts, groups or
/// apart/N in place of the dimension. Throws InputError.
void add_link_class(TopologySpec& spec, std::string_view text);

/// The network; `imported` has what came with it. A generator without a seed of its own is refused
/// one unless `seed_elsewhere` has a use for it. Throws InputError.
std::unique_ptr<const Topology> given_network(const NetworkOptions& options, bool seed_elsewhere,
                                              Imported& imported);

/// Keeps the groups that are named, by their names in the tables, by MLIDs or by MGIDs; all where none is.
/// The network's generator says how many were left out. Throws InputError for a group that is not there.
void keep_groups(Imported& found, const std::vector<std::string>& wanted);

}  // namespace wormcast::io
