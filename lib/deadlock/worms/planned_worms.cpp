// The worms that a planner, a witness's multicasts or plans say there are. Cost: that of plans and legs.
// SPDX-License-Identifier: MIT
#include "deadlock/worms/planned_worms.hpp"

#include "deadlock/worms/declared_turns.hpp"
#include "multicast/around_faults.hpp"
#include "multicast/expansion/expand.hpp"
#include "router/router_rules.hpp"
#include "topology/error.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

/// Legs as they come; anything else is noted.
struct PlainLegs final : LegSink {
  PlainLegs() = default;
  /// Beside worms that branch only legs between hosts: trees also have some of routers without a host, where
  /// no worm starts or ends.
  explicit PlainLegs(const BoundPlanner& planner) {
    legs_of_planner(planner.context(), *this);
    const Topology& topology = planner.context().topology;
    const auto of_no_worm = [&](const Leg& leg) {
      return !topology.has_host(leg.from) || !topology.has_host(leg.to);
    };
    if (branches) std::erase_if(legs, of_no_worm);
  }
  Detail detail() const override { return Detail::every_leg; }
  void leg(const Leg& leg) override { legs.push_back(leg); }
  void part_of(const Worm&) override { branches = true; }
  void start(HostId, const Output&) override { branches = true; }
  void turn(const Output&, const Output&) override { branches = true; }
  void split(const Output&, const Output&, Copies) override { branches = true; }

  std::vector<Leg> legs;
  bool branches = false;
};

constexpr std::uint32_t most_planned_hosts = 512;  ///< of which every pair is planned
constexpr std::size_t most_worms = 60'000;         ///< each is a sort of traffic, which have 16-bit numbers

const Planner& planner_named(const std::string& name) {
  const Planner* const planner = find_planner(name);
  if (planner == nullptr) refuse("planner", "'{}' is none", name);
  return *planner;
}

}  // namespace

NamedPlanner::NamedPlanner(const Topology& topology, const Verdict& verdict)
    : planner(planner_named(verdict.planned_by.planner), topology, verdict.planned_by.options.values(),
              verdict.planned_by.routing) {
  if (!verdict.unicast_routing.empty()) unicast = bind_routing(verdict.unicast_routing, topology);
}

void PlannedWorms::refuse_without_legs() const {
  if (planner_.planner().legs == nullptr)
    refuse("--all-multicasts", "planner {} does not say which legs it can produce", planner_.planner().name);
}

void PlannedWorms::refuse_unplanned() const {
  if (unicast_ == nullptr) {
    const char* const none = "there are no unicasts: name their routing function by --with-unicast";
    if (scope_.depends && (scope_.depends->request == unicast_sort || scope_.depends->reply == unicast_sort))
      throw InputError("--depends", none);
    if (scope_.unicast_vc != 0) throw InputError("--unicast-vc", none);
    return;
  }
  const Topology& topology = unicast_->topology();
  const bool any_of_it = unicast_->adaptive() && scope_.unicast_vc != 0;
  const std::uint64_t last =
      std::uint64_t{scope_.unicast_vc} + (any_of_it ? unicast_->channel_vcs() : unicast_->virtual_channels());
  const std::uint32_t bound = topology.least(LinkValue::virtual_channels, topology.virtual_channel_bound());
  if (last > bound)
    refuse("--unicast-vc", "unicasts would need {} virtual channels a channel, the topology has {}", last,
           bound);
}

std::vector<RelationTraffic> PlannedWorms::sorts(bool& branches) const {
  std::vector<RelationTraffic> result;
  PlainLegs legs(planner_);
  branches = legs.branches;
  if (branches && scope_.depends && !routers_choose()) legs.legs = legs_to_one_host();
  result.push_back({&routing(multicast_sort), std::move(legs.legs), routers_choose(), false, 0});
  if (unicast_ == nullptr) return result;
  PlainLegs unicasts;
  unicast_legs(PlanningContext{unicast_->topology(), *unicast_, {}}, unicasts);
  result.push_back({unicast_, std::move(unicasts.legs), routers_choose(), false, vc_offset(unicast_sort)});
  return result;
}

std::vector<Leg> PlannedWorms::legs_to_one_host() const {
  const Topology& topology = planner_.context().topology;
  std::vector<Leg> result;
  if (topology.host_count() > most_planned_hosts || planner_.context().routing.draws()) return result;
  each_pair(topology, [&](HostId from, HostId to) {
    const std::vector<Worm> worms = plan({from, {to}});
    if (worms.size() == 1 && is_chain(worms[0]) && worms[0].stops.size() == 1)
      result.push_back(
          {.from = from, .to = to, .first_port = worms[0].first_port, .vc_class = worms[0].vc_class});
  });
  return result;
}

const RoutingFunction& PlannedWorms::routing(std::uint32_t sort) const {
  return sort == unicast_sort ? *unicast_ : planner_.context().routing;
}

Plan plan_again(const BoundPlanner& planner, const PlannedMulticast& multicast) {
  Request request;
  request.source = multicast.source;
  request.destinations = multicast.destinations;
  return planner.plan(std::move(request), multicast.classes);
}

std::vector<Worm> PlannedWorms::plan(const PlannedMulticast& multicast) const {
  if (multicast.unicast) {
    Worm worm = chain_worm(multicast.source, multicast.destinations);
    if (!multicast.classes.empty()) worm.vc_class = multicast.classes.front();
    return {worm};
  }
  try {
    return plan_again(planner_, multicast).worms;
  } catch (const InputError&) {
    return {};
  }
}

AllowedWorm PlannedWorms::allowed(const PlannedMulticast& multicast, std::uint32_t index) const {
  if (multicast.unicast && (unicast_ == nullptr || multicast.destinations.size() != 1))
    refuse("witness", "there are no such unicasts");
  const std::vector<Worm> worms = plan(multicast);
  if (index >= worms.size()) refuse("witness", "there is no such worm of the multicast");
  const std::uint32_t sort = multicast.unicast ? unicast_sort : multicast_sort;
  AllowedWorm result{worms[index], &routing(sort), routers_choose(), vc_offset(sort)};
  if (!multicast.reply_to) return result;
  if (!scope_.depends || scope_.depends->request != sort) refuse("witness", "nothing replies to it");
  // A reply must be a worm with that destination alone.
  const PlannedMulticast reply{
      HostId{result.worm.stops.back().node}, {*multicast.reply_to}, scope_.depends->reply == unicast_sort};
  const std::vector<Worm> replies = reply.source == *multicast.reply_to ? std::vector<Worm>{} : plan(reply);
  if (replies.size() != 1 || replies[0].stops.size() != 1 || replies[0].first_port ||
      replies[0].vc_class != 0)
    refuse("witness", "there is no such reply");
  result.reply_to = multicast.reply_to;
  result.reply_routing = &routing(scope_.depends->reply);
  result.reply_vc_offset = vc_offset(scope_.depends->reply);
  return result;
}

bool PlannedWorms::judged_by_legs(const RouterModel& model) const {
  return model.answered() || !judged_as_relation();
}

bool PlannedWorms::stored_until_answered(const RouterModel& model) const {
  return may_answer(model) && (answered_by_unicasts() ? branches_beside_answers() : answered_by_branches());
}

bool PlannedWorms::answered_by_unicasts() const {
  return scope_.depends && scope_.depends->request == multicast_sort && scope_.depends->reply == unicast_sort;
}

bool PlannedWorms::answered_by_branches() const {
  return scope_.depends && scope_.depends->request == unicast_sort &&
         scope_.depends->reply == multicast_sort &&
         scope_.unicast_vc >= planner_.context().routing.virtual_channels() && branches_beside_answers();
}

bool PlannedWorms::branches_beside_answers() const {
  return scope_.depends && !routers_choose() && planner_.planner().legs != nullptr &&
         PlainLegs(planner_).branches;
}

bool PlannedWorms::fixed_beside_choices() const {
  return !scope_.any() && !planner_.context().routing.adaptive() && unicast_ != nullptr &&
         unicast_->adaptive() && planner_.planner().legs != nullptr;
}

bool PlannedWorms::branches_beside_choices(const RouterModel& model) const {
  return fixed_beside_choices() && !model.discipline().grants_nodes && PlainLegs(planner_).branches;
}

std::string scope_of_planner(const Plan& planned_by, bool with_unicasts) {
  std::string scope = "all multicasts of " + planned_by.planner;
  for (const auto& [name, value] : planned_by.options)
    scope.append(":").append(name).append("=").append(value);
  return scope + " by " + planned_by.routing + (with_unicasts ? " with unicasts" : "");
}

void name_planner(const BoundPlanner& planner, bool with_unicasts, Verdict& verdict) {
  PlanOptions options = planner.context().options;
  std::erase_if(options, [](const auto& option) { return option.first == routing_seed_option; });
  verdict.planned_by.planner = planner.planner().name;
  verdict.planned_by.options = std::move(options);
  verdict.planned_by.routing = planner.routing_name();
  verdict.scope = scope_of_planner(verdict.planned_by, with_unicasts);
}

Routes unicast_routes(const RoutingFunction& routing, HostId source, HostId destination,
                      std::uint32_t vc_class, std::uint32_t vc_offset) {
  Worm worm = chain_worm(source, {&destination, 1});
  worm.vc_class = vc_class;
  Routes routes = expand(plan_of_one(worm), routing);
  for (RouteHop& hop : routes.worms.front().hops)
    if (hop.is_channel()) hop.vc += vc_offset;
  return routes;
}

std::vector<std::uint32_t> classes_of(const std::vector<Worm>& worms) {
  std::vector<std::uint32_t> classes;
  for (const Worm& worm : worms) classes.push_back(worm.vc_class);
  return classes;
}

std::vector<Routes> plan_all(const BoundPlanner& planner, const MulticastSet& requests) {
  std::vector<Routes> all;
  Expander expander(planner.context().routing);
  for (const auto& [source, destinations, vc_class] : requests) {
    std::vector<std::uint32_t> classes;
    if (vc_class) classes.push_back(*vc_class);
    Request request;
    request.id = all.size();
    request.source = HostId{source};
    for (const std::uint32_t host : destinations) request.destinations.push_back(HostId{host});
    Plan plan;
    try {
      plan = planner.plan(std::move(request), classes);
    } catch (const InputError&) {
      continue;
    }
    all.push_back(expander.expand(std::move(plan)));
  }
  return all;
}

bool PlannedWorms::judged_by_turns(const RouterModel& model) const {
  return !scope_.any() && !model.cut_through && !model.discipline().grants_ways &&
         !model.discipline().slots_differ() && turns_cover_choices(planner_, unicast_);
}

void PlannedWorms::refuse_other_answers(const RouterModel& model) const {
  if (!answered_by_unicasts())
    throw InputError("--consumption-release",
                     "answered needs --depends multicasts:unicasts here, which says what answers");
  if (routers_choose()) refuse_with_choices(model);
}

void refuse_length_beside_headers(const BoundPlanner& planner, std::optional<std::uint64_t> flits,
                                  const std::string& field) {
  if (!flits || *flits == long_worm_flits || planner.context().option(header_encoding_option).empty()) return;
  throw InputError(field,
                   "headers by encoding have lengths of their own: check worms of any length, or name the "
                   "longest header's flits (--header-flits) in place of the encoding");
}

void SegmentWorms::add(const Routes& routes) {
  ++multicasts_;
  planner_.add(routes.plan);
  auto& routing = routings_[routes.plan.routing];
  if (routing == nullptr) routing = bind_routing(routes.plan.routing, topology_);
  const Request& request = routes.plan.request;
  for (std::uint32_t w = 0; w < routes.plan.worms.size(); ++w) {
    const Worm& worm = routes.plan.worms[w];
    for (const Stop& stop : worm.stops)
      if (stop.action == StopAction::branch)
        refuse(fmt::format("worms[{}].stops", w),
               "of worms that routers route, stops at routers are not judged");
    if (items_.size() == most_worms)
      refuse("worms", "more than {} worms that routers route are not judged together", most_worms);
    const std::uint64_t flits = checked_flits(routes.worms[w], request, every_, model_);
    items_.push_back(
        {{request.id, w}, worm, routing.get(), flits, worm.after >= 0 || !request.depends_on.empty()});
  }
}

std::vector<RelationTraffic> SegmentWorms::sorts() const {
  std::vector<RelationTraffic> result;
  for (const Item& item : items_) {
    RelationTraffic& sort = result.emplace_back();
    sort.routing = item.routing;
    sort.each_from_its_first_leg = true;
    HostId from = item.worm.source;
    for (std::uint32_t s = 0; s < item.worm.stops.size(); ++s) {
      Leg leg;
      if (s > 0) leg.goes_on = s;
      if (s + 1 < item.worm.stops.size()) leg.arrives = s + 1;
      leg.from = from;
      leg.to = HostId{item.worm.stops[s].node};
      if (s == 0) leg.first_port = item.worm.first_port;
      leg.vc_class = item.worm.vc_class;
      sort.legs.push_back(leg);
      from = leg.to;
    }
  }
  return result;
}

AllowedWorm SegmentWorms::allowed(const WormRef& name) const {
  for (const Item& item : items_)
    if (item.name == name) return {item.worm, item.routing};
  refuse("witness", "there is no worm {} of multicast {}", name.worm, name.multicast);
}

}  // namespace wormcast
