// The worms that a planner, a witness's multicasts or the plans of a segment say there are, and the second
// readings of what these can hold while they wait.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/verdict.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What a worm of a witness is allowed to do.
struct AllowedWorm {
  Worm worm;  ///< a chain
  const RoutingFunction* routing = nullptr;
  bool routers_choose = true;
  std::uint32_t vc_offset = 0;
  /// From the last stop a reply goes there, joined so.
  std::optional<HostId> reply_to{};
  const RoutingFunction* reply_routing = nullptr;
  std::uint32_t reply_vc_offset = 0;
};

/// What a verdict names, bound. Throws InputError for planners and options that do not exist.
struct NamedPlanner {
  NamedPlanner(const Topology& topology, const Verdict& verdict);

  BoundPlanner planner;
  std::unique_ptr<const RoutingFunction> unicast;  ///< null: none
};

/// All traffic of a verdict on a planner's multicasts, the worms in it, and how they are judged.
class PlannedWorms {
 public:
  /// `unicast` may be null.
  PlannedWorms(const BoundPlanner& planner, const RoutingFunction* unicast, const RelationScope& scope)
      : planner_(planner), unicast_(unicast), scope_(scope) {}

  const BoundPlanner& planner() const { return planner_; }
  const RoutingFunction* unicast() const { return unicast_; }
  const RelationScope& scope() const { return scope_; }
  /// Throws InputError where the planner does not say what it can produce.
  void refuse_without_legs() const;
  /// Throws InputError for virtual channels that there are not, and for a rule on unicasts without unicasts.
  void refuse_unplanned() const;
  /// By sort; `branches`: some worm is more than a chain of legs, which are all that is read. Where nodes
  /// answer these, the legs are those of multicasts to one host each: no proof, but a deadlock of theirs is
  /// one.
  std::vector<RelationTraffic> sorts(bool& branches) const;
  const RoutingFunction& routing(std::uint32_t sort) const;
  /// Of all of them: routers that choose channels for some choose virtual channels for all.
  bool routers_choose() const {
    return planner_.context().routing.adaptive() || (unicast_ != nullptr && unicast_->adaptive());
  }
  /// Whether two classes may have some virtual channels in common, and others not.
  bool shares_overlap() const {
    return unicast_ != nullptr && !routers_choose() && unicast_->topology().spec().virtual_channels != 0 &&
           unicast_->virtual_channels() != planner_.context().routing.virtual_channels();
  }
  std::uint32_t vc_offset(std::uint32_t sort) const { return sort == unicast_sort ? scope_.unicast_vc : 0; }

  /// The worms of the multicast, planned; none where the planner refuses it.
  std::vector<Worm> plan(const PlannedMulticast& multicast) const;
  /// What worm `index` of the multicast may do; throws InputError where there is no such worm.
  AllowedWorm allowed(const PlannedMulticast& multicast, std::uint32_t index) const;

  /// Whether multicasts go by routes of their own beside unicasts whose routers choose.
  bool fixed_beside_choices() const;
  /// True where worms that branch go by routes of their own beside unicasts whose routers choose: each sort
  /// is judged by itself, and all dependencies together.
  bool branches_beside_choices(const RouterModel& model) const;
  /// True where worms that branch go by routes of their own, and nodes take worms only while they can answer.
  bool branches_beside_answers() const;
  /// True where such worms answer unicasts, which have virtual channels of their own: legs may prove that.
  bool answered_by_branches() const;
  /// True where the verdict is one on a routing relation: routers choose, or something waits for replies.
  bool judged_as_relation() const { return scope_.depends || routers_choose(); }
  bool answered_by_unicasts() const;
  /// True where the dependencies of legs say all: routers choose nothing.
  bool judged_by_legs(const RouterModel& model) const;
  /// True for worms that branch, without a choice, to nodes that answer them: judged as stored there whole.
  bool stored_until_answered(const RouterModel& model) const;
  /// Whether the planner's worms are judged by their turns, as routers copy that route worms.
  bool judged_by_turns(const RouterModel& model) const;
  /// Where nodes are busy until they have answered: throws InputError unless unicasts answer multicasts, and
  /// routers choose nothing.
  void refuse_other_answers(const RouterModel& model) const;

 private:
  std::vector<Leg> legs_to_one_host() const;

  const BoundPlanner& planner_;
  const RoutingFunction* unicast_;
  RelationScope scope_;
};

/// Whether the multicasts of the witness block each other by themselves, whatever nodes do with what arrives.
inline bool blocks_unanswered(const std::vector<WitnessWorm>& witness) {
  return std::none_of(witness.begin(), witness.end(), [](const WitnessWorm& worm) {
    return worm.answers && !(worm.holds.empty() && worm.waits.empty());
  });
}

/// Throws InputError at `field` if `flits` is a length and the planner's headers have lengths of their own.
void refuse_length_beside_headers(const BoundPlanner& planner, std::optional<std::uint64_t> flits,
                                  const std::string& field);
/// The scope of such a verdict: "all multicasts of ocms:first-hop=free by label with unicasts".
std::string scope_of_planner(const Plan& planned_by, bool with_unicasts);
/// Says in the verdict what it is about; not the seed of ways that are drawn, since it holds for each of
/// them.
void name_planner(const BoundPlanner& planner, bool with_unicasts, Verdict& verdict);
/// One unicast as a multicast of one worm of that class. `vc_offset` is added to its virtual channels.
Routes unicast_routes(const RoutingFunction& routing, HostId source, HostId destination,
                      std::uint32_t vc_class, std::uint32_t vc_offset = 0);
/// The plan of a planner's multicast that a witness names, by the ways that were drawn.
Plan plan_again(const BoundPlanner& planner, const PlannedMulticast& multicast);
/// Which ways were drawn for them.
std::vector<std::uint32_t> classes_of(const std::vector<Worm>& worms);

/// The routes of one multicast each, with ids that count from 0; sets that the planner refuses (`unicast`:
/// more than one destination), and ways that its routing function does not go, are passed over.
std::vector<Routes> plan_all(const BoundPlanner& planner, const MulticastSet& requests);

/// The worms of a segment that routers route on their way to the stops of their plans. Takes routes without
/// hops, one multicast at a time; each worm is a sort of traffic of its own.
class SegmentWorms {
 public:
  struct Item {
    WormRef name;
    Worm worm;
    const RoutingFunction* routing = nullptr;
    std::uint64_t flits = 0;
    bool awaits = false;  ///< it starts when others have arrived
  };

  /// `every`: flits of every worm, as in CheckOptions.
  SegmentWorms(const Topology& topology, const RouterModel& model, std::optional<std::uint64_t> every)
      : topology_(topology), model_(model), every_(every) {}

  /// Throws InputError for more worms than can be judged, and for stops at routers.
  void add(const Routes& routes);
  bool empty() const { return items_.empty(); }
  std::uint64_t multicasts() const { return multicasts_; }
  const std::vector<Item>& items() const { return items_; }
  const Plan& planned_by() const { return planner_.common(); }
  std::vector<RelationTraffic> sorts() const;
  /// Throws InputError where there is no such worm.
  AllowedWorm allowed(const WormRef& name) const;

 private:
  const Topology& topology_;
  RouterModel model_;
  std::optional<std::uint64_t> every_;
  std::map<std::string, std::unique_ptr<const RoutingFunction>> routings_;
  std::vector<Item> items_;
  SharedPlanner planner_;
  std::uint64_t multicasts_ = 0;
};

}  // namespace wormcast
