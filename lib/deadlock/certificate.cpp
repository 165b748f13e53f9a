// Independent checks of numberings, witnesses and dependency cycles, on the plain form of the worms.
// SPDX-License-Identifier: MIT
#include "deadlock/certificate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "deadlock/plain_worm.hpp"

namespace wormcast {

namespace {

/// Resources that one worm waits for when it waits for any of them: what atomic nodes ask for
/// together, and what others ask for together with that.
class WaitedTogether {
 public:
  WaitedTogether(const Topology& topology, const RouterModel& model, const std::vector<StoredRoute>& routes) {
    for (const StoredRoute& stored : routes) {
      const PlainWorm worm(topology, model, stored.route, stored.flits);
      if (worm.is_path()) continue;
      for (std::size_t p = 1; p < worm.positions(); ++p)
        for (std::size_t q = p + 1; q < worm.positions(); ++q)
          if (worm.asked_for_together(p, q)) join(worm.resources(p).front(), worm.resources(q).front());
    }
  }

  bool none() const { return group_.empty(); }
  std::set<ResourceId> with(ResourceId resource) const {
    const auto found = group_.find(resource);
    return found == group_.end() ? std::set<ResourceId>{resource} : members_.at(found->second);
  }

 private:
  void join(ResourceId a, ResourceId b) {
    std::set<ResourceId> all = with(a);
    const std::set<ResourceId> more = with(b);
    all.insert(more.begin(), more.end());
    members_.push_back(all);
    for (const ResourceId member : all) group_[member] = members_.size() - 1;
  }

  std::map<ResourceId, std::size_t> group_;
  std::vector<std::set<ResourceId>> members_;
};

/// Calls visit(held resource, wanted resource, wanted position) for all that the worm can wait for.
template <class Visit>
void each_dependency(const PlainWorm& worm, const WaitedTogether& together, Visit visit) {
  for (std::size_t wanted = 1; wanted < worm.positions(); ++wanted) {
    const std::set<ResourceId> waited = together.with(worm.resources(wanted).front());
    for (std::size_t held = 0; held < worm.positions(); ++held) {
      if (!worm.can_hold_and_wait(held, wanted)) continue;
      for (const ResourceId from : worm.resources(held))
        for (const ResourceId to : waited) visit(from, to, wanted);
    }
  }
}

/// The numbers of the resources at a position, or nothing where one has none.
using Numbers = std::map<ResourceId, std::size_t>;

constexpr const char* unnumbered = "a resource has no number";
constexpr const char* out_of_order = "a worm can hold a resource while it waits for an earlier one";

/// What is wrong for a path: it may hold whatever it asked for in earlier turns, so each turn's numbers
/// must lie above all of the turns before. That says the same as all its pairs, in linear time.
std::string refuse_path(const PlainWorm& worm, const Numbers& number) {
  std::map<std::size_t, std::vector<ResourceId>> by_turn;
  for (std::size_t p = 0; p < worm.positions(); ++p)
    for (const ResourceId resource : worm.resources(p)) by_turn[worm.turn(p)].push_back(resource);
  if (by_turn.size() < 2) return "";   // nothing is held while anything is waited for
  std::optional<std::size_t> highest;  // of the turns before
  for (const auto& [turn, resources] : by_turn) {
    std::size_t most = 0;
    for (const ResourceId resource : resources) {
      const auto found = number.find(resource);
      if (found == number.end()) return unnumbered;
      if (highest && found->second <= *highest) return out_of_order;
      most = std::max(most, found->second);
    }
    highest = std::max(highest.value_or(0), most);
  }
  return "";
}

}  // namespace

std::string refuse_numbering(const Topology& topology, const RouterModel& model,
                             const std::vector<ResourceId>& numbering,
                             const std::vector<StoredRoute>& routes) {
  Numbers number;
  for (const ResourceId resource : numbering)
    if (!number.emplace(resource, number.size()).second) return "a resource is numbered twice";
  const WaitedTogether together(topology, model, routes);
  std::string fault;
  for (const StoredRoute& stored : routes) {
    const PlainWorm worm(topology, model, stored.route, stored.flits);
    if (worm.is_path() && together.none()) {
      fault = refuse_path(worm, number);
      if (!fault.empty()) break;
      continue;
    }
    each_dependency(worm, together, [&](ResourceId from, ResourceId to, std::size_t) {
      const auto held = number.find(from);
      const auto wanted = number.find(to);
      if (held == number.end() || wanted == number.end())
        fault = unnumbered;
      else if (held->second >= wanted->second)
        fault = out_of_order;
    });
    if (!fault.empty()) break;
  }
  return fault;
}

namespace {

/// One worm of a witness, worked out again.
struct Checked {
  std::set<ResourceId> kept;
  std::vector<ResourceId> waits;
  std::string fault;
};

Checked work_out(const Topology& topology, const RouterModel& model, const WitnessWorm& claim) {
  Checked result;
  const PlainWorm worm(topology, model, claim.route,
                       claim.route.flits(claim.length_flits, model.header_flits));
  std::vector<bool> refused(worm.positions());
  for (const std::int32_t hop : claim.waits) refused[static_cast<std::size_t>(hop + 1)] = true;
  std::vector<bool> granted = worm.all_but(refused);
  const std::vector<bool> held = worm.held_at_rest(granted);
  for (const std::int32_t hop : claim.holds) {
    const auto p = static_cast<std::size_t>(hop + 1);
    if (!held[p]) result.fault = "a worm does not keep what it is said to hold";
    for (const ResourceId resource : worm.resources(p)) result.kept.insert(resource);
  }
  if (claim.waits.empty()) result.fault = "a worm waits for nothing";
  for (const std::int32_t hop : claim.waits) {
    const auto p = static_cast<std::size_t>(hop + 1);
    if (hop < 0 || !worm.may_request(granted, p))
      result.fault = "a worm cannot come to wait for what it is said to";
    for (const ResourceId resource : worm.resources(p)) result.waits.push_back(resource);
  }
  return result;
}

}  // namespace

std::string refuse_witness(const Topology& topology, const RouterModel& model,
                           const std::vector<WitnessWorm>& witness) {
  const Resources resources(topology, model);
  if (witness.empty()) return "no worms";
  std::map<ResourceId, std::uint32_t> kept;
  std::set<WormRef> names;
  std::vector<Checked> worms;
  for (const WitnessWorm& claim : witness) {
    if (!names.insert(claim.name).second) return "a worm appears twice";
    worms.push_back(work_out(topology, model, claim));
    if (!worms.back().fault.empty()) return worms.back().fault;
    for (const ResourceId resource : worms.back().kept) ++kept[resource];
  }
  for (const auto& [resource, count] : kept)
    if (resources.units(resource) != 0 && count > resources.units(resource))
      return "a resource is held too often";
  for (const Checked& worm : worms) {
    for (const ResourceId resource : worm.waits) {
      const auto holders = kept.find(resource);
      if (worm.kept.count(resource) != 0) return "a worm waits for itself";
      if (holders == kept.end() || resources.units(resource) == 0 ||
          holders->second < resources.units(resource))
        return "a resource waited for is not held";
    }
  }
  return "";
}

std::string refuse_cycle(const Topology& topology, const RouterModel& model,
                         const std::vector<Dependency>& cycle, const std::vector<StoredRoute>& routes) {
  if (cycle.empty()) return "no dependencies";
  std::map<WormRef, const StoredRoute*> by_first;
  for (const StoredRoute& stored : routes) by_first[stored.worms.front()] = &stored;
  const WaitedTogether together(topology, model, routes);
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Dependency& edge = cycle[i];
    if (edge.to != cycle[(i + 1) % cycle.size()].from) return "the dependencies do not follow each other";
    const auto found = by_first.find(WormRef{edge.cause.multicast, edge.cause.worm});
    if (found == by_first.end()) continue;  // its route is not stored any more
    const PlainWorm worm(topology, model, found->second->route, found->second->flits);
    bool caused = false;
    each_dependency(worm, together, [&](ResourceId from, ResourceId to, std::size_t wanted) {
      caused = caused ||
               (from == edge.from && to == edge.to && wanted == static_cast<std::size_t>(edge.cause.hop + 1));
    });
    if (!caused) return "a dependency is not caused by the worm named";
  }
  return "";
}

}  // namespace wormcast
