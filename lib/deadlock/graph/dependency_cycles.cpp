// Numbering by removing resources that nothing leads to, or in the order in which components end; shortest
// cycle by breadth-first search from each resource, cut off at the best length.
//
// Cost: numbering and components linear in resources and dependencies. The shortest cycle looks only
// at resources on cycles, and where there may be one that is shorter than the best so far.
// cite: Kahn 1962.
// SPDX-License-Identifier: MIT
#include "deadlock/graph/dependency_graph.hpp"

#include <limits>
#include <numeric>
#include <tuple>

namespace wormcast {

DependencyOrder::DependencyOrder(const DependencyGraph& graph, RingOf ring_of,
                                 const std::vector<bool>& without)
    : graph_(&graph), ring_of_(std::move(ring_of)) {
  sort_out_edges(without);
  number();
  if (!acyclic_) find_components();
}

bool DependencyOrder::within_ring(ResourceId from, ResourceId to) const {
  return ring_of_ && ring_of_(from) != 0 && ring_of_(from) == ring_of_(to);
}

void DependencyOrder::sort_out_edges(const std::vector<bool>& without) {
  const std::vector<DependencyGraph::Edge>& all = graph_->edges();
  edges_ = Lists<std::uint32_t>(graph_->taken().size(), [&](const auto& visit) {
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (without.empty() || !(without[all[i].from.value] || without[all[i].to.value]))
        visit(all[i].from.value, i);
  });
  edges_.sort_each([&](std::uint32_t a, std::uint32_t b) { return all[a].to < all[b].to; });
}

[[gnu::weak]] void DependencyOrder::number() {
  const std::vector<DependencyGraph::Edge>& all = graph_->edges();
  const std::vector<bool>& taken = graph_->taken();
  std::vector<std::uint32_t> before(taken.size());
  for (const std::uint32_t e : edges_.all()) ++before[all[e].to.value];
  std::size_t resources = 0;
  for (std::uint32_t r = 0; r < taken.size(); ++r) {
    if (!taken[r]) continue;
    ++resources;
    if (before[r] == 0) numbering_.push_back(ResourceId{r});
  }
  for (std::size_t i = 0; i < numbering_.size(); ++i)
    for (const std::uint32_t e : edges_[numbering_[i].value])
      if (--before[all[e].to.value] == 0) numbering_.push_back(all[e].to);
  acyclic_ = numbering_.size() == resources;
  if (!acyclic_) numbering_.clear();
}

void DependencyOrder::find_components() {
  const std::vector<DependencyGraph::Edge>& all = graph_->edges();
  const std::vector<bool>& taken = graph_->taken();
  component_.assign(taken.size(), 0);
  std::uint32_t components = 0;
  const auto next = [&](std::uint32_t r, std::uint32_t i) {
    return i < edges_[r].size() ? all[edges_[r][i]].to.value : static_cast<std::uint32_t>(taken.size());
  };
  each_component(static_cast<std::uint32_t>(taken.size()), next, [&](std::span<const std::uint32_t> members) {
    const std::uint32_t r = members.front();
    if (!taken[r]) return;
    const bool several = members.size() > 1;
    const bool ring = ring_of_ && several && std::all_of(members.begin(), members.end(), [&](auto at) {
                        return within_ring(ResourceId{r}, ResourceId{at});
                      });
    const bool on_itself = std::any_of(edges_[r].begin(), edges_[r].end(),
                                       [&](std::uint32_t e) { return all[e].to.value == r; });
    const bool cyclic = !ring && (several || on_itself);
    if (cyclic) ++components;
    for (const std::uint32_t member : members) {
      component_[member] = cyclic ? components : 0;
      numbering_.push_back(ResourceId{member});
    }
  });
  acyclic_ = components == 0;  // components are found in the order in which nothing leads on to later ones
  std::reverse(numbering_.begin(), numbering_.end());
  if (!acyclic_) numbering_.clear();
}

namespace {

/// Whether a resource is on a short cycle, by a search from both sides, each over half its length.
class ShortCycles {
 public:
  ShortCycles(const DependencyGraph& graph, const std::vector<std::uint32_t>& component)
      : ahead_(component.size(), 0), behind_(component.size(), 0) {
    using Edge = DependencyGraph::Edge;
    for (const auto& [side, from, to] :
         {std::tuple{&after_, &Edge::from, &Edge::to}, {&before_, &Edge::to, &Edge::from}})
      *side = Side(component.size(), [&, from = from, to = to](const auto& visit) {
        for (const Edge& edge : graph.edges())
          if (component[edge.from.value] != 0 && component[edge.from.value] == component[edge.to.value])
            visit((edge.*from).value, (edge.*to).value);
      });
  }

  /// A cycle of at most `most` dependencies whose smallest resource is `start`.
  bool any_through(std::uint32_t start, std::size_t most) {
    return spreads_to(start, most / 2, after_, ahead_, behind_) ||
           spreads_to(start, most - most / 2, before_, behind_, ahead_);
  }

 private:
  using Side = Lists<std::uint32_t>;

  /// Whether `start` itself or what was reached from the other side is so many dependencies away.
  bool spreads_to(std::uint32_t start, std::size_t levels, const Side& side, std::vector<std::uint32_t>& mine,
                  const std::vector<std::uint32_t>& others) {
    level_.assign(1, start);
    for (std::size_t level = 0; level < levels; ++level) {
      next_.clear();
      for (const std::uint32_t r : level_)
        for (const std::uint32_t at : side[r]) {
          if (at == start || others[at] == start + 1) return true;
          if (at < start || mine[at] == start + 1) continue;
          mine[at] = start + 1;
          next_.push_back(at);
        }
      level_.swap(next_);
    }
    return false;
  }

  Side after_, before_;
  std::vector<std::uint32_t> ahead_, behind_;  ///< start + 1 of the last search that reached a resource
  std::vector<std::uint32_t> level_, next_;
};

}  // namespace

/// Through each dependency that leaves its ring, or is in none.
std::vector<Dependency> DependencyOrder::shortest_cycle_beyond_rings() const {
  const std::vector<DependencyGraph::Edge>& all = graph_->edges();
  std::vector<Dependency> best;
  for (const DependencyGraph::Edge& edge : all) {
    if (!on_a_cycle(edge.from, edge.to) || within_ring(edge.from, edge.to)) continue;
    std::vector<std::uint32_t> by(component_.size(), UINT32_MAX), queue{edge.to.value};
    for (std::size_t i = 0; i < queue.size() && edge.from != edge.to && by[edge.from.value] == UINT32_MAX;
         ++i)
      for (const std::uint32_t e : edges_[queue[i]]) {
        const ResourceId to = all[e].to;
        if (!on_a_cycle(to, edge.to) || to == edge.to || by[to.value] != UINT32_MAX) continue;
        by[to.value] = e;
        queue.push_back(to.value);
      }
    std::vector<Dependency> cycle{graph_->dependency(edge)};
    for (ResourceId at = edge.from; at != edge.to; at = all[by[at.value]].from)
      cycle.push_back(graph_->dependency(all[by[at.value]]));
    std::reverse(cycle.begin() + 1, cycle.end());
    if (best.empty() || cycle.size() < best.size()) best = std::move(cycle);
  }
  std::rotate(best.begin(),
              std::min_element(best.begin(), best.end(),
                               [](const Dependency& a, const Dependency& b) { return a.from < b.from; }),
              best.end());
  return best;
}

std::vector<Dependency> DependencyOrder::shortest_cycle() const {
  if (ring_of_) return shortest_cycle_beyond_rings();
  std::vector<Dependency> best;
  std::size_t below = std::numeric_limits<std::size_t>::max();
  std::vector<std::uint32_t> reached(component_.size(), 0);
  ShortCycles short_cycles(*graph_, component_);
  for (std::uint32_t r = 0; r < component_.size(); ++r) {
    if (component_[r] == 0 || (!best.empty() && !short_cycles.any_through(r, below - 1))) continue;
    std::vector<Dependency> found = shortest_cycle_through(r, below, reached);
    if (found.empty()) continue;
    best = std::move(found);
    below = best.size();
    if (below <= 2) break;
  }
  return best;
}

/// A cycle of fewer than `below` dependencies, `start` its smallest resource. `reached` is 0 between calls.
std::vector<Dependency> DependencyOrder::shortest_cycle_through(std::uint32_t start, std::size_t below,
                                                                std::vector<std::uint32_t>& reached) const {
  const std::vector<DependencyGraph::Edge>& all = graph_->edges();
  std::vector<Dependency> cycle;
  std::vector<std::uint32_t> queue{start};
  std::size_t length = 1;
  for (std::size_t i = 0, level_end = 1; i < queue.size() && length < below && cycle.empty(); ++i) {
    if (i == level_end) {
      ++length;
      level_end = queue.size();
      if (length >= below) break;
    }
    const std::uint32_t r = queue[i];
    for (const std::uint32_t e : edges_[r]) {
      const std::uint32_t to = all[e].to.value;
      if (to == start) {
        cycle.push_back(graph_->dependency(all[e]));
        for (std::uint32_t at = r; at != start; at = cycle.back().from.value)
          cycle.push_back(graph_->dependency(all[reached[at] - 1]));
        break;
      }
      if (to < start || component_[to] != component_[start] || reached[to] != 0) continue;
      reached[to] = e + 1;
      queue.push_back(to);
    }
  }
  for (const std::uint32_t r : queue) reached[r] = 0;
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

GrowingOrder::GrowingOrder(std::size_t resources) : next_(resources), before_(resources), place_(resources) {
  std::iota(place_.begin(), place_.end(), 0U);
}

bool GrowingOrder::add(const std::vector<Edge>& edges) {
  std::vector<Edge> added;
  for (const auto& [from, to] : edges) {
    if (std::find(next_[from].begin(), next_[from].end(), to) != next_[from].end()) continue;
    if (place_[from] >= place_[to] && !reorder(from, to)) {
      for (; !added.empty(); added.pop_back()) {
        next_[added.back().first].pop_back();
        before_[added.back().second].pop_back();
      }
      return false;
    }
    next_[from].push_back(to);
    before_[to].push_back(from);
    added.emplace_back(from, to);
  }
  return true;
}

/// What is reached from `start` by `lists` within the places, in the order of these.
std::vector<std::uint32_t> GrowingOrder::reached(std::uint32_t start, const Lists& lists, std::uint32_t least,
                                                 std::uint32_t most) const {
  std::vector<std::uint32_t> found = {start};
  std::vector<bool> known(most - least + 1);
  known[place_[start] - least] = true;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const std::uint32_t other : lists[found[i]])
      if (place_[other] >= least && place_[other] <= most && !known[place_[other] - least]) {
        known[place_[other] - least] = true;
        found.push_back(other);
      }
  std::sort(found.begin(), found.end(), [&](auto a, auto b) { return place_[a] < place_[b]; });
  return found;
}

/// Puts `from` and what leads to it before `to` and what that leads to; false where it leads to `from`.
bool GrowingOrder::reorder(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t least = place_[to], most = place_[from];
  const std::vector<std::uint32_t> after = reached(to, next_, least, most);
  if (std::find(after.begin(), after.end(), from) != after.end()) return false;
  std::vector<std::uint32_t> all = reached(from, before_, least, most);
  all.insert(all.end(), after.begin(), after.end());
  std::vector<std::uint32_t> places;
  for (const std::uint32_t one : all) places.push_back(place_[one]);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < all.size(); ++i) place_[all[i]] = places[i];
  return true;
}

}  // namespace wormcast
