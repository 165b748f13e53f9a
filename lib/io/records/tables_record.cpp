// Codec of tables records.
// SPDX-License-Identifier: MIT
#include "io/records/tables_record.hpp"

#include <array>

#include "io/records/multicast_record.hpp"
#include "io/text/members.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 6> tables_members = {{{"kind"},
                                                   {"router"},
                                                   {"unicast", false},
                                                   {"multicast", false},
                                                   {"sl2vl", false},
                                                   {"service_levels", false}}};
constexpr std::array<Member, 2> unicast_members = {{{"hop"}, {"destinations"}}};
constexpr std::array<Member, 3> group_members = {{{"group"}, {"hops"}, {"service_level", false}}};
constexpr std::array<Member, 3> sl2vl_members = {{{"in"}, {"out"}, {"vcs"}}};
constexpr std::array<Member, 3> level_members = {{{"level"}, {"sources"}, {"destinations"}}};

TableHop read_hop(const Value& value, const Topology& topology) {
  return static_cast<TableHop>(
      value.signed_integer(-std::int64_t{topology.hosts()}, std::int64_t{topology.channel_bound()} - 1));
}

std::uint8_t read_level(const Value& value) {
  return static_cast<std::uint8_t>(value.integer(0, service_levels - 1));
}

RouterTable::Sl2vl read_sl2vl(const Value& entry, const Topology& topology) {
  RouterTable::Sl2vl result;
  read_members<sl2vl_members>(entry, [&](int key, const Value& of) {
    if (key == 2) {
      std::size_t level = 0;
      of.each([&](const Value& vc) {
        if (level < service_levels) result.vcs[level] = static_cast<std::uint8_t>(vc.integer(0, no_lane));
        ++level;
      });
      if (level != service_levels)
        of.fail(std::to_string(level) + " virtual channels; there are 16 service levels");
      return;
    }
    of.each(
        [&](const Value& hop) { (key == 0 ? result.in : result.out).push_back(read_hop(hop, topology)); });
  });
  return result;
}

RouterTable::PathLevel read_path_level(const Value& entry, const Topology& topology) {
  RouterTable::PathLevel result;
  read_members<level_members>(entry, [&](int key, const Value& of) {
    if (key == 0)
      result.level = read_level(of);
    else
      List<Host>::read(of, key == 1 ? result.sources : result.destinations, {&topology});
  });
  return result;
}

void write_sl2vl(const std::vector<RouterTable::Sl2vl>& entries, RecordLine& line) {
  const auto number = [&](TableHop hop) { line.signed_number(hop); };
  line.key("sl2vl").array(entries, [&](const RouterTable::Sl2vl& entry) {
    line.raw("{").key("in").array(entry.in, number);
    line.key("out").array(entry.out, number);
    line.key("vcs").array(entry.vcs, [&](std::uint8_t vc) { line.number(vc); });
    line.raw("}");
  });
}

void write_path_levels(const std::vector<RouterTable::PathLevel>& entries, RecordLine& line) {
  const auto number = [&](HostId host) { line.number(host.value); };
  line.key("service_levels").array(entries, [&](const RouterTable::PathLevel& entry) {
    line.raw("{").key("level").number(entry.level);
    line.key("sources").array(entry.sources, number);
    line.key("destinations").array(entry.destinations, number);
    line.raw("}");
  });
}

}  // namespace

void read_tables_record(const Value& record, const Topology& topology, RouterTable& table) {
  table = RouterTable{};
  table.extras = read_record<tables_members>(record, [&](int member, const Value& value) {
    if (member == 1)
      table.router = NodeId{static_cast<std::uint32_t>(value.integer(0, topology.routers() - 1))};
    if (member == 2)
      value.each([&](const Value& entry) {
        RouterTable::Unicast& unicast = table.unicast.emplace_back();
        read_members<unicast_members>(entry, [&](int key, const Value& of) {
          if (key == 0)
            unicast.hop = read_hop(of, topology);
          else
            List<Host>::read(of, unicast.destinations, {&topology});
        });
      });
    if (member == 3)
      value.each([&](const Value& entry) {
        RouterTable::Group& group = table.multicast.emplace_back();
        read_members<group_members>(entry, [&](int key, const Value& of) {
          if (key == 0) group.name = of.text();
          if (key == 1) of.each([&](const Value& hop) { group.hops.push_back(read_hop(hop, topology)); });
          if (key == 2) group.service_level = read_level(of);
        });
      });
    if (member == 4)
      value.each([&](const Value& entry) { table.sl2vl.push_back(read_sl2vl(entry, topology)); });
    if (member == 5)
      value.each(
          [&](const Value& entry) { table.service_levels.push_back(read_path_level(entry, topology)); });
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
      if (group.service_level) line.key("service_level").number(*group.service_level);
      line.raw("}");
    });
  if (!table.sl2vl.empty()) write_sl2vl(table.sl2vl, line);
  if (!table.service_levels.empty()) write_path_levels(table.service_levels, line);
  return line.end(table.extras);
}

}  // namespace wormcast::io
