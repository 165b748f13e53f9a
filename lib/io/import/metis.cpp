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

/// The header's numbers where the file can be this format: as many lines follow as it says.
bool detect(const ImportFile& file) {
  ImportLines lines(file);
  const auto header = next_line(lines);
  if (!header) return false;
  const std::vector<std::string_view> words = words_of(*header);
  if (words.size() < 2 || words.size() > 4) return false;
  for (const std::string_view word : words)
    if (!whole_number(word)) return false;
  std::uint64_t rest = 0;
  while (next_line(lines)) ++rest;
  return rest == *whole_number(words[0]);
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one METIS graph at a time");
  ImportLines lines(files.front());
  const auto header = next_line(lines);
  if (!header) lines.fail("", "the file is empty");
  const std::vector<std::string_view> words = words_of(*header);
  if (words.size() < 2 || words.size() > 4)
    lines.fail("header", quoted(*header) + " is not 'n m [fmt [ncon]]'");
  const std::uint64_t nodes = lines.number_in(words[0], "n", 1, files.front().text.size());  // a line each
  const std::uint64_t edges = lines.number_in(words[1], "m", 0, files.front().text.size());
  const std::uint64_t fmt_digits = words.size() > 2 ? lines.number_in(words[2], "fmt", 0, 111) : 0;
  const bool sizes = fmt_digits / 100 == 1;
  const bool weights = fmt_digits / 10 % 10 == 1;
  const bool edge_weights = fmt_digits % 10 == 1;
  const std::uint64_t constraints =
      words.size() > 3 ? lines.number_in(words[3], "ncon", 1, 1000) : (weights ? 1 : 0);
  const std::size_t before = (sizes ? 1 : 0) + (weights ? constraints : 0);
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
