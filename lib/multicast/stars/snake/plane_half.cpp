// Coordinates and possible starts of a half on the two-dimensional snake.
//
// The source has a row neighbour (the next label) and a column neighbour b. Destinations nearer than
// b must be visited by the path through the row neighbour, and in label order, so destination 0 is
// its first; the column path may start at any later destination. If every destination lies at b or
// beyond, the strict rule leaves only the column port, while the free rule allows both, either of
// which may take destination 0: two starts.
// cite: Bouchitté, Cohen, Fleury 1997, section 3.1 (the two ports).
// SPDX-License-Identifier: MIT
#include "multicast/stars/snake/snake_stars.hpp"

#include <algorithm>
#include <cstdlib>

#include "routing/routing_function.hpp"

namespace wormcast {

PlaneHalf::PlaneHalf(const StarHalf& half) {
  const Topology& topology = half.routing().topology();
  const auto width = static_cast<std::int32_t>(topology.grid()->dims()[0]);
  const auto column = [&](std::uint32_t node) { return static_cast<std::int32_t>(node) % width; };
  const bool up =
      topology.label(NodeId{half.destinations()[0].value}) > topology.label(NodeId{half.source().value});
  const auto row = [&](std::uint32_t node) {
    const std::int32_t r = static_cast<std::int32_t>(node) / width;
    return up ? r : -r;
  };
  x.reserve(half.size());
  y.reserve(half.size());
  for (const HostId host : half.destinations()) {
    x.push_back(column(host.value));
    y.push_back(row(host.value));
  }
  source_y = row(half.source().value);
  const auto first_leg = [&](std::size_t port) { return static_cast<std::int32_t>(half.first(port, 0)); };
  const bool by_first = half.ports().size() == 1 || half.first(0, 0) <= half.first(1, 0);
  single_port = by_first ? 0 : 1;
  single_first_leg = first_leg(single_port);
  if (half.ports().size() != 2) return;
  const NodeId row_neighbour = half.ports()[0].neighbour;
  const NodeId column_neighbour = half.ports()[1].neighbour;
  const std::int32_t source_x = column(half.source().value);
  const Label limit = topology.label(column_neighbour);
  const auto nearer =
      std::partition_point(half.destinations().begin(), half.destinations().end(), [&](HostId host) {
        const Label label = topology.label(NodeId{host.value});
        return up ? label < limit : label > limit;
      });
  const auto before = static_cast<std::size_t>(nearer - half.destinations().begin());
  if (before == half.size()) return;
  first_jump = std::max<std::size_t>(before, 1);
  if (before > 0 || half.rule() == FirstHop::free) starts.push_back({0, 1, first_leg(0), source_x, 0});
  if (before == 0 && half.rule() == FirstHop::free)
    starts.push_back({1, 0, first_leg(1), column(row_neighbour.value), 1});
}

std::int64_t PlaneHalf::chain(std::int32_t first_leg) const {
  std::int64_t hops = first_leg;
  for (std::size_t i = 1; i < x.size(); ++i) hops += leg(i - 1, i);
  return hops;
}

Star alternating_star(const PlaneStart& start, const std::vector<std::uint32_t>& switches, std::size_t size) {
  Star star{{start.active_port, {}}};
  if (!switches.empty()) star.push_back({start.idle_port, {}});
  for (StarPath& path : star) path.stops.reserve(size);
  std::size_t path = 0;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i <= switches.size(); ++i) {
    const std::uint32_t end = i < switches.size() ? switches[i] + 1 : static_cast<std::uint32_t>(size);
    for (; next < end; ++next) star[path].stops.push_back(next);
    path = 1 - path;
  }
  return star;
}

bool is_plane(const StarHalf& half) { return is_plane_snake(half.routing().topology()); }

}  // namespace wormcast
