// A topology's own routing relation.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <memory>
#include <vector>

#include "io/records/network_members.hpp"

namespace wormcast::io {
namespace {

/// Checked, when the network is known, by check_relation().
using AnyId = Number<0, UINT32_MAX>;

struct VcsOfLanes : Sorted<Number<0, UINT32_MAX>> {
  static void read(const Value& array, std::vector<std::uint32_t>& to, const Scope& scope) {
    List<AnyId>::read(array, to, scope);
    if (to.empty()) array.fail("an empty array; leave the key out for all");
  }
  static std::string form() { return Sorted<Number<0, 254>>::form(); }
};
struct True : Flag {
  static void read(const Value& value, bool& to, const Scope&) {
    to = value.boolean();
    if (!to) value.fail("false; leave the key out");
  }
  static std::string form() { return R"({"const":true})"; }
};

constexpr auto lanes_rows =
    table(always<&RelationLanes::channel, AnyId>("channel", "its id"),
          where_stated<&RelationLanes::vcs, VcsOfLanes>("vcs", "omitted: all of the relation"));
using Lanes = List<Object<lanes_rows>>;
constexpr auto rule_rows =
    table(always<&RelationRule::router, AnyId>("router", "where the header is"),
          always<&RelationRule::to, Sorted<AnyId>>("to", "destination routers"),
          where_stated<&RelationRule::starts, True>("starts", "for worms that begin at the router"),
          where_stated<&RelationRule::from, Lanes>("from", "for headers that come by these lanes"),
          always<&RelationRule::take, SomeOf<Object<lanes_rows>>>(
              "take", "candidates, the preferred first (`vc_selection`)"));
constexpr auto network_relation_rows =
    table(always<&Relation::virtual_channels, Number<1, 255>>(
              "virtual_channels", "of each channel; omitted: 1. Those above the topology's limit stay unused")
              .only_if([](const Relation& relation) { return relation.virtual_channels != 1; })
              .absent([](Relation& relation) { relation.virtual_channels = 1; }),
          always<&Relation::rules, List<Object<rule_rows>>>("rules", "in any order"));

}  // namespace

void RelationShape::read(const Value& value, Shared& to, const Scope& scope) {
  auto relation = std::make_shared<Relation>();
  Object<network_relation_rows>::read(value, *relation, scope);
  to = std::move(relation);
}
void RelationShape::write(const Shared& from, RecordLine& line, const Scope& scope) {
  Object<network_relation_rows>::write(*from, line, scope);
}
std::string RelationShape::form() { return Object<network_relation_rows>::form(); }

}  // namespace wormcast::io
