// From cables to a graph.
//
// Routers keep the order in which switches appeared, hosts that of their nodes and ports, links that of
// their cables, so that the same file gives the same record. A graph has no link from a router to itself
// and none between hosts: such cables are counted in the record instead.
// SPDX-License-Identifier: MIT
#include "io/import/fabrics/cabling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/error.hpp"

namespace wormcast::io {

std::uint32_t Cabling::node(std::string_view key) {
  const auto [found, added] = by_key_.emplace(std::string(key), static_cast<std::uint32_t>(nodes_.size()));
  if (added) nodes_.push_back({valid_utf8(key), Kind::unknown, "", "", 0, 0});
  return found->second;
}

std::optional<std::uint32_t> Cabling::find(std::string_view key) const {
  const auto found = by_key_.find(std::string(key));
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

void Cabling::set_kind(std::uint32_t node, bool is_switch) {
  nodes_[node].kind = is_switch ? Kind::router : Kind::host;
}

void Cabling::add(Port a, Port b, const Attributes& attributes, const ImportLines& lines) {
  const auto at_a = cable_at_.find(a);
  const auto at_b = cable_at_.find(b);
  if (at_a != cable_at_.end() && at_b != cable_at_.end() && at_a->second == at_b->second) {
    Attributes& known = cables_[at_a->second].attributes;  // named from its other end
    if (known.width == 0 || (attributes.width != 0 && attributes.width < known.width))
      known.width = attributes.width;
    if (known.speed.empty()) known.speed = attributes.speed;
    return;
  }
  for (const auto& [found, port] : {std::pair{at_a, a}, {at_b, b}}) {
    if (found == cable_at_.end()) continue;
    const Cable& other = cables_[found->second];
    const Port end = other.a == port ? other.b : other.a;
    lines.fail("port",
               fmt::format("port {} of {} has a cable to port {} of {} already", port.port,
                           in_quotes(nodes_[port.node].key), end.port, in_quotes(nodes_[end.node].key)));
  }
  cable_at_[a] = cable_at_[b] = cables_.size();
  cables_.push_back({a, b, attributes});
  ++nodes_[a.node].cables;
  ++nodes_[b.node].cables;
}

std::string Cabling::host_name(Port port) const {
  const Node& node = nodes_[port.node];
  const std::string& name = node.name.empty() ? node.key : node.name;
  return node.cables > 1 ? fmt::format("{}/P{}", name, port.port) : name;
}

void Cabling::add_hosts(TopologySpec& spec) {
  std::vector<std::pair<Port, const Cable*>> ends;  // of hosts, with the cables to their switches
  for (const Cable& cable : cables_) {
    const Kind a = nodes_[cable.a.node].kind;
    const Kind b = nodes_[cable.b.node].kind;
    if (a == Kind::host && b == Kind::host) ++between_hosts_;
    if (a == Kind::host && b == Kind::router) ends.emplace_back(cable.a, &cable);
    if (b == Kind::host && a == Kind::router) ends.emplace_back(cable.b, &cable);
  }
  std::sort(ends.begin(), ends.end());
  bool any_guid = false;
  for (const auto& [port, cable] : ends) {
    const Port at = cable->a == port ? cable->b : cable->a;
    const HostId host{static_cast<std::uint32_t>(spec.graph.hosts.size())};
    spec.graph.hosts.push_back(nodes_[at.node].id);
    spec.graph.host_names.push_back(host_name(port));
    const auto own = port_guids_.find(port);
    spec.graph.host_guids.push_back(own == port_guids_.end() ? nodes_[port.node].guid : own->second);
    any_guid = any_guid || !spec.graph.host_guids.back().empty();
    HostLink link;
    link.ports = {at.port, port.port};
    link.width = cable->attributes.width;
    link.speed = cable->attributes.speed;
    spec.graph.host_links.push_back(std::move(link));
    hosts_[port] = host;
    hops_[at] = ~static_cast<TableHop>(host.value);
  }
  if (!any_guid) spec.graph.host_guids.clear();
}

void Cabling::add_links(TopologySpec& spec) {
  for (const Cable& cable : cables_) {
    if (nodes_[cable.a.node].kind != Kind::router || nodes_[cable.b.node].kind != Kind::router) continue;
    if (cable.a.node == cable.b.node) {
      ++loops_;
      continue;
    }
    GraphLink link;
    link.ends = {nodes_[cable.a.node].id, nodes_[cable.b.node].id};
    link.ports = {cable.a.port, cable.b.port};
    link.width = cable.attributes.width;
    link.speed = cable.attributes.speed;
    const auto channel = static_cast<TableHop>(2 * spec.graph.links.size());
    hops_[cable.a] = channel;
    hops_[cable.b] = channel + 1;
    spec.graph.links.push_back(std::move(link));
  }
}

void Cabling::note_left_out(Imported& result) const {
  std::uint64_t unconnected = 0;
  for (const Node& node : nodes_) unconnected += node.kind == Kind::host && node.cables == 0 ? 1 : 0;
  result.note("left-out-loop-cables", loops_);
  result.note("left-out-cables-between-hosts", between_hosts_);
  result.note("left-out-unconnected-hosts", unconnected);
}

Imported Cabling::build(const ImportLines& lines) {
  Imported result;
  GraphSpec& graph = result.spec.graph;
  bool any_guid = false;
  for (Node& node : nodes_) {
    if (node.kind == Kind::unknown)
      lines.fail("node", fmt::format("{} is named by a cable and described nowhere", in_quotes(node.key)));
    if (node.kind != Kind::router) continue;
    node.id = graph.routers++;
    graph.names.push_back(node.name.empty() ? node.key : node.name);
    graph.guids.push_back(node.guid);
    any_guid = any_guid || !node.guid.empty();
  }
  if (!any_guid) graph.guids.clear();
  if (graph.routers == 0) lines.fail("", "the file describes no switch");
  add_hosts(result.spec);
  add_links(result.spec);
  if (graph.hosts.empty()) lines.fail("", "no host is connected to a switch");
  note_left_out(result);
  built_.names = graph.names;
  built_.hosts = graph.hosts;
  built_.host_names = graph.host_names;
  return result;
}

std::optional<TableHop> Cabling::hop(Port port) const {
  const auto found = hops_.find(port);
  if (found == hops_.end()) return std::nullopt;
  return found->second;
}

std::optional<HostId> Cabling::host(Port port) const {
  const auto found = hosts_.find(port);
  if (found == hosts_.end()) return std::nullopt;
  return found->second;
}

std::optional<NodeId> Cabling::router(std::uint32_t node) const {
  if (nodes_[node].kind != Kind::router) return std::nullopt;
  return NodeId{nodes_[node].id};
}

}  // namespace wormcast::io
