// Import of edge lists: two nodes a line, numbers or names, apart by blanks or tabs (SNAP, KONECT) or by
// commas or semicolons (tables, Gephi); `#` and `%` comments. In a list whose first line has tabs, names may
// hold blanks.
//
// A pair is one link, in whatever order it stands. What may follow it, a weight, in a list that begins with a
// `%` comment (KONECT) a time behind it, or networkx's {...}, is left out and counted: weights mean many
// things, and links that take cycles of their own are said in anynet. The first line may name the columns:
// then those called source and target count, and the others are left out. Words of other names before nothing
// but numbers are refused, since they would become nodes. cite: Leskovec, Sosic 2016 (SNAP); Hagberg, Schult,
// Swart 2008 (networkx, write_edgelist).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "io/import/plain_graph.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_edge_list {
namespace {

bool is_data(std::string_view line) {
  const std::string_view text = trimmed(line);
  return !text.empty() && text[0] != '#' && text[0] != '%';
}

/// Nodes of networkx's grids: (0, 1).
bool has_coordinates(std::string_view line) { return trimmed(line).starts_with('('); }

/// Where the quotes or parentheses close that the column from `at` begins with; `at` where it has none. Two
/// quotes within quotes are one.
std::size_t end_of_group(std::string_view line, std::size_t at, char separator) {
  const char* const blanks = separator == '\t' ? " " : " \t";
  const std::size_t opened = std::min(line.find_first_not_of(blanks, at), line.size());
  const std::string_view group = line.substr(opened);
  if (group.starts_with('(')) return std::min(line.find(')', opened), line.size());
  if (!group.starts_with('"')) return at;
  std::size_t closed = line.find('"', opened + 1);
  while (closed < line.size() && line.substr(closed + 1).starts_with('"'))
    closed = line.find('"', closed + 2);
  return std::min(closed, line.size());
}

/// The columns of a line, without quotes around them; {...} is one.
std::vector<std::string_view> columns_of(std::string_view line, char separator) {
  std::vector<std::string_view> columns;
  const std::size_t brace = std::min(line.find('{'), line.size());
  if (separator == ' ' && !has_coordinates(line)) {
    columns = words_of(line.substr(0, brace));
  } else if (separator == ' ') {
    for (std::size_t at = line.find('('); at < brace;) {
      const std::size_t end = std::min(line.find_first_of(" \t", end_of_group(line, at, ' ')), brace);
      columns.push_back(line.substr(at, end - at));
      at = std::min(line.find_first_not_of(" \t", end), brace);
    }
  } else {
    for (std::size_t at = 0; at <= brace;) {
      const std::size_t closed = std::min(end_of_group(line, at, separator), brace);
      const std::size_t end = std::min(line.find(separator, closed), brace);
      std::string_view column = trimmed(line.substr(at, end - at));
      if (column.size() > 1 && column.front() == '"' && column.back() == '"')
        column = column.substr(1, column.size() - 2);
      columns.push_back(column);
      at = end + 1;
    }
    if (brace != line.size() && columns.back().empty()) columns.pop_back();
  }
  if (brace != line.size()) columns.push_back(trimmed(line.substr(brace)));
  return columns;
}

/// A number; a decimal comma is one where commas separate nothing.
bool is_weight(std::string_view word, char separator = ',') {
  if (const std::size_t comma = word.find(','); comma != std::string_view::npos && separator != ',')
    return is_weight(word.substr(0, comma)) && whole_number(word.substr(comma + 1)).has_value();
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return std::any_of(word.begin(), word.end(), digit) &&
         word.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

/// True where tabs alone separate. Not so where they stand for blanks: among numbers, in a pair or behind it
/// where weights follow (of a pair with a tab, one with a fraction: "Rack 1" is a name), beside commas.
bool is_in_tabs(std::string_view line) {
  const std::string_view text = trimmed(line);
  const std::size_t tab = text.find('\t');
  if (tab == std::string_view::npos || has_coordinates(text)) return false;
  const auto number = [](std::string_view word) { return is_weight(word); };
  const std::vector<std::string_view> words = words_of(text);
  const bool pair = words.size() > 2 && words_of(text.substr(0, tab)).size() == 2;
  if (std::all_of(words.begin() + (pair ? 2 : 0), words.end(), number)) return false;
  const bool tab_in_pair = words.size() == 3 && words_of(text.substr(0, tab)).size() == 1;
  if (tab_in_pair && is_weight(words[2]) && !whole_number(words[2])) return false;
  const std::vector<std::string_view> columns = words_of(text, "\t");
  return std::none_of(columns.begin(), columns.end(), [](std::string_view column) {
    const std::string_view shown = trimmed(column);
    return shown.find_first_of(",;") == 0 || shown.ends_with(',') || shown.ends_with(';');
  });
}

bool is_attributes(std::string_view word) { return word.starts_with('{') && word.ends_with('}'); }

/// Which columns name the ends of an edge.
struct Ends {
  std::size_t source = 0;
  std::size_t target = 1;
  std::size_t columns = 0;  ///< of a line of names; 0 where there was none
};

/// The ends where the line names columns: one `source` or `from`, and one `target` or `to`.
std::optional<Ends> named_ends(const std::vector<std::string_view>& columns) {
  const auto called = [&](std::initializer_list<std::string_view> names) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::string word(columns[i]);
      for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (std::find(names.begin(), names.end(), word) != names.end()) return i;
    }
    return std::nullopt;
  };
  const auto source = called({"source", "src", "from"});
  const auto target = called({"target", "dst", "to"});
  if (!source || !target) return std::nullopt;
  return Ends{*source, *target, columns.size()};
}

/// (0, 1): integers.
bool is_coordinates(std::string_view column) {
  return column.size() > 2 && column.starts_with('(') && column.find(')') == column.size() - 1 &&
         column.find_first_of("0123456789") != std::string_view::npos &&
         column.find_first_not_of("0123456789-, ", 1) == column.size() - 1;
}

/// Names that stand in lists: what else has lines of two words, such as the `key: value` of YAML, is not
/// taken for one.
bool is_plain_name(std::string_view word) {
  if (is_coordinates(word)) return true;
  return !word.empty() && !word.ends_with(':') && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ':' || c == '/';
  });
}

/// A node's name: coordinates as ours are written, "0,1"; two quotes that stood within quotes are one.
std::string name_of(std::string_view column) {
  std::string name;
  const bool coordinates = is_coordinates(column);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (coordinates && (column[i] == '(' || column[i] == ' ' || column[i] == ')')) continue;
    name += column[i];
    if (column.substr(i).starts_with("\"\"")) ++i;
  }
  return name;
}

/// What separates the columns: tabs; ';' or ',' where the line has one outside quotes and coordinates,
/// of both ',' unless they are decimal commas or ';' gives names of columns; ' ' for blanks and tabs.
char separator_of(std::string_view line) {
  std::string outside(line.substr(0, line.find('{')));
  if (is_in_tabs(outside)) return '\t';
  const char* const ends = has_coordinates(line) ? ",; \t" : ",;\t";
  for (std::size_t at = 0; at < outside.size(); ++at) {
    for (const std::size_t closed = end_of_group(outside, at, ' '); at < closed; ++at) outside[at] = ' ';
    at = std::min(outside.find_first_of(ends, at), outside.size());
  }
  const bool commas = outside.find(',') != std::string::npos;
  if (outside.find(';') == std::string::npos) return commas ? ',' : ' ';
  if (!commas || named_ends(columns_of(line, ';'))) return ';';
  const auto decimal = [](std::string_view column) {
    return column.find(',') == std::string_view::npos || is_weight(column, ';');
  };
  const std::vector<std::string_view> columns = columns_of(outside, ';');
  return std::all_of(columns.begin(), columns.end(), decimal) ? ';' : ',';
}

/// KONECT's "% bip unweighted": the columns count nodes of two kinds, each from 1.
bool is_bipartite(const ImportFile& file) {
  const std::vector<std::string_view> words =
      words_of(std::string_view(file.text).substr(0, file.text.find('\n')));
  return words.size() > 1 && words[0] == "%" && words[1] == "bip";
}

/// The lines that are neither comments nor the names of columns, column by column.
class Rows {
 public:
  explicit Rows(const ImportFile& file) : lines_(file), konect_(file.text.starts_with('%')) {}

  bool next() {
    while (const auto line = lines_.next()) {
      line_ = *line;
      if (!is_data(line_)) continue;
      if (!first_read_) separator_ = separator_of(line_);
      columns_ = columns_of(line_, separator_);
      if (!std::exchange(first_read_, true)) {
        if (const auto named = named_ends(columns_)) {
          ends_ = *named;
          continue;
        }
      }
      // Tabs side by side keep columns in line, where these have no names.
      if (separator_ == '\t' && ends_.columns == 0) std::erase(columns_, "");
      return true;
    }
    return false;
  }
  /// The row has two nodes and at most what is left out; of a list that names its columns, as many as it
  /// names.
  bool is_edge() const {
    if (ends_.columns != 0) return columns_.size() == ends_.columns;
    return (columns_.size() == 2 && !columns_[1].starts_with('{')) ||
           (columns_.size() == 3 && (is_weighted() || is_attributes(columns_[2]))) || is_timed();
  }
  /// A weight follows the nodes of a list without names of columns.
  bool is_weighted() const {
    return ends_.columns == 0 && columns_.size() > 2 && is_weight(columns_[2], separator_);
  }
  /// A weight and a time follow the nodes.
  bool is_timed() const { return konect_ && columns_.size() == 4 && is_weighted() && is_weight(columns_[3]); }
  std::string_view source() const { return columns_[ends_.source]; }
  std::string_view target() const { return columns_[ends_.target]; }
  /// What stands behind the nodes of a list without names of columns.
  std::string_view rest() const { return ends_.columns == 0 && columns_.size() > 2 ? columns_[2] : ""; }
  std::size_t columns() const { return columns_.size(); }
  std::size_t named_columns() const { return ends_.columns; }
  bool in_blanks() const { return separator_ == ' '; }
  std::string_view line() const { return line_; }
  const ImportLines& lines() const { return lines_; }

 private:
  ImportLines lines_;
  bool konect_;
  std::string_view line_;
  std::vector<std::string_view> columns_;
  Ends ends_;
  char separator_ = ' ';
  bool first_read_ = false;
};

/// Its first line that is no comment counts rows, columns and entries.
bool is_matrix_market(const ImportFile& file) { return file.text.starts_with("%%MatrixMarket"); }

/// The first line is an edge of two numbers, or every line is an edge, all with as many columns.
bool detect(const ImportFile& file) {
  if (is_matrix_market(file)) return false;
  Rows rows(file);
  std::optional<std::size_t> width;
  while (rows.next()) {
    const bool numbers = rows.is_edge() && whole_number(rows.source()) && whole_number(rows.target());
    if (numbers && !width) return true;
    if (!rows.is_edge() || rows.columns() != width.value_or(rows.columns())) return false;
    width = rows.columns();
    for (const std::string_view node : {rows.source(), rows.target()})
      if (rows.in_blanks() ? !is_plain_name(node) : node.empty()) return false;
  }
  return width.has_value();
}

/// Two words before rows of numbers alone name the columns, in words that are not known.
class FirstRow {
 public:
  void see(const Rows& rows) {
    const bool a = whole_number(rows.source()).has_value();
    const bool b = whole_number(rows.target()).has_value();
    if (seen_++ == 0) {
      row_ = rows.line();
      line_ = rows.lines().number();
      words_ = !a && !b && rows.named_columns() == 0;
    } else {
      words_ = words_ && a && b;
    }
  }
  void check(const ImportLines& lines) const {
    if (words_ && seen_ > 1)
      lines.fail_at(line_, "",
                    in_quotes(row_) +
                        " stands before numbers alone: columns that are named are called source and "
                        "target");
  }

 private:
  std::uint64_t seen_ = 0;
  std::string_view row_;
  std::uint64_t line_ = 0;
  bool words_ = false;
};

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one edge list at a time");
  if (is_matrix_market(files.front())) throw InputError("FILE", "a Matrix Market file is not an edge list");
  if (is_bipartite(files.front()))
    fail_import(files.front(), 1, "bip", "its columns count nodes of two kinds: a number names one of each");
  Rows rows(files.front());
  PlainGraph graph;
  std::uint64_t weights = 0;
  std::uint64_t attributes = 0;
  std::uint64_t times = 0;
  FirstRow first;
  std::size_t width = 0;
  while (rows.next()) {
    if (!rows.is_edge())
      rows.lines().fail(
          "", in_quotes(rows.line()) + " is not a pair of nodes" +
                  (rows.named_columns() == 0 ? ", alone or with a weight"
                                             : fmt::format(" in {} columns", rows.named_columns())));
    if (width == 0) width = rows.columns();
    if (rows.columns() != width)
      rows.lines().fail("", fmt::format("{} has {} columns, and the lines before have {}",
                                        in_quotes(rows.line()), rows.columns(), width));
    first.see(rows);
    if (rows.source().empty() || rows.target().empty())
      rows.lines().fail("", in_quotes(rows.line()) + " leaves a node without a name");
    if (rows.is_timed()) ++times;
    if (rows.is_weighted())
      ++weights;
    else if (!rows.rest().empty() && rows.rest() != "{}")
      ++attributes;
    const std::uint32_t a = graph.node(name_of(rows.source()));
    graph.add_pair(a, graph.node(name_of(rows.target())));
  }
  if (graph.nodes() == 0) rows.lines().fail("", "the list is empty");
  first.check(rows.lines());
  graph.note_left_out("weights", weights);
  graph.note_left_out("times", times);
  graph.note_left_out("attributes", attributes);
  if (rows.named_columns() > 2) graph.note_left_out("columns", rows.named_columns() - 2);
  return std::move(graph).build();
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "edge-list",
    .summary = "pairs of nodes, numbers or names, by blanks, tabs, commas or semicolons (SNAP, networkx)",
    .cite = "Leskovec, Sosic 2016",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_edge_list
