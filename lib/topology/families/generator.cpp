// The explicit list of generators. To add one: write its file, add a line to generators.def.
// SPDX-License-Identifier: MIT
#include "topology/generator.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "topology/connectivity.hpp"
#include "topology/error.hpp"
#include "topology/sizes.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {

#define GENERATOR(name)           \
  namespace generator_##name {    \
    extern const Generator entry; \
  }
#include "topology/families/generators.def"
#undef GENERATOR

std::span<const Generator* const> generators() {
  static constexpr std::array list = {
#define GENERATOR(name) &generator_##name::entry,
#include "topology/families/generators.def"
#undef GENERATOR
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

}  // namespace

TopologySpec generate(const Generator& generator, const std::vector<GivenParameter>& given) {
  for (const GivenParameter& parameter : given) {
    const auto own = [&](const GeneratorParameter& p) { return p.name == parameter.name; };
    if (std::none_of(generator.parameters.begin(), generator.parameters.end(), own))
      throw InputError(
          "--" + std::string(parameter.name),
          std::string(generator.name) + " does not take this option, as in " + shortest_call(generator));
  }
  std::vector<std::uint64_t> values;
  NamedValues description{{"name", std::string(generator.name)}};
  for (const GeneratorParameter& parameter : generator.parameters) {
    std::optional<std::uint64_t> value = parameter.fallback;
    for (const GivenParameter& one : given)
      if (one.name == parameter.name) value = one.value;
    if (!value)
      throw InputError("--" + std::string(parameter.name), "is missing, as in " + shortest_call(generator));
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
    if (count > most)
      throw InputError(std::string(field),
                       "makes " + std::to_string(count) + " " + things + ", at most " + std::to_string(most));
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
      throw InputError("--root", topology.name() + " is not connected: router " + std::to_string(root) +
                                     " reaches " + std::to_string(reached.size()) + " of " +
                                     std::to_string(topology.routers()));
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

}  // namespace wormcast
