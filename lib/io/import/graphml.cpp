// Import of GraphML: nodes and edges; the node's data under a key called "label" is its name.
//
// Expat reads the XML: entities that a file declares are refused, so nothing expands, and no file or
// address is opened. What cannot be a link between two nodes (hyperedges, nested graphs) is refused. Of
// directed edges, as the graph says of all or an edge of itself, one and one back are a link, since links go
// both ways. cite: Brandes et al. 2002 (GraphML).
// SPDX-License-Identifier: MIT
#include <expat.h>
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "io/import/plain_graph.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
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
      if (reader.in_label_) reader.label_.append(text, static_cast<std::size_t>(length));
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
    if (graph_.nodes() == 0) fail("node", "the file has no nodes");
    for (const auto& [node, name] : names_) graph_.rename(node, name);
    graph_.add_edges(edges_, file_);
    return std::move(graph_).build();
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  [[noreturn]] void fail(const std::string& field, const std::string& message) const {
    fail_import(file_, XML_GetCurrentLineNumber(parser_.get()), field, message);
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
    } else if (name == "key" && attribute(attributes, "for") == "node" &&
               attribute(attributes, "attr.name") == "label") {
      label_key_ = attribute(attributes, "id");
    } else if (name == "node") {
      const std::string_view id = attribute(attributes, "id");
      if (id.empty()) fail("id", "the node has none");
      if (!graph_.add_node(id, "")) fail("id", "a second node of id " + quoted(id));
      node_ = graph_.find(id);
    } else if (name == "edge") {
      NamedEdge edge{std::string(attribute(attributes, "source")),
                     std::string(attribute(attributes, "target")), XML_GetCurrentLineNumber(parser_.get())};
      if (edge.source.empty() || edge.target.empty())
        fail(edge.source.empty() ? "source" : "target", "the edge has none");
      if (const std::string_view directed = attribute(attributes, "directed"); !directed.empty()) {
        if (directed != "true" && directed != "false")
          fail("directed", quoted(directed) + " is neither true nor false");
        edge.directed = directed == "true";
      }
      edges_.push_back(std::move(edge));
    } else if (name == "data") {
      in_label_ = node_ && !label_key_.empty() && attribute(attributes, "key") == label_key_;
      label_.clear();
    }
  }

  void close(std::string_view name) {
    --depth_;
    if (name == "node") node_.reset();
    if (name == "graph") in_graph_ = false;
    if (name != "data" || !in_label_) return;
    if (node_ && !label_.empty()) names_.emplace_back(*node_, label_);
    in_label_ = false;
  }

  const ImportFile& file_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::optional<InputError> refused_;
  PlainGraph graph_;
  std::vector<NamedEdge> edges_;
  std::vector<std::pair<std::uint32_t, std::string>> names_;
  std::string label_key_;
  std::optional<std::uint32_t> node_;
  std::string label_;
  bool in_label_ = false;
  bool in_graph_ = false;
  bool any_graph_ = false;
  std::size_t depth_ = 0;
};

bool detect(const ImportFile& file) {
  return file.text.substr(0, 4096).find("<graphml") != std::string::npos;
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one GraphML file at a time");
  return Reader(files.front()).read();
}

}  // namespace

extern const ImportFormat import_graphml;
const ImportFormat import_graphml = {
    .name = "graphml",
    .summary = "GraphML (Internet Topology Zoo, networkx, yEd)",
    .cite = "Brandes et al. 2002",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io
