// The worms inside plan and routes records.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "io/text/json_text.hpp"
#include "io/text/members.hpp"
#include "io/text/record_line.hpp"
#include "io/text/written_text.hpp"
#include "multicast/plan.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Stands in a worm whose record names no source, until set_default_sources().
inline constexpr HostId unnamed_source{UINT32_MAX};

/// Keys of a worm in a plan.
inline constexpr std::array<Member, 10> worm_members = {{{"source", false},
                                                         {"after", false},
                                                         {"first_port", false},
                                                         {"class", false},
                                                         {"replication", false},
                                                         {"header_flits", false},
                                                         {"stops", false},
                                                         {"parents", false},
                                                         {"relays", false},
                                                         {"branches", false}}};

/// Empties a worm but keeps its buffers.
void reset(Worm& worm);

/// Collects one worm's members; the arrays beside `stops` are applied by finish().
class WormReader {
 public:
  /// Everything that `worm` held goes, but its buffers.
  WormReader(const Topology& topology, Worm& worm) : topology_(topology), worm_(worm) { reset(worm); }
  void member(std::size_t index, const Value& value) {
    index == stops_member ? read_stops(value) : rare_member(index, value);
  }
  /// The worm is read; throws InputError where the arrays do not fit each other.
  void finish();

 private:
  static constexpr std::size_t stops_member = 6;

  void read_stops(const Value& value);
  void rare_member(std::size_t index, const Value& value);
  void mark(const Value& indices, StopAction action);

  const Topology& topology_;
  Worm& worm_;
  std::vector<Value> later_;  // parents, relays, branches: they need the stops first
  std::vector<std::size_t> later_member_;
};

/// Fills `worms`, whose buffers are used again.
void read_plan_worms(const Value& array, const Topology& topology, std::vector<Worm>& worms);
void write_worm_members(const Worm& worm, RecordLine& line);
/// The array of whole worms.
void write_plan_worms(const std::vector<Worm>& worms, RecordLine& line);

/// A worm of the source as most are written, up to its stops: {"stops":[7,9]. False for any other.
inline bool usual_stops(WrittenText& text, const Topology& topology, HostId source, Worm& worm) {
  reset(worm);
  worm.source = source;
  const std::uint32_t nodes = std::max(topology.hosts(), topology.routers());
  std::int32_t before = -1;
  const auto take = [&](std::uint64_t node) {
    worm.stops.push_back({static_cast<std::uint32_t>(node), before++, StopAction::deliver});
    return node < nodes;
  };
  return text.stands("{\"stops\":[") && text.numbers(take);
}

/// A worm that names no source starts at the multicast's.
template <class Worms>
void set_default_sources(HostId source, Worms& worms) {
  for (auto& worm : worms)
    if (worm.source == unnamed_source) worm.source = source;
}

/// An array of signed integers of exactly `size` elements, each in [least, most].
template <class Take>
void read_parallel(const Value& array, std::size_t size, std::int64_t least, std::int64_t most, Take take) {
  std::size_t i = 0;
  const bool plain = array.plain_integers([&](std::int64_t element) {
    if (i == size || element < least || element > most) return false;
    take(i++, element);
    return true;
  });
  if (plain && i == size) return;
  i = 0;
  array.each([&](const Value& element) {
    if (i == size) array.fail("has more than " + std::to_string(size) + " elements");
    take(i++, element.signed_integer(least, most));
  });
  if (i != size)
    array.fail("has " + std::to_string(i) + " elements where " + std::to_string(size) + " are needed");
}

}  // namespace wormcast::io
