// Shrinking to a cycle, by removal, then by exhaustion.
//
// The multicasts of a witness deadlock by themselves, so everything else goes at once. A search takes the
// first deadlock that it meets; one along the shortest dependency cycle often has fewer, so the multicasts
// that turn as this cycle does are tried alone. Then each of those left is left out in turn; where the rest
// still deadlocks, the multicasts of its witness take over. What remains is minimal: without any one of its
// multicasts it is proved free of deadlock, and fewer worms have fewer deadlocks. It is smallest if no set of
// fewer multicasts deadlocks: all of them are looked at, where they are few enough. Only multicasts that can
// hold one resource of a dependency cycle while they wait for another of it take part in deadlocks.
//
// Relays keep their multicast whole, and a multicast keeps those that it depends on: leaving one out
// leaves out all that wait for it.
// Cost: one check of the multicasts along the cycle; one of a few worms for each removal and each subset.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include <map>
#include <numeric>

namespace wormcast {

namespace {

using Set = std::vector<std::size_t>;  ///< indices of routes, ascending

class Shrinker {
 public:
  Shrinker(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& routes)
      : topology_(topology), options_(options), routes_(routes) {
    for (std::size_t i = 0; i < routes.size(); ++i) index_[routes[i].plan.request.id] = i;
  }

  Verdict run(Verdict verdict, std::uint64_t subset_limit) {
    Verdict least = verdict;
    Set set = members(verdict);
    if (Verdict along = check(along_cycle(verdict)); members(along).size() < set.size())
      adopt(along, set, least);
    bool proved = remove_one_by_one(set, least);
    if (proved && fewer_exist(set, least, subset_limit)) proved = remove_one_by_one(set, least);
    Shrunk shrunk;
    for (const std::size_t member : set) shrunk.multicasts.push_back(routes_[member].plan.request.id);
    std::sort(shrunk.multicasts.begin(), shrunk.multicasts.end());
    shrunk.proof = !proved ? ShrinkProof::none : smallest_ ? ShrinkProof::smallest : ShrinkProof::minimal;
    verdict.evidence = ByWitness{least.witness(), std::move(shrunk)};
    return verdict;
  }

 private:
  /// The multicasts of the witness, and those that they wait for.
  Set members(const Verdict& verdict) const {
    Set named;
    for (const WitnessWorm& worm : verdict.witness()) named.push_back(index_.at(worm.name.multicast));
    return with_earlier(std::move(named));
  }

  Set with_earlier(Set some) const {
    const auto all = all_reached(std::move(some), [&](std::size_t member, const auto& visit) {
      for (const std::size_t earlier : depends_on(member)) visit(earlier);
    });
    return {all.begin(), all.end()};
  }

  Set depends_on(std::size_t member) const {
    Set result;
    for (const std::uint64_t id : routes_[member].plan.request.depends_on)
      if (const auto found = index_.find(id); found != index_.end()) result.push_back(found->second);
    return result;
  }

  /// The members for which the set lacks nothing that they depend on.
  Set supported(const Set& set) const {
    Set result;
    for (const std::size_t member : set) {
      const Set earlier = depends_on(member);
      if (std::all_of(earlier.begin(), earlier.end(),
                      [&](std::size_t e) { return std::binary_search(set.begin(), set.end(), e); }))
        result.push_back(member);
    }
    return result;
  }

  Set without(Set set, std::size_t member) const {
    std::erase(set, member);
    for (Set rest = supported(set); rest != set; rest = supported(set)) set = std::move(rest);
    return set;
  }

  Verdict check(const Set& set) const {
    DeadlockChecker checker(topology_, options_);
    for (const std::size_t member : set) checker.add(routes_[member]);
    return checker.verdict();
  }

  /// Takes what `verdict` found in place of the set; false if it found no deadlock.
  bool adopt(const Verdict& verdict, Set& set, Verdict& least) const {
    if (verdict.answer() != Answer::deadlock) return false;
    set = members(verdict);
    least = verdict;
    return true;
  }

  /// False if some removal could not be decided.
  bool remove_one_by_one(Set& set, Verdict& least) const {
    bool decided = true;
    for (std::size_t i = 0; i < set.size();) {
      const Verdict verdict = check(without(set, set[i]));
      if (adopt(verdict, set, least)) {
        decided = true;
        i = 0;
        continue;
      }
      decided = decided && verdict.answer() != Answer::unknown;
      ++i;
    }
    return decided;
  }

  /// What the worms of one multicast hold while they wait for something else.
  std::vector<Dependency> dependencies_of(const Resources& resources, const Routes& routes) const {
    DependencyGraph graph;
    for (const WormRoute& worm : routes.worms)
      graph.add(footprint_of(topology_, resources, options_, routes, worm), WormCause{});
    return graph.dependencies();
  }

  /// Multicasts with such a dependency.
  template <class Such>
  Set having(const Resources& resources, Such such) const {
    Set result;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      const std::vector<Dependency> own = dependencies_of(resources, routes_[i]);
      if (std::any_of(own.begin(), own.end(), such)) result.push_back(i);
    }
    return result;
  }

  /// Multicasts with a worm that turns as the verdict's dependency cycle does, and those that they wait for.
  Set along_cycle(const Verdict& verdict) const {
    std::set<std::pair<ResourceId, ResourceId>> turns;
    for (const Dependency& edge : verdict.cycle) turns.emplace(edge.from, edge.to);
    const Resources resources(topology_, options_.model);
    return with_earlier(having(resources, [&](const Dependency& edge) {
      return turns.contains({edge.from, edge.to});
    }));
  }

  /// Multicasts with a worm that can wait on a dependency cycle while it holds another part of it.
  Set candidates() const {
    const Resources resources(topology_, options_.model);
    DependencyGraph all;
    for (const Routes& routes : routes_)
      for (const Dependency& edge : dependencies_of(resources, routes)) all.add(edge.from, edge.to, {});
    const DependencyOrder order(all, bubble_rings(topology_, options_.model, resources, false));
    return having(resources, [&](const Dependency& edge) { return order.on_a_cycle(edge.from, edge.to); });
  }

  /// Looks at all smaller sets, the smallest first; true if one of them deadlocks (then it is taken).
  /// Says whether the set is known to be smallest.
  bool fewer_exist(Set& set, Verdict& least, std::uint64_t limit) {
    smallest_ = false;
    const bool tied = std::any_of(routes_.begin(), routes_.end(), [](const Routes& routes) {
      return !routes.plan.request.depends_on.empty();
    });
    Set all(routes_.size());
    std::iota(all.begin(), all.end(), 0U);
    if (!tied && !options_.model.discipline().queues_jointly) all = candidates();
    std::uint64_t looked_at = 0;
    bool decided = true;
    for (std::size_t size = 1; size < set.size(); ++size) {
      Set chosen(size);
      std::iota(chosen.begin(), chosen.end(), 0U);
      if (size > all.size()) break;
      do {
        if (++looked_at > limit) return false;
        Set subset;
        for (const std::size_t i : chosen) subset.push_back(all[i]);
        if (supported(subset) != subset) continue;
        const Verdict verdict = check(subset);
        if (adopt(verdict, set, least)) {
          smallest_ = decided;
          return true;
        }
        decided = decided && verdict.answer() != Answer::unknown;
      } while (next(chosen, all.size()));
    }
    smallest_ = decided;
    return false;
  }

  /// The next choice of that many out of n in lexicographic order; false after the last.
  static bool next(Set& chosen, std::size_t n) {
    for (std::size_t i = chosen.size(); i-- > 0;) {
      if (chosen[i] == n - chosen.size() + i) continue;
      ++chosen[i];
      for (std::size_t j = i + 1; j < chosen.size(); ++j) chosen[j] = chosen[j - 1] + 1;
      return true;
    }
    return false;
  }

  const Topology& topology_;
  const CheckOptions& options_;
  const std::vector<Routes>& routes_;
  std::map<std::uint64_t, std::size_t> index_;  ///< by id
  bool smallest_ = false;
};

}  // namespace

Verdict shrink(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& routes,
               Verdict verdict, std::uint64_t subset_limit) {
  return Shrinker(topology, options, routes).run(std::move(verdict), subset_limit);
}

}  // namespace wormcast
