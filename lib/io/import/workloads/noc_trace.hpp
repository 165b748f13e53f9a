// What the two networks of a Tenstorrent chip carried: traces of tt-metal and workloads of tt-npe.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/import/format.hpp"

namespace wormcast::io {

/// A node as these files name it, in the physical coordinates of NoC 0.
using ChipNode = std::array<std::uint32_t, 2>;

/// What one network carried from one node to a box of nodes: from `first` the way its channels run to `last`,
/// in each dimension, round the ring where that is the way. A unicast's are the same node.
struct NocTransfer {
  std::uint64_t cycle = 0;  ///< from the first event of the file on
  std::uint32_t noc = 0;    ///< 0 or 1
  ChipNode source{};
  ChipNode first{};
  ChipNode last{};
  std::uint64_t bytes = 0;
  std::string event;  ///< "READ", as in the file
};

/// Whether the file looks like a trace (a JSON array of events with timestamps) or a workload (an object with
/// phases).
bool is_noc_trace(const ImportFile& file);
/// Every transfer of data, by cycle, those of a cycle as in the file. Throws InputError with file and line.
std::vector<NocTransfer> read_noc_trace(const ImportFile& file);

}  // namespace wormcast::io
