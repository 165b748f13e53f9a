// Arrivals followed back from every worm of a witness.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/witness_arrivals.hpp"

#include <algorithm>
#include <set>

#include "deadlock/independent/certificate_check.hpp"

namespace wormcast {
namespace {

bool goes_to(const WormRoute& route, HostId host) {
  return std::any_of(route.hops.begin(), route.hops.end(),
                     [&](const RouteHop& hop) { return !hop.is_channel() && hop.target == host.value; });
}

}  // namespace

AtRest::AtRest(const Topology& topology, const RouterModel& model, const WitnessWorm& claim)
    : route(claim.route),
      flits(claim.route.flits(claim.length_flits, model.header_flits)),
      worm(topology, model, claim.route, flits) {
  std::vector<bool> refused(worm.positions());
  for (const std::int32_t hop : claim.waits)  // hops that are none are refused elsewhere
    if (hop >= -1 && slot_after(hop) < refused.size()) refused[slot_after(hop)] = true;
  granted = worm.all_but(refused, true);
  rest = worm.at_rest(granted);
}

bool AtRest::has_arrived(HostId host) const {
  for (std::size_t h = 0; h < route.hops.size(); ++h)
    if (!route.hops[h].is_channel() && route.hops[h].target == host.value)
      return granted[h + 1] && !rest.held[h + 1];
  return false;
}

void WitnessArrivals::add(const Routes& routes) {
  const Request& request = routes.plan.request;
  const bool relays = std::any_of(routes.worms.begin(), routes.worms.end(),
                                  [](const WormRoute& worm) { return worm.after >= 0; });
  if (!relays && request.depends_on.empty()) return;
  Relations& own = relations_[request.id];
  own.source = request.source;
  own.depends_on = request.depends_on;
  for (std::uint32_t w = 0; w < routes.worms.size(); ++w) {
    own.after.push_back(routes.worms[w].after);
    own.sources.push_back(routes.worms[w].source);
    for (const RouteHop& hop : routes.worms[w].hops)
      if (!hop.is_channel()) own.arrives.emplace_back(HostId{hop.target}, w);
  }
}

/// The arrivals with which `worm` can start. Of multicasts in which nothing waits only the worms of the
/// witness are known; the others can be under way before everything else.
std::vector<WitnessArrivals::Arrival> WitnessArrivals::needed(const WormRef& worm,
                                                              const std::vector<WitnessWorm>& witness) const {
  std::vector<Arrival> result;
  const auto own = relations_.find(worm.multicast);
  if (own == relations_.end()) return result;
  const std::int32_t after = own->second.after.at(worm.worm);
  if (after >= 0)
    return {{WormRef{worm.multicast, static_cast<std::uint32_t>(after)}, own->second.sources.at(worm.worm)}};
  const HostId source = own->second.source;
  for (const std::uint64_t earlier : own->second.depends_on) {
    const auto theirs = relations_.find(earlier);
    if (theirs != relations_.end()) {
      for (const auto& [host, sender] : theirs->second.arrives)
        if (host == source) result.emplace_back(WormRef{earlier, sender}, source);
      continue;
    }
    for (const WitnessWorm& claim : witness)
      if (claim.name.multicast == earlier && goes_to(claim.route, source))
        result.emplace_back(claim.name, source);
  }
  return result;
}

WitnessArrivals::Order WitnessArrivals::order(const std::vector<WitnessWorm>& witness,
                                              const std::vector<AtRest>& at_rest) const {
  Order result;
  result.earlier.resize(witness.size());
  for (std::uint32_t m = 0; m < witness.size(); ++m) {
    struct Reached {
      WormRef worm;
      bool directly = true;  // through worms of the witness alone
    };
    std::vector<Reached> open{{witness[m].name}};
    std::set<WormRef> seen;
    while (!open.empty()) {
      const Reached at = open.back();
      open.pop_back();
      for (const Arrival& arrival : needed(at.worm, witness)) {
        const WormRef& sender = arrival.first;
        const HostId host = arrival.second;
        const auto claim = std::find_if(witness.begin(), witness.end(),
                                        [&](const WitnessWorm& worm) { return worm.name == sender; });
        const bool member = claim != witness.end();
        if (member) {
          const auto index = static_cast<std::uint32_t>(claim - witness.begin());
          const bool arrived = at_rest[index].has_arrived(host);
          if (!arrived && witness[m].answers && witness[m].waits.empty()) continue;  // it stands aside
          if (!arrived) {
            result.fault = worm_name(witness[m].name) + " waits for " + worm_name(sender) + " to arrive";
            return result;
          }
          result.through_others = result.through_others || !at.directly;
          result.earlier[m].push_back(index);
        }
        if (seen.insert(sender).second) open.push_back({sender, at.directly && member});
      }
    }
  }
  return result;
}

bool WitnessArrivals::Order::any() const {
  return std::any_of(earlier.begin(), earlier.end(), [](const auto& those) { return !those.empty(); });
}

bool WitnessArrivals::Order::as_listed() const {
  for (std::uint32_t m = 0; m < earlier.size(); ++m)
    for (const std::uint32_t before : earlier[m])
      if (before >= m) return false;
  return !through_others;
}

}  // namespace wormcast
