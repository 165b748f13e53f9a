// The order of places, place by place: whatever a worm may wait for there is held in later ones.
//
// Cost: the square of a worm's hops, times the logarithm of all.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/join_order_check.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace wormcast {

JoinOrderCheck::JoinOrderCheck(const Topology& topology, const RouterModel& model,
                               const std::vector<Routes>& messages)
    : topology_(topology),
      resources_(topology, model),
      flits_(model.copies == Copies::per_flit),
      header_flits_(model.header_flits) {
  for (const Routes& routes : messages)
    for (std::uint32_t i = 0; i < routes.worms.size(); ++i) {
      const auto w = static_cast<std::uint32_t>(worms_.size());
      worms_.push_back({&routes.plan.request, &routes.worms[i], i, w});
      by_name_[{routes.plan.request.id, i}] = w;
      by_request_[routes.plan.request.id].push_back(w);
      if (flits_) identify(w);
      for (std::int32_t hop = -1; hop < static_cast<std::int32_t>(routes.worms[i].hops.size()); ++hop)
        for (const ResourceId resource : held(worms_[w], hop)) holders_[resource].emplace_back(w, hop);
    }
}

namespace {

std::uint32_t parts_of(const WormRoute& route) {
  return static_cast<std::uint32_t>(std::count_if(route.hops.begin(), route.hops.end(),
                                                  [](const RouteHop& hop) { return !hop.is_channel(); }));
}

/// Bits in which coordinates of the sources differ, of all dimensions.
std::vector<std::uint32_t> differing_bits(const Grid& grid, const std::vector<HostId>& sources) {
  std::vector<std::uint32_t> bits(grid.dimensions());
  for (const HostId source : sources)
    for (std::uint32_t d = 0; d < bits.size(); ++d)
      bits[d] |= grid.coordinate(NodeId{source.value}, d) ^ grid.coordinate(NodeId{sources.front().value}, d);
  return bits;
}

}  // namespace

void JoinOrderCheck::identify(std::uint32_t w) {
  const auto joins = [&](const Worm& worm) { return worm.request->reduces() && parts_of(*worm.route) > 1; };
  const auto mask = [&](const Worm& worm) {
    return differing_bits(*topology_.grid(), worm.request->destinations);
  };
  for (std::uint32_t other = 0; other < w && joins(worms_[w]); ++other)
    if (joins(worms_[other]) && worms_[other].request->source == worms_[w].request->source &&
        mask(worms_[other]) == mask(worms_[w])) {
      worms_[w].identity = other;
      return;
    }
}

/// Where flits are joined: messages of which the order says nothing.
std::string JoinOrderCheck::refuse_traffic() const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> come;  // worms, by node where they arrive
  for (std::uint32_t w = 0; w < worms_.size(); ++w) {
    const Worm& worm = worms_[w];
    if (worms_[worm.identity].request->destinations != worm.request->destinations)
      return name(worm) + " is taken for a reduction with other sources";
    if (worm.request->reduces())
      come[worm.route->source.value].push_back(w);
    else
      for (const RouteHop& hop : worm.route->hops)
        if (!hop.is_channel()) come[hop.target].push_back(w);
  }
  std::set<std::uint32_t> beside;  // others
  for (const auto& [node, worms] : come)
    if (worms.size() > 1) beside.insert(worms.begin(), worms.end());
  for (const auto& [resource, places] : holders_)
    if (places.size() > 1)
      for (const Place& at : places) beside.insert(at.first);
  for (const std::uint32_t w : beside)
    if (worms_[w].route->flits(worms_[w].request->length_flits, header_flits_) > 1)
      return name(worms_[w]) + " has several flits, and others in its way";
  return "";
}

std::vector<ResourceId> JoinOrderCheck::held(const Worm& worm, std::int32_t hop) const {
  const bool part = hop >= 0 && !worm.route->hops[static_cast<std::size_t>(hop)].is_channel();
  const bool reduces = worm.request->reduces();
  if (reduces ? part : hop < 0) {  // where something starts
    const HostId host =
        part ? HostId{worm.route->hops[static_cast<std::size_t>(hop)].target} : worm.route->source;
    if (topology_.hosts_have_links()) return {resources_.host_link(host)};
    return resources_.units(resources_.injection(host)) == 0 ? std::vector<ResourceId>{}
                                                             : std::vector{resources_.injection(host)};
  }
  if (hop < 0 || (part && flits_)) return {};
  const RouteHop& at = worm.route->hops[static_cast<std::size_t>(hop)];
  if (!part) return {resources_.network(ChannelId{at.target}, at.vc)};
  if (at.parent < 0) return {resources_.consumption(HostId{at.target}, std::nullopt, 0)};
  const RouteHop& input = worm.route->hops[static_cast<std::size_t>(at.parent)];
  return {resources_.consumption(HostId{at.target}, ChannelId{input.target}, input.vc)};
}

std::vector<ResourceId> JoinOrderCheck::at_root(const Worm& worm) const {
  std::vector<ResourceId> result;
  for (const RouteHop& hop : worm.route->hops) {
    if (hop.parent >= 0) continue;
    const auto input = hop.is_channel() ? std::optional(ChannelId{hop.target}) : std::nullopt;
    result.push_back(resources_.consumption(worm.route->source, input, hop.vc));
  }
  return result;
}

/// Whether `to` is met on the way from `from` to the worm's source, `from` itself included.
bool JoinOrderCheck::leads_to(const WormRoute& route, std::int32_t from, std::int32_t to) {
  for (; from >= 0 && from != to; from = route.hops[static_cast<std::size_t>(from)].parent) continue;
  return from == to;
}

/// What has to arrive before what starts at the hop does.
std::vector<std::uint32_t> JoinOrderCheck::awaited(const Worm& worm, std::int32_t hop) const {
  std::vector<std::uint32_t> result;
  const bool reduces = worm.request->reduces();
  if (reduces ? hop < 0 || worm.route->hops[static_cast<std::size_t>(hop)].is_channel() : hop >= 0)
    return result;
  for (const std::uint64_t id : worm.request->depends_on)
    if (const auto found = by_request_.find(id); found != by_request_.end())
      result.insert(result.end(), found->second.begin(), found->second.end());
  if (!reduces) return result;
  for (const std::uint32_t other : by_request_.at(worm.request->id))
    if (worms_[other].route->after == static_cast<std::int32_t>(worm.index) &&
        worms_[other].route->source.value == worm.route->hops[static_cast<std::size_t>(hop)].target)
      result.push_back(other);
  return result;
}

/// All that worms may wait for that have to arrive, from whoever has it.
void JoinOrderCheck::each_until_arrival(std::vector<std::uint32_t> open, const Visit& visit) const {
  std::set<std::uint32_t> known(open.begin(), open.end());
  while (!open.empty()) {
    const Worm& worm = worms_[open.back()];
    open.pop_back();
    for (std::int32_t hop = -1; hop < static_cast<std::int32_t>(worm.route->hops.size()); ++hop) {
      for (const ResourceId resource : held(worm, hop)) visit(resource, true);
      for (const std::uint32_t earlier : awaited(worm, hop))
        if (known.insert(earlier).second) open.push_back(earlier);
    }
    if (worm.request->reduces() && !flits_)
      for (const ResourceId resource : at_root(worm)) visit(resource, true);
  }
}

void JoinOrderCheck::each_open(const Place& at, const Visit& visit) const {
  const Worm& worm = worms_[at.first];
  const std::vector<RouteHop>& hops = worm.route->hops;
  const bool reduces = worm.request->reduces();
  const auto parent = [&](std::int32_t hop) { return hops[static_cast<std::size_t>(hop)].parent; };
  const std::int32_t here = at.second;
  const bool alike = std::any_of(worms_.begin(), worms_.end(), [&](const Worm& other) {
    return &other != &worm && other.identity == worm.identity;
  });
  for (std::int32_t hop = -1; hop < static_cast<std::int32_t>(hops.size()); ++hop) {
    if (hop == here) continue;
    bool open = false, onward = false;
    if (flits_ && reduces) {  // the FIFO before it, and what comes with it
      onward = hop == parent(here);
      open = onward || (hop >= 0 && leads_to(*worm.route, hop, parent(here)) && hop != parent(here) &&
                        !leads_to(*worm.route, hop, here));
    } else if (flits_) {
      open = hop >= 0 && parent(hop) == here;
    } else if (reduces) {
      open = !leads_to(*worm.route, hop, here);
    } else {
      open = hop >= 0 && !leads_to(*worm.route, here, hop);
    }
    if (!open) continue;
    for (const ResourceId resource : held(worm, hop)) visit(resource, onward && alike);
    if (hop < 0 && reduces && !flits_)
      for (const ResourceId resource : at_root(worm)) visit(resource, false);
    if (reduces) each_until_arrival(awaited(worm, hop), visit);
  }
}

std::string JoinOrderCheck::refuse_order(const std::vector<WormCause>& order) const {
  if (std::string fault = flits_ ? refuse_traffic() : ""; !fault.empty()) return fault;
  std::map<Place, std::size_t> positions;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto found = by_name_.find({order[i].multicast, order[i].worm});
    if (found == by_name_.end() ||
        order[i].hop >= static_cast<std::int32_t>(worms_[found->second].route->hops.size()))
      return "order: it names a place that is not there";
    if (!positions.emplace(Place{found->second, order[i].hop}, i).second)
      return "order: it names a place twice";
  }
  // By resource, the first place in the order that holds it, and the first of another identity.
  struct First {
    std::size_t at = std::numeric_limits<std::size_t>::max(), other = at;
    std::uint32_t identity = 0;
  };
  std::map<ResourceId, First> first;
  for (const auto& [resource, places] : holders_) {
    const bool shared = std::any_of(places.begin(), places.end(),
                                    [&](const Place& at) { return at.first != places[0].first; });
    std::vector<std::pair<std::size_t, std::uint32_t>> in_order;
    for (const Place& at : places) {
      const auto found = positions.find(at);
      if (found != positions.end()) in_order.emplace_back(found->second, worms_[at.first].identity);
      if (found == positions.end() && shared)
        return "order: it leaves out a place of " + name(worms_[at.first]);
    }
    if (in_order.empty()) continue;
    std::sort(in_order.begin(), in_order.end());
    First& of = first[resource];
    std::tie(of.at, of.identity) = in_order.front();
    for (const auto& [at, identity] : in_order)
      if (identity != of.identity) of.other = std::min(of.other, at);
  }
  std::string fault;
  for (const auto& [at, position] : positions)
    each_open(at, [&, from = at, before = position](ResourceId wanted, bool own) {
      const auto found = first.find(wanted);
      if (found == first.end()) return;
      const First& of = found->second;
      if ((own || of.identity != worms_[from.first].identity ? of.at : of.other) <= before)
        fault = "order: " + name(worms_[from.first]) + " waits for an earlier place";
    });
  return fault;
}

std::string JoinOrderCheck::refuse_cycle(const std::vector<Dependency>& cycle) const {
  if (cycle.empty()) return flits_ && !refuse_traffic().empty() ? "" : "dependency_cycle: it is missing";
  const auto place_of = [&](const Dependency& edge) -> std::optional<Place> {
    const auto* cause = std::get_if<WormCause>(&edge.cause);
    if (cause == nullptr) return std::nullopt;
    const auto found = by_name_.find({cause->multicast, cause->worm});
    if (found == by_name_.end() ||
        cause->hop >= static_cast<std::int32_t>(worms_[found->second].route->hops.size()))
      return std::nullopt;
    return Place{found->second, cause->hop};
  };
  const auto holds = [&](const Place& at, ResourceId resource) {
    const std::vector<ResourceId> all = held(worms_[at.first], at.second);
    return std::find(all.begin(), all.end(), resource) != all.end();
  };
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const std::string key = "dependency_cycle[" + std::to_string(i) + "]: ";
    const Dependency& next = cycle[(i + 1) % cycle.size()];
    const auto at = place_of(cycle[i]), to = place_of(next);
    if (!at || !to) return key + "it names a place that is not there";
    if (cycle[i].to != next.from || !holds(*at, cycle[i].from) || !holds(*to, next.from))
      return key + "its worm does not hold that";
    bool waits = false;
    each_open(*at, [&](ResourceId wanted, bool own) {
      waits = waits ||
              (wanted == cycle[i].to && (own || worms_[to->first].identity != worms_[at->first].identity));
    });
    if (!waits) return key + "its worm does not wait for that";
  }
  return "";
}

}  // namespace wormcast
