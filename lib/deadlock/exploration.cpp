// Exhaustive exploration of everything a few worms can do.
//
// A state says what each worm has been granted. Between two grants all flits come to rest: letting go
// of more, sooner, never takes a possibility from another worm, so no deadlock is missed, and every
// grant can be delayed until the others are at rest, so none is invented. A state in which nothing
// can be granted although a worm is unfinished is a deadlock. Breadth first: the first found is one
// of those with the fewest grants.
// Cost: up to the product over the worms of their numbers of grantable sets.
// SPDX-License-Identifier: MIT
#include "deadlock/exploration.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "deadlock/plain_worm.hpp"

namespace wormcast {

namespace {

/// What a worm can ask for next, and where that takes it.
struct Move {
  std::int32_t hop = -1;  ///< −1: it starts
  std::vector<ResourceId> resources;
  std::uint32_t to = 0;  ///< index of the local state
};

/// One set of grants of one worm, worked out once.
struct Local {
  std::vector<bool> granted;
  std::vector<bool> passed;  ///< granted, and let go of again
  std::vector<ResourceId> held;
  std::vector<Move> moves;
  bool finished = false;
  bool expanded = false;
};

/// The local states of one worm, numbered as they are met; 0 = not started.
class LocalStates {
 public:
  LocalStates(const Topology& topology, const RouterModel& model, const ExploredWorm& worm)
      : plain_(topology, model, worm.route, worm.flits),
        route_(worm.route),
        atomic_(model.allocation == Allocation::atomic && worm.route.replication == Replication::lock_step &&
                !worm.route.is_path()) {
    intern(std::vector<bool>(plain_.positions()));
  }

  const Local& at(std::uint32_t index) {
    if (!locals_[index].expanded) expand(index);
    return locals_[index];
  }

 private:
  std::uint32_t intern(const std::vector<bool>& granted) {
    const auto [known, inserted] = index_.emplace(granted, static_cast<std::uint32_t>(locals_.size()));
    if (inserted) locals_.emplace_back().granted = granted;
    return known->second;
  }

  void expand(std::uint32_t index) {
    Local local;
    local.granted = locals_[index].granted;
    local.expanded = true;
    local.finished = std::find(local.granted.begin(), local.granted.end(), false) == local.granted.end();
    const std::vector<bool> held =
        local.granted[0] ? plain_.held_at_rest(local.granted) : std::vector<bool>(local.granted.size());
    for (std::size_t p = 0; p < plain_.positions(); ++p) {
      local.passed.push_back(local.granted[p] && !held[p]);
      if (held[p])
        for (const ResourceId resource : plain_.resources(p)) local.held.push_back(resource);
      if (!local.granted[p] && (p == 0 || plain_.may_request(local.granted, p)))
        local.moves.push_back(move(local, p));
    }
    locals_[index] = std::move(local);
  }

  /// In an atomic node all outputs are granted in one cycle.
  Move move(const Local& local, std::size_t position) {
    Move result;
    result.hop = static_cast<std::int32_t>(position) - 1;
    std::vector<bool> next = local.granted;
    for (std::size_t q = 0; q < plain_.positions(); ++q) {
      const bool sibling =
          atomic_ && position > 0 && q > 0 && route_.hops[q - 1].parent == route_.hops[position - 1].parent;
      if (q != position && !sibling) continue;
      next[q] = true;
      for (const ResourceId resource : plain_.resources(q)) result.resources.push_back(resource);
    }
    result.to = intern(next);
    return result;
  }

  PlainWorm plain_;
  const WormRoute& route_;
  bool atomic_;
  std::vector<Local> locals_;
  std::map<std::vector<bool>, std::uint32_t> index_;
};

using State = std::vector<std::uint32_t>;  ///< local state of each worm

struct Known {
  State state;
  std::uint32_t from = 0;
  ExploredGrant grant;
};

class Explorer {
 public:
  Explorer(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms)
      : resources_(topology, model), worms_(worms) {
    for (const ExploredWorm& worm : worms) locals_.emplace_back(topology, model, worm);
  }

  Exploration run(std::uint64_t limit) {
    learn(State(worms_.size(), 0), 0, {});
    Exploration result;
    for (std::uint32_t at = 0; at < known_.size() && at < limit; ++at) {
      ++result.states;
      const State state = known_[at].state;
      if (!expand(state, at) && !finished(state)) {
        result.deadlock = grants_to(at);
        return result;
      }
    }
    result.exhausted = result.states == known_.size();
    return result;
  }

 private:
  void learn(const State& state, std::uint32_t from, ExploredGrant grant) {
    if (seen_.insert(state).second) known_.push_back(Known{state, from, grant});
  }

  bool finished(const State& state) {
    for (std::size_t w = 0; w < state.size(); ++w)
      if (!locals_[w].at(state[w]).finished) return false;
    return true;
  }

  /// Learns every state one grant away; false if there is none.
  bool expand(const State& state, std::uint32_t at) {
    std::map<ResourceId, std::uint32_t> used;
    for (std::size_t w = 0; w < state.size(); ++w)
      for (const ResourceId resource : locals_[w].at(state[w]).held) ++used[resource];
    bool any = false;
    for (std::uint32_t w = 0; w < state.size(); ++w) {
      for (const Move& move : locals_[w].at(state[w]).moves) {
        if (move.hop < 0 && !ready(state, w)) continue;
        if (!available(used, move.resources)) continue;
        State next = state;
        next[w] = move.to;
        learn(next, at, ExploredGrant{w, move.hop});
        any = true;
      }
    }
    return any;
  }

  /// Relays: the earlier worm's tail has entered the consumption channel at this worm's source.
  bool ready(const State& state, std::uint32_t w) {
    if (worms_[w].route.after < 0) return true;
    const auto earlier = static_cast<std::size_t>(worms_[w].route.after);
    const std::vector<RouteHop>& hops = worms_[earlier].route.hops;
    for (std::size_t h = 0; h < hops.size(); ++h)
      if (!hops[h].is_channel() && hops[h].target == worms_[w].route.source.value)
        return locals_[earlier].at(state[earlier]).passed[h + 1];
    return false;
  }

  bool available(const std::map<ResourceId, std::uint32_t>& used,
                 const std::vector<ResourceId>& wanted) const {
    for (const ResourceId resource : wanted) {
      const auto found = used.find(resource);
      const std::uint32_t units = resources_.units(resource);
      if (found != used.end() && units != 0 && found->second >= units) return false;
    }
    return true;
  }

  std::vector<ExploredGrant> grants_to(std::uint32_t at) const {
    std::vector<ExploredGrant> result;
    for (; at != 0; at = known_[at].from) result.push_back(known_[at].grant);
    std::reverse(result.begin(), result.end());
    return result;
  }

  Resources resources_;
  const std::vector<ExploredWorm>& worms_;
  std::vector<LocalStates> locals_;
  std::vector<Known> known_;
  std::set<State> seen_;
};

}  // namespace

Exploration explore(const Topology& topology, const RouterModel& model,
                    const std::vector<ExploredWorm>& worms, std::uint64_t limit) {
  return Explorer(topology, model, worms).run(limit);
}

}  // namespace wormcast
