// What members of a set hold and wait for, and whether starts in turn reach it.
//
// The order is found from its end: a worm may come last if it can cross everything on its way while
// all others keep what they keep. If any order exists, one exists with that worm last (moving it to
// the end leaves the others fewer obstacles), so taking the first candidate each time is exact.
//
// A tree can be held up in two ways: granted only what the set needs of it, or all but what it waits for (it
// keeps less where the tail has passed). Both are tried, for all worms alike; mixtures are undecided.
//
// Relays: a worm starts when the one it is `after` has arrived (all its tail has entered the relay's
// consumption channel). If the earlier worm belongs to the set and still keeps that channel, the two
// cannot be blocked together; if it has passed it, it has to be started first.
// Cost: O(n³ · steps) for n worms; choosing among worms of equal routes is cut off at `most_choices`.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "deadlock/search/search.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t most_choices = 10'000;

class StartOrderFinder {
 public:
  StartOrderFinder(const std::vector<BlockedWorm>& set, const SearchedWorms& worms,
                   const Resources& resources)
      : set_(set), worms_(worms), resources_(resources) {}

  /// The order, or why there is none.
  StartOrder order(std::vector<std::uint32_t>& result) {
    if (const StartOrder relays = find_earlier(); relays != StartOrder::possible) return relays;
    std::vector<bool> placed(set_.size());
    result.clear();
    while (result.size() < set_.size()) {
      std::optional<std::uint32_t> last;
      for (std::uint32_t m = 0; m < set_.size() && !last; ++m)
        if (!placed[m] && can_be_last(m, placed)) last = m;
      if (!last) return StartOrder::undecided;
      placed[*last] = true;
      result.push_back(*last);
    }
    std::reverse(result.begin(), result.end());
    return StartOrder::possible;
  }

 private:
  /// For every member: the members that must be started before it.
  StartOrder find_earlier() {
    earlier_.assign(set_.size(), {});
    for (std::uint32_t m = 0; m < set_.size(); ++m) {
      std::set<WormRef> seen;
      std::vector<std::pair<WormRef, bool>> open{{set_[m].name, true}};
      while (!open.empty()) {
        const auto [name, direct] = open.back();
        open.pop_back();
        for (const auto& [sender, host] : readied_by(name)) {
          const StartOrder allowed = allows(m, sender, host, direct);
          if (allowed != StartOrder::possible) return allowed;
          if (seen.insert(sender).second) open.emplace_back(sender, false);
        }
      }
    }
    return StartOrder::possible;
  }

  /// Worms whose arrivals ready `worm`, each with the host it has to arrive at.
  std::vector<std::pair<WormRef, HostId>> readied_by(const WormRef& worm) const {
    std::vector<std::pair<WormRef, HostId>> result;
    const Relations* own = worms_.store.relations(worm.multicast);
    if (own == nullptr) return result;
    const std::int32_t after = own->after[worm.worm];
    if (after >= 0) {
      result.emplace_back(WormRef{worm.multicast, static_cast<std::uint32_t>(after)},
                          own->sources[worm.worm]);
      return result;
    }
    for (const std::uint64_t earlier : own->depends_on) {
      if (const Relations* theirs = worms_.store.relations(earlier)) {
        for (const auto& [host, sender] : theirs->arrives)
          if (host == own->source.value) result.emplace_back(WormRef{earlier, sender}, own->source);
        continue;
      }
      // A multicast that waits for none has no relations; its worms matter only as members.
      for (const BlockedWorm& member : set_)
        if (member.name.multicast == earlier && worms_.route(member).route.comes_to(own->source))
          result.emplace_back(member.name, own->source);
    }
    return result;
  }

  StartOrder allows(std::uint32_t member, const WormRef& sender, HostId host, bool direct) {
    for (std::uint32_t other = 0; other < set_.size(); ++other) {
      if (set_[other].name != sender) continue;
      if (!has_arrived(set_[other], host)) return StartOrder::impossible;
      if (!direct) return StartOrder::undecided;  // a worm outside the set runs between the two
      earlier_[member].push_back(other);
    }
    return StartOrder::possible;
  }

  bool has_arrived(const BlockedWorm& worm, HostId host) const {
    const auto steps = worms_.footprint(worm).steps();
    const WormRoute& route = worms_.route(worm).route;
    for (std::uint32_t s = 0; s < steps.size(); ++s) {
      if (steps[s].hop >= 0 && route.hops[static_cast<std::size_t>(steps[s].hop)].comes_to(host))
        return worm.acquired.has(s) && !worm.kept.has(s);
    }
    return false;
  }

  bool can_be_last(std::uint32_t member, const std::vector<bool>& placed) const {
    std::map<ResourceId, std::uint32_t> held;
    for (std::uint32_t other = 0; other < set_.size(); ++other) {
      if (other == member || placed[other]) continue;
      const auto& needs = earlier_[other];
      if (std::find(needs.begin(), needs.end(), member) != needs.end()) return false;
      const Footprint& footprint = worms_.footprint(set_[other]);
      for (std::uint32_t s = 0; s < footprint.size(); ++s)
        if (set_[other].kept.has(s)) ++held[footprint.steps()[s].resource];
    }
    const Footprint& footprint = worms_.footprint(set_[member]);
    for (std::uint32_t s = 0; s < footprint.size(); ++s) {
      if (!set_[member].acquired.has(s)) continue;
      const auto found = held.find(footprint.steps()[s].resource);
      const std::uint32_t units = resources_.units(footprint.steps()[s].resource);
      if (found != held.end() && units != 0 && found->second >= units) return false;
    }
    return true;
  }

  const std::vector<BlockedWorm>& set_;
  const SearchedWorms& worms_;
  const Resources& resources_;
  std::vector<std::vector<std::uint32_t>> earlier_;
};

bool name_worms(std::vector<BlockedWorm>& set, const std::vector<std::size_t>& choice,
                const SearchedWorms& worms) {
  std::set<WormRef> names;
  for (std::size_t m = 0; m < set.size(); ++m) {
    set[m].name = worms.route(set[m]).worms[choice[m]];
    if (!names.insert(set[m].name).second) return false;
  }
  return true;
}

/// All units of no resource are kept by more worms than there are.
bool fits(const std::vector<BlockedWorm>& set, const SearchedWorms& worms, const Resources& resources) {
  std::map<ResourceId, std::uint32_t> held;
  for (const BlockedWorm& member : set) {
    const Footprint& footprint = worms.footprint(member);
    for (std::uint32_t s = 0; s < footprint.size(); ++s) {
      if (!member.kept.has(s)) continue;
      const ResourceId resource = footprint.steps()[s].resource;
      const std::uint32_t units = resources.units(resource);
      if (++held[resource] > units && units != 0) return false;
    }
  }
  return true;
}

/// Tries all choices of worms for the set as it is.
StartOrder order_as_acquired(std::vector<BlockedWorm>& set, const SearchedWorms& worms,
                             const Resources& resources) {
  bool undecided = !fits(set, worms, resources);
  if (undecided) return StartOrder::undecided;
  std::vector<std::size_t> choice(set.size(), 0);
  std::vector<std::uint32_t> order;
  std::uint32_t tried = 0;
  do {
    if (++tried > most_choices) return StartOrder::undecided;
    if (!name_worms(set, choice, worms)) continue;
    const StartOrder found = StartOrderFinder(set, worms, resources).order(order);
    undecided = undecided || found == StartOrder::undecided;
    if (found != StartOrder::possible) continue;
    std::vector<BlockedWorm> sorted;
    for (const std::uint32_t m : order) sorted.push_back(std::move(set[m]));
    set = std::move(sorted);
    return StartOrder::possible;
  } while (next_choice(choice, set, worms));
  return undecided ? StartOrder::undecided : StartOrder::impossible;
}

/// The smallest set, not empty, that contains whatever a member of it waits for; ascending.
template <class Waits>
std::vector<std::uint32_t> smallest_closed(const std::vector<Waits>& waits_for) {
  std::set<std::uint32_t> best;
  for (std::uint32_t m = 0; m < waits_for.size(); ++m) {
    if (waits_for[m].empty()) continue;
    const auto closed = all_reached<std::uint32_t>({m}, [&](std::uint32_t at, const auto& visit) {
      for (const std::uint32_t other : waits_for[at]) visit(other);
    });
    if (best.empty() || closed.size() < best.size()) best = closed;
  }
  return {best.begin(), best.end()};
}

/// What a member holds and waits for. A step is held where no other worm stands before it in the FIFO there.
void stand(BlockedWorm& member, const DeadlockedWorm& standing, const Footprint& footprint) {
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

/// Names the worms. Where some wait for others to arrive, each is of a multicast of its own that awaits no
/// other, so that all it waits for can have come and gone before; false if there are not so many.
bool name_members(std::vector<BlockedWorm>& set, const SearchedWorms& worms) {
  const RouteStore& store = worms.store;
  std::map<std::uint32_t, std::size_t> copies;
  std::set<std::uint64_t> used;
  for (BlockedWorm& member : set) {
    const std::vector<WormRef>& names = worms.route(member).worms;
    std::size_t& next = copies[member.route];
    const auto fits = [&](const WormRef& name) {
      const Relations* own = store.relations(name.multicast);
      return (own == nullptr || own->depends_on.empty()) && used.insert(name.multicast).second;
    };
    while (store.any_relations() && next < names.size() && !fits(names[next])) ++next;
    if (next == names.size()) return false;
    member.name = names[next++];
  }
  return true;
}

}  // namespace

[[gnu::weak]] StartOrder find_start_order(std::vector<BlockedWorm>& set, const SearchedWorms& worms,
                                          const Resources& resources) {
  bool undecided = false;
  bool same = true;  // the two ways to hold up a worm are one
  std::vector<BlockedWorm> least = set, most = set;
  for (std::size_t m = 0; m < set.size(); ++m) {
    const StoredRoute& route = worms.route(set[m]);
    undecided = undecided || route.count > route.worms.size();
    const Footprint& footprint = worms.footprint(set[m]);
    least[m].kept = footprint.kept(set[m].acquired);
    most[m].acquired = footprint.all_but(set[m].waits);
    most[m].kept = footprint.kept(most[m].acquired);
    same = same && least[m].acquired == most[m].acquired;
  }
  for (std::vector<BlockedWorm>* held_up : {&least, &most}) {
    const StartOrder found = order_as_acquired(*held_up, worms, resources);
    if (found == StartOrder::possible) {
      set = std::move(*held_up);
      return found;
    }
    undecided = undecided || found == StartOrder::undecided || !same;
    if (same) break;
  }
  return undecided ? StartOrder::undecided : StartOrder::impossible;
}

bool next_choice(std::vector<std::size_t>& choice, const std::vector<BlockedWorm>& set,
                 const SearchedWorms& worms) {
  for (std::size_t m = 0; m < choice.size(); ++m) {
    if (++choice[m] < worms.route(set[m]).worms.size()) return true;
    choice[m] = 0;
  }
  return false;
}

std::vector<std::uint32_t> smallest_closed(const std::vector<BlockedWorm>& set, const SearchedWorms& worms) {
  std::vector<std::set<std::uint32_t>> waits_for(set.size());
  for (std::uint32_t m = 0; m < set.size(); ++m) {
    for (const std::uint32_t wait : set[m].waits) {
      const ResourceId wanted = worms.footprint(set[m]).steps()[wait].resource;
      for (std::uint32_t other = 0; other < set.size(); ++other) {
        const auto steps = worms.footprint(set[other]).steps();
        for (std::uint32_t s = 0; s < steps.size(); ++s)
          if (set[other].kept.has(s) && steps[s].resource == wanted) waits_for[m].insert(other);
      }
    }
  }
  return smallest_closed(waits_for);
}

void describe_members(const Exploration& found, std::vector<BlockedWorm>& set, const SearchedWorms& worms) {
  for (std::uint32_t m = 0; m < set.size(); ++m) stand(set[m], found.blocked[m], worms.footprint(set[m]));
}

std::vector<std::uint32_t> smallest_part(const Exploration& found) {
  std::vector<std::vector<std::uint32_t>> waits_for;
  for (const DeadlockedWorm& worm : found.blocked) waits_for.push_back(worm.waits_for);
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

bool adopt_exploration(const Exploration& found, std::vector<BlockedWorm>& set,
                       std::vector<ExploredRequest>& requests, const SearchedWorms& worms) {
  describe_members(found, set, worms);
  std::vector<ExploredRequest> made;  // of a set that is not taken none may be left behind
  leave_members(smallest_part(found), found, set, made);
  if (!name_members(set, worms)) return false;
  requests = std::move(made);
  return true;
}

}  // namespace wormcast
