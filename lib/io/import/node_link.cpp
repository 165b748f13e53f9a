// Import of networkx's node-link JSON: `nodes` with ids, `edges` or `links` with source and target.
//
// A node with `"type":"host"` hangs on the one router it has an edge to; where no node is of that type,
// every node is a router with one host. `name`, `guid`, `ports`, `hop_cycles`, `width` and `speed` are
// what our own export writes. A directed graph must name each link once or both ways: links go both ways.
// cite: Hagberg, Schult, Swart 2008 (networkx, json_graph.node_link_data).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>

#include "io/import/json.hpp"

namespace wormcast::io {
namespace {

struct Node {
  bool host = false;
  std::uint32_t index = 0;  ///< among routers, or among hosts
  bool attached = false;
};

class Reader {
 public:
  Imported read(const Value& root) {
    root.expect_object();
    required_member(root, "nodes").each([&](const Value& node) { add_node(node); });
    if (graph_.routers == 0) root.fail("no node is a router");
    if (const auto directed = member_of(root, "directed")) directed_ = directed->boolean();
    auto edges = member_of(root, "edges");
    if (!edges) edges = member_of(root, "links");
    if (!edges) root.fail("neither 'edges' nor 'links' is there");
    attachments_.resize(graph_.hosts.size());
    edges->each([&](const Value& edge) { add_edge(edge); });
    for (const auto& [id, node] : nodes_)
      if (node.host && !node.attached) root.fail("host " + quoted(id) + " has no edge to a router");
    return finish();
  }

 private:
  void add_node(const Value& value) {
    const std::string id = id_text(required_member(value, "id"));
    const auto type = member_of(value, "type");
    Node node;
    node.host = type && type->type() == JsonType::string && type->text() == "host";
    node.index = node.host ? static_cast<std::uint32_t>(graph_.hosts.size()) : graph_.routers;
    if (!nodes_.emplace(id, node).second) value.fail("a second node of id " + quoted(id));
    const auto text_of = [&](const char* key) {
      const auto found = member_of(value, key);
      return found && found->type() == JsonType::string ? std::string(found->text()) : std::string();
    };
    std::string name = text_of("name");
    if (name.empty()) name = text_of("label");
    const bool own = id == (node.host ? "h" : "r") + std::to_string(node.index);
    named_ = named_ || !name.empty() || !own;
    (node.host ? graph_.host_names : graph_.names).push_back(name.empty() ? id : name);
    (node.host ? graph_.host_guids : graph_.guids).push_back(text_of("guid"));
    if (node.host)
      graph_.hosts.push_back(0);
    else
      ++graph_.routers;
  }

  Node& end_of(const Value& edge, const char* key) {
    const Value value = required_member(edge, key);
    const auto found = nodes_.find(id_text(value));
    if (found == nodes_.end()) value.fail("there is no node " + quoted(id_text(value)));
    return found->second;
  }

  void add_edge(const Value& edge) {
    Node& source = end_of(edge, "source");
    Node& target = end_of(edge, "target");
    if (source.host && target.host) edge.fail("an edge between two hosts");
    GraphLink link;
    read_link_attributes(edge, link);
    if (!source.host && !target.host) return add_link(source, target, link);
    const bool turned = source.host;
    Node& host = turned ? source : target;
    const Node& router = turned ? target : source;
    if (host.attached && graph_.hosts[host.index] == router.index && directed_) return;
    if (host.attached) edge.fail("a host has a second edge; hosts have one link");
    host.attached = true;
    graph_.hosts[host.index] = router.index;
    HostLink& own = attachments_[host.index];
    if (turned && link.ports) std::swap((*link.ports)[0], (*link.ports)[1]);
    own = {link.ports, link.hop_cycles, link.width, link.speed};
    detailed_ = detailed_ || own.ports || own.hop_cycles || own.width != 0 || !own.speed.empty();
  }

  void add_link(const Node& source, const Node& target, GraphLink link) {
    if (source.index == target.index) {
      ++loops_;
      return;
    }
    if (directed_ && !pairs_.insert({source.index, target.index}).second) ++repeated_;
    if (directed_ && pairs_.contains({target.index, source.index}) && source.index != target.index) return;
    link.ends = {source.index, target.index};
    graph_.links.push_back(std::move(link));
  }

  static void read_link_attributes(const Value& edge, GraphLink& link) {
    const auto pair_of = [&](const char* key) -> std::optional<std::array<std::uint32_t, 2>> {
      const auto value = member_of(edge, key);
      if (!value) return std::nullopt;
      std::array<std::uint32_t, 2> both{};
      std::size_t count = 0;
      value->each([&](const Value& one) {
        const auto number = static_cast<std::uint32_t>(one.integer(0, UINT32_MAX));
        if (count < 2) both[count] = number;
        ++count;
      });
      if (count != 2) value->fail("one number for each end is two");
      return both;
    };
    link.ports = pair_of("ports");
    link.hop_cycles = pair_of("hop_cycles");
    if (const auto width = member_of(edge, "width"); width && width->type() == JsonType::integer)
      link.width = static_cast<std::uint32_t>(width->integer(1, UINT32_MAX));
    if (const auto speed = member_of(edge, "speed"); speed && speed->type() == JsonType::string)
      link.speed = speed->text();
  }

  Imported finish() {
    Imported result;
    const auto empty = [](const std::string& text) { return text.empty(); };
    for (std::vector<std::string>* guids : {&graph_.guids, &graph_.host_guids})
      if (std::all_of(guids->begin(), guids->end(), empty)) guids->clear();
    if (graph_.hosts.empty()) {
      for (std::uint32_t r = 0; r < graph_.routers; ++r) graph_.hosts.push_back(r);
      graph_.host_names = graph_.names;
    } else if (detailed_) {
      graph_.host_links = attachments_;
    }
    if (!named_) {
      graph_.names.clear();
      graph_.host_names.clear();
    }
    result.spec.graph = std::move(graph_);
    if (loops_ != 0) result.notes.emplace_back("left-out-loop-links", std::to_string(loops_));
    if (repeated_ != 0)
      result.notes.emplace_back("parallel-links-of-a-directed-graph", std::to_string(repeated_));
    return result;
  }

  GraphSpec graph_;
  std::map<std::string, Node> nodes_;
  std::vector<HostLink> attachments_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  bool directed_ = false;
  bool named_ = false;
  bool detailed_ = false;
  std::uint64_t loops_ = 0;
  std::uint64_t repeated_ = 0;
};

bool detect(const ImportFile& file) {
  return first_line_of(file, "").starts_with('{') && file.text.find("\"nodes\"") != std::string::npos;
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one JSON file at a time");
  Imported result;
  read_json(files.front(), [&](const Value& root) { result = Reader().read(root); });
  return result;
}

}  // namespace

extern const ImportFormat import_node_link;
const ImportFormat import_node_link = {
    .name = "node-link",
    .summary = "networkx node-link JSON",
    .cite = "Hagberg, Schult, Swart 2008",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io
