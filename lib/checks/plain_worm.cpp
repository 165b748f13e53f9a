// The rules of data/pages/simulator.md for one worm, in the plainest form: every pair of hops is judged by
// itself. Cost: O(hops²) for pairs; made for checking, not for speed.
// SPDX-License-Identifier: MIT
#include "checks/plain_worm.hpp"

namespace wormcast {

PlainWorm::PlainWorm(const Topology& topology, const RouterModel& model, const WormRoute& route,
                     std::uint64_t flits)
    : topology_(topology),
      model_(model),
      discipline_(model.discipline()),
      resources_(topology, model),
      route_(route),
      path_(!discipline_.routers_copy() && (model.cut_through ? route.consumed_once() : route.is_path())),
      copying_(copying(discipline_, path_, model.cut_through ? Copies::unstated : route.replication)),
      together_(in_lock_step(copying_)) {
  flits_ = effective_flits(topology, model, route.source, route.hops, flits);
  number_ways();
  number_turns();
}

void PlainWorm::number_ways() {
  behind_.assign(positions(), 0);
  for (std::size_t p = positions(); p-- > 1;) behind_[parent(p)] += behind_[p] + 1;
  place_.assign(positions(), 0);
  std::vector<std::size_t> next(positions(), 1);  // where the next branch of a position begins
  for (std::size_t p = 1; p < positions(); ++p) {
    std::size_t& place = next[parent(p)];
    place_[p] = place_[parent(p)] + std::exchange(place, place + behind_[p] + 1);
  }
}

void PlainWorm::number_turns() {
  const bool serial = copying_ == Copies::serial;
  if (path_ || serial) turns_.resize(positions(), 0);
  // Copies are made east, west, north, south (ports of grids: +x −x +y −y …), elsewhere by port, to hosts
  // last; to virtual channels of one channel, and hosts of one switch, in the order of the route.
  const auto rank = [&](std::size_t p) {
    if (!channel(p)) return topology_.ports();
    const std::uint32_t port = topology_.ends(ChannelId{route_.hops[p - 1].target})->port.value;
    return topology_.grid() == nullptr || port < 2 ? port : port ^ 1U;
  };
  for (std::size_t p = 1; serial && p < positions(); ++p) turns_[p] = p + positions() * rank(p);
  if (!path_) return;
  std::vector<std::size_t> channels(positions(), 0);  // on the way to a position, itself included
  for (std::size_t p = 1; p < positions(); ++p) {
    channels[p] = channels[parent(p)] + (channel(p) ? 1 : 0);
    turns_[p] = 2 * channels[p] + (channel(p) ? 0 : 1);
  }
}

std::vector<ResourceId> PlainWorm::resources(std::size_t position) const {
  std::vector<ResourceId> result;
  each_resource(position, [&](ResourceId resource) { result.push_back(resource); });
  return result;
}

bool PlainWorm::can_hold_and_wait(std::size_t held, std::size_t wanted) const {
  if (wanted == 0 || held == wanted || discipline_.grants_ways) return false;
  if (path_) return turn(held) < turn(wanted);
  if (is_ancestor(held, wanted)) return true;
  if (is_ancestor(wanted, held)) return false;
  if (private_consumption(wanted) && !discipline_.locks_arbiters) return false;
  // Two branches: `held` lies in the branch `mine` and `wanted` in the branch `theirs` of one node.
  std::size_t mine = held;
  while (!is_ancestor(parent(mine), wanted)) mine = parent(mine);
  const std::size_t node = parent(mine);
  std::size_t theirs = wanted;
  while (parent(theirs) != node) theirs = parent(theirs);
  if (theirs == wanted && !channel(wanted) && consumes_at_once(model_, topology_)) return false;
  if (!together_ || discipline_.locks_arbiters) return branches_wait_for_each_other(node);
  // In lock step nothing below a node is asked for before the node is complete.
  if (theirs != wanted || may_stand_behind(wanted)) return true;
  return mine == held && !granted_at_once();
}

/// Where every input has its own consumption channel: only the input's holder asks for it; no answer has it.
bool PlainWorm::private_consumption(std::size_t position) const {
  return !channel(position) && !outgrows_buffers(model_, flits_) && !model_.answered() &&
         model_.consumption_channels == 0 && !topology_.hosts_have_links();
}

bool PlainWorm::asked_for_together(std::size_t p, std::size_t q) const {
  if (p == 0 || q == 0) return false;  // the source is no output
  return granted_at_once() && parent(p) == parent(q) && !private_consumption(p) && !private_consumption(q);
}

}  // namespace wormcast
