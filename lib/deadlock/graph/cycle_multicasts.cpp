// Multicasts that may deadlock along a dependency cycle.
//
// First those that the dependencies came from; where messages are answered, few that have all of them, each
// as many as it can, one after the other (a cycle of many short stretches asks for more worms at a time than
// are explored). Then for each dependency some that are likely to have it: for channels u→v and v→w (or two
// outputs of one router) from the hosts at u and around it to hosts at v, at w and both. Where hosts sit on
// switches, the nearest hosts stand for a switch that has none.
// SPDX-License-Identifier: MIT
#include "deadlock/graph/dependency_graph.hpp"

#include <map>
#include <optional>
#include <span>

#include "topology/connectivity.hpp"
#include "topology/spread.hpp"

namespace wormcast {

namespace {

void add(MulticastSet& set, std::uint32_t source, std::vector<std::uint32_t> destinations,
         std::optional<std::uint32_t> vc_class = std::nullopt) {
  sort_unique(destinations);
  std::erase(destinations, source);
  if (!destinations.empty()) set.emplace(source, std::move(destinations), vc_class);
}

/// Where hosts are routers.
void add_around(const Topology& topology, const ChannelEnds& first, const ChannelEnds& next,
                MulticastSet& set) {
  std::vector<std::uint32_t> sources{first.from.value};
  for (std::uint32_t port = 0; port < topology.ports(); ++port)
    if (const auto near = topology.neighbour(first.from, PortId{port})) sources.push_back(near->value);
  for (const std::uint32_t source : sources) {
    add(set, source, {first.to.value, next.to.value});
    add(set, source, {next.to.value});
    add(set, source, {first.to.value, next.from.value, next.to.value});
  }
}

void add_direct(const CycleThere& at, MulticastSet& set) {
  std::vector<ChannelEnds> channels;
  for (const Dependency& edge : at.cycle) {
    const Resource resource = at.resources.describe(edge.from);
    if (resource.kind != Resource::Kind::network) continue;
    if (const auto ends = at.topology.ends(resource.channel)) channels.push_back(*ends);
  }
  for (std::size_t i = 0; i < channels.size(); ++i)
    add_around(at.topology, channels[i], channels[(i + 1) % channels.size()], set);
}

/// Where hosts sit on switches, or routes take ways of their own.
class HostsAround {
 public:
  HostsAround(const CycleThere& at, MulticastSet& set)
      : topology_(at.topology), resources_(at.resources), cycle_(at.cycle), hosts_(topology_), set_(set) {}

  /// The hosts nearest to any router of the cycle.
  std::vector<std::uint32_t> near(std::size_t most) const {
    std::vector<NodeId> routers;
    for (const Dependency& edge : cycle_)
      if (const auto way = output(edge.from)) routers.push_back(way->from);
    return hosts_near(routers, std::nullopt, most);
  }

  void add_all() {
    for (const Dependency& edge : cycle_) add_dependency(edge);
  }

 private:
  static constexpr std::size_t most_sources = 6;
  static constexpr std::size_t most_beyond = 2;

  struct Way {
    NodeId from;  ///< the switch that is asked for it
    NodeId to;
    std::optional<std::uint32_t> host;
  };

  void add_dependency(const Dependency& edge) {
    const auto held = output(edge.from);
    const auto wanted = output(edge.to);
    if (!held || !wanted) return;
    std::vector<std::uint32_t> sources = hosts_near({held->from}, std::nullopt, most_sources);
    if (held->from == wanted->from) {  // two outputs that wait for each other
      pair_up(sources, *held, *wanted);
      return;
    }
    for (const std::uint32_t source : sources)
      for (const std::uint32_t far : beyond(*wanted)) add(set_, source, {far});
    pair_up(sources, *held, *wanted);
  }

  std::optional<Way> output(ResourceId id) const {
    const Resource resource = resources_.describe(id);
    if (resource.kind == Resource::Kind::network) {
      const auto ends = topology_.ends(resource.channel);
      if (ends) return Way{ends->from, ends->to, std::nullopt};
    }
    if (resource.kind != Resource::Kind::consumption || !topology_.has_host(resource.host))
      return std::nullopt;
    const NodeId at = topology_.router_of(resource.host);
    return Way{at, at, resource.host.value};
  }

  /// The nearest to any of the routers, not through `barred`.
  std::vector<std::uint32_t> hosts_near(const std::vector<NodeId>& routers, std::optional<NodeId> barred,
                                        std::size_t most) const {
    std::vector<std::uint32_t> found;
    const auto enough = [&](NodeId router, NodeId) {
      for (const HostId host : hosts_.at(router))
        if (found.size() < most) found.push_back(host.value);
      return found.size() == most;
    };
    spread(topology_, routers, enough, barred);
    return found;
  }

  std::vector<std::uint32_t> beyond(const Way& way) const {
    if (way.host) return {*way.host};
    return hosts_near({way.to}, way.from, most_beyond);
  }

  void pair_up(const std::vector<std::uint32_t>& sources, const Way& one, const Way& other) {
    for (const std::uint32_t source : sources)
      for (const std::uint32_t a : beyond(one))
        for (const std::uint32_t b : beyond(other)) add(set_, source, {a, b});
  }

  const Topology& topology_;
  const Resources& resources_;
  const std::vector<Dependency>& cycle_;
  HostsByRouter hosts_;
  MulticastSet& set_;
};

}  // namespace

MulticastSet multicasts_along(const CycleThere& at) {
  MulticastSet set;
  for (const Dependency& edge : at.cycle) {
    const auto* cause = std::get_if<LegCause>(&edge.cause);
    if (cause == nullptr) continue;
    std::vector<std::uint32_t> to{cause->destination.value};
    if (cause->next_destination) to.push_back(cause->next_destination->value);
    add(set, cause->source.value, std::move(to), cause->vc_class);
  }
  if (at.topology.hosts_have_links() || !at.topology.spec().hostless.empty())
    set.merge(multicasts_around(at));
  else
    add_direct(at, set);
  return set;
}

MulticastSet messages_covering(const CycleThere& at, const WaysOfPair& ways_of) {
  constexpr std::size_t most_hosts = 128;
  struct Stretch {
    std::size_t length = 0;  ///< dependencies, one after the other
    std::uint32_t source = 0, destination = 0;
  };
  const std::size_t size = at.cycle.size();
  std::map<ResourceId, std::size_t> places;
  for (std::size_t i = 0; i < size; ++i) places[at.cycle[i].from] = i;
  std::vector<Stretch> longest(size);  // by the place that it begins with
  const auto take = [&](std::span<const ResourceId> way, std::uint32_t source, std::uint32_t destination) {
    for (std::size_t first = 0; first < way.size(); ++first) {
      const auto place = places.find(way[first]);
      if (place == places.end()) continue;
      std::size_t n = 0;
      while (n < size && first + n + 1 < way.size() &&
             way[first + n + 1] == at.cycle[(place->second + n) % size].to)
        ++n;
      if (n > longest[place->second].length) longest[place->second] = {n, source, destination};
    }
  };
  MulticastSet set;
  const std::vector<std::uint32_t> hosts = HostsAround(at, set).near(most_hosts);
  for (const std::uint32_t source : hosts)
    for (const std::uint32_t destination : hosts)
      if (source != destination)
        for (const std::vector<ResourceId>& way : ways_of(HostId{source}, HostId{destination}))
          take(way, source, destination);
  const std::size_t start = longest.front().length;  // where one message ends
  for (std::size_t covered = 0; covered < size;) {
    const Stretch& next = longest[(start + covered) % size];
    if (next.length == 0) return {};
    add(set, next.source, {next.destination});
    covered += next.length;
  }
  return set;
}

MulticastSet multicasts_around(const CycleThere& at) {
  MulticastSet set;
  HostsAround(at, set).add_all();
  return set;
}

MulticastSet small_multicasts(const CycleThere& at, std::size_t most) {
  MulticastSet set;
  const std::vector<std::uint32_t> hosts = HostsAround(at, set).near(most);
  for (const std::uint32_t source : hosts)
    for (const std::uint32_t a : hosts)
      for (const std::uint32_t b : hosts)
        if (a <= b) add(set, source, {a, b});
  return set;
}

MulticastSet drawn_multicasts(const CycleThere& at, std::size_t most, std::size_t count, std::size_t widest,
                              Random& random) {
  MulticastSet set;
  const std::vector<std::uint32_t> hosts = HostsAround(at, set).near(most);
  if (hosts.size() < 2) return set;  // the cycle is at nodes without hosts
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t wanted = 1 + random.below(std::min(widest, hosts.size() - 1));
    std::vector<std::uint32_t> to;
    for (const std::uint32_t h :
         sample(random, static_cast<std::uint32_t>(wanted), static_cast<std::uint32_t>(hosts.size())))
      to.push_back(hosts[h]);
    add(set, hosts[random.below(hosts.size())], std::move(to));
  }
  return set;
}

}  // namespace wormcast
