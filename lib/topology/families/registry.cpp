// The explicit list of topology families. To add one: write its file, add a line to topologies.def.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "topology/error.hpp"
#include "topology/relations/relation.hpp"
#include "topology/suggestion.hpp"
#include "topology/topology.hpp"

namespace wormcast {

#define TOPOLOGY(name)                 \
  namespace topology_##name {          \
    extern const TopologyFamily entry; \
  }
#include "topology/families/topologies.def"
#undef TOPOLOGY

std::span<const TopologyFamily* const> topology_families() {
  static constexpr std::array list = {
#define TOPOLOGY(name) &topology_##name::entry,
#include "topology/families/topologies.def"
#undef TOPOLOGY
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
    throw InputError("link_classes", "they are of the dimensions of a grid, and this is a " + spec.family);
  auto topology = family->build(std::move(spec));
  if (!topology->spec().open.empty() && !topology->ring_grid())
    throw InputError("open", "only dimensions of a torus whose links run both ways can be lines");
  if (topology->spec().root >= topology->routers())
    throw InputError("root",
                     "router " + std::to_string(topology->spec().root) + " is not in " + topology->name());
  if (topology->spec().virtual_channels > topology->virtual_channel_bound())
    throw InputError("virtual_channels", std::to_string(topology->spec().virtual_channels) +
                                             " are too many for " + topology->name() +
                                             ", whose channels have ids for " +
                                             std::to_string(topology->virtual_channel_bound()) + " each");
  if (topology->spec().relation) check_relation(*topology->spec().relation, *topology);
  return topology;
}

}  // namespace wormcast
