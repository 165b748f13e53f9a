// Structural checks of plans and routes.
// SPDX-License-Identifier: MIT
#include "multicast/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "multicast/same_hosts.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

std::string worm_field(std::size_t worm, std::string_view key) {
  return fmt::format("worms[{}].{}", worm, key);
}
std::string worm_field(std::size_t worm, std::string_view key, std::size_t index) {
  return fmt::format("worms[{}].{}[{}]", worm, key, index);
}

/// Who received the message, and whether that was a delivery.
struct Reception {
  std::uint32_t host;
  bool delivery;
};

/// Collects receptions worm by worm and answers what the rules about sources and coverage ask.
class Receptions {
 public:
  explicit Receptions(const Request& request) : request_(request) {}

  /// Worms come one after the other.
  void add(std::size_t worm, std::uint32_t host, bool delivery) {
    first_of_.resize(std::max(first_of_.size(), worm + 1), all_.size());
    all_.push_back({host, delivery});
  }

  /// A worm's source must be the multicast's, or have received the message from the worm it is after.
  void check_source(std::size_t worm, HostId source, std::int32_t after) const {
    if (after < 0) {
      if (source != request_.source)
        throw InputError(
            worm_field(worm, "source"),
            fmt::format("host {} starts a worm that is after none, but the multicast's source is {}",
                        source.value, request_.source.value));
      return;
    }
    if (static_cast<std::size_t>(after) >= worm)
      throw InputError(worm_field(worm, "after"), fmt::format("worm {} is not before worm {}", after, worm));
    for (std::size_t i = first_of(static_cast<std::size_t>(after));
         i < first_of(static_cast<std::size_t>(after) + 1); ++i)
      if (all_[i].host == source.value) return;
    throw InputError(worm_field(worm, "source"),
                     fmt::format("host {} does not receive the message from worm {}", source.value, after));
  }

  void check_coverage() {
    std::vector<std::uint32_t> delivered;
    for (const Reception& reception : all_)
      if (reception.delivery) delivered.push_back(reception.host);
    std::sort(delivered.begin(), delivered.end());
    const auto twice = std::adjacent_find(delivered.begin(), delivered.end());
    if (twice != delivered.end())
      throw InputError("worms", fmt::format("host {} is delivered to twice", *twice));
    const std::vector<HostId>& wanted = request_.destinations;
    const auto [stop, want] = std::mismatch(delivered.begin(), delivered.end(), wanted.begin(), wanted.end(),
                                            [](std::uint32_t a, HostId b) { return a == b.value; });
    if (stop == delivered.end() && want == wanted.end()) return;
    if (want == wanted.end() || (stop != delivered.end() && *stop < want->value))
      throw InputError("worms", fmt::format("host {} is delivered to but is not a destination", *stop));
    throw InputError("worms", fmt::format("destination {} is not delivered to", want->value));
  }

 private:
  std::size_t first_of(std::size_t worm) const {
    return worm < first_of_.size() ? first_of_[worm] : all_.size();
  }

  const Request& request_;
  std::vector<Reception> all_;         ///< worm by worm
  std::vector<std::size_t> first_of_;  ///< the first of each worm
};

void check_first_port(const Worm& worm, std::size_t index, const Topology& topology) {
  if (!worm.first_port) return;
  const NodeId source = topology.router_of(worm.source);
  if (worm.first_port->value >= topology.ports() || !topology.neighbour(source, *worm.first_port))
    throw InputError(worm_field(index, "first_port"),
                     fmt::format("router {} has no link at port {}", source.value, worm.first_port->value));
  const auto roots =
      std::count_if(worm.stops.begin(), worm.stops.end(), [](const Stop& stop) { return stop.parent < 0; });
  if (roots > 1)
    throw InputError(worm_field(index, "first_port"), "the worm leaves its source by several branches");
}

void check_stops(const Worm& worm, std::size_t index, const Topology& topology) {
  if (worm.stops.empty()) throw InputError(worm_field(index, "stops"), "a worm without stops");
  std::vector<bool> followed(worm.stops.size(), false);
  for (std::size_t i = 0; i < worm.stops.size(); ++i) {
    const Stop& stop = worm.stops[i];
    if (stop.parent < -1 || stop.parent >= static_cast<std::int32_t>(i))
      throw InputError(worm_field(index, "parents", i),
                       fmt::format("stop {} is not before stop {}", stop.parent, i));
    if (stop.parent >= 0) followed[static_cast<std::size_t>(stop.parent)] = true;
    const std::uint32_t bound = stop.action == StopAction::branch ? topology.routers() : topology.hosts();
    if (stop.node >= bound)
      throw InputError(worm_field(index, "stops", i), fmt::format("node {} is not in topology {} ({} nodes)",
                                                                  stop.node, topology.name(), bound));
  }
  for (std::size_t i = 0; i < worm.stops.size(); ++i)
    if (worm.stops[i].action == StopAction::branch && !followed[i])
      throw InputError(worm_field(index, "stops", i),
                       "the worm ends at a branch stop, where nobody consumes it");
}

/// A worm that is consumed twice at one host would wait for itself. Deliveries are counted over all
/// worms anyway, so only worms that relay need the look.
void check_relays(const Worm& worm, std::size_t index) {
  const auto relays = [](const Stop& stop) { return stop.action == StopAction::relay; };
  if (std::none_of(worm.stops.begin(), worm.stops.end(), relays)) return;
  std::vector<std::uint32_t> hosts;
  for (const Stop& stop : worm.stops)
    if (stop.action != StopAction::branch) hosts.push_back(stop.node);
  std::sort(hosts.begin(), hosts.end());
  const auto twice = std::adjacent_find(hosts.begin(), hosts.end());
  if (twice != hosts.end())
    throw InputError(worm_field(index, "stops"),
                     fmt::format("the worm is consumed twice at node {}", *twice));
}

/// What is written down of each hop of the worm in hand.
struct HopNotes {
  struct Note {
    NodeId end;             ///< where a channel leads
    bool followed = false;  ///< by another hop
  };
  std::vector<Note> notes;
  std::vector<std::uint64_t> used;  ///< (VC, channel)
};

void check_hop(const WormRoute& worm, std::size_t index, std::size_t h, const Topology& topology,
               HopNotes& scratch) {
  const RouteHop& hop = worm.hops[h];
  if (hop.parent < -1 || hop.parent >= static_cast<std::int32_t>(h) ||
      (hop.parent >= 0 && !worm.hops[static_cast<std::size_t>(hop.parent)].is_channel()))
    throw InputError(worm_field(index, "hop_parents", h),
                     fmt::format("{} is not a channel hop before hop {}", hop.parent, h));
  const NodeId at = hop.parent < 0 ? topology.router_of(worm.source)
                                   : scratch.notes[static_cast<std::size_t>(hop.parent)].end;
  if (hop.is_channel()) {
    const auto ends = topology.ends(ChannelId{hop.target});
    if (!ends)
      throw InputError(worm_field(index, "hops", h),
                       fmt::format("{} has no channel {}", topology.name(), hop.target));
    if (ends->from != at)
      throw InputError(worm_field(index, "hops", h),
                       fmt::format("channel {} leaves node {}, but the worm is at node {}", hop.target,
                                   ends->from.value, at.value));
    scratch.notes[h].end = ends->to;
    const std::uint32_t limit = topology.virtual_channel_bound();
    if (hop.vc >= limit)
      throw InputError(worm_field(index, "vcs", h),
                       fmt::format("virtual channel {} where the topology has {}", hop.vc, limit));
    return;
  }
  if (hop.target >= topology.hosts())
    throw InputError(worm_field(index, "hops", h),
                     fmt::format("node {} is not in topology {} ({} nodes)", hop.target, topology.name(),
                                 topology.hosts()));
  if (hop.vc != 0)
    throw InputError(
        worm_field(index, "vcs", h),
        fmt::format("virtual channel {} of a consumption channel, which has none but 0", hop.vc));
  if (topology.router_of(HostId{hop.target}) != at)
    throw InputError(worm_field(index, "hops", h),
                     fmt::format("host {} consumes, but the worm is at node {}", hop.target, at.value));
}

void check_hops(const WormRoute& worm, std::size_t index, const Topology& topology, HopNotes& scratch) {
  if (worm.hops.empty()) throw InputError(worm_field(index, "hops"), "a worm without hops");
  std::vector<std::uint64_t>& used = scratch.used;
  scratch.notes.assign(worm.hops.size(), {});
  used.clear();
  for (std::size_t h = 0; h < worm.hops.size(); ++h) {
    check_hop(worm, index, h, topology, scratch);
    const RouteHop& hop = worm.hops[h];
    if (hop.parent >= 0) scratch.notes[static_cast<std::size_t>(hop.parent)].followed = true;
    if (hop.is_channel()) used.push_back(std::uint64_t{hop.vc} << 32 | hop.target);
  }
  for (std::size_t h = 0; h < worm.hops.size(); ++h)
    if (worm.hops[h].is_channel() && !scratch.notes[h].followed)
      throw InputError(
          worm_field(index, "hops", h),
          fmt::format("the worm ends on channel {}, where nobody consumes it", worm.hops[h].target));
  std::sort(used.begin(), used.end());
  const auto twice = std::adjacent_find(used.begin(), used.end());
  if (twice != used.end())
    throw InputError(worm_field(index, "hops"),
                     fmt::format("channel {} with virtual channel {} is used twice by the same worm",
                                 *twice & 0xffffffff, *twice >> 32));
}

}  // namespace

void check_request(const Request& request) {
  const std::vector<HostId>& destinations = request.destinations;
  if (destinations.empty()) throw InputError("destinations", "no destination");
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const auto fail = [&](const std::string& message) {
      throw InputError(fmt::format("destinations[{}]", i), message);
    };
    if (i > 0 && destinations[i] == destinations[i - 1])
      fail(fmt::format("node {} appears twice", destinations[i].value));
    if (i > 0 && destinations[i] < destinations[i - 1])
      fail(fmt::format("node {} comes after node {}; destinations must ascend", destinations[i].value,
                       destinations[i - 1].value));
    if (destinations[i] == request.source && destinations.size() > 1)
      fail(fmt::format("node {} is the source, which may only be a destination on its own",
                       request.source.value));
  }
  for (std::size_t i = 0; i < request.depends_on.size(); ++i)
    if (request.depends_on[i] == request.id)
      throw InputError(fmt::format("depends_on[{}]", i), "the multicast depends on itself");
}

namespace {

/// True for what nearly all plans are: worms that deliver at their stops or branch there, and right in all
/// that check_plan() asks for. Nothing is allocated.
bool is_plainly_right(const Plan& plan, const Topology& topology) {
  constexpr std::size_t most = 64;  // deliveries, and so worms; stops of one worm
  std::array<HostId, most> delivered;
  std::array<std::size_t, most + 1> first_of;  // the first delivery of each worm
  std::size_t count = 0;
  std::size_t worms = 0;
  const auto holds_message = [&](const Worm& worm) {
    if (worm.after < 0) return worm.source == plan.request.source;
    const auto after = static_cast<std::size_t>(worm.after);
    if (after >= worms) return false;
    const auto end = delivered.begin() + first_of[after + 1];
    return std::find(delivered.begin() + first_of[after], end, worm.source) != end;
  };
  for (const Worm& worm : plan.worms) {
    if (worms == most || worm.first_port || worm.stops.empty() || worm.stops.size() > most - count ||
        !holds_message(worm))
      return false;
    first_of[worms++] = count;
    std::uint64_t branches = 0;
    std::uint64_t followed = 0;
    for (std::size_t i = 0; i < worm.stops.size(); ++i) {
      const Stop& stop = worm.stops[i];
      if (stop.parent < -1 || stop.parent >= static_cast<std::int32_t>(i)) return false;
      if (stop.parent >= 0) followed |= std::uint64_t{1} << stop.parent;
      if (stop.action == StopAction::branch && stop.node < topology.routers()) {
        branches |= std::uint64_t{1} << i;
      } else {
        if (stop.action != StopAction::deliver || stop.node >= topology.hosts()) return false;
        delivered[count++] = HostId{stop.node};
      }
    }
    if ((branches & ~followed) != 0) return false;
    first_of[worms] = count;
  }
  return same_hosts(std::span(delivered).first(count), plan.request.destinations);
}

}  // namespace

void check_plan(const Plan& plan, const Topology& topology) {
  if (is_plainly_right(plan, topology)) return;
  Receptions receptions(plan.request);
  for (std::size_t w = 0; w < plan.worms.size(); ++w) {
    const Worm& worm = plan.worms[w];
    receptions.check_source(w, worm.source, worm.after);
    check_stops(worm, w, topology);
    check_first_port(worm, w, topology);
    check_relays(worm, w);
    for (const Stop& stop : worm.stops)
      if (stop.action != StopAction::branch) receptions.add(w, stop.node, stop.action == StopAction::deliver);
  }
  receptions.check_coverage();
}

namespace {

/// Worms without hops: their stops say everything, so that these are checked as a plan's.
void check_on_the_way(const Routes& routes, const Topology& topology) {
  const RoutingEntry* routing = find_routing_function(routes.plan.routing);
  if (routing == nullptr || !routing->adaptive)
    throw InputError(worm_field(0, "hops"),
                     "a worm without hops, which only adaptive routing functions route");
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    if (!routes.worms[w].hops.empty())
      throw InputError(worm_field(w, "hops"),
                       "a worm with hops, where worms before it are routed on the way");
    if (w >= routes.plan.worms.size() || routes.plan.worms[w].stops.empty())
      throw InputError(worm_field(w, "stops"), "a worm without hops and without stops");
    if (!is_chain(routes.plan.worms[w]))
      throw InputError(worm_field(w, "parents"), "a worm that is routed on the way does not branch");
  }
  check_plan(routes.plan, topology);
}

}  // namespace

void require_hops(const Routes& routes, const char* else_do) {
  if (routes.routed_on_the_way())
    throw InputError("routing", fmt::format("{} leaves the channels to the routers on the way; {}",
                                            routes.plan.routing, else_do));
}

void check_routes(const Routes& routes, const Topology& topology) {
  if (routes.routed_on_the_way()) {
    check_on_the_way(routes, topology);
    return;
  }
  Receptions receptions(routes.plan.request);
  HopNotes used;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const WormRoute& worm = routes.worms[w];
    receptions.check_source(w, worm.source, worm.after);
    check_hops(worm, w, topology, used);
    for (const RouteHop& hop : worm.hops)
      if (!hop.is_channel()) receptions.add(w, hop.target, hop.kind == RouteHop::Kind::deliver);
  }
  receptions.check_coverage();
}

void check_links_once(const Topology& topology, const Routes& routes) {
  std::vector<std::pair<std::int32_t, std::uint32_t>> used;  // (parent, channel)
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    if (routes.worms[w].replication != Replication::lock_step) continue;
    used.clear();
    for (const RouteHop& hop : routes.worms[w].hops)
      if (hop.is_channel()) used.emplace_back(hop.parent, hop.target);
    std::sort(used.begin(), used.end());
    const auto twice = std::adjacent_find(used.begin(), used.end());
    if (twice == used.end()) continue;
    throw InputError(fmt::format("worms[{}].vcs", w),
                     fmt::format("copies that move together would share the link of channel {} of {}, which "
                                 "passes one flit at a time",
                                 twice->second, topology.name()));
  }
}

}  // namespace wormcast
