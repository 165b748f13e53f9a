// Everything a few worms can do under atomic allocation, one event at a time and with no reductions: a
// worm asks, the first of a queue is granted, a worm's flits drain, each at any moment. The measure of the
// exploration, which lets flits drain at once and leaves out queues that nobody can be held up in.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "deadlock/plain/plain_worm.hpp"
#include "deadlock/search/exploration.hpp"
#include "topology/resources.hpp"

namespace wormcast::hand_made {

class QueueOracle {
 public:
  QueueOracle(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms)
      : resources_(topology, model) {
    for (const ExploredWorm& worm : worms) plain_.emplace_back(topology, model, worm.route, worm.flits);
  }

  /// Whether a state can be reached in which nothing can happen although a worm is unfinished; nothing if
  /// there are more states than `limit`.
  std::optional<bool> deadlocks(std::size_t limit) {
    State first;
    for (const PlainWorm& worm : plain_)
      first.worms.push_back({std::vector<bool>(worm.positions()), std::vector<bool>(worm.positions())});
    seen_ = {first};
    std::vector<State> open{first};
    while (!open.empty()) {
      const State state = std::move(open.back());
      open.pop_back();
      if (seen_.size() > limit) return std::nullopt;
      bool any = false;
      for (State& next : events(state)) {
        any = true;
        if (seen_.insert(next).second) open.push_back(std::move(next));
      }
      if (!any && !all_granted(state)) return true;
    }
    return false;
  }

 private:
  struct Progress {
    std::vector<bool> granted, gone;  ///< by position
    friend auto operator<=>(const Progress&, const Progress&) = default;
  };
  using Asked = std::pair<std::uint32_t, std::size_t>;  ///< worm, position
  struct State {
    std::vector<Progress> worms;
    std::map<ResourceId, std::vector<Asked>> queues;
    friend auto operator<=>(const State&, const State&) = default;
  };

  bool all_granted(const State& state) const {
    for (const Progress& worm : state.worms)
      for (const bool granted : worm.granted)
        if (!granted) return false;
    return true;
  }

  /// All that one request asks for.
  std::vector<std::size_t> request(std::uint32_t w, std::size_t position) const {
    std::vector<std::size_t> all;
    for (std::size_t q = 0; q < plain_[w].positions(); ++q)
      if (q == position || (q > 0 && position > 0 && plain_[w].granted_at_once() &&
                            plain_[w].parent(q) == plain_[w].parent(position)))
        all.push_back(q);
    return all;
  }

  bool waiting(const State& state, std::uint32_t w, std::size_t position) const {
    for (const auto& [resource, queue] : state.queues)
      for (const Asked& asked : queue)
        if (asked == Asked{w, position}) return true;
    return false;
  }

  bool has_unit(const State& state, ResourceId resource) const {
    std::uint32_t held = 0;
    for (std::uint32_t w = 0; w < plain_.size(); ++w)
      for (std::size_t p = 0; p < plain_[w].positions(); ++p)
        for (const ResourceId own : plain_[w].resources(p))
          held += own == resource && state.worms[w].granted[p] && !state.worms[w].gone[p] ? 1 : 0;
    return resources_.units(resource) == 0 || held < resources_.units(resource);
  }

  std::vector<State> events(const State& state) const {
    std::vector<State> result;
    for (std::uint32_t w = 0; w < plain_.size(); ++w) {
      const PlainWorm& worm = plain_[w];
      const Progress& now = state.worms[w];
      drain(state, w, result);
      for (std::size_t p = 0; p < worm.positions(); ++p) {
        if (now.granted[p] || (p > 0 && !worm.may_request(now.granted, p))) continue;
        const std::vector<std::size_t> asked = request(w, p);
        if (asked.front() != p) continue;
        if (waiting(state, w, p)) {
          grant(state, w, asked, result);
          continue;
        }
        State next = state;
        bool any = false;
        for (const std::size_t q : asked)
          for (const ResourceId resource : worm.resources(q))
            next.queues[resource].emplace_back(w, q), any = true;
        if (!any)  // a source without limits
          for (const std::size_t q : asked) next.worms[w].granted[q] = true;
        result.push_back(std::move(next));
      }
    }
    return result;
  }

  void drain(const State& state, std::uint32_t w, std::vector<State>& result) const {
    const Progress& now = state.worms[w];
    if (!now.granted[0]) return;
    const std::vector<bool> held = plain_[w].at_rest(now.granted).held;
    State next = state;
    for (std::size_t p = 0; p < held.size(); ++p) next.worms[w].gone[p] = now.granted[p] && !held[p];
    if (next.worms[w].gone != now.gone) result.push_back(std::move(next));
  }

  void grant(const State& state, std::uint32_t w, const std::vector<std::size_t>& asked,
             std::vector<State>& result) const {
    State next = state;
    for (const std::size_t q : asked)
      for (const ResourceId resource : plain_[w].resources(q)) {
        std::vector<Asked>& queue = next.queues[resource];
        if (queue.front() != Asked{w, q} || !has_unit(state, resource)) return;
        queue.erase(queue.begin());
        if (queue.empty()) next.queues.erase(resource);
      }
    for (const std::size_t q : asked) next.worms[w].granted[q] = true;
    result.push_back(std::move(next));
  }

  Resources resources_;
  std::vector<PlainWorm> plain_;
  std::set<State> seen_;
};

}  // namespace wormcast::hand_made
