// Places of headers under routing relations.
//
// What a router offers depends on where the header is, its routing state and its destination alone; so these
// are a place. Worms of several stops are chains of legs (multicast/legs.hpp): at a stop whatever leg can
// follow comes next, with the state in which the worm arrived. Places are found breadth first from the places
// where worms begin. What is given is checked on the way: a candidate must leave the router where the header
// is, by virtual channels that exist, and lead to where its channel leads.
// A worm's consumption channel counts as a lane only where several inputs share it; one for each input is
// asked for by worms of that input alone, one after the other, and is free in finite time.
// Cost: places times candidates; N² places for N nodes, times the states a header can have.
// cite: Duato 1993.
// SPDX-License-Identifier: MIT
#include "deadlock/relations/relation_check.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "topology/error.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_places = 30'000'000;

}  // namespace

RelationGraph::RelationGraph(const Topology& topology, const RouterModel& model,
                             std::vector<RelationTraffic> traffic, std::optional<ProtocolRule> replies)
    : topology_(topology),
      resources_(topology, model),
      shared_consumption_(model.consumption_channels != 0 || topology.hosts_have_links()),
      traffic_(std::move(traffic)),
      replies_(replies) {
  std::uint32_t vcs = 1;
  for (const RelationTraffic& one : traffic_)
    vcs =
        std::max(vcs, one.vc_offset + std::max(one.routing->channel_vcs(), one.routing->virtual_channels()));
  lane_bound_ = resources_.bound(vcs);
  index_legs();
  if (replies_)
    requests_stop_ =
        std::any_of(traffic_[replies_->request].legs.begin(), traffic_[replies_->request].legs.end(),
                    [](const Leg& leg) { return leg.goes_on.has_value(); });
  add_entries();
  for (std::uint32_t id = 0; id < vertices_.size(); ++id) expand(id);
  check_ways();
}

void RelationGraph::index_legs() {
  for (const RelationTraffic& one : traffic_) {
    auto& from = legs_from_.emplace_back(topology_.hosts());
    for (std::uint32_t i = 0; i < one.legs.size(); ++i) {
      from[one.legs[i].from.value].push_back(i);
      const bool apart = topology_.router_of(one.legs[i].from) != topology_.router_of(one.legs[i].to);
      if (shared_consumption_ && one.legs[i].goes_on && (apart || one.legs[i].arrives)) stops_share_ = true;
    }
  }
}

std::uint64_t RelationGraph::legs() const {
  std::uint64_t count = 0;
  for (const RelationTraffic& one : traffic_) count += one.legs.size();
  return count;
}

std::uint32_t RelationGraph::place(Vertex vertex) {
  const Key key{std::uint64_t{vertex.destination.value} << 32 | std::uint64_t{vertex.leg_kind} << 18 |
                    std::uint64_t{vertex.traffic} << 2 | static_cast<std::uint64_t>(vertex.kind),
                std::uint64_t{vertex.at.value} << 32 | vertex.state.bits};
  const auto [found, fresh] = known_.try_emplace(key, static_cast<std::uint32_t>(vertices_.size()));
  if (fresh) {
    if (vertices_.size() >= most_places)
      throw InputError("routing", "headers can be at more than " + std::to_string(most_places) +
                                      " places on this network: it is too large to be judged");
    vertices_.push_back(std::move(vertex));
  } else if (vertex.entry && !vertices_[found->second].entry) {
    vertices_[found->second].entry = true;
    vertices_[found->second].origin = vertex.origin;
  }
  return found->second;
}

std::uint32_t RelationGraph::on_the_way(Vertex vertex) {
  if (vertex.at == topology_.router_of(vertex.destination)) return arrived(std::move(vertex));
  vertex.kind = Kind::waits;
  return place(std::move(vertex));
}

std::uint32_t RelationGraph::arrived(Vertex vertex) {
  vertex.kind = shared_consumption_ ? Kind::consumed : Kind::passes;
  vertex.entry = false;
  return place(std::move(vertex));
}

void RelationGraph::add_entries() {
  for (std::size_t t = 0; t < traffic_.size(); ++t) {
    const RelationTraffic& one = traffic_[t];
    for (std::uint32_t i = 0; i < one.legs.size(); ++i) {
      const Leg& leg = one.legs[i];
      if (one.each_from_its_first_leg && leg.goes_on) continue;
      Vertex vertex;
      vertex.traffic = static_cast<std::uint16_t>(t);
      vertex.leg_kind = leg.arrives ? *leg.arrives + 1 : 0;
      vertex.at = topology_.router_of(leg.from);
      vertex.destination = leg.to;
      vertex.origin = leg.from;
      const NodeId target = topology_.router_of(leg.to);
      if (vertex.at == target && !leg.arrives) continue;  // it takes no channel of the network
      vertex.state = one.routing->first(vertex.at, target, leg.vc_class);
      vertex.entry = true;
      if (leg.first_port) {
        vertex.forced = i;
        vertices_.push_back(vertex);
      } else {
        on_the_way(vertex);
      }
    }
  }
}

std::vector<RoutingCandidate> RelationGraph::choices(const Vertex& vertex) const {
  const RelationTraffic& one = traffic_[vertex.traffic];
  const RoutingFunction& routing = *one.routing;
  const NodeId target = topology_.router_of(vertex.destination);
  const std::optional<PortId> port = vertex.forced ? one.legs[*vertex.forced].first_port : std::nullopt;
  std::vector<RoutingCandidate> all;
  if (one.routers_choose) {
    port ? routing.forced_candidates(vertex.at, *port, vertex.state, target, all)
         : routing.candidates(vertex.at, vertex.state, target, all);
    return all;
  }
  const RoutingStep step = port ? routing.forced(vertex.at, *port, vertex.state, target)
                                : routing.next(vertex.at, vertex.state, target);
  return {{step.channel, step.vc, step.vc + 1, step.to, step.state}};
}

void RelationGraph::expand(std::uint32_t id) {
  const Vertex vertex = vertices_[id];
  const std::size_t first = arcs_.size();
  switch (vertex.kind) {
    case Kind::waits: {
      const std::vector<RoutingCandidate> all = choices(vertex);
      if (all.empty()) throw InputError("routing", say(vertices_[id]) + " there is no way on: a dead end");
      for (const RoutingCandidate& hop : all) {
        check_candidate(vertex, hop);
        take(vertex, hop);
      }
      break;
    }
    case Kind::consumed: {
      Vertex next = vertex;
      next.kind = Kind::passes;
      arcs_.push_back({resources_.consumption(vertex.destination, std::nullopt, 0), place(std::move(next))});
      break;
    }
    case Kind::passes:
      expand_passing(vertex);
      break;
    case Kind::anywhere:
      for (std::uint32_t v = 0; v < vertices_.size(); ++v)
        if (vertices_[v].entry && vertices_[v].traffic == replies_->reply)
          arcs_.push_back({nothing_taken, v});
      break;
  }
  vertices_[id].first_arc = first;
  vertices_[id].arcs = static_cast<std::uint32_t>(arcs_.size() - first);
}

void RelationGraph::take(const Vertex& vertex, const RoutingCandidate& hop) {
  const RelationTraffic& one = traffic_[vertex.traffic];
  Vertex next = vertex;
  next.forced.reset();
  next.entry = false;
  next.at = hop.to;
  next.state = hop.state;
  const std::uint32_t to = on_the_way(next);
  // A request of several stops may still wait at one for the reply while its header goes on.
  if (requests_stop_ && vertex.traffic == replies_->request) {
    Vertex anywhere;
    anywhere.kind = Kind::anywhere;
    anywhere.traffic = vertex.traffic;
    const std::uint32_t hub = place(anywhere);  // what it then waits for behind, beside the place itself
    for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc)
      arcs_.push_back({resources_.network(hop.channel, vc + one.vc_offset), hub});
  }
  for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc)
    arcs_.push_back({resources_.network(hop.channel, vc + one.vc_offset), to});
}

void RelationGraph::expand_passing(const Vertex& vertex) {
  const auto& from = legs_from_[vertex.traffic][vertex.destination.value];
  if (vertex.leg_kind != 0)
    for (const std::uint32_t i : from) {
      const Leg& leg = traffic_[vertex.traffic].legs[i];
      if (!leg.goes_on || *leg.goes_on + 1 != vertex.leg_kind || leg.first_port) continue;
      Vertex next = vertex;
      next.leg_kind = leg.arrives ? *leg.arrives + 1 : 0;
      next.destination = leg.to;
      const std::uint32_t to = on_the_way(std::move(next));
      arcs_.push_back({nothing_taken, to});
    }
  if (!replies_ || vertex.traffic != replies_->request) return;
  const RelationTraffic& reply = traffic_[replies_->reply];
  for (const std::uint32_t i : legs_from_[replies_->reply][vertex.destination.value]) {
    const Leg& leg = reply.legs[i];
    Vertex next;
    next.traffic = static_cast<std::uint16_t>(replies_->reply);
    next.leg_kind = leg.arrives ? *leg.arrives + 1 : 0;
    next.at = vertex.at;
    next.destination = leg.to;
    next.origin = vertex.origin;
    const NodeId target = topology_.router_of(leg.to);
    if (next.at == target) continue;
    next.state = reply.routing->first(next.at, target, leg.vc_class);
    const std::uint32_t to = on_the_way(std::move(next));
    arcs_.push_back({nothing_taken, to});
  }
}

std::string RelationGraph::say(const Vertex& vertex) const {
  std::string text = "at router " + std::to_string(vertex.at.value);
  for (std::uint32_t v = 0; v < vertices_.size(); ++v)  // errors alone
    for (std::size_t i = 0; i < vertices_[v].arcs; ++i) {
      const RelationArc& arc = arcs_[vertices_[v].first_arc + i];
      if (arc.lane == nothing_taken || &vertices_[arc.to] != &vertex) continue;
      const Resource lane = resources_.describe(arc.lane);
      text += ", reached by channel " + std::to_string(lane.channel.value);
      if (lane.vc != 0) text += " (virtual channel " + std::to_string(lane.vc) + ")";
      v = static_cast<std::uint32_t>(vertices_.size()) - 1;
      break;
    }
  return text + ", on the way to node " + std::to_string(vertex.destination.value);
}

void RelationGraph::check_candidate(const Vertex& vertex, const RoutingCandidate& hop) const {
  const auto ends = topology_.ends(hop.channel);
  const RoutingFunction& routing = *traffic_[vertex.traffic].routing;
  const std::string at = "at router " + std::to_string(vertex.at.value) + ", on the way to node " +
                         std::to_string(vertex.destination.value) + ", ";
  if (!ends || ends->from != vertex.at || ends->to != hop.to)
    throw InputError("routing", at + "channel " + std::to_string(hop.channel.value) + " leads nowhere: it " +
                                    (ends ? "joins routers " + std::to_string(ends->from.value) + " and " +
                                                std::to_string(ends->to.value)
                                          : "does not exist"));
  const std::uint32_t vcs = std::max(routing.channel_vcs(), routing.virtual_channels());
  if (hop.vc_begin >= hop.vc_end || hop.vc_end > vcs)
    throw InputError("routing", at + "channel " + std::to_string(hop.channel.value) +
                                    " is offered on virtual channels " + std::to_string(hop.vc_begin) +
                                    " to " + std::to_string(std::int64_t{hop.vc_end} - 1) + " of " +
                                    std::to_string(vcs));
}

/// From every place the destination can be reached; and whether a worm can come back to one.
void RelationGraph::check_ways() {
  std::vector<std::vector<std::uint32_t>> before(vertices_.size());
  std::vector<std::uint32_t> ahead(vertices_.size(), 0);
  std::vector<std::uint32_t> open;
  for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
    if (vertices_[v].kind != Kind::waits) {
      open.push_back(v);
      continue;
    }
    for (const RelationArc& arc : arcs(v)) {
      if (vertices_[arc.to].kind == Kind::anywhere) continue;
      before[arc.to].push_back(v);
      ++ahead[v];
    }
  }
  std::vector<bool> arrives(vertices_.size(), false);
  std::vector<std::uint32_t> ends = open;
  for (const std::uint32_t v : open) arrives[v] = true;
  while (!open.empty()) {
    const std::uint32_t v = open.back();
    open.pop_back();
    for (const std::uint32_t b : before[v]) {
      if (arrives[b]) continue;
      arrives[b] = true;
      open.push_back(b);
    }
  }
  for (std::uint32_t v = 0; v < vertices_.size(); ++v)
    if (!arrives[v])
      throw InputError("routing",
                       say(vertices_[v]) + " no choice ever leads there: a worm stays away for ever");
  while (!ends.empty()) {
    const std::uint32_t v = ends.back();
    ends.pop_back();
    for (const std::uint32_t b : before[v])
      if (--ahead[b] == 0) ends.push_back(b);
  }
  for (std::uint32_t v = 0; v < vertices_.size() && !endless_; ++v)
    if (vertices_[v].kind == Kind::waits && ahead[v] != 0) endless_ = say(vertices_[v]);
}

DependencyGraph RelationGraph::dependencies() const {
  DependencyGraph graph;
  // What can be asked for from a place on, before anything more is taken: (lane, asking place).
  using Asked = std::vector<std::pair<ResourceId, std::uint32_t>>;
  std::vector<std::optional<Asked>> asked(vertices_.size());
  const auto asked_from = [&](std::uint32_t start) -> const Asked& {
    if (asked[start]) return *asked[start];
    Asked found;
    std::set<ResourceId> lanes;
    std::set<std::uint32_t> seen{start};
    std::vector<std::uint32_t> open{start};
    while (!open.empty()) {
      const std::uint32_t v = open.back();
      open.pop_back();
      for (const RelationArc& arc : arcs(v))
        if (arc.lane != nothing_taken) {
          if (lanes.insert(arc.lane).second) found.emplace_back(arc.lane, v);
        } else if (seen.insert(arc.to).second) {
          open.push_back(arc.to);
        }
    }
    asked[start] = std::move(found);
    return *asked[start];
  };
  for (std::uint32_t u = 0; u < vertices_.size(); ++u) {
    const Vertex& from = vertices_[u];
    for (const RelationArc& arc : arcs(u)) {
      if (arc.lane == nothing_taken) continue;
      graph.add_resource(arc.lane);
      for (const auto& [lane, w] : asked_from(arc.to)) {
        LegCause cause{from.origin, from.destination};
        if (vertices_[w].destination != from.destination) cause.next_destination = vertices_[w].destination;
        graph.add(arc.lane, lane, cause);
        // A header runs ahead of what is consumed: it may hold the next lanes first.
        if (from.kind == Kind::consumed && lane != arc.lane) graph.add(lane, arc.lane, cause);
      }
    }
  }
  return graph;
}

}  // namespace wormcast
