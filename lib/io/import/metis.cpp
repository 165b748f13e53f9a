// Import of METIS graphs: a header `n m [fmt [ncon]]`, then a line of neighbours, from 1, for each node;
// `%` comments. fmt's digits say whether sizes, weights of nodes and weights of edges stand there too.
//
// Lines without numbers are nodes without neighbours, and nothing where they stand behind the last node. A
// file of numbers that could be an edge list too is a graph where m is right, or where as many lines follow
// as n says and all neighbours name each other; what is wrong with it is then said, not read as edges.
// cite: Karypis, Kumar 1998 (METIS).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/import/plain_graph.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_metis {
namespace {

std::optional<std::string_view> next_line(ImportLines& lines) {
  while (const auto line = lines.next())
    if (!line->starts_with('%')) return line;
  return std::nullopt;
}

/// The first line: how many nodes and edges, and what stands with them.
struct Header {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t fmt = 0;
  std::uint64_t constraints = 1;  ///< weights of a node, where it has any

  bool sizes() const { return fmt / 100 == 1; }
  bool weights() const { return fmt / 10 % 10 == 1; }
  bool edge_weights() const { return fmt % 10 == 1; }
  /// Numbers of a line before the neighbours.
  std::uint64_t before() const { return (sizes() ? 1 : 0) + (weights() ? constraints : 0); }
  std::uint64_t words() const { return nodes * before() + 2 * edges * (edge_weights() ? 2 : 1); }
};

/// The header where it is one; its numbers are at most as large as the file, or 1000.
std::optional<Header> header_of(const std::vector<std::string_view>& words, std::uint64_t file_size) {
  if (words.size() < 2 || words.size() > 4) return std::nullopt;
  std::uint64_t numbers[4] = {0, 0, 0, 1};
  const std::uint64_t most[4] = {file_size, file_size, 111, 1000};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto number = whole_number(words[i]);
    if (!number || *number > most[i]) return std::nullopt;
    numbers[i] = *number;
  }
  return Header{numbers[0], numbers[1], numbers[2], numbers[3]};
}

using Row = std::vector<std::string_view>;

/// Neighbours by node, both from 0, sorted; nothing where a row is none of this header.
std::optional<std::vector<std::pair<std::uint64_t, std::uint64_t>>> neighbours_of(
    const Header& header, const std::vector<Row>& rows) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::size_t i = 0; i < header.nodes; ++i)
    for (std::size_t at = header.before(); at < rows[i].size(); at += header.edge_weights() ? 2 : 1) {
      const auto neighbour = whole_number(rows[i][at]);
      if (!neighbour || *neighbour < 1 || *neighbour > header.nodes) return std::nullopt;
      pairs.emplace_back(i, *neighbour - 1);
    }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// The first pair that is not named from its other end as often.
std::optional<std::pair<std::uint64_t, std::uint64_t>> one_sided(
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& sorted) {
  const auto times = [&](std::pair<std::uint64_t, std::uint64_t> pair) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), pair);
    return last - first;
  };
  for (const auto& [a, b] : sorted)
    if (times({a, b}) > times({b, a})) return std::pair{a, b};
  return std::nullopt;
}

/// The rows are those of the header's nodes: their words are as many as it says, or they name each other.
bool fits(const Header& header, const std::vector<Row>& rows) {
  if (header.nodes == 0 || rows.size() < header.nodes) return false;
  for (std::size_t i = header.nodes; i < rows.size(); ++i)
    if (!rows[i].empty()) return false;
  std::uint64_t words = 0;
  for (const Row& row : rows) words += row.size();
  if (words == header.words()) return true;
  const auto pairs = neighbours_of(header, rows);
  return pairs && !pairs->empty() && !one_sided(*pairs);
}

bool detect(const ImportFile& file) {
  ImportLines lines(file);
  const auto first = next_line(lines);
  if (!first) return false;
  const auto header = header_of(words_of(*first), file.text.size());
  if (!header) return false;
  // Counted before they are taken apart, so that a long edge list costs no more than its lines.
  std::uint64_t all = 0;
  std::uint64_t with_words = 0;
  for (ImportLines rest = lines; const auto line = next_line(rest); ++all)
    with_words += trimmed(*line).empty() ? 0 : 1;
  if (with_words > header->nodes || all < header->nodes) return false;
  std::vector<Row> rows;
  while (const auto line = next_line(lines)) rows.push_back(words_of(*line));
  if (fits(*header, rows)) return true;
  std::erase_if(rows, [](const Row& row) { return row.empty(); });  // perhaps blank lines that mean nothing
  return rows.size() == header->nodes && fits(*header, rows);
}

/// The first line in use; its numbers are at most as large as the file.
Header read_header(ImportLines& lines, std::uint64_t file_size) {
  const auto first = next_line(lines);
  if (!first) lines.fail("", "the file is empty");
  const Row words = words_of(*first);
  if (words.size() < 2 || words.size() > 4)
    lines.fail("header", in_quotes(*first) + " is not 'n m [fmt [ncon]]'");
  Header header;
  header.nodes = lines.number_in(words[0], "n", 1, file_size);  // a line each
  header.edges = lines.number_in(words[1], "m", 0, file_size);
  if (words.size() > 2) header.fmt = lines.number_in(words[2], "fmt", 0, 111);
  if (words.size() > 3) header.constraints = lines.number_in(words[3], "ncon", 1, 1000);
  return header;
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one METIS graph at a time");
  ImportLines lines(files.front());
  const Header header = read_header(lines, files.front().text.size());
  const std::uint64_t header_line = lines.number();
  const std::uint64_t nodes = header.nodes;
  const std::uint64_t before = header.before();
  PlainGraph graph;
  for (std::uint64_t i = 1; i <= nodes; ++i) graph.node(std::to_string(i));
  std::vector<Row> rows;
  std::vector<std::uint64_t> line_of;
  std::uint64_t named = 0;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    const auto line = next_line(lines);
    if (!line) lines.fail("n", fmt::format("{} nodes, and lines for {}", nodes, i));
    rows.push_back(words_of(*line));
    const Row& row = rows.back();
    line_of.push_back(lines.number());
    if (row.size() < before)
      lines.fail("node",
                 fmt::format("it has {} of the {} numbers before the neighbours", row.size(), before));
    if (header.edge_weights() && (row.size() - before) % 2 != 0)
      lines.fail("edge", "the last edge has no weight");
    for (std::size_t at = before; at < row.size(); at += header.edge_weights() ? 2 : 1) {
      const std::uint64_t neighbour = lines.number_in(row[at], "neighbour", 1, nodes);
      graph.add_pair(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(neighbour - 1));
      ++named;
    }
  }
  while (const auto line = next_line(lines))
    if (!words_of(*line).empty())
      lines.fail("n", fmt::format("{} nodes, and lines for more; a line without numbers is a node", nodes));
  if (named != 2 * header.edges)
    lines.fail_at(header_line, "m",
                  fmt::format("{} edges, and {} neighbours where each edge is named from both ends; --format "
                              "edge-list takes each line for an edge",
                              header.edges, named));
  if (const auto pair = one_sided(*neighbours_of(header, rows)))
    lines.fail_at(line_of[pair->first], "neighbour",
                  fmt::format("node {} names node {}, which does not name it as often", pair->first + 1,
                              pair->second + 1));
  graph.note_left_out("weights", nodes * before + (header.edge_weights() ? header.edges : 0));
  return std::move(graph).build();
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "metis",
    .summary = "METIS graphs",
    .cite = "Karypis, Kumar 1998",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_metis
