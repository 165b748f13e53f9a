// Import of edge lists, as SNAP writes them: two node ids on a line, `#` comments. A pair is one link,
// however often and in whatever order it stands.
// cite: Leskovec, Sosic 2016 (SNAP).
// SPDX-License-Identifier: MIT
#include "io/import/plain_graph.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

bool detect(const ImportFile& file) {
  const std::vector<std::string_view> words = words_of(first_line_of(file, "#"));
  return words.size() == 2 && whole_number(words[0]) && whole_number(words[1]);
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one edge list at a time");
  ImportLines lines(files.front());
  PlainGraph graph;
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (words.size() != 2) lines.fail("", quoted(*line) + " is not a pair of nodes");
    for (const std::string_view word : words) lines.number_in(word, "node", 0, UINT64_MAX);
    const std::uint32_t a = graph.node(words[0]);
    graph.add_pair(a, graph.node(words[1]));
  }
  if (graph.nodes() == 0) lines.fail("", "the list is empty");
  return std::move(graph).build();
}

}  // namespace

extern const ImportFormat import_edge_list;
const ImportFormat import_edge_list = {
    .name = "edge-list",
    .summary = "pairs of nodes, # comments (SNAP)",
    .cite = "Leskovec, Sosic 2016",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io
