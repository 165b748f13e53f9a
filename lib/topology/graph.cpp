// Networks given link by link: switches with hosts on links of their own.
//
// Adjacency is one array of incidences sorted by (router, port) and the offset of each router in it
// (CSR), so a neighbour is an index where the ports of a router are dense and a binary search where
// they are not. Link k makes channels 2k and 2k+1, so parallel links stay apart; one that runs one way makes
// the first alone, and has a port at both of its ends all the same. Distances are breadth-first searches:
// nothing quadratic is stored. Cost: O(routers + links) to build and for one distance. cite: Sivaram, Panda,
// Stunkel 1997 (switches with processors on half of their ports, random links).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <limits>
#include <string>

#include "topology/refuse.hpp"
#include "topology/topology.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t no_port = std::numeric_limits<std::uint32_t>::max();

/// One end of a link, as its router sees it.
struct Incidence {
  std::uint32_t router;
  std::uint32_t port;
  ChannelId channel;  ///< out of `router`
  NodeId to;
  bool leaves;  ///< there is that channel; else the link only comes in here

  friend bool operator<(const Incidence& a, const Incidence& b) {
    return a.router != b.router ? a.router < b.router : a.port < b.port;
  }
};

/// `list` and `index` name the link: links[3].
template <class Link>
void check_ports(const Link& link, std::string_view list, std::size_t index) {
  if (!link.ports) return;
  for (const std::uint32_t port : *link.ports)
    if (port > max_port_number)
      refuse(indexed(list, index, ".ports"), "port {}, at most {}", port, max_port_number);
}

void check_graph(const GraphSpec& graph) {
  if (graph.routers == 0) throw InputError("routers", "a graph needs at least one router");
  if (graph.routers > max_channel_ids)
    refuse("routers", "{} routers, at most {}", graph.routers, max_channel_ids);
  if (graph.hosts.empty()) throw InputError("hosts", "a graph needs at least one host");
  if (graph.hosts.size() > max_channel_ids)
    refuse("hosts", "{} hosts, at most {}", graph.hosts.size(), max_channel_ids);
  if (graph.links.size() > max_channel_ids / 2)
    refuse("links", "{} links, at most {}", graph.links.size(), max_channel_ids / 2);
  for (std::size_t h = 0; h < graph.hosts.size(); ++h)
    if (graph.hosts[h] >= graph.routers)
      refuse(indexed("hosts", h), "router {} of {}", graph.hosts[h], graph.routers);
  for (std::size_t k = 0; k < graph.links.size(); ++k) {
    const GraphLink& link = graph.links[k];
    for (const std::uint32_t end : link.ends)
      if (end >= graph.routers) refuse(indexed("links", k, ".ends"), "router {} of {}", end, graph.routers);
    if (link.ends[0] == link.ends[1])
      refuse(indexed("links", k, ".ends"), "both ends are router {}", link.ends[0]);
    check_ports(link, "links", k);
    for (std::size_t i = 0; link.one_way && i < link_value_keys.size(); ++i)
      if (link.own.of[i][0] != link.own.of[i][1])
        refuse(indexed("links", k, "." + std::string(link_value_keys[i])),
               "two numbers, and the link runs one way: both must be the same");
  }
  const auto check_list = [](const char* key, std::size_t count, const char* what, std::size_t wanted,
                             const char* of = "") {
    if (count != 0 && count != wanted) refuse(key, "{} {} where there are {}{}", count, what, wanted, of);
  };
  check_list("names", graph.names.size(), "names", graph.routers);
  check_list("host_names", graph.host_names.size(), "names", graph.hosts.size());
  check_list("guids", graph.guids.size(), "names", graph.routers);
  check_list("host_guids", graph.host_guids.size(), "names", graph.hosts.size());
  check_list("host_links", graph.host_links.size(), "links", graph.hosts.size(), " hosts");
  for (std::size_t h = 0; h < graph.host_links.size(); ++h) check_ports(graph.host_links[h], "host_links", h);
  check_list("groups", graph.groups.size(), "groups", graph.routers, " routers");
  for (std::size_t r = 0; r < graph.groups.size(); ++r)
    if (graph.groups[r] >= graph.routers)
      refuse(indexed("groups", r), "{} is not below the number of routers", graph.groups[r]);
}

/// Both ends of every link by (router, port). Links without ports take the lowest free ones, in link order.
std::vector<Incidence> incidences(const GraphSpec& graph) {
  std::vector<Incidence> all;
  all.reserve(2 * graph.links.size());
  for (std::size_t k = 0; k < graph.links.size(); ++k) {
    const GraphLink& link = graph.links[k];
    for (std::uint32_t side = 0; side < 2; ++side)
      all.push_back({link.ends[side], link.ports ? (*link.ports)[side] : no_port,
                     ChannelId{static_cast<std::uint32_t>(2 * k + side)}, NodeId{link.ends[1 - side]},
                     side == 0 || !link.one_way});
  }
  std::stable_sort(all.begin(), all.end());
  for (auto first = all.begin(); first != all.end();) {
    const auto last =
        std::find_if(first, all.end(), [&](const Incidence& i) { return i.router != first->router; });
    std::uint32_t free = 0;
    auto given = first;  // the given ports stand before the ones to choose
    for (auto i = first; i != last; ++i) {
      if (i->port == no_port) {
        for (; given != last && given->port <= free; ++given) free += given->port == free ? 1 : 0;
        i->port = free++;
      } else if (i != first && i->port == (i - 1)->port) {
        refuse(indexed("links", i->channel.value / 2, ".ports"), "port {} of router {} has another link",
               i->port, i->router);
      }
    }
    std::sort(first, last);
    first = last;
  }
  return all;
}

std::uint32_t ports_of(const std::vector<Incidence>& all) {
  std::uint32_t ports = 0;
  for (const Incidence& incidence : all) ports = std::max(ports, incidence.port + 1);
  return ports;
}

class Graph final : public Topology {
 public:
  Graph(TopologySpec given, std::uint32_t routers, std::uint32_t hosts, std::vector<Incidence> all)
      : Topology(std::move(given), routers, hosts, ports_of(all)), incidences_(std::move(all)) {
    const GraphSpec& graph = spec().graph;
    channel_bound_ = static_cast<std::uint32_t>(2 * graph.links.size());
    first_.resize(graph.routers + 1);
    for (const Incidence& incidence : incidences_) ++first_[incidence.router + 1];
    for (std::uint32_t r = 0; r < graph.routers; ++r) first_[r + 1] += first_[r];
    port_of_.resize(channel_bound_);
    for (const Incidence& incidence : incidences_) port_of_[incidence.channel.value] = incidence.port;
    for (std::size_t k = 0; k < graph.links.size(); ++k)
      if (graph.links[k].own.stated()) note_own(graph.links[k].own, indexed("links", k));
    for (std::size_t h = 0; h < graph.host_links.size(); ++h)
      if (graph.host_links[h].own.stated()) note_own(graph.host_links[h].own, indexed("host_links", h));
    one_way_ = std::any_of(graph.links.begin(), graph.links.end(),
                           [](const GraphLink& link) { return link.one_way; });
    adopt_given_labels();
  }

  std::string whole_name() const override {
    const NamedValues& generator = spec().generator;
    if (generator.empty()) return "graph-" + std::to_string(routers()) + "r-" + std::to_string(hosts()) + "h";
    std::string name = generator.front().second;
    for (std::size_t i = 1; i < generator.size(); ++i) {
      const std::string& key = generator[i].first;
      if (key.starts_with("left-out-") || key.starts_with("one-way-"))
        continue;  // what an import says of itself
      name += (key == "seed" ? "-seed" : "-") + generator[i].second;
    }
    return name;
  }

  NodeId router_of(HostId host) const override { return NodeId{spec().graph.hosts[host.value]}; }
  bool given_by_links() const override { return true; }
  bool hosts_have_links() const override { return true; }
  Ways ways() const override { return one_way_ ? Ways::mixed : Ways::both; }

  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    const Incidence* found = find(node, port);
    if (found == nullptr || !found->leaves) return std::nullopt;
    return found->to;
  }
  ChannelId channel(NodeId node, PortId port) const override {
    const Incidence* found = find(node, port);
    assert(found != nullptr && found->leaves);
    return found->channel;
  }
  std::optional<ChannelEnds> ends(ChannelId channel) const override {
    if (channel.value >= channel_bound_) return std::nullopt;
    const GraphLink& link = spec().graph.links[channel.value / 2];
    const std::uint32_t side = channel.value % 2;
    if (side == 1 && link.one_way) return std::nullopt;
    return ChannelEnds{NodeId{link.ends[side]}, NodeId{link.ends[1 - side]}, PortId{port_of_[channel.value]}};
  }
  ChannelId opposite(ChannelId channel) const override { return ChannelId{channel.value ^ 1U}; }
  PortId arrival_port(ChannelId channel) const override { return PortId{port_of_[channel.value ^ 1U]}; }

  bool labelled() const override { return !spec().labels.empty(); }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    if (from == to) return 0;
    std::vector<std::uint32_t> hops(routers(), unreachable);
    std::vector<NodeId> queue{from};
    hops[from.value] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const NodeId node = queue[head];
      for (std::uint32_t i = first_[node.value]; i < first_[node.value + 1]; ++i) {
        const NodeId next = incidences_[i].to;
        if (!incidences_[i].leaves || hops[next.value] != unreachable) continue;
        hops[next.value] = hops[node.value] + 1;
        if (next == to) return hops[to.value];
        queue.push_back(next);
      }
    }
    return unreachable;
  }

 private:
  const Incidence* find(NodeId node, PortId port) const {
    const Incidence* first = incidences_.data() + first_[node.value];
    const Incidence* last = incidences_.data() + first_[node.value + 1];
    if (port.value < static_cast<std::uint32_t>(last - first) && first[port.value].port == port.value)
      return first + port.value;
    const Incidence* found = std::lower_bound(first, last, port.value,
                                              [](const Incidence& i, std::uint32_t p) { return i.port < p; });
    return found != last && found->port == port.value ? found : nullptr;
  }

  std::uint32_t stated(LinkValue what, ChannelId channel) const override {
    return spec().graph.links[channel.value / 2].own[what][channel.value % 2];
  }
  std::uint32_t stated(LinkValue what, HostId host, bool to_host) const override {
    const std::vector<HostLink>& links = spec().graph.host_links;
    return links.empty() ? 0 : links[host.value].own[what][to_host ? 1 : 0];
  }

  std::vector<Incidence> incidences_;
  std::vector<std::uint32_t> first_;    ///< of each router in incidences_
  std::vector<std::uint32_t> port_of_;  ///< of each channel, at its sender
  bool one_way_ = false;                ///< some links are
};

std::unique_ptr<const Topology> build_graph(TopologySpec spec) {
  if (!spec.sizes.empty()) throw InputError("family", "a graph has routers, hosts and links, no sizes");
  check_graph(spec.graph);
  std::vector<Incidence> all = incidences(spec.graph);
  const std::uint32_t routers = spec.graph.routers;
  const auto hosts = static_cast<std::uint32_t>(spec.graph.hosts.size());
  return std::make_unique<Graph>(std::move(spec), routers, hosts, std::move(all));
}

}  // namespace

extern const TopologyFamily topology_graph = {
    .name = "graph",
    .summary = "any network, link by link; written by the generators and by imports",
    .usage = "",
    .sizes_key = "",
    .cite = "Sivaram, Panda, Stunkel 1997",
    .build = build_graph,
};

}  // namespace wormcast
