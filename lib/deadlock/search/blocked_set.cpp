// What members of a set hold and wait for, and how many of them suffice.
// Cost: O(members² · steps).
// SPDX-License-Identifier: MIT
#include "deadlock/search/blocked_set.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topology/ids.hpp"

namespace wormcast {

namespace {

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

std::vector<std::uint32_t> smallest_closed(const std::vector<BlockedWorm>& set,
                                           const std::vector<Footprint>& footprints) {
  std::vector<std::set<std::uint32_t>> waits_for(set.size());
  for (std::uint32_t m = 0; m < set.size(); ++m) {
    for (const std::uint32_t wait : set[m].waits) {
      const ResourceId wanted = footprints[set[m].route].steps()[wait].resource;
      for (std::uint32_t other = 0; other < set.size(); ++other) {
        const auto steps = footprints[set[other].route].steps();
        for (std::uint32_t s = 0; s < steps.size(); ++s)
          if (set[other].kept.has(s) && steps[s].resource == wanted) waits_for[m].insert(other);
      }
    }
  }
  return smallest_closed(waits_for);
}

namespace {

/// What a member holds and waits for. A step is held where no other worm stands before it in the FIFO there.
void stand(BlockedWorm& member, const StandingWorm& standing, const Footprint& footprint) {
  member.acquired = member.kept = footprint.none();
  member.waits.clear();
  for (std::uint32_t s = 0; s < footprint.size(); ++s) {
    const std::int32_t hop = footprint.steps()[s].hop;
    if (hop == port_hop) {
      if (standing.ready) member.acquired.add(s);
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
                      const std::vector<Footprint>& footprints) {
  for (std::uint32_t m = 0; m < set.size(); ++m) stand(set[m], found.standing[m], footprints[set[m].route]);
}

std::vector<std::uint32_t> smallest_part(const Exploration& found) {
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

/// Names the worms. Where some wait for others to arrive, each is of a multicast of its own that awaits no
/// other, so that all it waits for can have come and gone before; false if there are not so many.
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
                       const std::vector<Footprint>& footprints) {
  describe_members(found, set, footprints);
  std::vector<ExploredRequest> made;  // of a set that is not taken none may be left behind
  leave_members(smallest_part(found), found, set, made);
  if (!name_members(set, store)) return false;
  requests = std::move(made);
  return true;
}

}  // namespace wormcast
