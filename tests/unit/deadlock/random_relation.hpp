// Routing relations made at random on small graphs, and everything that worms
// can do by them, unreduced.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "multicast/legs.hpp"
#include "routing/routing_function.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast::random_relation {

/// Candidates listed for each (router, state, destination); state: as the
/// candidate by which a worm came says.
class TableRelation final : public RoutingFunction {
 public:
  TableRelation(const Topology& topology, std::uint32_t vcs, std::uint32_t states)
      : RoutingFunction(topology),
        vcs_(vcs),
        states_(states),
        table_(topology.routers() * topology.routers() * states) {}

  std::uint32_t virtual_channels() const override { return vcs_; }
  bool adaptive() const override { return true; }
  bool history_free() const override { return states_ == 1; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const RoutingCandidate& hop = entry(at, state, destination).front();
    return {hop.channel, hop.vc_begin, hop.to, hop.state};
  }
  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    candidates = entry(at, state, destination);
  }
  std::vector<RoutingCandidate>& entry(NodeId at, RoutingState state, NodeId destination) {
    return table_[(at.value * topology().routers() + destination.value) * states_ + state.bits];
  }
  const std::vector<RoutingCandidate>& entry(NodeId at, RoutingState state, NodeId destination) const {
    return table_[(at.value * topology().routers() + destination.value) * states_ + state.bits];
  }

 private:
  std::uint32_t vcs_, states_;
  std::vector<std::vector<RoutingCandidate>> table_;
};

/// A connected graph of 2 to 5 routers with a host each, few links.
inline std::unique_ptr<const Topology> small_graph(Random& random) {
  TopologySpec spec;
  spec.family = "graph";
  const auto routers = static_cast<std::uint32_t>(random.between(2, 5));
  spec.graph.routers = routers;
  for (std::uint32_t r = 0; r < routers; ++r) spec.graph.hosts.push_back(r);
  for (std::uint32_t r = 1; r < routers; ++r) {
    GraphLink link;
    link.ends = {static_cast<std::uint32_t>(random.below(r)), r};
    spec.graph.links.push_back(link);
  }
  for (std::uint32_t a = 0; a < routers; ++a)
    for (std::uint32_t b = a + 1; b < routers; ++b) {
      const bool joined =
          std::any_of(spec.graph.links.begin(), spec.graph.links.end(),
                      [&](const GraphLink& link) { return link.ends[0] == a && link.ends[1] == b; });
      if (joined || spec.graph.links.size() >= routers || random.below(2) == 0) continue;
      GraphLink link;
      link.ends = {a, b};
      spec.graph.links.push_back(link);
    }
  return build_topology(std::move(spec));
}

/// A unicast from every host to every other.
inline std::vector<Leg> all_pairs(const Topology& topology) {
  std::vector<Leg> legs;
  for (std::uint32_t to = 0; to < topology.hosts(); ++to)
    for (std::uint32_t from = 0; from < topology.hosts(); ++from)
      if (from != to)
        legs.push_back(Leg{std::nullopt, std::nullopt, HostId{from}, HostId{to}, std::nullopt, 0});
  return legs;
}

/// Some candidates that lead closer, and now and then one that does not.
inline std::unique_ptr<TableRelation> make_relation(Random& random, const Topology& topology) {
  const auto vcs = static_cast<std::uint32_t>(random.between(1, topology.routers() > 4 ? 1 : 2));
  const auto states = static_cast<std::uint32_t>(random.between(1, 2));
  auto relation = std::make_unique<TableRelation>(topology, vcs, states);
  for (std::uint32_t at = 0; at < topology.routers(); ++at)
    for (std::uint32_t to = 0; to < topology.routers(); ++to)
      for (std::uint32_t s = 0; s < states && at != to; ++s) {
        std::vector<RoutingCandidate> all;
        for (std::uint32_t c = 0; c < topology.channel_bound(); ++c) {
          const auto ends = topology.ends(ChannelId{c});
          if (!ends || ends->from != NodeId{at}) continue;
          const bool closer =
              topology.distance(ends->to, NodeId{to}) < topology.distance(NodeId{at}, NodeId{to});
          if (!closer && random.below(4) != 0) continue;
          const auto begin = static_cast<std::uint32_t>(random.below(vcs));
          const auto end = static_cast<std::uint32_t>(random.between(begin + 1, vcs));
          const auto state = static_cast<std::uint32_t>(random.below(states));
          all.push_back({ChannelId{c}, begin, end, ends->to, RoutingState{state}, 0});
        }
        shuffle(random, all);
        const std::size_t kept = std::max<std::size_t>(1, random.below(all.size() + 1));
        if (all.size() > kept) all.resize(kept);
        relation->entry(NodeId{at}, RoutingState{s}, NodeId{to}) = all;
      }
  return relation;
}

/// Explores every state of any number of unicasts: whatever starts, whatever a
/// router chooses, and whether a tail follows or stays; or of given unicasts,
/// each once and so long that no tail ever leaves its source.
class Explorer {
 public:
  using Unicast = std::pair<std::uint32_t, std::uint32_t>;

  Explorer(const RoutingFunction& relation, std::size_t limit, std::vector<Unicast> given = {})
      : relation_(relation), limit_(limit), given_(std::move(given)) {}

  /// True if some set of worms can come to block itself; `cut`: not everything
  /// was looked at.
  bool deadlock_reachable() {
    State start;
    seen_.insert(start);
    open_.push_back(start);
    while (!open_.empty()) {
      const State state = open_.back();
      open_.pop_back();
      if (blocked(state.first)) return true;
      if (seen_.size() > limit_) {
        cut = true;
        return false;
      }
      follow(state);
    }
    return false;
  }

  bool cut = false;

 private:
  using Vc = std::uint32_t;
  /// Held VCs from tail to header, then where the header is: router, state,
  /// destination.
  using Worm = std::tuple<std::vector<Vc>, std::uint32_t, std::uint32_t, std::uint32_t>;
  using Worms = std::multiset<Worm>;
  using State = std::pair<Worms, std::uint64_t>;  ///< and a bit for each given
                                                  ///< unicast that has started

  Vc id(ChannelId channel, std::uint32_t vc) const { return channel.value * 4 + vc; }

  std::set<Vc> taken(const Worms& state) const {
    std::set<Vc> vcs;
    for (const Worm& worm : state) vcs.insert(std::get<0>(worm).begin(), std::get<0>(worm).end());
    return vcs;
  }

  std::vector<RoutingCandidate> offered(const Worm& worm) const {
    std::vector<RoutingCandidate> all;
    relation_.candidates(NodeId{std::get<1>(worm)}, RoutingState{std::get<2>(worm)},
                         NodeId{std::get<3>(worm)}, all);
    return all;
  }

  /// Drops worms that can go on until none can: what is left blocks itself.
  bool blocked(Worms state) const {
    for (bool changed = true; changed;) {
      changed = false;
      const std::set<Vc> vcs = taken(state);
      for (auto worm = state.begin(); worm != state.end();) {
        bool goes = std::get<1>(*worm) == std::get<3>(*worm);
        if (!goes)
          for (const RoutingCandidate& hop : offered(*worm))
            for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc)
              goes = goes || vcs.count(id(hop.channel, vc)) == 0;
        if (goes) {
          worm = state.erase(worm);
          changed = true;
        } else {
          ++worm;
        }
      }
    }
    return !state.empty();
  }

  void visit(State state) {
    if (seen_.insert(state).second) open_.push_back(std::move(state));
  }

  void move_header(const State& without, const Worm& worm) {
    const std::set<Vc> vcs = [&] {
      std::set<Vc> all = taken(without.first);
      all.insert(std::get<0>(worm).begin(), std::get<0>(worm).end());
      return all;
    }();
    for (const RoutingCandidate& hop : offered(worm))
      for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc) {
        if (vcs.count(id(hop.channel, vc)) != 0) continue;
        Worm next{std::get<0>(worm), hop.to.value, hop.state.bits, std::get<3>(worm)};
        std::get<0>(next).push_back(id(hop.channel, vc));
        State state = without;
        state.first.insert(std::move(next));
        visit(std::move(state));
      }
  }

  void start(const State& state, std::uint32_t from, std::uint32_t to) {
    move_header(state, {{}, from, relation_.first(NodeId{from}, NodeId{to}, 0).bits, to});
  }

  void follow(const State& state) {
    const std::uint32_t routers = given_.empty() ? relation_.topology().routers() : 0;
    for (std::uint32_t from = 0; from < routers; ++from)
      for (std::uint32_t to = 0; to < routers; ++to)
        if (from != to) start(state, from, to);
    for (std::size_t i = 0; i < given_.size(); ++i) {
      State started = state;
      started.second |= std::uint64_t{1} << i;
      if (started != state) start(started, given_[i].first, given_[i].second);
    }
    for (auto worm = state.first.begin(); worm != state.first.end(); ++worm) {
      State without = state;
      without.first.erase(without.first.find(*worm));
      if (std::get<1>(*worm) == std::get<3>(*worm)) {  // consumed: all of it, or its tail follows
        visit(without);
      } else {
        move_header(without, *worm);
      }
      if (std::get<0>(*worm).size() < 2 || !given_.empty()) continue;
      Worm shorter = *worm;
      std::get<0>(shorter).erase(std::get<0>(shorter).begin());
      State next = without;
      next.first.insert(std::move(shorter));
      visit(std::move(next));
    }
  }

  const RoutingFunction& relation_;
  std::size_t limit_;
  std::vector<Unicast> given_;
  std::set<State> seen_;
  std::vector<State> open_;
};

}  // namespace wormcast::random_relation
