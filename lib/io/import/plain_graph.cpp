// Plain nodes and edges as a graph of routers.
// SPDX-License-Identifier: MIT
#include "io/import/plain_graph.hpp"

#include <algorithm>
#include <numeric>

#include "io/import/text.hpp"

namespace wormcast::io {

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

bool PlainGraph::add_node(std::string_view key, std::string_view name) {
  if (!by_key_.emplace(std::string(key), nodes()).second) return false;
  names_.push_back(valid_utf8(name.empty() ? key : name));
  return true;
}

std::optional<std::uint32_t> PlainGraph::find(std::string_view key) const {
  const auto found = by_key_.find(std::string(key));
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

void PlainGraph::rename(std::uint32_t node, std::string_view name) { names_[node] = valid_utf8(name); }

std::uint32_t PlainGraph::node(std::string_view key) {
  add_node(key, "");
  return by_key_.at(std::string(key));
}

void PlainGraph::add_link(std::uint32_t a, std::uint32_t b, GraphLink attributes) {
  if (a == b) {
    ++loops_;
    return;
  }
  attributes.ends = {a, b};
  links_.push_back(std::move(attributes));
}

void PlainGraph::add_edges(const std::vector<NamedEdge>& edges, const ImportFile& file) {
  for (const NamedEdge& edge : edges) {
    const auto a = find(edge.source);
    const auto b = find(edge.target);
    if (!a || !b)
      fail_import(file, edge.line, a ? "target" : "source",
                  "there is no node " + quoted(a ? edge.target : edge.source));
    if (!edge.directed.value_or(directed_) || a == b || !arcs_.way_back(*a, *b, links_.size()))
      add_link(*a, *b);
  }
}

void PlainGraph::add_pair(std::uint32_t a, std::uint32_t b) {
  if (!pairs_.emplace(a, b).second)
    ++repeated_;
  else if (!pairs_.contains({b, a}) || a == b)
    add_link(a, b);
}

void PlainGraph::note_left_out(std::string_view what, std::uint64_t count) {
  if (count != 0) notes_.emplace_back("left-out-" + std::string(what), std::to_string(count));
}

Imported PlainGraph::build() && {
  Imported result;
  GraphSpec& graph = result.spec.graph;
  graph.routers = nodes();
  graph.hosts.resize(nodes());
  std::iota(graph.hosts.begin(), graph.hosts.end(), 0U);
  graph.links = std::move(links_);
  graph.names = std::move(names_);
  graph.host_names = graph.names;
  note_left_out("loop-links", loops_);
  note_left_out("repeated-links", repeated_);
  arcs_.note_one_way(notes_);
  result.notes = std::move(notes_);
  return result;
}

}  // namespace wormcast::io
