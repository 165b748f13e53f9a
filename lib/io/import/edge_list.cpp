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
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "io/import/edge_list_columns.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_edge_list {
namespace {

bool is_data(std::string_view line) {
  const std::string_view text = trimmed(line);
  return !text.empty() && text[0] != '#' && text[0] != '%';
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

/// What lines show of being a list of edges, and not of other pairs: properties of things, say, or numbers
/// over numbers.
class Evidence {
 public:
  explicit Evidence(const ImportFile& file) {
    const std::vector<std::string_view> words =
        words_of(std::string_view(file.text).substr(0, file.text.find('\n')));
    const bool konect =
        words.size() > 1 && words[0] == "%" && (words[1] == "sym" || words[1] == "asym" || words[1] == "bip");
    stated_ = konect || file.name.ends_with(".edgelist") || file.name.ends_with(".edges");
  }

  /// Whether so many lines are enough to know.
  bool enough() const { return rows_.size() + others_ == most_rows; }

  void see(const Rows& rows) {
    const auto named = [&](std::string_view node) {
      return rows.in_blanks() ? is_plain_name(node)
                              : !node.empty() && !node.ends_with(':') &&
                                    (is_coordinates(node) || node.find_first_of("[]{}()<>=") == node.npos);
    };
    if (!rows.is_edge() || !named(rows.source()) || !named(rows.target())) {
      ++others_;
      return;
    }
    stated_ = stated_ || rows.named_columns() != 0 || is_attributes(rows.rest()) ||
              (is_coordinates(rows.source()) && is_coordinates(rows.target()));
    const std::string_view weight = rows.rest();
    fraction_ = fraction_ || weight.find_first_of(".,") != std::string_view::npos;
    rows_.emplace_back(rows.source(), rows.target());
    ++sources_[rows.source()];
    ++targets_[rows.target()];
  }

  /// Most lines are edges, and either it is stated that they are, or the nodes are numbers without a gap, or
  /// most edges meet: some node stands at both ends or, beside weights that are fractions, two of each end
  /// stand again.
  bool enough_for_edges() const {
    if (rows_.empty() || rows_.size() < others_) return false;
    if (stated_ || numbered()) return true;
    std::size_t meeting = 0;
    bool both_ends = false;
    for (const auto& [source, target] : rows_) {
      const bool passed = source != target && (targets_.contains(source) || sources_.contains(target));
      both_ends = both_ends || passed;
      meeting += passed || sources_.at(source) > 1 || targets_.at(target) > 1 ? 1 : 0;
    }
    const auto again = [](const auto& ends) {
      return std::any_of(ends.begin(), ends.end(), [](const auto& end) { return end.second > 1; });
    };
    return 2 * meeting >= rows_.size() && (both_ends || (fraction_ && again(sources_) && again(targets_)));
  }

 private:
  /// From 0 or 1 on, and nodes have edges to others.
  bool numbered() const {
    std::set<std::uint64_t> numbers;
    for (const auto& [source, target] : rows_) {
      const auto a = whole_number(source);
      const auto b = whole_number(target);
      if (!a || !b || *a == *b) return false;
      numbers.insert({*a, *b});
    }
    return *numbers.begin() <= 1 && *numbers.rbegin() - *numbers.begin() + 1 == numbers.size();
  }

  static constexpr std::size_t most_rows = std::size_t{1} << 16;

  std::vector<std::pair<std::string_view, std::string_view>> rows_;
  std::unordered_map<std::string_view, std::size_t> sources_;
  std::unordered_map<std::string_view, std::size_t> targets_;
  std::size_t others_ = 0;
  bool stated_ = false;
  bool fraction_ = false;
};

bool detect(const ImportFile& file) {
  if (is_matrix_market(file)) return false;
  Rows rows(file);
  Evidence evidence(file);
  while (!evidence.enough() && rows.next()) evidence.see(rows);
  return evidence.enough_for_edges();
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
      fail_import(lines.file(), line_, "",
                  in_quotes(row_) +
                      " stands before numbers alone: columns that are named are called source and target");
  }

 private:
  std::uint64_t seen_ = 0;
  std::string_view row_;
  std::uint64_t line_ = 0;
  bool words_ = false;
};

/// Every node is a router with one host.
class Graph {
 public:
  /// The node of that name, added where it is not known yet.
  std::uint32_t node(const std::string& name) {
    const auto [found, fresh] = by_name_.emplace(name, graph_.routers);
    if (fresh) {
      graph_.names.push_back(valid_utf8(name));
      graph_.hosts.push_back(graph_.routers++);
    }
    return found->second;
  }
  std::uint32_t nodes() const { return graph_.routers; }

  /// One link for each pair of nodes, in whatever order it is named. One named again in the same order, or
  /// from a node to itself, is counted.
  void add_pair(std::uint32_t a, std::uint32_t b) {
    if (!pairs_.emplace(a, b).second)
      ++repeated_;
    else if (a == b)
      ++loops_;
    else if (!pairs_.contains({b, a}))
      graph_.links.emplace_back().ends = {a, b};
  }

  void move_to(Imported& result) {
    graph_.host_names = graph_.names;
    result.spec.graph = std::move(graph_);
    result.note("left-out-loop-links", loops_);
    result.note("left-out-repeated-links", repeated_);
  }

 private:
  GraphSpec graph_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;  ///< as they stood
  std::uint64_t loops_ = 0;
  std::uint64_t repeated_ = 0;
};

Imported read(const ImportFile& file) {
  if (is_matrix_market(file)) throw InputError("FILE", "a Matrix Market file is not an edge list");
  if (is_bipartite(file))
    fail_import(file, 1, "bip", "its columns count nodes of two kinds: a number names one of each");
  Rows rows(file);
  Graph graph;
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
  Imported result;
  result.note("left-out-weights", weights);
  result.note("left-out-times", times);
  result.note("left-out-attributes", attributes);
  result.note("left-out-columns", rows.named_columns() > 2 ? rows.named_columns() - 2 : 0);
  graph.move_to(result);
  return result;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "edge-list",
    .summary = "pairs of nodes, numbers or names, by blanks, tabs, commas or semicolons (SNAP, networkx)",
    .cite = "Leskovec, Sosic 2016",
    .detect = detect,
    .one = "edge list",
    .read_one = read,
};

}  // namespace wormcast::io::import_edge_list
