// Collectives of ranks from files: execution traces, lists of communicators and of what they do.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/workloads/chakra.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "multicast/workload/collectives.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// The node of each rank: `rule` "in-order" (rank r on node r) or "label-order" (on the r-th in the order of
/// the network's labels), or lines `RANK NODE` of `file`, every rank from 0 on once. No two share a node.
/// Throws InputError on --ranks, or with file and line.
std::vector<HostId> rank_nodes(std::string_view rule, const Topology& topology);
std::vector<HostId> rank_nodes(const ImportFile& file, const Topology& topology);

/// Communicators by name.
class Communicators {
 public:
  /// `ranks` are all there are.
  explicit Communicators(std::uint32_t ranks) : ranks_(ranks) {}

  /// No ranks: all. Throws InputError with an empty place.
  void add(const Communicator& communicator);
  /// Those of a JSON object, each an array of ranks by its name, as ASTRA-sim reads them.
  void add_file(const ImportFile& file);
  /// All ranks for "world", "" and, where there is no other, "0"; nullptr: there is none of that name.
  const std::vector<std::uint32_t>* find(const std::string& name);

  std::uint32_t ranks() const { return ranks_; }

 private:
  std::uint32_t ranks_;
  std::map<std::string, std::vector<std::uint32_t>> by_name_;
  std::vector<std::uint32_t> world_;
};

/// Whether a text begins with what list_operations() reads.
bool is_collective_list(const ImportFile& file);
/// The operations of a list, in order: each rank does one after the other. Throws InputError with file and
/// line.
std::vector<Operation> list_operations(const ImportFile& file, Communicators& communicators);
/// Those of the traces of ranks 0, 1, …, in an order in which nothing waits for what comes later. Throws
/// InputError with file and byte where ranks do not fit together.
std::vector<Operation> trace_operations(std::span<const ImportFile> files, Communicators& communicators);

/// What the operations of one file, or of the traces of ranks 0, 1, …, send. Throws InputError.
std::vector<Request> read_collectives(std::span<const ImportFile> files, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology);

}  // namespace wormcast::io
