// Routers, hosts and links from typed nodes and edges.
// SPDX-License-Identifier: MIT
#include "io/import/typed_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "io/import/text.hpp"
#include "topology/sizes.hpp"

namespace wormcast::io {
namespace {

/// What graph formats say of edges for drawings and for telling edges apart: Graphviz's attributes but
/// weight and len, GML's graphics, the keys of multigraphs. Of the network they say nothing.
constexpr std::array<std::string_view, 66> drawing_keys = {"source",
                                                           "target",
                                                           "id",
                                                           "key",
                                                           "directed",
                                                           "_background",
                                                           "arrowhead",
                                                           "arrowsize",
                                                           "arrowtail",
                                                           "class",
                                                           "color",
                                                           "colorscheme",
                                                           "comment",
                                                           "constraint",
                                                           "decorate",
                                                           "dir",
                                                           "edgehref",
                                                           "edgetarget",
                                                           "edgetooltip",
                                                           "edgeURL",
                                                           "fillcolor",
                                                           "fontcolor",
                                                           "fontname",
                                                           "fontsize",
                                                           "graphics",
                                                           "head_lp",
                                                           "headclip",
                                                           "headhref",
                                                           "headlabel",
                                                           "headport",
                                                           "headtarget",
                                                           "headtooltip",
                                                           "headURL",
                                                           "href",
                                                           "label",
                                                           "labelangle",
                                                           "labeldistance",
                                                           "labelfloat",
                                                           "labelfontcolor",
                                                           "labelfontname",
                                                           "labelfontsize",
                                                           "labelhref",
                                                           "labeltarget",
                                                           "labeltooltip",
                                                           "labelURL",
                                                           "layer",
                                                           "lp",
                                                           "minlen",
                                                           "nojustify",
                                                           "penwidth",
                                                           "pos",
                                                           "samehead",
                                                           "sametail",
                                                           "showboxes",
                                                           "style",
                                                           "tail_lp",
                                                           "tailclip",
                                                           "tailhref",
                                                           "taillabel",
                                                           "tailport",
                                                           "tailtarget",
                                                           "tailtooltip",
                                                           "tailURL",
                                                           "tooltip",
                                                           "URL",
                                                           "xlabel"};

}  // namespace

void NodeRole::take(std::string_view key, std::string_view value) {
  std::string word(trimmed(value));
  if (!is_key(key) || word.empty()) return;
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const bool host = word == "host";
  const bool router = word == "router" || word == "switch";
  host_ = host_ || host;
  router_ = router_ || router;
  strange_ = strange_ || !(host || router);
}

std::optional<std::size_t> ArcPairs::way_back(std::uint32_t from, std::uint32_t to, std::size_t link) {
  const auto back = open_.find({to, from});
  if (back == open_.end()) {
    open_[{from, to}].push_back(link);
    ++one_way_;
    return std::nullopt;
  }
  const std::size_t first = back->second.front();
  back->second.pop_front();
  if (back->second.empty()) open_.erase(back);
  --one_way_;
  return first;
}

void ArcPairs::note_one_way(NamedValues& notes) const {
  if (one_way_ != 0) notes.emplace_back("one-way-links-taken-both-ways", std::to_string(one_way_));
}

std::string TypedGraph::add_node(const TypedNode& given) {
  if (given.role.contradicts()) return "node " + quoted(given.id) + " says that it is a host and a router";
  Node node;
  node.id = given.id;
  node.host = given.role.host();
  node.index = node.host ? static_cast<std::uint32_t>(graph_.hosts.size()) : graph_.routers;
  if (!by_id_.emplace(given.id, nodes_.size()).second) return "a second node of id " + quoted(given.id);
  typed_ = typed_ || given.role.known();
  strange_ += given.role.strange() ? 1 : 0;
  const bool own = given.id == (node.host ? "h" : "r") + std::to_string(node.index);
  named_ = named_ || given.name || !own;
  (node.host ? graph_.host_names : graph_.names).push_back(given.name.value_or(given.id));
  (node.host ? graph_.host_guids : graph_.guids).push_back(given.guid);
  if (node.host) {
    graph_.hosts.push_back(0);
    attachments_.emplace_back();
  } else {
    ++graph_.routers;
  }
  nodes_.push_back(std::move(node));
  return "";
}

std::optional<std::size_t> TypedGraph::find(const std::string& id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

template <class Link>
const char* TypedGraph::merge(Link& known, const GraphLink& again) {
  if (known.ports && again.ports && *known.ports != *again.ports)
    return "an edge of the same link has other ports (each edge names those at its own ends)";
  if (known.hop_cycles && again.hop_cycles && *known.hop_cycles != *again.hop_cycles)
    return "an edge of the same link has other hop_cycles (each edge says both ways, its own first)";
  if (!known.ports) known.ports = again.ports;
  if (!known.hop_cycles) known.hop_cycles = again.hop_cycles;
  const bool other_width = known.width != 0 && again.width != 0 && known.width != again.width;
  const bool other_speed = !known.speed.empty() && !again.speed.empty() && known.speed != again.speed;
  unlike_ += other_width || other_speed ? 1 : 0;
  if (known.width == 0) known.width = again.width;
  if (known.speed.empty()) known.speed = again.speed;
  return nullptr;
}

const char* TypedGraph::join_routers(std::uint32_t from, std::uint32_t to, GraphLink link, bool known,
                                     bool directed) {
  if (from == to) {
    loops_ += known ? 0 : 1;
    return nullptr;
  }
  const std::size_t fresh = graph_.links.size();
  std::optional<std::size_t> same;
  if (directed && !known) same = arcs_.way_back(from, to, fresh);
  if (const auto found = of_pair_.find(std::minmax(from, to)); found != of_pair_.end()) same = found->second;
  if (!same) {
    if (strict_) of_pair_.emplace(std::minmax(from, to), fresh);
    link.ends = {from, to};
    graph_.links.push_back(std::move(link));
    return nullptr;
  }
  GraphLink& first = graph_.links[*same];
  if (first.ends[0] != from)
    for (auto* both : {&link.ports, &link.hop_cycles})
      if (*both) std::swap((**both)[0], (**both)[1]);
  return merge(first, link);
}

const char* TypedGraph::add_edge(std::size_t source, std::size_t target, GraphLink link,
                                 std::optional<bool> directed) {
  const bool one_way = directed.value_or(directed_);
  const Node& from = nodes_[source];
  const Node& to = nodes_[target];
  if (from.host && to.host) return "an edge between two hosts";
  const bool known = kinds_.contains({source, target}) || (!one_way && kinds_.contains({target, source}));
  if (strict_) kinds_.emplace(source, target);
  if (!from.host && !to.host) return join_routers(from.index, to.index, std::move(link), known, one_way);
  Node& host = nodes_[from.host ? source : target];
  const Node& router = from.host ? to : from;
  const bool same = host.attached && graph_.hosts[host.index] == router.index && (one_way || strict_);
  if (host.attached && !same) return "a host has a second edge; hosts have one link";
  host.attached = true;
  graph_.hosts[host.index] = router.index;
  if (from.host && link.ports) std::swap((*link.ports)[0], (*link.ports)[1]);
  HostLink& own = attachments_[host.index];
  const char* reason = merge(own, link);
  detailed_ = detailed_ || own.ports || own.hop_cycles || own.width != 0 || !own.speed.empty();
  return reason;
}

void TypedGraph::count_unread(std::string_view attribute) {
  if (std::find(drawing_keys.begin(), drawing_keys.end(), attribute) != drawing_keys.end()) return;
  ++unread_.try_emplace(valid_utf8(attribute), 0).first->second;
}

GraphLink TypedGraph::link_of(const EdgeAttributes& attributes, const ImportFile& file, std::uint64_t line) {
  const auto number = [&](const std::string& key, std::string_view text, std::uint64_t least,
                          std::uint64_t most) {
    const auto value = whole_number(text);
    if (!value || *value < least || *value > most)
      fail_import(file, line, key, fmt::format("{} is not in {}..{}", quoted(text), least, most));
    return static_cast<std::uint32_t>(*value);
  };
  const auto pair = [&](const std::string& key, std::string_view text, std::uint64_t least,
                        std::uint64_t most) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos)
      fail_import(file, line, key, quoted(text) + " is not a number for each end");
    return std::array{number(key, text.substr(0, comma), least, most),
                      number(key, text.substr(comma + 1), least, most)};
  };
  GraphLink link;
  for (const auto& [key, text] : attributes) {
    const bool known = key == "ports" || key == "hop_cycles" || key == "width" || key == "speed";
    if (!known) count_unread(key);
    if (!known || text.empty()) continue;
    if (key == "ports") link.ports = pair(key, text, 0, max_port_number);
    if (key == "hop_cycles") link.hop_cycles = pair(key, text, 1, UINT32_MAX);
    if (key == "width") {
      const auto lanes = whole_number(text);
      if (!lanes || *lanes == 0 || *lanes > UINT32_MAX)
        count_unread(key);  // the width of a line, say
      else
        link.width = static_cast<std::uint32_t>(*lanes);
    }
    if (key == "speed") link.speed = valid_utf8(text);
  }
  return link;
}

void TypedGraph::add_edges(const std::vector<NamedEdge>& edges, const ImportFile& file) {
  if (routers() == 0) fail_import(file, 1, "node", "no node is a router");
  for (const NamedEdge& edge : edges) {
    const auto source = find(edge.source);
    const auto target = find(edge.target);
    if (!source || !target)
      fail_import(file, edge.line, source ? "target" : "source",
                  "there is no node " + quoted(source ? edge.target : edge.source));
    GraphLink link = link_of(edge.attributes, file, edge.line);
    if (const char* reason = add_edge(*source, *target, std::move(link), edge.directed))
      fail_import(file, edge.line, "edge", reason);
  }
  if (const std::string host = loose_host(); !host.empty())
    fail_import(file, 1, "node", "host " + quoted(host) + " has no edge to a router");
}

std::string TypedGraph::loose_host() const {
  for (const Node& node : nodes_)
    if (node.host && !node.attached) return node.id;
  return "";
}

Imported TypedGraph::build() && {
  Imported result;
  const auto empty = [](const std::string& text) { return text.empty(); };
  for (std::vector<std::string>* guids : {&graph_.guids, &graph_.host_guids})
    if (std::all_of(guids->begin(), guids->end(), empty)) guids->clear();
  if (graph_.hosts.empty()) {
    graph_.hosts.resize(graph_.routers);
    std::iota(graph_.hosts.begin(), graph_.hosts.end(), 0U);
    graph_.host_names = graph_.names;
  } else if (detailed_) {
    graph_.host_links = std::move(attachments_);
  }
  if (typed_ && !named_) {
    graph_.names.clear();
    graph_.host_names.clear();
  }
  result.spec.graph = std::move(graph_);
  if (loops_ != 0) result.notes.emplace_back("left-out-loop-links", std::to_string(loops_));
  if (unlike_ != 0) result.notes.emplace_back("left-out-attributes", std::to_string(unlike_));
  if (!unread_.empty()) {
    constexpr std::size_t most_names = 8;
    std::string texts;
    std::size_t named = 0;
    for (const auto& [name, count] : unread_)
      if (named++ < most_names)
        texts +=
            fmt::format("{}{} of {} edge{}", texts.empty() ? "" : ", ", name, count, count == 1 ? "" : "s");
    if (named > most_names) texts += fmt::format(" and {} others", named - most_names);
    result.notes.emplace_back("left-out-edge-attributes", texts);
  }
  arcs_.note_one_way(result.notes);
  if (strange_ != 0)
    result.notes.emplace_back("left-out-node-types",
                              std::to_string(strange_) + " (neither host nor router nor switch)");
  return result;
}

}  // namespace wormcast::io
