// Traffic files of floogen: bursts between two nodes of a mesh.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/import/format.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// One burst; a read's flits go from the endpoint to the initiator.
struct FloogenBurst {
  HostId source;
  HostId destination;
  std::uint64_t beats = 0;
  std::string flow;  ///< its name
  bool wide = false;
};

/// Whether the file has traffic flows.
bool is_floogen_traffic(const ImportFile& file);
/// Every burst, in the order of the file. Nodes have the coordinates of the mesh, or, on a graph that was
/// imported from floogen, those of their router and one more in the direction of its port. Throws InputError
/// with file and line.
std::vector<FloogenBurst> read_floogen_traffic(const ImportFile& file, const Topology& topology);

}  // namespace wormcast::io
