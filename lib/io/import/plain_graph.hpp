// Graphs of plain nodes and edges, where every node is a router with one host: what graph formats describe.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
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
  std::optional<bool> directed{};  ///< nothing = as the others of its graph
};

/// Directed edges, two of which in opposite directions are one link.
class ArcPairs {
 public:
  /// Nothing where the arc begins a link of its own, which is `link`; else the link whose way back it is.
  std::optional<std::size_t> way_back(std::uint32_t from, std::uint32_t to, std::size_t link);
  /// Says how many arcs so far have none back, where there are any.
  void note_one_way(NamedValues& notes) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::size_t>> open_;  ///< links, in order
  std::uint64_t one_way_ = 0;
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
  /// One link for each pair of nodes, in whatever order it is named; one named again in the same order is
  /// counted and left out.
  void add_pair(std::uint32_t a, std::uint32_t b);
  /// The edges of add_edges() have a direction: one from a to b and one from b to a are the two ways of a
  /// link, and one that has no other is counted and taken both ways.
  void set_directed() { directed_ = true; }
  /// Something else of the file that is left out, `count` times, for the record's `generator`.
  void note_left_out(std::string_view what, std::uint64_t count);

  Imported build() &&;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<GraphLink> links_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;  ///< of add_pair(), as they stood
  std::uint64_t loops_ = 0;
  std::uint64_t repeated_ = 0;
  bool directed_ = false;
  ArcPairs arcs_;
  NamedValues notes_;
};

}  // namespace wormcast::io
