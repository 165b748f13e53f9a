// Worms that may block each other along a dependency cycle: each comes to one of its VCs by a shortest way
// and holds on from there, VC after VC of the cycle, until it waits for the next. Worms that hold many
// channels are too many to list otherwise. Cost: a breadth-first search, and the ways along the cycle, a
// million steps of them at most: where nothing is found here all worms are listed.
// SPDX-License-Identifier: MIT
#include "deadlock/relations/relation_check.hpp"

#include <map>
#include <utility>

namespace wormcast {

namespace {

class WormsAlong {
 public:
  WormsAlong(const RelationGraph& graph, const std::vector<Dependency>& cycle,
             const std::function<void(const RelationWorm&)>& take)
      : graph_(graph), take_(take), came_(graph.vertices().size()) {
    for (const Dependency& edge : cycle) next_[edge.from] = edge.to;
  }

  void run() {
    std::vector<std::uint32_t> open;
    for (std::uint32_t v = 0; v < came_.size(); ++v)
      if (graph_.vertices()[v].entry) {
        came_[v] = {v, 0};
        open.push_back(v);
      }
    for (std::size_t at = 0; at < open.size(); ++at) {
      const std::uint32_t v = open[at];
      const auto& here = graph_.vertices()[v];
      for (std::size_t i = here.first_arc; i < here.first_arc + here.arcs; ++i) {
        const RelationArc& arc = graph_.arcs()[i];
        if (leads_nowhere(arc)) continue;
        if (next_.contains(arc.vc)) go_on(along(v, i), next_.at(arc.vc), arc.vc);
        if (came_[arc.to]) continue;
        came_[arc.to] = {v, i};
        open.push_back(arc.to);
      }
    }
  }

 private:
  bool leads_nowhere(const RelationArc& arc) const {
    return graph_.vertices()[arc.to].kind == RelationGraph::Kind::anywhere;
  }

  /// The worm that comes to the place by a shortest way, and takes the arc.
  RelationWorm along(std::uint32_t place, std::size_t arc) const {
    RelationWorm worm{place, {arc}, graph_.arcs()[arc].to};
    while (!graph_.vertices()[worm.entry].entry) {
      const auto& [before, by] = *came_[worm.entry];
      worm.taken.insert(worm.taken.begin(), by);
      worm.entry = before;
    }
    return worm;
  }

  void go_on(const RelationWorm& worm, ResourceId wanted, ResourceId first) {
    if (++steps_ > most_steps) return;
    const auto& here = graph_.vertices()[worm.waits];
    const auto further = [&](std::size_t i, ResourceId next) {
      RelationWorm on = worm;
      on.taken.push_back(i);
      on.waits = graph_.arcs()[i].to;
      go_on(on, next, first);
    };
    for (std::size_t i = here.first_arc; i < here.first_arc + here.arcs; ++i) {
      const RelationArc& arc = graph_.arcs()[i];
      if (leads_nowhere(arc)) continue;  // another arc takes the same
      if (arc.vc == wanted) {
        if (here.kind == RelationGraph::Kind::waits) take_(worm);
        if (wanted != first) further(i, next_.at(wanted));
      } else if (here.kind != RelationGraph::Kind::waits) {
        further(i, wanted);
      }
    }
  }

  static constexpr std::uint32_t most_steps = 1'000'000;

  const RelationGraph& graph_;
  const std::function<void(const RelationWorm&)>& take_;
  std::uint32_t steps_ = 0;
  std::map<ResourceId, ResourceId> next_;  ///< on the cycle
  std::vector<std::optional<std::pair<std::uint32_t, std::size_t>>>
      came_;  ///< by place: from where, by which arc
};

}  // namespace

void worms_along(const RelationGraph& graph, const std::vector<Dependency>& cycle,
                 const std::function<void(const RelationWorm&)>& take) {
  WormsAlong(graph, cycle, take).run();
}

}  // namespace wormcast
