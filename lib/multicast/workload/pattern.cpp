// The explicit list of destination patterns, the checks that all of them share, and their options read
// against a topology; each refusal says what would be right.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "multicast/workload/pattern.hpp"
#include "topology/generator.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

#define PATTERN(name) extern const PatternEntry pattern_##name;
#define ALIAS(alias, name)
#include "multicast/workload/patterns.def"

std::span<const PatternEntry* const> destination_patterns() {
  static constexpr std::array list = {
#define PATTERN(name) &pattern_##name,
#define ALIAS(alias, name)
#include "multicast/workload/patterns.def"
  };
  return list;
}

const PatternEntry* find_destination_pattern(std::string_view name) {
  static constexpr std::pair<std::string_view, const PatternEntry*> aliases[] = {
#define PATTERN(name)
#define ALIAS(alias, name) {alias, &pattern_##name},
#include "multicast/workload/patterns.def"
  };
  return find_by_name(destination_patterns(), aliases, name);
}

namespace {

void refuse_foreign_options(const PatternEntry& pattern, const PatternOptions& options) {
  const auto check = [&](std::string_view option, bool given) {
    if (!given || std::find(pattern.options.begin(), pattern.options.end(), option) != pattern.options.end())
      return;
    std::string message = "pattern '" + std::string(pattern.name) + "' does not take it; patterns that do:";
    for (const PatternEntry* other : destination_patterns())
      if (std::find(other->options.begin(), other->options.end(), option) != other->options.end())
        message += " " + std::string(other->name);
    throw InputError(std::string(option), message);
  };
  check("--to", !options.to.empty());
  check("--destinations", !options.destinations.empty());
  check("--radius", !options.radius.empty());
  check("--rectangle", !options.rectangle.empty());
  check("--layers", !options.layers.empty());
  check("--hotspot", !options.hotspot.empty());
  check("--hotspot-share", !options.hotspot_share.empty());
  check("--permutation-seed", !options.permutation_seed.empty());
}

/// "mesh-4x3 (12 nodes)", and of a graph what they are called.
std::string nodes_of(const Topology& topology) {
  const std::uint32_t hosts = topology.host_count();
  std::string text = topology.name() + " (" + std::to_string(hosts) + (hosts == 1 ? " node)" : " nodes)");
  const std::vector<std::string>& names = topology.spec().graph.host_names;
  if (!names.empty())
    text += ": numbers 0 to " + std::to_string(topology.hosts() - 1) + ", or names such as '" +
            names.front().substr(0, 100) + "' and '" + names.back().substr(0, 100) + "'";
  return text;
}

HostId host_at(const Topology& topology, std::string_view field, std::string_view text) {
  const std::optional<Grid> grid = host_grid(topology);
  if (!grid)
    refuse_text(field, text, "has coordinates, but {} numbers its nodes, 0 to {}", topology.name(),
                topology.hosts() - 1);
  const std::vector<std::string_view> parts = parts_of(text, ',');
  if (parts.size() != grid->dimensions())
    refuse_text(field, text, "has {} coordinates, {} has {}", parts.size(), topology.name(),
                grid->dimensions());
  std::vector<std::uint32_t> coordinates;
  for (std::uint32_t d = 0; d < grid->dimensions(); ++d) {
    const std::uint64_t x = parse_integer(field, parts[d]);
    if (x >= grid->dims()[d]) refuse_text(field, text, "is not in {}", topology.name());
    coordinates.push_back(static_cast<std::uint32_t>(x));
  }
  return HostId{grid->node(coordinates).value};
}

}  // namespace

DestinationPattern bind_pattern(std::string_view name, const Topology& topology,
                                const PatternOptions& options) {
  const PatternEntry* pattern = find_destination_pattern(name);
  if (pattern == nullptr)
    throw InputError("--pattern",
                     unknown_name("pattern", name, destination_patterns(), "gen-multicast --list"));
  refuse_foreign_options(*pattern, options);
  return pattern->bind(topology, options);
}

std::uint64_t parse_integer(std::string_view field, std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    refuse_text(field, text, "is not a whole number");
  const auto value = whole_number<std::uint64_t>(text);
  if (!value || *value > max_integer) refuse_text(field, text, "is above 2^53-1");
  return *value;
}

HostNames::HostNames(const Topology& topology) : topology_(topology), names_(topology.hosts()) {
  const GraphSpec& graph = topology.spec().graph;
  names_.add(graph.host_names);
  names_.add(graph.host_guids);
  if (!graph.host_names.empty() || graph.names.empty()) return;
  for (std::uint32_t h = 0; h < graph.hosts.size(); ++h) names_.add(graph.names[graph.hosts[h]], h);
}

HostId HostNames::find(std::string_view field, std::string_view text) const {
  const NameTable::Found found = names_.find(text);
  const auto with_host = [&](HostId host) {
    if (!topology_.has_host(host))
      refuse_text(field, text, "is a node of {} without a host", topology_.name());
    return host;
  };
  if (found.answer == NameTable::Answer::found) return with_host(HostId{found.index});
  if (found.answer != NameTable::Answer::unknown)
    throw InputError(std::string(field), NameTable::refusal(found, text, "node", topology_.name()));
  if (text == "all") refuse_text(field, text, "is not a node; every other node is --pattern broadcast");
  if (names_.any()) refuse_text(field, text, "is not a node of {}", nodes_of(topology_));
  if (text.find(',') != std::string_view::npos) return with_host(host_at(topology_, field, text));
  const std::uint64_t node = parse_integer(field, text);
  refuse(std::string(field), "node {} is not in {}", node, nodes_of(topology_));
}

std::vector<HostId> parse_hosts(const Topology& topology, std::string_view field,
                                const std::vector<std::string>& texts) {
  std::vector<HostId> hosts;
  const HostNames names(topology);
  for (const std::string& text : texts) hosts.push_back(names.find(field, text));
  if (const auto* twice = twice_in(hosts)) refuse(std::string(field), "node {} is given twice", twice->value);
  return hosts;
}

DestinationCount parse_destination_count(const Topology& topology, std::string_view text) {
  constexpr std::string_view field = "--destinations";
  const std::vector<std::string_view> parts = parts_of(text.empty() ? "1" : text, ':');
  for (const std::string_view part : parts)
    if (parts.size() > 2 || part.empty() || part.find_first_not_of("0123456789") != std::string_view::npos)
      refuse_text(field, text, "is neither a number nor a range such as 4:8");
  const std::uint64_t least = parse_integer(field, parts.front());
  const std::uint64_t most = parse_integer(field, parts.back());
  if (least == 0) refuse_text(field, text, "allows an empty destination set; at least 1 is needed");
  if (least > most) refuse_text(field, text, "is an empty range");
  if (most >= topology.host_count())
    refuse(std::string(field), "{} destinations beside the source need {} nodes; {} has {}", most, most + 1,
           topology.name(), topology.host_count());
  return {static_cast<std::uint32_t>(least), static_cast<std::uint32_t>(most)};
}

std::vector<std::uint32_t> parse_extent(const Grid& grid, std::string_view field, std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text, 'x');
  if (parts.size() != grid.dimensions())
    refuse_text(field, text, "has {} sizes for {} dimensions (write 3x2)", parts.size(), grid.dimensions());
  std::vector<std::uint32_t> extent;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    const std::uint64_t size = parse_integer(field, parts[d]);
    if (size == 0) refuse_text(field, text, "has no nodes");
    if (size > grid.dims()[d])
      refuse_text(field, text, "is larger than the network: dimension {} has {} nodes", d, grid.dims()[d]);
    extent.push_back(static_cast<std::uint32_t>(size));
  }
  return extent;
}

const Grid& require_grid(const Topology& topology, std::string_view pattern) {
  if (topology.grid() == nullptr)
    refuse("--pattern", "'{}' needs coordinates (mesh, torus), which {} has not", pattern, topology.name());
  return *topology.grid();
}

void require_all_hosts(const Topology& topology, std::string_view pattern) {
  if (!topology.spec().hostless.empty())
    refuse("--pattern", "'{}' needs a host at every node, {} of {} have none", pattern,
           topology.spec().hostless.size(), topology.name());
}

Grid require_host_grid(const Topology& topology, std::string_view pattern) {
  const std::optional<Grid> grid = host_grid(topology);
  return grid ? *grid : require_grid(topology, pattern);
}

}  // namespace wormcast
