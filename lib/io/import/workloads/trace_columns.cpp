// Traces in columns, line by line; and lists of numbers that may be such a trace or groups.
//
// A list of groups `0: 5 6` says with its colon that the first node sends to the others, and start=CYCLE and
// length=FLITS say what they are. Where a list has nothing of the kind and as many numbers in every line,
// three or more, it may as well be `cycle source destination`: it is refused, and so are numbers that are no
// nodes. Noxim's hard-coded traffic is pairs whose cycle ends with a line -1. cite: Catania et al. 2016
// (Noxim, GlobalTrafficHardcoding).
// Its tables of rates have source, destination and packets a cycle in each line (GlobalTrafficTable).
// SPDX-License-Identifier: MIT
#include "io/import/workloads/workload_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

constexpr std::pair<std::string_view, TraceColumn> column_words[] = {
    {"cycle", TraceColumn::cycle}, {"source", TraceColumn::source},
    {"src", TraceColumn::source},  {"destination", TraceColumn::destination},
    {"flits", TraceColumn::flits}, {"dst", TraceColumn::destination},
    {"rate", TraceColumn::rate},   {"packets", TraceColumn::packets},
    {"-", TraceColumn::skipped},   {"_", TraceColumn::skipped},
};

std::optional<TraceColumn> column_called(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [name, column] : column_words)
    if (name == lower) return column;
  return std::nullopt;
}

/// What stands between blanks, tabs, commas and semicolons; commas may also stand within nodes, `3,2`.
std::vector<std::string_view> columns_of_line(std::string_view line, std::size_t wanted) {
  for (const std::string_view separators : {";", "\t", " \t"}) {
    std::vector<std::string_view> words = words_of(line, separators);
    for (std::string_view& word : words) word = trimmed(word);
    const auto open = [](std::string_view word) { return word.ends_with(',') || word.ends_with(';'); };
    if (words.size() == wanted && std::none_of(words.begin(), words.end(), open)) return words;
  }
  return words_of(line, " \t,;");
}

/// Names of columns, where some word says what it is and none is a number.
bool is_head(const std::vector<std::string_view>& words) {
  const auto number = [](std::string_view word) { return whole_number<std::uint64_t>(word).has_value(); };
  const auto known = [](std::string_view word) { return column_called(word).has_value(); };
  return std::none_of(words.begin(), words.end(), number) && std::any_of(words.begin(), words.end(), known);
}

TraceLine read_line(const ImportLines& lines, const std::vector<std::string_view>& words,
                    const std::vector<TraceColumn>& columns, const HostNames& names) {
  TraceLine line;
  line.line = lines.number();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == TraceColumn::cycle) line.cycle = lines.number_in(words[i], "cycle", 0, max_integer);
    if (columns[i] == TraceColumn::flits) line.flits = lines.number_in(words[i], "flits", 1, max_integer);
    if (columns[i] == TraceColumn::rate || columns[i] == TraceColumn::packets) line.rate = words[i];
    if (columns[i] == TraceColumn::source) line.source = node_at(lines, names, words[i]);
    if (columns[i] == TraceColumn::destination) line.destinations.push_back(node_at(lines, names, words[i]));
  }
  sort_destinations(lines, line.source, line.destinations);
  return line;
}

/// A number that is no node's: -1 or 0.25, but not the name 10.0.0.1.
bool is_other_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  const std::size_t point = std::min(word.find('.'), word.size());
  const std::string_view behind = word.substr(std::min(point + 1, word.size()));
  return (negative || point != word.size()) && whole_number<std::uint64_t>(word.substr(0, point)) &&
         (behind.empty() || whole_number<std::uint64_t>(behind));
}

}  // namespace

HostId node_at(const ImportLines& lines, const HostNames& names, std::string_view text) {
  try {
    return names.find("node", text);
  } catch (const InputError& error) {
    lines.fail("node", error.what());
  }
}

void sort_destinations(const ImportLines& lines, HostId source, std::vector<HostId>& destinations,
                       bool reduces) {
  if (twice_in(destinations) != nullptr) lines.fail("node", "a destination is given twice");
  if (!reduces && destinations.size() > 1 &&
      std::binary_search(destinations.begin(), destinations.end(), source))
    lines.fail("node", fmt::format("node {} is the source and among several destinations", source.value));
}

std::vector<TraceColumn> parse_trace_columns(const std::string& text) {
  std::vector<TraceColumn> columns;
  for (const std::string_view word : parts_of(text, ',')) {
    const auto column = column_called(word);
    if (!column)
      refuse("--columns",
             "{} is none of cycle, source, destination, flits, rate, packets, nor - for a column that is not "
             "read",
             in_quotes(word));
    if (is_among(*column, columns) && *column != TraceColumn::destination && *column != TraceColumn::skipped)
      refuse("--columns", "{} is named twice", in_quotes(word));
    columns.push_back(*column);
  }
  for (const auto& [column, name] :
       {std::pair{TraceColumn::source, "source"}, {TraceColumn::destination, "destination"}})
    if (!is_among(column, columns)) refuse("--columns", "{} names no {}", in_quotes(text), name);
  const auto named = [&](TraceColumn column) { return is_among(column, columns) ? 1 : 0; };
  if (named(TraceColumn::rate) + named(TraceColumn::packets) + named(TraceColumn::cycle) > 1)
    refuse("--columns", "cycle, rate and packets exclude each other");
  return columns;
}

bool is_among(TraceColumn column, const std::vector<TraceColumn>& columns) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

TraceColumn rate_column(const std::vector<TraceColumn>& columns) {
  for (const TraceColumn column : {TraceColumn::rate, TraceColumn::packets})
    if (is_among(column, columns)) return column;
  return TraceColumn::skipped;
}

std::vector<TraceLine> read_trace_columns(const ImportFile& file, const std::vector<TraceColumn>& columns,
                                          const Topology& topology) {
  const HostNames names(topology);
  ImportLines lines(file);
  std::vector<TraceLine> result;
  bool first = true;
  while (const auto text = lines.next_text("#%")) {
    const std::vector<std::string_view> words = columns_of_line(*text, columns.size());
    if (std::exchange(first, false) && is_head(words)) continue;
    if (words.size() != columns.size())
      lines.fail("",
                 fmt::format("{} has {} column{}, and --columns names {} (- is one that is not read)",
                             in_quotes(*text), words.size(), words.size() == 1 ? "" : "s", columns.size()));
    result.push_back(read_line(lines, words, columns, names));
  }
  return result;
}

std::string columns_unnamed(const ImportFile& file) {
  constexpr std::string_view named = "--columns cycle,source,destination,flits";
  ImportLines lines(file);
  std::optional<std::size_t> width;
  bool pairs = true;
  bool ends_cycles = false;
  while (const auto line = lines.next()) {
    const std::string_view text = trimmed(line->substr(0, line->find_first_of("#%")));
    if (text.empty()) continue;
    const std::vector<std::string_view> words = words_of(text, " \t,;");
    if (!width && is_head(words)) return fmt::format("names columns: say which they are, as in {}", named);
    const std::vector<std::string_view> nodes = words_of(text);
    ends_cycles = ends_cycles || text == "-1";
    pairs = pairs && (text == "-1" || nodes.size() == 2);
    if (text == "-1") continue;
    for (const std::string_view word : nodes)
      if (is_other_number(word))
        return fmt::format(
            "{} is a number and no node: say what the columns are, as in {}, or of a table of rates "
            "source,destination,packets",
            in_quotes(word), named);
    const auto number = [](std::string_view word) { return whole_number<std::uint64_t>(word).has_value(); };
    if (!std::all_of(nodes.begin(), nodes.end(), number)) return "";
    if (width.value_or(nodes.size()) != nodes.size()) return "";
    width = nodes.size();
  }
  if (ends_cycles && pairs)
    return "looks like Noxim's hard-coded traffic, where -1 ends a cycle: write awk '$1 < 0 {c++; next} "
           "{print c + 0, $1, $2}' and name the --columns cycle,source,destination";
  if (!width || *width < 3) return "";
  return fmt::format(
      "{0} numbers in every line: name the columns of a trace, as in {1}, or write groups with a colon "
      "behind the source, as in 0: 1 2",
      *width, named);
}

}  // namespace wormcast::io
