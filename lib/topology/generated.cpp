// A record may say that a generator made its graph and then hold other links, taken out by faults or changed
// by hand. So the graph is made again and compared, link by link.
// SPDX-License-Identifier: MIT
#include "topology/generator.hpp"

#include <algorithm>
#include <charconv>

#include "topology/error.hpp"

namespace wormcast {
namespace {

/// What the record says of the parameters, in their order; nothing unless it names each once and no others.
std::optional<std::vector<std::uint64_t>> stated_values(const NamedValues& stated,
                                                        const Generator& generator) {
  if (stated.size() != generator.parameters.size() + 1 || stated.front().first != "name" ||
      stated.front().second != generator.name)
    return std::nullopt;
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < generator.parameters.size(); ++i) {
    const auto& [name, text] = stated[i + 1];
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (name != generator.parameters[i].name || error != std::errc() || end != text.data() + text.size())
      return std::nullopt;
    values.push_back(value);
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

std::string not_generated_by(const Topology& topology, std::string_view generator) {
  const NamedValues& stated = topology.spec().generator;
  const std::string name(generator);
  if (!stated.empty() && stated.front().second == name)
    return "its links are not those of the " + name + " that its generator says";
  return "it needs a " + name + " of gen-topology";
}

}  // namespace wormcast
