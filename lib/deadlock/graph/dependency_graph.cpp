// Collecting dependencies: a set for each resource, and the rules that turn a worm into edges.
//
// Siblings: where the branches of a node wait for each other, whatever lies in one branch can be
// held while the first step of another is waited for (asynchronous, per flit), or, where the header leaves a
// node only when all of it is held, the siblings for each other and the branch for the followers of
// its siblings (lock step; atomic: the latter alone). Edges from the last steps of a branch are
// enough, since every step leads to a last one. A consumption channel that belongs to one input is
// asked for only by the worm that holds that input, and free soon after: siblings do not count.
// Cost: O(1) expected per dependency; a tree of n steps gives O(n · branching steps above a leaf).
// SPDX-License-Identifier: MIT
#include "deadlock/graph/dependency_graph.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t no_resource = UINT32_MAX;
constexpr std::uint32_t searched = 8;  // places that are searched one after the other
constexpr std::uint32_t word_bits = 32;

/// Last steps of the subtree of `step`, itself where nothing follows.
std::vector<std::uint32_t> last_steps(const Footprint& footprint, std::uint32_t step) {
  std::vector<std::uint32_t> result;
  std::vector<std::uint32_t> open{step};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const auto next = footprint.followers(static_cast<std::int32_t>(at));
    if (next.empty()) result.push_back(at);
    open.insert(open.end(), next.rbegin(), next.rend());
  }
  return result;
}

}  // namespace

/// Its hash slot, or the free one to insert at.
std::uint32_t& DependencyGraph::place_of(const Wanted& set, std::uint32_t wanted) {
  const std::uint32_t scattered = wanted * 0x9e3779b1U;
  std::uint32_t at = set.room <= searched ? 0 : (scattered ^ scattered >> 16) & (set.room - 1);
  std::uint32_t* places = places_.data() + set.first;
  while (places[at] != no_resource && places[at] != wanted) at = (at + 1) & (set.room - 1);
  return places[at];
}

/// Moves the set to twice the room at the end, where some place is free, or to bits for all resources so far.
void DependencyGraph::grow(Wanted& set) {
  const Wanted before = set;
  const auto words = static_cast<std::uint32_t>(taken_.size() / word_bits + 1);
  set.first = places_.size();
  set.room = std::max(searched / 2, 2 * before.room);
  set.bits = before.bits || set.room > std::max(words, searched);
  if (set.bits) set.room = std::max(words, before.bits ? set.room : 0);
  places_.resize(places_.size() + set.room, set.bits ? 0 : no_resource);
  for (std::uint32_t i = 0; i < before.room; ++i) {
    const std::uint32_t one = places_[before.first + i];
    if (before.bits)
      places_[set.first + i] = one;
    else if (one != no_resource)
      note(set, one);
  }
}

/// False if the set has it.
bool DependencyGraph::note(Wanted& set, std::uint32_t wanted) {
  if (set.bits) {
    while (wanted / word_bits >= set.room) grow(set);
    std::uint32_t& word = places_[set.first + wanted / word_bits];
    const std::uint32_t bit = 1U << wanted % word_bits;
    return (word & bit) == 0 && (word |= bit) != 0;
  }
  std::uint32_t& place = place_of(set, wanted);
  return place != wanted && (place = wanted) == wanted;
}

bool DependencyGraph::is_new(ResourceId from, ResourceId to) {
  if (from.value >= wanted_.size()) wanted_.resize(std::size_t{from.value} + 1);
  Wanted& set = wanted_[from.value];
  if (set.room == 0) grow(set);
  if (!note(set, to.value)) return false;
  add_resource(from);
  add_resource(to);
  if (++set.count >= (set.room <= searched ? set.room : set.room / 2) && !set.bits) grow(set);
  return true;
}

void DependencyGraph::add(const DependencyGraph& other) {
  for (const Edge& edge : other.edges_) add(edge.from, edge.to, other.causes_[edge.cause]);
  for (std::uint32_t r = 0; r < other.taken_.size(); ++r)
    if (other.taken_[r]) add_resource(ResourceId{r});
}

void DependencyGraph::add_resource(ResourceId resource) {
  if (resource.value >= taken_.size())
    taken_.resize(std::max<std::size_t>(resource.value + 1, taken_.size() * 2));
  taken_[resource.value] = true;
}

void DependencyGraph::add(const Footprint& footprint, WormCause cause) {
  add(footprint, [&](const Step&, const Step& wanted) {
    cause.hop = wanted.hop;
    return Cause{cause};
  });
}

void DependencyGraph::add(const Footprint& footprint, const CauseOf& cause_of) {
  const auto steps = footprint.steps();
  if (!footprint.keeps()) {
    for (const Step& step : steps) add_resource(step.resource);
    return;
  }
  if (footprint.is_path()) {
    if (!steps.empty()) add_resource(steps.front().resource);
    for (std::size_t i = 1; i < steps.size(); ++i) add(steps[i - 1], steps[i], cause_of);
    return;
  }
  for (const Step& step : steps) {
    if (step.parent < 0)
      add_resource(step.resource);
    else
      add(steps[static_cast<std::size_t>(step.parent)], step, cause_of);
  }
  for (std::int32_t node = -1; node < static_cast<std::int32_t>(steps.size()); ++node)
    if (footprint.branches_wait_for_each_other(node)) add_sibling_dependencies(footprint, node, cause_of);
}

[[gnu::weak]] void DependencyGraph::add_sibling_dependencies(const Footprint& footprint, std::int32_t node,
                                                             const CauseOf& cause_of) {
  const auto steps = footprint.steps();
  const auto add_edge = [&](std::uint32_t held, std::uint32_t wanted) {
    if (!steps[wanted].at_hand) add(steps[held], steps[wanted], cause_of);
  };
  for (const std::uint32_t branch : footprint.followers(node)) {
    for (const std::uint32_t sibling : footprint.followers(node))
      if (footprint.queues_jointly() && sibling > branch && !steps[branch].at_hand && !steps[sibling].at_hand)
        add_joint(steps[branch].resource, steps[sibling].resource);
    const std::vector<std::uint32_t> last = last_steps(footprint, branch);
    for (const std::uint32_t sibling : footprint.followers(node)) {
      if (sibling == branch) continue;
      if (footprint.branches_go_on()) {
        for (const std::uint32_t held : last) add_edge(held, sibling);
        continue;
      }
      if (!footprint.queues_jointly()) add_edge(branch, sibling);
      if (footprint.waits_in_buffers() && steps[sibling].buffered)  // granted, but behind another worm there
        for (const std::uint32_t held : last) add_edge(held, sibling);
      for (const std::uint32_t wanted : footprint.followers(static_cast<std::int32_t>(sibling)))
        for (const std::uint32_t held : last) add_edge(held, wanted);
    }
  }
}

std::vector<ResourceId> DependencyGraph::asked_for_with(ResourceId resource) const {
  std::vector<ResourceId> result{resource};
  std::set<ResourceId> seen{resource};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto beside = joint_.find(result[i]);
    if (beside == joint_.end()) continue;
    for (const ResourceId next : beside->second)
      if (seen.insert(next).second) result.push_back(next);
  }
  return result;
}

DependencyGraph DependencyGraph::closed_over_queues() const {
  DependencyGraph result = *this;
  for (const Edge& edge : edges_)
    for (const ResourceId resource : asked_for_with(edge.to))
      result.add(edge.from, resource, causes_[edge.cause]);
  return result;
}

}  // namespace wormcast
