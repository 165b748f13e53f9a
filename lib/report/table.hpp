// Tables as columns of text, laid out for the eye or as CSV.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/collector.hpp"
#include "report/statistics.hpp"

namespace wormcast {

struct TableColumn {
  std::string heading;     ///< shared by the columns of one metric
  std::string subheading;  ///< "mean"; empty for a parameter
  bool number = false;     ///< aligned to the right
};

struct TextTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Takes the parameter columns out that have no value in any row.
void drop_empty_columns(TextTable& table);

/// Columns under their headings, every line ended. Where `fold` is true, parameters that are the same in
/// all of several rows stand in one line before the table instead of in columns.
std::string aligned_text(const TextTable& table, bool fold);
/// RFC 4180 with line feeds; a column of a metric is named metric_statistic.
std::string csv(const TextTable& table);

/// A table of GitHub-flavoured Markdown, columns named as in CSV.
std::string markdown(const TextTable& table);
/// Text for LaTeX, its special characters escaped.
std::string latex_text(std::string_view text);
/// A tabular of LaTeX with the rules of booktabs; a metric's heading spans its columns.
std::string latex(const TextTable& table);

struct TableOptions {
  std::vector<std::string> metrics;
  std::vector<Statistic> statistics;
  std::optional<unsigned> digits;  ///< of means and intervals; else readable_digits()
  std::uint64_t top = 0;  ///< only so many groups, those of the greatest mean of the first metric; 0 = all
};

/// One row a group: its parameters, the number of records, the statistics of each metric; empty where no
/// record of the group has the metric.
TextTable statistics_table(const GroupedKind& kind, const std::vector<std::string>& by,
                           const TableOptions& options);

/// One metric as mean ±interval95, if `intervals`, with a column for each of the `values` of the grouping
/// parameter `across`, a row for each group of the others.
TextTable across_table(const GroupedKind& kind, const std::vector<std::string>& by, const std::string& across,
                       const std::vector<std::string>& values, const std::string& metric,
                       std::optional<unsigned> digits, bool intervals = true);

}  // namespace wormcast
