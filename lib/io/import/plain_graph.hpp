// Graphs of plain nodes and edges, where every node is a router with one host: what graph formats describe.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/import/format.hpp"

namespace wormcast::io {

/// An edge of a file whose nodes may stand after it.
struct NamedEdge {
  std::string source;
  std::string target;
  std::uint64_t line = 0;
};

class PlainGraph {
 public:
  /// A node of that key; false where it is known already.
  bool add_node(std::string_view key, std::string_view name);
  std::optional<std::uint32_t> find(std::string_view key) const;
  std::uint32_t node(std::string_view key);
  void rename(std::uint32_t node, std::string_view name);
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(names_.size()); }

  /// One more link; one from a node to itself is counted and left out.
  void add_link(std::uint32_t a, std::uint32_t b, GraphLink attributes = {});
  /// A link for each of the file's edges, all of whose nodes have been added: an edge to another one is an
  /// InputError that names its line.
  void add_edges(const std::vector<NamedEdge>& edges, const ImportFile& file);
  /// One link for each pair of nodes, in whatever order and however often it is named.
  void add_pair(std::uint32_t a, std::uint32_t b);

  Imported build() &&;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<GraphLink> links_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::uint64_t loops_ = 0;
};

}  // namespace wormcast::io
