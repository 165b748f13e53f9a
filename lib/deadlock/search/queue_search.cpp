// Deadlocks by queueing, found by exploring component after component.
//
// An atomic node's request waits in every queue of its outputs until all of them can be granted at once. So
// a worm can wait for a free resource, behind a request that waits for another one. Such a set does not
// show in what worms hold; the order of the queues has to be explored.
//
// Who has to be explored: take everything that is blocked for good. A blocked worm's request leads from
// queue to queue, always to one made earlier, until a resource that somebody holds for good; that is a
// dependency of the graph closed over its queues. Followed from holder to holder these dependencies end in a
// circle, which lies in one component. All that the circle needs takes resources of the component, or of
// queues joined to them. Let those worms alone make their requests in the order they had: the first of the
// circle's grants or releases to come about would have to follow another one. So the deadlock is there
// without the others, and components can be explored one by one.
// Cost: that of an exploration for each component; those of too many worms are left open.
// SPDX-License-Identifier: MIT
#include "deadlock/search/search.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "deadlock/plain/plain_worm.hpp"
#include "deadlock/search/answer_sets.hpp"

namespace wormcast {

namespace {

class QueueSearch {
 public:
  QueueSearch(const RouteStore& store, const std::vector<Footprint>& footprints, const DependencyGraph& graph,
              const DependencyOrder& order, const Topology& topology, const RouterModel& model,
              const SearchLimits& limits)
      : store_(store), footprints_(footprints), topology_(topology), model_(model), limits_(limits) {
    for (std::uint32_t r = 0; r < graph.taken().size(); ++r) {
      if (graph.taken()[r]) taken_.insert(ResourceId{r});
      if (const std::uint32_t component = order.component(ResourceId{r}); component != 0)
        for (const ResourceId resource : graph.asked_for_with(ResourceId{r}))
          components_[component].insert(resource);
    }
  }

  DeadlockSearchResult run() {
    DeadlockSearchResult result;
    result.exhausted = store_.complete();
    const bool all = locks_arbiters(model_) && !components_.empty();
    for (const auto& [number, resources] : components_) {
      if (all && routes_over(resources).size() == store_.routes().size()) continue;
      if (states_ >= limits_.all_states()) {
        result.exhausted = false;
        break;
      }
      explore_component(resources, result);
      if (result.deadlock) return result;
    }
    if (!all) return result;
    // A router's arbiter may be locked by worms that share no output with those that want it.
    result.exhausted = store_.complete();
    explore_component(taken_, result);
    return result;
  }

 private:
  /// The routes that take any of these.
  std::vector<std::uint32_t> routes_over(const std::set<ResourceId>& resources) const {
    std::vector<std::uint32_t> routes;
    for (std::uint32_t r = 0; r < footprints_.size(); ++r) {
      const auto steps = footprints_[r].steps();
      if (std::any_of(steps.begin(), steps.end(),
                      [&](const Step& step) { return resources.count(step.resource) != 0; }))
        routes.push_back(r);
    }
    return routes;
  }

  /// All worms that take any of these, with their families.
  void explore_families(const std::set<ResourceId>& resources, DeadlockSearchResult& result) const {
    std::set<std::uint64_t> multicasts;
    for (const std::uint32_t r : routes_over(resources)) {
      const StoredRoute& stored = store_.routes()[r];
      if (stored.count > stored.worms.size()) result.exhausted = false;
      for (const WormRef& name : stored.worms) multicasts.insert(name.multicast);
    }
    AnswerSets sets(store_, footprints_, topology_, model_, limits_);
    if (sets.explore(multicasts, result) == StartOrder::undecided) result.exhausted = false;
  }

  void explore_component(const std::set<ResourceId>& resources, DeadlockSearchResult& result) {
    if (model_.consumption_release == ConsumptionRelease::answered)
      return explore_families(resources, result);
    std::vector<BlockedWorm> set;
    const std::vector<std::uint32_t> routes = routes_over(resources);
    const auto outgrown = std::find_if(routes.begin(), routes.end(), [this](std::uint32_t r) {
      const StoredRoute& stored = store_.routes()[r];
      return PlainWorm(topology_, model_, stored.route, stored.flits).outgrows();
    });
    for (const std::uint32_t r : outgrown == routes.end() ? routes : std::vector{*outgrown}) {
      const StoredRoute& stored = store_.routes()[r];
      if (outgrown == routes.end() &&
          (set.size() + stored.count > most_queueing_worms || stored.count > stored.worms.size())) {
        result.exhausted = false;
        return;
      }
      BlockedWorm member;
      member.route = r;
      set.insert(set.end(), outgrown == routes.end() ? stored.count : 1, member);
    }
    std::vector<ExploredWorm> worms;
    for (const BlockedWorm& member : set) {
      const StoredRoute& stored = store_.routes()[member.route];
      worms.push_back(ExploredWorm{stored.route, stored.flits});
      worms.back().route.after = -1;
    }
    const Exploration found = explore(topology_, model_, worms, limits_.states);
    states_ += found.states;
    if (limits_.tell) limits_.tell(0, states_);
    if (found.deadlock && adopt_exploration(found, set, result.requests, store_, footprints_))
      result.deadlock = std::move(set);
    else if (found.deadlock || !found.exhausted)
      result.exhausted = false;
  }

  const RouteStore& store_;
  const std::vector<Footprint>& footprints_;
  const Topology& topology_;
  const RouterModel& model_;
  SearchLimits limits_;
  std::set<ResourceId> taken_;
  std::uint64_t states_ = 0;                                  ///< explored, of all components
  std::map<std::uint32_t, std::set<ResourceId>> components_;  ///< with all that is asked for together
};

}  // namespace

DeadlockSearchResult search_queues(const RouteStore& store, const std::vector<Footprint>& footprints,
                                   const DependencyGraph& graph, const DependencyOrder& order,
                                   const Topology& topology, const RouterModel& model,
                                   const SearchLimits& limits) {
  return QueueSearch(store, footprints, graph, order, topology, model, limits).run();
}

}  // namespace wormcast
