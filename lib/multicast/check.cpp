// Structural checks of plans and routes.
//
// One walk over the stops or hops of each worm finds the first error. A cache of channels holds their ends
// and the number of the worm that passed last: a worm that finds its own number there (its channel again, or
// another one in the same entry) has its (channel, VC) pairs sorted and compared. Buffers are reused from
// plan to plan. Cost: O(1) a stop or hop; O(log k) a delivery.
// SPDX-License-Identifier: MIT
#include "multicast/check.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "router/router_rules.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t no_node = ~std::uint32_t{0};  // nothing follows a consumption channel

/// True if the hosts are those that `wanted` has in ascending order, each once. Their order may change.
bool same_hosts(std::vector<HostId>& hosts, const std::vector<HostId>& wanted) {
  constexpr std::size_t bits = 64;
  if (hosts.size() != wanted.size()) return false;
  if (hosts.size() > bits) {
    std::sort(hosts.begin(), hosts.end());
    return hosts == wanted;
  }
  std::uint64_t met = 0;
  for (const HostId host : hosts) {
    const std::size_t place = place_of(host, wanted);
    if (wanted[place] != host) return false;
    met |= std::uint64_t{1} << place;
  }
  return static_cast<std::size_t>(std::popcount(met)) == hosts.size();
}

void check_first_port(const Worm& worm, std::size_t index, const Topology& topology) {
  if (!worm.first_port) return;
  const NodeId source = topology.router_of(worm.source);
  if (worm.first_port->value >= topology.ports() || !topology.neighbour(source, *worm.first_port))
    refuse(indexed("worms", index, ".first_port"), "router {} has no link at port {}", source.value,
           worm.first_port->value);
  const auto roots =
      std::count_if(worm.stops.begin(), worm.stops.end(), [](const Stop& stop) { return stop.parent < 0; });
  if (roots > 1)
    refuse(indexed("worms", index, ".first_port"), "the worm leaves its source by several branches");
}

/// A worm that is consumed twice at one host would wait for itself. Deliveries are counted over all worms
/// anyway, so only worms that relay need the look.
void check_relays(const Worm& worm, std::size_t index) {
  std::vector<std::uint32_t> hosts;
  for (const Stop& stop : worm.stops)
    if (stop.action != StopAction::branch) hosts.push_back(stop.node);
  if (const auto* twice = twice_in(hosts))
    refuse(indexed("worms", index, ".stops"), "the worm is consumed twice at node {}", *twice);
}

void check_channels_once(const WormRoute& worm, std::size_t index) {
  std::vector<std::uint64_t> used;  // (VC, channel)
  for (const RouteHop& hop : worm.hops)
    if (hop.is_channel()) used.push_back(std::uint64_t{hop.vc} << 32 | hop.target);
  if (const auto* twice = twice_in(used))
    refuse(indexed("worms", index, ".hops"),
           "channel {} with virtual channel {} is used twice by the same worm", *twice & 0xffffffff,
           *twice >> 32);
}

}  // namespace

void RouteCheck::begin(const Request& request) {
  request_ = &request;
  received_.clear();
  delivered_.clear();
  first_of_.clear();
}

/// A worm's source must be the multicast's, or have the message from the worm that the new one is after.
[[gnu::always_inline]] inline void RouteCheck::begin_worm(HostId source, std::int32_t after) {
  const std::size_t worm = first_of_.size();
  first_of_.push_back(received_.size());
  if (after < 0) {
    if (source != request_->source)
      refuse(indexed("worms", worm, ".source"),
             "host {} starts a worm that is after none, but the multicast's source is {}", source.value,
             request_->source.value);
    return;
  }
  const auto before = static_cast<std::size_t>(after);
  if (before >= worm) refuse(indexed("worms", worm, ".after"), "worm {} is not before worm {}", after, worm);
  const auto first = received_.begin() + static_cast<std::ptrdiff_t>(first_of_[before]);
  const auto end = received_.begin() + static_cast<std::ptrdiff_t>(first_of_[before + 1]);
  if (std::find(first, end, source) == end)
    refuse(indexed("worms", worm, ".source"), "host {} does not receive the message from worm {}",
           source.value, after);
}

void RouteCheck::check_coverage() {
  const std::vector<HostId>& wanted = request_->destinations;
  if (delivered_ == wanted || same_hosts(delivered_, wanted)) return;  // a unicast's stand in order
  if (const auto* twice = twice_in(delivered_))
    refuse("worms", "host {} is delivered to twice", twice->value);
  const auto [stop, want] = std::mismatch(delivered_.begin(), delivered_.end(), wanted.begin(), wanted.end());
  if (want == wanted.end() || (stop != delivered_.end() && *stop < *want))
    refuse("worms", "host {} is delivered to but is not a destination", stop->value);
  refuse("worms", "destination {} is not delivered to", want->value);
}

void RouteCheck::check_stops(const Worm& worm, std::size_t index) {
  if (worm.stops.empty()) throw InputError(indexed("worms", index, ".stops"), "a worm without stops");
  if (places_.size() < worm.stops.size()) places_.resize(worm.stops.size());
  std::size_t open_branches = 0;  // that nothing follows yet
  bool relayed = false;
  for (std::size_t i = 0; i < worm.stops.size(); ++i) {
    const Stop& stop = worm.stops[i];
    if (stop.parent < -1 || stop.parent >= static_cast<std::int32_t>(i))
      refuse(indexed("worms", index, ".parents", i), "stop {} is not before stop {}", stop.parent, i);
    const bool branch = stop.action == StopAction::branch;
    const std::uint32_t bound = branch ? topology_->routers() : topology_->hosts();
    if (stop.node >= bound)
      refuse(indexed("worms", index, ".stops", i), "node {} is not in topology {} ({} nodes)", stop.node,
             topology_->name(), bound);
    if (stop.action == StopAction::relay && !topology_->has_host(HostId{stop.node}))
      refuse(indexed("worms", index, ".stops", i), "node {} of {} has no host", stop.node, topology_->name());
    if (stop.parent >= 0) {
      Place& parent = places_[static_cast<std::size_t>(stop.parent)];
      open_branches -= parent.left ? 0 : 1;
      parent.left = true;
    }
    places_[i].left = !branch;
    open_branches += branch ? 1 : 0;
    relayed |= stop.action == StopAction::relay;
  }
  if (open_branches > 0) {
    const auto open = std::find_if(places_.begin(), places_.end(), [](const Place& p) { return !p.left; });
    refuse(indexed("worms", index, ".stops", static_cast<std::size_t>(open - places_.begin())),
           "the worm ends at a branch stop, where no host consumes it");
  }
  check_first_port(worm, index, *topology_);
  if (relayed) check_relays(worm, index);
}

void RouteCheck::check_plan(const Plan& plan) {
  begin(plan.request);
  for (std::size_t w = 0; w < plan.worms.size(); ++w) {
    const Worm& worm = plan.worms[w];
    begin_worm(worm.source, worm.after);
    check_stops(worm, w);
    for (const Stop& stop : worm.stops)
      if (stop.action != StopAction::branch) receive(HostId{stop.node}, stop.action == StopAction::deliver);
  }
  check_coverage();
}

/// Puts the ends of the channel there; false: there is no such channel.
[[gnu::noinline]] bool RouteCheck::look_up(std::uint32_t channel, Ends& ends) const {
  const auto found = topology_->ends(ChannelId{channel});
  if (found) ends = {channel, {found->from.value, found->to.value}, ends.worm};
  return found.has_value();
}

void RouteCheck::refuse_hop(std::size_t worm, std::size_t h, const RouteHop& hop, std::uint32_t at) const {
  const std::string place = indexed("worms", worm, ".hops", h), vc_place = indexed("worms", worm, ".vcs", h);
  if (!hop.is_channel()) {
    if (hop.target >= topology_->hosts())
      refuse(place, "node {} is not in topology {} ({} nodes)", hop.target, topology_->name(),
             topology_->hosts());
    if (hop.vc != 0)
      refuse(vc_place, "virtual channel {} of a consumption channel, which has none but 0", hop.vc);
    refuse(place, "host {} consumes, but the worm is at node {}", hop.target, at);
  }
  const auto ends = topology_->ends(ChannelId{hop.target});
  if (!ends) refuse(place, "{} has no channel {}", topology_->name(), hop.target);
  if (request_->reduces() && ends->to.value != at)
    refuse(place, "channel {} ends at node {}, but its parts go on from node {}", hop.target, ends->to.value,
           at);
  if (!request_->reduces() && ends->from.value != at)
    refuse(place, "channel {} leaves node {}, but the worm is at node {}", hop.target, ends->from.value, at);
  refuse(vc_place, "virtual channel {} where the topology has {}", hop.vc, vcs_of(hop.target));
}

void RouteCheck::check_hops(const WormRoute& worm, std::size_t index) {
  if (worm.hops.empty()) throw InputError(indexed("worms", index, ".hops"), "a worm without hops");
  // In registers: what is written below could be members as well, for all that a compiler knows.
  const std::size_t count = worm.hops.size();
  const RouteHop* const hops = worm.hops.data();
  if (places_.size() <= count) places_.resize(count + 1);
  Place* const places = places_.data();
  Ends* const kept = ends_.data();
  const std::size_t mask = ends_.size() - 1;
  const std::uint64_t number = ++worm_;
  places[0] = {topology_->router_of(worm.source).value, true};
  std::size_t dead_ends = 0;  // channels that nothing follows yet
  bool met = false;
  const std::size_t start = request_->reduces() ? 1 : 0;  // of Ends::nodes
  for (std::size_t h = 0; h < count; ++h) {
    const RouteHop& hop = hops[h];
    const std::size_t parent = slot_after(hop.parent);
    if (parent > h || places[parent].node == no_node)
      refuse(indexed("worms", index, ".hop_parents", h), "{} is not a channel hop before hop {}", hop.parent,
             h);
    Place& place = places[parent];
    if (hop.is_channel()) {
      Ends& ends = kept[hop.target & mask];
      met |= ends.worm == number;  // this channel, or another that is kept in its place
      ends.worm = number;
      if ((ends.channel != hop.target && !look_up(hop.target, ends)) || ends.nodes[start] != place.node ||
          (hop.vc > 0 && hop.vc >= vcs_of(hop.target))) [[unlikely]]
        refuse_hop(index, h, hop, place.node);
      places[h + 1] = {ends.nodes[1 - start], false};
      ++dead_ends;
    } else {
      if (!topology_->has_host(HostId{hop.target}) || hop.vc != 0 ||
          topology_->router_of(HostId{hop.target}).value != place.node)
        refuse_hop(index, h, hop, place.node);
      receive(HostId{hop.target}, hop.kind == RouteHop::Kind::deliver);
      places[h + 1] = {no_node, true};
    }
    dead_ends -= place.left ? 0 : 1;
    place.left = true;
  }
  if (dead_ends > 0) {
    const auto end = std::find_if(places_.begin(), places_.end(), [](const Place& p) { return !p.left; });
    const auto h = static_cast<std::size_t>(end - places_.begin() - 1);
    refuse(indexed("worms", index, ".hops", h), "the worm ends on channel {}, where no host consumes it",
           worm.hops[h].target);
  }
  if (met) check_channels_once(worm, index);
}

/// Worms without hops: their stops say everything, so that these are checked as a plan's.
void RouteCheck::check_on_the_way(const Routes& routes) {
  const RoutingEntry* routing = find_routing_function(routes.plan.routing);
  if (routing == nullptr || !routing->adaptive)
    refuse(indexed("worms", 0, ".hops"), "a worm without hops, which only adaptive routing functions route");
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    if (!routes.worms[w].hops.empty())
      refuse(indexed("worms", w, ".hops"), "a worm with hops, where worms before it are routed on the way");
    if (w >= routes.plan.worms.size() || routes.plan.worms[w].stops.empty())
      throw InputError(indexed("worms", w, ".stops"), "a worm without hops and without stops");
    if (!is_chain(routes.plan.worms[w]))
      throw InputError(indexed("worms", w, ".parents"), "a worm that is routed on the way does not branch");
  }
  check_plan(routes.plan);
}

void RouteCheck::check_routes(const Routes& routes) {
  if (routes.routed_on_the_way()) {
    check_on_the_way(routes);
    return;
  }
  constexpr std::uint32_t most_kept = 4096;
  if (ends_.empty()) ends_.resize(std::bit_ceil(std::clamp(topology_->channel_bound(), 1U, most_kept)));
  begin(routes.plan.request);
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    begin_worm(routes.worms[w].source, routes.worms[w].after);
    check_hops(routes.worms[w], w);
  }
  check_coverage();
}

void RouteCheck::check(const Plan& plan) {
  check_plan(plan);
  header_sizes_.check(plan);
}

void RouteCheck::check(const Routes& routes) {
  check_routes(routes);
  if (!routes.plan.worms.empty() && !routes.plan.worms.front().stops.empty()) check(routes.plan);
}

void check_request(const Request& request, bool named_sources) {
  const std::vector<HostId>& destinations = request.destinations;
  const char* const named = named_sources ? "source" : "destination";
  if (destinations.empty()) refuse("destinations", "no {}", named);
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (i > 0 && destinations[i] == destinations[i - 1])
      refuse(indexed("destinations", i), "node {} appears twice", destinations[i].value);
    if (i > 0 && destinations[i] < destinations[i - 1])
      refuse(indexed("destinations", i), "node {} comes after node {}; {}s must ascend",
             destinations[i].value, destinations[i - 1].value, named);
    if (destinations[i] == request.source && destinations.size() > 1 && !request.reduces())
      refuse(indexed("destinations", i), "node {} is the source, which may only be a destination on its own",
             request.source.value);
  }
  for (std::size_t i = 0; i < request.depends_on.size(); ++i)
    if (request.depends_on[i] == request.id)
      throw InputError(indexed("depends_on", i), "the multicast depends on itself");
  const std::vector<Cycle>& starts = request.start_cycles;
  if (named_sources ? starts.size() != destinations.size()
                    : !starts.empty() && starts.size() != destinations.size())
    refuse("start_cycles", "{} cycles for {} {}s", starts.size(), destinations.size(), named);
  if (!starts.empty() && *std::min_element(starts.begin(), starts.end()) != request.start_cycle)
    refuse("start_cycle", "{} is not the least of the start_cycles, {}", request.start_cycle,
           *std::min_element(starts.begin(), starts.end()));
}

void require_hops(const Routes& routes, const char* else_do) {
  if (routes.routed_on_the_way())
    refuse("routing", "{} leaves the channels to the routers on the way; {}", routes.plan.routing, else_do);
}

void require_multicast(const Request& request, const char* what) {
  if (request.reduces()) refuse("start_cycles", "a reduction, which {} does not know", what);
}

void check_links_once(const Topology& topology, const RouterModel& model, const Routes& routes) {
  if (!vcs_share_links(model, topology)) return;
  std::vector<std::pair<std::int32_t, std::uint32_t>> used;  // (parent, channel)
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    if (!in_lock_step(routes.worms[w].replication)) continue;
    used.clear();
    for (const RouteHop& hop : routes.worms[w].hops)
      if (hop.is_channel()) used.emplace_back(hop.parent, hop.target);
    if (const auto* twice = twice_in(used))
      refuse(indexed("worms", w, ".vcs"),
             "copies that move together would share the link of channel {} of {}, which passes one flit at a "
             "time",
             twice->second, topology.name());
  }
}

}  // namespace wormcast
