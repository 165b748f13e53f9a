// Independent checks of numberings, witnesses and dependency cycles, on the plain form of the worms.
// SPDX-License-Identifier: MIT
#include "deadlock/certificate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "deadlock/plain_worm.hpp"

namespace wormcast {

NumberingCheck::NumberingCheck(const Topology& topology, const RouterModel& model,
                               const std::vector<ResourceId>& numbering)
    : topology_(topology), model_(model), resources_(topology, model) {
  for (std::size_t i = 0; i < numbering.size(); ++i) {
    if (numbering[i].value >= number_.size()) number_.resize(numbering[i].value + 1);
    if (number_[numbering[i].value] != 0) fault_ = "a resource is numbered twice";
    number_[numbering[i].value] = i + 1;
  }
}

std::string NumberingCheck::refuse(const WormRoute& route, std::uint64_t flits) const {
  if (!fault_.empty()) return fault_;
  const PlainWorm worm(topology_, model_, route, flits);
  std::vector<std::vector<std::uint64_t>> numbers(worm.positions());
  for (std::size_t p = 0; p < worm.positions(); ++p) {
    for (const ResourceId resource : worm.resources(p)) {
      const std::uint64_t number = resource.value < number_.size() ? number_[resource.value] : 0;
      if (number == 0) return "a resource has no number";
      numbers[p].push_back(number);
    }
  }
  for (std::size_t held = 0; held < worm.positions(); ++held) {
    for (std::size_t wanted = 1; wanted < worm.positions(); ++wanted) {
      if (!worm.can_hold_and_wait(held, wanted)) continue;
      for (const std::uint64_t number : numbers[held])
        if (number >= numbers[wanted].front())
          return "a worm can hold a resource while it waits for an earlier one";
    }
  }
  return "";
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
  const PlainWorm worm(topology, model, claim.route, claim.length_flits + model.header_flits);
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
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Dependency& edge = cycle[i];
    if (edge.to != cycle[(i + 1) % cycle.size()].from) return "the dependencies do not follow each other";
    const auto found = by_first.find(WormRef{edge.cause.multicast, edge.cause.worm});
    if (found == by_first.end()) continue;  // its route is not stored any more
    const PlainWorm worm(topology, model, found->second->route, found->second->flits);
    bool caused = false;
    for (std::size_t held = 0; held < worm.positions() && !caused; ++held) {
      for (const ResourceId resource : worm.resources(held)) {
        const auto wanted = static_cast<std::size_t>(edge.cause.hop + 1);
        caused = caused || (resource == edge.from && worm.can_hold_and_wait(held, wanted) &&
                            worm.resources(wanted).front() == edge.to);
      }
    }
    if (!caused) return "a dependency is not caused by the worm named";
  }
  return "";
}

}  // namespace wormcast
