// What changes make of routes: virtual channels by dateline and by class, messages in parts, cut worms.
//
// Dateline: in any order of the resources, let a worm's virtual channel count the dependencies on its way
// that do not go forward. Pairs (virtual channel, place in the order) then only grow along a path, so its
// dependencies have no cycle. An order with few such dependencies is made greedily: what nothing left leads
// to comes first, else what has the largest surplus of dependencies that leave it.
// Class: worms in turn, each into the first class where its dependencies close no cycle.
// Both say nothing of resources that all virtual channels share (queues of consumption channels) or of
// branches that wait for each other: the outcome has to be checked.
// Cost: dateline O(resources²) at worst; class O(worms · classes · dependencies) at worst. cite: Dally, Seitz
// 1987 (datelines); Eades, Lin, Smyth 1993 (the order); Skeie, Lysne, Theiss 2002 (LASH: classes).
// SPDX-License-Identifier: MIT
#include <map>

#include "deadlock/checker/suggest.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "router/worm_footprint.hpp"

namespace wormcast {

namespace {

std::uint32_t used_channels(const std::vector<Routes>& routes) {
  std::uint32_t most = 0;
  for (const Routes& multicast : routes)
    for (const WormRoute& worm : multicast.worms)
      for (const RouteHop& hop : worm.hops) most = std::max(most, hop.vc);
  return most + 1;
}

/// Place of every resource in an order with few dependencies backwards.
class ForwardOrder {
 public:
  explicit ForwardOrder(const DependencyGraph& graph)
      : out_(graph.taken().size()), in_(graph.taken().size()), place_(graph.taken().size(), 0) {
    for (const DependencyGraph::Edge& edge : graph.edges()) {
      out_[edge.from.value].push_back(edge.to.value);
      in_[edge.to.value].push_back(edge.from.value);
    }
    for (std::uint32_t r = 0; r < out_.size(); ++r) {
      surplus_.push_back(static_cast<std::int64_t>(out_[r].size()) -
                         static_cast<std::int64_t>(in_[r].size()));
      before_.push_back(in_[r].size());
      if (!graph.taken()[r]) continue;
      left_.emplace(-surplus_[r], r);
      if (before_[r] == 0) ready_.push_back(r);
    }
    while (!left_.empty()) take(ready_.empty() ? left_.begin()->second : next_ready());
  }

  bool forward(ResourceId from, ResourceId to) const { return place_[from.value] < place_[to.value]; }

 private:
  std::uint32_t next_ready() {
    const std::uint32_t r = ready_.back();
    ready_.pop_back();
    return r;
  }

  void take(std::uint32_t r) {
    if (place_[r] != 0) return;
    left_.erase({-surplus_[r], r});
    place_[r] = ++taken_;
    for (const std::uint32_t to : out_[r]) {
      if (place_[to] != 0) continue;
      left_.erase({-surplus_[to], to});
      left_.emplace(-++surplus_[to], to);
      if (--before_[to] == 0) ready_.push_back(to);
    }
    for (const std::uint32_t from : in_[r]) {
      if (place_[from] != 0) continue;
      left_.erase({-surplus_[from], from});
      left_.emplace(-(--surplus_[from]), from);
    }
  }

  std::vector<std::vector<std::uint32_t>> out_, in_;
  std::vector<std::int64_t> surplus_;  ///< dependencies that leave it less those to it, of what is left
  std::vector<std::size_t> before_;    ///< dependencies that lead to it from what is left
  std::set<std::pair<std::int64_t, std::uint32_t>> left_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> place_;  ///< from 1; 0 = not yet taken
  std::uint32_t taken_ = 0;
};

/// The step whose resource the worm goes on from to take `step`, −1 for the first. Consumption channels of
/// one input count as part of it: no other worm asks for them.
std::int64_t step_before(const Footprint& footprint, std::size_t step) {
  const auto steps = footprint.steps();
  if (!footprint.is_path()) return steps[step].parent;
  auto before = static_cast<std::int64_t>(step) - 1;
  while (before >= 0 && steps[static_cast<std::size_t>(before)].at_hand) --before;
  return before;
}

void add_steps(const Footprint& footprint, DependencyGraph& graph) {
  const auto steps = footprint.steps();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].at_hand) continue;
    const std::int64_t before = step_before(footprint, s);
    if (before < 0)
      graph.add_resource(steps[s].resource);
    else
      graph.add(steps[static_cast<std::size_t>(before)].resource, steps[s].resource, {});
  }
}

// The parts of a message are multicasts of their own: the verdict on them supposes that all of them can be
// under way at once, in any order. A shorter worm keeps less while it is blocked, but there are more of them,
// so no limit follows from another; the largest is found by halving between one that is proved and one that
// is not. Cost: a check for each limit tried, log2 of the longest message.

constexpr std::uint64_t most_parts = 100'000;

// Worms are cut at their stops; what other worms wait for stays an arrival. Cost: linear in the hops.

class Splitter {
 public:
  Splitter(const Topology& topology, Routes& routes) : topology_(topology), routes_(routes) {}

  /// True if any worm was cut.
  bool run() {
    const std::vector<WormRoute> worms = std::exchange(routes_.worms, {});
    for (std::uint32_t w = 0; w < worms.size(); ++w) split(worms[w], w);
    for (std::size_t i = 0; i < routes_.worms.size(); ++i) {
      WormRoute& worm = routes_.worms[i];
      if (worm.after >= 0 && first_of_[i])  // an index of before, known by where that worm arrives
        worm.after = static_cast<std::int32_t>(
            arrivals_.at({static_cast<std::uint32_t>(worm.after), worm.source.value}));
    }
    return routes_.worms.size() != worms.size();
  }

 private:
  void split(const WormRoute& worm, std::uint32_t index) {
    const std::size_t hops = worm.hops.size();
    std::vector<std::int32_t> consumed(hops, -1);  // by channel: the consumption hop at its end
    std::vector<std::uint32_t> channels(hops, 0);  // by channel: those that follow it
    for (std::size_t h = 0; h < hops; ++h) {
      const std::int32_t parent = worm.hops[h].parent;
      if (parent < 0) continue;
      if (worm.hops[h].is_channel())
        ++channels[static_cast<std::size_t>(parent)];
      else
        consumed[static_cast<std::size_t>(parent)] = static_cast<std::int32_t>(h);
    }
    std::vector<std::uint32_t> leg_of(hops, 0);  // the new worm that takes a channel
    std::vector<std::int32_t> place(hops, -1);   // the channel's index there
    for (std::size_t h = 0; h < hops; ++h) {
      const RouteHop& hop = worm.hops[h];
      if (!hop.is_channel() && hop.parent >= 0) continue;  // comes with its channel
      const bool at_source = hop.parent < 0;
      const auto parent = static_cast<std::size_t>(hop.parent);
      const bool stop = !at_source && (consumed[parent] >= 0 || channels[parent] > 1);
      if (at_source)
        begin(worm.source, worm.after, true);
      else if (stop)
        begin(host_at(worm.hops[parent]), static_cast<std::int32_t>(leg_of[parent]), false);
      leg_of[h] = at_source || stop ? static_cast<std::uint32_t>(routes_.worms.size() - 1) : leg_of[parent];
      WormRoute& leg = routes_.worms[leg_of[h]];
      leg.header_flits = worm.header_flits;
      RouteHop moved = hop;
      moved.parent = at_source || stop ? -1 : place[parent];
      place[h] = static_cast<std::int32_t>(leg.hops.size());
      leg.hops.push_back(moved);
      if (!hop.is_channel()) {  // a self-send
        arrivals_[{index, hop.target}] = leg_of[h];
      } else if (consumed[h] >= 0 || channels[h] > 1) {
        RouteHop arrival = consumed[h] >= 0 ? worm.hops[static_cast<std::size_t>(consumed[h])] : RouteHop{};
        if (consumed[h] < 0) {
          arrival.kind = RouteHop::Kind::relay;
          arrival.target = host_at(hop).value;
        }
        arrival.parent = place[h];
        leg.hops.push_back(arrival);
        arrivals_[{index, arrival.target}] = leg_of[h];
      }
    }
  }

  void begin(HostId source, std::int32_t after, bool first) {
    WormRoute& leg = routes_.worms.emplace_back();
    leg.source = source;
    leg.after = after;
    first_of_.push_back(first);
  }

  /// On direct networks every router is a host.
  HostId host_at(const RouteHop& channel) const {
    return HostId{topology_.ends(ChannelId{channel.target})->to.value};
  }

  const Topology& topology_;
  Routes& routes_;
  std::vector<bool> first_of_;  ///< by new worm: it begins an old one, `after` is still an old index
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> arrivals_;  ///< (old worm, host)
};

}  // namespace

std::optional<LayeredRoutes> channels_by_dateline(const Topology& topology, const CheckOptions& options,
                                                  const std::vector<Routes>& routes) {
  const Resources resources(topology, options.model);
  const std::uint32_t used = used_channels(routes);
  DependencyGraph graph;
  for (const Routes& multicast : routes)
    for (const WormRoute& worm : multicast.worms)
      add_steps(footprint_of(topology, resources, options, multicast, worm), graph);
  const ForwardOrder order(graph);
  LayeredRoutes result{routes, used};
  for (Routes& multicast : result.routes) {
    for (WormRoute& worm : multicast.worms) {
      const Footprint footprint = footprint_of(topology, resources, options, multicast, worm);
      const auto steps = footprint.steps();
      std::vector<std::uint32_t> crossed(steps.size(), 0);
      std::vector<std::uint32_t> vcs(worm.hops.size(), 0);
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const std::int64_t before = step_before(footprint, s);
        if (before >= 0) {
          const auto b = static_cast<std::size_t>(before);
          const bool own = steps[s].buffered && steps[s].hop >= 0;  // only channels have more to go to
          crossed[s] = crossed[b] + (own && !order.forward(steps[b].resource, steps[s].resource) ? 1 : 0);
        }
        if (steps[s].hop < 0 || !steps[s].buffered) continue;
        vcs[static_cast<std::size_t>(steps[s].hop)] = crossed[s] * used;
        result.virtual_channels = std::max(result.virtual_channels, (crossed[s] + 1) * used);
      }
      if (result.virtual_channels > most_virtual_channels) return std::nullopt;
      for (std::size_t h = 0; h < worm.hops.size(); ++h) worm.hops[h].vc += vcs[h];
    }
  }
  return result;
}

std::optional<LayeredRoutes> channels_by_class(const Topology& topology, const CheckOptions& options,
                                               const std::vector<Routes>& routes) {
  const Resources resources(topology, options.model);
  const std::uint32_t used = used_channels(routes);
  std::vector<GrowingOrder> classes;
  LayeredRoutes result{routes, used};
  for (Routes& multicast : result.routes) {
    for (WormRoute& worm : multicast.worms) {
      DependencyGraph own;
      own.add(footprint_of(topology, resources, options, multicast, worm), WormCause{});
      if (!DependencyOrder(own).acyclic()) return std::nullopt;
      std::vector<GrowingOrder::Edge> edges;
      for (const auto& edge : own.edges()) edges.emplace_back(edge.from.value, edge.to.value);
      std::uint32_t at = 0;
      for (;; ++at) {
        if ((at + 1) * used > most_virtual_channels) return std::nullopt;
        if (at == classes.size()) classes.emplace_back(resources.bound(used));
        if (classes[at].add(edges)) break;
      }
      result.virtual_channels = std::max(result.virtual_channels, (at + 1) * used);
      for (RouteHop& hop : worm.hops)
        if (hop.is_channel()) hop.vc += at * used;
    }
  }
  return result;
}

std::optional<std::vector<Routes>> in_parts(const std::vector<Routes>& routes, std::uint64_t most) {
  std::vector<Routes> result;
  std::map<std::uint64_t, std::vector<std::uint64_t>> parts_of;  // ids of what becomes of a multicast
  std::uint64_t worms = 0;
  for (const Routes& whole : routes) {
    const Request& request = whole.plan.request;
    const std::uint64_t parts = (request.length_flits + most - 1) / most;
    if (parts > most_parts || (worms += parts * whole.worms.size()) > most_parts) return std::nullopt;
    std::vector<std::uint64_t> depends_on;
    for (const std::uint64_t earlier : request.depends_on)
      if (const auto found = parts_of.find(earlier); found != parts_of.end())
        depends_on.insert(depends_on.end(), found->second.begin(), found->second.end());
    std::uint64_t left = request.length_flits;
    for (std::uint64_t part = 0; part < parts; ++part) {
      Routes one = whole;
      one.plan.request.id = result.size();
      one.plan.request.length_flits = std::min(left, most);
      one.plan.request.depends_on = depends_on;
      left -= one.plan.request.length_flits;
      parts_of[request.id].push_back(result.size());
      result.push_back(std::move(one));
    }
  }
  return result;
}

std::optional<std::uint64_t> longest_safe_message(
    const std::vector<Routes>& routes, const std::function<bool(const std::vector<Routes>&)>& proved) {
  const auto proved_in_parts = [&](std::uint64_t most) {
    const std::optional<std::vector<Routes>> parts = in_parts(routes, most);
    return parts && proved(*parts);
  };
  std::uint64_t unproved = 0;  // as long as the longest: nothing changes
  for (const Routes& multicast : routes) unproved = std::max(unproved, multicast.plan.request.length_flits);
  if (unproved < 2 || !proved_in_parts(1)) return std::nullopt;
  return largest_proved(unproved, proved_in_parts);
}

std::optional<std::vector<Routes>> split_at_stops(const Topology& topology,
                                                  const std::vector<Routes>& routes) {
  std::vector<Routes> result = routes;
  bool any = false;
  for (Routes& multicast : result) any = Splitter(topology, multicast).run() || any;
  if (!any) return std::nullopt;
  return result;
}

}  // namespace wormcast
