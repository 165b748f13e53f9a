// `gen-topology import` and `export`: networks from and to the files of other programs.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/import/format.hpp"
#include "io/text/output.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Reads the files (none: standard input); `format` names their format or is "auto".
Imported import_files(const std::vector<std::string>& names, const std::string& format);
/// The network that was read from those files, which stand in what it throws (InputError).
std::unique_ptr<const Topology> build_imported(TopologySpec spec, const std::vector<std::string>& names);
/// Writes a topology as another program's file: `operands` are the format and then the files with it
/// (none: standard input), read as by import_files.
void export_network(const std::vector<std::string>& operands, const std::string& format, Output& output);
/// Families, generators and formats, for --list.
void list_networks(Output& output);

}  // namespace wormcast::io
