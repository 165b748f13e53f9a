// Codec of topology records: networks, their links, and a network's own routing relation.
// SPDX-License-Identifier: MIT
#include "io/records/topology_record.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/text/shapes.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"
#include "topology/relations/relation.hpp"

namespace wormcast::io {
namespace {

/// A topology as its record says it.
struct TopologyRecord {
  TopologySpec spec;
  std::string sizes_key;           ///< the key that gives the sizes
  std::set<std::string> of_graph;  ///< the keys it has that belong to graphs
};

constexpr std::string_view dims_key = "dims", dimensions_key = "dimensions";

struct Format {
  static void read(const Value& value, const TopologyRecord&, const Scope&) {
    if (value.integer(0) != 1)
      value.fail(fmt::format("format {}; this version reads format 1", value.shown()));
  }
  static void write(const TopologyRecord&, RecordLine& line, const Scope&) { line.number(1); }
  static std::string form() { return R"({"const":1})"; }
};
struct Family : Text {
  static std::string form() {
    std::vector<std::string_view> names;
    for (const TopologyFamily* family : topology_families()) names.push_back(family->name);
    return words_form(names);
  }
};

/// The sizes of grids, or the one of other families.
template <const std::string_view& key>
struct Sizes {
  static void read(const Value& value, TopologyRecord& to, const Scope& scope) {
    if (!to.sizes_key.empty()) value.fail("dims and dimensions exclude each other");
    to.sizes_key = key;
    if (key == dims_key)
      List<Number<1>>::read(value, to.spec.sizes, scope);
    else
      to.spec.sizes = {value.integer(1)};
  }
  static void write(const TopologyRecord& from, RecordLine& line, const Scope& scope) {
    if (key == dims_key)
      List<Number<1>>::write(from.spec.sizes, line, scope);
    else
      line.number(from.spec.sizes[0]);
  }
  static std::string form() {
    return key == dims_key ? SomeOf<Number<1>, 1, false, 32>::form() : Number<1, 23>::form();
  }
};
template <const std::string_view& key>
constexpr auto sizes_row(std::string_view meaning) {
  return row<Self<TopologyRecord>, Sizes<key>>(key, meaning).only_if([](const TopologyRecord& record) {
    return record.sizes_key == key;
  });
}

/// What only graphs have: `member` of a GraphSpec.
template <auto member, class Shape>
struct OfGraph {
  static void read(const Value& value, TopologyRecord& to, const Scope& scope) {
    to.of_graph.insert(value.place());
    Shape::read(value, to.spec.graph.*member, scope);
  }
  static void write(const TopologyRecord& from, RecordLine& line, const Scope& scope) {
    Shape::write(from.spec.graph.*member, line, scope);
  }
  static void clear(TopologyRecord& of) { of.spec.graph.*member = {}; }
  static std::string form() { return Shape::form(); }
};
template <auto member, class Shape>
constexpr auto of_graph(std::string_view key, std::string_view meaning) {
  return row<Self<TopologyRecord>, OfGraph<member, Shape>>(key, meaning)
      .only_if([](const TopologyRecord& record) { return is_stated(record.spec.graph.*member); });
}
/// One that every graph has.
template <auto member, class Shape>
constexpr auto of_every_graph(std::string_view key, std::string_view meaning) {
  return of_graph<member, Shape>(key, meaning).only_if([](const TopologyRecord& record) {
    return record.sizes_key.empty();
  });
}

/// A number for each end, or each way.
constexpr char wrong_ends[] = " numbers; there are two, one for each end or way";
template <std::uint64_t least>
using Pair = ArrayOf<Number<least, UINT32_MAX>, 2, wrong_ends>;

/// What a link says of itself, as a member of its object.
template <class Link, LinkValue what>
struct Own {
  using Whole = Link;
  static auto& of(auto& link) { return link.own[what]; }
};
template <class Link, LinkValue what>
constexpr auto own_row(std::string_view meaning) {
  return row<Own<Link, what>, Pair<1>>(link_value_keys[static_cast<std::size_t>(what)], meaning)
      .only_if([](const Link& link) { return link.own[what][0] != 0; });
}
template <class Link>
constexpr auto own_rows =
    table(own_row<Link, LinkValue::hop_cycles>("cycles of a header, each way; omitted: the router model's"),
          own_row<Link, LinkValue::flit_cycles>("cycles of a flit, each way; omitted: the router model's"),
          own_row<Link, LinkValue::buffer_flits>(
              "slots of the buffer at its end, for each virtual channel; omitted: the router model's"));
template <class Link>
constexpr auto own_vcs_row = table(own_row<Link, LinkValue::virtual_channels>(
    "virtual channels, each way; omitted: the network's limit, which must be stated"));

/// What the links of routers and hosts have alike.
template <class Link>
constexpr auto link_rows = table(
    where_stated<&Link::ports, Optional<Pair<0>>>("ports",
                                                  "its port at each end, at most 65535; omitted: the lowest "
                                                  "free one, links in order, after all stated ones"),
    own_rows<Link>,
    where_stated<&Link::width, Number<1, UINT32_MAX>>(
        "width", "lanes; for people, as is `speed`: imports turn both into `flit_cycles`"),
    where_stated<&Link::speed, Text>("speed", "as in the source, such as `EDR`"));

struct RouterCount : Number32 {
  static std::string form() { return Number<1, UINT32_MAX>::form(); }
};
/// Of each router or host.
using Names = List<Text>;
constexpr char no_labels[] = "an empty array; leave the key out for the family's own labels";
struct Labels : NotEmpty<List<Number32>, no_labels> {
  static std::string form() {
    std::string form = SomeOf<Number<>>::form();
    form.insert(1, R"("uniqueItems":true,)");
    return form;
  }
};
struct GeneratorValues : Texts {
  static void read(const Value& value, NamedValues& to, const Scope& scope) {
    SharedValues values;
    Texts::read(value, values, scope);
    to = values.values();
  }
};

constexpr auto graph_link_rows =
    table(always<&GraphLink::ends, Pair<0>>("ends", "two different routers; parallel links are separate"),
          where_stated<&GraphLink::one_way, Flag>(
              "one_way", "`true`: only the channel from `ends[0]` to `ends[1]` exists"),
          link_rows<GraphLink>, own_vcs_row<GraphLink>);
constexpr auto link_class_rows =
    table(always<&LinkClass::dimension, Number32>("dimension", "whose links they are"),
          row<Part<&LinkClass::every>, Number<1, UINT32_MAX>>(
              "every", "only those between blocks of so many nodes, counted from node 0; omitted: all")
              .only_if([](const LinkClass& one) { return one.every != 1; })
              .absent([](LinkClass& one) { one.every = 1; }),
          own_rows<LinkClass>, own_vcs_row<LinkClass>);

// Ids of a relation are checked, when the network is known, by check_relation().

constexpr char no_vcs[] = "an empty array; leave the key out for all";
struct SomeVcs : NotEmpty<Sorted<Number32>, no_vcs> {
  static std::string form() { return Sorted<Number<0, 254>>::form(); }
};
struct True : Flag {
  static void read(const Value& value, bool& to, const Scope&) {
    to = value.boolean();
    if (!to) value.fail("false; leave the key out");
  }
  static std::string form() { return R"({"const":true})"; }
};

constexpr auto channel_vcs_rows =
    table(always<&ChannelVcs::channel, Number32>("channel", "its id"),
          where_stated<&ChannelVcs::vcs, SomeVcs>("vcs", "omitted: all of the relation"));
using ListOfVcs = List<Object<channel_vcs_rows>>;
constexpr auto rule_rows = table(
    always<&RelationRule::router, Number32>("router", "where the header is"),
    always<&RelationRule::to, Sorted<Number32>>("to", "destination routers"),
    where_stated<&RelationRule::starts, True>("starts", "for worms that begin at the router"),
    where_stated<&RelationRule::from, ListOfVcs>("from", "for headers that come by these virtual channels"),
    always<&RelationRule::take, SomeOf<Object<channel_vcs_rows>>>(
        "take", "candidates, the preferred first (`vc_selection`)"));
constexpr auto network_relation_rows =
    table(always<&Relation::virtual_channels, Number<1, 255>>(
              "virtual_channels", "of each channel, at most the topology's limit; omitted: 1")
              .only_if([](const Relation& relation) { return relation.virtual_channels != 1; })
              .absent([](Relation& relation) { relation.virtual_channels = 1; }),
          always<&Relation::rules, List<Object<rule_rows>>>("rules", "in any order"));
struct RelationShape {
  using Shared = std::shared_ptr<const Relation>;
  static void read(const Value& value, Shared& to, const Scope& scope) {
    auto relation = std::make_shared<Relation>();
    Object<network_relation_rows>::read(value, *relation, scope);
    to = std::move(relation);
  }
  static void write(const Shared& from, RecordLine& line, const Scope& scope) {
    Object<network_relation_rows>::write(*from, line, scope);
  }
  static std::string form() { return Object<network_relation_rows>::form(); }
};

constexpr auto graph_rows =
    table(of_every_graph<&GraphSpec::routers, RouterCount>("routers", "graph: number of routers"),
          of_every_graph<&GraphSpec::hosts, SomeOf<Number32>>("hosts", "graph: the router of each host"),
          of_every_graph<&GraphSpec::links, List<Object<graph_link_rows>>>("links", "graph: its links"));
constexpr auto graph_detail_rows =
    table(of_graph<&GraphSpec::names, Names>("names", "graph: of the routers"),
          of_graph<&GraphSpec::host_names, Names>("host_names", "graph: of the hosts"),
          of_graph<&GraphSpec::guids, Names>("guids", "graph: GUIDs (or second names) of the routers"),
          of_graph<&GraphSpec::host_guids, Names>("host_guids", "graph: the same of the hosts' ports"),
          of_graph<&GraphSpec::host_links, List<Object<link_rows<HostLink>>>>(
              "host_links",
              "graph: the link of each host, as a link without `ends` and `one_way`; pairs are [at or to the "
              "router, at or to the host]"),
          of_graph<&GraphSpec::groups, List<Number32>>("groups",
                                                       "graph: group of each router, for dragonfly routing"),
          where_stated<Part<&TopologyRecord::spec, &TopologySpec::generator>, GeneratorValues>(
              "generator",
              "graph: what made it, with options and seed, and what an import left out; later faults are "
              "numbered (`random-faults-2`)"));

constexpr auto spec_rows =
    table(where_stated<&TopologySpec::root, Number32>(
              "root", "router at the root of up*/down* and spanning trees; omitted: 0"),
          where_stated<&TopologySpec::virtual_channels, Number<1, 255>>(
              "virtual_channels",
              "limit for each channel; omitted: what the routing function needs. Only allocating routers "
              "(`islip`) use more"),
          where_stated<&TopologySpec::open, Sorted<Number<0, 31>, 1>>(
              "open", "tori: dimensions that are lines, not rings"),
          where_stated<&TopologySpec::hostless, Sorted<Number32, 1>>(
              "hostless", "not graphs: nodes without a host, whose routers go on"),
          where_stated<&TopologySpec::labels, Labels>(
              "labels", "Hamiltonian-path label of each node; omitted: the family's own"));
constexpr auto links_of_grid_rows = table(
    where_stated<&TopologySpec::link_classes, List<Object<link_class_rows>>>(
        "link_classes",
        "mesh, tori: links that differ, such as the vertical ones of a stack; pairs are up, down; the last "
        "that names a link counts"),
    where_stated<&TopologySpec::failed, Sorted<Number32, 1>>(
        "failed", "mesh, tori: links that have failed, both ways, each by a channel of it"));
using Spec = Part<&TopologyRecord::spec>;
constexpr auto topology_rows =
    table(row<Self<TopologyRecord>, Format>("format", "version of this contract"),
          row<Part<&TopologyRecord::spec, &TopologySpec::family>, Family>(
              "family",
              "`torus-forward` and `torus-backward` are unidirectional; `ccc`: cube-connected cycles; "
              "`graph`: any network"),
          sizes_row<dims_key>("mesh, tori: nodes in each dimension, the fastest first"),
          sizes_row<dimensions_key>("hypercube (1 to 23), ccc (3 to 21)"), graph_rows,
          rows_of<Spec, spec_rows>(), rows_of<Spec, links_of_grid_rows>(), graph_detail_rows,
          where_stated<Part<&TopologyRecord::spec, &TopologySpec::relation>, RelationShape>(
              "relation", "the network's own routing relation, the routing function `given`"));

/// The sizes, and what else belongs to some families alone.
void check_keys(const TopologyRecord& record) {
  const TopologySpec& spec = record.spec;
  const std::string& sizes_key = record.sizes_key;
  const TopologyFamily* family = find_topology_family(spec.family);
  if (family == nullptr)
    throw InputError(
        "family", unknown_name("topology family", spec.family, topology_families(), "gen-topology --list"));
  if (sizes_key != family->sizes_key) {
    if (family->sizes_key.empty()) refuse(sizes_key, "a graph is given by routers, hosts and links");
    refuse(std::string(sizes_key.empty() ? family->sizes_key : sizes_key),
           "the size of a {} is given by the key \"{}\"", spec.family, family->sizes_key);
  }
  if (family->sizes_key != dims_key && !spec.failed.empty())
    refuse("failed", "links of a mesh or torus fail, not those of a {}", spec.family);
  if (!family->sizes_key.empty()) {
    if (!record.of_graph.empty() || !spec.generator.empty())
      refuse("family", "routers, hosts, links and names belong to graphs, not to a {}", spec.family);
    return;
  }
  if (!spec.hostless.empty()) refuse("hostless", "the hosts of a graph are those of the key \"hosts\"");
  for (const char* key : {"routers", "hosts", "links"})
    if (!record.of_graph.contains(key)) refuse(key, "the key is missing");
}

}  // namespace

TopologySpec read_topology_record(const Value& value) {
  TopologyRecord record;
  read_record_rows<topology_rows>(value, record, {});
  check_keys(record);
  return std::move(record.spec);
}

std::string_view write_topology_record(const Topology& topology, RecordLine& line, bool labels_explicitly) {
  TopologyRecord record{
      topology.spec(), std::string(find_topology_family(topology.spec().family)->sizes_key), {}};
  std::vector<std::uint32_t>& labels = record.spec.labels;
  if ((labels_explicitly && topology.labelled()) || !labels.empty()) {
    labels.clear();
    for (std::uint32_t node = 0; node < topology.routers(); ++node)
      labels.push_back(topology.label(NodeId{node}).value);
  }
  return write_record<topology_rows>("topology", record, line);
}

RecordForm topology_form() {
  // Each family with the keys that give its sizes, and without those of other families.
  std::map<std::string_view, std::string> families;
  for (const TopologyFamily* family : topology_families())
    families[family->sizes_key] +=
        fmt::format("{}\"{}\"", families[family->sizes_key].empty() ? "" : ",", family->name);
  const auto keys_of = [](const auto& rows, const char* form) {
    std::string all;
    for (const auto& row : rows) all += (all.empty() ? "" : ",") + fmt::format(fmt::runtime(form), row.key);
    return all;
  };
  constexpr const char *name = "\"{}\"", *excluded = R"({{"required":["{}"]}})";
  std::string rules;
  for (const auto& [sizes_key, names] : families) {
    std::string without;
    for (const auto& [other, of_others] : families)
      if (other != sizes_key)
        without += (without.empty() ? "" : ",") +
                   (other.empty() ? keys_of(graph_rows, excluded) + "," + keys_of(graph_detail_rows, excluded)
                                  : fmt::format(fmt::runtime(excluded), other));
    if (sizes_key.empty()) without += "," + fmt::format(fmt::runtime(excluded), "hostless");
    if (sizes_key != dims_key) without += "," + keys_of(links_of_grid_rows, excluded);
    rules += fmt::format(
        R"({}{{"properties":{{"family":{{"enum":[{}]}}}},"required":[{}],"not":{{"anyOf":[{}]}}}})",
        rules.empty() ? "" : ",", names,
        sizes_key.empty() ? keys_of(graph_rows, name) : fmt::format(fmt::runtime(name), sizes_key), without);
  }
  return {"topology", "Opens a segment and describes the network", row_forms<topology_rows>(),
          "\"oneOf\":[" + rules + "]"};
}

}  // namespace wormcast::io
