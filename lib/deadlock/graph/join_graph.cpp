// Reductions wait for each other, and for what stands beside them: a graph whose cycles every standstill has.
//
// Its places are pairs of a worm and a hop that it holds; from (A, h) an edge leads to (B, g) where g has the
// same resource as something that A may wait for while it holds h. In a standstill whoever waits first in a
// buffer waits for what another one holds, who waits first there or behind one who does; so from each blocked
// place an edge leads to another blocked one, and without a cycle nothing stands still, whatever starts when.
//
// By request (ideal joins). A reduction's header goes on when all parts have come, so all behind h, towards
// the sources, has been granted. Open is the rest of its tree: what lies before h, the siblings that have to
// come there, their injections, and what these parts wait for: worms whose messages they combine, requests
// that they depend on, and whatever these wait for, the reduction itself included. At the root nothing is
// open. A multicast that holds h may wait for all but h and what leads to it, however it is copied.
//
// Flit by flit (joining_mesh.hpp), messages of one flit. A place is the FIFO in which the flit stands, and
// who waits is the head. A worm's head waits for the FIFO behind an output: if that has room the output moves
// something. So does a part's, where it is one of several expected inputs also for the others, each of which
// holds another head, or is empty since one upstream of it, or a node, holds another one. Local outputs take
// one flit at once. Reductions of one root and mask join with each other; with the same sources each takes
// another's place, and they count as one message, which may wait for itself farther on. Nothing is proved of
// those with other sources, and of a message of several flits that shares a FIFO or a node where it arrives:
// inputs stay tied to outputs, and outputs to inputs, until its last flit.
//
// Cost: linear in hops, and in worms that share a resource.
// cite: this project; rules of routers: pulp-platform FlooNoC, as measured (tests/suites/joins).
// SPDX-License-Identifier: MIT
#include "deadlock/graph/join_graph.hpp"

#include <algorithm>
#include <set>

#include "deadlock/graph/dependency_cycles.hpp"
#include "multicast/join_packets.hpp"
#include "topology/error.hpp"

namespace wormcast {

JoinGraph::JoinGraph(const Topology& topology, const RouterModel& model, const std::vector<Routes>& messages)
    : topology_(topology),
      model_(model),
      resources_(topology, model),
      by_flit_(model.copies == Copies::per_flit) {
  add_members(messages);
  for (std::uint32_t m = 0; m < members_.size(); ++m)
    for (std::uint32_t slot = 0; slot < members_[m].next.size(); ++slot)
      for (const ResourceId resource : resources(members_[m], slot)) holders_[resource].emplace_back(m, slot);
  if (by_flit_) find_lack();
  for (const Member& member : members_)
    for (std::uint32_t slot = 0; slot < member.next.size(); ++slot) {
      places += resources(member, slot).size();
      lead(member, slot);
    }
  lead_to_holders();
  dependencies = graph_.size();
  read_order();
}

void JoinGraph::add_members(const std::vector<Routes>& messages) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> of_request;
  std::map<std::vector<std::uint32_t>, std::uint32_t> named;
  for (const Routes& routes : messages) {
    const Request& request = routes.plan.request;
    const auto begin = static_cast<std::uint32_t>(members_.size());
    std::vector<std::uint32_t> earlier;
    for (const std::uint64_t id : request.depends_on)
      earlier.insert(earlier.end(), of_request[id].begin(), of_request[id].end());
    for (std::uint32_t w = 0; w < routes.worms.size(); ++w) {
      const WormRoute& route = routes.worms[w];
      Member& member = members_.emplace_back(Member{&request, &route, w, slots_, begin + w});
      member.next.resize(route.hops.size() + 1);
      slots_ += static_cast<std::uint32_t>(route.hops.size()) + 1;
      for (std::uint32_t slot = 1; slot < member.next.size(); ++slot) {
        member.next[parent(member, slot)].push_back(slot);
        if (!request.reduces() || route.hops[slot - 1].is_channel()) continue;
        std::vector<std::uint32_t>& awaits = member.awaits[slot] = earlier;
        for (std::uint32_t v = 0; v < routes.worms.size(); ++v)
          if (routes.worms[v].after == static_cast<std::int32_t>(w) &&
              routes.worms[v].source.value == route.hops[slot - 1].target)
            awaits.push_back(begin + v);
      }
      if (!request.reduces()) member.awaits[0] = earlier;
      of_request[request.id].push_back(begin + w);
      if (by_flit_) find_like(begin + w, named);
    }
  }
}

/// Reductions are told apart by root and mask.
void JoinGraph::find_like(std::uint32_t m, std::map<std::vector<std::uint32_t>, std::uint32_t>& named) {
  Member& member = members_[m];
  const JoinPacket packet =
      packet_of(topology_, *member.request, *member.route, member.worm, model_.header_flits);
  std::set<std::uint32_t> entered{member.route->source.value};
  for (const RouteHop& hop : member.route->hops)
    if (hop.is_channel() && !member.request->reduces() &&
        !entered.insert(topology_.ends(ChannelId{hop.target})->to.value).second)
      throw InputError("worms", "a worm comes to a router twice, which copies it there by one input only");
  if (member.route->after >= 0)
    throw InputError("worms",
                     "a worm after another; routers that join flit by flit take those that start at once");
  if (!packet.joins) return;
  const auto [first, fresh] =
      named.emplace(std::vector{packet.root.x, packet.root.y, packet.mask.x, packet.mask.y}, m);
  if (fresh) return;
  const Member& other = members_[first->second];
  member.like = first->second;
  alike_.insert(first->second);
  for (std::uint32_t before = 0; before < m; ++before)
    if (members_[before].like == member.like)
      mistakable_.push_back({members_[before].request->id, member.request->id});
  if (other.request->destinations != member.request->destinations)
    lack_ = "reductions " + std::to_string(other.request->id) + " and " + std::to_string(member.request->id) +
            " have one root and one mask, and other sources: routers join parts of both";
}

/// Messages of several flits must share neither FIFOs nor nodes at which they arrive.
void JoinGraph::find_lack() {
  std::map<std::uint32_t, std::set<std::uint32_t>> arrive;  // by node
  const auto receivers = [&](std::uint32_t m, auto visit) {
    if (members_[m].request->reduces()) return visit(members_[m].route->source.value);
    for (const RouteHop& hop : members_[m].route->hops)
      if (!hop.is_channel()) visit(hop.target);
  };
  for (std::uint32_t m = 0; m < members_.size(); ++m)
    receivers(m, [&](std::uint32_t host) { arrive[host].insert(m); });
  for (std::uint32_t m = 0; m < members_.size() && lack_.empty(); ++m) {
    const Member& member = members_[m];
    if (member.route->flits(member.request->length_flits, model_.header_flits) == 1) continue;
    bool shares = false;
    receivers(m, [&](std::uint32_t host) { shares = shares || arrive[host].size() > 1; });
    for (std::uint32_t slot = 0; slot < member.next.size(); ++slot)
      for (const ResourceId resource : resources(member, slot))
        shares = shares || holders_[resource].size() > 1;
    if (shares)
      lack_ = worm_name({member.request->id, member.worm}) +
              " has several flits and shares a FIFO, or the node where it arrives, with another";
  }
}

/// What the worm holds in the slot, as far as others can wait for it: of a reduction nothing at its root.
std::vector<ResourceId> JoinGraph::resources(const Member& member, std::uint32_t slot) const {
  const auto source = [&](HostId host) -> std::vector<ResourceId> {
    if (topology_.hosts_have_links()) return {resources_.host_link(host)};
    if (resources_.injection_blocks()) return {resources_.injection(host)};
    return {};
  };
  const bool reduces = member.request->reduces();
  if (slot == 0) return reduces ? std::vector<ResourceId>{} : source(member.route->source);
  const RouteHop& hop = member.route->hops[slot - 1];
  if (hop.is_channel()) return {resources_.network(ChannelId{hop.target}, hop.vc)};
  if (reduces) return source(HostId{hop.target});
  if (by_flit_) return {};
  if (hop.parent < 0) return {resources_.consumption(HostId{hop.target}, std::nullopt, 0)};
  const RouteHop& before = member.route->hops[static_cast<std::size_t>(hop.parent)];
  return {resources_.consumption(HostId{hop.target}, ChannelId{before.target}, before.vc)};
}

/// What lies behind the slot, and where all is open but what leads to it, beside it.
void JoinGraph::lead(const Member& member, std::uint32_t slot) {
  const bool reduces = member.request->reduces();
  edge(node(member, slot, subtree), node(member, slot, wanted));
  for (const std::uint32_t next : member.next[slot])
    edge(node(member, slot, subtree), node(member, next, subtree));
  if (const auto found = member.awaits.find(slot); found != member.awaits.end())
    for (const std::uint32_t earlier : found->second) edge(node(member, slot, subtree), arrival(earlier));
  if (by_flit_) return lead_joined(member, slot);
  if (!reduces)
    for (const std::uint32_t next : member.next[slot])
      edge(node(member, slot, place), node(member, next, subtree));
  if (slot == 0) return;
  const std::uint32_t before = parent(member, slot);
  edge(node(member, slot, place), node(member, slot, beside));
  if (reduces) edge(node(member, slot, beside), node(member, before, wanted));
  for (const std::uint32_t sibling : member.next[before])
    if (sibling != slot) edge(node(member, slot, beside), node(member, sibling, subtree));
  if (before != 0) edge(node(member, slot, beside), node(member, before, beside));
}

void JoinGraph::lead_joined(const Member& member, std::uint32_t slot) {
  const ResourceId from = node(member, slot, place);
  if (!member.request->reduces()) {
    for (const std::uint32_t next : member.next[slot]) edge(from, node(member, next, wanted));
    return;
  }
  if (slot == 0) return;
  const std::uint32_t before = parent(member, slot);
  edge(from, node(member, before, wanted));
  if (alike_.count(member.like) != 0)
    for (const ResourceId resource : resources(member, before))
      for (const auto& [m, at] : holders_[resource])
        if (members_[m].like == member.like) edge(from, node(members_[m], at, place));
  for (const std::uint32_t sibling : member.next[before])
    if (sibling != slot) edge(from, node(member, sibling, subtree));
}

/// From requests, and from worms that have to arrive, to those who hold what they need.
void JoinGraph::lead_to_holders() {
  for (std::uint32_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    for (std::uint32_t slot = 0; slot < member.next.size(); ++slot) {
      std::vector<ResourceId> needed = resources(member, slot);
      if (slot == 0 && member.request->reduces() && !by_flit_)
        for (const std::uint32_t last : member.next[0]) {
          const RouteHop& hop = member.route->hops[last - 1];
          needed.push_back(resources_.consumption(
              member.route->source, hop.is_channel() ? std::optional(ChannelId{hop.target}) : std::nullopt,
              hop.vc));
        }
      for (const ResourceId resource : needed)
        for (const auto& [other, at] : holders_[resource]) {
          edge(arrival(m), node(members_[other], at, place));
          if (members_[other].like != member.like)
            edge(node(member, slot, wanted), node(members_[other], at, place));
        }
    }
    for (const auto& [slot, earlier] : member.awaits)
      for (const std::uint32_t worm : earlier) edge(arrival(m), arrival(worm));
  }
}

/// Of the graph's nodes those are read that are places.
void JoinGraph::read_order() {
  std::map<std::uint32_t, Holder> places_of;
  for (std::uint32_t m = 0; m < members_.size(); ++m)
    for (std::uint32_t slot = 0; slot < members_[m].next.size(); ++slot)
      for (const ResourceId resource : resources(members_[m], slot)) {
        const std::vector<Holder>& all = holders_[resource];
        if (std::any_of(all.begin(), all.end(), [m = m](const Holder& holder) { return holder.first != m; }))
          places_of[node(members_[m], slot, place).value] = {m, slot};
      }
  const DependencyOrder order_of(graph_);
  if (order_of.acyclic()) {
    for (const ResourceId id : order_of.numbering())
      if (const auto found = places_of.find(id.value); found != places_of.end()) {
        const auto& [m, slot] = found->second;
        order.push_back({members_[m].request->id, members_[m].worm, static_cast<std::int32_t>(slot) - 1});
      }
    return;
  }
  std::vector<Holder> round;
  for (const Dependency& edge : order_of.shortest_cycle())
    if (const auto found = places_of.find(edge.from.value); found != places_of.end())
      round.push_back(found->second);
  for (std::size_t i = 0; i < round.size(); ++i) {
    const auto& [m, slot] = round[i];
    const auto& [other, at] = round[(i + 1) % round.size()];
    WormCause cause{members_[m].request->id, members_[m].worm, static_cast<std::int32_t>(slot) - 1};
    cycle.push_back({resources(members_[m], slot).front(), resources(members_[other], at).front(), cause});
  }
}

}  // namespace wormcast
