// Tables as columns of text.
// SPDX-License-Identifier: MIT
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace wormcast {
namespace {

constexpr std::string_view missing_text = "-";

/// Columns on the screen of UTF-8 text without wide or combining characters.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void pad(std::string& line, std::string_view text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, columns_of(text)), ' ');
  if (right) line += space;
  line += text;
  if (!right) line += space;
}

void end_line(std::string& out, std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + '\n';
  line.clear();
}

void erase_column(TextTable& table, std::size_t c) {
  const auto at = static_cast<std::ptrdiff_t>(c);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

/// Takes the parameter columns with one value in all rows out of the table; returns "a: b, c: d".
std::string fold_constants(TextTable& table) {
  std::string folded;
  if (table.rows.size() < 2) return folded;
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    const bool constant = !table.columns[c].number && table.columns[c].subheading.empty() &&
                          std::all_of(table.rows.begin(), table.rows.end(),
                                      [&](const auto& row) { return row[c] == table.rows[0][c]; });
    if (!constant) continue;
    if (!table.rows[0][c].empty()) {
      std::string text = table.columns[c].heading + ": " + table.rows[0][c];
      if (!folded.empty()) text.append(", ").append(folded);
      folded = std::move(text);
    }
    erase_column(table, c);
  }
  return folded;
}

bool same_heading(const TextTable& table, std::size_t c) {
  return c > 0 && !table.columns[c].subheading.empty() && !table.columns[c - 1].subheading.empty() &&
         table.columns[c].heading == table.columns[c - 1].heading;
}

/// Width of each column, the last one of a metric widened where the metric's heading needs it.
std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    std::size_t width = columns_of(column.subheading.empty() ? column.heading : column.subheading);
    for (const auto& row : table.rows) width = std::max(width, columns_of(row[c]));
    widths.push_back(width);
  }
  for (std::size_t first = 0; first < table.columns.size();) {
    std::size_t last = first;
    std::size_t total = widths[first];
    while (last + 1 < table.columns.size() && same_heading(table, last + 1)) total += 2 + widths[++last];
    const std::size_t needed = columns_of(table.columns[first].heading);
    if (total < needed) widths[first] += needed - total;
    first = last + 1;
  }
  return widths;
}

void add_headings(std::string& out, const TextTable& table, const std::vector<std::size_t>& widths) {
  const bool two_lines = std::any_of(table.columns.begin(), table.columns.end(),
                                     [](const TableColumn& c) { return !c.subheading.empty(); });
  std::string line;
  if (two_lines) {
    for (std::size_t c = 0; c < table.columns.size();) {
      if (c > 0) line += same_heading(table, c) ? "  " : "   ";
      std::size_t total = widths[c];
      std::size_t next = c + 1;
      while (next < table.columns.size() && same_heading(table, next)) total += 2 + widths[next++];
      pad(line, table.columns[c].subheading.empty() ? "" : table.columns[c].heading, total, true);
      c = next;
    }
    end_line(out, line);
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    if (c > 0) line += same_heading(table, c) ? "  " : "   ";
    pad(line, column.subheading.empty() ? column.heading : column.subheading, widths[c], column.number);
  }
  end_line(out, line);
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

/// The groups in their order; with `top`, so many, the greatest mean of `metric` first.
std::vector<const Group*> chosen_groups(const GroupedKind& kind, std::size_t metric, std::uint64_t top) {
  std::vector<const Group*> groups;
  for (const Group& group : kind.groups)
    if (top == 0 || kind.sample(group, metric).count() > 0) groups.push_back(&group);
  if (top == 0) return groups;
  std::stable_sort(groups.begin(), groups.end(), [&](const Group* a, const Group* b) {
    const Accumulator& of_a = kind.sample(*a, metric);
    const Accumulator& of_b = kind.sample(*b, metric);
    return of_a.sum() * static_cast<Wide>(of_b.count()) > of_b.sum() * static_cast<Wide>(of_a.count());
  });
  if (groups.size() > top) groups.resize(top);
  return groups;
}

}  // namespace

void drop_empty_columns(TextTable& table) {
  for (std::size_t c = table.columns.size(); c-- > 0;)
    if (table.columns[c].subheading.empty() &&
        std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[c].empty(); }))
      erase_column(table, c);
}

std::string aligned_text(const TextTable& whole, bool fold) {
  TextTable table = whole;
  std::string out;
  if (fold) {
    const std::string folded = fold_constants(table);
    if (!folded.empty()) out += folded + "\n\n";
  }
  const std::vector<std::size_t> widths = column_widths(table);
  add_headings(out, table, widths);
  std::string line;
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += same_heading(table, c) ? "  " : "   ";
      pad(line, row[c].empty() ? missing_text : row[c], widths[c], table.columns[c].number);
    }
    end_line(out, line);
  }
  return out;
}

std::string csv(const TextTable& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    if (c > 0) out += ',';
    out += csv_quoted(column.subheading.empty() ? column.heading : column.heading + "_" + column.subheading);
  }
  out += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out += (c > 0 ? "," : "") + csv_quoted(row[c]);
    out += '\n';
  }
  return out;
}

std::string markdown(const TextTable& table) {
  const auto cell = [](std::string text) {
    std::replace(text.begin(), text.end(), '|', '/');
    return " " + (text.empty() ? std::string(missing_text) : text) + " |";
  };
  std::string out = "|";
  std::string rule = "|";
  for (const TableColumn& column : table.columns) {
    out += cell(column.subheading.empty() ? column.heading : column.heading + " " + column.subheading);
    rule += column.number ? " ---: |" : " --- |";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    out += '|';
    for (const std::string& text : row) out += cell(text);
    out += '\n';
  }
  return out;
}

std::string latex_text(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
      out.append("\\") += c;
    else if (c == '\\' || c == '~' || c == '^')
      out += c == '\\' ? "\\textbackslash{}" : c == '~' ? "\\textasciitilde{}" : "\\textasciicircum{}";
    else
      out += c;
  for (std::size_t at = 0; (at = out.find("\u00b1", at)) != std::string::npos;) out.replace(at, 2, "$\\pm$");
  return out;
}

std::string latex(const TextTable& table) {
  const auto cell = [](std::string_view text) { return latex_text(text.empty() ? missing_text : text); };
  std::string columns, metrics, names;
  bool spans = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const TableColumn& column = table.columns[c];
    columns += column.number ? 'r' : 'l';
    names += (c > 0 ? " & " : "") + cell(column.subheading.empty() ? column.heading : column.subheading);
    if (same_heading(table, c)) continue;
    std::size_t width = 1;
    while (c + width < table.columns.size() && same_heading(table, c + width)) ++width;
    const bool metric = !column.subheading.empty();
    metrics += (c > 0 ? " & " : "") +
               (metric ? fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", width, cell(column.heading)) : "");
    spans = spans || metric;
  }
  std::string out = fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n", columns);
  if (spans) out += metrics + " \\\\\n";
  out += names + " \\\\\n\\midrule\n";
  for (const auto& row : table.rows) {
    std::string line;
    for (const std::string& text : row) line += (line.empty() ? "" : " & ") + cell(text);
    out += line + " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

TextTable statistics_table(const GroupedKind& kind, const std::vector<std::string>& by,
                           const TableOptions& options) {
  TextTable table;
  for (std::size_t i = 0; i < by.size(); ++i) {
    const bool numbers = std::all_of(kind.groups.begin(), kind.groups.end(), [&](const Group& group) {
      return group.key[i].empty() || number_text(group.key[i]);
    });
    table.columns.push_back({by[i], "", numbers});
  }
  table.columns.push_back({"records", "", true});
  std::vector<std::size_t> metrics;
  for (const std::string& name : options.metrics) {
    metrics.push_back(kind.metric(name).value());
    for (const Statistic statistic : options.statistics)
      table.columns.push_back({name, statistic_name(statistic), true});
  }
  const std::size_t leading = metrics.empty() ? kind.metrics.size() : metrics.front();
  for (const Group* group : chosen_groups(kind, leading, options.top)) {
    std::vector<std::string> row = group->key;
    row.push_back(std::to_string(group->records));
    for (const std::size_t m : metrics) {
      const Accumulator& sample = kind.sample(*group, m);
      const unsigned digits = options.digits.value_or(readable_digits(sample, kind.digits[m]));
      for (const Statistic statistic : options.statistics)
        row.push_back(statistic_text(sample, statistic, kind.digits[m], digits));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable across_table(const GroupedKind& kind, const std::vector<std::string>& by, const std::string& across,
                       const std::vector<std::string>& values, const std::string& metric,
                       std::optional<unsigned> digits, bool intervals) {
  const auto at = static_cast<std::ptrdiff_t>(position_of(by, across));
  const std::size_t m = kind.metric(metric).value();
  std::vector<std::vector<std::string>> keys;
  std::map<std::pair<std::size_t, std::size_t>, std::string> cells;
  std::map<std::vector<std::string>, std::size_t> row_of;
  for (const Group& group : kind.groups) {
    const Accumulator& sample = kind.sample(group, m);
    if (sample.count() == 0 && group.records > 0) continue;
    std::vector<std::string> key = group.key;
    const std::string value = key[static_cast<std::size_t>(at)];
    key.erase(key.begin() + at);
    const auto [row, fresh] = row_of.try_emplace(key, keys.size());
    if (fresh) keys.push_back(std::move(key));
    if (sample.count() == 0) continue;  // a run that was ended before anything was delivered
    const std::size_t column = position_of(values, value);
    const unsigned shown = digits.value_or(readable_digits(sample, kind.digits[m]));
    std::string cell = statistic_text(sample, Statistic::mean, kind.digits[m], shown);
    const std::string half = statistic_text(sample, Statistic::interval95, kind.digits[m], shown);
    if (intervals && !half.empty()) cell += " \u00b1" + half;
    cells[{row->second, column}] = std::move(cell);
  }
  TextTable table;
  for (const std::string& name : by)
    if (name != across) table.columns.push_back({name, "", false});
  for (const std::string& value : values)
    table.columns.push_back({across, value.empty() ? std::string(missing_text) : value, true});
  for (std::size_t r = 0; r < keys.size(); ++r) {
    table.rows.push_back(keys[r]);
    for (std::size_t c = 0; c < values.size(); ++c) table.rows.back().push_back(cells[{r, c}]);
  }
  return table;
}

}  // namespace wormcast
