// The worms inside plan and routes records.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
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
  static std::string form() { return List<Signed<least, most>>::form(); }
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
  static std::string form() { return SomeOf<Number<>>::form(); }
};

/// Takes hops as a record numbers them, their parents the usual ones: the nearest channel hop before.
class HopTaker {
 public:
  HopTaker(const Topology& topology, std::vector<RouteHop>& hops)
      : hosts_(topology.hosts()), channels_(topology.channel_bound()), hops_(hops) {
    hops.clear();
  }
  bool in_range(std::int64_t target) const { return target >= -hosts_ && target < channels_; }
  void take(std::int64_t target) {
    const bool channel = target >= 0;
    hops_.push_back({static_cast<std::uint32_t>(channel ? target : ~target), last_channel_, 0,
                     channel ? RouteHop::Kind::channel : RouteHop::Kind::deliver, 0});
    last_channel_ = channel ? index_ : last_channel_;
    ++index_;
  }
  std::int64_t least() const { return -hosts_; }
  std::int64_t most() const { return channels_ - 1; }

 private:
  std::int64_t hosts_;
  std::int64_t channels_;
  std::vector<RouteHop>& hops_;
  std::int32_t last_channel_ = -1;
  std::int32_t index_ = 0;
};

/// Writes them so.
inline void write_hops(const std::vector<RouteHop>& hops, RecordLine& line) {
  line.integers(hops, [](const RouteHop& hop) {
    return hop.is_channel() ? std::int64_t{hop.target} : ~std::int64_t{hop.target};
  });
}

/// The indices of those elements of `list` whose `member` is `marked`.
template <auto list, auto member, auto marked>
struct Indices {
  template <class Elements>
  static void write(const Elements& of, RecordLine& line, const Scope&) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i].*member == marked) indices.push_back(i);
    line.array(indices, [&](std::size_t i) { line.number(i); });
  }
  template <class Elements>
  static void clear(Elements&) {}
  static std::string form() { return Sorted<Number<>, 0>::form(); }
  template <class T>
  static bool any(const T& of) {
    return std::any_of((of.*list).begin(), (of.*list).end(),
                       [](const auto& element) { return element.*member == marked; });
  }
};
/// Those of the stops where `action` happens.
template <StopAction action>
struct StopsWith : Indices<&Worm::stops, &Stop::action, action> {
  static void read(const Value& indices, std::vector<Stop>& stops, const Scope&);
};

inline constexpr std::array<std::string_view, 2> replication_words = {"asynchronous", "lock-step"};

/// A worm of a plan. Its arrays beside `stops` need these first.
inline constexpr auto worm_rows = table(
    always<&Worm::source, Host>("source", "omitted: the multicast's")
        .only_if([](const Worm& worm) { return worm.after >= 0; })
        .absent([](Worm& worm) { worm.source = unnamed_source; }),
    always<&Worm::after, Signed<0, INT32_MAX>>("after",
                                               "index of an earlier worm: this one starts when that one has "
                                               "arrived at `source`; omitted: with the multicast")
        .only_if([](const Worm& worm) { return worm.after >= 0; })
        .absent([](Worm& worm) { worm.after = -1; }),
    where_stated<&Worm::first_port, Port>(
        "first_port",
        "port by which it leaves its source; omitted: the routing function's. Label functions refuse one "
        "against the order, `hc` all but its own and wrap edges"),
    where_stated<&Worm::vc_class, Number32>(
        "class",
        "message class: virtual channels, or the way drawn (3.3); omitted: 0. `two-network`, "
        "`dimension-order` on a `torus` know 0 and 1, `torus-ring` 0 to 3, others 0; others are refused"),
    where_stated<&Worm::replication, Word<replication_words, std::size_t(Copies::asynchronous)>>(
        "replication",
        "the worm is a tree, even without branches: each node requests all that follows at once. Omitted: a "
        "worm that branches is an asynchronous tree, any other a path, which requests consumption first"),
    where_stated<&Worm::header_flits, Number32>("header_flits",
                                                "in front of `length_flits`; omitted: the router model's"),
    where_stated<&Worm::stops, StopNodes>("stops", "where it goes, in order"),
    always<&Worm::stops, Beside<&Stop::parent, -1, INT32_MAX>>(
        "parents",
        "index of the stop before each, −1 for the source; parents first, siblings in order of branches; "
        "omitted: a path")
        .only_if([](const Worm& worm) { return !worm.stops.empty() && !is_chain(worm); })
        .after_others(),
    always<&Worm::stops, StopsWith<StopAction::relay>>(
        "relays", "indices of `stops` that consume a copy only to send it on")
        .only_if(StopsWith<StopAction::relay>::any<Worm>)
        .after_others(),
    always<&Worm::stops, StopsWith<StopAction::branch>>(
        "branches", "indices of `stops` (routers) that the worm only passes; never the last")
        .only_if(StopsWith<StopAction::branch>::any<Worm>)
        .after_others());

/// Of a plan: an array of whole worms.
using PlanWorms = SomeOf<Object<worm_rows>>;

inline constexpr std::array<std::string_view, 3> certificate_parts = {"up", "down",
                                                                      "all"};  // as in CertifiedPart
/// Far above any sum of hops, and small enough that sums of 2^28 of them do not overflow.
using Price = Number<0, (std::uint64_t{1} << 34) - 1>;
inline constexpr auto half_rows = table(
    always<&HalfCertificate::part, Word<certificate_parts>>(
        "half", "destinations of larger label than the source, or the others; `\"all\"`: up*/down* worms"),
    always<&HalfCertificate::ports, List<Port>>("ports",
                                                "ports by which a destination of the half can be first, "
                                                "nearest label first; of parallel links the lower first"),
    always<&HalfCertificate::port_rents, List<Price>>("port_rents", "of each of `ports`"),
    always<&HalfCertificate::prices, List<Price>>("prices",
                                                  "of each destination of the half, in label order outwards"),
    always<&HalfCertificate::rents, List<Price>>("rents", "the same"),
    where_stated<&HalfCertificate::crowd, Sorted<Price, 0>>("crowd", "up*/down* stars with W > 1"));
inline constexpr char no_halves[] = "a certificate has a part; without one it is left out";
using Certificate = NotEmpty<SomeOf<Object<half_rows>>, no_halves>;
inline constexpr std::string_view certificate_meaning =
    "proof of least traffic (`ocms`, `ocms-up-down`) or of the least longest path (`otms`, `otms-up-down`; "
    "not of its traffic) (`--certify`)";

/// An array of [longest_path_hops, traffic_channels], in plans [longest_path_hops, traffic_channels, worms]
/// where the worms are known; in routes there are none.
enum class FrontWorms : bool { none, known };
template <FrontWorms worms>
struct Front {
  static void read(const Value& array, std::vector<FrontPoint>& front, const Scope& scope);
  static void write(const std::vector<FrontPoint>& front, RecordLine& line, const Scope& scope);
  static std::string form();
};
inline constexpr std::string_view front_meaning =
    "`[longest_path_hops, traffic_channels, worms]` of every star that no other beats in both, shortest path "
    "first (`--front`); `worms` have no `header_flits`, and may be left out, as in `routes`";

}  // namespace wormcast::io
