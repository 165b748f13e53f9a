// Import of Graphviz graphs: every node is a router with one host, unless nodes are of class host.
//
// A statement is a node, a chain of edges a -- b -- c, defaults for the nodes or edges that follow, or a
// setting; subgraphs group statements, keep their defaults to themselves, and stand in edges for all their
// nodes. A node is found by its id and by its label (of ids that are numbers, and those of our export, the
// label is the name). Named ports, a:swp51, are the numbers they end with where these tell them apart, else
// they are counted (dot_ports.hpp). Of attributes the others draw, but for those that our own export writes:
// class (type and role say the same), name, guid and path_label of nodes; ports, hop_cycles, width and speed
// of edges; spanning_tree_root and virtual_channels of the graph. A strict graph has one edge of each kind,
// as others have of the same `key`; of a digraph an edge and one back are a link, and an edge alone runs one
// way, as its arrow is drawn: with dir=both or dir=none it is a link, with dir=back the other way. Edges of
// one link may each say a part of its attributes, but not contradict each other's ports and times. cite:
// Gansner, North 2000; the DOT language, graphviz.org/doc/info/lang.html.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "io/import/dot/dot_parser.hpp"
#include "io/import/dot/dot_ports.hpp"
#include "io/import/text.hpp"
#include "io/import/typed_graph.hpp"
#include "topology/error.hpp"
#include "topology/sizes.hpp"

namespace wormcast::io::import_dot {
namespace {

using Attributes = EdgeAttributes;

std::string_view value_of(const Attributes& attributes, std::string_view key) {
  const auto found = attributes.find(key);
  return found == attributes.end() ? std::string_view() : found->second;
}

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
  Network(const ImportFile& file, DotParser&& parsed) : file_(file), parsed_(std::move(parsed)) {}

  Imported build() {
    if (parsed_.directed) graph_.set_directed();
    if (parsed_.strict) graph_.set_strict();
    for (const DotNode& node : parsed_.nodes) add(node);
    if (graph_.routers() == 0) fail_import(file_, 1, "", "no node is a router");
    number_ports();
    for (const DotEdge& edge : parsed_.edges) add(edge);
    for (const auto& [key, count] : parsed_.unread) graph_.count_unread(key, count);
    if (const std::string host = graph_.loose_host(); !host.empty())
      fail_import(file_, 1, "class", "host " + in_quotes(host) + " has no edge to a router");
    const std::string_view root = value_of(parsed_.settings, "spanning_tree_root");
    const std::optional<std::uint32_t> root_index = root.empty() ? std::nullopt : router(root);
    if (!root.empty() && !root_index)
      fail_import(file_, 1, "spanning_tree_root", "there is no router " + in_quotes(root));
    Imported result = std::move(graph_).build();
    result.notes.insert(result.notes.end(), port_notes_.begin(), port_notes_.end());
    result.spec.root = root_index.value_or(0);
    if (const std::string_view limit = value_of(parsed_.settings, "virtual_channels"); !limit.empty())
      result.spec.virtual_channels =
          static_cast<std::uint32_t>(number_in(file_, 1, limit, "virtual_channels", 1, 255));
    if (labels_ != 0 && labels_ != result.spec.graph.routers)
      fail_import(file_, 1, "path_label", "some routers have one and some have none");
    if (labels_ != 0) result.spec.labels = std::move(path_labels_);
    return result;
  }

 private:
  void add(const DotNode& node) {
    // Ids may be texts of any character set: what is not UTF-8 tells nodes apart all the same.
    TypedNode typed{node.id, {}, std::nullopt, valid_utf8(drawn(value_of(node.attributes, "guid"), node.id))};
    for (const auto& [key, value] : node.attributes) typed.role.take(key, value);
    // People write label="" to draw nothing; our export says name="" where that is the name.
    const std::string_view label = value_of(node.attributes, "label");
    if (node.attributes.contains("name"))
      typed.name = valid_utf8(value_of(node.attributes, "name"));
    else if (!label.empty())
      typed.label = valid_utf8(drawn(label, node.id));
    if (const std::string reason = graph_.add_node(typed); !reason.empty())
      fail_import(file_, node.line, "", reason);
    if (typed.role.host()) return;
    routers_.emplace(typed.id, graph_.routers() - 1);
    if (const std::string_view on_path = value_of(node.attributes, "path_label"); !on_path.empty()) {
      path_labels_.push_back(
          static_cast<std::uint32_t>(number_in(file_, node.line, on_path, "path_label", 0, UINT32_MAX)));
      ++labels_;
    }
  }

  std::optional<std::uint32_t> router(std::string_view id) const {
    const auto found = routers_.find(id);
    if (found == routers_.end()) return std::nullopt;
    return found->second;
  }

  /// Of edges that have no ports by number.
  void number_ports() {
    DotPorts names;
    for (DotEdge& edge : parsed_.edges) {
      for (const auto& [end, key] : {std::pair{std::size_t{0}, "tailport"}, {std::size_t{1}, "headport"}}) {
        std::string_view port = value_of(edge.attributes, key);
        port = port.substr(0, port.find(':'));
        if (edge.ports[end].empty() && !is_compass_point(port)) edge.ports[end] = port;
      }
      names.see({edge.from, edge.to}, edge.ports, value_of(edge.attributes, "ports"));
    }
    for (DotEdge& edge : parsed_.edges)
      if (const auto numbers = names.numbers({edge.from, edge.to}, edge.ports);
          !numbers.empty() && value_of(edge.attributes, "ports").empty())
        edge.attributes["ports"] = numbers;
    port_notes_ = names.notes();
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
  DotParser parsed_;
  TypedGraph graph_;
  std::map<std::string, std::uint32_t, std::less<>> routers_;
  NamedValues port_notes_;
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

Imported read(const ImportFile& file) {
  DotParser parser(file);
  parser.parse();
  return Network(file, std::move(parser)).build();
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "dot",
    .summary = "Graphviz graphs and digraphs, all that export dot writes",
    .cite = "Gansner, North 2000",
    .detect = detect,
    .one = "Graphviz file",
    .read_one = read,
};

}  // namespace wormcast::io::import_dot
