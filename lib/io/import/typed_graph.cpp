// Routers, hosts and links from typed nodes and edges.
// SPDX-License-Identifier: MIT
#include "io/import/typed_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>

#include "io/import/text.hpp"
#include "topology/error.hpp"
#include "topology/sizes.hpp"

namespace wormcast::io {
namespace {

/// What graph formats say of edges for drawings and for telling edges apart: Graphviz's attributes but
/// weight and len, GML's graphics, the keys of multigraphs. Of the network they say nothing.
constexpr std::string_view drawing_keys =
    " source target id key directed _background arrowhead arrowsize arrowtail class color"
    " colorscheme comment constraint decorate dir edgehref edgetarget edgetooltip edgeURL"
    " fillcolor fontcolor fontname fontsize graphics head_lp headclip headhref headlabel headport"
    " headtarget headtooltip headURL href label labelangle labeldistance labelfloat"
    " labelfontcolor labelfontname labelfontsize labelhref labeltarget labeltooltip labelURL"
    " layer lp minlen nojustify penwidth pos samehead sametail showboxes style tail_lp tailclip"
    " tailhref taillabel tailport tailtarget tailtooltip tailURL tooltip URL xlabel ";

bool only_draws(std::string_view attribute) {
  return attribute.find(' ') == attribute.npos &&
         drawing_keys.find(fmt::format(" {} ", attribute)) != drawing_keys.npos;
}

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
    return std::nullopt;
  }
  const std::size_t first = back->second.front();
  back->second.pop_front();
  if (back->second.empty()) open_.erase(back);
  return first;
}

std::vector<std::size_t> ArcPairs::one_way() const {
  std::vector<std::size_t> links;
  for (const auto& [ends, open] : open_) links.insert(links.end(), open.begin(), open.end());
  return links;
}

std::string TypedGraph::add_node(const TypedNode& given) {
  if (given.role.contradicts()) return "node " + in_quotes(given.id) + " says that it is a host and a router";
  Node node;
  node.id = given.id;
  node.host = given.role.host();
  node.index = node.host ? static_cast<std::uint32_t>(graph_.hosts.size()) : graph_.routers;
  if (!by_id_.emplace(given.id, nodes_.size()).second) return "a second node of id " + in_quotes(given.id);
  typed_ = typed_ || given.role.known();
  strange_ += given.role.strange() ? 1 : 0;
  const bool own_id = given.id == (node.host ? "h" : "r") + std::to_string(node.index);
  own_ids_ = own_ids_ && own_id;
  const bool is_name = !own_id && !whole_number(given.id);
  const std::string id = valid_utf8(given.id);
  (node.host ? hosts_named_ : routers_named_) |= given.name.has_value();
  std::string name = given.name.value_or(id);
  const std::string second = is_name && name != id ? id : "";
  second_names_ += second.empty() || given.guid.empty() ? 0 : 1;
  (node.host ? graph_.host_names : graph_.names).push_back(std::move(name));
  (node.host ? graph_.host_guids : graph_.guids).push_back(given.guid.empty() ? second : given.guid);
  if (node.host) {
    graph_.hosts.push_back(0);
    attachments_.emplace_back();
  } else {
    if (given.group) graph_.groups.push_back(*given.group);
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
  for (std::size_t i = 0; i < link_value_keys.size(); ++i) {
    LinkValues::Both& own = known.own.of[i];
    const LinkValues::Both& said = again.own.of[i];
    if (own[0] != 0 && said[0] != 0 && own != said)
      return std::is_same_v<Link, HostLink>
                 ? "an edge of the same host has other numbers (each says that to the router first)"
                 : "an edge of the same link has other numbers (each edge says both ways, its own first)";
    if (own[0] == 0) own = said;
  }
  if (!known.ports) known.ports = again.ports;
  const bool other_width = known.width != 0 && again.width != 0 && known.width != again.width;
  const bool other_speed = !known.speed.empty() && !again.speed.empty() && known.speed != again.speed;
  unlike_ += other_width || other_speed ? 1 : 0;
  if (known.width == 0) known.width = again.width;
  if (known.speed.empty()) known.speed = again.speed;
  return nullptr;
}

/// A link of its own where `at` is that of none yet, else more of what is said of that one.
const char* TypedGraph::join_routers(std::uint32_t from, std::uint32_t to, GraphLink link, std::size_t at) {
  if (at == graph_.links.size()) {
    link.ends = {from, to};
    graph_.links.push_back(std::move(link));
    return nullptr;
  }
  GraphLink& first = graph_.links[at];
  if (first.ends[0] != from) {
    if (link.ports) std::swap((*link.ports)[0], (*link.ports)[1]);
    for (LinkValues::Both& both : link.own.of) std::swap(both[0], both[1]);
  }
  return merge(first, link);
}

/// As between routers, a way that was named already is that of a second link, unless the edge is the same.
const char* TypedGraph::attach(Node& host, std::uint32_t router, const GraphLink& link,
                               std::array<bool, 2> ways, bool known) {
  const bool elsewhere = host.attached() && graph_.hosts[host.index] != router;
  const bool taken = (ways[0] && host.ways[0]) || (ways[1] && host.ways[1]);
  if (elsewhere || (taken && !known)) return "a host has a second edge; hosts have one link";
  for (std::size_t way = 0; way < 2; ++way) host.ways[way] = host.ways[way] || ways[way];
  graph_.hosts[host.index] = router;
  HostLink& own = attachments_[host.index];
  const char* reason = merge(own, link);
  detailed_ = detailed_ || own.ports || own.own.stated() || own.width != 0 || !own.speed.empty();
  return reason;
}

const char* TypedGraph::add_edge(std::size_t source, std::size_t target, GraphLink link,
                                 std::optional<bool> directed) {
  const bool one_way = directed.value_or(directed_);
  const Node& from = nodes_[source];
  const Node& to = nodes_[target];
  if (from.host && to.host) return "an edge between two hosts";
  std::size_t at = graph_.links.size();
  std::size_t* kept = &at;
  bool known = false;
  if (strict_) {
    const bool turned = !one_way && source > target;
    const auto [pair, fresh] = pairs_.try_emplace({turned ? target : source, turned ? source : target}, at);
    kept = &pair->second;
    known = !fresh;
  }
  if (from.host || to.host) {
    if (from.host && link.ports) std::swap((*link.ports)[0], (*link.ports)[1]);
    const std::array<bool, 2> ways = {from.host || !one_way, to.host || !one_way};
    return attach(nodes_[from.host ? source : target], (from.host ? to : from).index, link, ways, known);
  }
  if (source == target) {
    loops_ += known ? 0 : 1;
    return nullptr;
  }
  if (one_way && !known) *kept = arcs_.way_back(from.index, to.index, at).value_or(at);
  return join_routers(from.index, to.index, std::move(link), *kept);
}

void TypedGraph::count_unread(std::string_view attribute) {
  if (!only_draws(attribute)) ++unread_[std::string(attribute)];
}

std::string TypedGraph::loose_host() const {
  for (const Node& node : nodes_)
    if (node.host && !node.attached()) return node.id;
  return "";
}

Imported TypedGraph::build() && {
  Imported result;
  const auto empty = [](const std::string& text) { return text.empty(); };
  for (std::vector<std::string>* guids : {&graph_.guids, &graph_.host_guids})
    if (std::all_of(guids->begin(), guids->end(), empty)) guids->clear();
  if (typed_ && own_ids_ && !routers_named_) graph_.names.clear();
  if (typed_ && own_ids_ && !hosts_named_) graph_.host_names.clear();
  if (graph_.hosts.empty()) {
    graph_.hosts.resize(graph_.routers);
    std::iota(graph_.hosts.begin(), graph_.hosts.end(), 0U);
    graph_.host_names = graph_.names;
    graph_.host_guids = graph_.guids;
  } else if (detailed_) {
    graph_.host_links = std::move(attachments_);
  }
  const std::vector<std::size_t> one_way = arcs_.one_way();
  for (const std::size_t at : one_way) {
    GraphLink& link = graph_.links[at];
    link.one_way = true;
    for (LinkValues::Both& both : link.own.of) both[1] = both[0];  // nothing takes the way back
  }
  const auto number = [&](std::uint32_t group) { return group < graph_.routers; };
  if (graph_.groups.size() != graph_.routers ||
      !std::all_of(graph_.groups.begin(), graph_.groups.end(), number)) {
    result.note("left-out-groups", graph_.groups.size());
    graph_.groups.clear();
  }
  result.spec.graph = std::move(graph_);
  result.note("left-out-loop-links", loops_);
  result.note("left-out-second-names", second_names_);
  result.note("left-out-attributes", unlike_);
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
  result.note("one-way-links", one_way.size());
  const auto hosts = std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.host && node.ways[0] != node.ways[1];
  });
  result.note("one-way-host-links-taken-both-ways", static_cast<std::uint64_t>(hosts));
  if (strange_ != 0)
    result.notes.emplace_back("left-out-node-types",
                              std::to_string(strange_) + " (neither host nor router nor switch)");
  return result;
}

}  // namespace wormcast::io
