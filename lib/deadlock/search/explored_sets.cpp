// Sets of worms that are explored whole: families of worms and answers, and components of worms that queue.
//
// Where a worm waits for a node that has yet to answer, the answer holds the node; it began with an arrival.
// So worms are explored by families: a multicast, what it answers, and the answers to it. What any of them
// awaits beside comes from others; these can have come and gone before, unless they await some of the family.
//
// A deadlock of the whole stream is one of the families of the worms that block each other in it: let those
// alone make their requests in the order they had; no other worm holds what they wait for, and without the
// others each is granted no later. Conversely the others can come later. Cost: an exploration a set.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "deadlock/search/search.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t most_namings = 64;  ///< choices of worms for a set of routes

// Deadlocks by queueing, found by exploring component after component.
//
// An atomic node's request waits in every queue of its outputs until all of them can be granted at once. So
// a worm can wait for a free resource, behind a request that waits for another one. Such a set does not
// show in what worms hold; the order of the queues has to be explored.
//
// Which worms have to be explored: take everything that is blocked for good. A blocked worm's request leads
// from queue to queue, always to one made earlier, until a resource that some worm holds for good; that is a
// dependency of the graph closed over its queues. Followed from holder to holder these dependencies end in a
// cycle, which lies in one component. All that the cycle needs takes resources of the component, or of
// queues joined to them. Let those worms alone make their requests in the order they had: the first of the
// cycle's grants or releases to come about would have to follow another one. So the deadlock is there
// without the others, and components can be explored one by one. Cost: that of an exploration for each
// component; those of too many worms are left open.

class QueueSearch {
 public:
  QueueSearch(const SearchedWorms& worms, const DependencyGraph& graph, const DependencyOrder& order)
      : worms_(worms), store_(worms.store), model_(worms.model) {
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
    const bool all = model_.discipline().locks_arbiters && !components_.empty();
    for (const auto& [number, resources] : components_) {
      if (all && routes_over(resources).size() == store_.routes().size()) continue;
      if (states_ >= worms_.limits.all_states()) {
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
    for (std::uint32_t r = 0; r < worms_.footprints.size(); ++r) {
      const auto steps = worms_.footprints[r].steps();
      if (std::any_of(steps.begin(), steps.end(),
                      [&](const Step& step) { return resources.contains(step.resource); }))
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
    if (AnswerSets(worms_).explore(multicasts, result) == StartOrder::undecided) result.exhausted = false;
  }

  void explore_component(const std::set<ResourceId>& resources, DeadlockSearchResult& result) {
    if (model_.answered()) return explore_families(resources, result);
    std::vector<BlockedWorm> set;
    const std::vector<std::uint32_t> routes = routes_over(resources);
    const auto outgrown = std::find_if(routes.begin(), routes.end(), [this](std::uint32_t r) {
      const StoredRoute& stored = store_.routes()[r];
      return stands_still_alone(model_, stored.route, stored.flits);
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
    const Exploration found = explore_members(worms_, set, 0, states_);
    states_ += found.states;
    if (worms_.limits.tell) worms_.limits.tell(0, states_);
    if (found.deadlock && adopt_exploration(found, set, result.requests, worms_))
      result.deadlock = std::move(set);
    else if (found.deadlock || !found.exhausted)
      result.exhausted = false;
  }

  const SearchedWorms& worms_;
  const RouteStore& store_;
  const RouterModel& model_;
  std::set<ResourceId> taken_;
  std::uint64_t states_ = 0;                                  ///< explored, of all components
  std::map<std::uint32_t, std::set<ResourceId>> components_;  ///< with all that is asked for together
};

}  // namespace

std::optional<std::set<std::uint64_t>> AnswerSets::close(const std::set<std::uint64_t>& multicasts) const {
  std::set<std::uint64_t> closed;
  std::vector<std::uint64_t> open(multicasts.begin(), multicasts.end());
  std::size_t worms = 0;
  while (!open.empty()) {
    const std::uint64_t id = open.back();
    open.pop_back();
    if (!closed.insert(id).second) continue;
    const Relations* own = store_.relations(id);
    if (own == nullptr || own->routes.size() != own->after.size()) return std::nullopt;
    worms += own->routes.size();
    if (worms > most_answering_worms) return std::nullopt;
    if (own->answers) open.push_back(own->answers->multicast);
    open.insert(open.end(), own->answered_by.begin(), own->answered_by.end());
  }
  return closed;
}

/// `multicasts` are closed.
std::optional<AnswerSets::Family> AnswerSets::family(const std::set<std::uint64_t>& multicasts) const {
  Family result;
  for (const std::uint64_t id : multicasts) {
    const Relations& own = *store_.relations(id);
    for (std::uint32_t w = 0; w < own.routes.size(); ++w) {
      result.names.push_back({id, w});
      result.worms.push_back({store_.routes()[own.routes[w]].route, store_.routes()[own.routes[w]].flits});
    }
  }
  for (std::uint32_t i = 0; i < result.names.size(); ++i)
    if (!await(result, i, multicasts)) return std::nullopt;
  return result;
}

/// Says what the worm at that place awaits; false if others would have to run in between.
bool AnswerSets::await(Family& family, std::uint32_t worm, const std::set<std::uint64_t>& multicasts) const {
  const auto place = [&](const WormRef& name) {
    return static_cast<std::uint32_t>(std::find(family.names.begin(), family.names.end(), name) -
                                      family.names.begin());
  };
  const WormRef name = family.names[worm];
  const Relations& own = *store_.relations(name.multicast);
  WormRoute& route = family.worms[worm].route;
  route.after = -1;
  if (own.after[name.worm] >= 0) {
    route.after =
        static_cast<std::int32_t>(place({name.multicast, static_cast<std::uint32_t>(own.after[name.worm])}));
    return true;
  }
  if (own.answers) {
    route.after = static_cast<std::int32_t>(place(*own.answers));
    return true;
  }
  if (route.port) return false;  // of what it answers nothing is known
  for (const std::uint64_t earlier : own.depends_on) {
    if (!multicasts.contains(earlier)) {
      if (!comes_before_all(earlier, multicasts)) return false;
      continue;
    }
    for (const auto& [host, sender] : store_.relations(earlier)->arrives)
      if (host == own.source.value) family.worms[worm].awaits.push_back(place({earlier, sender}));
  }
  return true;
}

/// True if nothing that the multicast awaits, directly or not, is one of these.
bool AnswerSets::comes_before_all(std::uint64_t multicast, const std::set<std::uint64_t>& multicasts) const {
  const auto all = all_reached<std::uint64_t>({multicast}, [&](std::uint64_t id, const auto& visit) {
    if (const Relations* own = store_.relations(id); own != nullptr && !multicasts.contains(id))
      std::for_each(own->depends_on.begin(), own->depends_on.end(), visit);
  });
  return std::all_of(all.begin(), all.end(), [&](std::uint64_t id) {
    return store_.relations(id) != nullptr && !multicasts.contains(id);
  });
}

StartOrder AnswerSets::explore(const std::set<std::uint64_t>& multicasts, DeadlockSearchResult& result) {
  if (spent()) return StartOrder::undecided;
  const auto closed = close(multicasts);
  if (!closed) return StartOrder::undecided;
  const auto worms = family(*closed);
  if (!worms) return StartOrder::undecided;
  const Exploration found = wormcast::explore(worms_.topology, worms_.model, worms->worms,
                                              worms_.limits.states, worms_.told(result.looked_at, states_));
  states_ += found.states;
  if (worms_.limits.tell) worms_.limits.tell(result.looked_at, states_);
  if (!found.deadlock) return found.exhausted ? StartOrder::impossible : StartOrder::undecided;
  adopt(*worms, found, result);
  return StartOrder::possible;
}

StartOrder AnswerSets::explore(const std::vector<BlockedWorm>& set, DeadlockSearchResult& result) {
  std::vector<std::size_t> choice(set.size(), 0);
  bool undecided = false;
  std::uint32_t tried = 0;
  do {
    if (tried++ == most_namings || spent()) return StartOrder::undecided;
    ++sets_;
    std::set<WormRef> names;
    std::set<std::uint64_t> multicasts;
    for (std::size_t m = 0; m < set.size(); ++m) {
      const StoredRoute& stored = worms_.route(set[m]);
      undecided = undecided || stored.count > stored.worms.size();
      names.insert(stored.worms[choice[m]]);
      multicasts.insert(stored.worms[choice[m]].multicast);
    }
    if (names.size() == set.size() && !impossible_.contains(multicasts)) {
      const StartOrder order = explore(multicasts, result);
      if (order == StartOrder::possible) return order;
      if (order == StartOrder::impossible) impossible_.insert(std::move(multicasts));
      undecided = undecided || order == StartOrder::undecided;
    }
  } while (next_choice(choice, set, worms_));
  return undecided ? StartOrder::undecided : StartOrder::impossible;
}

/// Adds what the members of a witness cannot do without: what they answer, the answers to them, and worms
/// that have to run between two members.
void AnswerSets::complete(const Family& family, std::set<std::uint32_t>& needed) {
  const auto size = static_cast<std::uint32_t>(family.worms.size());
  const auto earlier = [&](std::uint32_t m) {
    std::vector<std::uint32_t> result = family.worms[m].awaits;
    if (family.worms[m].route.after >= 0)
      result.push_back(static_cast<std::uint32_t>(family.worms[m].route.after));
    return result;
  };
  const auto closure = [&](bool back) {  // the members and all before them, or all that come after one
    std::vector<bool> in(size);
    for (const std::uint32_t m : needed) in[m] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t m = 0; m < size; ++m)
        for (const std::uint32_t before : earlier(m)) {
          const std::uint32_t next = back ? before : m;
          if (!in[back ? m : before] || in[next]) continue;
          in[next] = changed = true;
        }
    }
    return in;
  };
  for (std::size_t known = 0; known != needed.size();) {
    known = needed.size();
    for (std::uint32_t m = 0; m < size; ++m) {
      if (!family.worms[m].route.port) continue;
      const auto asked = static_cast<std::uint32_t>(family.worms[m].route.after);
      if (needed.contains(m) || needed.contains(asked)) needed.insert({m, asked});
    }
    const std::vector<bool> before = closure(true), behind = closure(false);
    for (std::uint32_t m = 0; m < size; ++m)
      if (before[m] && behind[m]) needed.insert(m);
  }
}

/// The worms that block each other, and what these need.
void AnswerSets::adopt(const Family& family, const Exploration& found, DeadlockSearchResult& result) const {
  std::vector<BlockedWorm> set(family.names.size());
  for (std::size_t m = 0; m < set.size(); ++m) {
    set[m].name = family.names[m];
    set[m].route = store_.relations(set[m].name.multicast)->routes[set[m].name.worm];
  }
  describe_members(found, set, worms_);
  const std::vector<std::uint32_t> blocked = smallest_part(found);
  std::set<std::uint32_t> needed(blocked.begin(), blocked.end());
  complete(family, needed);
  for (std::uint32_t m = 0; m < set.size(); ++m) {
    if (worms_.footprint(set[m]).has_port())
      set[m].answers = family.names[static_cast<std::size_t>(family.worms[m].route.after)];
    // Of the others nothing is said.
    if (std::find(blocked.begin(), blocked.end(), m) == blocked.end()) {
      set[m].waits.clear();
      set[m].kept = worms_.footprint(set[m]).none();
    }
  }
  leave_members({needed.begin(), needed.end()}, found, set, result.requests);
  result.deadlock = std::move(set);
}

DeadlockSearchResult search_queues(const SearchedWorms& worms, const DependencyGraph& graph,
                                   const DependencyOrder& order) {
  return QueueSearch(worms, graph, order).run();
}

Exploration explore_members(const SearchedWorms& worms, const std::vector<BlockedWorm>& set,
                            std::uint64_t sets, std::uint64_t states) {
  std::vector<ExploredWorm> explored;
  for (const BlockedWorm& member : set) {
    explored.push_back({worms.route(member).route, worms.route(member).flits});
    explored.back().route.after = -1;
  }
  return explore(worms.topology, worms.model, explored, worms.limits.states, worms.told(sets, states));
}

}  // namespace wormcast
