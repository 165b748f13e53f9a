// Generators of graphs: named, with integer parameters. The signature, and the registry of them.
//
// To add a generator: write its file with one `extern const Generator generator_x`, and add GENERATOR(x) to
// generators.def.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// One integer parameter of a generator.
struct GeneratorParameter {
  std::string_view name;  ///< as on the command line without dashes: "open-ports"
  std::string_view summary;
  std::optional<std::uint64_t> fallback;  ///< nothing: it must be given
};

/// One registered generator. `generate` gets the values in the order of `parameters`, throws
/// InputError ("--ports") for ones it cannot take, and fills in links, hosts and root.
struct Generator {
  std::string_view name;
  std::string_view summary;
  std::string_view cite;
  std::span<const GeneratorParameter> parameters;
  TopologySpec (*generate)(std::span<const std::uint64_t> values);
  std::size_t sizes = 0;  ///< so many of the first parameters can be given as sizes, 4 4 or 4x4
};

/// Every generator, in the order of generators.def.
std::span<const Generator* const> generators();
/// The generator of that name, or nullptr.
const Generator* find_generator(std::string_view name);

/// A parameter the user gave.
struct GivenParameter {
  std::string_view name;
  std::uint64_t value = 0;
};
/// Runs the generator and writes down what made the graph. Throws InputError for a parameter that is
/// missing or not its own.
TopologySpec generate(const Generator& generator, const std::vector<GivenParameter>& given);

/// Most switches and hosts that a generator makes.
inline constexpr std::uint64_t max_generated_routers = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_generated_hosts = std::uint64_t{1} << 22;

/// Throws InputError on `field` unless a generator may make that many routers, hosts and links; generators
/// call it before they allocate. The numbers are products of parameters, each within 2^53.
void check_graph_size(std::string_view field, std::uint64_t routers, std::uint64_t hosts,
                      std::uint64_t links);

/// A link of a generated graph, behind those that there are.
inline void add_link(GraphSpec& graph, std::uint64_t from, std::uint64_t to, bool one_way = false) {
  GraphLink& link = graph.links.emplace_back();
  link.ends = {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
  link.one_way = one_way;
}

/// The router to start up*/down* from: least eccentricity, then most links, then lowest id. Throws
/// InputError for a network in several parts. O(routers · links).
std::uint32_t best_root(const Topology& topology);

/// The values of its parameters if `topology` has the hosts and the links, in the same order, that the
/// generator of that name makes of them; else nothing. Cost: O(links), as the generator.
std::optional<std::vector<std::uint64_t>> generated_by(const Topology& topology, std::string_view generator);

/// The grid of its hosts: its own, or that of a concentrated mesh, numbered row by row over the whole chip.
std::optional<Grid> host_grid(const Topology& topology);

/// Why it is not: "it needs a dragonfly that the generator made".
std::string not_generated_by(const Topology& topology, std::string_view generator);

/// Labels along a Hamiltonian path, or the reason why there are none.
struct HamiltonianLabels {
  std::vector<std::uint32_t> labels;  ///< of each router; empty if no path was found
  std::string reason;                 ///< why not, in words
  bool proven = false;                ///< without labels: that there is no path at all
};

/// Searches the routers of `topology`. The same seed gives the same path everywhere.
HamiltonianLabels find_hamiltonian_labels(const Topology& topology, std::uint64_t seed);

}  // namespace wormcast
