// Places of worms beside reductions. Cost: linear in hops; of reductions alike, and of messages of several
// flits beside others, in their number.
// SPDX-License-Identifier: MIT
#include "deadlock/worms/joined_worms.hpp"

#include <algorithm>
#include <optional>

#include "multicast/join_packets.hpp"
#include "router/discipline.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

JoinedWorms::JoinedWorms(const Topology& topology, const RouterModel& model,
                         const std::vector<Routes>& messages)
    : by_flit(model.discipline().copies_flit_by_flit()),
      topology_(topology),
      resources_(topology, model),
      header_flits_(model.header_flits) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> of_request;
  std::map<std::vector<std::uint32_t>, std::uint32_t> named;
  std::map<ResourceId, std::uint32_t> asker;  // the first
  for (const Routes& routes : messages) {
    const Request& request = routes.plan.request;
    const auto begin = static_cast<std::uint32_t>(all.size());
    std::vector<std::uint32_t> earlier;
    for (const std::uint64_t id : request.depends_on)
      earlier.insert(earlier.end(), of_request[id].begin(), of_request[id].end());
    for (std::uint32_t i = 0; i < routes.worms.size(); ++i) {
      const std::uint32_t w = begin + i;
      all.push_back({&request, &routes.worms[i], {request.id, i}, w});
      by_name[all[w].name] = w;
      if (!request.reduces()) all[w].awaits[-1] = earlier;
      for (std::int32_t h = 0; h < hops(w) && request.reduces(); ++h) {
        if (hop({w, h}).is_channel()) continue;
        all[w].awaits[h] = earlier;
        for (std::uint32_t j = 0; j < routes.worms.size(); ++j)  // what it combines
          if (routes.worms[j].after == static_cast<std::int32_t>(i) &&
              routes.worms[j].source.value == hop({w, h}).target)
            all[w].awaits[h].push_back(begin + j);
      }
      if (by_flit) find_alike(w, named);
      for (std::int32_t h = -1; h < hops(w); ++h)
        for (const ResourceId resource : held({w, h})) {
          std::vector<JoinPlace>& places = holders[resource];
          if (!places.empty() && places.back().first == w)
            refuse("worms", "{} takes a channel twice", worm_name(all[w].name));
          places.emplace_back(w, h);
        }
      for (std::int32_t h = -1; h < hops(w); ++h)
        for (const ResourceId resource : asked({w, h}))
          if (asker.emplace(resource, w).first->second != w) shared.insert(resource);
    }
    for (std::uint32_t w = begin; w < all.size(); ++w) of_request[request.id].push_back(w);
  }
  if (by_flit) find_lack();
}

/// Reductions are told apart by root and mask.
void JoinedWorms::find_alike(std::uint32_t w, std::map<std::vector<std::uint32_t>, std::uint32_t>& named) {
  JoinedWorm& worm = all[w];
  const JoinPacket packet = packet_of(topology_, *worm.request, *worm.route, worm.name.worm, header_flits_);
  worm.network = packet.network;
  std::set<std::uint32_t> entered{worm.route->source.value};
  if (worm.route->after >= 0)
    throw InputError("worms",
                     "a worm after another; routers that join flit by flit take those that start at once");
  for (const RouteHop& at : worm.route->hops)
    if (at.is_channel() && !reduces(w) &&
        !entered.insert(topology_.ends(ChannelId{at.target})->to.value).second)
      throw InputError("worms",
                       "a worm comes to a router twice; routers that join know one way through each");
  if (!packet.joins) return;
  const std::vector<std::uint32_t> header = {packet.network, packet.root.x, packet.root.y, packet.mask.x,
                                             packet.mask.y};
  worm.alike = named.emplace(header, w).first->second;
  for (std::uint32_t other = 0; other < w; ++other)
    if (all[other].alike == worm.alike)
      mistakable.push_back({std::min(all[other].name.multicast, worm.name.multicast),
                            std::max(all[other].name.multicast, worm.name.multicast)});
  const JoinedWorm& first = all[worm.alike];
  if (first.request->destinations != worm.request->destinations)
    lack = fmt::format(
        "reductions {} and {} have one root and one mask, and other sources: routers join parts of both",
        first.name.multicast, worm.name.multicast);
}

/// A message of several flits must share neither a FIFO nor a node where it arrives.
[[gnu::weak]] void JoinedWorms::find_lack() {
  std::map<std::uint32_t, std::set<std::uint32_t>> come;  // worms, by node of a network
  for (std::uint32_t w = 0; w < all.size(); ++w) {
    const std::uint32_t first = all[w].network * topology_.hosts();
    if (reduces(w)) come[first + all[w].route->source.value].insert(w);
    for (const RouteHop& at : all[w].route->hops)
      if (!at.is_channel() && !reduces(w)) come[first + at.target].insert(w);
  }
  std::set<std::uint32_t> beside;  // others
  for (const auto& [node, worms] : come)
    if (worms.size() > 1) beside.insert(worms.begin(), worms.end());
  for (const auto& [resource, places] : holders)
    for (const JoinPlace& at : places)
      if (places.size() > 1) beside.insert(at.first);
  for (const std::uint32_t w : beside)
    if (lack.empty() && flits(w) > 1)
      lack = worm_name(all[w].name) +
             " has several flits and shares a FIFO, or a node where it arrives, with others";
}

bool JoinedWorms::has_alike(std::uint32_t w) const {
  return std::any_of(mistakable.begin(), mistakable.end(), [&](const std::vector<std::uint64_t>& pair) {
    return std::find(pair.begin(), pair.end(), all[w].name.multicast) != pair.end();
  });
}

std::vector<ResourceId> JoinedWorms::at_source(std::uint32_t w, HostId host) const {
  if (topology_.hosts_have_links()) return {resources_.host_link(host)};
  if (resources_.injection_blocks()) return {resources_.injection(host, by_flit ? all[w].network : 0)};
  return {};
}

std::vector<ResourceId> JoinedWorms::held(const JoinPlace& at) const {
  const JoinedWorm& worm = all[at.first];
  if (at.second < 0)
    return reduces(at.first) ? std::vector<ResourceId>{} : at_source(at.first, worm.route->source);
  const RouteHop& here = hop(at);
  if (!here.is_channel() && reduces(at.first)) return at_source(at.first, HostId{here.target});
  if (!here.is_channel() && by_flit) return {};
  return {resources_.taken_by(here, worm.route->hops)};
}

std::vector<ResourceId> JoinedWorms::asked(const JoinPlace& at) const {
  if (at.second >= 0 || by_flit || !reduces(at.first)) return held(at);
  std::vector<ResourceId> result;  // at the root the consumption channel of any input
  for (const RouteHop& last : all[at.first].route->hops)
    if (last.parent < 0)
      result.push_back(resources_.consumption(
          all[at.first].route->source,
          last.is_channel() ? std::optional(ChannelId{last.target}) : std::nullopt, last.vc));
  return result;
}

}  // namespace wormcast
