// Codec of tables records.
// SPDX-License-Identifier: MIT
#include "io/tables_record.hpp"

#include <array>

#include "io/members.hpp"
#include "io/multicast_record.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 4> tables_members = {
    {{"kind"}, {"router"}, {"unicast", false}, {"multicast", false}}};
constexpr std::array<Member, 2> unicast_members = {{{"hop"}, {"destinations"}}};
constexpr std::array<Member, 2> group_members = {{{"group"}, {"hops"}}};

TableHop read_hop(const Value& value, const Topology& topology) {
  return static_cast<TableHop>(
      value.signed_integer(-std::int64_t{topology.hosts()}, std::int64_t{topology.channel_bound()} - 1));
}

}  // namespace

void read_tables_record(const Value& record, const Topology& topology, RouterTable& table) {
  table = RouterTable{};
  table.extras = read_record(record, tables_members, [&](int member, const Value& value) {
    if (member == 1)
      table.router = NodeId{static_cast<std::uint32_t>(value.integer(0, topology.routers() - 1))};
    if (member == 2)
      value.each([&](const Value& entry) {
        RouterTable::Unicast& unicast = table.unicast.emplace_back();
        read_members(entry, unicast_members, [&](int key, const Value& of) {
          if (key == 0)
            unicast.hop = read_hop(of, topology);
          else
            read_hosts(of, topology, unicast.destinations);
        });
      });
    if (member == 3)
      value.each([&](const Value& entry) {
        RouterTable::Group& group = table.multicast.emplace_back();
        read_members(entry, group_members, [&](int key, const Value& of) {
          if (key == 0)
            group.name = of.text();
          else
            of.each([&](const Value& hop) { group.hops.push_back(read_hop(hop, topology)); });
        });
      });
  });
  check_router_table(table, topology);
}

std::string_view write_tables_record(const RouterTable& table, RecordLine& line) {
  line.begin("tables").key("router").number(table.router.value);
  if (!table.unicast.empty())
    line.key("unicast").array(table.unicast, [&](const RouterTable::Unicast& entry) {
      line.raw("{").key("hop").signed_number(entry.hop);
      line.key("destinations").array(entry.destinations, [&](HostId host) { line.number(host.value); });
      line.raw("}");
    });
  if (!table.multicast.empty())
    line.key("multicast").array(table.multicast, [&](const RouterTable::Group& group) {
      line.raw("{").key("group").string(group.name);
      line.key("hops").array(group.hops, [&](TableHop hop) { line.signed_number(hop); });
      line.raw("}");
    });
  return line.end(table.extras);
}

}  // namespace wormcast::io
