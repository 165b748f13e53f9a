// Collectives of ranks from files: lists of communicators and of what they do.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/workloads/workload_file.hpp"
#include "multicast/workload/collectives.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// The node of each rank: `rule` "in-order" (rank r on node r) or "label-order" (on the r-th in the order of
/// the network's labels), or lines `RANK NODE` of `file`, every rank from 0 on once. No two share a node.
/// Throws InputError on --ranks, or with file and line.
std::vector<HostId> rank_nodes(std::string_view rule, const Topology& topology);
std::vector<HostId> rank_nodes(const ImportFile& file, const Topology& topology);

struct Communicator {
  std::string name;
  std::vector<std::uint32_t> ranks;
};

/// Communicators by name.
class Communicators {
 public:
  /// `ranks` are all there are.
  explicit Communicators(std::uint32_t ranks) : ranks_(ranks) {}

  /// Throws InputError with an empty place.
  void add(const Communicator& communicator);
  /// All ranks for "world", "" and, where there is no other, "0"; nullptr: there is none of that name.
  const std::vector<std::uint32_t>* find(const std::string& name);

  std::uint32_t ranks() const { return ranks_; }
  /// Before any communicator is added.
  void set_ranks(std::uint32_t ranks) { ranks_ = ranks; }

 private:
  std::uint32_t ranks_;
  std::map<std::string, std::vector<std::uint32_t>> by_name_;
  std::vector<std::uint32_t> world_;
};

/// The operations of a list, in order.
struct CollectiveListing {
  std::vector<Operation> operations;
  std::string from = "collectives";  ///< what they come from, for the record
};
/// Whether a text begins with what list_operations() reads.
bool is_collective_list(const ImportFile& file);
/// Throws InputError with file and line.
CollectiveListing list_operations(const ImportFile& file, Communicators& communicators);
/// What the operations of a list send. Throws InputError.
std::vector<Request> read_collectives(const ImportFile& file, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology);

}  // namespace wormcast::io
