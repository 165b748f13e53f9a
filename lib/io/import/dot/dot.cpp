// Import of Graphviz graphs: every node is a router with one host, unless nodes are of class host.
//
// A statement is a node, a chain of edges a -- b -- c, defaults for the nodes or edges that follow, or a
// setting; subgraphs group statements and keep their defaults to themselves. Of attributes `label` is a
// node's name; the others draw, but for those that our own export writes: class (type and role say the same),
// name, guid and path_label of nodes; ports, hop_cycles, width and speed of edges; spanning_tree_root and
// virtual_channels of the graph. A strict graph has one edge of each kind, as others have of the same `key`;
// of a digraph an edge and one back are a link, and an edge alone runs one way, as its arrow is drawn: with
// dir=both or dir=none it is a link, with dir=back the other way. Edges of one link may each say a part of
// its attributes, but not contradict each other's ports and times. cite: Gansner, North 2000; the DOT
// language, graphviz.org/doc/info/lang.html.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>
#include <utility>

#include "io/import/dot_lexer.hpp"
#include "io/import/text.hpp"
#include "io/import/typed_graph.hpp"
#include "topology/error.hpp"
#include "topology/sizes.hpp"

namespace wormcast::io::import_dot {
namespace {

constexpr std::size_t max_depth = 64;

using Attributes = EdgeAttributes;

std::string_view value_of(const Attributes& attributes, std::string_view key) {
  const auto found = attributes.find(key);
  return found == attributes.end() ? std::string_view() : found->second;
}

/// Whether an attribute of nodes is read. Of the others nodes and edges keep nothing: defaults of thousands
/// of them would be copied to thousands of edges.
bool is_node_key(std::string_view key) {
  return NodeRole::is_key(key) || key == "label" || key == "name" || key == "guid" || key == "path_label";
}

/// The same of edges.
bool is_edge_key(std::string_view key) { return TypedGraph::is_edge_key(key) || key == "dir"; }

/// Takes what is read over from `given`.
template <class IsRead>
void take_read(const Attributes& given, IsRead is_read, Attributes& attributes) {
  for (const auto& [key, value] : given)
    if (is_read(key)) attributes[key] = value;
}

struct DotNode {
  std::string id;
  Attributes attributes;
  std::uint64_t line = 0;
};

struct DotEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  Attributes attributes;
  std::optional<std::string> key{};  ///< edges of the same ends and key are one
  std::uint64_t line = 0;
};

/// Defaults of the statements that follow, to the end of the braces.
struct Defaults {
  Attributes nodes;
  Attributes edges;
};

/// Statements become nodes and edges.
class Parser {
 public:
  explicit Parser(const ImportFile& file) : lexer_(file) {}

  void parse() {
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

  bool strict = false;
  bool directed = false;
  Attributes settings;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
  std::map<std::string, std::uint64_t> unread;  ///< of how many edges each attribute that is not read is one

 private:
  [[noreturn]] void fail(const std::string& message) const { lexer_.fail(message); }

  void expect(std::string_view sign) {
    if (!lexer_.take_sign(sign)) fail(fmt::format("'{}' is missing before {}", sign, lexer_.now().shown()));
  }

  std::string id() {
    if (lexer_.now().kind != DotToken::Kind::id) fail("a name is missing before " + lexer_.now().shown());
    return std::move(lexer_.take().text);
  }

  /// Everything up to the closing brace.
  void statements(Defaults defaults, std::size_t depth) {
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

  void statement(Defaults& defaults, std::size_t depth) {
    if (lexer_.is_word("subgraph") || lexer_.now().is_sign("{")) return subgraph(defaults, depth);
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
    chain(std::move(first), defaults);
  }

  /// From here to the end of the braces; those that are not read are counted there, for all edges between.
  void edge_defaults(Attributes& defaults) {
    const Attributes given = attribute_lists();
    take_read(given, is_edge_key, defaults);
    for (const auto& [key, value] : given)
      if (!is_edge_key(key) && unread_since_.try_emplace(key, edges.size()).second)
        unread_defaults_.push_back(key);
  }

  void subgraph(const Defaults& defaults, std::size_t depth) {
    if (lexer_.take_word("subgraph") && lexer_.now().kind == DotToken::Kind::id) lexer_.take();
    expect("{");
    statements(defaults, depth + 1);
    if (lexer_.now().is_sign("--") || lexer_.now().is_sign("->")) fail("edges of subgraphs are not read");
  }

  /// A node, or edges from each of the nodes named to the next.
  void chain(std::string first, const Defaults& defaults) {
    const std::uint64_t line = lexer_.now().line;
    const std::size_t begin = edges.size();
    std::size_t last = node(std::move(first), defaults, line);
    while (lexer_.now().is_sign("--") || lexer_.now().is_sign("->")) {
      if (lexer_.now().is_sign("->") != directed)
        fail(directed ? "'--' in a digraph" : "'->' in a graph that is not a digraph");
      lexer_.take();
      if (lexer_.is_word("subgraph") || lexer_.now().is_sign("{")) fail("edges of subgraphs are not read");
      const std::uint64_t here = lexer_.now().line;
      const std::size_t next = node(id(), defaults, here);
      edges.push_back({last, next, defaults.edges, std::nullopt, here});
      last = next;
    }
    const Attributes given = attribute_lists();
    if (begin == edges.size()) return take_read(given, is_node_key, nodes[last].attributes);
    const auto key = given.find("key");
    Attributes read;
    take_read(given, is_edge_key, read);
    for (std::size_t k = begin; k < edges.size(); ++k) {
      for (const auto& [name, value] : read) edges[k].attributes[name] = value;
      if (key != given.end()) edges[k].key = key->second;
    }
    for (const auto& [name, value] : given)
      if (!is_edge_key(name) && !unread_since_.contains(name)) unread[name] += edges.size() - begin;
  }

  /// The node of that name, whose port and compass point matter to drawings alone.
  std::size_t node(std::string id_of_it, const Defaults& defaults, std::uint64_t line) {
    while (lexer_.take_sign(":")) id();
    const auto [found, fresh] = by_id_.try_emplace(id_of_it, nodes.size());
    if (fresh) nodes.push_back({std::move(id_of_it), defaults.nodes, line});
    return found->second;
  }

  /// [key = value, ...] as often as it stands.
  Attributes attribute_lists() {
    Attributes attributes;
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

  DotLexer lexer_;
  std::map<std::string, std::size_t> by_id_;
  /// Defaults of edges that are not read, in the order in which they were begun, and how many edges there
  /// were before.
  std::vector<std::string> unread_defaults_;
  std::map<std::string, std::size_t> unread_since_;
};

/// A label as it is drawn: \N is the node's name, \n, \l and \r end a line, other backslashes go away.
std::string drawn(std::string_view label, const std::string& id) {
  std::string text;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] != '\\' || i + 1 == label.size()) {
      text += label[i];
      continue;
    }
    const char c = label[++i];
    if (c == 'N')
      text += id;
    else
      text += c == 'n' || c == 'l' || c == 'r' ? '\n' : c;
  }
  return text;
}

/// From nodes and edges to a network.
class Network {
 public:
  Network(const ImportFile& file, Parser&& parsed) : file_(file), parsed_(std::move(parsed)) {}

  Imported build() {
    if (parsed_.directed) graph_.set_directed();
    if (parsed_.strict) graph_.set_strict();
    for (const DotNode& node : parsed_.nodes) add(node);
    if (graph_.routers() == 0) fail_import(file_, 1, "", "no node is a router");
    for (const DotEdge& edge : parsed_.edges) add(edge);
    for (const auto& [key, count] : parsed_.unread) graph_.count_unread(key, count);
    if (const std::string host = graph_.loose_host(); !host.empty())
      fail_import(file_, 1, "class", "host " + in_quotes(host) + " has no edge to a router");
    const std::string_view root = value_of(parsed_.settings, "spanning_tree_root");
    const std::optional<std::uint32_t> root_index = root.empty() ? std::nullopt : router(root);
    if (!root.empty() && !root_index)
      fail_import(file_, 1, "spanning_tree_root", "there is no router " + in_quotes(root));
    Imported result = std::move(graph_).build();
    result.spec.root = root_index.value_or(0);
    if (const std::string_view limit = value_of(parsed_.settings, "virtual_channels"); !limit.empty())
      result.spec.virtual_channels = number(limit, "virtual_channels", 1, 255, 1);
    if (labels_ != 0 && labels_ != result.spec.graph.routers)
      fail_import(file_, 1, "path_label", "some routers have one and some have none");
    if (labels_ != 0) result.spec.labels = std::move(path_labels_);
    return result;
  }

 private:
  std::uint32_t number(std::string_view text, const char* field, std::uint64_t least, std::uint64_t most,
                       std::uint64_t line) const {
    const auto value = whole_number(text);
    if (!value || *value < least || *value > most)
      fail_import(file_, line, field,
                  fmt::format("{} is not between {} and {}", in_quotes(text), least, most));
    return static_cast<std::uint32_t>(*value);
  }

  void add(const DotNode& node) {
    // Ids may be texts of any character set: what is not UTF-8 tells nodes apart all the same.
    TypedNode typed{node.id, {}, std::nullopt, valid_utf8(drawn(value_of(node.attributes, "guid"), node.id))};
    for (const auto& [key, value] : node.attributes) typed.role.take(key, value);
    // People write label="" to draw nothing; our export says name="" where that is the name.
    const std::string_view label = value_of(node.attributes, "label");
    if (node.attributes.contains("name"))
      typed.name = valid_utf8(value_of(node.attributes, "name"));
    else if (!label.empty())
      typed.name = valid_utf8(drawn(label, node.id));
    if (const std::string reason = graph_.add_node(typed); !reason.empty())
      fail_import(file_, node.line, "", reason);
    if (typed.role.host()) return;
    routers_.emplace(typed.id, graph_.routers() - 1);
    if (const std::string_view on_path = value_of(node.attributes, "path_label"); !on_path.empty()) {
      path_labels_.push_back(number(on_path, "path_label", 0, UINT32_MAX, node.line));
      ++labels_;
    }
  }

  std::optional<std::uint32_t> router(std::string_view id) const {
    const auto found = routers_.find(id);
    if (found == routers_.end()) return std::nullopt;
    return found->second;
  }

  void add(const DotEdge& edge) {
    Attributes attributes = edge.attributes;
    if (const auto speed = attributes.find("speed"); speed != attributes.end())
      speed->second = drawn(speed->second, "");
    GraphLink link = graph_.link_of(attributes, file_, edge.line);
    const std::string_view dir = parsed_.directed ? value_of(attributes, "dir") : std::string_view();
    const bool back = dir == "back";
    const bool both = dir == "both" || dir == "none";
    if (back)
      for (auto* ends : {&link.ports, &link.hop_cycles})
        if (*ends) std::swap((**ends)[0], (**ends)[1]);
    if (const char* reason =
            graph_.add_edge(back ? edge.to : edge.from, back ? edge.from : edge.to, std::move(link),
                            both ? std::optional(false) : std::nullopt, edge.key))
      fail_import(file_, edge.line, "", reason);
  }

  const ImportFile& file_;
  Parser parsed_;
  TypedGraph graph_;
  std::map<std::string, std::uint32_t, std::less<>> routers_;
  std::vector<std::uint32_t> path_labels_;
  std::size_t labels_ = 0;
};

/// The words that open a graph, up to the brace.
bool detect(const ImportFile& file) {
  try {
    DotLexer lexer(file);
    lexer.take_word("strict");
    if (!lexer.take_word("digraph") && !lexer.take_word("graph")) return false;
    if (lexer.now().kind == DotToken::Kind::id) lexer.take();
    return lexer.now().is_sign("{");
  } catch (const InputError&) {
    return false;
  }
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one Graphviz file at a time");
  Parser parser(files.front());
  parser.parse();
  return Network(files.front(), std::move(parser)).build();
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "dot",
    .summary = "Graphviz graphs and digraphs, all that export dot writes",
    .cite = "Gansner, North 2000",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_dot
