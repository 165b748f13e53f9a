// Codec of topology and end.
// SPDX-License-Identifier: MIT
#include "io/topology_record.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <vector>

#include "io/members.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 7> topology_members = {{{"kind"},
                                                     {"format"},
                                                     {"family"},
                                                     {"dims", false},
                                                     {"dimensions", false},
                                                     {"virtual_channels", false},
                                                     {"labels", false}}};
constexpr int dims_member = 3;

}  // namespace

TopologySpec read_topology_record(const Value& record) {
  TopologySpec spec;
  std::string_view sizes_key;
  read_record(record, topology_members, [&](int member, const Value& value) {
    switch (member) {
      case 1:
        if (value.integer(0) != 1)
          value.fail(fmt::format("format {}; this version reads format 1", value.shown()));
        break;
      case 2:
        spec.family = value.text();
        break;
      case dims_member:
      case 4:
        if (!sizes_key.empty()) value.fail("dims and dimensions exclude each other");
        sizes_key = topology_members[static_cast<std::size_t>(member)].key;
        if (member == dims_member)
          value.each([&](const Value& size) { spec.sizes.push_back(size.integer(1)); });
        else
          spec.sizes.push_back(value.integer(1));
        break;
      case 5:
        spec.virtual_channels = static_cast<std::uint32_t>(value.integer(1, 255));
        break;
      case 6:
        value.each([&](const Value& label) {
          spec.labels.push_back(static_cast<std::uint32_t>(label.integer(0, UINT32_MAX)));
        });
        if (spec.labels.empty()) value.fail("an empty array; leave the key out for the family's own labels");
        break;
      default:
        break;
    }
  });
  const TopologyFamily* family = find_topology_family(spec.family);
  if (family == nullptr)
    throw InputError("family", unknown_name("topology family", spec.family, topology_families()));
  if (sizes_key != family->sizes_key)
    throw InputError(
        std::string(sizes_key.empty() ? family->sizes_key : sizes_key),
        fmt::format("the size of a {} is given by the key \"{}\"", spec.family, family->sizes_key));
  return spec;
}

std::string_view write_topology_record(const Topology& topology, RecordLine& line, bool labels_explicitly) {
  const TopologySpec& spec = topology.spec();
  const TopologyFamily* family = find_topology_family(spec.family);
  line.begin("topology").key("format").number(1).key("family").string(spec.family).key(family->sizes_key);
  if (family->sizes_key == topology_members[dims_member].key)
    line.array(spec.sizes, [&](std::uint64_t size) { line.number(size); });
  else
    line.number(spec.sizes[0]);
  if (spec.virtual_channels != 0) line.key("virtual_channels").number(spec.virtual_channels);
  if (labels_explicitly || !spec.labels.empty()) {
    std::vector<std::uint32_t> nodes(topology.routers());
    std::iota(nodes.begin(), nodes.end(), 0u);
    line.key("labels").array(nodes,
                             [&](std::uint32_t node) { line.number(topology.label(NodeId{node}).value); });
  }
  return line.end();
}

void read_end_record(const Value& record) {
  static constexpr std::array<Member, 1> members = {{{"kind"}}};
  read_record(record, members, [](int, const Value&) {});
}

}  // namespace wormcast::io
