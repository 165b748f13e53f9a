// DPM, dynamic partition merging: neighbouring parts of the plane are served together where that costs less.
// Our reading of the paper, of which only parts were at hand.
//
// Around the source lie eight parts: the four quadrants and the half-axes between them. A set of
// destinations is served through its representative, the one nearest to the source (ties: lowest node): a
// unicast takes the message there, and from there go either unicasts to all others or two label-ordered paths
// through them, whichever takes fewer channels (ties: unicasts). That, with the way to the representative, is
// the cost of the set. Two or three neighbouring parts may be merged; again and again the merging that saves
// most against its parts (ties: fewer parts, then the first counterclockwise from NE) is taken, among parts
// not yet merged, while any saves. Every worm is label-ordered, and the representative stores the message
// before it sends: the channel dependency graph is acyclic. Cost: O(k log k), 16 mergings. cite: Tiwari,
// Yang, Jiang, Wang: Efficient on-chip multicast routing based on dynamic partition merging, arXiv 2108.00566
// (our reading).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t dpm_parts = 8;

/// How a set of destinations is served.
struct Service {
  std::vector<HostId> hosts;
  HostId representative;
  bool paths = false;  ///< from the representative: two paths, else unicasts
  std::uint64_t cost = 0;
};

class Merging {
 public:
  Merging(const PlanningContext& context, const Request& request)
      : context_(context), source_(request.source) {
    for (const HostId host : request.destinations) part_[part_of(host)].push_back(host);
  }

  /// The services that carry the multicast, in the order of their first parts.
  std::vector<Service> services() const {
    std::array<Service, dpm_parts> single;
    for (std::uint32_t p = 0; p < dpm_parts; ++p) single[p] = serve(p, 1);
    std::array<std::uint32_t, dpm_parts> merged{};  // parts of the merging that begins here, 0 inside one
    merged.fill(1);
    std::array<bool, dpm_parts> taken{};
    for (;;) {
      std::uint64_t best = 0;
      std::uint32_t first = 0, count = 0;
      for (std::uint32_t n = 2; n <= 3; ++n)
        for (std::uint32_t p = 0; p < dpm_parts; ++p) {
          const std::uint64_t gain = saving(p, n, single, taken);
          if (gain <= best) continue;
          best = gain;
          first = p;
          count = n;
        }
      if (best == 0) break;
      for (std::uint32_t i = 0; i < count; ++i) {
        taken[(first + i) % dpm_parts] = true;
        merged[(first + i) % dpm_parts] = i == 0 ? count : 0;
      }
    }
    std::vector<Service> result;
    for (std::uint32_t p = 0; p < dpm_parts; ++p) {
      if (merged[p] == 0) continue;
      Service service = merged[p] == 1 ? single[p] : serve(p, merged[p]);
      if (!service.hosts.empty()) result.push_back(std::move(service));
    }
    return result;
  }

  /// Unicasts and paths of one service, after the unicast to its representative.
  void append(const Service& service, std::vector<Worm>& worms) const {
    const auto first = static_cast<std::int32_t>(worms.size());
    worms.push_back(chain_worm(source_, std::array{service.representative}));
    const auto add = [&](std::span<const HostId> stops) {
      if (stops.empty()) return;
      worms.push_back(chain_worm(service.representative, stops));
      worms.back().after = first;
    };
    const std::vector<HostId> others = without_representative(service);
    if (service.paths) {
      const LabelHalves halves = split(service.representative, others);
      add(halves.up);
      add(halves.down);
    } else {
      for (const HostId host : others) add(std::array{host});
    }
  }

 private:
  /// 0 NE, 1 N, 2 NW, 3 W, 4 SW, 5 S, 6 SE, 7 E of the source.
  std::uint32_t part_of(HostId host) const {
    const Grid& grid = *context_.topology.grid();
    const NodeId at{source_.value};
    const NodeId to{host.value};
    const auto side = [&](std::uint32_t d) {
      const std::uint32_t a = grid.coordinate(at, d);
      const std::uint32_t b = grid.coordinate(to, d);
      return a == b ? 1U : a < b ? 2U : 0U;
    };
    constexpr std::uint32_t by_sides[3][3] = {{4, 3, 2}, {5, 0, 1}, {6, 7, 0}};  // [x side][y side]
    return by_sides[side(0)][side(1)];
  }

  std::uint32_t distance(HostId a, HostId b) const {
    return context_.routing.distance(NodeId{a.value}, NodeId{b.value});
  }

  static std::vector<HostId> without_representative(const Service& service) {
    std::vector<HostId> others = service.hosts;
    std::erase(others, service.representative);
    return others;
  }

  LabelHalves split(HostId from, const std::vector<HostId>& hosts) const {
    return split_by_label(context_.topology, {.source = from, .destinations = hosts});
  }

  std::uint64_t path_length(HostId from, std::span<const HostId> stops) const {
    std::uint64_t sum = 0;
    for (const HostId stop : stops) {
      sum += distance(from, stop);
      from = stop;
    }
    return sum;
  }

  /// The best service of the destinations in `count` parts from `first` on.
  Service serve(std::uint32_t first, std::uint32_t count) const {
    Service service;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::vector<HostId>& hosts = part_[(first + i) % dpm_parts];
      service.hosts.insert(service.hosts.end(), hosts.begin(), hosts.end());
    }
    if (service.hosts.empty()) return service;
    std::sort(service.hosts.begin(), service.hosts.end());
    service.representative =
        *std::min_element(service.hosts.begin(), service.hosts.end(),
                          [&](HostId a, HostId b) { return distance(source_, a) < distance(source_, b); });
    const std::vector<HostId> others = without_representative(service);
    std::uint64_t unicasts = 0;
    for (const HostId host : others) unicasts += distance(service.representative, host);
    const LabelHalves halves = split(service.representative, others);
    const std::uint64_t paths =
        path_length(service.representative, halves.up) + path_length(service.representative, halves.down);
    service.paths = paths < unicasts;
    service.cost = distance(source_, service.representative) + std::min(unicasts, paths);
    return service;
  }

  /// What merging `count` parts from `first` on saves, 0 where it cannot or does not.
  std::uint64_t saving(std::uint32_t first, std::uint32_t count, const std::array<Service, dpm_parts>& single,
                       const std::array<bool, dpm_parts>& taken) const {
    std::uint64_t apart = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t p = (first + i) % dpm_parts;
      if (taken[p]) return 0;
      apart += single[p].cost;
    }
    const std::uint64_t together = serve(first, count).cost;
    return together < apart ? apart - together : 0;
  }

  const PlanningContext& context_;
  HostId source_;
  std::array<std::vector<HostId>, dpm_parts> part_;
};

std::vector<Worm> plan_dpm(const PlanningContext& context, const Request& request) {
  const Merging merging(context, request);
  std::vector<Worm> worms;
  for (const Service& service : merging.services()) merging.append(service, worms);
  return worms;
}

}  // namespace

extern const Planner planner_dpm = {
    .name = "dpm",
    .summary =
        "parts of the plane merged where that saves, each served through its nearest node (our reading)",
    .topologies = "2-D mesh",
    .cost = "O(k log k)",
    .cite = "Tiwari, Yang, Jiang, Wang 2021",
    .needs = "copy to the processor on the way; label routing; software at relays",
    .routings = {"label"},
    .worms = {.chains = true},
    .unsupported = no_plane_mesh,
    .plan = plan_dpm,
    .legs = label_legs,
};

}  // namespace wormcast
