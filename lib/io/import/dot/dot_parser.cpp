// Parsing them.
// SPDX-License-Identifier: MIT
#include "io/import/dot/dot_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/import/dot/dot_ports.hpp"

namespace wormcast::io {
namespace {

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_set_edges = std::size_t{1} << 20;
constexpr std::size_t max_mentions = std::size_t{1} << 24;

/// Whether an attribute of nodes is read. Of the others nodes and edges keep nothing: defaults of thousands
/// of them would be copied to thousands of edges.
bool is_node_key(std::string_view key) {
  return NodeRole::is_key(key) || key == "label" || key == "name" || key == "guid" || key == "path_label";
}

/// The same of edges.
bool is_edge_key(std::string_view key) {
  return TypedGraph::is_edge_key(key) || key == "dir" || key == "tailport" || key == "headport";
}

/// Takes what is read over from `given`.
template <class IsRead>
void take_read(const EdgeAttributes& given, IsRead is_read, EdgeAttributes& attributes) {
  for (const auto& [key, value] : given)
    if (is_read(key)) attributes[key] = value;
}

}  // namespace

void DotParser::parse() {
  if (lexer_.take_word("strict")) strict = true;
  if (lexer_.take_word("digraph"))
    directed = true;
  else if (!lexer_.take_word("graph"))
    fail("'graph' or 'digraph' is missing");
  if (lexer_.now().kind == DotToken::Kind::id) lexer_.take();  // its name
  expect("{");
  statements(Defaults(), 0);
  if (lexer_.now().kind != DotToken::Kind::end) fail("something follows the graph; one graph at a time");
}

void DotParser::expect(std::string_view sign) {
  if (!lexer_.take_sign(sign)) fail(fmt::format("'{}' is missing before {}", sign, lexer_.now().shown()));
}

std::string DotParser::id() {
  if (lexer_.now().kind != DotToken::Kind::id) fail("a name is missing before " + lexer_.now().shown());
  return std::move(lexer_.take().text);
}

void DotParser::statements(Defaults defaults, std::size_t depth) {
  if (depth == max_depth) fail("subgraphs are nested too deep");
  const std::size_t outside = unread_defaults_.size();
  while (!lexer_.take_sign("}")) {
    if (lexer_.now().kind == DotToken::Kind::end) fail("a closing brace is missing");
    if (!lexer_.take_sign(";")) statement(defaults, depth);
  }
  for (; unread_defaults_.size() > outside; unread_defaults_.pop_back()) {
    const auto begun = unread_since_.find(unread_defaults_.back());
    unread[begun->first] += edges.size() - begun->second;
    unread_since_.erase(begun);
  }
}

void DotParser::statement(Defaults& defaults, std::size_t depth) {
  const std::uint64_t line = lexer_.now().line;
  if (opens_subgraph()) return chain(subgraph(defaults, depth), defaults, depth);
  if (lexer_.take_word("node")) return take_read(attribute_lists(), is_node_key, defaults.nodes);
  if (lexer_.take_word("edge")) return edge_defaults(defaults.edges);
  if (lexer_.take_word("graph")) {
    for (auto& [key, value] : attribute_lists())
      if (depth == 0) settings[key] = value;
    return;
  }
  std::string first = id();
  if (lexer_.take_sign("=")) {
    const std::string value = id();
    if (depth == 0) settings[first] = value;
    return;
  }
  chain(node(std::move(first), defaults, line), defaults, depth);
}

void DotParser::edge_defaults(EdgeAttributes& defaults) {
  const EdgeAttributes given = attribute_lists();
  take_read(given, is_edge_key, defaults);
  for (const auto& [key, value] : given)
    if (!is_edge_key(key) && unread_since_.try_emplace(key, edges.size()).second)
      unread_defaults_.push_back(key);
}

DotParser::Ends DotParser::subgraph(const Defaults& defaults, std::size_t depth) {
  std::string name;
  if (lexer_.take_word("subgraph") && lexer_.now().kind == DotToken::Kind::id) name = lexer_.take().text;
  Ends set;
  const auto known = name.empty() ? subgraphs_.end() : subgraphs_.find(name);
  if (known != subgraphs_.end()) set.nodes = known->second;
  const std::size_t begin = mentioned_.size();
  if (begin + set.nodes.size() > max_mentions) fail("subgraphs name too many nodes");
  mentioned_.insert(mentioned_.end(), set.nodes.begin(), set.nodes.end());
  if (known == subgraphs_.end() || lexer_.now().is_sign("{")) {
    expect("{");
    statements(defaults, depth + 1);
  }
  set.nodes.assign(mentioned_.begin() + static_cast<std::ptrdiff_t>(begin), mentioned_.end());
  std::sort(set.nodes.begin(), set.nodes.end());
  set.nodes.erase(std::unique(set.nodes.begin(), set.nodes.end()), set.nodes.end());
  if (!name.empty()) subgraphs_[name] = set.nodes;
  return set;
}

DotParser::Ends DotParser::ends(const Defaults& defaults, std::size_t depth) {
  const std::uint64_t line = lexer_.now().line;
  return opens_subgraph() ? subgraph(defaults, depth) : node(id(), defaults, line);
}

void DotParser::chain(Ends last, const Defaults& defaults, std::size_t depth) {
  std::vector<DotEdge> made;  // those within the braces of a set are not among them
  bool alone = true;
  while (lexer_.now().is_sign("--") || lexer_.now().is_sign("->")) {
    if (lexer_.now().is_sign("->") != directed)
      fail(directed ? "'--' in a digraph" : "'->' in a graph that is not a digraph");
    lexer_.take();
    alone = false;
    const std::uint64_t here = lexer_.now().line;
    Ends next = ends(defaults, depth);
    if (last.nodes.size() * next.nodes.size() > max_set_edges)
      fail(fmt::format("more than {} edges between two sets of nodes", max_set_edges));
    for (const std::size_t from : last.nodes)
      for (const std::size_t to : next.nodes)
        made.push_back({from, to, {last.port, next.port}, defaults.edges, std::nullopt, here});
    last = std::move(next);
  }
  if (alone && (last.nodes.size() != 1 || !lexer_.now().is_sign("["))) return;
  const EdgeAttributes given = attribute_lists();
  if (alone) return take_read(given, is_node_key, nodes[last.nodes.front()].attributes);
  const auto key = given.find("key");
  EdgeAttributes read;
  take_read(given, is_edge_key, read);
  for (DotEdge& edge : made) {
    for (const auto& [name, value] : read) edge.attributes[name] = value;
    if (key != given.end()) edge.key = key->second;
  }
  for (const auto& [name, value] : given)
    if (!is_edge_key(name) && !unread_since_.contains(name)) unread[name] += made.size();
  edges.insert(edges.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
}

DotParser::Ends DotParser::node(std::string id_of_it, const Defaults& defaults, std::uint64_t line) {
  Ends end;
  while (lexer_.take_sign(":"))
    if (std::string port = id(); end.port.empty() && !is_compass_point(port)) end.port = std::move(port);
  const auto [found, fresh] = by_id_.try_emplace(id_of_it, nodes.size());
  if (fresh) nodes.push_back({std::move(id_of_it), defaults.nodes, line});
  mentioned_.push_back(found->second);
  end.nodes.push_back(found->second);
  return end;
}

EdgeAttributes DotParser::attribute_lists() {
  EdgeAttributes attributes;
  while (lexer_.take_sign("["))
    while (!lexer_.take_sign("]")) {
      const std::string key = id();
      const bool valued = lexer_.take_sign("=");
      const bool html = lexer_.now().html;
      std::string value = valued ? id() : "true";
      if (!html) attributes[key] = std::move(value);  // what an HTML label says is layout
      if (!lexer_.take_sign(",")) lexer_.take_sign(";");
    }
  return attributes;
}

}  // namespace wormcast::io
