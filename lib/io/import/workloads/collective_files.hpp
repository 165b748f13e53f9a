// Collectives of ranks from files: lists of communicators and of what they do.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/import/workloads/workload_file.hpp"
#include "multicast/workload/collectives.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// The operations of a list, in order.
struct CollectiveListing {
  std::vector<Operation> operations;
  std::string from = "collectives";  ///< what they come from, for the record
};
/// Whether a text begins with what list_operations() reads.
bool is_collective_list(const ImportFile& file);
/// Of at most so many ranks. Throws InputError with file and line.
CollectiveListing list_operations(const ImportFile& file, std::uint32_t ranks);
/// What the operations of a list send. Throws InputError.
std::vector<Request> read_collectives(const ImportFile& file, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology);

}  // namespace wormcast::io
