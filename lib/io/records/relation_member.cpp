// Codec of a topology's own routing relation.
// SPDX-License-Identifier: MIT
#include "io/records/network_members.hpp"

#include <array>
#include <vector>

#include "io/text/members.hpp"

namespace wormcast::io {
namespace {

std::uint32_t id(const Value& value) { return static_cast<std::uint32_t>(value.integer(0, UINT32_MAX)); }

RelationLanes read_lanes(const Value& value) {
  static constexpr std::array<Member, 2> members = {{{"channel"}, {"vcs", false}}};
  RelationLanes lanes;
  read_members<members>(value, [&](int member, const Value& of) {
    if (member == 0)
      lanes.channel = ChannelId{id(of)};
    else
      of.each([&](const Value& vc) { lanes.vcs.push_back(id(vc)); });
    if (member == 1 && lanes.vcs.empty()) of.fail("an empty array; leave the key out for all");
  });
  return lanes;
}

RelationRule read_rule(const Value& value) {
  static constexpr std::array<Member, 5> members = {
      {{"router"}, {"to"}, {"starts", false}, {"from", false}, {"take"}}};
  RelationRule rule;
  read_members<members>(value, [&](int member, const Value& of) {
    switch (member) {
      case 0:
        rule.router = NodeId{id(of)};
        break;
      case 1:
        of.each([&](const Value& router) { rule.to.push_back(NodeId{id(router)}); });
        break;
      case 2:
        rule.starts = of.boolean();
        if (!rule.starts) of.fail("false; leave the key out");
        break;
      case 3:
        of.each([&](const Value& lanes) { rule.from.push_back(read_lanes(lanes)); });
        break;
      default:
        of.each([&](const Value& lanes) { rule.take.push_back(read_lanes(lanes)); });
        break;
    }
  });
  return rule;
}

void write_lanes(const std::vector<RelationLanes>& all, RecordLine& line) {
  line.array(all, [&](const RelationLanes& lanes) {
    line.raw("{").key("channel").number(lanes.channel.value);
    if (!lanes.vcs.empty()) line.key("vcs").array(lanes.vcs, [&](std::uint32_t vc) { line.number(vc); });
    line.raw("}");
  });
}

}  // namespace

std::shared_ptr<const Relation> read_relation(const Value& value) {
  static constexpr std::array<Member, 2> members = {{{"virtual_channels", false}, {"rules"}}};
  auto relation = std::make_shared<Relation>();
  read_members<members>(value, [&](int member, const Value& of) {
    if (member == 0)
      relation->virtual_channels = static_cast<std::uint32_t>(of.integer(1, 255));
    else
      of.each([&](const Value& rule) { relation->rules.push_back(read_rule(rule)); });
  });
  return relation;
}

void write_relation(const Relation& relation, RecordLine& line) {
  line.raw("{");
  if (relation.virtual_channels != 1) line.key("virtual_channels").number(relation.virtual_channels);
  line.key("rules").array(relation.rules, [&](const RelationRule& rule) {
    line.raw("{").key("router").number(rule.router.value);
    line.key("to").array(rule.to, [&](NodeId router) { line.number(router.value); });
    if (rule.starts) line.key("starts").boolean(true);
    if (!rule.from.empty()) write_lanes(rule.from, line.key("from"));
    write_lanes(rule.take, line.key("take"));
    line.raw("}");
  });
  line.raw("}");
}

}  // namespace wormcast::io
