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

#include "router/router_rules.hpp"

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

/// Every order of grants of routers that join by request: one flit after the other, and every grant that can
/// be made is tried next, but that what no other worm has still to take is granted when it can be.
class EveryGrant {
 public:
  EveryGrant(const JoinedWorms& worms, const RouterModel& model) : worms_(worms), model_(model) {
    for (std::uint32_t w = 0; w < worms.all.size(); ++w)
      for (std::int32_t h = -1; h < worms.hops(w); ++h)
        for (const ResourceId resource : takes({w, h})) users_[resource].insert({w, h});
  }

  AllOrders follow(std::uint64_t limit) {
    std::vector<State> open(1);
    for (std::uint32_t w = 0; w < worms_.all.size(); ++w)
      for (std::int32_t h = -1; h < worms_.hops(w); ++h) open[0][{w, h}] = {};
    std::set<std::vector<std::uint64_t>> known;
    AllOrders result;
    while (!open.empty() && known.size() <= limit) {
      State state = std::move(open.back());
      open.pop_back();
      settle(state);
      std::vector<std::uint64_t> key;
      for (const auto& [at, flits] : state) key.push_back(2 * flits.in + (flits.granted ? 1 : 0));
      if (!known.insert(std::move(key)).second) continue;
      bool any = false, all_in = true;
      for (const auto& [at, flits] : state) {
        all_in = all_in && flits.in == worms_.flits(at.first);
        if (!can_grant(state, at)) continue;
        any = true;
        grant(open.emplace_back(state), at);
      }
      result.deadlock = result.deadlock || (!any && !all_in);
    }
    result.exhausted = open.empty();
    return result;
  }

 private:
  struct Flits {
    std::uint64_t in = 0;
    bool granted = false;
  };
  using State = std::map<JoinPlace, Flits>;

  std::vector<ResourceId> takes(const JoinPlace& at) const {
    const bool any_input = model_.consumption_channels == 0 && !worms_.topology().hosts_have_links();
    return at.second < 0 && worms_.reduces(at.first) && any_input ? std::vector<ResourceId>{}
                                                                  : worms_.asked(at);
  }
  /// Places from which flits come to this one (`back`), or to which they go from it.
  std::vector<JoinPlace> next_to(const JoinPlace& at, bool back) const {
    std::vector<JoinPlace> result;
    const bool up = worms_.reduces(at.first) != back;  // towards the hop's parent
    if (up && at.second >= 0) result.emplace_back(at.first, worms_.hop(at).parent);
    for (std::int32_t h = 0; !up && h < worms_.hops(at.first); ++h)
      if (worms_.hop({at.first, h}).parent == at.second) result.emplace_back(at.first, h);
    return result;
  }
  std::uint64_t out(const State& state, const JoinPlace& at) const {
    std::uint64_t least = state.at(at).in;
    for (const JoinPlace& next : next_to(at, false)) least = std::min(least, state.at(next).in);
    return least;
  }
  bool has(const State& state, const JoinPlace& at) const {
    const bool last = next_to(at, false).empty();
    return state.at(at).granted && (last ? state.at(at).in : out(state, at)) < worms_.flits(at.first);
  }
  HostId host(const JoinPlace& at) const {
    return at.second < 0 ? worms_.all[at.first].route->source : HostId{worms_.hop(at).target};
  }
  bool has_come(const State& state, std::uint32_t w, HostId to) const {
    bool come = false;
    for (std::int32_t h = -1; h < worms_.hops(w); ++h)
      if (worms_.reduces(w) ? h < 0 : h >= 0 && worms_.hop({w, h}).comes_to(to))
        come = state.at({w, h}).in == worms_.flits(w);
    return come;
  }
  bool may_start(const State& state, const JoinPlace& at) const {
    const JoinedWorm& worm = worms_.all[at.first];
    const std::int32_t after = worms_.reduces(at.first) ? -1 : worm.route->after;
    if (after >= 0 &&
        !has_come(state, worms_.by_name.at({worm.name.multicast, static_cast<std::uint32_t>(after)}),
                  host(at)))
      return false;
    const auto found = worm.awaits.find(at.second);
    for (std::size_t i = 0; found != worm.awaits.end() && i < found->second.size(); ++i)
      if (!has_come(state, found->second[i], host(at))) return false;
    return true;
  }

  bool can_grant(const State& state, const JoinPlace& at) const {
    if (state.at(at).granted) return false;
    const std::vector<JoinPlace> before = next_to(at, true);
    if (before.empty() && !may_start(state, at)) return false;
    for (const JoinPlace& from : before)
      if (state.at(from).in == 0) return false;
    if (!worms_.reduces(at.first) && at.second >= 0 && worms_.hop(at).is_channel() &&
        worms_.all[at.first].route->is_path())  // what it leaves at a node comes before its next channel
      for (const JoinPlace& other : next_to(before.front(), false))
        if (!worms_.hop(other).is_channel() && !state.at(other).granted) return false;
    for (const ResourceId resource : takes(at)) {
      const auto& users = users_.at(resource);
      const auto held =
          std::count_if(users.begin(), users.end(), [&](const JoinPlace& p) { return has(state, p); });
      if (worms_.units(resource) != 0 && held >= static_cast<std::ptrdiff_t>(worms_.units(resource)))
        return false;
    }
    return true;
  }
  void grant(State& state, const JoinPlace& at) const {
    state.at(at).granted = true;
    if (next_to(at, true).empty() && !worms_.topology().hosts_have_links())
      state.at(at).in = worms_.flits(at.first);
  }

  bool has_room(const State& state, const JoinPlace& at) const {
    if (!state.at(at).granted) return false;
    const std::uint64_t stand = state.at(at).in - out(state, at);
    if (at.second >= 0 && worms_.hop(at).is_channel())
      return stand < buffer_slots(worms_.topology(), model_, ChannelId{worms_.hop(at).target});
    return !next_to(at, true).empty() || stand < buffer_slots(worms_.topology(), model_, host(at));
  }
  void settle(State& state) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& entry : state) {
        const JoinPlace at = entry.first;
        const std::vector<JoinPlace> before = next_to(at, true);
        const bool alone = std::none_of(users_.begin(), users_.end(), [&](const auto& of) {
          return of.second.contains(at) &&
                 std::any_of(of.second.begin(), of.second.end(),
                             [&](const JoinPlace& p) { return p.first != at.first && !state.at(p).granted; });
        });
        if (alone && can_grant(state, at)) {
          grant(state, at);
          changed = true;
        }
        const std::uint64_t in = state.at(at).in;  // of what has just been granted its source, all
        std::vector<JoinPlace> with{at};
        const WormRoute& route = *worms_.all[at.first].route;
        if (!worms_.reduces(at.first) && at.second >= 0 &&
            (route.is_path() || in_lock_step(route.replication)))
          with = next_to(before.front(), false);
        bool can = in < worms_.flits(at.first);
        for (const JoinPlace& from : before) can = can && state.at(from).in > in;
        for (const JoinPlace& to : with) can = can && has_room(state, to);
        for (const JoinPlace& to : with) state.at(to).in += can ? 1 : 0;
        changed = changed || can;
      }
    }
  }

  const JoinedWorms& worms_;
  const RouterModel& model_;
  std::map<ResourceId, std::set<JoinPlace>> users_;
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

AllOrders try_all_grants(const JoinedWorms& worms, const RouterModel& model, std::uint64_t limit) {
  return EveryGrant(worms, model).follow(limit);
}

}  // namespace wormcast
