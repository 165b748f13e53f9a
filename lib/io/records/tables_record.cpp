// Codec of tables records.
// SPDX-License-Identifier: MIT
#include "io/records/topology_record.hpp"

#include "io/text/shapes.hpp"

namespace wormcast::io {
namespace {

/// A channel that leaves the router, or −1 − host for what its host consumes.
struct HopOfTable {
  static void read(const Value& value, TableHop& to, const Scope& scope) {
    to = static_cast<TableHop>(value.signed_integer(-std::int64_t{scope.network->hosts()},
                                                    std::int64_t{scope.network->channel_bound()} - 1));
  }
  static void write(TableHop from, RecordLine& line, const Scope&) { line.signed_number(from); }
  static std::string form() { return hop_form(); }
};
using Level = Number<0, service_levels - 1>;
using Hosts = Sorted<Host>;
using Links = Sorted<HopOfTable>;

/// A virtual channel for each service level.
constexpr char wrong_levels[] = " virtual channels; there are 16 service levels";
using VcsByLevel = ArrayOf<Number<0, no_lane>, service_levels, wrong_levels>;

using Unicast = RouterTable::Unicast;
using Group = RouterTable::Group;
using Sl2vl = RouterTable::Sl2vl;
using PathLevel = RouterTable::PathLevel;
constexpr auto unicast_rows =
    table(always<&Unicast::hop, HopOfTable>("hop",
                                            "a channel that leaves the router, or −1 − h for its own host h"),
          always<&Unicast::destinations, Hosts>("destinations", "hosts reached by it"));
constexpr auto group_rows =
    table(always<&Group::name, Text>("group", "its name"),
          always<&Group::hops, Links>(
              "hops",
              "its links here. What comes by one leaves by all others, what comes by any other link by all"),
          where_stated<&Group::service_level, Level>("service_level", "the same at every router"));
constexpr auto sl2vl_rows = table(
    always<&Sl2vl::in, Links>("in", "incoming links, written as in `multicast`"),
    always<&Sl2vl::out, Links>("out", "outgoing links. Two links stand together at most once"),
    always<&Sl2vl::vcs, VcsByLevel>(
        "vcs",
        "virtual channel on the next link for each service level; 15, and what no entry names, is dropped"));
constexpr auto path_level_rows =
    table(always<&PathLevel::level, Level>("level", "of what `sources` send to `destinations`"),
          always<&PathLevel::sources, Hosts>("sources", "hosts of this router"),
          always<&PathLevel::destinations, Hosts>("destinations", "two hosts stand together at most once"));
constexpr auto tables_rows =
    table(always<&RouterTable::router, Below<routers_of>>("router", "whose table it is"),
          where_stated<&RouterTable::unicast, List<Object<unicast_rows>>>("unicast",
                                                                          "a host in no entry is not routed"),
          where_stated<&RouterTable::multicast, List<Object<group_rows>>>("multicast", "multicast groups"),
          where_stated<&RouterTable::sl2vl, List<Object<sl2vl_rows>>>("sl2vl", "InfiniBand's SL2VL tables"),
          where_stated<&RouterTable::service_levels, List<Object<path_level_rows>>>("service_levels",
                                                                                    "of pairs of hosts"));

}  // namespace

void read_tables_record(const Value& record, const Topology& topology, RouterTable& table) {
  table = RouterTable{};
  table.extras = read_record_rows<tables_rows>(record, table, {&topology});
  check_router_table(table, topology);
}

std::string_view write_tables_record(const RouterTable& table, RecordLine& line) {
  return write_record<tables_rows>("tables", table, line, table.extras);
}

RecordForm tables_form() {
  return {"tables", "The forwarding table of one router", row_forms<tables_rows>()};
}

}  // namespace wormcast::io
