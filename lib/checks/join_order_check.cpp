// The order of places, one by one: whatever a worm may wait for there is held in later ones.
//
// By the definitions that head deadlock/graph/join_graph.cpp, without its graph. Cost: a worm's hops squared.
// SPDX-License-Identifier: MIT
#include "checks/join_order_check.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace wormcast {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// Which worms have what is waited for: those that do not stand for this one; such, flit by flit, for parts
/// that are not there; any, farther on; or what is to arrive, too.
enum class From : std::uint8_t { unlike, beside, any, arriving };
using Open = std::function<void(ResourceId wanted, From from)>;

/// Whether `to` is met on the way from `from` to the worm's source, `from` itself included.
bool leads_to(const JoinedWorms& worms, std::uint32_t w, std::int32_t from, std::int32_t to) {
  while (from >= 0 && from != to) from = worms.hop({w, from}).parent;
  return from == to;
}

/// All that worms may wait for that have to arrive.
void each_until_arrival(const JoinedWorms& worms, std::vector<std::uint32_t> open, const Open& visit) {
  std::set<std::uint32_t> known(open.begin(), open.end());
  while (!open.empty()) {
    const std::uint32_t w = open.back();
    open.pop_back();
    for (std::int32_t hop = -1; hop < worms.hops(w); ++hop)
      for (const ResourceId resource : worms.asked({w, hop})) visit(resource, From::arriving);
    for (const auto& [hop, earlier] : worms.all[w].awaits)
      for (const std::uint32_t other : earlier)
        if (known.insert(other).second) open.push_back(other);
  }
}

/// Whether the worm may wait for a hop of its own while it stands at another.
bool is_open(const JoinedWorms& worms, const JoinPlace& at, std::int32_t hop) {
  const auto& [w, here] = at;
  const bool reduces = worms.reduces(w);
  if (hop == here || (hop < 0 && !reduces)) return false;
  if (!worms.by_flit) return reduces ? !leads_to(worms, w, hop, here) : !leads_to(worms, w, here, hop);
  if (!reduces) return worms.hop({w, hop}).parent == here;
  if (here < 0) return false;
  const std::int32_t next = worms.hop(at).parent;
  return hop == next || (leads_to(worms, w, hop, next) && !leads_to(worms, w, hop, here));
}

void each_open(const JoinedWorms& worms, const JoinPlace& at, const Open& visit) {
  const auto& [w, here] = at;
  for (std::int32_t hop = -1; hop < worms.hops(w); ++hop) {
    if (!is_open(worms, at, hop)) continue;
    const bool joins = worms.by_flit && worms.reduces(w), onward = joins && hop == worms.hop(at).parent;
    for (const ResourceId resource : worms.asked({w, hop}))
      visit(resource, onward && worms.has_alike(w) ? From::any
                      : joins && !onward           ? From::beside
                                                   : From::unlike);
    const auto found = worms.all[w].awaits.find(hop);
    if (found != worms.all[w].awaits.end()) each_until_arrival(worms, found->second, visit);
  }
}

/// Whether what the reduction, of one flit, waits for beside its way closes no cycle: nothing that holds or
/// waits for what stands in a FIFO of its tree comes back to the tree but farther on. A flit of it in a FIFO
/// has the parts from behind, and waits for none of them (join_graph.cpp says more).
bool joins_apart(const JoinedWorms& worms, std::uint32_t w) {
  if (worms.flits(w) > 1 || worms.has_alike(w)) return false;
  for (const auto& [hop, earlier] : worms.all[w].awaits)
    if (!earlier.empty()) return false;
  std::map<ResourceId, std::int32_t> tree;
  for (std::int32_t hop = 0; hop < worms.hops(w); ++hop)
    for (const ResourceId resource : worms.held({w, hop})) tree[resource] = hop;
  std::set<ResourceId> known;
  std::vector<ResourceId> open;
  for (const auto& [resource, hop] : tree) open.push_back(resource);
  bool apart = true;
  while (!open.empty() && apart) {
    const ResourceId here = open.back();
    open.pop_back();
    const auto place = tree.find(here);
    for (const JoinPlace& at : worms.holders.at(here)) {
      if (at.first == w) continue;
      each_open(worms, at, [&](ResourceId wanted, From) {
        if (const auto found = tree.find(wanted); found != tree.end())
          apart = apart && place != tree.end() && leads_to(worms, w, place->second, found->second);
        else if (worms.holders.contains(wanted) && known.insert(wanted).second)
          open.push_back(wanted);
      });
    }
  }
  return apart;
}

std::optional<JoinPlace> place_named(const JoinedWorms& worms, const WormCause& name) {
  const auto found = worms.by_name.find({name.multicast, name.worm});
  if (found == worms.by_name.end() || name.hop >= worms.hops(found->second)) return std::nullopt;
  return JoinPlace{found->second, name.hop};
}

/// Of the holders of a resource the first place in the order, the first of a worm unlike that, and the first
/// that is listed. Before all are those that are left out: only their own worm may wait for them, and what
/// waits for its arrival then waits for what they wait for.
struct FirstHeld {
  std::size_t at = nowhere, unlike = nowhere, listed = nowhere;
  std::uint32_t alike = 0;
};

}  // namespace

std::string refuse_join_order(const JoinedWorms& worms, const std::vector<WormCause>& order) {
  if (!worms.lack.empty()) return "order: it proves nothing: " + worms.lack;
  std::map<JoinPlace, std::size_t> positions;  // from 1
  for (const WormCause& name : order) {
    const std::optional<JoinPlace> at = place_named(worms, name);
    if (!at || !positions.emplace(*at, positions.size() + 1).second)
      return "order[" + std::to_string(positions.size()) + "]: no such place, or again";
  }
  const auto position = [&](const JoinPlace& at) {
    const auto found = positions.find(at);
    return found == positions.end() ? 0 : found->second;
  };
  std::map<ResourceId, FirstHeld> first;
  for (const auto& [resource, places] : worms.holders) {
    FirstHeld& held = first[resource];
    for (const JoinPlace& at : places) {
      if (position(at) < held.at) held.at = position(at), held.alike = worms.all[at.first].alike;
      if (position(at) != 0) held.listed = std::min(held.listed, position(at));
    }
    for (const JoinPlace& at : places)
      if (worms.all[at.first].alike != held.alike) held.unlike = std::min(held.unlike, position(at));
  }
  std::string fault;
  std::map<std::uint32_t, bool> apart;
  for (const auto& [resource, places] : worms.holders)
    for (const JoinPlace& at : places)
      each_open(worms, at, [&, alike = worms.all[at.first].alike](ResourceId wanted, From from) {
        const auto found = first.find(wanted);
        if (found == first.end()) return;
        const FirstHeld& held = found->second;
        const std::size_t next = from == From::arriving                     ? held.listed
                                 : from == From::any || held.alike != alike ? held.at
                                                                            : held.unlike;
        if (next > position(at)) return;
        if (from == From::beside && !apart.contains(at.first)) apart[at.first] = joins_apart(worms, at.first);
        if (from != From::beside || !apart[at.first])
          fault = "order: " + worm_name(worms.all[at.first].name) +
                  " waits for what is held in an earlier place, or in one that is left out";
      });
  return fault;
}

std::string refuse_join_cycle(const JoinedWorms& worms, const std::vector<Dependency>& cycle) {
  if (cycle.empty()) return worms.lack.empty() ? "dependency_cycle: it is missing" : "";
  const auto place = [&](const Dependency& edge) {
    const auto* cause = std::get_if<WormCause>(&edge.cause);
    return cause == nullptr ? std::nullopt : place_named(worms, *cause);
  };
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Dependency& edge = cycle[i];
    const Dependency& next = cycle[(i + 1) % cycle.size()];
    const std::optional<JoinPlace> at = place(edge), to = place(next);
    bool holds = false, waits = false;
    if (at && to && edge.to == next.from) {
      for (const ResourceId resource : worms.held(*at)) holds = holds || resource == edge.from;
      each_open(worms, *at, [&](ResourceId wanted, From from) {
        waits = waits || (wanted == edge.to && (from == From::any || from == From::arriving ||
                                                worms.all[to->first].alike != worms.all[at->first].alike));
      });
    }
    if (!holds || !waits) return "dependency_cycle[" + std::to_string(i) + "]: no worm holds and waits so";
  }
  return "";
}

}  // namespace wormcast
