// Round robin packet by packet, as arbiters of published on-chip routers do it.
//
// A binary tree over the numbers of the inputs: at every level the half that asks wins, and where both do,
// the bit of the pointer at that level says which. With the grant the pointer moves to the next number after
// it that asked, or round to the lowest. So an input between the pointer and the winner can be passed over
// once, but none for ever: among those that keep asking the pointer comes to each. Requests are sampled with
// the grant, that is in the first cycle in which the output is free and somebody asks; who asks later waits
// for the next. Cost: the queue's length times the bits of an input's number. cite: pulp-platform
// common_cells, rr_arb_tree (FairArb), as floo_wormhole_arbiter of FlooNoC uses it:
//       Fischer et al.: FlooNoC, a multi-Tb/s wide NoC for heterogeneous AXI4 traffic, 2023
// SPDX-License-Identifier: MIT
#include "simulation/engines/output_arbiter.hpp"

#include <algorithm>
#include <bit>

namespace wormcast {
namespace {

constexpr std::uint32_t vc_bits = 8;  // a virtual channel is below 255

}  // namespace

OutputArbiter::OutputArbiter(const Topology& topology, const WormPool& pool)
    : topology_(&topology), pool_(&pool) {}

/// Where the channel ends, among the ports there.
std::uint32_t OutputArbiter::port_rank(ChannelId channel) const {
  const Grid* grid = topology_->grid();
  if (grid == nullptr) return topology_->arrival_port(channel).value;
  const std::uint32_t port =
      topology_->ends(channel)->port.value;  // +x −x +y −y …; it ends facing the other way
  const std::uint32_t last = grid->dimensions() - 1;
  return (port % 2 == 0 ? 2 * last + 1 : last) - port / 2;
}

/// Where the worm stands that asks.
std::uint32_t OutputArbiter::input(const Hop& hop) const {
  const Hop& before = pool_->hop(hop.parent);
  if (!before.is_network()) return topology_->ports() << vc_bits;
  return port_rank(ChannelId{before.target}) << vc_bits | before.vc;
}

std::uint32_t OutputArbiter::choose(std::uint32_t head) {
  std::uint32_t& pointer = pointers_[pool_->hop(head).resource.value];
  if (pool_->hop(head).next == kNone) {  // nobody else asks
    pointer = input(pool_->hop(head));
    return head;
  }
  asking_.clear();
  for (std::uint32_t at = head; at != kNone; at = pool_->hop(at).next)
    asking_.emplace_back(input(pool_->hop(at)), at);

  const std::uint32_t now = pointer;
  std::uint32_t lowest = asking_.front().first;
  std::uint32_t next = kNone;  // the lowest above the pointer
  for (const auto& [number, slot] : asking_) {
    lowest = std::min(lowest, number);
    if (number > now) next = std::min(next, number);
  }
  pointer = next == kNone ? lowest : next;

  for (std::uint32_t bit = std::bit_floor(topology_->ports() << vc_bits | 1U); bit != 0; bit /= 2) {
    const auto upper = [bit](const auto& one) { return (one.first & bit) != 0; };
    const auto count = static_cast<std::size_t>(std::count_if(asking_.begin(), asking_.end(), upper));
    if (count == 0 || count == asking_.size()) continue;
    const bool keep_upper = (now & bit) != 0;
    std::erase_if(asking_, [&](const auto& one) { return upper(one) != keep_upper; });
  }
  return asking_.front().second;
}

}  // namespace wormcast
