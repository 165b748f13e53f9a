// A small channel dependency graph for tests: written from the definition, independent of lib/deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"

namespace wormcast::testing {

/// Vertices are (channel, virtual channel); an edge says that a worm can hold one and wait for the other.
class ChannelDependencies {
 public:
  using Vertex = std::pair<std::uint32_t, std::uint32_t>;

  void add(Vertex held, Vertex wanted) { edges_[held].insert(wanted); }

  /// Consecutive channels of a worm, whatever it consumes on the way.
  void add(const WormRoute& worm) {
    for (const RouteHop& hop : worm.hops)
      if (hop.is_channel() && hop.parent >= 0) {
        const RouteHop& before = worm.hops[static_cast<std::size_t>(hop.parent)];
        add({before.target, before.vc}, {hop.target, hop.vc});
      }
  }

  /// The unicast from one node to another, of a fresh worm of class `vc_class`.
  void add_unicast(const RoutingFunction& routing, NodeId from, NodeId to, std::uint32_t vc_class = 0) {
    RoutingState state = routing.first(from, to, vc_class);
    bool holds = false;
    Vertex held;
    while (from != to || !routing.arrived(state)) {
      const RoutingStep step = routing.next(from, state, to);
      const Vertex wanted{step.channel.value, step.vc};
      if (holds) add(held, wanted);
      held = wanted;
      holds = true;
      from = step.to;
      state = step.state;
    }
  }

  /// True unless some dependencies close a cycle among the vertices that `keep` accepts.
  template <class Keep>
  bool acyclic(Keep keep) const {
    std::map<Vertex, std::size_t> waiting;
    std::vector<Vertex> ready;
    std::size_t vertices = 0;
    const auto count = [&](const Vertex& vertex) {
      if (keep(vertex) && waiting.emplace(vertex, 0).second) ++vertices;
    };
    for (const auto& [held, wanted] : edges_) {
      count(held);
      for (const Vertex& vertex : wanted) {
        count(vertex);
        if (keep(held) && keep(vertex)) ++waiting[vertex];
      }
    }
    for (const auto& [vertex, held_by] : waiting)
      if (held_by == 0) ready.push_back(vertex);
    std::size_t removed = 0;
    while (!ready.empty()) {
      const Vertex vertex = ready.back();
      ready.pop_back();
      ++removed;
      const auto wanted = edges_.find(vertex);
      if (wanted == edges_.end()) continue;
      for (const Vertex& next : wanted->second)
        if (keep(next) && --waiting[next] == 0) ready.push_back(next);
    }
    return removed == vertices;
  }
  bool acyclic() const {
    return acyclic([](const Vertex&) { return true; });
  }

 private:
  std::map<Vertex, std::set<Vertex>> edges_;
};

}  // namespace wormcast::testing
