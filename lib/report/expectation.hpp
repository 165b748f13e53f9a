// Expectations of a report, one a line, and which of them the records miss.
//
//   # parameters of the groups, metric, statistic, what is expected of it
//   planner=dual-path destinations=16 traffic_channels mean = 96.1 +- 1.5
//   planner=otms:first-hop=free destinations=16 longest_path_hops mean <= 33
//   outcome=deadlock records count = 0
//
// Empty lines and lines that begin with # say nothing. An expectation holds if it holds for every group
// whose parameters are as stated, out of the first kind of records that has the metric; where there is no
// such group, or one of them has no value, it is missed. `records count` is the number of records in the
// groups of all kinds together and may be 0. Comparisons are exact: decimals are fractions.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/collector.hpp"
#include "report/statistics.hpp"

namespace wormcast {

/// Where a value may be beside a number, as one of = < <= > >= says.
struct Comparison {
  std::string_view word;
  bool below, same, above;
};

/// A decimal number as written: value / 10^digits.
struct DecimalNumber {
  std::int64_t value = 0;
  unsigned digits = 0;
};

/// In place of a metric: the records themselves.
inline constexpr std::string_view all_records = "records";

struct Expectation {
  std::vector<std::pair<std::string, std::string>> conditions;  ///< parameter, value
  std::string metric;                                           ///< or all_records
  Statistic statistic = Statistic::mean;
  Comparison relation{};
  DecimalNumber number;
  DecimalNumber tolerance;  ///< of `=`
  std::string text;         ///< as written
  std::uint64_t line = 0;
};

/// Throws InputError, its place the line ("FILE: line 3").
std::vector<Expectation> parse_expectations(std::string_view text, std::string_view file);
/// Says that an expectation is missed, or nothing where it holds. `kinds` are those that came, the most
/// telling first; `by` are the grouping parameters, those of its conditions among them.
std::optional<std::string> missed_expectation(const Expectation& expectation,
                                              const std::vector<GroupedKind>& kinds,
                                              const std::vector<std::string>& by);

}  // namespace wormcast
