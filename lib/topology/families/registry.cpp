// The explicit lists of topology families and generators. To add one: write its file, add a line to
// topologies.def or generators.def.
// SPDX-License-Identifier: MIT

#include "topology/connectivity.hpp"
#include "topology/generator.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"
#include "topology/relations/relation.hpp"
#include "topology/topology.hpp"

namespace wormcast {

#define TOPOLOGY(name) extern const TopologyFamily topology_##name;
#include "topology/families/topologies.def"

std::span<const TopologyFamily* const> topology_families() {
  static constexpr std::array list = {
#define TOPOLOGY(name) &topology_##name,
#include "topology/families/topologies.def"
  };
  return list;
}

const TopologyFamily* find_topology_family(std::string_view name) {
  return find_by_name(topology_families(), name);
}

std::unique_ptr<const Topology> build_topology(TopologySpec spec) {
  const TopologyFamily* family = find_topology_family(spec.family);
  if (family == nullptr)
    throw InputError(
        "family", unknown_name("topology family", spec.family, topology_families(), "gen-topology --list"));
  for (auto entry = spec.generator.begin(); entry != spec.generator.end(); ++entry)
    if (std::any_of(spec.generator.begin(), entry, [&](const auto& e) { return e.first == entry->first; }))
      throw InputError("generator." + entry->first, "the key appears twice in the same object");
  if (!spec.link_classes.empty() && family->sizes_key != "dims")
    refuse("link_classes", "they are of the dimensions of a grid, and this is a {}", spec.family);
  auto topology = family->build(std::move(spec));
  if (!topology->spec().open.empty() && !topology->ring_grid())
    throw InputError("open", "only dimensions of a torus whose links run both ways can be lines");
  if (topology->spec().root >= topology->routers())
    refuse("root", "router {} is not in {}", topology->spec().root, topology->name());
  if (topology->spec().virtual_channels > topology->virtual_channel_bound())
    refuse("virtual_channels", "{} are too many for {}, whose channels have ids for {} each",
           topology->spec().virtual_channels, topology->name(), topology->virtual_channel_bound());
  if (topology->spec().relation) check_relation(*topology->spec().relation, *topology);
  return topology;
}

#define GENERATOR(name) extern const Generator generator_##name;
#include "topology/families/generators.def"

std::span<const Generator* const> generators() {
  static constexpr std::array list = {
#define GENERATOR(name) &generator_##name,
#include "topology/families/generators.def"
  };
  return list;
}

const Generator* find_generator(std::string_view name) { return find_by_name(generators(), name); }

namespace {

/// "fat-tree --arity N --levels N": the parameters that have no default.
std::string shortest_call(const Generator& generator) {
  std::string call(generator.name);
  for (const GeneratorParameter& parameter : generator.parameters)
    if (!parameter.fallback) call += " --" + std::string(parameter.name) + " N";
  return call;
}

/// What the record says of the parameters, in their order; nothing unless it names each once and no others.
std::optional<std::vector<std::uint64_t>> stated_values(const NamedValues& stated,
                                                        const Generator& generator) {
  if (stated.size() != generator.parameters.size() + 1 || stated.front().first != "name" ||
      stated.front().second != generator.name)
    return std::nullopt;
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < generator.parameters.size(); ++i) {
    const auto& [name, text] = stated[i + 1];
    const auto value = whole_number<std::uint64_t>(text);
    if (name != generator.parameters[i].name || !value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

bool same_network(const GraphSpec& graph, const GraphSpec& made) {
  return graph.routers == made.routers && graph.hosts == made.hosts &&
         std::equal(graph.links.begin(), graph.links.end(), made.links.begin(), made.links.end(),
                    [](const GraphLink& a, const GraphLink& b) {
                      return a.ends == b.ends && a.one_way == b.one_way;
                    });
}

}  // namespace

TopologySpec generate(const Generator& generator, const std::vector<GivenParameter>& given) {
  for (const GivenParameter& parameter : given) {
    const auto own = [&](const GeneratorParameter& p) { return p.name == parameter.name; };
    if (std::none_of(generator.parameters.begin(), generator.parameters.end(), own))
      refuse("--" + std::string(parameter.name), "{} does not take this option, as in {}", generator.name,
             shortest_call(generator));
  }
  std::vector<std::uint64_t> values;
  NamedValues description{{"name", std::string(generator.name)}};
  for (const GeneratorParameter& parameter : generator.parameters) {
    std::optional<std::uint64_t> value = parameter.fallback;
    for (const GivenParameter& one : given)
      if (one.name == parameter.name) value = one.value;
    if (!value) refuse("--" + std::string(parameter.name), "is missing, as in {}", shortest_call(generator));
    values.push_back(*value);
    description.emplace_back(parameter.name, std::to_string(*value));
  }
  TopologySpec spec = generator.generate(values);
  spec.family = "graph";
  spec.generator = std::move(description);
  return spec;
}

void check_graph_size(std::string_view field, std::uint64_t routers, std::uint64_t hosts,
                      std::uint64_t links) {
  const auto check = [&](std::uint64_t count, const char* things, std::uint64_t most) {
    if (count > most) refuse(std::string(field), "makes {} {}, at most {}", count, things, most);
  };
  check(routers, "switches", max_generated_routers);
  check(hosts, "hosts", max_generated_hosts);
  check(links, "links", max_channel_ids / 2);
}

std::uint32_t best_root(const Topology& topology) {
  std::uint32_t best = 0;
  std::uint32_t best_eccentricity = unreachable;
  std::size_t best_links = 0;
  const Adjacency adjacency(topology);
  std::vector<std::uint32_t> hops;
  std::vector<NodeId> reached;
  for (std::uint32_t root = 0; root < topology.routers(); ++root) {
    adjacency.search(NodeId{root}, hops, reached);
    if (reached.size() < topology.routers())
      refuse("--root", "{} is not connected: router {} reaches {} of {}", topology.name(), root,
             reached.size(), topology.routers());
    const std::uint32_t eccentricity = hops[reached.back().value];
    const std::size_t links = adjacency.out(NodeId{root}).size();
    if (eccentricity > best_eccentricity || (eccentricity == best_eccentricity && links <= best_links))
      continue;
    best = root;
    best_eccentricity = eccentricity;
    best_links = links;
  }
  return best;
}

// A record may say that a generator made its graph and then hold other links, taken out by faults or changed
// by hand. So the graph is made again and compared, link by link.
std::optional<std::vector<std::uint64_t>> generated_by(const Topology& topology, std::string_view generator) {
  const Generator* entry = find_generator(generator);
  if (entry == nullptr || !topology.given_by_links()) return std::nullopt;
  auto values = stated_values(topology.spec().generator, *entry);
  if (!values) return std::nullopt;
  try {
    if (same_network(topology.spec().graph, entry->generate(*values).graph)) return values;
  } catch (const InputError&) {  // sizes that it does not take
  }
  return std::nullopt;
}

std::optional<Grid> host_grid(const Topology& topology) {
  if (topology.grid() != nullptr) return *topology.grid();
  const auto tiles = generated_by(topology, "cmesh");  // W, H, w, h
  if (!tiles) return std::nullopt;
  return Grid({static_cast<std::uint32_t>((*tiles)[0] * (*tiles)[2]),
               static_cast<std::uint32_t>((*tiles)[1] * (*tiles)[3])});
}

std::string not_generated_by(const Topology& topology, std::string_view generator) {
  const NamedValues& stated = topology.spec().generator;
  const std::string name(generator);
  if (!stated.empty() && stated.front().second == name)
    return "its links are not those of the " + name + " that its generator says";
  return "it needs a " + name + " of gen-topology";
}

}  // namespace wormcast
