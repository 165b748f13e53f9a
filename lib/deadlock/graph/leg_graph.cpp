// The dependency graph of all multicasts a planner can plan, from its legs.
//
// The way from a node to a destination depends on the header's state alone, and there are few states (up*/
// down*: whether the worm has gone down; tori: ring, direction and dateline). So a walk stops where an
// earlier one to the same destination has passed in the same state: N legs to a destination cost N steps
// together, times the states. At a stop, every last channel of legs that arrive meets every first channel
// of legs that go on; few of either exist at a node, however many legs there are.
// The graph holds every dependency any plan can have, so a numbering of it proves the planner safe. It
// may hold more (two legs that no multicast has together), so its cycles prove nothing by themselves.
// One kind is left out: from deep inside a branch to the output beside the branch, or to what follows that
// output. Such a dependency exists only where two outputs of one router wait for each other, and then the
// graph has the cycle of these two.
// Cost: O(N²) steps for N hosts, times the states a header can have at a node.
// cite: Dally, Seitz 1987; legs: derived here.
// SPDX-License-Identifier: MIT
#include "deadlock/graph/dependency_graph.hpp"

#include <limits>
#include <optional>

#include "topology/connectivity.hpp"
#include "topology/spread.hpp"

namespace wormcast {

LegGraph::LegGraph(const RoutingFunction& routing, const RouterModel& model, std::uint64_t flits,
                   DependencyGraph& graph, std::uint32_t vc_offset, Detail detail)
    : routing_(routing),
      topology_(routing.topology()),
      model_(model),
      flits_(flits),
      vc_offset_(vc_offset),
      detail_(detail),
      rules_(topology_, model, flits),
      resources_(topology_, model),
      graph_(graph),
      expander_(routing),
      to_(std::numeric_limits<std::uint32_t>::max()) {
  for (std::vector<Passed>& nodes : walked_) nodes.resize(topology_.routers());
  arrivals_.resize(std::size_t{topology_.hosts()} * kinds);
  departures_.resize(arrivals_.size());
}

bool LegGraph::known_from(NodeId node, RoutingState state, std::size_t kind) {
  Passed& passed = walked_[kind][node.value];
  if (passed.epoch != epoch_) passed.states.clear();
  passed.epoch = epoch_;
  if (std::find(passed.states.begin(), passed.states.end(), state.bits) != passed.states.end()) return true;
  passed.states.push_back(state.bits);
  return false;
}

/// Under path reservation a worm waits holding nothing.
void LegGraph::depend(ResourceId held, ResourceId wanted, const LegCause& cause) {
  if (rules_.keep) {
    graph_.add(held, wanted, cause);
    return;
  }
  graph_.add_resource(held);
  graph_.add_resource(wanted);
}

ResourceId LegGraph::consumption(HostId host, Channel input) const {
  return resources_.consumption(host, input.channel, input.vc);
}

void LegGraph::leave(HostId source, ResourceId first, const LegCause& cause) {
  const ResourceId asked = topology_.hosts_have_links()    ? resources_.host_link(source)
                           : resources_.injection_blocks() ? resources_.injection(source)
                                                           : first;
  if (asked != first) depend(asked, first, cause);
  graph_.add_resource(first);
  if (rules_.answered) firsts_[source].try_emplace(asked, cause);
}

void LegGraph::arrive(HostId host, std::size_t kind, Channel last, const LegCause& cause) {
  depend(resources_.network(last.channel, last.vc), consumption(host, last), cause);
  if (kind == no_kind) return;
  note(arrivals_[host.value * kinds + kind], last);
}

void LegGraph::note(std::vector<Channel>& known, const Channel& channel) {
  for (Channel& other : known) {
    if (other.channel != channel.channel || other.vc != channel.vc) continue;
    if (channel.single) other = channel;
    return;
  }
  known.push_back(channel);
}

void LegGraph::leg(const Leg& leg) {
  ++legs_;
  if (leg.to != to_ || leg.vc_class != vc_class_) ++epoch_;
  to_ = leg.to;
  vc_class_ = leg.vc_class;
  const std::size_t kind = leg.arrives ? *leg.arrives : no_kind;
  LegCause cause{host_near(leg.from), host_near(leg.to)};
  if (leg.drawn) cause.vc_class = leg.vc_class;
  const NodeId target = topology_.router_of(leg.to);
  NodeId at = topology_.router_of(leg.from);
  RoutingState state = routing_.first(at, target, leg.vc_class);
  if (at == target) {  // two hosts of one router
    stops_beside_ = stops_beside_ || leg.arrives.has_value();
    leave(leg.from, resources_.consumption(leg.to, std::nullopt, 0), cause);
    return;
  }
  std::optional<Channel> before;
  const auto arrived = [&] { return at == target && routing_.arrived(state); };
  for (bool walked = false; !arrived() && !walked;) {
    const bool forced = !before && leg.first_port;
    walked = !forced && known_from(at, state, kind);
    const RoutingStep step =
        forced ? routing_.forced(at, *leg.first_port, state, target) : routing_.next(at, state, target);
    const std::uint32_t vc = step.vc + vc_offset_;
    const ResourceId resource = resources_.network(step.channel, vc);
    const bool single = !before && step.to == target;
    const Channel taken{step.channel, vc, leg.from, single};
    if (before) {
      depend(resources_.network(before->channel, before->vc), resource, cause);
    } else {
      leave(leg.from, resource, cause);
      if (leg.goes_on)
        note(departures_[leg.from.value * kinds + *leg.goes_on], Channel{step.channel, vc, leg.to, single});
    }
    before = taken;
    at = step.to;
    state = step.state;
    if (arrived()) arrive(leg.to, kind, *before, cause);
  }
}

/// Multicasts of one or two destinations that have the dependency: one behind what is waited for, and, where
/// that does not lie behind what is held, too, one behind that.
void LegGraph::part_of(const Worm& worm) {
  ++legs_;
  const Routes routes = expander_.expand(plan_of_one(worm));
  const WormRoute& route = routes.worms.front();
  if (noting_beside_) {
    beside_own_input_.add(Footprint(topology_, resources_, model_, route, flits_),
                          [](const Step&, const Step&) { return LegCause{}; });
    return;
  }
  const Footprint footprint(topology_, resources_, answering(model_, false), route, flits_);
  std::vector<HostId> behind(route.hops.size());  // a host that is reached by the hop; parents come first
  for (std::size_t i = route.hops.size(); i-- > 0;) {
    const RouteHop& hop = route.hops[i];
    if (!hop.is_channel()) behind[i] = HostId{hop.target};
    if (hop.parent >= 0) behind[static_cast<std::size_t>(hop.parent)] = behind[i];
  }
  const auto host_behind = [&](const Step& step) {
    return step.hop < 0 ? std::nullopt : std::optional(behind[static_cast<std::size_t>(step.hop)]);
  };
  const auto cause_of = [&](const Step& held, const Step& wanted) {
    const HostId source = host_near(worm.source);
    const HostId to = host_near(host_behind(wanted).value_or(HostId{worm.stops.back().node}));
    const HostId first = host_near(host_behind(held).value_or(to));
    return first == to ? LegCause{source, to} : LegCause{source, first, to};
  };
  graph_.add(footprint, cause_of);
  if (rules_.answered) {
    for (const RouteHop& hop : route.hops)
      if (hop.parent < 0 && hop.is_channel())
        leave(worm.source, resources_.network(ChannelId{hop.target}, hop.vc),
              LegCause{host_near(worm.source), host_near(worm.source)});
  }
  if (!footprint.is_path()) return;
  const auto steps = footprint.steps();
  for (std::size_t i = 1; i + 1 < steps.size(); ++i)  // the same without a delivery on the way
    if (!steps[i].buffered && steps[i].hop >= 0)
      depend(steps[i - 1].resource, steps[i + 1].resource, cause_of(steps[i - 1], steps[i + 1]));
}

ResourceId LegGraph::resource(const Output& output) const {
  if (output.at_source) return resources_.consumption(*output.host, std::nullopt, 0);
  const std::uint32_t vc = output.vc + vc_offset_;
  return output.host ? resources_.consumption(*output.host, output.channel, vc)
                     : resources_.network(output.channel, vc);
}

bool LegGraph::own_input(ResourceId id) const { return resources_.describe(id).by_input; }

/// A worm holds the one while it waits for the other, an output beside it.
void LegGraph::depend_beside(ResourceId held, ResourceId wanted, const LegCause& cause) {
  if (resources_.kind(wanted) == Resource::Kind::consumption && !rules_.consumption) return;
  if (!own_input(wanted) || rules_.own_inputs)
    depend(held, wanted, cause);
  else if (rules_.answered)
    beside_own_input_.add(held, wanted, LegCause{});
}

/// The router that is asked for `output`.
NodeId LegGraph::router_before(const Output& output) const {
  return output.host ? topology_.router_of(*output.host) : topology_.ends(output.channel)->from;
}

/// Breadth first from all routers with hosts, the lowest host of each: for causes alone.
HostId LegGraph::nearest_host(NodeId router) {
  if (nearest_.empty()) {
    const HostId none{std::numeric_limits<std::uint32_t>::max()};
    nearest_.assign(topology_.routers(), none);
    std::vector<NodeId> own;
    for (const HostId host : topology_.host_ids()) {
      const NodeId at = topology_.router_of(host);
      if (nearest_[at.value] == none) nearest_[at.value] = host;
      own.push_back(at);
    }
    spread(topology_, own, [&](NodeId at, NodeId before) {
      nearest_[at.value] = nearest_[before.value];
      return false;
    });
  }
  return nearest_[router.value];
}

/// The host, or the one nearest to a node without a host.
HostId LegGraph::host_near(HostId node) {
  return topology_.has_host(node) ? node : nearest_host(topology_.router_of(node));
}

/// Hosts around two resources that no leg joins by itself.
LegCause LegGraph::between(ResourceId held, ResourceId wanted) {
  const auto near = [&](ResourceId id, bool ahead) {
    const Resource resource = resources_.describe(id);
    if (resource.kind != Resource::Kind::network) return host_near(resource.host);
    const auto ends = topology_.ends(resource.channel);
    return nearest_host(ahead ? ends->to : ends->from);
  };
  return {near(held, false), near(wanted, true)};
}

/// A host that a worm may reach by it.
HostId LegGraph::beyond(const Output& output) {
  return output.host ? *output.host : nearest_host(topology_.ends(output.channel)->to);
}

void LegGraph::start(HostId source, const Output& first) {
  ++legs_;
  leave(source, resource(first), LegCause{source, beyond(first)});
}

void LegGraph::turn(const Output& before, const Output& next) {
  ++legs_;
  const ResourceId held = resource(before);
  const ResourceId wanted = resource(next);
  const HostId from = nearest_host(router_before(before));
  depend(held, wanted, LegCause{from, beyond(next)});
  if (before.host && rules_.routers_copy && rules_.branches)  // consumption is a branch beside it
    depend_beside(wanted, held, LegCause{from, *before.host});
  if (rules_.jointly) turns_[held].push_back(wanted);
}

void LegGraph::split(const Output& one, const Output& other, Copies replication) {
  const ResourceId a = resource(one);
  const ResourceId b = resource(other);
  const Output& delivery = one.host ? one : other;
  const HostId source = nearest_host(
      delivery.host && !delivery.at_source ? topology_.ends(delivery.channel)->from : router_before(one));
  const auto wait = [&](ResourceId held, ResourceId wanted, const Output& wanted_output) {
    LegCause cause{source, beyond(&wanted_output == &one ? other : one)};
    if (const HostId to = beyond(wanted_output); to != cause.destination) cause.next_destination = to;
    depend_beside(held, wanted, cause);
  };
  if (!rules_.branches) return;
  if (in_lock_step(replication) && !rules_.routers_copy) {
    if (rules_.jointly) {
      if (rules_.behind) {  // granted both, it may stand behind another worm in the FIFO of one
        if (!other.host) wait(a, b, other);
        if (!one.host) wait(b, a, one);
      }
      if (!own_input(a) && !own_input(b)) graph_.add_joint(a, b);
      atomic_splits_.emplace_back(a, b);
      return;
    }
  } else if (!rules_.routers_copy &&
             flits_ <= topology_.least(LinkValue::buffer_flits, model_.buffer_flits)) {
    if (is_stated(replication)) return;
    // A path takes the consumption channel first, and all copies move together.
    if (one.host && !other.host) wait(a, b, other);
    if (other.host && !one.host) wait(b, a, one);
    return;
  }
  wait(a, b, other);
  wait(b, a, one);
}

void LegGraph::finish() {
  for (std::uint32_t host = 0; host < topology_.hosts(); ++host)
    for (std::size_t kind = 0; kind < kinds; ++kind) pass_stops(HostId{host}, kind);
  share_routers();
  join_atomic_branches();
}

/// A worm that waits for a consumption channel that only its input asks for waits for an answer, and so for
/// what that waits for, with whatever it holds in the branches beside: all that follows there. Its dependency
/// on the channel itself would be one on itself.
void LegGraph::answer_by(const LegGraph& answers, DependencyGraph& waiting) const {
  std::map<HostId, std::set<ResourceId>> held;  // by host, while an answer of it is waited for
  const auto host_of = [&](ResourceId came) {
    const Resource port = resources_.describe(came);
    return port.by_input ? HostId{topology_.ends(port.channel)->to.value} : port.host;
  };
  for (std::uint32_t r = 0; r < graph_.taken().size(); ++r)
    if (graph_.taken()[r] && resources_.kind(ResourceId{r}) == Resource::Kind::consumption)
      held[host_of(ResourceId{r})].insert(ResourceId{r});
  std::map<ResourceId, std::vector<ResourceId>> next;
  for (const DependencyGraph::Edge& edge : graph_.edges()) next[edge.from].push_back(edge.to);
  std::map<HostId, std::vector<ResourceId>> open;
  for (const DependencyGraph::Edge& edge : beside_own_input_.edges())
    if (const Resource port = resources_.describe(edge.to);
        port.by_input && edge.from != resources_.network(port.channel, port.vc))
      open[host_of(edge.to)].push_back(edge.from);
  for (auto& [host, resources] : open)
    while (!resources.empty()) {
      const ResourceId at = resources.back();
      resources.pop_back();
      if (held[host].insert(at).second) resources.insert(resources.end(), next[at].begin(), next[at].end());
    }
  for (const auto& [host, resources] : held)
    if (const auto firsts = answers.firsts_.find(host); firsts != answers.firsts_.end())
      for (const ResourceId resource : resources)
        for (const auto& [first, cause] : firsts->second) waiting.add(resource, first, cause);
}

void LegGraph::pass_stops(HostId host, std::size_t kind) {
  for (const Channel& last : arrivals_[host.value * kinds + kind])
    for (const Channel& next : departures_[host.value * kinds + kind]) {
      const LegCause cause{host_near(last.far_end), host_near(host), host_near(next.far_end)};
      const ResourceId wanted = resources_.network(next.channel, next.vc);
      if (rules_.routers_copy || !rules_.branches)
        depend(resources_.network(last.channel, last.vc), wanted, cause);
      if (rules_.branches) depend(consumption(host, last), wanted, cause);
      if (rules_.branches && rules_.routers_copy) depend_beside(wanted, consumption(host, last), cause);
    }
}

/// A worm that stops at two hosts of one router is an asynchronous tree: everywhere on its way, what it
/// delivers to and where it goes on wait for each other unless a buffer holds the whole worm.
void LegGraph::share_routers() {
  const auto passes = [](const std::vector<Channel>& channels) { return !channels.empty(); };
  if (!stops_beside_ && std::none_of(departures_.begin(), departures_.end(), passes)) return;
  const HostsByRouter hosts(topology_);
  if (!hosts.shared()) return;
  for (std::uint32_t h = 0; h < topology_.hosts(); ++h) {
    const HostId host{h};
    for (const HostId other : hosts.at(topology_.router_of(host)))
      if (host < other) split(Output::beside_source(host), Output::beside_source(other));
    for (std::size_t kind = 0; kind < kinds; ++kind)
      for (const Channel& next : departures_[host.value * kinds + kind])
        split(Output::beside_source(host), Output::through(next.channel, next.vc - vc_offset_));
  }
}

/// Outputs that are granted together do not wait for each other; what lies behind the one, near or far, can
/// be held while the outputs behind the other are waited for.
void LegGraph::join_atomic_branches() {
  for (const auto& [a, b] : atomic_splits_)
    for (const auto& [branch, beside] : {std::pair(a, b), std::pair(b, a)}) {
      const auto wanted = turns_.find(beside);
      if (wanted == turns_.end()) continue;
      const auto held = all_reached<ResourceId>({branch}, [&](ResourceId at, const auto& visit) {
        if (const auto behind = turns_.find(at); behind != turns_.end())
          std::for_each(behind->second.begin(), behind->second.end(), visit);
      });
      for (const ResourceId next : wanted->second)
        for (const ResourceId resource : held)
          if (!own_input(next) && resource != next) depend(resource, next, between(resource, next));
    }
}

}  // namespace wormcast
