// Paired comparison of planners on the same multicasts.
//
// The one part of a report that keeps something per multicast: for each id in each cell (the other
// grouping parameters) one number a planner and metric, and a fingerprint of the request.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/collector.hpp"
#include "report/statistics.hpp"
#include "report/subject.hpp"
#include "report/table.hpp"

namespace wormcast {

/// How a planner compares with the base on the multicasts that both have.
struct PairedComparison {
  std::vector<std::string> cell;
  std::string planner;
  std::string metric;
  unsigned digits = 0;
  Accumulator differences;  ///< planner − base
  std::uint64_t wins = 0;   ///< the planner is better than the base
  std::uint64_t ties = 0;
  std::uint64_t losses = 0;
  std::uint64_t unpaired = 0;  ///< multicasts that only one of the two has
  std::string apart;           ///< in what the two runs differ besides, "" = in nothing
};

class Pairing {
 public:
  /// `base` is a planner with its options, or its name alone where only one variant comes. `by` are the
  /// grouping parameters; "planner" among them is left out. No metrics: the kind's defaults.
  Pairing(std::string base, const std::vector<std::string>& by, std::vector<std::string> metrics);

  void add(const Subject& subject);
  /// What stands in a segment's last record is known then: its routers, how it ended. Throws InputError for a
  /// multicast that comes twice for a planner in one cell, and for one whose request differs between
  /// planners.
  void end_segment();
  /// True if records of that kind are of one multicast of one planner.
  bool has(std::string_view kind) const { return kinds_.contains(kind); }
  /// Compares every other planner with the base, over records of `kind`; throws InputError where the
  /// base did not come, or nothing but the base, with what is known of others (`without`). Sorted by cell,
  /// planner and metric in order of first appearance; `sorted`: cells and planners in natural order.
  /// `dependent`: latencies of a cell, which are of one run, depend on each other; `steady`: they are of a
  /// window.
  std::vector<PairedComparison> compare(std::string_view kind, const std::string& without = "",
                                        bool sorted = false, bool dependent = false,
                                        bool steady = false) const;
  /// The parameters that make the cells.
  const std::vector<std::string>& cell_parameters() const { return keys_.parameters(); }

 private:
  struct Entry {
    std::uint64_t fingerprint = 0;
    std::vector<std::optional<std::int64_t>> values;  ///< planner index · metrics + metric
    std::vector<bool> came;                           ///< by planner index
  };
  /// The seed that it was drawn with, so that those of several seeds are pooled; its id.
  using MulticastKey = std::pair<std::string, std::uint64_t>;
  struct Cell {
    std::map<MulticastKey, Entry> multicasts;
    /// By planner index: what the segments say of the runs that its records are of.
    std::map<std::size_t, std::optional<RunValues>> runs;
  };
  struct OfKind {
    std::vector<std::string> metrics;
    std::vector<unsigned> digits;
    std::vector<std::vector<std::string>> order;  ///< cells as they came
    std::map<std::vector<std::string>, Cell> cells;
  };
  /// A record, and its cell as far as it is known before the segment is over.
  struct Waiting {
    OfKind* of_kind;
    std::vector<std::string> key;
    MulticastKey id;
    std::uint64_t fingerprint;
    std::size_t planner;
    std::vector<std::optional<std::int64_t>> values;  ///< by metric
  };

  OfKind& of_kind(const Subject& subject);
  void settle(Waiting& waiting);
  void add_run(std::optional<RunValues>& runs) const;
  std::size_t planner_index(const std::string& label);
  std::size_t base_index(const std::string& without) const;
  static std::string differences(const Cell& cell, std::size_t base, std::size_t planner);
  PairedComparison compare(const OfKind& of_kind, const Cell& cell, std::size_t base, std::size_t planner,
                           std::size_t metric) const;

  std::string base_;
  KeyReader keys_;
  std::vector<std::string> metrics_;
  std::vector<std::string> planners_;
  std::map<std::string, OfKind, std::less<>> kinds_;
  std::vector<Waiting> waiting_;
  RunValues run_;                                       ///< of the segment
  std::set<std::pair<Cell*, std::size_t>> of_segment_;  ///< cells and planners of which it has records
};

/// The comparisons as a table, one row each.
TextTable paired_table(const std::vector<PairedComparison>& comparisons,
                       const std::vector<std::string>& cell_parameters, const std::string& base,
                       std::optional<unsigned> digits);

}  // namespace wormcast
