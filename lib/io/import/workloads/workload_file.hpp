// Multicasts from files of other programs: netrace's coherence traces, traces of Tenstorrent chips,
// collectives, lists of groups.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/import/format.hpp"
#include "io/import/workloads/trace_columns.hpp"
#include "multicast/request.hpp"
#include "multicast/workload/merge.hpp"
#include "multicast/workload/workload.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// What the files of --from need beside them, files and options as given; empty was not said.
struct WorkloadFileOptions {
  std::string ranks;                        ///< --ranks: a rule, where it is no file
  std::optional<ImportFile> rank_file;      ///< --ranks
  std::optional<ImportFile> communicators;  ///< --communicators
  std::string all_reduce;                   ///< --all-reduce: tree or chunks
  std::vector<TraceColumn> columns;         ///< --columns: what the columns of a trace are
  std::optional<ImportFile> addresses;      ///< --addresses: the network of DMA jobs, by floogen
};

/// The files that --from names: one, or where there is no file of that name those of all ranks, NAME.0.et,
/// NAME.1.et and on, of NAME.0.et too, or of all DMAs, NAME_0.txt and so on. Throws SystemError.
std::vector<ImportFile> read_workload_files(const std::string& name);
/// What --ranks names is a rule or a file; `addresses` is a file.
WorkloadFileOptions read_workload_file_options(const std::string& ranks, const std::string& communicators,
                                               const std::string& all_reduce, const std::string& addresses);

/// The multicasts of a file in start order, ids from 0. Of `spec` it takes the length, the start (added
/// to the file's cycles; of the first group), the interval between the groups of a list, and the range of
/// destinations (groups of other sizes are left out). A file that begins as a bzip2 or netrace file is a
/// trace of coherence, JSON one of a chip (io/import/workloads/noc_trace.hpp), of which a network of one-way
/// channels takes what went its way and lengths are bytes in flits; `traffic_flows:` a traffic file of
/// floogen; execution traces, one file for each rank, and lists that begin with an operation are collectives
/// (collective_files.hpp); with the addresses of a network the files are jobs of DMAs (dma_jobs.hpp); with
/// columns that are named the file is a trace (trace_columns.hpp); any other is a list of groups, whose lines
/// may state start=CYCLE and length=FLITS.
/// Throws InputError with file and line, packet or byte.
std::vector<Request> read_workload(std::span<const ImportFile> files, const WorkloadSpec& spec,
                                   const WorkloadFileOptions& options, const Topology& topology);
/// They, one by one, to be merged into a stream.
WorkloadMerge::Source workload_source(std::span<const ImportFile> files, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology);

/// One packet of a trace that asks a node to invalidate its copy.
struct Invalidation {
  std::uint64_t cycle = 0;
  std::uint32_t address = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  friend auto operator<=>(const Invalidation&, const Invalidation&) = default;
};
/// Whether the file is a netrace trace, compressed by bzip2 or not.
bool is_netrace(const ImportFile& file);
/// Its invalidation requests by cycle, source, address and destination, each once. Throws InputError ("packet
/// 7").
std::vector<Invalidation> read_netrace(const ImportFile& file);

}  // namespace wormcast::io
