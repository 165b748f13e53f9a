// Import of METIS graphs: a header `n m [fmt [ncon]]`, then a line of neighbours, from 1, for each node;
// `%` comments. fmt's digits say whether sizes, weights of nodes and weights of edges stand there too.
// cite: Karypis, Kumar 1998 (METIS).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "io/import/plain_graph.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
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

/// As many lines follow as the header says, with as many words.
bool detect(const ImportFile& file) {
  ImportLines lines(file);
  const auto first = next_line(lines);
  if (!first) return false;
  const auto header = header_of(words_of(*first), file.text.size());
  if (!header) return false;
  std::uint64_t rest = 0;
  std::uint64_t words = 0;
  while (const auto line = next_line(lines)) {
    ++rest;
    words += words_of(*line).size();
  }
  return rest == header->nodes && words == header->words();
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one METIS graph at a time");
  ImportLines lines(files.front());
  const auto first = next_line(lines);
  if (!first) lines.fail("", "the file is empty");
  const std::vector<std::string_view> words = words_of(*first);
  if (words.size() < 2 || words.size() > 4)
    lines.fail("header", quoted(*first) + " is not 'n m [fmt [ncon]]'");
  Header header;
  header.nodes = lines.number_in(words[0], "n", 1, files.front().text.size());  // a line each
  header.edges = lines.number_in(words[1], "m", 0, files.front().text.size());
  if (words.size() > 2) header.fmt = lines.number_in(words[2], "fmt", 0, 111);
  if (words.size() > 3) header.constraints = lines.number_in(words[3], "ncon", 1, 1000);
  const std::uint64_t nodes = header.nodes;
  const std::uint64_t edges = header.edges;
  const bool edge_weights = header.edge_weights();
  const std::uint64_t before = header.before();
  PlainGraph graph;
  for (std::uint64_t i = 1; i <= nodes; ++i) graph.node(std::to_string(i));
  std::uint64_t named = 0;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    const auto line = next_line(lines);
    if (!line) lines.fail("n", fmt::format("{} nodes, and lines for {}", nodes, i));
    const std::vector<std::string_view> row = words_of(*line);
    if (row.size() < before)
      lines.fail("node", fmt::format("{} numbers before the neighbours are missing", before));
    if (edge_weights && (row.size() - before) % 2 != 0) lines.fail("edge", "the last edge has no weight");
    for (std::size_t at = before; at < row.size(); at += edge_weights ? 2 : 1) {
      const std::uint64_t neighbour = lines.number_in(row[at], "neighbour", 1, nodes);
      graph.add_pair(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(neighbour - 1));
      ++named;
    }
  }
  graph.note_left_out("weights", nodes * before + (edge_weights ? edges : 0));
  if (named != 2 * edges) lines.fail("m", fmt::format("{} edges, and {} named from both ends", edges, named));
  return std::move(graph).build();
}

}  // namespace

extern const ImportFormat import_metis;
const ImportFormat import_metis = {
    .name = "metis",
    .summary = "METIS graphs",
    .cite = "Karypis, Kumar 1998",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io
