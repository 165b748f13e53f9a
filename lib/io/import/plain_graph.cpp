// Plain nodes and edges as a graph of routers.
// SPDX-License-Identifier: MIT
#include "io/import/plain_graph.hpp"

#include <numeric>

#include "io/import/text.hpp"

namespace wormcast::io {

std::uint32_t PlainGraph::node(std::string_view key) {
  const auto [found, fresh] = by_key_.emplace(std::string(key), nodes());
  if (fresh) names_.push_back(valid_utf8(key));
  return found->second;
}

void PlainGraph::add_link(std::uint32_t a, std::uint32_t b, GraphLink attributes) {
  if (a == b) {
    ++loops_;
    return;
  }
  attributes.ends = {a, b};
  links_.push_back(std::move(attributes));
}

void PlainGraph::add_pair(std::uint32_t a, std::uint32_t b) {
  if (!pairs_.emplace(a, b).second)
    ++repeated_;
  else if (!pairs_.contains({b, a}) || a == b)
    add_link(a, b);
}

Imported PlainGraph::build() && {
  GraphSpec& graph = result_.spec.graph;
  graph.routers = nodes();
  graph.hosts.resize(nodes());
  std::iota(graph.hosts.begin(), graph.hosts.end(), 0U);
  graph.links = std::move(links_);
  graph.names = std::move(names_);
  graph.host_names = graph.names;
  result_.note("left-out-loop-links", loops_);
  result_.note("left-out-repeated-links", repeated_);
  return std::move(result_);
}

}  // namespace wormcast::io
