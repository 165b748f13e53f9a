// Codec of topology and end.
// SPDX-License-Identifier: MIT
#include "io/records/topology_record.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "io/records/multicast_record.hpp"
#include "io/records/network_members.hpp"
#include "io/text/members.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

enum Key : int {
  format_key = 1,
  family_key,
  dims_key,
  dimensions_key,
  routers_key,
  hosts_key,
  links_key,
  root_key,
  virtual_channels_key,
  labels_key,
  names_key,
  host_names_key,
  guids_key,
  host_guids_key,
  host_links_key,
  generator_key,
  relation_key
};
constexpr std::array<Member, 18> topology_members = {{{"kind"},
                                                      {"format"},
                                                      {"family"},
                                                      {"dims", false},
                                                      {"dimensions", false},
                                                      {"routers", false},
                                                      {"hosts", false},
                                                      {"links", false},
                                                      {"root", false},
                                                      {"virtual_channels", false},
                                                      {"labels", false},
                                                      {"names", false},
                                                      {"host_names", false},
                                                      {"guids", false},
                                                      {"host_guids", false},
                                                      {"host_links", false},
                                                      {"generator", false},
                                                      {"relation", false}}};

std::uint32_t number(const Value& value) { return static_cast<std::uint32_t>(value.integer(0, UINT32_MAX)); }

std::array<std::uint32_t, 2> pair(const Value& value) {
  std::array<std::uint32_t, 2> both{};
  std::size_t count = 0;
  value.each([&](const Value& one) {
    if (count < 2) both[count] = number(one);
    ++count;
  });
  if (count != 2) value.fail(fmt::format("{} numbers; there are two, one for each end", count));
  return both;
}

constexpr std::array<Member, 4> attribute_members = {
    {{"ports", false}, {"hop_cycles", false}, {"width", false}, {"speed", false}}};

/// Takes member `index` of attribute_members, of a link or of a host's.
template <class Link>
void read_attribute(int index, const Value& value, Link& link) {
  if (index == 0) link.ports = pair(value);
  if (index == 1) link.hop_cycles = pair(value);
  if (index == 2) link.width = static_cast<std::uint32_t>(value.integer(1, UINT32_MAX));
  if (index == 3) link.speed = value.text();
}

GraphLink read_link(const Value& value) {
  static constexpr std::array<Member, 6> members = {{{"ends"},
                                                     {"one_way", false},
                                                     {"ports", false},
                                                     {"hop_cycles", false},
                                                     {"width", false},
                                                     {"speed", false}}};
  GraphLink link;
  read_members<members>(value, [&](int member, const Value& of) {
    if (member == 0)
      link.ends = pair(of);
    else if (member == 1)
      link.one_way = of.boolean();
    else
      read_attribute(member - 2, of, link);
  });
  return link;
}

HostLink read_host_link(const Value& value) {
  HostLink link;
  read_members<attribute_members>(value,
                                  [&](int member, const Value& of) { read_attribute(member, of, link); });
  return link;
}

/// Which keys a record had that only graphs, or all but graphs, may have.
struct Seen {
  bool routers = false;
  bool hosts = false;
  bool links = false;
  bool graph_only = false;
  std::string_view sizes_key;
};

void check_keys(const TopologySpec& spec, const Seen& seen) {
  const TopologyFamily* family = find_topology_family(spec.family);
  if (family == nullptr)
    throw InputError(
        "family", unknown_name("topology family", spec.family, topology_families(), "gen-topology --list"));
  if (seen.sizes_key != family->sizes_key) {
    if (family->sizes_key.empty())
      throw InputError(std::string(seen.sizes_key), "a graph is given by routers, hosts and links");
    throw InputError(
        std::string(seen.sizes_key.empty() ? family->sizes_key : seen.sizes_key),
        fmt::format("the size of a {} is given by the key \"{}\"", spec.family, family->sizes_key));
  }
  if (!family->sizes_key.empty()) {
    if (seen.graph_only)
      throw InputError("family", fmt::format("routers, hosts, links and names belong to graphs, not to a {}",
                                             spec.family));
    return;
  }
  for (const auto& [found, key] :
       {std::pair{seen.routers, "routers"}, {seen.hosts, "hosts"}, {seen.links, "links"}})
    if (!found) throw InputError(key, "the key is missing");
}

void write_links(const std::vector<GraphLink>& links, RecordLine& line) {
  line.array(links, [&](const GraphLink& link) {
    write_pair(link.ends, line.raw("{").key("ends"));
    if (link.one_way) line.key("one_way").raw("true");
    write_link_members(link, line);
    line.raw("}");
  });
}

void write_host_links(const std::vector<HostLink>& links, RecordLine& line) {
  if (links.empty()) return;
  line.key("host_links").array(links, [&](const HostLink& link) {
    line.raw("{");
    write_link_members(link, line);
    line.raw("}");
  });
}

void write_names(std::string_view key, const std::vector<std::string>& names, RecordLine& line) {
  if (names.empty()) return;
  line.key(key).array(names, [&](const std::string& name) { line.string(name); });
}

void write_labels(const Topology& topology, RecordLine& line) {
  std::vector<std::uint32_t> nodes(topology.routers());
  std::iota(nodes.begin(), nodes.end(), 0u);
  line.key("labels").array(nodes,
                           [&](std::uint32_t node) { line.number(topology.label(NodeId{node}).value); });
}

}  // namespace

TopologySpec read_topology_record(const Value& record) {
  TopologySpec spec;
  Seen seen;
  read_record<topology_members>(record, [&](int member, const Value& value) {
    switch (member) {
      case format_key:
        if (value.integer(0) != 1)
          value.fail(fmt::format("format {}; this version reads format 1", value.shown()));
        break;
      case family_key:
        spec.family = value.text();
        break;
      case dims_key:
      case dimensions_key:
        if (!seen.sizes_key.empty()) value.fail("dims and dimensions exclude each other");
        seen.sizes_key = topology_members[static_cast<std::size_t>(member)].key;
        if (member == dims_key)
          value.each([&](const Value& size) { spec.sizes.push_back(size.integer(1)); });
        else
          spec.sizes.push_back(value.integer(1));
        break;
      case routers_key:
        seen.routers = true;
        spec.graph.routers = number(value);
        break;
      case hosts_key:
        seen.hosts = true;
        value.each([&](const Value& router) { spec.graph.hosts.push_back(number(router)); });
        break;
      case links_key:
        seen.links = true;
        value.each([&](const Value& link) { spec.graph.links.push_back(read_link(link)); });
        break;
      case root_key:
        spec.root = number(value);
        break;
      case virtual_channels_key:
        spec.virtual_channels = static_cast<std::uint32_t>(value.integer(1, 255));
        break;
      case labels_key:
        value.each([&](const Value& label) { spec.labels.push_back(number(label)); });
        if (spec.labels.empty()) value.fail("an empty array; leave the key out for the family's own labels");
        break;
      case names_key:
      case host_names_key:
      case guids_key:
      case host_guids_key: {
        seen.graph_only = true;
        std::vector<std::string>* const lists[] = {&spec.graph.names, &spec.graph.host_names,
                                                   &spec.graph.guids, &spec.graph.host_guids};
        value.each([&](const Value& name) { lists[member - names_key]->emplace_back(name.text()); });
        break;
      }
      case host_links_key:
        seen.graph_only = true;
        value.each([&](const Value& link) { spec.graph.host_links.push_back(read_host_link(link)); });
        break;
      case generator_key: {
        SharedValues values;
        Texts::read(value, values, {});
        spec.generator = values.values();
      } break;
      case relation_key:
        spec.relation = read_relation(value);
        break;
      default:
        break;
    }
  });
  seen.graph_only = seen.graph_only || seen.routers || seen.hosts || seen.links || !spec.generator.empty();
  check_keys(spec, seen);
  return spec;
}

std::string_view write_topology_record(const Topology& topology, RecordLine& line, bool labels_explicitly) {
  const TopologySpec& spec = topology.spec();
  const TopologyFamily* family = find_topology_family(spec.family);
  line.begin("topology").key("format").number(1).key("family").string(spec.family);
  if (family->sizes_key.empty()) {
    line.key("routers").number(spec.graph.routers);
    line.key("hosts").array(spec.graph.hosts, [&](std::uint32_t router) { line.number(router); });
    write_links(spec.graph.links, line.key("links"));
  } else if (line.key(family->sizes_key); family->sizes_key == topology_members[dims_key].key) {
    line.array(spec.sizes, [&](std::uint64_t size) { line.number(size); });
  } else {
    line.number(spec.sizes[0]);
  }
  if (spec.root != 0) line.key("root").number(spec.root);
  if (spec.virtual_channels != 0) line.key("virtual_channels").number(spec.virtual_channels);
  if ((labels_explicitly && topology.labelled()) || !spec.labels.empty()) write_labels(topology, line);
  write_names("names", spec.graph.names, line);
  write_names("host_names", spec.graph.host_names, line);
  write_names("guids", spec.graph.guids, line);
  write_names("host_guids", spec.graph.host_guids, line);
  write_host_links(spec.graph.host_links, line);
  if (!spec.generator.empty()) line.key("generator").values(spec.generator);
  if (spec.relation) write_relation(*spec.relation, line.key("relation"));
  return line.end();
}

void read_end_record(const Value& record) {
  static constexpr std::array<Member, 1> members = {{{"kind"}}};
  read_record<members>(record, [](int, const Value&) {});
}

}  // namespace wormcast::io
