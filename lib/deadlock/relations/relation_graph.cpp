// Places of headers under routing relations.
//
// What a router offers depends on where the header is, its routing state and its destination alone; so these
// are a place. Worms of several stops are chains of legs (multicast/legs.hpp): at a stop whatever leg can
// follow comes next, with the state in which the worm arrived. Places are found breadth first from the places
// where worms begin. What is given is checked on the way: a candidate must leave the router where the header
// is, by virtual channels that exist, and lead to where its channel leads.
// A worm's consumption channel counts as a VC only where several inputs share it; one for each input is
// asked for by worms of that input alone, one after the other, and is free in finite time.
// Cost: places times candidates; N² places for N nodes, times the states a header can have.
// cite: Duato 1993.
// SPDX-License-Identifier: MIT
#include "deadlock/relations/relation_check.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_places = 10'000'000;  // a minute

void refuse_many(std::uint64_t count, const char* what) {
  if (count > most_places)
    refuse("routing", "more than {} {} on this network: it is too large to be judged", most_places, what);
}

}  // namespace

RelationGraph::RelationGraph(const Topology& topology, const RouterModel& model,
                             std::vector<RelationTraffic> traffic, std::optional<ProtocolRule> replies)
    : topology_(topology),
      resources_(topology, model),
      shared_consumption_(model.consumption_channels != 0 || topology.hosts_have_links()),
      traffic_(std::move(traffic)),
      replies_(replies) {
  refuse_many(legs(), "legs of worms");
  std::uint32_t vcs = 1;
  for (const RelationTraffic& one : traffic_) {
    const std::uint32_t own = std::max(one.routing->channel_vcs(), one.routing->virtual_channels());
    vcs = std::max(vcs, one.vc_offset + own);
    auto& from = legs_from_.emplace_back(topology_.hosts());
    for (std::uint32_t i = 0; i < one.legs.size(); ++i) {
      const Leg& leg = one.legs[i];
      from[leg.from.value].push_back(i);
      if (shared_consumption_ && (leg.goes_on || leg.arrives == within_router)) stops_share_ = true;
    }
  }
  vc_bound_ = resources_.bound(vcs);
  if (replies_)
    for (const Leg& leg : traffic_[replies_->request].legs) requests_stop_ = requests_stop_ || leg.goes_on;
  add_entries();
  for (std::uint32_t id = 0; id < vertices_.size(); ++id) expand(id);
  check_ways();
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
    refuse_many(vertices_.size() + 1, "places of headers");
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

bool RelationGraph::leaves_router(const Leg& leg) const {
  return topology_.router_of(leg.from) != topology_.router_of(leg.to);
}

/// Of a worm that begins with the leg.
RelationGraph::Vertex RelationGraph::start_of(std::size_t traffic, const Leg& leg) const {
  Vertex vertex;
  vertex.traffic = static_cast<std::uint16_t>(traffic);
  vertex.leg_kind = leg.arrives ? *leg.arrives + 1 : 0;
  vertex.at = topology_.router_of(leg.from);
  vertex.destination = leg.to;
  vertex.state = traffic_[traffic].routing->first(vertex.at, topology_.router_of(leg.to), leg.vc_class);
  return vertex;
}

void RelationGraph::add_entries() {
  for (std::size_t t = 0; t < traffic_.size(); ++t) {
    const RelationTraffic& one = traffic_[t];
    for (std::uint32_t i = 0; i < one.legs.size(); ++i) {
      const Leg& leg = one.legs[i];
      if (one.each_from_its_first_leg && leg.goes_on) continue;
      if (!leaves_router(leg) && !leg.arrives) continue;  // it takes no channel of the network
      Vertex vertex = start_of(t, leg);
      vertex.origin = leg.from;
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
      if (all.empty()) refuse("routing", "{} there is no way on: a dead end", say(vertices_[id]));
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
  Vertex next = vertex;
  next.forced.reset();
  next.entry = false;
  next.at = hop.to;
  next.state = hop.state;
  const auto take_to = [&](std::uint32_t to) {
    for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc)
      arcs_.push_back({resources_.network(hop.channel, vc + traffic_[vertex.traffic].vc_offset), to});
  };
  const std::uint32_t to = on_the_way(next);
  // A request of several stops may still wait at one for the reply while its header goes on.
  if (requests_stop_ && vertex.traffic == replies_->request) {
    Vertex anywhere;
    anywhere.kind = Kind::anywhere;
    anywhere.traffic = vertex.traffic;
    take_to(place(anywhere));  // what it then waits for behind, beside the place itself
  }
  take_to(to);
}

void RelationGraph::expand_passing(const Vertex& vertex) {
  const auto& from = legs_from_[vertex.traffic][vertex.destination.value];
  if (vertex.leg_kind != 0)
    for (const std::uint32_t i : from) {
      const Leg& leg = traffic_[vertex.traffic].legs[i];
      if (!leg.goes_on || *leg.goes_on + 1 != vertex.leg_kind) continue;
      Vertex next = vertex;
      next.leg_kind = leg.arrives ? *leg.arrives + 1 : 0;
      next.destination = leg.to;
      const std::uint32_t to = on_the_way(std::move(next));
      arcs_.push_back({nothing_taken, to});
    }
  if (!replies_ || vertex.traffic != replies_->request) return;
  for (const std::uint32_t i : legs_from_[replies_->reply][vertex.destination.value]) {
    const Leg& leg = traffic_[replies_->reply].legs[i];
    if (!leaves_router(leg)) continue;
    Vertex next = start_of(replies_->reply, leg);
    next.origin = vertex.origin;
    const std::uint32_t to = on_the_way(std::move(next));
    arcs_.push_back({nothing_taken, to});
  }
}

std::string RelationGraph::say(const Vertex& vertex) const {
  std::string text = fmt::format("at router {}", vertex.at.value);
  for (std::uint32_t v = 0; v < vertices_.size(); ++v)  // errors alone
    for (std::size_t i = 0; i < vertices_[v].arcs; ++i) {
      const RelationArc& arc = arcs_[vertices_[v].first_arc + i];
      if (arc.vc == nothing_taken || &vertices_[arc.to] != &vertex) continue;
      const Resource taken = resources_.describe(arc.vc);
      text += fmt::format(", reached by channel {}", taken.channel.value);
      if (taken.vc != 0) text += fmt::format(" (virtual channel {})", taken.vc);
      v = static_cast<std::uint32_t>(vertices_.size()) - 1;
      break;
    }
  return text + fmt::format(", on the way to node {}", vertex.destination.value);
}

void RelationGraph::check_candidate(const Vertex& vertex, const RoutingCandidate& hop) const {
  const auto ends = topology_.ends(hop.channel);
  const RoutingFunction& routing = *traffic_[vertex.traffic].routing;
  const std::string at = fmt::format("at router {}, on the way to node {}, channel {}", vertex.at.value,
                                     vertex.destination.value, hop.channel.value);
  if (!ends) refuse("routing", "{} leads nowhere: it does not exist", at);
  if (ends->from != vertex.at || ends->to != hop.to)
    refuse("routing", "{} leads nowhere: it joins routers {} and {}", at, ends->from.value, ends->to.value);
  const std::uint32_t vcs = std::max(routing.channel_vcs(), routing.virtual_channels());
  if (hop.vc_begin >= hop.vc_end || hop.vc_end > vcs)
    refuse("routing", "{} is offered on virtual channels {} to {} of {}", at, hop.vc_begin,
           std::int64_t{hop.vc_end} - 1, vcs);
}

/// From every place the destination can be reached; and whether a worm can come back to one.
void RelationGraph::check_ways() {
  std::vector<std::vector<std::uint32_t>> before(vertices_.size());
  std::vector<std::uint32_t> ahead(vertices_.size(), 0);
  std::vector<std::uint32_t> ends;
  for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
    if (vertices_[v].kind != Kind::waits) {
      ends.push_back(v);
      continue;
    }
    for (const RelationArc& arc : arcs(v)) {
      if (vertices_[arc.to].kind == Kind::anywhere) continue;
      before[arc.to].push_back(v);
      ++ahead[v];
    }
  }
  const auto arrives = marks_reached(vertices_.size(), ends, [&](std::uint32_t v, const auto& visit) {
    for (const std::uint32_t b : before[v]) visit(b);
  });
  for (std::uint32_t v = 0; v < vertices_.size(); ++v)
    if (!arrives[v])
      refuse("routing", "{} no choice ever leads there: a worm stays away for ever", say(vertices_[v]));
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
  // What can be asked for from a place on, before anything more is taken: (VC, asking place).
  using Asked = std::vector<std::pair<ResourceId, std::uint32_t>>;
  std::vector<std::optional<Asked>> asked(vertices_.size());
  const auto asked_from = [&](std::uint32_t start) -> const Asked& {
    if (asked[start]) return *asked[start];
    Asked found;
    std::set<ResourceId> vcs;
    all_reached<std::uint32_t>({start}, [&](std::uint32_t v, const auto& visit) {
      for (const RelationArc& arc : arcs(v))
        if (arc.vc == nothing_taken)
          visit(arc.to);
        else if (vcs.insert(arc.vc).second)
          found.emplace_back(arc.vc, v);
    });
    asked[start] = std::move(found);
    return *asked[start];
  };
  std::vector<bool> ran_ahead(vc_bound_);  // while its VC is held
  for (std::uint32_t u = 0; u < vertices_.size(); ++u) {
    const Vertex& from = vertices_[u];
    for (const RelationArc& arc : arcs(u)) {
      if (arc.vc == nothing_taken) continue;
      graph.add_resource(arc.vc);
      if (vertices_[arc.to].kind == Kind::anywhere) {  // each is the same place to them
        if (ran_ahead[arc.vc.value]) continue;
        ran_ahead[arc.vc.value] = true;
      }
      for (const auto& [vc, w] : asked_from(arc.to)) {
        LegCause cause{from.origin, from.destination};
        if (vertices_[w].destination != from.destination) cause.next_destination = vertices_[w].destination;
        graph.add(arc.vc, vc, cause);
        // A header runs ahead of what is consumed: it may hold the next VCs first.
        if (from.kind == Kind::consumed && vc != arc.vc) graph.add(vc, arc.vc, cause);
      }
    }
  }
  return graph;
}

}  // namespace wormcast
