// Multicasts from files: lists of groups and of collectives, traces in columns.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/network_file.hpp"
#include "multicast/plan.hpp"
#include "multicast/workload/pattern.hpp"
#include "multicast/workload/workload.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

// Traces and tables of rates in columns, which the user names: each line is a message from one node to one or
// several, or how often there is such a message.

/// The node of that name, or number; throws InputError with the line.
HostId node_at(const ImportLines& lines, const HostNames& names, std::string_view text);
/// No destination twice and, but of a reduction, the source not among several; throws InputError with the
/// line.
void sort_destinations(const ImportLines& lines, HostId source, std::vector<HostId>& destinations,
                       bool reduces = false);

/// A line of such a trace.
struct TraceLine {
  HostId source;
  std::vector<HostId> destinations;  ///< sorted
  std::optional<std::uint64_t> cycle;
  std::uint64_t flits = 0;  ///< 0: no column says it
  std::string rate;         ///< messages or flits a cycle, as the column says; decimal
  std::uint64_t line = 0;
};

/// What stands in each column, in order. `text` is "cycle,source,destination,flits", in any order: source and
/// destination are needed, destination may be said several times, and "-" is a column that is not read.
/// Of a table of rates, rate (flits a cycle) or packets (messages a cycle) excludes cycle. Throws InputError.
enum class TraceColumn : std::uint8_t { skipped, cycle, source, destination, flits, rate, packets };
bool is_among(TraceColumn column, const std::vector<TraceColumn>& columns);
/// The column of rates; skipped where there is none.
TraceColumn rate_column(const std::vector<TraceColumn>& columns);
std::vector<TraceColumn> parse_trace_columns(const std::string& text);

/// The lines in file order; columns stand apart by blanks, tabs, commas or semicolons, lines that begin with
/// '#' or '%' are comments, and words before the numbers are the head of the table. Throws InputError.
std::vector<TraceLine> read_trace_columns(const ImportFile& file, const std::vector<TraceColumn>& columns,
                                          const Topology& topology);
/// Why the file, which nothing says is a list of groups, may be columns of numbers instead, and what to
/// write; empty where it is a list of groups.
std::string columns_unnamed(const ImportFile& file);

/// What the file of --from needs beside it; empty was not said.
struct WorkloadFileOptions {
  std::string ranks;                    ///< --ranks: a rule, where it is no file
  std::optional<ImportFile> rank_file;  ///< --ranks
  std::string all_reduce;               ///< --all-reduce: one of all_reduce_ways()
  std::vector<TraceColumn> columns;     ///< --columns: what the columns of a trace are
};

/// What --ranks names is a rule or a file.
WorkloadFileOptions read_workload_file_options(const std::string& ranks, const std::string& all_reduce);

/// The multicasts of a file in start order, ids from 0. Of `spec` it takes the length, the start (added
/// to the file's cycles; of the first group), the interval between the groups of a list, and the range of
/// destinations (groups of other sizes are left out). An operation at its beginning makes it a list of
/// collectives (collective_workload.cpp); with columns that are named it is a trace (trace_columns.cpp); any
/// other is a list of groups, whose lines may state start=CYCLE, length=FLITS, after=GROUP,…, reduce=yes and
/// KEY=VALUE for the record. Throws InputError with file and line, or with what a converter reads.
std::vector<Request> read_workload(const ImportFile& file, const WorkloadSpec& spec,
                                   const WorkloadFileOptions& options, const Topology& topology);
/// The same, but it is not asked whether a converter reads what is refused: that starts a script.
std::vector<Request> read_own_workload(const ImportFile& file, const WorkloadSpec& spec,
                                       const WorkloadFileOptions& options, const Topology& topology);
/// The same, one by one, to be merged into a stream.
WorkloadMerge::Source workload_source(const ImportFile& file, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology);

// Collectives of ranks from files: lists of communicators and of what they do.

/// How an all-reduce goes, and what else adds up; the first unless one is named.
std::span<const std::string_view> all_reduce_ways();
/// Whether a text begins as such a list; refuses one that is empty and, where that is `suspected`, one that
/// begins with what is nearly an operation.
bool is_collective_list(const ImportFile& file, bool suspected = false);
/// A list of groups of ranks, and the node of each rank.
struct RankedGroups {
  ImportFile groups;
  std::vector<HostId> nodes;
};
/// What the operations of a list send. Throws InputError with file and line.
RankedGroups groups_of_collectives(const ImportFile& file, const WorkloadSpec& spec,
                                   const WorkloadFileOptions& options, const Topology& topology);

}  // namespace wormcast::io
