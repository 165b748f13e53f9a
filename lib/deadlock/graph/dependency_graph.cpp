// Collecting dependencies: a hash set over (from, to) and the rules that turn a worm into edges.
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

#include <algorithm>

namespace wormcast {

namespace {

constexpr std::size_t first_slots = 1024;
constexpr std::uint64_t no_key = ~std::uint64_t{0};  // of no pair: resources have smaller ids

std::uint64_t scattered(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15ULL;
  return x ^ (x >> 29);
}

std::uint64_t key_of(ResourceId from, ResourceId to) { return std::uint64_t{from.value} << 32 | to.value; }

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

/// The slot of the pair, or an empty one for it.
std::uint64_t& slot_of(std::vector<std::uint64_t>& slots, std::uint64_t key) {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = scattered(key) & mask;
  while (slots[slot] != no_key && slots[slot] != key) slot = (slot + 1) & mask;
  return slots[slot];
}

}  // namespace

DependencyGraph::DependencyGraph() : known_(first_slots, no_key) {}

void DependencyGraph::grow() {
  std::vector<std::uint64_t> larger(known_.size() * 2, no_key);
  for (const std::uint64_t key : known_)
    if (key != no_key) slot_of(larger, key) = key;
  known_ = std::move(larger);
}

void DependencyGraph::add(ResourceId from, ResourceId to, const Cause& cause) {
  const std::uint64_t key = key_of(from, to);
  std::uint64_t& slot = slot_of(known_, key);
  if (slot == key) return;
  slot = key;
  add_resource(from);
  add_resource(to);
  dependencies_.push_back(Dependency{from, to, cause});
  if (dependencies_.size() * 2 > known_.size()) grow();
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
  if (footprint.advance() == Advance::reserved) {  // nothing is held while anything is waited for
    for (const Step& step : steps) add_resource(step.resource);
    return;
  }
  if (footprint.advance() == Advance::path) {
    if (!steps.empty()) add_resource(steps.front().resource);
    for (std::size_t i = 1; i < steps.size(); ++i)
      add(steps[i - 1].resource, steps[i].resource, cause_of(steps[i - 1], steps[i]));
    return;
  }
  for (const Step& step : steps) {
    if (step.parent < 0) {
      add_resource(step.resource);
      continue;
    }
    const Step& before = steps[static_cast<std::size_t>(step.parent)];
    add(before.resource, step.resource, cause_of(before, step));
  }
  for (std::int32_t node = -1; node < static_cast<std::int32_t>(steps.size()); ++node)
    if (footprint.branches_wait_for_each_other(node)) add_sibling_dependencies(footprint, node, cause_of);
}

void DependencyGraph::add_sibling_dependencies(const Footprint& footprint, std::int32_t node,
                                               const CauseOf& cause_of) {
  const auto steps = footprint.steps();
  const auto add_edge = [&](std::uint32_t held, std::uint32_t wanted) {
    if (steps[wanted].at_hand) return;
    add(steps[held].resource, steps[wanted].resource, cause_of(steps[held], steps[wanted]));
  };
  for (const std::uint32_t branch : footprint.followers(node)) {
    for (const std::uint32_t sibling : footprint.followers(node))
      if (footprint.advance() == Advance::atomic && sibling > branch && !steps[branch].at_hand &&
          !steps[sibling].at_hand)
        add_joint(steps[branch].resource, steps[sibling].resource);
    const std::vector<std::uint32_t> last = last_steps(footprint, branch);
    for (const std::uint32_t sibling : footprint.followers(node)) {
      if (sibling == branch) continue;
      if (footprint.advance() == Advance::asynchronous || footprint.advance() == Advance::per_flit ||
          footprint.advance() == Advance::at_once) {
        for (const std::uint32_t held : last) add_edge(held, sibling);
        continue;
      }
      if (footprint.advance() == Advance::lock_step) add_edge(branch, sibling);
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
  for (const Dependency& edge : dependencies_)
    for (const ResourceId resource : asked_for_with(edge.to)) result.add(edge.from, resource, edge.cause);
  return result;
}

}  // namespace wormcast
