// The worms that a planner and a witness's multicasts say there are. Cost: that of plans and legs.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/planned_worms.hpp"

#include <algorithm>
#include <utility>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/expansion/expand.hpp"
#include "topology/error.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

namespace {

/// Legs as they come; anything else is noted.
class PlainLegs final : public LegSink {
 public:
  Detail detail() const override { return Detail::every_leg; }
  void leg(const Leg& leg) override { legs.push_back(leg); }
  void part_of(const Worm&) override { branches = true; }
  void start(HostId, const Output&) override { branches = true; }
  void turn(const Output&, const Output&) override { branches = true; }
  void split(const Output&, const Output&, Replication) override { branches = true; }

  std::vector<Leg> legs;
  bool branches = false;
};

}  // namespace

PlannedWorms::PlannedWorms(const BoundPlanner& planner, const RoutingFunction* unicast,
                           const RelationScope& scope)
    : planner_(planner), unicast_(unicast), scope_(scope) {
  const auto of_unicasts = [](std::uint32_t sort) { return sort == unicast_sort; };
  if (unicast == nullptr && scope.depends &&
      (of_unicasts(scope.depends->request) || of_unicasts(scope.depends->reply)))
    throw InputError("--depends", "there are no unicasts: name their routing function by --with-unicast");
  if (unicast == nullptr && scope.unicast_vc != 0)
    throw InputError("--unicast-vc", "there are no unicasts: name their routing function by --with-unicast");
  if (unicast == nullptr) return;
  const Topology& topology = unicast->topology();
  const std::uint64_t last =
      std::uint64_t{scope.unicast_vc} +
      (unicast->adaptive() && scope.unicast_vc != 0 ? unicast->channel_vcs() : unicast->virtual_channels());
  const std::uint32_t bound = topology.least(LinkValue::virtual_channels, topology.virtual_channel_bound());
  if (last > bound)
    throw InputError("--unicast-vc", "unicasts would need " + std::to_string(last) +
                                         " virtual channels a channel, the topology has " +
                                         std::to_string(bound));
}

std::vector<RelationTraffic> PlannedWorms::sorts(bool& branches) const {
  std::vector<RelationTraffic> result;
  PlainLegs legs;
  planner_.planner().legs(planner_.context(), legs);
  branches = legs.branches;
  result.push_back({&routing(multicast_sort), std::move(legs.legs), routers_choose(), false, 0});
  if (unicast_ == nullptr) return result;
  PlainLegs unicasts;
  unicast_legs(PlanningContext{unicast_->topology(), *unicast_, {}}, unicasts);
  result.push_back({unicast_, std::move(unicasts.legs), routers_choose(), false, vc_offset(unicast_sort)});
  return result;
}

std::optional<std::pair<std::size_t, std::size_t>> PlannedWorms::reply() const {
  if (!scope_.depends) return std::nullopt;
  return std::pair<std::size_t, std::size_t>(scope_.depends->request, scope_.depends->reply);
}

const RoutingFunction& PlannedWorms::routing(std::uint32_t sort) const {
  return sort == unicast_sort ? *unicast_ : planner_.context().routing;
}

bool PlannedWorms::routers_choose() const {
  // Routers that choose channels for some choose virtual channels for all.
  return judged_as_relation(planner_, unicast_, {});
}

std::vector<Worm> PlannedWorms::plan(const PlannedMulticast& multicast) const {
  if (multicast.unicast) {
    Worm worm = chain_worm(multicast.source, multicast.destinations);
    if (!multicast.classes.empty()) worm.vc_class = multicast.classes.front();
    return {worm};
  }
  Request request;
  request.source = multicast.source;
  request.destinations = multicast.destinations;
  try {
    return planner_.plan(std::move(request), multicast.classes).worms;
  } catch (const InputError&) {
    return {};
  }
}

AllowedWorm PlannedWorms::allowed(const PlannedMulticast& multicast, std::uint32_t index) const {
  const auto refuse = [](const char* what) { throw InputError("witness", what); };
  if (multicast.unicast && (unicast_ == nullptr || multicast.destinations.size() != 1))
    refuse("there are no such unicasts");
  const std::vector<Worm> worms = plan(multicast);
  if (index >= worms.size()) refuse("there is no such worm of the multicast");
  const std::uint32_t sort = multicast.unicast ? unicast_sort : multicast_sort;
  AllowedWorm result;
  result.worm = worms[index];
  result.routing = &routing(sort);
  result.routers_choose = routers_choose();
  result.vc_offset = vc_offset(sort);
  if (!multicast.reply_to) return result;
  if (!scope_.depends || scope_.depends->request != sort) refuse("nobody replies to it");
  // A reply must be a worm with that destination alone.
  PlannedMulticast reply{HostId{result.worm.stops.back().node},
                         {*multicast.reply_to},
                         scope_.depends->reply == unicast_sort,
                         std::nullopt};
  const std::vector<Worm> replies = reply.source == *multicast.reply_to ? std::vector<Worm>{} : plan(reply);
  if (replies.size() != 1 || replies[0].stops.size() != 1 || replies[0].first_port ||
      replies[0].vc_class != 0)
    refuse("there is no such reply");
  result.reply_to = multicast.reply_to;
  result.reply_routing = &routing(scope_.depends->reply);
  result.reply_routers_choose = routers_choose();
  result.reply_vc_offset = vc_offset(scope_.depends->reply);
  return result;
}

void refuse_model_of_relations(const RouterModel& model) {
  if (model.cut_through)
    throw InputError("--cut-through", "is not judged where routers choose or nodes answer");
  if (model.consumption_release == ConsumptionRelease::answered)
    throw InputError("--consumption-release",
                     "answers are not judged where routers choose, or with --depends beside them");
  if (copies_serially(model) || locks_arbiters(model))
    throw InputError(copies_serially(model) ? "--replication" : "--allocation",
                     "such copies are not judged where routers choose");
  if (model.ring_entry != RingEntry::any)
    throw InputError("--ring-entry", "is not judged where routers choose");
  if (model.path_reservation)
    throw InputError("--path-reservation", "a way that routers choose cannot be reserved");
}

bool judged_as_relation(const BoundPlanner& planner, const RoutingFunction* unicast,
                        const RelationScope& scope) {
  return scope.any() || planner.context().routing.adaptive() || (unicast != nullptr && unicast->adaptive());
}

bool judged_by_legs(const BoundPlanner& planner, const RoutingFunction* unicast, const RouterModel& model,
                    const RelationScope& scope) {
  if (model.consumption_release == ConsumptionRelease::arrived)
    return !judged_as_relation(planner, unicast, scope);
  refuse_other_answers(planner, unicast, model, scope);
  return true;
}

bool fixed_beside_choices(const BoundPlanner& planner, const RoutingFunction* unicast,
                          const RelationScope& scope) {
  return !judged_as_relation(planner, nullptr, scope) && unicast != nullptr && unicast->adaptive() &&
         planner.planner().legs != nullptr;
}

bool branches_beside_choices(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const RouterModel& model, const RelationScope& scope) {
  if (!fixed_beside_choices(planner, unicast, scope) || model.allocation != Allocation::incremental)
    return false;
  PlainLegs legs;
  planner.planner().legs(planner.context(), legs);
  return legs.branches;
}

std::string scope_of_planner(const Plan& planned_by, bool with_unicasts) {
  std::string scope = "all multicasts of " + planned_by.planner;
  for (const auto& [name, value] : planned_by.options)
    scope.append(":").append(name).append("=").append(value);
  return scope + " by " + planned_by.routing + (with_unicasts ? " with unicasts" : "");
}

Routes unicast_routes(const RoutingFunction& routing, HostId source, HostId destination,
                      std::uint32_t vc_class) {
  Plan plan;
  plan.request.source = source;
  plan.request.destinations = {destination};
  plan.worms.emplace_back().source = source;
  plan.worms.front().vc_class = vc_class;
  plan.worms.front().stops.push_back(Stop{destination.value, -1, StopAction::deliver});
  return expand(std::move(plan), routing);
}

std::vector<std::uint32_t> classes_of(const std::vector<Worm>& worms) {
  std::vector<std::uint32_t> classes;
  for (const Worm& worm : worms) classes.push_back(worm.vc_class);
  return classes;
}

Routes on_virtual_channels(Routes routes, std::uint32_t offset) {
  for (WormRoute& worm : routes.worms)
    for (RouteHop& hop : worm.hops)
      if (hop.is_channel()) hop.vc += offset;
  return routes;
}

void refuse_other_answers(const BoundPlanner& planner, const RoutingFunction* unicast,
                          const RouterModel& model, const RelationScope& relation) {
  if (!relation.depends || relation.depends->request != multicast_sort ||
      relation.depends->reply != unicast_sort)
    throw InputError("--consumption-release",
                     "answered needs --depends multicasts:unicasts here, which says who answers");
  PlannedWorms(planner, unicast, relation);  // which refuses what it cannot plan
  if (judged_as_relation(planner, unicast, {})) refuse_model_of_relations(model);
}

void refuse_length_beside_headers(const BoundPlanner& planner, std::optional<std::uint64_t> flits,
                                  const std::string& field) {
  if (!flits || *flits == long_worm_flits || planner.context().option(header_encoding_option).empty()) return;
  throw InputError(field,
                   "headers by encoding have lengths of their own: check worms of any length, or name the "
                   "longest header's flits (--header-flits) in place of the encoding");
}

}  // namespace wormcast
