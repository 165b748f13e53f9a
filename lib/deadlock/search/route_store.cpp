// Hash set of routes; a route keeps as many worms as could take part in one deadlock.
// SPDX-License-Identifier: MIT
#include "deadlock/search/route_store.hpp"

#include <algorithm>

#include "deadlock/graph/dependency_graph.hpp"

namespace wormcast {

namespace {

std::uint64_t combine(std::uint64_t hash, std::uint64_t value) {
  hash ^= value;
  hash *= 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

std::uint64_t hash_of(const WormRoute& route, std::uint64_t flits) {
  std::uint64_t hash =
      combine(combine(flits, route.source.value), static_cast<std::uint64_t>(route.replication));
  if (route.port) hash = combine(hash, std::uint64_t{route.port->vc} << 8 | 1);
  for (const RouteHop& hop : route.hops) {
    hash = combine(hash, std::uint64_t{hop.target} << 32 | static_cast<std::uint32_t>(hop.parent));
    hash = combine(hash, std::uint64_t{hop.vc} << 8 | static_cast<std::uint64_t>(hop.kind));
  }
  return hash;
}

bool same_route(const WormRoute& a, const WormRoute& b) {
  return a.source == b.source && a.replication == b.replication && a.port == b.port &&
         a.header_flits == b.header_flits &&  // a witness says the length without
         std::equal(a.hops.begin(), a.hops.end(), b.hops.begin(), b.hops.end(),
                    [](const RouteHop& x, const RouteHop& y) {
                      return x.target == y.target && x.parent == y.parent && x.vc == y.vc && x.kind == y.kind;
                    });
}

}  // namespace

bool RouteStore::add(const WormRoute& route, std::uint64_t flits, WormRef name) {
  const std::uint64_t hash = hash_of(route, flits);
  for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at) {
    const std::uint32_t index = at->second;
    StoredRoute& known = routes_[index];
    if (known.flits != flits || !same_route(known.route, route)) continue;
    ++known.count;
    note_route(name, index);
    // Each worm in a deadlock keeps at least one hop or the injection channel for itself.
    if (known.worms.size() <= route.hops.size()) known.worms.push_back(name);
    return false;
  }
  if (routes_.size() >= limit_) {
    routes_complete_ = false;
    return true;
  }
  const auto index = static_cast<std::uint32_t>(routes_.size());
  note_route(name, index);
  routes_.push_back(StoredRoute{route, flits, 1, {name}});
  by_hash_.emplace(hash, index);
  return true;
}

void RouteStore::add_relations(const Routes& routes) {
  const Request& request = routes.plan.request;
  const bool relays =
      std::any_of(routes.worms.begin(), routes.worms.end(), [](const WormRoute& w) { return w.after >= 0; });
  if (relays || !request.depends_on.empty()) note(routes);
}

void RouteStore::add_family(const Routes& routes, const std::optional<Answered>& answered) {
  note(routes);
  const auto own = relations_.find(routes.plan.request.id);
  if (own == relations_.end() || !answered) return;
  own->second.answers = WormRef{answered->multicast, answered->worm};
  const auto asked = relations_.find(answered->multicast);
  if (asked != relations_.end()) asked->second.answered_by.push_back(routes.plan.request.id);
}

void RouteStore::note_route(WormRef name, std::uint32_t index) {
  const auto own = relations_.find(name.multicast);
  if (own != relations_.end()) own->second.routes.push_back(index);
}

void RouteStore::note(const Routes& routes) {
  const Request& request = routes.plan.request;
  if (relations_.size() >= limit_) {
    relations_complete_ = false;
    forgotten_.insert(request.id);
    return;
  }
  Relations& entry = relations_[request.id];
  entry.source = request.source;
  entry.depends_on = request.depends_on;
  for (std::uint32_t w = 0; w < routes.worms.size(); ++w) {
    entry.after.push_back(routes.worms[w].after);
    entry.sources.push_back(routes.worms[w].source);
    for (const RouteHop& hop : routes.worms[w].hops)
      if (!hop.is_channel()) entry.arrives.emplace_back(hop.target, w);
  }
}

bool RouteStore::dependencies_known(std::uint64_t multicast) const {
  if (relations_complete_) return true;
  const auto all = all_reached<std::uint64_t>({multicast}, [&](std::uint64_t id, const auto& visit) {
    if (const Relations* own = relations(id))
      std::for_each(own->depends_on.begin(), own->depends_on.end(), visit);
  });
  return std::none_of(all.begin(), all.end(), [&](std::uint64_t id) { return forgotten_.contains(id); });
}

const Relations* RouteStore::relations(std::uint64_t multicast) const {
  const auto found = relations_.find(multicast);
  return found == relations_.end() ? nullptr : &found->second;
}

}  // namespace wormcast
