// Which headers of a router reserve their outputs in a cycle. Cost: a cycle looks at every header that waits,
// and at each pair of those at one router that want several outputs.
// SPDX-License-Identifier: MIT
#include "simulation/engines/two_step_grants.hpp"

namespace wormcast {

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

/// The header at the end of `node` wants one output.
void TwoStepGrants::reserve_one(std::uint32_t node, const std::vector<std::uint32_t>& headers) {
  const std::uint32_t output = pool_->hop(node).first_child;
  if (!is_free(output)) return;
  const LeastRecent& arbiter = outputs_[pool_->hop(output).resource.value];
  for (const std::uint32_t other : headers)
    if (other != node && share_outputs(node, other) && arbiter.before(input_at(other), input_at(node)))
      return;
  reserving_.push_back(node);
}

/// Of `headers`, which have slots.
void TwoStepGrants::reserve_at(std::uint32_t number, const std::vector<std::uint32_t>& headers) {
  std::vector<std::uint32_t> single, several;
  for (const std::uint32_t node : headers) {
    const bool one = pool_->hop(pool_->hop(node).first_child).next_sibling == kNone;
    (one ? single : several).push_back(node);
  }
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
  router.chosen = *std::min_element(
      competing.begin(), competing.end(),
      [&](std::uint32_t a, std::uint32_t b) { return router.arbiter.before(input_at(a), input_at(b)); });
  router.arbiter.serve(input_at(router.chosen));
  reserving_.push_back(router.chosen);
}

void TwoStepGrants::take_back(std::uint32_t node) {
  routers_[router_at(node)].took_back = true;
  each_output(node, [&](std::uint32_t at) { outputs_.erase(pool_->hop(at).resource.value); });
}

}  // namespace wormcast
