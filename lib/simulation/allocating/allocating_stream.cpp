// The engine of allocating routers, its stream and its clock: multicasts are taken in, every cycle in which
// something can happen is simulated, deliveries are given out, and the run ends with its window, its stream
// or a deadlock.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "multicast/check.hpp"
#include "simulation/allocating/allocating_engine.hpp"
#include "simulation/route_check.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

std::uint32_t vcs_of(const Topology& topology) { return std::max(topology.spec().virtual_channels, 1U); }

/// Of worms that are routed on the way.
RouteNeeds needs_of_stops(const Plan& plan) {
  RouteNeeds needs;
  for (const Worm& worm : plan.worms)
    for (const Stop& stop : worm.stops) needs.consumption_hops += stop.action == StopAction::branch ? 0 : 1;
  return needs;
}

}  // namespace

AllocatingEngine::AllocatingEngine(const Topology& topology, const SimulationOptions& options)
    : topology_(&topology),
      options_(options),
      resources_(topology, options.model),
      links_(topology, options.model, vcs_of(topology)),
      crossbars_(links_, options.model.buffer_flits),
      first_injection_vc_(LinkTable::vc_number(topology.channel_bound(), 0)),
      routers_(topology.routers()),
      queues_(topology.hosts()),
      sources_(std::size_t{topology.hosts()} * links_.injections()),
      host_listed_(topology.hosts()),
      time_bound_(topology, options_.model),
      deadlock_search_(links_, worms_, visits_, branches_, options_.model) {
  if (options.window) ledger_.measure(*options.window, topology.hosts());
  if (options.channel_loads) loads_.resize(topology.channel_bound());
}

/// Links have as many virtual channels as the routes so far need.
void AllocatingEngine::size_links(const Routes& routes) {
  std::uint32_t needed = 1;
  if (const RoutingFunction* routing = routing_of(routes.plan.routing)) needed = routing->channel_vcs();
  for (const WormRoute& worm : routes.worms)
    for (const RouteHop& hop : worm.hops) needed = std::max(needed, hop.vc + 1);
  if (needed > links_.vcs()) grow_links(needed);
}

void AllocatingEngine::grow_links(std::uint32_t vcs) {
  links_.grow(vcs);
  crossbars_.grow(links_);
  const auto move = [&](std::uint32_t& place) {
    if (place != kNone) place = crossbars_.moved(place);
  };
  for (std::uint32_t slot = 0; slot < branches_.size(); ++slot) move(branches_[slot].place);
  for (std::uint32_t slot = 0; slot < visits_.size(); ++slot) move(visits_[slot].place);
  credits_.each(move);
  calendar_.erase_if([&](Event& event) {
    if (event.kind == Event::Kind::request) move(event.hop);
    return false;
  });
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
                                         const MulticastState& state, const RoutingFunction* routing) {
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
  worm.asks.clear();
  worm.headers.clear();
  worm.followers.clear();
  worm.routing = route.hops.empty() ? routing : nullptr;
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
  for (std::size_t i = route.hops.size(); i-- > 0;) {
    const RouteHop& hop = route.hops[i];
    std::uint32_t& first = worm.first_child[slot_after(hop.parent)];
    worm.next_sibling[i] = std::exchange(first, static_cast<std::uint32_t>(i));
    worm.ranges[i] = routing == nullptr ? std::pair(hop.vc, hop.vc + 1) : routing->class_range(hop.vc);
  }
  return slot;
}

void AllocatingEngine::take(Routes& routes) {
  if (stopped_) return;
  require_multicast(routes.plan.request, "the allocating engine");
  const Cycle start_cycle = routes.plan.request.start_cycle;
  if (start_cycle < horizon_)
    throw InputError("start_cycle", std::to_string(start_cycle) + " lies before the " +
                                        std::to_string(horizon_) + " of a multicast before it");
  if (!options_.routes_checked) check_routes(routes, *topology_);
  size_links(routes);
  const RoutingFunction* routing = routing_of(routes.plan.routing);
  const bool on_the_way = routes.routed_on_the_way();
  if (on_the_way && routing == nullptr) bind_routing(routes.plan.routing, *topology_);  // which says why
  const RouteNeeds needs = on_the_way ? needs_of_stops(routes.plan) : check_simulable(resources_, routes);
  time_bound_.add(routes, needs.latest_request);
  MulticastState& state = ledger_.open(routes.plan, needs.consumption_hops, 1);
  if (on_the_way) {
    Plan& plan = state.delivery.plan;
    plan.traffic_channels = plan.longest_path_hops = plan.longest_chain_hops = 0;
  }
  const bool ready = state.open_dependencies == 0;
  slots_.clear();
  for (std::uint32_t i = 0; i < routes.worms.size(); ++i) {
    const std::uint32_t slot = add_worm(routes, i, state, routing);
    const std::int32_t after = routes.worms[i].after;
    slots_.push_back(slot);
    if (after >= 0)
      worms_[slots_[static_cast<std::size_t>(after)]].followers.push_back(slot);
    else if (ready)
      start_later(slot, state.ready);
    else
      starters_[state.slot].push_back(slot);
  }
  ledger_.totals().worms += routes.worms.size();
  unfinished_worms_ += routes.worms.size();
  horizon_ = start_cycle;
}

/// The worm is ready at `cycle`. Its overhead is time on the way to the link, which others use meanwhile.
void AllocatingEngine::start_later(std::uint32_t worm, Cycle cycle) {
  calendar_.schedule(std::max(cycle, now_) + model().overhead_cycles, {Event::Kind::inject, worm});
}

/// Starts the worms of a multicast that had to wait for others.
void AllocatingEngine::start(std::uint32_t multicast) {
  const Cycle ready = ledger_.at(multicast).ready;
  for (const std::uint32_t worm : starters_[multicast]) start_later(worm, ready);
  starters_.erase(multicast);
}

void AllocatingEngine::take_event(Event event) {
  switch (event.kind) {
    case Event::Kind::request:  // granted long enough ago to compete for the crossbar
      crossbars_.at(event.hop).early = 0;
      crossbars_.compete(event.hop);
      break;
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
  in_window_ = options_.window && options_.window->contains(cycle);
  credits_.take(cycle, [this](std::uint32_t place) {
    ++crossbars_.at(place).credits;
    crossbars_.compete(place);
  });
  flits_.take(cycle, [this](std::uint32_t visit) { flit_arrived(visit); });
  calendar_.take(cycle, [this](Event event) { take_event(event); });
  if (!feeding_.empty()) feed_sources();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    Router& router = routers_[busy_[i]];
    if (router.asks) allocate_vcs(busy_[i]);
    router.listed = router.asks;
    if (router.asks) busy_[kept++] = busy_[i];
  }
  busy_.resize(kept);
  if (cross_switches() || !busy_.empty()) more_ = true;
  if (!suspects_.empty() && !deadlock_) detect();
  suspects_.clear();
}

void AllocatingEngine::detect() {
  if (!deadlock_search_.may_exist(suspects_, now_)) return;
  settle();
  deadlock_ = deadlock_search_.find(now_, resources_);
  stopped_ = deadlock_ && options_.stop_on_deadlock;
  if (stopped_) end_ = now_ + 1;
}

void AllocatingEngine::run_before(Cycle limit) {
  while (!stopped_) {
    const Cycle cycle =
        more_ ? now_ + 1 : std::min({calendar_.next(), flits_.next(now_), credits_.next(now_)});
    if (cycle >= limit) return;
    step(cycle);
  }
}

void AllocatingEngine::advance() {
  run_before(horizon_);
  simulated_ = horizon_;
  if (options_.window && !stopped_) end_window();
}

/// The run ends with its window, or when too much has piled up.
void AllocatingEngine::end_window() {
  const OpenLoop loop = ledger_.look_at_window(horizon_, 1);
  if (loop.window_begins) options_.window = ledger_.window()->options();
  saturated_ = loop.saturated;
  stopped_ = loop.over;
  if (stopped_) end_ = horizon_;
}

void AllocatingEngine::finish() {
  run_before(kNever);
  finished_ = true;
  if (unfinished_worms_ > 0 && !deadlock_ && !stopped_)
    std::abort();  // nothing moves, and nothing is dead: a bug
  if (unfinished_worms_ > 0) observe_rest();
  ledger_.close(end_);
  if (saturated_ && !deadlock_) look_beyond();
}

/// As EngineCore::look_beyond().
void AllocatingEngine::look_beyond() {
  counted_ = summary();
  options_.observer = nullptr;
  options_.stop_on_deadlock = true;
  const Cycle end = end_;
  std::vector<ChannelLoad> loads = std::exchange(loads_, {});
  stopped_ = false;
  run_before(kNever);
  stopped_ = true;
  end_ = end;
  loads_ = std::move(loads);
}

const Delivery* AllocatingEngine::poll() {
  if (stopped_ && !finished_) return nullptr;  // finish() sorts out what lies behind the end
  return ledger_.poll(counted_ ? 0 : finished_ ? kNever : simulated_, 1);
}

/// The branch has held its virtual channel until then; of an open loop what lies within the window counts.
void AllocatingEngine::load(const Branch& branch, Cycle until) {
  const std::uint32_t number = links_.link_of(branch.link_vc);
  if (number >= loads_.size()) return;  // none were asked for, or it is no channel
  ChannelLoad& load = loads_[number];
  Cycle from = branch.granted;
  std::uint64_t flits = branch.sent;
  if (options_.window) {
    from = std::max(from, options_.window->warmup_cycles);
    until = std::min({until, options_.window->end(), end_});
    flits = branch.sent_in_window;
  }
  if (from >= until) return;
  load.worms += flits > 0 ? 1 : 0;
  load.flits += flits;
  load.held_cycles += until - from;
}

/// Branches and visits say themselves what requests have counted.
void AllocatingEngine::settle() {
  crossbars_.each([&](const SwitchRequest& request) {
    if (request.to_go == 0) return;
    Branch& branch = branches_[request.branch];
    branch.sent = branch.flits - request.to_go;
    branch.sent_in_window = request.in_window;
    if (request.alone != 0) visits_[branch.visit].left = branch.sent;
  });
}

/// What is still held when the run ends.
void AllocatingEngine::observe_rest() {
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

Summary AllocatingEngine::summary() const {
  Summary result = counted_ ? *counted_ : ledger_.totals();
  result.outcome = deadlock_ ? Outcome::deadlock : saturated_ ? Outcome::saturated : Outcome::complete;
  if (ledger_.window() && !counted_) result.window = ledger_.window()->summary(end_);
  result.deadlock = deadlock_;
  return result;
}

std::vector<ChannelLoad> AllocatingEngine::channel_loads() const {
  std::vector<ChannelLoad> result;
  for (std::uint32_t number = 0; number < loads_.size(); ++number) {
    if (loads_[number].held_cycles == 0) continue;
    result.push_back(loads_[number]);
    result.back().channel = ChannelId{number};
    if (options_.window) result.back().observed_cycles = ledger_.window()->summary(end_).observed_cycles;
  }
  return result;
}

std::unique_ptr<Engine> make_allocating_engine(const Topology& topology, const SimulationOptions& options) {
  return std::make_unique<AllocatingEngine>(topology, options);
}

}  // namespace wormcast
