// Round robin packet by packet, as arbiters of published on-chip routers do it.
//
// A binary tree over the numbers of the inputs: at every level the half that asks wins, and where both do,
// the bit of the pointer at that level says which. With the grant the pointer moves to the next number after
// it that asked, or round to the lowest. So an input between the pointer and the winner can be passed over
// once, but none for ever: among those that keep asking the pointer comes to each. Requests are sampled with
// the grant, that is in the first cycle in which the output is free and requested; a later request waits
// for the next. Cost: the queue's length times the bits of an input's number. cite: pulp-platform
// common_cells, rr_arb_tree (FairArb), as floo_wormhole_arbiter of FlooNoC uses it:
//       Fischer et al.: FlooNoC, a multi-Tb/s wide NoC for heterogeneous AXI4 traffic, 2023
// SPDX-License-Identifier: MIT
#include "simulation/engines/output_arbiter.hpp"

#include <bit>

namespace wormcast {
namespace {

constexpr std::uint32_t vc_bits = 8;  // a virtual channel is below 255

}  // namespace

std::uint32_t input_port(const Topology& topology, const Hop& before, InputOrder order) {
  const std::uint32_t first = order == InputOrder::own_first ? 1 : 0;
  if (!before.is_network()) return first == 1 ? 0 : topology.ports();
  const ChannelId channel{before.target};
  const Grid* grid = topology.grid();
  if (grid == nullptr) return topology.arrival_port(channel).value + first;
  const std::uint32_t port = topology.ends(channel)->port.value;  // +x −x +y …; it ends facing the other way
  const std::uint32_t dimension = port / 2, last = grid->dimensions() - 1;
  const bool faces_up = port % 2 != 0;
  if (order == InputOrder::positive_first) return (faces_up ? last : 2 * last + 1) - dimension;
  if (order == InputOrder::by_dimension) return 2 * (last - dimension) + port % 2;
  return (faces_up == (dimension == 0) ? 1 : last + 2) + dimension;
}

OutputArbiter::OutputArbiter(const Topology& topology, const WormPool& pool, OutputArbitration arbitration)
    : topology_(&topology), pool_(&pool), rotating_(arbitration == OutputArbitration::rotating) {}

/// Where the worm stands that asks.
std::uint32_t OutputArbiter::input(const Hop& hop) const {
  const Hop& before = pool_->hop(hop.parent);
  const std::uint32_t vc = before.is_network() ? before.vc : 0U;
  return input_port(*topology_, before, rotating_ ? InputOrder::own_first : InputOrder::positive_first)
             << vc_bits |
         vc;
}

/// A pointer stands for the input served last, at first the lowest: of a consumption channel the first port.
std::uint32_t OutputArbiter::rotate(std::uint32_t head) {
  const Hop& first = pool_->hop(head);
  std::uint32_t& pointer =
      pointers_.get(first.resource.value, [](std::uint32_t& one, std::size_t) { one = kNone; });
  if (pointer == kNone) pointer = first.is_consumption() ? (1U << vc_bits) + 0xff : 0xff;
  std::uint32_t chosen = head;
  const auto distance = [&](std::uint32_t slot) { return input(pool_->hop(slot)) - pointer - 1; };  // wraps
  for (std::uint32_t at = head; at != kNone; at = pool_->hop(at).next)
    if (distance(at) < distance(chosen)) chosen = at;
  pointer = input(pool_->hop(chosen));
  return chosen;
}

std::uint32_t OutputArbiter::choose(std::uint32_t head) {
  if (rotating_) return rotate(head);
  std::uint32_t& pointer = pointers_[pool_->hop(head).resource.value];
  if (pool_->hop(head).next == kNone) {  // no other asks
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

// Two-step grants. Cost of a cycle: each waiting header, and at a router each pair of those with several
// outputs.

bool TwoStepGrants::LeastRecent::before(std::uint32_t a, std::uint32_t b) const {
  const auto at_a = std::find(served.begin(), served.end(), a);
  const auto at_b = std::find(served.begin(), served.end(), b);
  if ((at_a == served.end()) != (at_b == served.end())) return at_a == served.end();
  return at_a == served.end() ? a < b : at_a < at_b;
}

void TwoStepGrants::LeastRecent::serve(std::uint32_t input) {
  std::erase(served, input);
  served.push_back(input);
}

std::uint32_t TwoStepGrants::router_at(std::uint32_t node) const {
  const Hop& hop = pool_->hop(node);
  return hop.is_network() ? topology_->ends(ChannelId{hop.target})->to.value
                          : topology_->router_of(HostId{hop.target}).value;
}

std::uint32_t TwoStepGrants::input_at(std::uint32_t node) const {
  return input_port(*topology_, pool_->hop(node), InputOrder::by_dimension);
}

std::uint32_t TwoStepGrants::lock_at(std::uint32_t node) const {
  const auto router = routers_.find(router_at(node));
  return router == routers_.end() ? kNone : router->second.lock;
}

bool TwoStepGrants::is_free(std::uint32_t output) const {
  const Hop& hop = pool_->hop(output);
  bool free = grants_->free(*hop.resource_state);
  for (const std::uint32_t node : reserved_)
    each_output(node, [&](std::uint32_t at) { free = free && pool_->hop(at).resource != hop.resource; });
  return free;
}

bool TwoStepGrants::share_outputs(std::uint32_t a, std::uint32_t b) const {
  bool share = false;
  each_output(a, [&](std::uint32_t one) {
    each_output(b, [&](std::uint32_t other) {
      share = share || pool_->hop(one).resource == pool_->hop(other).resource;
    });
  });
  return share;
}

/// Whether the arbiter takes the header at the end of `a` rather than that of `b`; of two at one input, as a
/// source has them that is not limited, the one that asked first.
bool TwoStepGrants::comes_before(const LeastRecent& arbiter, std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t at_a = input_at(a), at_b = input_at(b);
  if (at_a != at_b) return arbiter.before(at_a, at_b);
  const auto asked = [&](std::uint32_t node) -> const Hop& {
    return pool_->hop(pool_->hop(node).first_child);
  };
  return pool_->requested_before(asked(a), asked(b));
}

/// The header at the end of `node` wants one output.
void TwoStepGrants::reserve_one(std::uint32_t node, const std::vector<std::uint32_t>& headers) {
  const std::uint32_t output = pool_->hop(node).first_child;
  if (!is_free(output)) return;
  const LeastRecent& arbiter = outputs_[pool_->hop(output).resource.value];
  for (const std::uint32_t other : headers)
    if (other != node && share_outputs(node, other) && comes_before(arbiter, other, node)) return;
  reserving_.push_back(node);
}

/// Of `headers`, which have slots.
void TwoStepGrants::reserve_at(std::uint32_t number, const std::vector<std::uint32_t>& headers) {
  std::vector<std::uint32_t> single, several;
  for (const std::uint32_t node : headers) (wants_one(node) ? single : several).push_back(node);
  for (const std::uint32_t node : single) reserve_one(node, single);
  std::erase_if(several, [&](std::uint32_t node) {
    bool free = true;
    each_output(node, [&](std::uint32_t at) { free = free && is_free(at); });
    return !free || std::any_of(single.begin(), single.end(),
                                [&](std::uint32_t other) { return share_outputs(node, other); });
  });
  Router& router = routers_[number];
  std::vector<std::uint32_t> competing;
  for (const std::uint32_t node : several) {
    const bool contested = std::any_of(several.begin(), several.end(), [&](std::uint32_t other) {
      return other != node && share_outputs(node, other);
    });
    (contested ? competing : reserving_).push_back(node);
  }
  if (router.lock != kNone || competing.empty()) return;
  router.chosen =
      *std::min_element(competing.begin(), competing.end(),
                        [&](std::uint32_t a, std::uint32_t b) { return comes_before(router.arbiter, a, b); });
  router.arbiter.serve(input_at(router.chosen));
  reserving_.push_back(router.chosen);
}

/// `headers` of the router have slots, that of `node` among them, which takes its outputs.
void TwoStepGrants::note_served(std::uint32_t node, const std::vector<std::uint32_t>& headers) {
  const bool asks = wants_one(node) || std::none_of(headers.begin(), headers.end(), [&](std::uint32_t other) {
                      return wants_one(other) && share_outputs(node, other);
                    });
  each_output(node, [&](std::uint32_t at) {
    const ResourceId output = pool_->hop(at).resource;
    LeastRecent& arbiter = outputs_[output.value];
    std::uint32_t chosen = kNone;
    for (const std::uint32_t other : headers) {
      if (other == node ? !asks
                        : !wants_one(other) || pool_->hop(pool_->hop(other).first_child).resource != output)
        continue;
      if (chosen == kNone || arbiter.before(input_at(other), chosen)) chosen = input_at(other);
    }
    if (chosen != kNone) arbiter.serve(chosen);
  });
}

void TwoStepGrants::take_back(std::uint32_t node) {
  routers_[router_at(node)].took_back = true;
  each_output(node, [&](std::uint32_t at) { outputs_.erase(pool_->hop(at).resource.value); });
}

}  // namespace wormcast
