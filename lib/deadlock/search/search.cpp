// The exact search for a set of worms that block each other for good.
//
// A deadlock is a set S of worms, each with a step it waits for (a tree may have several), such that
//   (a) what the worms of S keep while these steps are refused fits the resources together, and
//   (b) all units of every resource waited for are kept by other worms of S.
// Conversely such a set is a deadlock as soon as it can be reached: start its worms one after the
// other, each held up at the steps it waits for until all are in place. For worms so long that their
// tails stay at the source everything acquired is kept, the sets are disjoint, and any order will do.
// Shorter worms release what they passed; then an order is needed in which no worm has to cross
// what an earlier one keeps. Where there is none, everything the worms of the set can do is explored;
// if that meets its limit, the question stays open (`exhausted` turns false).
//
// A worm with several refused steps keeps the union of what it keeps for each alone (flits that can
// pass are minima over the refused steps), so steps are added one at a time.
//
// Where FIFOs are shared (early reuse), a worm holds a step while it stands at the head of the FIFO there,
// and waits for one that it has not been granted or where others stand before it. What it keeps depends on
// the room that these leave: between all slots but one and none. The search asks that something be held by
// (b) with none, and that the sets fit together (a) with all but one; so it meets every deadlock, and sets
// that are none. Each set is therefore explored. Where that finds nothing, worms that stand in between may be
// missing: the set stays `unsettled`, and whole components have to be explored (explored_sets.cpp).
//
// The search takes the first step of S whose resource is not yet taken up and tries every worm and every
// place at which that worm could be blocked behind it. In a smallest S each worm waits for each, directly or
// not: all of it lies in one component of the dependency graph, and the route with the smallest index can be
// the first. Exponential in the worst case, hence the limit. Where each set has to be explored, small ones
// are tried first. cite: derived here, for paths and trees, with lengths, buffers and k-unit channels.
// SPDX-License-Identifier: MIT
#include "deadlock/search/search.hpp"

#include <algorithm>

#include "router/router_rules.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t tries_between_news = 1 << 16;

/// A step that a worm can wait for on a cycle, and what follows from that alone.
struct Wait {
  std::uint32_t step;
  StepSet required, blocked;  ///< what must be held before it, and what is only asked for with or behind it
  StepSet kept, surely;       ///< of all that can be acquired while it is refused
};

/// Where a worm takes a resource on a cycle.
struct Place {
  std::uint32_t route;
  std::uint32_t step;
  StepSet with{};  ///< what is held when it is granted
  /// Where it can be blocked then, with the resource kept: indices into its Waits. Worked out when first
  /// asked for.
  std::optional<std::vector<std::uint32_t>> waits{};
};

class Search {
 public:
  Search(const SearchedWorms& worms, const DependencyOrder& order)
      : worms_(worms),
        footprints_(worms.footprints),
        order_(order),
        resources_(worms.topology, worms.model),
        answer_sets_(worms),
        shared_(judged_by_exploring(worms.model) ||
                std::any_of(footprints_.begin(), footprints_.end(),
                            [](const Footprint& worm) { return worm.lets_others_behind(); })) {}

  DeadlockSearchResult run() {
    index_places();
    bool found = false;
    if (judged_by_exploring(worms_.model))
      for (most_members_ = 2; most_members_ < 4 && !found; ++most_members_) found = try_roots();
    most_members_ = SIZE_MAX;
    found = found || try_roots();
    result_.relations_open = result_.relations_open || answer_sets_.spent();
    result_.spent = result_.looked_at >= worms_.limits.partial_sets || tries_ >= worms_.limits.tries();
    result_.exhausted = !found && !out_of_steps() && !open_question_ && worms_.store.complete();
    return std::move(result_);
  }

 private:
  /// Sets of at most `most_members_` worms; true if a deadlock has been found.
  bool try_roots() {
    for (root_ = 0; root_ < footprints_.size(); ++root_)
      for (const Wait& wait : waits_of(root_)) {
        if (out_of_steps()) return false;
        if (admit(root_, wait.required, wait)) return true;
      }
    return false;
  }

  void index_places() {
    waitable_.resize(footprints_.size());
    waits_.resize(footprints_.size());
    std::uint32_t resources = 0;
    for (std::uint32_t r = 0; r < footprints_.size(); ++r) {
      const auto steps = footprints_[r].steps();
      for (std::uint32_t s = 0; s < steps.size(); ++s) {
        const ResourceId resource = steps[s].resource;
        resources = std::max(resources, resource.value + 1);
        if (!order_.on_a_cycle(resource, resource)) continue;
        places_[resource].push_back(Place{r, s});
        const StepSet before = footprints_[r].required(s);
        for (std::uint32_t held = 0; held < steps.size(); ++held) {
          // Siblings of a lock-step node can be held as well as what lies before it.
          if (held == s || (!before.has(held) && footprints_[r].is_path())) continue;
          if (!order_.on_a_cycle(resource, steps[held].resource)) continue;
          waitable_[r].push_back(s);
          break;
        }
      }
    }
    held_.assign(resources, 0);
    surely_held_.assign(resources, 0);
  }

  /// What there is to know of each step that worms of the route can wait for, ascending.
  const std::vector<Wait>& waits_of(std::uint32_t route) {
    std::vector<Wait>& waits = waits_[route];
    const Footprint& footprint = footprints_[route];
    if (waits.empty())
      for (const std::uint32_t step : waitable_[route])
        waits.push_back({step, footprint.required(step), footprint.blocked_by(step),
                         kept_while(footprint, {step}), kept_while(footprint, {step}, true)});
    return waits;
  }

  void work_out(Place& place) {
    const Footprint& footprint = footprints_[place.route];
    place.with = footprint.acquired_with(place.step);
    place.waits.emplace();
    const std::vector<Wait>& waits = waits_of(place.route);
    for (std::uint32_t w = 0; w < waits.size(); ++w)
      if (!waits[w].blocked.meets(place.with) && waits[w].kept.has(place.step) &&
          order_.on_a_cycle(footprint.steps()[waits[w].step].resource,
                            footprint.steps()[place.step].resource))
        place.waits->push_back(w);
  }

  /// What a member keeps of what it has acquired, while it waits for what it waits for.
  void keep(BlockedWorm& member) const {
    const Footprint& footprint = worms_.footprint(member);
    member.kept = kept_while(footprint, member.waits);
    member.kept &= member.acquired;
    if (!shared_) return;
    member.surely = kept_while(footprint, member.waits, true);
    member.surely &= member.acquired;
  }

  /// `kept`: for certain.
  bool fits(const Footprint& footprint, const StepSet& kept) const {
    const std::vector<std::uint32_t>& holders = shared_ ? surely_held_ : held_;
    for (std::uint32_t s = 0; s < footprint.size(); ++s) {
      if (!kept.has(s)) continue;
      const ResourceId resource = footprint.steps()[s].resource;
      const std::uint32_t units = resources_.units(resource);
      if (units != 0 && holders[resource.value] >= units) return false;
    }
    return true;
  }

  /// Adds or removes what the member keeps; false (and nothing changed) if it does not fit.
  bool hold(const BlockedWorm& member, int sign) {
    const Footprint& footprint = worms_.footprint(member);
    if (sign > 0 && !fits(footprint, shared_ ? member.surely : member.kept)) return false;
    const auto change = [&](std::vector<std::uint32_t>& held, std::uint32_t step) {
      std::uint32_t& holders = held[footprint.steps()[step].resource.value];
      holders = sign > 0 ? holders + 1 : holders - 1;
    };
    for (std::uint32_t s = 0; s < footprint.size(); ++s) {
      if (member.kept.has(s)) change(held_, s);
      if (shared_ && member.surely.has(s)) change(surely_held_, s);
    }
    return true;
  }

  bool satisfied(const BlockedWorm& member, std::uint32_t wait) const {
    const ResourceId resource = worms_.footprint(member).steps()[wait].resource;
    const std::uint32_t units = resources_.units(resource);
    return units != 0 && held_[resource.value] >= units;
  }

  bool admit(std::uint32_t route, const StepSet& acquired, const Wait& wait) {
    if (++tries_ % tries_between_news == 0) tell();
    StepSet surely = shared_ ? wait.surely : wait.kept;
    surely &= acquired;
    if (!fits(footprints_[route], surely)) return false;
    BlockedWorm member;
    member.route = route;
    member.waits = {wait.step};
    member.acquired = acquired;
    member.kept = wait.kept;
    member.kept &= acquired;
    if (shared_) member.surely = std::move(surely);
    hold(member, +1);
    members_.push_back(std::move(member));
    const bool found = extend();
    hold(members_.back(), -1);
    members_.pop_back();
    return found;
  }

  /// Takes up the first wait that is still open; true if a deadlock has been found.
  bool extend() {
    ++result_.looked_at;
    if (out_of_steps()) return false;
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
      for (const std::uint32_t wait : members_[m].waits) {
        if (satisfied(members_[m], wait)) continue;
        const auto found = places_.find(footprints_[members_[m].route].steps()[wait].resource);
        if (found == places_.end()) return false;
        for (Place& place : found->second) {
          if (place.route < root_) continue;
          if (!place.waits) work_out(place);
          if (try_new_worm(place)) return true;
          for (std::uint32_t other = 0; other < members_.size(); ++other)
            if (other != m && members_[other].route == place.route && try_more_of(other, place)) return true;
          if (out_of_steps()) return false;
        }
        return false;
      }
    }
    return finish();
  }

  bool try_new_worm(const Place& place) {
    if (members_.size() >= most_members_) return false;
    const auto copies = static_cast<std::uint64_t>(
        std::count_if(members_.begin(), members_.end(),
                      [&](const BlockedWorm& member) { return member.route == place.route; }));
    if (copies >= worms_.store.routes()[place.route].count) return false;
    const std::vector<Wait>& waits = waits_of(place.route);
    for (const std::uint32_t w : *place.waits) {
      StepSet acquired = place.with;
      acquired |= waits[w].required;
      if (admit(place.route, acquired, waits[w])) return true;
      if (out_of_steps()) return false;
    }
    return false;
  }

  /// A tree that is already blocked may hold the resource as well, in another branch.
  bool try_more_of(std::uint32_t index, const Place& place) {
    const Footprint& footprint = footprints_[place.route];
    if (footprint.is_path()) return false;
    const std::vector<Wait>& all = waits_of(place.route);
    const auto blocked_by = [&](std::uint32_t step) -> const StepSet& {
      return std::find_if(all.begin(), all.end(), [&](const Wait& wait) { return wait.step == step; })
          ->blocked;
    };
    const BlockedWorm before = members_[index];
    for (const std::uint32_t wait : before.waits)
      if (blocked_by(wait).meets(place.with)) return false;
    // First as it is blocked now, then with one more step refused to it.
    std::vector<std::vector<std::uint32_t>> choices{before.waits};
    for (const Wait& wait : all) {
      if (before.acquired.has(wait.step) || wait.blocked.meets(place.with) ||
          wait.blocked.meets(before.acquired))
        continue;
      if (std::any_of(before.waits.begin(), before.waits.end(),
                      [&](std::uint32_t w) { return w == wait.step || blocked_by(w).meets(wait.required); }))
        continue;
      choices.push_back(before.waits);
      choices.back().push_back(wait.step);
    }
    for (const std::vector<std::uint32_t>& waits : choices) {
      ++tries_;
      BlockedWorm more = before;
      more.waits = waits;
      more.acquired |= place.with;
      more.acquired |= footprint.required(waits.back());
      keep(more);
      if (!more.kept.has(place.step)) continue;
      if (more.kept == before.kept) continue;
      hold(before, -1);
      const bool fits = hold(more, +1);
      if (fits) {
        members_[index] = more;
        const bool found = extend();
        hold(members_[index], -1);
        members_[index] = before;
        if (found) return true;
      }
      hold(before, +1);
      if (out_of_steps()) return false;
    }
    return false;
  }

  /// Every wait is satisfied: names the worms and looks for a way to bring them there.
  bool finish() {
    std::vector<BlockedWorm> set;
    for (const std::uint32_t member : smallest_closed(members_, worms_)) set.push_back(members_[member]);
    if (worms_.model.answered()) return finish_answered(set);
    StartOrder order = shared_ ? StartOrder::undecided : find_start_order(set, worms_, resources_);
    if (order == StartOrder::undecided) order = try_all(set);
    if (order == StartOrder::undecided) open_question_ = true;
    if (order != StartOrder::possible) return false;
    result_.deadlock = std::move(set);
    return true;
  }

  bool finish_answered(const std::vector<BlockedWorm>& set) {
    const StartOrder order = answer_sets_.explore(set, result_);
    if (order == StartOrder::undecided) open_question_ = result_.relations_open = true;
    if (order == StartOrder::impossible && shared_) result_.unsettled = true;
    return order == StartOrder::possible;
  }

  /// Where no simple order is found: everything that the worms of these routes can do. What worms
  /// outside the set hold could only be in their way, so this decides the set.
  StartOrder try_all(std::vector<BlockedWorm>& set) {
    std::vector<std::uint32_t> routes;
    for (const BlockedWorm& member : set) routes.push_back(member.route);
    std::sort(routes.begin(), routes.end());
    const auto known = explored_.find(routes);
    if (known != explored_.end()) return known->second;
    const Exploration found = explore_members(worms_, set, result_.looked_at, states_);
    states_ += found.states;
    tell();
    if (!found.deadlock) {
      const StartOrder order = found.exhausted ? StartOrder::impossible : StartOrder::undecided;
      if (found.exhausted && shared_) result_.unsettled = true;
      return explored_[std::move(routes)] = order;
    }
    if (adopt_exploration(found, set, result_.requests, worms_)) return StartOrder::possible;
    result_.relations_open = true;
    return explored_[std::move(routes)] = StartOrder::undecided;
  }

  StepSet kept_while(const Footprint& footprint, const std::vector<std::uint32_t>& waits,
                     bool behind = false) const {
    return footprint.kept(footprint.all_but(waits), behind);
  }

  bool out_of_steps() const {
    return result_.looked_at >= worms_.limits.partial_sets || tries_ >= worms_.limits.tries() ||
           states_ >= worms_.limits.all_states() || answer_sets_.spent();
  }

  void tell() const {
    if (worms_.limits.tell) worms_.limits.tell(result_.looked_at, states_);
  }

  const SearchedWorms& worms_;
  const std::vector<Footprint>& footprints_;
  const DependencyOrder& order_;
  Resources resources_;
  AnswerSets answer_sets_;
  bool shared_;  ///< several worms can stand in one FIFO: what worms hold does not decide
  std::map<ResourceId, std::vector<Place>> places_;   ///< the places that take a resource on a cycle
  std::vector<std::vector<std::uint32_t>> waitable_;  ///< by route: steps it can wait for on a cycle
  std::vector<std::vector<Wait>> waits_;              ///< the same, worked out when first asked for
  // By resource: by how many members it is held.
  std::vector<std::uint32_t> held_;         ///< where they find no room elsewhere
  std::vector<std::uint32_t> surely_held_;  ///< whatever room they find: where FIFOs are shared
  /// By the routes of a set: that it does not deadlock by itself, or that this takes too many states to tell.
  std::map<std::vector<std::uint32_t>, StartOrder> explored_;
  std::vector<BlockedWorm> members_;
  std::size_t most_members_ = SIZE_MAX;
  std::uint32_t root_ = 0;
  bool open_question_ = false;
  std::uint64_t states_ = 0;  ///< explored, of all sets
  std::uint64_t tries_ = 0;   ///< worms, each blocked at a place, that have been put to a set
  DeadlockSearchResult result_;
};

}  // namespace

DeadlockSearchResult search_deadlock(const SearchedWorms& worms, const DependencyOrder& order) {
  return Search(worms, order).run();
}

}  // namespace wormcast
