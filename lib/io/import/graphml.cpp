// Import of GraphML: nodes and edges; the node's data under a key called "label", or else "name" (as igraph
// writes it), is its name, under "type", "class" or "role" whether it is a host; the edge's data under
// "ports", "hop_cycles", "width" and "speed" are what Graphviz's edges say.
//
// Expat reads the XML: entities that a file declares are refused, so nothing expands, and no file or
// address is opened. What cannot be a link between two nodes (hyperedges, nested graphs) is refused. Of
// directed edges, as the graph says of all or an edge of itself, one and one back are a link, and one alone
// runs one way; of yEd's edges the arrows say that. cite: Brandes et al. 2002 (GraphML).
// SPDX-License-Identifier: MIT
#include <expat.h>
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "io/import/text.hpp"
#include "io/import/typed_graph.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_graphml {
namespace {

constexpr std::size_t max_depth = 64;

class Reader {
 public:
  explicit Reader(const ImportFile& file) : file_(file), parser_(XML_ParserCreate(nullptr)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          static_cast<Reader*>(self)->guarded([&](Reader& reader) { reader.open(name, attributes); });
        },
        [](void* self, const XML_Char* name) {
          static_cast<Reader*>(self)->guarded([&](Reader& reader) { reader.close(name); });
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const XML_Char* text, int length) {
      Reader& reader = *static_cast<Reader*>(self);
      if (reader.in_data_) reader.data_.append(text, static_cast<std::size_t>(length));
    });
    XML_SetEntityDeclHandler(parser_.get(),
                             [](void* self, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                                const XML_Char*, const XML_Char*, const XML_Char*) {
                               static_cast<Reader*>(self)->guarded(
                                   [](Reader& reader) { reader.fail("", "the file declares entities"); });
                             });
  }

  Imported read() {
    const bool whole = XML_Parse(parser_.get(), file_.text.data(), static_cast<int>(file_.text.size()),
                                 XML_TRUE) == XML_STATUS_OK;
    if (refused_) throw InputError(*refused_);
    if (!whole) fail("", XML_ErrorString(XML_GetErrorCode(parser_.get())));
    if (!any_node_) fail("node", "the file has no nodes");
    graph_.add_edges(edges_, file_);
    for (const auto& [key, before] : unread_defaults_) graph_.count_unread(key, edges_.size() - before);
    return std::move(graph_).build();
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  std::size_t line() const {
#if XML_MAJOR_VERSION * 100 + XML_MINOR_VERSION >= 208
    return XML_GetCurrentLineNumber64(parser_.get());
#else
    return XML_GetCurrentLineNumber(parser_.get());
#endif
  }

  [[noreturn]] void fail(const std::string& field, const std::string& message) const {
    fail_import(file_, line(), field, message);
  }

  /// Runs a handler; no exception may pass through expat.
  template <class Handle>
  void guarded(Handle handle) {
    if (refused_) return;
    try {
      handle(*this);
    } catch (const InputError& error) {
      refused_ = error;
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  static std::string_view attribute(const XML_Char** attributes, std::string_view key) {
    for (; *attributes != nullptr; attributes += 2)
      if (key == attributes[0]) return attributes[1];
    return {};
  }

  void open(std::string_view name, const XML_Char** attributes) {
    if (++depth_ > max_depth) fail("", "elements are nested too deep");
    if (name == "hyperedge") fail("hyperedge", "a network's links join two nodes");
    if (name == "graph") {
      if (in_graph_) fail("graph", "graphs inside graphs are not read");
      if (any_graph_) fail("graph", "a second graph; one graph at a time");
      in_graph_ = any_graph_ = true;
      if (attribute(attributes, "edgedefault") == "directed") graph_.set_directed();
    } else if (name == "key") {
      if (in_data_) fail("key", "a key inside of data");
      const std::string_view what = attribute(attributes, "attr.name");
      const std::string_view of = attribute(attributes, "for");
      const bool of_all = of == "all" || of.empty();
      const bool of_nodes =
          (what == "label" || what == "name" || NodeRole::is_key(what)) && (of == "node" || of_all);
      const bool of_edges = !what.empty() && (of == "edge" || of_all);
      if (of_nodes || of_edges)
        key_ = &(keys_[std::string(attribute(attributes, "id"))] = {std::string(what), of_nodes, of_edges});
    } else if (name == "default") {
      in_data_ = key_ != nullptr;
      data_.clear();
    } else if (name == "node") {
      settle_node();
      const std::string_view id = attribute(attributes, "id");
      if (id.empty()) fail("id", "the node has none");
      if (graph_.find(std::string(id))) fail("id", "a second node of id " + in_quotes(id));
      node_.emplace().id = id;
      node_->name = valid_utf8(id);
    } else if (name == "edge") {
      NamedEdge edge{std::string(attribute(attributes, "source")),
                     std::string(attribute(attributes, "target")), line()};
      if (edge.source.empty() || edge.target.empty())
        fail(edge.source.empty() ? "source" : "target", "the edge has none");
      if (const std::string_view directed = attribute(attributes, "directed"); !directed.empty()) {
        if (directed != "true" && directed != "false")
          fail("directed", in_quotes(directed) + " is neither true nor false");
        edge.directed = directed == "true";
      }
      for (const char* port : {"sourceport", "targetport"})
        if (!attribute(attributes, port).empty()) graph_.count_unread(port);
      edges_.push_back(std::move(edge));
      in_edge_ = true;
    } else if (name == "y:Arrows" && in_edge_) {
      take_arrows(attribute(attributes, "source") != "none", attribute(attributes, "target") != "none");
    } else if (name == "port") {
      ++ports_;
    } else if (name == "data") {
      const auto key = keys_.find(attribute(attributes, "key"));
      in_data_ = key != keys_.end() && ports_ == 0 &&
                 ((node_ && key->second.of_nodes) || (in_edge_ && key->second.of_edges));
      key_ = in_data_ ? &key->second : nullptr;
      data_.clear();
    }
  }

  void close(std::string_view name) {
    --depth_;
    if (name == "node") settle_node();
    if (name == "edge") settle_edge();
    if (name == "graph") in_graph_ = false;
    if (name == "port") --ports_;
    const bool ended = in_data_ && (name == "data" || name == "default");
    if (ended && name == "default") take_default();
    if (ended && name == "data") take_data();
    if (name == "key" || name == "data") key_ = nullptr;
    if (ended || key_ == nullptr) in_data_ = false;
  }

  /// yEd says of every graph that its edges are directed, and of each which of its ends has an arrow.
  void take_arrows(bool at_source, bool at_target) {
    NamedEdge& edge = edges_.back();
    edge.directed = at_source != at_target;
    if (at_source && !at_target) std::swap(edge.source, edge.target);
  }

  /// What a data element of the open node or edge says.
  void take_data() {
    if (!in_edge_)
      said_[key_->name] = data_;
    else if (!unread_defaults_.contains(key_->name))
      edges_.back().attributes[key_->name] = data_;
  }

  /// What nodes and edges after it say that do not say otherwise. Of edges' keys that are not read only the
  /// number of edges matters: thousands of defaults would be copied to thousands of edges.
  void take_default() {
    if (data_.empty()) return;
    if (key_->of_nodes && NodeRole::is_key(key_->name)) node_defaults_.try_emplace(key_->name, data_);
    if (!key_->of_edges) return;
    if (TypedGraph::is_edge_key(key_->name))
      edge_defaults_.try_emplace(key_->name, data_);
    else
      unread_defaults_.try_emplace(key_->name, edges_.size());
  }

  /// Adds the open node: what it does not say of itself, defaults of the keys say.
  void settle_node() {
    if (!node_) return;
    said_.insert(node_defaults_.begin(), node_defaults_.end());
    for (const auto& [key, value] : said_) node_->role.take(key, value);
    for (const char* key : {"name", "label"})
      if (const std::string& name = said_[key]; !name.empty()) node_->name = valid_utf8(name);
    if (const std::string reason = graph_.add_node(*node_); !reason.empty()) fail("id", reason);
    any_node_ = true;
    node_.reset();
    said_.clear();
  }

  /// The open edge is whole, with the defaults of keys for what it does not say of itself.
  void settle_edge() {
    in_edge_ = false;
    edges_.back().attributes.insert(edge_defaults_.begin(), edge_defaults_.end());
  }

  const ImportFile& file_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::optional<InputError> refused_;
  /// What a key is called, and of which of nodes and edges it is read.
  struct Key {
    std::string name;
    bool of_nodes = false;
    bool of_edges = false;
  };

  TypedGraph graph_;
  std::vector<NamedEdge> edges_;
  std::map<std::string, Key, std::less<>> keys_;  ///< by id
  Key* key_ = nullptr;                            ///< whose element is open, or that of the open data
  std::optional<TypedNode> node_;                 ///< the open one
  std::map<std::string, std::string> said_;       ///< what it says, by the name of the key
  std::map<std::string, std::string> node_defaults_;
  std::map<std::string, std::string> edge_defaults_;
  std::map<std::string, std::size_t> unread_defaults_;  ///< the edges before each
  std::string data_;
  bool in_data_ = false;
  bool in_edge_ = false;
  bool any_node_ = false;
  bool in_graph_ = false;
  bool any_graph_ = false;
  std::size_t depth_ = 0;
  std::size_t ports_ = 0;  ///< open ones, whose data is not their node's
};

bool detect(const ImportFile& file) {
  return file.text.substr(0, 4096).find("<graphml") != std::string::npos;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "graphml",
    .summary = "GraphML (Internet Topology Zoo, networkx, yEd)",
    .cite = "Brandes et al. 2002",
    .detect = detect,
    .one = "GraphML file",
    .read_one = [](const ImportFile& file) { return Reader(file).read(); },
};

}  // namespace wormcast::io::import_graphml
