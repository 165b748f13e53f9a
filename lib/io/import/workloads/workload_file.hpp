// Multicasts from files: lists of groups and of collectives, traces in columns.
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

/// What the file of --from needs beside it; empty was not said.
struct WorkloadFileOptions {
  std::string ranks;                    ///< --ranks: a rule, where it is no file
  std::optional<ImportFile> rank_file;  ///< --ranks
  std::string all_reduce;               ///< --all-reduce: one of summing_names()
  std::vector<TraceColumn> columns;     ///< --columns: what the columns of a trace are
};

/// What --ranks names is a rule or a file.
WorkloadFileOptions read_workload_file_options(const std::string& ranks, const std::string& all_reduce);

/// The multicasts of a file in start order, ids from 0. Of `spec` it takes the length, the start (added
/// to the file's cycles; of the first group), the interval between the groups of a list, and the range of
/// destinations (groups of other sizes are left out). An operation at its beginning makes it a list of
/// collectives (collective_files.hpp); what a converter reads is refused (converters.hpp); with columns that
/// are named it is a trace (trace_columns.hpp); any other is a list of groups, whose lines may state
/// start=CYCLE, length=FLITS, after=GROUP,… and KEY=VALUE for the record. Throws InputError with file and
/// line.
std::vector<Request> read_workload(const ImportFile& file, const WorkloadSpec& spec,
                                   const WorkloadFileOptions& options, const Topology& topology);
/// The same, one by one, to be merged into a stream.
WorkloadMerge::Source workload_source(const ImportFile& file, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology);

}  // namespace wormcast::io
