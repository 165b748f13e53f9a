// The statements of Graphviz's DOT language as nodes and edges.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/dot/dot_lexer.hpp"
#include "io/import/typed_graph.hpp"

namespace wormcast::io {

struct DotNode {
  std::string id;
  EdgeAttributes attributes;
  std::uint64_t line = 0;
};

struct DotEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::array<std::string, 2> ports{};  ///< their names at both ends
  EdgeAttributes attributes;
  std::optional<std::string> key{};  ///< edges of the same ends and key are one
  std::uint64_t line = 0;
};

class DotParser {
 public:
  explicit DotParser(const ImportFile& file) : lexer_(file) {}

  /// Throws InputError.
  void parse();

  bool strict = false;
  bool directed = false;
  EdgeAttributes settings;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
  std::map<std::string, std::uint64_t> unread;  ///< of how many edges each attribute that is not read is one

 private:
  /// Nodes at one end of edges: one, or those of a subgraph, and the port there if it has a name.
  struct Ends {
    std::vector<std::size_t> nodes;
    std::string port{};
  };
  /// Defaults of the statements that follow, to the end of the braces.
  struct Defaults {
    EdgeAttributes nodes;
    EdgeAttributes edges;
  };

  [[noreturn]] void fail(const std::string& message) const { lexer_.fail(message); }
  void expect(std::string_view sign);
  std::string id();
  /// Everything up to the closing brace.
  void statements(Defaults defaults, std::size_t depth);
  bool opens_subgraph() const { return lexer_.is_word("subgraph") || lexer_.now().is_sign("{"); }
  void statement(Defaults& defaults, std::size_t depth);
  /// From here to the end of the braces; those that are not read are counted there, for all edges between.
  void edge_defaults(EdgeAttributes& defaults);
  /// Its nodes, each once: those named in its braces or, of one that was named before, there too.
  Ends subgraph(const Defaults& defaults, std::size_t depth);
  Ends ends(const Defaults& defaults, std::size_t depth);
  /// A node, or edges from each of the nodes named to the next; of a set of nodes, from and to each of it.
  void chain(Ends last, const Defaults& defaults, std::size_t depth);
  /// The node of that name and its port; compass points matter to drawings alone.
  Ends node(std::string id_of_it, const Defaults& defaults, std::uint64_t line);
  /// [key = value, ...] as often as it stands.
  EdgeAttributes attribute_lists();

  DotLexer lexer_;
  std::map<std::string, std::size_t> by_id_;
  std::vector<std::size_t> mentioned_;                         ///< nodes, as often as they are named
  std::map<std::string, std::vector<std::size_t>> subgraphs_;  ///< the nodes of those with names
  /// Defaults of edges that are not read, in the order in which they were begun, and how many edges there
  /// were before.
  std::vector<std::string> unread_defaults_;
  std::map<std::string, std::size_t> unread_since_;
};

}  // namespace wormcast::io
