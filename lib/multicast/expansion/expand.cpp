// Joins the stops of every worm by the routing function, and refuses worms that do not fit.
//
// The header's routing state is carried on from stop to stop and copied where the worm branches. A
// consumption hop hangs on the channel that enters its router, and so does the channel that follows.
// A worm holds all its channels until its tail has passed, so one that came back to a (channel, VC)
// of its own would wait for itself for ever: it is refused here, before anything simulates it.
// Cost: one next() and one mark a hop. cite: Bouchitté, Cohen, Fleury 1997, section 2.
// SPDX-License-Identifier: MIT
#include "multicast/expansion/expand.hpp"

#include <algorithm>
#include <string>

#include "multicast/check.hpp"
#include "multicast/planner.hpp"
#include "topology/random.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Calls walk(). Routing functions see a leg and name a member of worms, or all of them: their errors are
/// said of the worm and the stop.
template <class Walk>
void place_errors(std::size_t worm, std::size_t stop, Walk walk) {
  try {
    walk();
  } catch (InputError& error) {
    if (error.field == "class" || error.field == "first_port")
      error.field = indexed("worms", worm, "." + error.field);
    if (error.field == "worms") error.field = indexed("worms", worm, ".stops", stop);
    throw;
  }
}

/// Fills in the measures of `plan`, which are those of its routes, or its shortest ways (`whose`).
void take_measures(Plan& plan, const char* whose, const PlanMeasures& computed) {
  const auto take = [&](const char* field, std::optional<std::uint64_t>& stated, std::uint64_t found) {
    if (stated && *stated != found) refuse(field, "the plan says {}, its {} have {}", *stated, whose, found);
    stated = found;
  };
  take("traffic_channels", plan.traffic_channels, computed.traffic_channels);
  take("longest_path_hops", plan.longest_path_hops, computed.longest_path_hops);
  take("longest_chain_hops", plan.longest_chain_hops, computed.longest_chain_hops);
}

/// What a worm of the plan says of its route.
void begin_route(const Worm& worm, WormRoute& route) {
  route.source = worm.source;
  route.after = worm.after;
  route.replication = worm.replication;
  route.header_flits = worm.header_flits;
  route.hops.clear();
}

/// True if each stop lies behind the one before, and at another router, `depths` hops from the source.
bool goes_on(const std::vector<Stop>& stops, const std::vector<std::uint64_t>& depths) {
  for (std::size_t i = 1; i < stops.size(); ++i)
    if (stops[i].parent != static_cast<std::int32_t>(i) - 1 || depths[i] == depths[i - 1]) return false;
  return true;
}

/// Each channel is the one that leads back.
void run_backwards(const Topology& network, std::vector<WormRoute>& worms) {
  if (network.ways() != Ways::both)
    refuse("worms", "channels of {} run one way; a reduction takes those that lead back", network.name());
  for (WormRoute& worm : worms)
    for (RouteHop& hop : worm.hops)
      if (hop.is_channel()) hop.target = network.opposite(ChannelId{hop.target}).value;
}

}  // namespace

Expander::Expander(const RoutingFunction& routing)
    : routing_(&routing),
      header_sizes_(routing.topology()),
      channel_bound_(routing.topology().channel_bound()),
      used_by_(channel_bound_ * routing.virtual_channels()) {}

Routes Expander::expand(Plan plan) {
  check_plan(plan, routing_->topology());
  header_sizes_.check(plan);
  Routes routes;
  routes.plan = std::move(plan);
  expand_checked(routes);
  return routes;
}

void Expander::expand_checked(Routes& routes) {
  if (routing_->adaptive()) {
    if (routes.plan.request.reduces())
      refuse("routing", "{} chooses channels on the way; the parts of a reduction need known ones",
             routes.plan.routing);
    expand_on_the_way(routes);
    return;
  }
  Plan& plan = routes.plan;
  routes.worms.resize(plan.worms.size());
  sum_.clear();
  for (std::size_t i = 0; i < plan.worms.size(); ++i) expand_worm(plan, i, routes.worms[i]);
  take_measures(plan, "routes", sum_.total());
  if (plan.request.reduces()) run_backwards(routing_->topology(), routes.worms);
}

void Expander::expand_worm(const Plan& plan, std::size_t index, WormRoute& route) {
  const Worm& worm = plan.worms[index];
  worm_index_ = index;
  begin_route(worm, route);
  places_.resize(worm.stops.size());
  depths_.resize(worm.stops.size());
  channels_ = 0;
  ++worms_walked_;
  for (std::size_t i = 0; i < worm.stops.size(); ++i)
    place_errors(index, i, [&] { walk_leg(worm, i, route); });
  if (!goes_on(worm.stops, depths_)) route.settle_replication();  // else it is a path
  if (plan.worms.size() == 1 && worm.stops.size() == 1)           // nothing waits for it
    sum_.add_path(channels_);
  else
    sum_.add(worm, depths_, channels_);
}

void Expander::walk_leg(const Worm& worm, std::size_t index, WormRoute& route) {
  const Topology& network = routing_->topology();
  const Stop& stop = worm.stops[index];
  const NodeId to = router_of(network, stop);
  const std::size_t first = route.hops.size();
  Place here;
  std::uint64_t depth = 0;
  if (stop.parent < 0) {
    const NodeId source = network.router_of(worm.source);
    here = {source, routing_->first(source, to, worm.vc_class), -1};
    if (worm.first_port) {
      if (source == to)
        refuse(indexed("worms", worm_index_, ".stops", index),
               "the stop is at the source, which the worm must leave by a forced port");
      take(worm, index, routing_->forced(source, *worm.first_port, here.state, to), here, route, first);
      ++depth;
    }
  } else {
    here = places_[static_cast<std::size_t>(stop.parent)];
    depth = depths_[static_cast<std::size_t>(stop.parent)];
  }
  std::size_t hop = route.hops.size();
  for (; here.node != to || !routing_->arrived(here.state); ++depth)
    take(worm, index, routing_->next(here.node, here.state, to), here, route, hop++);
  channels_ += hop - first;
  places_[index] = here;
  depths_[index] = depth;
  if (stop.action == StopAction::branch) return;
  const bool delivers = stop.action == StopAction::deliver;
  route.hops.push_back(
      {stop.node, here.hop, 0, delivers ? RouteHop::Kind::deliver : RouteHop::Kind::relay, 0});
}

/// `hop`: how many hops there are yet.
inline void Expander::take(const Worm& worm, std::size_t stop, const RoutingStep& step, Place& here,
                           WormRoute& route, std::size_t hop) {
  std::uint64_t& user = used_by_[std::size_t{step.vc} * channel_bound_ + step.channel.value];
  if (user == worms_walked_) refuse_second(worm, stop, step, here.node);
  user = worms_walked_;
  route.hops.push_back({step.channel.value, here.hop, step.vc, RouteHop::Kind::channel, 0});
  here = {step.to, step.state, static_cast<std::int32_t>(hop)};
}

void Expander::refuse_second(const Worm& worm, std::size_t stop, const RoutingStep& step, NodeId at) const {
  refuse(
      indexed("worms", worm_index_, ".stops", stop),
      "on the way to {} {} the worm would use channel {} (virtual channel {}) out of router {} a second time",
      worm.stops[stop].action == StopAction::branch ? "router" : "node", worm.stops[stop].node,
      step.channel.value, step.vc, at.value);
}

Routes expand(Plan plan, const RoutingFunction& routing) { return Expander(routing).expand(std::move(plan)); }

// Draws from one stream of random numbers for each multicast, a number for each worm in their order.

std::uint64_t routing_seed(std::string_view text) {
  const auto seed = whole_number<std::uint64_t>(text);
  if (!seed || *seed > max_integer)
    refuse("--" + std::string(routing_seed_option), "'{}' is not an integer from 0 to {}", text, max_integer);
  return *seed;
}

void draw_classes(const RoutingFunction& routing, std::uint64_t seed, std::uint64_t id,
                  std::vector<Worm>& worms) {
  const Topology& network = routing.topology();
  Random random = RandomStreams(seed, routing_seed_option).stream(id);
  for (Worm& worm : worms) {
    const NodeId source = network.router_of(worm.source);
    const NodeId to = router_of(network, worm.stops.front());
    if (source == to) continue;
    const auto index = static_cast<std::uint32_t>(random.below(routing.choices(source, to)));
    worm.vc_class = routing.choice(source, to, index);
  }
}

// Worms that are routed on the way: which plans may be, and that routers cannot choose a dead end.
//
// Only chains of stops are routed on the way. Where the function's history can matter, every place that a
// worm can come to, a router and a state, is searched leg by leg from all places in which it can stand at
// the stop before: no place before the next stop may be without candidates. Functions without history
// promise that, and nothing is searched.
// Cost: O(1) a stop, else O(places · ports) a leg. cite: this project.

void Expander::expand_on_the_way(Routes& routes) {
  Plan& plan = routes.plan;
  routes.worms.resize(plan.worms.size());
  for (std::size_t i = 0; i < plan.worms.size(); ++i) {
    search(plan.worms[i], i);
    begin_route(plan.worms[i], routes.worms[i]);
  }
  if (!plan.traffic_channels && !plan.longest_path_hops && !plan.longest_chain_hops) return;
  // No choice of a minimal function makes the shortest ways longer.
  take_measures(plan, "shortest ways", measure(plan.worms, *routing_));
  plan.traffic_channels.reset();
  plan.longest_path_hops.reset();
  plan.longest_chain_hops.reset();
}

void Expander::search(const Worm& worm, std::size_t index) {
  if (!is_chain(worm))
    refuse(indexed("worms", index, ".parents"),
           "the worm branches; an adaptive routing function takes unicasts and paths");
  place_errors(index, 0,
               [&] { begin_search(worm, index, router_of(routing_->topology(), worm.stops.front())); });
  if (routing_->history_free()) return;
  for (std::size_t s = 0; s < worm.stops.size(); ++s) search_leg(worm, index, s);
}

/// The places at the source, or after its forced port.
void Expander::begin_search(const Worm& worm, std::size_t index, NodeId to) {
  const NodeId source = routing_->topology().router_of(worm.source);
  const RoutingState state = routing_->first(source, to, worm.vc_class);
  arrivals_.assign(1, {source, state});
  if (!worm.first_port) return;
  if (source == to)
    refuse(indexed("worms", index, ".stops", 0),
           "the stop is at the source, which the worm must leave by a forced port");
  routing_->forced_candidates(source, *worm.first_port, state, to, candidates_);
  arrivals_.clear();
  for (const RoutingCandidate& hop : candidates_) arrivals_.push_back({hop.to, hop.state});
}

void Expander::reach(const Place& place) {
  const std::uint64_t mark = std::uint64_t{place.node.value} << 32 | place.state.bits;
  const auto at = std::lower_bound(marks_.begin(), marks_.end(), mark);
  if (at != marks_.end() && *at == mark) return;
  marks_.insert(at, mark);
  reached_.push_back(place);
}

void Expander::search_leg(const Worm& worm, std::size_t index, std::size_t stop) {
  const NodeId to = router_of(routing_->topology(), worm.stops[stop]);
  reached_.clear();
  marks_.clear();
  for (const Place& place : arrivals_) reach(place);
  arrivals_.clear();
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    const Place here = reached_[i];
    if (here.node == to) {
      arrivals_.push_back(here);
      continue;
    }
    routing_->candidates(here.node, here.state, to, candidates_);
    if (candidates_.empty())
      refuse(indexed("worms", index, ".stops", stop),
             "the worm may come to router {}, from where no way leads to router {}", here.node.value,
             to.value);
    for (const RoutingCandidate& hop : candidates_) reach({hop.to, hop.state});
  }
}

}  // namespace wormcast
