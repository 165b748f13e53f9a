// Taking hosts, links and routers out of a network.
//
// Without some hosts a network is of the family that it was, and a grid also without some links; routers keep
// their numbers. Else the network is written down link by link, what is named goes, routers and hosts move up
// to fill the numbers of those that went; names, ports and the times of links stay. Random links are drawn
// one after the other, uniformly from those left whose loss keeps all routers that can reach each other
// together. Cost: O(routers + links · log links), however many faults; one way O(routers + links) for each.
// cite: Kruskal 1956 (both of his algorithms), Fenwick 1994.
// SPDX-License-Identifier: MIT
#include "topology/faults.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "topology/connectivity.hpp"
#include "topology/graphs.hpp"
#include "topology/name_table.hpp"
#include "topology/random.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Of a network that is written down link by link.
constexpr std::uint32_t most_fault_channels = 1u << 24;

std::optional<NodeId> by_coordinates(const Grid& grid, std::string_view text) {
  std::vector<std::uint32_t> coordinates;
  for (const std::string_view part : parts_of(text, ',')) {
    const auto value = whole_number(part);
    if (!value || coordinates.size() == grid.dimensions() || *value >= grid.dims()[coordinates.size()])
      return std::nullopt;
    coordinates.push_back(*value);
  }
  if (coordinates.size() != grid.dimensions()) return std::nullopt;
  return grid.node(coordinates);
}

NameTable::Found look_up(const Topology& topology, std::string_view text) {
  if (topology.grid() != nullptr && text.find(',') != std::string_view::npos) {
    const auto router = by_coordinates(*topology.grid(), text);
    return router ? NameTable::Found{NameTable::Answer::found, router->value} : NameTable::Found{};
  }
  NameTable routers(topology.routers());
  routers.add(topology.spec().graph.names);
  routers.add(topology.spec().graph.guids);
  return routers.find(text);
}

/// Both routers of "A,B", whichever of its commas is the one between them.
std::pair<NodeId, NodeId> ends_named(const Topology& topology, const std::string& text) {
  const std::string_view both = text;
  if (std::count(both.begin(), both.end(), ',') == 1) {
    const std::size_t comma = both.find(',');
    return {find_router(topology, "--without-link", both.substr(0, comma)),
            find_router(topology, "--without-link", both.substr(comma + 1))};
  }
  std::vector<std::pair<NodeId, NodeId>> readings;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
    const auto a = router_named(topology, both.substr(0, comma));
    const auto b = router_named(topology, both.substr(comma + 1));
    if (a && b) readings.emplace_back(*a, *b);
  }
  if (readings.size() != 1)
    refuse("--without-link", "'{}' {} two routers of {}", text.substr(0, 100),
           (readings.empty() ? "does not name" : "can be read in several ways as"), topology.name());
  return readings.front();
}

/// The numbers 0 to count − 1 in the order in which `random` draws them, each time one of those left
/// uniformly, counted from the lowest (a Fenwick tree knows how many are left below a number).
std::vector<std::uint32_t> drawn_order(std::uint32_t count, Random& random) {
  std::vector<std::uint32_t> left(std::size_t{count} + 1);  // [i]: of the numbers i − lowbit(i) to i − 1
  for (std::uint32_t i = 1; i <= count; ++i) left[i] = i & (~i + 1);
  const std::uint32_t widest = std::bit_floor(count);
  std::vector<std::uint32_t> order;
  for (std::uint32_t drawn = 0; drawn < count; ++drawn) {
    std::uint64_t place = random.below(count - drawn);
    std::uint32_t number = 0;
    for (std::uint32_t step = widest; step > 0; step /= 2)
      if (number + step <= count && left[number + step] <= place) {
        number += step;
        place -= left[number];
      }
    order.push_back(number);
    for (std::uint32_t i = number + 1; i <= count; i += i & (~i + 1)) --left[i];
  }
  return order;
}

/// Whether its sender cannot reach its receiver any more without the link; the other way, too, unless it runs
/// one way. O(routers + links).
bool is_needed(const GraphSpec& graph, const std::vector<bool>& gone, std::uint32_t link) {
  std::vector<std::vector<std::uint32_t>> out(graph.routers);
  for (std::uint32_t k = 0; k < graph.links.size(); ++k) {
    if (gone[k] || k == link) continue;
    const auto& ends = graph.links[k].ends;
    out[ends[0]].push_back(ends[1]);
    if (!graph.links[k].one_way) out[ends[1]].push_back(ends[0]);
  }
  const auto reaches = [&](std::uint32_t from, std::uint32_t to) -> bool {
    return marks_reached(graph.routers, {from}, [&](std::uint32_t at, const auto& visit) {
      for (const std::uint32_t next : out[at]) visit(next);
    })[to];
  };
  const auto& ends = graph.links[link].ends;
  return !reaches(ends[0], ends[1]) || (!graph.links[link].one_way && !reaches(ends[1], ends[0]));
}

/// Links are tried in a random order; one goes unless it is a bridge of what is then left. Those that stay
/// when all are tried are the spanning forest that prefers later links, so a link is to stay if and only if
/// it joins two pieces of the links after it (reverse-delete and Kruskal make the same forest). Where some
/// run one way each is tried by itself.
void remove_random(const GraphSpec& graph, const Faults& faults, std::vector<bool>& gone) {
  Random random = RandomStreams(faults.seed, "faults").stream(0);
  const auto links = static_cast<std::uint32_t>(graph.links.size());
  const std::vector<std::uint32_t> order = drawn_order(links, random);
  std::vector<bool> stays(links);
  RouterSets pieces(graph.routers);
  for (auto link = order.rbegin(); link != order.rend(); ++link)
    stays[*link] = gone[*link] || pieces.join(graph.links[*link].ends[0], graph.links[*link].ends[1]);
  const bool one_way =
      std::any_of(graph.links.begin(), graph.links.end(), [](const GraphLink& link) { return link.one_way; });
  std::uint64_t removed = 0;
  for (auto link = order.begin(); link != order.end() && removed < *faults.random; ++link) {
    if (gone[*link] || (one_way ? is_needed(graph, gone, *link) : stays[*link])) continue;
    gone[*link] = true;
    ++removed;
  }
  if (removed < *faults.random)
    refuse("--random-faults", "only {} of the links can go before the network falls into pieces", removed);
}

/// Takes out of each of the lists, unless it is empty, what is gone.
template <class... Lists>
void keep(const std::vector<bool>& gone, Lists&... lists) {
  const auto keep_in = [&](auto& list) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!gone[i]) std::swap(list[kept++], list[i]);
    list.resize(kept);
  };
  (keep_in(lists), ...);
}

/// Takes the routers out, with their hosts and links, and moves the others up.
Survivors remove_routers(TopologySpec& spec, const std::vector<bool>& routers_gone,
                         const std::vector<bool>& cores_off, std::vector<bool> links_gone) {
  GraphSpec& graph = spec.graph;
  Survivors left_over{numbers_from(0, graph.routers), numbers_from(0, graph.hosts.size()),
                      numbers_from(0, graph.links.size())};
  std::vector<std::uint32_t> moved(graph.routers);
  std::uint32_t left = 0;
  for (std::uint32_t r = 0; r < graph.routers; ++r) moved[r] = routers_gone[r] ? left : left++;
  std::vector<bool> hosts_gone;
  for (std::uint32_t& router : graph.hosts) {
    hosts_gone.push_back(routers_gone[router] || cores_off[router]);
    router = moved[router];
  }
  for (std::size_t k = 0; k < graph.links.size(); ++k) {
    for (std::uint32_t& end : graph.links[k].ends) {
      if (routers_gone[end]) links_gone[k] = true;
      end = moved[end];
    }
  }
  keep(hosts_gone, graph.hosts, graph.host_names, graph.host_guids, graph.host_links, left_over.hosts);
  keep(routers_gone, graph.names, graph.guids, graph.groups, left_over.routers);
  keep(links_gone, graph.links, left_over.links);
  std::map<std::uint32_t, std::uint32_t> numbers;  // a group without routers is none
  for (const std::uint32_t group : graph.groups) numbers[group] = 0;
  std::uint32_t groups = 0;
  for (auto& [group, number] : numbers) number = groups++;
  for (std::uint32_t& group : graph.groups) group = numbers[group];
  graph.routers = left;
  if (left == 0) throw InputError("--without-node", "no router is left");
  if (graph.hosts.empty())
    throw InputError(left < routers_gone.size() ? "--without-node" : "--without-core", "no host is left");
  spec.root = routers_gone[spec.root] ? 0 : moved[spec.root];
  return left_over;
}

/// Links that name no ports take the lowest free ones, which would be others once a link is gone.
void write_ports(const Topology& network, GraphSpec& graph) {
  for (std::size_t k = 0; k < graph.links.size(); ++k) {
    const ChannelId channel{static_cast<std::uint32_t>(2 * k)};
    graph.links[k].ports = {network.ends(channel)->port.value, network.arrival_port(channel).value};
  }
}

/// The routers that a text names: one, or on grids all that agree with it where it has no '*': "*,2" a row.
std::vector<std::uint32_t> routers_named(const Topology& topology, std::string_view field,
                                         std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text, ',');
  std::vector<std::uint32_t> found;
  if (topology.grid() == nullptr || std::find(parts.begin(), parts.end(), "*") == parts.end())
    return {find_router(topology, field, text).value};
  for (std::uint32_t r = 0; r < topology.routers(); ++r) {
    const std::vector<std::uint32_t> at = topology.grid()->coordinates(NodeId{r});
    if (std::equal(
            at.begin(), at.end(), parts.begin(), parts.end(),
            [](std::uint32_t x, std::string_view part) { return part == "*" || whole_number(part) == x; }))
      found.push_back(r);
  }
  if (found.empty())
    refuse(std::string(field), "'{}' names no router of {}", text.substr(0, 100), topology.name());
  return found;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

/// Adds the faults to what a record says about its network. Those of a network that had faults before are
/// numbered, "random-faults-2", so that the record says them all, in their order.
void tell(const Faults& faults, NamedValues& generator) {
  NamedValues told;
  if (!faults.links.empty()) told.emplace_back("without-link", joined(faults.links));
  if (!faults.routers.empty()) told.emplace_back("without-node", joined(faults.routers));
  if (!faults.cores.empty()) told.emplace_back("without-core", joined(faults.cores));
  if (faults.random) {
    told.emplace_back("random-faults", std::to_string(*faults.random));
    told.emplace_back("fault-seed", std::to_string(faults.seed));
  }
  const auto said = [&](const std::string& suffix) {
    return std::any_of(generator.begin(), generator.end(), [&](const auto& entry) {
      for (const char* name : {"without-link", "without-node", "without-core", "random-faults", "fault-seed"})
        if (entry.first == name + suffix) return true;
      return false;
    });
  };
  std::string suffix;
  for (std::uint32_t time = 2; said(suffix); ++time) suffix = "-" + std::to_string(time);
  for (auto& [name, value] : told) generator.emplace_back(name + suffix, std::move(value));
}

/// Marks all links between the two routers that a text names.
void take_links(const Topology& topology, const GraphSpec& graph, const std::string& text,
                std::vector<bool>& gone) {
  const auto [a, b] = ends_named(topology, text);
  bool found = false;
  for (std::size_t k = 0; k < graph.links.size(); ++k) {
    const auto& ends = graph.links[k].ends;
    if (std::minmax(ends[0], ends[1]) != std::minmax(a.value, b.value)) continue;
    found = gone[k] = true;
  }
  if (!found) refuse("--without-link", "no link joins the routers of '{}'", text.substr(0, 100));
}

/// Hosts and links of a network that stays of its family.
TopologySpec with_faults_of_family(const Topology& topology, const Faults& faults) {
  TopologySpec spec = topology.spec();
  for (const std::string& text : faults.cores)
    for (const std::uint32_t node : routers_named(topology, "--without-core", text))
      spec.hostless.push_back(node);
  sort_unique(spec.hostless);
  if (spec.hostless.size() == topology.routers()) throw InputError("--without-core", "no host is left");
  const GraphSpec links = faults.hosts_alone() ? GraphSpec{} : as_graph(topology).graph;
  std::vector<bool> gone(links.links.size());
  for (const std::string& text : faults.links) take_links(topology, links, text, gone);
  if (faults.random) remove_random(links, faults, gone);
  for (std::size_t k = 0; k < gone.size(); ++k)
    if (gone[k])
      spec.failed.push_back(
          topology.channel(NodeId{links.links[k].ends[0]}, PortId{(*links.links[k].ports)[0]}).value);
  sort_unique(spec.failed);
  if (!spec.failed.empty()) spec.labels.clear();  // they need not be a path of what is left
  return spec;
}

}  // namespace

std::optional<NodeId> router_named(const Topology& topology, std::string_view text) {
  const NameTable::Found found = look_up(topology, text);
  if (found.answer != NameTable::Answer::found) return std::nullopt;
  return NodeId{found.index};
}

NodeId find_router(const Topology& topology, std::string_view field, std::string_view text) {
  const NameTable::Found found = look_up(topology, text);
  if (found.answer != NameTable::Answer::found)
    throw InputError(std::string(field), NameTable::refusal(found, text, "router", topology.name()));
  return NodeId{found.index};
}

std::string router_name(const Topology& topology, NodeId router) {
  std::string name;
  if (const Grid* grid = topology.grid()) {
    for (const std::uint32_t x : grid->coordinates(router))
      name += (name.empty() ? "" : ",") + std::to_string(x);
    return name;
  }
  const std::vector<std::string>& names = topology.spec().graph.names;
  return names.empty() ? std::to_string(router.value) : names[router.value];
}

TopologySpec as_graph(const Topology& topology) {
  if (topology.given_by_links()) return topology.spec();
  if (topology.channel_bound() > most_fault_channels)
    refuse("", "{} is too large to be written link by link, at most {} channels", topology.name(),
           most_fault_channels);
  TopologySpec spec;
  spec.family = "graph";
  spec.root = topology.spec().root;
  spec.virtual_channels = topology.spec().virtual_channels;
  spec.generator = {{"name", topology.name()}};
  GraphSpec& graph = spec.graph;
  graph.routers = topology.routers();
  for (std::uint32_t r = 0; r < topology.routers(); ++r) {
    const NodeId router{r};
    if (topology.has_host(HostId{r})) {
      graph.hosts.push_back(r);
      graph.host_names.push_back(router_name(topology, router));
    }
    graph.names.push_back(router_name(topology, router));
    for (std::uint32_t port = 0; port < topology.ports(); ++port) {
      const auto to = topology.neighbour(router, PortId{port});
      const bool one_way = topology.one_way_grid();
      if (!to || (!one_way && !(router < *to))) continue;
      GraphLink link;
      link.ends = {r, to->value};
      link.one_way = one_way;
      // Up and down in a dimension are ports beside each other.
      link.ports = {
          port, one_way ? port ^ 1U : topology.arrival_port(topology.channel(router, PortId{port})).value};
      const ChannelId there = topology.channel(router, PortId{port});
      const ChannelId back = one_way ? there : topology.opposite(there);
      for (std::uint8_t i = 0; i < link_value_keys.size(); ++i)
        link.own.of[i] = {topology.own(LinkValue{i}, there, 0), topology.own(LinkValue{i}, back, 0)};
      graph.links.push_back(std::move(link));
    }
  }
  return spec;
}

TopologySpec with_faults(const Topology& topology, const Faults& faults, Survivors* survivors) {
  if (!topology.given_by_links() && (faults.hosts_alone() || (topology.grid() && faults.routers.empty())))
    return with_faults_of_family(topology, faults);
  if (topology.spec().relation)
    throw InputError("relation", "its channels get other numbers where links are taken out");
  TopologySpec spec = as_graph(topology);
  if (topology.given_by_links()) write_ports(topology, spec.graph);
  spec.labels.clear();  // a Hamiltonian path of the whole network need not be one of what is left
  if (faults.hosts_alone() && topology.labelled())
    for (std::uint32_t r = 0; r < topology.routers(); ++r)
      spec.labels.push_back(topology.label(NodeId{r}).value);
  std::vector<bool> routers_gone(spec.graph.routers), cores_off(spec.graph.routers);
  std::vector<bool> links_gone(spec.graph.links.size());
  for (const std::string& text : faults.routers)
    for (const std::uint32_t r : routers_named(topology, "--without-node", text)) routers_gone[r] = true;
  for (const std::string& text : faults.cores)
    for (const std::uint32_t r : routers_named(topology, "--without-core", text)) cores_off[r] = true;
  for (const std::string& text : faults.links) take_links(topology, spec.graph, text, links_gone);
  Survivors left = remove_routers(spec, routers_gone, cores_off, links_gone);
  if (faults.random) {
    std::vector<bool> drawn(spec.graph.links.size());
    remove_random(spec.graph, faults, drawn);
    keep(drawn, spec.graph.links, left.links);
  }
  if (survivors != nullptr) *survivors = std::move(left);
  tell(faults, spec.generator);
  return spec;
}

}  // namespace wormcast
