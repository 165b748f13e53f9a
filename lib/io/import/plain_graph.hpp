// Graphs of plain nodes and edges, where every node is a router with one host: what lists of edges describe.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/import/format.hpp"

namespace wormcast::io {

class PlainGraph {
 public:
  /// The node of that key, which is its name, added where it is not known yet.
  std::uint32_t node(std::string_view key);
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(names_.size()); }

  /// One more link; one from a node to itself is counted and left out.
  void add_link(std::uint32_t a, std::uint32_t b, GraphLink attributes = {});
  /// One link for each pair of nodes, in whatever order it is named; one named again in the same order is
  /// counted and left out.
  void add_pair(std::uint32_t a, std::uint32_t b);
  /// Something else of the file that is left out, `count` times, for the record's `generator`.
  void note_left_out(std::string_view what, std::uint64_t count) {
    result_.note("left-out-" + std::string(what), count);
  }

  Imported build() &&;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<GraphLink> links_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;  ///< of add_pair(), as they stood
  std::uint64_t loops_ = 0;
  std::uint64_t repeated_ = 0;
  Imported result_;
};

}  // namespace wormcast::io
