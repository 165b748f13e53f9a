// Traces and tables of rates in columns, which the user names: each line is a message from one node to one or
// several, or how often there is such a message.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/text.hpp"
#include "multicast/workload/arguments.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// The node of that name, or number; throws InputError with the line.
HostId node_at(const ImportLines& lines, const HostNames& names, std::string_view text);
/// No destination twice, and the source not among several; throws InputError with the line.
void sort_destinations(const ImportLines& lines, HostId source, std::vector<HostId>& destinations);

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

}  // namespace wormcast::io
