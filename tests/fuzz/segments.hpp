// Streams of routes as fuzz targets read them: a segment each, no larger than what is tried in a moment.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/memory_file.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"

namespace wormcast {

/// Ends an input that would take too long: size is tested elsewhere.
struct TooLarge {};

struct Segment {
  std::shared_ptr<const Topology> topology;
  std::string topology_line;
  std::vector<Routes> routes;
};

/// The segments of `stream`. `take(record, segment)` gets every record but the topology's; routes have been
/// read by then. Throws InputError and TooLarge.
template <class Kept, class Take>
std::vector<Kept> read_segments(const std::string& stream, Take take) {
  constexpr std::uint32_t most_channels = 1u << 12;
  constexpr std::size_t most_multicasts = 16;
  const MemoryFile file(stream);
  io::RecordStream in({file.path()});
  std::vector<Kept> segments;
  in.for_each([&](const io::Record& record) {
    if (record.kind == io::Kind::topology) {
      if (in.topology()->channel_bound() > most_channels) throw TooLarge{};
      Kept& segment = segments.emplace_back();
      segment.topology = in.topology();
      segment.topology_line = in.topology_line();
      return;
    }
    Kept& segment = segments.back();
    if (record.kind == io::Kind::routes) {
      if (segment.routes.size() == most_multicasts) throw TooLarge{};
      io::read_routes_record(record.value, in.route_check(), segment.routes.emplace_back());
    }
    take(record, segment);
  });
  return segments;
}

}  // namespace wormcast
