// The engine of allocating routers, its stream and its clock: multicasts are taken in, every cycle in which
// something can happen is simulated, deliveries go out, the run ends with its window, stream or a deadlock.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "multicast/check.hpp"
#include "router/router_rules.hpp"
#include "simulation/allocating/allocating_engine.hpp"
#include "simulation/route_check.hpp"
#include "topology/error.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

AllocatingEngine::AllocatingEngine(const Topology& topology, const SimulationOptions& options)
    : StreamEngine(topology, options),
      resources_(topology, options.model),
      links_(topology, options.model, std::max(topology.spec().virtual_channels, 1U)),
      crossbars_(links_),
      routers_(topology.routers()),
      queues_(topology.hosts()),
      sources_(std::size_t{topology.hosts()} * links_.injections()),
      host_listed_(topology.hosts()),
      hosts_have_links_(topology.hosts_have_links()),
      together_(!options.model.discipline().chooses_vcs),
      flits_(links_.links()),
      credits_(links_.links()),
      deadlock_search_(links_, worms_, visits_, branches_, options_.model) {
  if (together_) refuse_unlike(topology, LinkValue::buffer_flits, "copies are made one after the other");
  if (together_) set_turns();
}

void check_classes(const RoutingFunction& routing, const Routes& routes) {
  const std::uint32_t limit = routing.topology().spec().virtual_channels;
  if (limit == 0) return;
  for (std::size_t index = 0; index < routes.worms.size(); ++index)
    for (const RouteHop& hop : routes.worms[index].hops)
      if (hop.vc >= routing.virtual_channels())
        refuse(fmt::format("worms[{}].vcs", index),
               "virtual channel {} is beyond the {} that {} uses, which share all {} of the network where "
               "routers "
               "allocate them",
               hop.vc, routing.virtual_channels(), routes.plan.routing, limit);
}

/// Links have as many virtual channels as the routes so far need.
void AllocatingEngine::size_links(const Routes& routes) {
  std::uint32_t needed = routing_ == nullptr ? 1 : routing_->channel_vcs();
  for (const WormRoute& worm : routes.worms)
    for (const RouteHop& hop : worm.hops) needed = std::max(needed, hop.vc + 1);
  if (needed <= links_.vcs()) return;
  catch_up();  // with as many as there were
  links_.grow(needed);
  crossbars_.grow(links_);
  const auto move = [&](std::uint32_t& place) {
    if (place != kNone) place = crossbars_.moved(place);
  };
  for (std::uint32_t slot = 0; slot < branches_.size(); ++slot) move(branches_[slot].place);
  for (Source& source : sources_) move(source.place);
  flits_.each(move);
  credits_.each(move);
}

/// The function of that name, or nullptr where it is none, or none for this network.
const RoutingFunction* AllocatingEngine::routing_of(const std::string& name) {
  const auto found = routings_.find(name);
  if (found != routings_.end()) return found->second.get();
  const RoutingEntry* entry = find_routing_function(name);
  std::unique_ptr<const RoutingFunction> bound;
  if (entry != nullptr && !entry->unsupported(*topology_)) bound = bind_routing(name, *topology_);
  return routings_.emplace(name, std::move(bound)).first->second.get();
}

std::uint32_t AllocatingEngine::add_worm(const Routes& routes, std::uint32_t index,
                                         const MulticastState& state) {
  const WormRoute& route = routes.worms[index];
  const Request& request = state.delivery.plan.request;
  const std::uint32_t slot = worms_.take();
  TransitWorm& worm = worms_[slot];
  worm.id = request.id;
  worm.index = index;
  worm.multicast = state.slot;
  worm.flits = route.flits(request.length_flits, model().header_flits);
  worm.source = route.source;
  worm.startup = route.after < 0 ? model().startup_cycles : model().relay_startup_cycles;
  worm.queued = 0;
  worm.base_depth = worm.channels = worm.holds = worm.open = 0;
  worm.under_way = true;
  worm.at_source = route.after < 0;
  worm.asks.clear();
  worm.headers.clear();
  worm.followers.clear();
  worm.routing = route.hops.empty() ? routing_ : nullptr;
  worm.hops.assign(route.hops.begin(), route.hops.end());
  if (route.hops.empty()) {
    const Worm& planned = routes.plan.worms[index];
    worm.stops = planned.stops;
    worm.first_port = planned.first_port;
    worm.vc_class = planned.vc_class;
    return slot;
  }
  worm.first_child.assign(route.hops.size() + 1, kNone);
  worm.next_sibling.assign(route.hops.size(), kNone);
  worm.ranges.resize(route.hops.size());
  const auto rank = [&](std::uint32_t child) {  // of a serial copy
    const RouteHop& hop = route.hops[child];
    return hop.is_channel() ? copy_rank(*topology_, ChannelId{hop.target}) : kNone;
  };
  for (std::size_t i = route.hops.size(); i-- > 0;) {
    const RouteHop& hop = route.hops[i];
    std::uint32_t* link = &worm.first_child[slot_after(hop.parent)];
    while (together_ && *link != kNone && rank(*link) < rank(static_cast<std::uint32_t>(i)))
      link = &worm.next_sibling[*link];
    worm.next_sibling[i] = std::exchange(*link, static_cast<std::uint32_t>(i));
    worm.ranges[i] = routing_ == nullptr ? std::pair(hop.vc, hop.vc + 1)
                                         : routing_->class_range(hop.vc, ChannelId{hop.target});
  }
  return slot;
}

RouteNeeds AllocatingEngine::prepare(Routes& routes) {
  require_multicast(routes.plan.request, "the allocating engine");
  routing_ = routing_of(routes.plan.routing);
  if (routing_ != nullptr) check_classes(*routing_, routes);
  size_links(routes);
  if (together_ || !routes.routed_on_the_way()) return check_simulable(resources_, routes);
  if (routing_ == nullptr) bind_routing(routes.plan.routing, *topology_);  // which says why
  Plan& plan = routes.plan;
  plan.traffic_channels = plan.longest_path_hops = plan.longest_chain_hops = 0;
  RouteNeeds needs;
  for (const Worm& worm : plan.worms)
    for (const Stop& stop : worm.stops) needs.consumption_hops += stop.action == StopAction::branch ? 0 : 1;
  return needs;
}

/// The worm's overhead is time on the way to the link, which others use meanwhile.
void AllocatingEngine::start(std::uint32_t worm, Cycle cycle) {
  calendar_.schedule(std::max(cycle, now_) + model().overhead_cycles, {Event::Kind::inject, worm});
}

void AllocatingEngine::take_event(Event event) {
  switch (event.kind) {
    case Event::Kind::request: {  // granted long enough ago to compete for the crossbar
      crossbars_.begin(crossbars_.place(event.hop));
      break;
    }
    case Event::Kind::header:
      ask(event.hop);
      break;
    case Event::Kind::inject:
      queue_at_source(event.hop);
      break;
    case Event::Kind::wake:
      ask_again(event.hop);
      break;
    default:
      break;  // a tick
  }
}

void AllocatingEngine::step(Cycle cycle) {
  now_ = cycle;
  more_ = false;
  const bool in_window = options_.window && options_.window->contains(cycle);
  if (std::exchange(in_window_, in_window) != in_window) crossbars_.enter_window(in_window);
  const std::span<const std::uint32_t> credits = credits_.take(cycle, std::identity{});
  crossbars_.add_credits(credits);
  if (together_)
    for (const std::uint32_t place : credits)
      crossbars_.extra(place).credited_at = static_cast<std::uint32_t>(now_);
  const auto visit = [&](std::uint32_t place) { return links_.vc(crossbars_.vc_number(place)).first; };
  for (const std::uint32_t place : flits_.take(cycle, visit)) flit_arrived(place);
  calendar_.take(cycle, [this](Event event) { take_event(event); });
  if (!feeding_.empty()) feed_sources();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    Router& router = routers_[busy_[i]];
    if (router.asks) together_ ? allocate_together(busy_[i]) : allocate_vcs(busy_[i]);
    router.listed = router.asks;
    if (router.asks) busy_[kept++] = busy_[i];
  }
  busy_.resize(kept);
  if (!together_ && (cross_switches() || !busy_.empty())) more_ = true;
  if (!suspects_.empty() && !deadlock_ && !together_ && deadlock_search_.may_exist(suspects_, now_)) {
    settle();
    end_with(deadlock_search_.find(now_, resources_, false));
  }
  suspects_.clear();
}

void AllocatingEngine::run_before(Cycle limit) {
  while (!stopped_) {
    const Cycle cycle =
        more_ ? now_ + 1 : std::min({calendar_.next(), flits_.next(now_), credits_.next(now_)});
    if (cycle >= limit) return;
    step(cycle);
  }
}

/// The branch has held its virtual channel until then.
void AllocatingEngine::load(const Branch& branch, Cycle until) {
  const std::uint32_t number = links_.link_of(branch.link_vc);
  if (!options_.channel_loads || links_.link(number).kind != LinkKind::channel) return;
  const TransitWorm& worm = worms_[branch.worm];
  count_load({number, LinkTable::vc_of(branch.link_vc), {worm.id, worm.index}}, branch.granted, until,
             &ChannelLoad::held_cycles, options_.window ? branch.sent_in_window : branch.sent);
}

/// Branches and visits say themselves what requests have counted.
void AllocatingEngine::settle() {
  crossbars_.each([&](std::uint32_t place) {
    const SwitchRequest& request = crossbars_.at(place);
    const RequestExtra& extra = crossbars_.extra(place);
    Branch& branch = branches_[extra.branch];
    branch.sent = branch.flits - request.to_go;
    branch.sent_in_window = extra.in_window - (in_window_ ? request.to_go : 0);
    if (together_ ? !extra.keeps : request.alone != 0) visits_[branch.visit].left = branch.sent;
  });
  for (const Source& source : sources_)
    if (source.branch != kNone) branches_[source.branch].sent = branches_[source.branch].flits - source.to_go;
  links_.each_vc([&](std::uint32_t number) {
    const std::uint32_t slot = links_.vc(number).first;
    if (slot == kNone || visits_[slot].arrived == 0) return;
    Visit& visit = visits_[slot];
    visit.arrived =
        std::min(visit.left + crossbars_.held(crossbars_.place(number)), worms_[visit.worm].flits);
  });
}

/// What is still held when the run ends.
void AllocatingEngine::settle_rest() {
  settle();
  const Cycle end = stopped_ ? end_ : ledger_.totals().last_cycle + 1;
  links_.each_vc([&](std::uint32_t number) {
    const std::uint32_t slot = links_.vc(number).holder;
    if (slot == kNone) return;
    const Branch& branch = branches_[slot];
    const TransitWorm& worm = worms_[branch.worm];
    if (options_.observer != nullptr)
      options_.observer->still_held({worm.id, worm.index}, links_.resource(number, resources_),
                                    branch.granted, end);
    if (options_.window) load(branch, end);
  });
}

std::unique_ptr<Engine> make_allocating_engine(const Topology& topology, const SimulationOptions& options) {
  return std::make_unique<AllocatingEngine>(topology, options);
}

}  // namespace wormcast
