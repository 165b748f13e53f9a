// Waits of a set at rest. A request waits where all units of its resource are kept, or where somebody stands
// before it in the queue: where atomic nodes ask for several outputs, that alone can hold it up for ever.
// Cost: O(members² · steps).
// SPDX-License-Identifier: MIT
#include "deadlock/search/blocked_set.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace wormcast {

namespace {

/// A step that a worm has asked for and not been granted.
struct Asked {
  std::uint32_t worm;
  std::uint32_t step;
};

using Queues = std::map<ResourceId, std::vector<Asked>>;

Queues queues_of(const std::vector<BlockedWorm>& set, const std::vector<ExploredRequest>& requests,
                 const std::vector<Footprint>& footprints) {
  Queues queues;
  for (const ExploredRequest& request : requests) {
    const BlockedWorm& member = set[request.worm];
    const Footprint& footprint = footprints[member.route];
    const auto ask = [&](std::uint32_t step) {
      if (!member.acquired.has(step))
        queues[footprint.steps()[step].resource].push_back(Asked{request.worm, step});
    };
    for (std::uint32_t s = 0; s < footprint.size(); ++s) {
      if (footprint.steps()[s].hop != request.hop) continue;
      if (footprint.granted_together() && request.hop >= 0)
        for (const std::uint32_t beside : footprint.followers(footprint.steps()[s].parent)) ask(beside);
      else
        ask(s);
    }
  }
  return queues;
}

/// Visits the worms before member `m` in the queue for its step.
template <class Visit>
void for_each_ahead(const Queues& queues, ResourceId resource, std::uint32_t m, Visit visit) {
  const auto queue = queues.find(resource);
  if (queue == queues.end()) return;
  for (const Asked& asked : queue->second) {
    if (asked.worm == m) return;
    visit(asked.worm);
  }
}

/// The smallest set, not empty, that contains whatever a member of it waits for; ascending.
template <class Waits>
std::vector<std::uint32_t> smallest_closed(const std::vector<Waits>& waits_for) {
  std::set<std::uint32_t> best;
  for (std::uint32_t m = 0; m < waits_for.size(); ++m) {
    if (waits_for[m].empty()) continue;
    std::set<std::uint32_t> closed{m};
    std::vector<std::uint32_t> open{m};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t other : waits_for[at])
        if (closed.insert(other).second) open.push_back(other);
    }
    if (best.empty() || closed.size() < best.size()) best = closed;
  }
  return {best.begin(), best.end()};
}

}  // namespace

void find_waits(std::vector<BlockedWorm>& set, const std::vector<ExploredRequest>& requests,
                const std::vector<Footprint>& footprints, const Resources& resources) {
  std::map<ResourceId, std::uint32_t> held;
  for (BlockedWorm& member : set) {
    const Footprint& footprint = footprints[member.route];
    member.kept = footprint.kept(member.acquired);
    for (std::uint32_t s = 0; s < footprint.size(); ++s)
      if (member.kept.has(s)) ++held[footprint.steps()[s].resource];
  }
  const Queues queues = queues_of(set, requests, footprints);
  for (std::uint32_t m = 0; m < set.size(); ++m) {
    const Footprint& footprint = footprints[set[m].route];
    set[m].waits.clear();
    for (std::uint32_t s = 0; s < footprint.size(); ++s) {
      const Step& step = footprint.steps()[s];
      // A worm that queues to start is in nobody's way, unless it is an answer.
      const bool harmless = step.hop == port_hop || (step.hop < 0 && !footprint.has_port());
      if (harmless || set[m].acquired.has(s) || !set[m].acquired.contains(footprint.required(s))) continue;
      const std::uint32_t units = resources.units(step.resource);
      const auto found = held.find(step.resource);
      bool waits = units != 0 && found != held.end() && found->second >= units;
      for_each_ahead(queues, step.resource, m, [&](std::uint32_t) { waits = true; });
      if (waits) set[m].waits.push_back(s);
    }
  }
}

std::vector<std::uint32_t> smallest_closed(const std::vector<BlockedWorm>& set,
                                           const std::vector<ExploredRequest>& requests,
                                           const std::vector<Footprint>& footprints) {
  const Queues queues = queues_of(set, requests, footprints);
  std::vector<std::set<std::uint32_t>> waits_for(set.size());
  for (std::uint32_t m = 0; m < set.size(); ++m) {
    for (const std::uint32_t wait : set[m].waits) {
      const ResourceId wanted = footprints[set[m].route].steps()[wait].resource;
      for (std::uint32_t other = 0; other < set.size(); ++other) {
        const auto steps = footprints[set[other].route].steps();
        for (std::uint32_t s = 0; s < steps.size(); ++s)
          if (set[other].kept.has(s) && steps[s].resource == wanted) waits_for[m].insert(other);
      }
      for_each_ahead(queues, wanted, m, [&](std::uint32_t other) { waits_for[m].insert(other); });
    }
  }
  return smallest_closed(waits_for);
}

namespace {

/// What a member holds and waits for where FIFOs are shared. A step is held where no other worm stands before
/// it there.
void stand(BlockedWorm& member, const StandingWorm& standing, bool ready, const Footprint& footprint) {
  member.acquired = member.kept = footprint.none();
  member.waits.clear();
  for (std::uint32_t s = 0; s < footprint.size(); ++s) {
    const std::int32_t hop = footprint.steps()[s].hop;
    if (hop == port_hop) {
      if (ready) member.acquired.add(s);
      if (standing.keeps_port) member.kept.add(s);
      continue;
    }
    const std::size_t place = slot_after(hop);
    if (standing.firm[place]) member.acquired.add(s);
    if (standing.held[place]) member.kept.add(s);
    const bool said = !member.waits.empty() && footprint.steps()[member.waits.back()].hop == hop;
    if (standing.waits[place] && !said) member.waits.push_back(s);
  }
}

}  // namespace

void describe_members(const Exploration& found, std::vector<BlockedWorm>& set,
                      const std::vector<Footprint>& footprints, const Resources& resources) {
  for (std::uint32_t m = 0; m < set.size(); ++m) {
    BlockedWorm& member = set[m];
    const Footprint& footprint = footprints[member.route];
    member.acquired = footprint.none();
    for (std::uint32_t s = 0; s < footprint.size(); ++s) {
      const std::int32_t hop = footprint.steps()[s].hop;
      if (hop == port_hop ? found.ready[m] : found.granted[m][slot_after(hop)]) member.acquired.add(s);
    }
  }
  if (found.standing.empty())
    find_waits(set, *found.deadlock, footprints, resources);
  else
    for (std::uint32_t m = 0; m < set.size(); ++m)
      stand(set[m], found.standing[m], found.ready[m], footprints[set[m].route]);
}

std::vector<std::uint32_t> smallest_part(const Exploration& found, const std::vector<BlockedWorm>& set,
                                         const std::vector<Footprint>& footprints) {
  if (found.standing.empty()) return smallest_closed(set, *found.deadlock, footprints);
  std::vector<std::vector<std::uint32_t>> waits_for;
  for (const StandingWorm& worm : found.standing) waits_for.push_back(worm.waits_for);
  return smallest_closed(waits_for);
}

void leave_members(const std::vector<std::uint32_t>& needed, const Exploration& found,
                   std::vector<BlockedWorm>& set, std::vector<ExploredRequest>& requests) {
  std::map<std::uint32_t, std::uint32_t> place;
  std::vector<BlockedWorm> rest;
  for (const std::uint32_t m : needed) {
    place[m] = static_cast<std::uint32_t>(rest.size());
    rest.push_back(std::move(set[m]));
  }
  set = std::move(rest);
  requests.clear();
  for (const ExploredRequest& request : *found.deadlock)
    if (const auto kept = place.find(request.worm); kept != place.end())
      requests.push_back(ExploredRequest{kept->second, request.hop});
}

namespace {

/// Names the worms. Where some wait for others to arrive, each is of a multicast of its own that awaits no other,
/// so that all it waits for can have come and gone before; false if there are not so many.
bool name_members(std::vector<BlockedWorm>& set, const RouteStore& store) {
  std::map<std::uint32_t, std::size_t> copies;
  std::set<std::uint64_t> used;
  for (BlockedWorm& member : set) {
    const std::vector<WormRef>& worms = store.routes()[member.route].worms;
    std::size_t& next = copies[member.route];
    const auto fits = [&](const WormRef& name) {
      const Relations* own = store.relations(name.multicast);
      return (own == nullptr || own->depends_on.empty()) && used.insert(name.multicast).second;
    };
    while (store.any_relations() && next < worms.size() && !fits(worms[next])) ++next;
    if (next == worms.size()) return false;
    member.name = worms[next++];
  }
  return true;
}

}  // namespace

bool adopt_exploration(const Exploration& found, std::vector<BlockedWorm>& set,
                       std::vector<ExploredRequest>& requests, const RouteStore& store,
                       const std::vector<Footprint>& footprints, const Resources& resources) {
  if (!store.any_relations()) name_members(set, store);
  describe_members(found, set, footprints, resources);
  leave_members(smallest_part(found, set, footprints), found, set, requests);
  return !store.any_relations() || name_members(set, store);
}

}  // namespace wormcast
