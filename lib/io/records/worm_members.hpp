// The worms inside plan and routes records.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/shapes.hpp"
#include "multicast/plan.hpp"

namespace wormcast::io {

/// Stands in a worm whose record names no source, until set_default_sources().
inline constexpr HostId unnamed_source{UINT32_MAX};

/// A worm that names no source starts at the multicast's.
template <class Worms>
void set_default_sources(HostId source, Worms& worms) {
  for (auto& worm : worms)
    if (worm.source == unnamed_source) worm.source = source;
}

/// An array beside another, one signed integer in [least, most] for each of its elements, kept in these at
/// `member`.
template <auto member, std::int64_t least, std::int64_t most>
struct Beside {
  template <class Elements>
  static void read(const Value& array, Elements& of, const Scope& scope) {
    std::size_t i = 0;
    array.each([&](const Value& element) {
      if (i == of.size()) array.fail("has more than " + std::to_string(of.size()) + " elements");
      Signed<least, most>::read(element, of[i++].*member, scope);
    });
    if (i != of.size())
      array.fail("has " + std::to_string(i) + " elements where " + std::to_string(of.size()) + " are needed");
  }
  template <class Elements>
  [[gnu::always_inline]] static bool read_written(WrittenText& text, Elements& of, const Scope& scope) {
    if (!text.stands('[')) return false;
    std::size_t i = 0;
    do {
      if (i == of.size() || !Signed<least, most>::read_written(text, of[i++].*member, scope)) return false;
    } while (text.stands(','));
    return i == of.size() && text.stands(']');
  }
  template <class Elements>
  static void write(const Elements& of, RecordLine& line, const Scope&) {
    line.integers(of, [](const auto& element) { return static_cast<std::int64_t>(element.*member); });
  }
  template <class Elements>
  static void clear(Elements&) {}
  static ValueForm form() { return List<Signed<least, most>>::form(); }
};

/// The stops of a worm. A branch stop is a router; which stops are is known only later, so the bound is the
/// larger one.
struct StopNodes {
  static void read(const Value& array, std::vector<Stop>& stops, const Scope& scope);
  [[gnu::always_inline]] static bool read_written(WrittenText& text, std::vector<Stop>& stops,
                                                  const Scope& scope) {
    const std::int64_t nodes = std::max(scope.network->hosts(), scope.network->routers());
    stops.clear();
    std::int32_t before = -1;
    return text.signed_numbers([&](std::int64_t node) {
      stops.push_back({static_cast<std::uint32_t>(node), before++, StopAction::deliver});
      return node >= 0 && node < nodes;
    });
  }
  static void write(const std::vector<Stop>& stops, RecordLine& line, const Scope&) {
    line.integers(stops, [](const Stop& stop) { return std::int64_t{stop.node}; });
  }
  static ValueForm form() { return SomeOf<Number<>>::form(); }
};

/// The indices of the stops where `action` happens.
template <StopAction action>
struct StopsWith {
  static void read(const Value& indices, std::vector<Stop>& stops, const Scope&);
  static void write(const std::vector<Stop>& stops, RecordLine& line, const Scope&);
  static void clear(std::vector<Stop>&) {}
  static ValueForm form() { return Sorted<Number<>, 0>::form(); }
  static bool any(const Worm& worm);
};

inline constexpr std::array<std::string_view, 2> replication_words = {"asynchronous", "lock-step"};

/// A worm of a plan. Its arrays beside `stops` need these first.
inline constexpr auto worm_rows = table(
    always<&Worm::source, Host>("source", "where it starts; omitted: the multicast's source")
        .only_if([](const Worm& worm) { return worm.after >= 0; })
        .absent([](Worm& worm) { worm.source = unnamed_source; }),
    always<&Worm::after, Signed<0, INT32_MAX>>(
        "after",
        "index in `worms` of an earlier worm: this one starts when that one has arrived at `source`; "
        "omitted: the multicast's start")
        .only_if([](const Worm& worm) { return worm.after >= 0; })
        .absent([](Worm& worm) { worm.after = -1; }),
    where_stated<&Worm::first_port, Port>(
        "first_port",
        "port by which it must leave its source; omitted: the routing function decides. A port that the "
        "function takes anyway changes nothing; functions that order labels refuse one against the order, "
        "`hc` all but its own and the wrap edges"),
    where_stated<&Worm::vc_class, Number<0, UINT32_MAX>>(
        "class",
        "message class, for routing functions that separate classes by virtual channels, or that go one of "
        "several ways by chance, at most 4,294,967,295; omitted: 0. One that the function does not know is "
        "refused: `two-network` and `dimension-order` on a `torus` know 0 and 1, `torus-ring` 0 to 3, those "
        "of the table below the ways that they draw, the others 0"),
    where_stated<&Worm::replication, Word<replication_words, 1>>(
        "replication",
        "the worm is a tree, also where it happens not to branch: at every node it requests at once all that "
        "follows, consumption channel included. Omitted: a worm that branches is an asynchronous tree, "
        "another a path, which requests the consumption channel first"),
    where_stated<&Worm::header_flits, Number<0, UINT32_MAX>>(
        "header_flits",
        "header flits that go ahead of the `length_flits` of the multicast, at most 4,294,967,295; omitted: "
        "as many as the router model says"),
    where_stated<&Worm::stops, StopNodes>("stops", "where it goes, in order"),
    always<&Worm::stops, Beside<&Stop::parent, -1, INT32_MAX>>(
        "parents",
        "for each stop the index of the stop before it, −1 for the source; parents come before children and "
        "the order of siblings is the order of branches; omitted: each stop follows the one before (a path)")
        .only_if([](const Worm& worm) { return !worm.stops.empty() && !is_chain(worm); })
        .after_others(),
    always<&Worm::stops, StopsWith<StopAction::relay>>(
        "relays",
        "indices into `stops`: stops whose node consumes a copy only to send it on; it is no destination")
        .only_if(StopsWith<StopAction::relay>::any)
        .after_others(),
    always<&Worm::stops, StopsWith<StopAction::branch>>(
        "branches",
        "indices into `stops`: stops (routers) that the worm only passes; nothing is consumed, and something "
        "must follow")
        .only_if(StopsWith<StopAction::branch>::any)
        .after_others());

/// Of a plan: an array of whole worms.
using PlanWorms = SomeOf<Object<worm_rows>>;

/// The halves of a certificate, of which there is at least one.
struct Certificate {
  static void read(const Value& array, std::vector<HalfCertificate>& certificate, const Scope& scope);
  static void write(const std::vector<HalfCertificate>& certificate, RecordLine& line, const Scope&);
  static ValueForm form();
};
RowForms certificate_rows();
inline constexpr std::string_view certificate_meaning =
    "at least one part: proof that a plan of `ocms` or `ocms-up-down` has the least traffic, one of `otms` "
    "or `otms-up-down` the least longest path (not that no other star of that length has less traffic) "
    "(`plan-multicast --certify`)";

/// An array of [longest_path_hops, traffic_channels], in plans [longest_path_hops, traffic_channels, worms]
/// where the worms are known; in routes there are none.
enum class FrontWorms : bool { none, known };
template <FrontWorms worms>
struct Front {
  static void read(const Value& array, std::vector<FrontPoint>& front, const Scope& scope);
  static void write(const std::vector<FrontPoint>& front, RecordLine& line, const Scope& scope);
  static ValueForm form();
};
inline constexpr std::string_view front_meaning =
    "`[longest_path_hops, traffic_channels, worms]` of every star of an `ocms` or `otms` plan that no other "
    "one beats in both, shortest path first (`plan-multicast --front`); the worms are such a star's, without "
    "`header_flits`, and may be left out; `routes` carry points without worms";

}  // namespace wormcast::io
