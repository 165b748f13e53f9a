// U-CCC: a unicast tree on cube-connected cycles whose unicasts never contend for a virtual channel.
//
// The nodes in dimension order (cycle address, then position in the cycle), rotated so that the source
// leads, are halved again and again; each holder sends to the middle of its part. By Theorem 2 two
// unicasts in disjoint parts of such a chain share no virtual channel under HC routing, and with the
// tree's precedences that holds for all pairs, whatever the delays (Theorem 3): ⌈log2 m⌉ steps.
// Where the virtual channels of a link share its bandwidth, unicasts of a step may still slow one another
// down. The plan states the links shared within a step, and the order `masked` looks for a chain without any.
//
// In the dimension order two unicasts of a step never share a virtual channel, but may share the link
// that two virtual channels are multiplexed on. Renaming every cycle w as w xor c is an automorphism
// of the network, not of the order: it gives up to 2^n other chains, most of which share other links.
// The masks are tried in numeric order; the first clean one is taken. If there is none, the best
// one is repaired: take a unicast that shares a link and swap one of its ends with the position of
// the chain where that leaves the fewest shared links, until there are none (min-conflicts). Ties
// fall by a fixed stream of random numbers, so that a plan depends on its request alone.
// The virtual channels of the routing function stay as they are: a masked order is clean within its
// steps, not under arbitrary delays as the dimension order is.
// Cost: O(k log k); masked O(2^n · k · path) for the masks, O(k · path) a swap. cite: Song, Hou, Shi 1999;
// Minton et al. 1992 (min-conflicts).
// SPDX-License-Identifier: MIT
#include "multicast/planners/u_ccc.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/measures.hpp"
#include "topology/random.hpp"

namespace wormcast {

std::vector<HostId> ccc_chain(const Topology& topology, const Request& request, std::uint32_t mask) {
  const auto n = topology.cycle_nodes();
  std::vector<std::uint32_t> keys;
  keys.reserve(request.destinations.size() + 1);
  const auto key = [&](HostId host) { return (host.value / n ^ mask) * n + host.value % n; };
  keys.push_back(key(request.source));
  for (const HostId host : request.destinations) keys.push_back(key(host));
  std::sort(keys.begin(), keys.end());
  std::rotate(keys.begin(), std::find(keys.begin(), keys.end(), key(request.source)), keys.end());
  std::vector<HostId> chain;
  chain.reserve(keys.size());
  for (const std::uint32_t k : keys) chain.push_back(HostId{(k / n ^ mask) * n + k % n});
  return chain;
}

StepSharing::StepSharing(const RoutingFunction& routing, std::size_t nodes) : routing_(&routing) {
  std::vector<HostId> positions(nodes);
  for (std::size_t i = 0; i < nodes; ++i) positions[i] = HostId{static_cast<std::uint32_t>(i)};
  const std::vector<Worm> worms = unicast_tree(positions, 0);
  const std::vector<Send> sends = schedule(worms);
  touching_.resize(nodes);
  for (std::size_t i = 0; i < worms.size(); ++i) {
    unicasts_.push_back({worms[i].source.value, worms[i].stops.front().node, sends[i].step - 1});
    touching_[unicasts_[i].from].push_back(static_cast<std::uint32_t>(i));
    touching_[unicasts_[i].to].push_back(static_cast<std::uint32_t>(i));
  }
  users_.resize(std::size_t{least_steps(nodes)} * routing.topology().channel_bound());
}

template <class Visit>
void StepSharing::links(std::span<const HostId> chain, const Unicast& unicast, Visit visit) const {
  const std::size_t plane = std::size_t{unicast.step} * routing_->topology().channel_bound();
  routing_->each_hop(NodeId{chain[unicast.from].value}, {}, NodeId{chain[unicast.to].value},
                     [&](const RoutingStep& step) { visit(plane + step.channel.value); });
}

void StepSharing::add(std::span<const HostId> chain, const Unicast& unicast) {
  links(chain, unicast, [&](std::size_t link) { excess_ += users_[link]++ > 0 ? 1 : 0; });
}

void StepSharing::remove(std::span<const HostId> chain, const Unicast& unicast) {
  links(chain, unicast, [&](std::size_t link) { excess_ -= --users_[link] > 0 ? 1 : 0; });
}

bool StepSharing::shares(std::span<const HostId> chain, const Unicast& unicast) const {
  bool shared = false;
  links(chain, unicast, [&](std::size_t link) { shared = shared || users_[link] > 1; });
  return shared;
}

std::uint64_t StepSharing::count(std::span<const HostId> chain, std::uint64_t limit) {
  excess_ = 0;
  std::size_t added = 0;
  while (added < unicasts_.size() && excess_ < limit) add(chain, unicasts_[added++]);
  for (std::size_t i = 0; i < added; ++i)
    links(chain, unicasts_[i], [&](std::size_t link) { users_[link] = 0; });
  return std::exchange(excess_, 0);
}

void StepSharing::swap_positions(std::vector<HostId>& chain, std::uint32_t a, std::uint32_t b) {
  const auto touches_a = [&](const Unicast& unicast) { return unicast.from == a || unicast.to == a; };
  for (const std::uint32_t i : touching_[a]) remove(chain, unicasts_[i]);
  for (const std::uint32_t i : touching_[b])
    if (!touches_a(unicasts_[i])) remove(chain, unicasts_[i]);
  std::swap(chain[a], chain[b]);
  for (const std::uint32_t i : touching_[a]) add(chain, unicasts_[i]);
  for (const std::uint32_t i : touching_[b])
    if (!touches_a(unicasts_[i])) add(chain, unicasts_[i]);
}

/// Swaps `position` with the one that leaves the least excess; among equals the draw decides.
void StepSharing::swap_well(std::vector<HostId>& chain, std::uint32_t position, std::uint64_t draw) {
  std::uint64_t least = UINT64_MAX;
  std::vector<std::uint32_t> best;
  for (std::uint32_t other = 1; other < chain.size(); ++other) {
    if (other == position) continue;
    swap_positions(chain, position, other);
    if (excess_ < least) {
      least = excess_;
      best.clear();
    }
    if (excess_ == least) best.push_back(other);
    swap_positions(chain, position, other);
  }
  if (best.empty()) return;
  swap_positions(chain, position, best[static_cast<std::size_t>(draw % best.size())]);
}

bool StepSharing::repair(std::vector<HostId>& chain, std::uint64_t swaps) {
  excess_ = 0;
  Random random = RandomStreams(1, "ccc-order").stream(0);
  for (const Unicast& unicast : unicasts_) add(chain, unicast);
  std::vector<std::uint32_t> ends;
  for (; excess_ > 0 && swaps > 0 && chain.size() > 2; --swaps) {
    ends.clear();
    for (const Unicast& unicast : unicasts_) {
      if (!shares(chain, unicast)) continue;
      if (unicast.from != 0) ends.push_back(unicast.from);
      ends.push_back(unicast.to);
    }
    const std::uint32_t position = ends[static_cast<std::size_t>(random.below(ends.size()))];
    swap_well(chain, position, random.next());
  }
  std::fill(users_.begin(), users_.end(), 0u);
  return std::exchange(excess_, 0) == 0;
}

std::vector<HostId> clean_ccc_order(const RoutingFunction& routing, const Request& request) {
  const Topology& topology = routing.topology();
  const std::uint32_t masks = 1u << topology.cycle_nodes();
  const std::size_t nodes = request.destinations.size() + 1;
  StepSharing sharing(routing, nodes);
  std::vector<HostId> best;
  std::uint64_t least = UINT64_MAX;
  for (std::uint32_t mask = 0; mask < masks && least > 0; ++mask) {
    std::vector<HostId> chain = ccc_chain(topology, request, mask);
    const std::uint64_t shared = sharing.count(chain, least);
    if (shared >= least) continue;
    least = shared;
    best = std::move(chain);
  }
  if (least == 0 || sharing.repair(best, 8 * nodes)) return best;
  return ccc_chain(topology, request, 0);
}

namespace {

constexpr std::array<PlannerParameter, 1> u_ccc_parameters = {
    {{"order", {"paper", "masked"}, "dimension order, or one that shares no link within a step"}}};

std::vector<Worm> plan_u_ccc(const PlanningContext& context, const Request& request) {
  const std::vector<HostId> chain = context.option("order") == "masked"
                                        ? clean_ccc_order(context.routing, request)
                                        : ccc_chain(context.topology, request, 0);
  return unicast_tree(chain, 0);
}

/// Links that two or more unicasts of one nominal step use, summed over the steps.
PlanFacts shared_within_steps(const PlanningContext& context, const std::vector<Worm>& worms) {
  const std::vector<Send> sends = schedule(worms);
  std::vector<std::pair<std::uint32_t, ChannelId>> used;
  for (std::size_t i = 0; i < worms.size(); ++i)
    context.routing.each_hop(
        NodeId{worms[i].source.value}, {}, NodeId{worms[i].stops.front().node},
        [&](const RoutingStep& step) { used.emplace_back(sends[i].step, step.channel); });
  std::sort(used.begin(), used.end());
  std::uint64_t shared = 0;
  for (auto run = used.begin(); run != used.end();) {
    const auto end = std::upper_bound(run, used.end(), *run);
    shared += end - run > 1 ? 1 : 0;
    run = end;
  }
  return {{"same_step_shared_links", shared}};
}

}  // namespace

extern const Planner planner_u_ccc = {
    .name = "u-ccc",
    .summary = "unicast tree, no virtual channel shared under any delay (a link may be)",
    .topologies = "ccc",
    .cost = "O(k log k); masked O(2^N k)",
    .cite = "Song, Hou, Shi 1999",
    .needs = "unicast only; software at relays",
    .parameters = u_ccc_parameters,
    .routings = {"hc"},
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = [](const Topology& t) { return needs(t.cycle_nodes() > 0, "cube-connected cycles"); },
    .plan = plan_u_ccc,
    .legs = unicast_legs,
    .facts = shared_within_steps,
};

}  // namespace wormcast
