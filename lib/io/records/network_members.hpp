// What the objects of topology records are made of: links, and a network's own routing relation.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "io/text/shapes.hpp"
#include "topology/relations/relation.hpp"

namespace wormcast::io {

/// A number for each end, or each way.
template <std::uint64_t least>
struct Pair {
  using Both = std::array<std::uint32_t, 2>;
  static void read(const Value& array, Both& to, const Scope& scope) {
    std::size_t count = 0;
    array.each([&](const Value& one) {
      if (count < 2) Number<least, UINT32_MAX>::read(one, to[count], scope);
      ++count;
    });
    if (count != 2) array.fail(std::to_string(count) + " numbers; there are two, one for each end or way");
  }
  static void write(const Both& both, RecordLine& line, const Scope&) {
    line.array(both, [&](std::uint32_t value) { line.number(value); });
  }
  static void clear(Both& both) { both = {}; }
  static std::string form() { return SomeOf<Number<least, UINT32_MAX>, 2, false, 2>::form(); }
};

/// What a link says of itself, as a member of its object.
template <class Link, LinkValue what>
struct Own {
  using Whole = Link;
  static auto& of(Whole& link) { return link.own[what]; }
  static auto& of(const Whole& link) { return link.own[what]; }
};
template <class Link, LinkValue what>
constexpr auto own_row(std::string_view meaning) {
  return row<Own<Link, what>, Pair<1>>(link_value_keys[static_cast<std::size_t>(what)], meaning)
      .only_if([](const Link& link) { return link.own[what][0] != 0; });
}
template <class Link>
inline constexpr auto own_rows =
    table(own_row<Link, LinkValue::hop_cycles>("cycles of a header, each way; omitted: the router model's"),
          own_row<Link, LinkValue::flit_cycles>("cycles of a flit, each way; omitted: the router model's"),
          own_row<Link, LinkValue::buffer_flits>(
              "slots of the buffer at its end, for each virtual channel; omitted: the router model's"));
template <class Link>
inline constexpr auto own_vcs_row = table(own_row<Link, LinkValue::virtual_channels>(
    "virtual channels, each way; omitted: the network's limit, which must be stated"));

/// What the links of routers and hosts have alike.
template <class Link>
inline constexpr auto link_rows = table(
    where_stated<&Link::ports, Optional<Pair<0>>>("ports",
                                                  "its port at each end, at most 65535; omitted: the lowest "
                                                  "free one, links in order, after all stated ones"),
    own_rows<Link>,
    where_stated<&Link::width, Number<1, UINT32_MAX>>(
        "width", "lanes; for people, as is `speed`: imports turn both into `flit_cycles`"),
    where_stated<&Link::speed, Text>("speed", "as in the source, such as `EDR`"));

/// The routing relation of a network's own.
struct RelationShape {
  using Shared = std::shared_ptr<const Relation>;
  static void read(const Value& value, Shared& to, const Scope& scope);
  static void write(const Shared& from, RecordLine& line, const Scope& scope);
  static void clear(Shared& relation) { relation.reset(); }
  static std::string form();
};

}  // namespace wormcast::io
