// Import of GML, as the Internet Topology Zoo writes it: `graph [ node [ id 0 label "…" ] edge [ … ] ]`.
//
// A list is keys with values; a value is a number, a text in quotes or a list in brackets. Ids may have
// gaps, labels (or names, where there is no label, as igraph writes) may stand twice, parallel edges are
// separate; entities (&#252; &quot;) in labels are characters. Of an edge ports, hop_cycles, width and speed
// are read, as of Graphviz's. Groups of nodes (isGroup) are left out and counted. A node whose type, class or
// role is host is one. Where `directed 1` stands, an edge and one back are a link, and an edge alone runs one
// way. cite: Himsolt 1997 (GML); Knight et al. 2011 (Topology Zoo).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <utility>

#include "io/import/text.hpp"
#include "io/import/typed_graph.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_gml {
namespace {

constexpr std::size_t max_depth = 64;

/// The character of a number as UTF-8; empty where it is none that a text may hold.
std::string utf8(std::uint64_t code) {
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return "";
  const auto byte = [](std::uint64_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  const auto tail = [&](int shift) { return byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {byte(0xe0 | code >> 12), tail(6), tail(0)};
  return {byte(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

/// What stands between '&' and ';'; empty where it is not known.
std::string entity(std::string_view name) {
  constexpr std::pair<std::string_view, char> names[] = {
      {"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}};
  for (const auto& [known, character] : names)
    if (known == name) return {character};
  if (!name.starts_with('#')) return "";
  const bool hexadecimal = name.starts_with("#x") || name.starts_with("#X");
  return utf8(whole_number(name.substr(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10).value_or(0));
}

/// A text with its entities taken for their characters; other ampersands stay.
std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string_view::npos;
    const std::string character =
        end == std::string_view::npos ? "" : entity(text.substr(at + 1, end - at - 1));
    result += character.empty() ? text.substr(at, 1) : std::string_view(character);
    at = character.empty() ? at + 1 : end + 1;
  }
  return result;
}

class Reader {
 public:
  explicit Reader(const ImportFile& file) : file_(file) {}

  Imported read() {
    bool found = false;
    while (const auto key = next()) {
      if (*key == "graph") {
        if (found) fail("graph", "a second graph; one graph at a time");
        expect_open("graph");
        read_graph();
        found = true;
      } else {
        skip_value(0);
      }
    }
    if (!found) fail("graph", "the file has no graph");
    if (!any_node_) fail("node", "the graph has no nodes");
    for (const NamedEdge& edge : edges_)
      if (groups_.contains(edge.source) || groups_.contains(edge.target))
        fail_import(file_, edge.line, "edge", "an edge of a group of nodes; edges of nodes are read");
    graph_.add_edges(edges_, file_);
    Imported result = std::move(graph_).build();
    result.note("left-out-groups", groups_.size());
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& field, const std::string& message) const {
    fail_import(file_, line_, field, message);
  }

  /// The next word, bracket or text in quotes (with its first quote); nothing at the end.
  std::optional<std::string_view> next() {
    const std::string_view text = file_.text;
    while (at_ < text.size()) {
      const char c = text[at_];
      if (c == '#') {
        at_ = std::min(text.find('\n', at_), text.size());
      } else if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else {
        break;
      }
    }
    if (at_ == text.size()) return std::nullopt;
    const std::size_t begin = at_;
    if (text[at_] == '[' || text[at_] == ']') return text.substr(at_++, 1);
    if (text[at_] == '"') {
      const std::size_t end = text.find('"', at_ + 1);
      if (end == std::string_view::npos) fail("", "a text in quotes does not end");
      for (std::size_t i = begin; i < end; ++i) line_ += text[i] == '\n' ? 1 : 0;
      at_ = end + 1;
      return text.substr(begin, end - begin);
    }
    at_ = std::min(text.find_first_of(" \t\r\n[]\"", at_), text.size());
    return text.substr(begin, at_ - begin);
  }

  std::string_view value_of(const std::string& key) {
    const auto value = next();
    if (!value || *value == "]" || *value == "[") fail(key, "its value is missing");
    return value->starts_with('"') ? value->substr(1) : *value;
  }

  /// Whether what comes next is a list.
  bool opens_list() {
    const auto [at, line] = std::pair(at_, line_);
    const auto word = next();
    at_ = at;
    line_ = line;
    return word == "[";
  }

  void expect_open(const std::string& key) {
    const auto open = next();
    if (!open || *open != "[") fail(key, "it must be followed by [");
  }

  void skip_value(std::size_t depth) {
    const auto value = next();
    if (!value || *value == "]") fail("", "a value is missing");
    if (*value != "[") return;
    if (depth == max_depth) fail("", "lists are nested too deep");
    while (true) {
      const auto key = next();
      if (!key) fail("", "a list does not end");
      if (*key == "]") return;
      skip_value(depth + 1);
    }
  }

  void read_graph() {
    while (true) {
      const auto key = next();
      if (!key) fail("graph", "the list does not end");
      if (*key == "]") return;
      if (*key == "node")
        read_node();
      else if (*key == "edge")
        read_edge();
      else if (*key == "directed")
        read_directed();
      else
        skip_value(0);
    }
  }

  void read_directed() {
    const std::string_view value = value_of("directed");
    if (value != "0" && value != "1") fail("directed", in_quotes(value) + " is neither 0 nor 1");
    if (value == "1") graph_.set_directed();
  }

  /// Calls visit(key) for each key of a list; it must read the value.
  template <class Visit>
  void read_list(const std::string& name, Visit visit) {
    expect_open(name);
    while (true) {
      const auto key = next();
      if (!key) fail(name, "the list does not end");
      if (*key == "]") return;
      visit(*key);
    }
  }

  void read_node() {
    const std::uint64_t line = line_;
    std::string id, label, name;
    bool group = false;
    TypedNode node;
    read_list("node", [&](std::string_view key) {
      if (key == "id")
        id = value_of("id");
      else if (key == "label")
        label = decoded(value_of("label"));
      else if (key == "name" && !opens_list())
        name = decoded(value_of("name"));
      else if (key == "isGroup" && !opens_list())
        group = value_of("isGroup") != "0";
      else if (key == "graph")
        fail("graph", "graphs inside nodes are not read");
      else if (NodeRole::is_key(key) && !opens_list())
        node.role.take(key, value_of(std::string(key)));
      else
        skip_value(0);
    });
    if (id.empty()) fail_import(file_, line, "id", "the node has none");
    if (group) {
      groups_.insert(std::move(id));
      return;
    }
    if (label.empty()) label = name.empty() ? id : name;
    node.name = valid_utf8(label);
    node.id = std::move(id);
    if (const std::string reason = graph_.add_node(node); !reason.empty())
      fail_import(file_, line, "id", reason);
    any_node_ = true;
  }

  /// A key that stands again, as networkx writes lists, has its values with commas between them; what a list
  /// in brackets says is not read.
  void read_attribute(const std::string& key, EdgeAttributes& attributes) {
    const bool list = opens_list();
    const std::string value = list ? "" : decoded(value_of(key));
    if (list) skip_value(0);
    const auto [known, fresh] = attributes.try_emplace(key, value);
    if (!fresh) known->second += ',' + value;
  }

  void read_edge() {
    NamedEdge edge;
    edge.line = line_;
    read_list("edge", [&](std::string_view key) {
      if (key == "source")
        edge.source = value_of("source");
      else if (key == "target")
        edge.target = value_of("target");
      else
        read_attribute(std::string(key), edge.attributes);
    });
    if (edge.source.empty() || edge.target.empty())
      fail_import(file_, edge.line, edge.source.empty() ? "source" : "target", "the edge has none");
    edges_.push_back(std::move(edge));
  }

  const ImportFile& file_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  TypedGraph graph_;
  bool any_node_ = false;
  std::set<std::string> groups_;  ///< ids of what stands for several nodes in drawings (yEd)
  std::vector<NamedEdge> edges_;
};

bool detect(const ImportFile& file) {
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(*line);
    if (words.empty() || words[0].starts_with('#') || words[0] == "Creator" || words[0] == "Version")
      continue;
    return words[0] == "graph" && (words.size() == 1 || words[1].starts_with('['));
  }
  return false;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "gml",
    .summary = "GML graphs (Internet Topology Zoo)",
    .cite = "Himsolt 1997",
    .detect = detect,
    .one = "GML file",
    .read_one = [](const ImportFile& file) { return Reader(file).read(); },
};

}  // namespace wormcast::io::import_gml
