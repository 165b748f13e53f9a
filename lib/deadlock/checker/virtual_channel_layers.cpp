// Virtual channels by dateline and by class.
//
// Dateline: in any order of the resources, let a worm's virtual channel count the dependencies on its way
// that do not go forward. Pairs (virtual channel, place in the order) then only grow along a path, so its
// dependencies have no cycle. An order with few such dependencies is made greedily: what nothing left leads
// to comes first; where there is no such resource, the one with the largest surplus of dependencies that
// leave it.
// Class: worms in turn, each into the first class where its dependencies close no cycle.
// Both say nothing of resources that all virtual channels share (queues of consumption channels) or of
// branches that wait for each other: whoever uses them has to check the outcome.
// Cost: dateline O(resources²) at worst; class O(worms · classes · dependencies) at worst.
// cite: Dally, Seitz 1987 (datelines); Eades, Lin, Smyth 1993 (the order); Skeie, Lysne, Theiss 2002
// (LASH: classes).
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest.hpp"

#include <map>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/graph/worm_footprint.hpp"

namespace wormcast {

namespace {

Footprint footprint_of(const Topology& topology, const Resources& resources, const CheckOptions& options,
                       const Routes& routes, const WormRoute& worm) {
  return Footprint(topology, resources, options.model, worm,
                   checked_flits(worm, routes.plan.request, options.flits, options.model));
}

std::uint32_t used_channels(const std::vector<Routes>& routes) {
  std::uint32_t most = 0;
  for (const Routes& multicast : routes)
    for (const WormRoute& worm : multicast.worms)
      for (const RouteHop& hop : worm.hops) most = std::max(most, hop.vc);
  return most + 1;
}

/// Place of every resource in an order with few dependencies backwards.
class ForwardOrder {
 public:
  explicit ForwardOrder(const DependencyGraph& graph)
      : out_(graph.taken().size()), in_(graph.taken().size()), place_(graph.taken().size(), 0) {
    for (const Dependency& edge : graph.dependencies()) {
      out_[edge.from.value].push_back(edge.to.value);
      in_[edge.to.value].push_back(edge.from.value);
    }
    for (std::uint32_t r = 0; r < out_.size(); ++r) {
      surplus_.push_back(static_cast<std::int64_t>(out_[r].size()) -
                         static_cast<std::int64_t>(in_[r].size()));
      before_.push_back(in_[r].size());
      if (!graph.taken()[r]) continue;
      left_.emplace(-surplus_[r], r);
      if (before_[r] == 0) ready_.push_back(r);
    }
    while (!left_.empty()) take(ready_.empty() ? left_.begin()->second : next_ready());
  }

  bool forward(ResourceId from, ResourceId to) const { return place_[from.value] < place_[to.value]; }

 private:
  std::uint32_t next_ready() {
    const std::uint32_t r = ready_.back();
    ready_.pop_back();
    return r;
  }

  void take(std::uint32_t r) {
    if (place_[r] != 0) return;
    left_.erase({-surplus_[r], r});
    place_[r] = ++taken_;
    for (const std::uint32_t to : out_[r]) {
      if (place_[to] != 0) continue;
      left_.erase({-surplus_[to], to});
      left_.emplace(-++surplus_[to], to);
      if (--before_[to] == 0) ready_.push_back(to);
    }
    for (const std::uint32_t from : in_[r]) {
      if (place_[from] != 0) continue;
      left_.erase({-surplus_[from], from});
      left_.emplace(-(--surplus_[from]), from);
    }
  }

  std::vector<std::vector<std::uint32_t>> out_, in_;
  std::vector<std::int64_t>
      surplus_;  ///< dependencies that leave it less those that lead to it, of what is left
  std::vector<std::size_t> before_;  ///< dependencies that lead to it from what is left
  std::set<std::pair<std::int64_t, std::uint32_t>> left_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> place_;  ///< from 1; 0 = not yet taken
  std::uint32_t taken_ = 0;
};

/// Dependencies of one class, which have no cycle.
class ClassGraph {
 public:
  /// Adds the edges if that closes no cycle.
  bool admit(const std::vector<Dependency>& edges) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
    for (const Dependency& edge : edges) {
      std::vector<std::uint32_t>& next = out_[edge.from.value];
      if (std::find(next.begin(), next.end(), edge.to.value) != next.end()) continue;
      if (leads_to(edge.to.value, edge.from.value)) {
        for (const auto& [from, to] : added) std::erase(out_[from], to);
        return false;
      }
      next.push_back(edge.to.value);
      added.emplace_back(edge.from.value, edge.to.value);
    }
    return true;
  }

 private:
  bool leads_to(std::uint32_t from, std::uint32_t to) const {
    std::set<std::uint32_t> seen{from};
    std::vector<std::uint32_t> open{from};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (at == to) return true;
      const auto found = out_.find(at);
      if (found == out_.end()) continue;
      for (const std::uint32_t next : found->second)
        if (seen.insert(next).second) open.push_back(next);
    }
    return false;
  }

  std::map<std::uint32_t, std::vector<std::uint32_t>> out_;
};

}  // namespace

namespace {

/// The step whose resource the worm goes on from to take `step`, −1 for the first. Consumption channels of
/// one input count as part of it: nobody else asks for them.
std::int64_t step_before(const Footprint& footprint, std::size_t step) {
  const auto steps = footprint.steps();
  if (footprint.advance() != Advance::path) return steps[step].parent;
  auto before = static_cast<std::int64_t>(step) - 1;
  while (before >= 0 && steps[static_cast<std::size_t>(before)].at_hand) --before;
  return before;
}

void add_steps(const Footprint& footprint, DependencyGraph& graph) {
  const auto steps = footprint.steps();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].at_hand) continue;
    const std::int64_t before = step_before(footprint, s);
    if (before < 0)
      graph.add_resource(steps[s].resource);
    else
      graph.add(steps[static_cast<std::size_t>(before)].resource, steps[s].resource, {});
  }
}

}  // namespace

std::optional<LayeredRoutes> channels_by_dateline(const Topology& topology, const CheckOptions& options,
                                                  const std::vector<Routes>& routes) {
  const Resources resources(topology, options.model);
  const std::uint32_t used = used_channels(routes);
  DependencyGraph graph;
  for (const Routes& multicast : routes)
    for (const WormRoute& worm : multicast.worms)
      add_steps(footprint_of(topology, resources, options, multicast, worm), graph);
  const ForwardOrder order(graph);
  LayeredRoutes result{routes, used};
  for (Routes& multicast : result.routes) {
    for (WormRoute& worm : multicast.worms) {
      const Footprint footprint = footprint_of(topology, resources, options, multicast, worm);
      const auto steps = footprint.steps();
      std::vector<std::uint32_t> crossed(steps.size(), 0);
      std::vector<std::uint32_t> vcs(worm.hops.size(), 0);
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const std::int64_t before = step_before(footprint, s);
        if (before >= 0) {
          const auto b = static_cast<std::size_t>(before);
          const bool own = steps[s].buffered && steps[s].hop >= 0;  // only channels have more to go to
          crossed[s] = crossed[b] + (own && !order.forward(steps[b].resource, steps[s].resource) ? 1 : 0);
        }
        if (steps[s].hop < 0 || !steps[s].buffered) continue;
        vcs[static_cast<std::size_t>(steps[s].hop)] = crossed[s] * used;
        result.virtual_channels = std::max(result.virtual_channels, (crossed[s] + 1) * used);
      }
      if (result.virtual_channels > most_virtual_channels) return std::nullopt;
      for (std::size_t h = 0; h < worm.hops.size(); ++h) worm.hops[h].vc += vcs[h];
    }
  }
  return result;
}

std::optional<LayeredRoutes> channels_by_class(const Topology& topology, const CheckOptions& options,
                                               const std::vector<Routes>& routes) {
  const Resources resources(topology, options.model);
  const std::uint32_t used = used_channels(routes);
  std::vector<ClassGraph> classes;
  LayeredRoutes result{routes, used};
  for (Routes& multicast : result.routes) {
    for (WormRoute& worm : multicast.worms) {
      DependencyGraph own;
      own.add(footprint_of(topology, resources, options, multicast, worm), WormCause{});
      std::uint32_t at = 0;
      for (;; ++at) {
        if ((at + 1) * used > most_virtual_channels) return std::nullopt;
        if (at == classes.size()) classes.emplace_back();
        if (classes[at].admit(own.dependencies())) break;
        if (at + 1 == classes.size() && !ClassGraph().admit(own.dependencies())) return std::nullopt;
      }
      result.virtual_channels = std::max(result.virtual_channels, (at + 1) * used);
      for (RouteHop& hop : worm.hops)
        if (hop.is_channel()) hop.vc += at * used;
    }
  }
  return result;
}

}  // namespace wormcast
