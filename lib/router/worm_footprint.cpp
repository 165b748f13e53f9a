// Steps of a worm and what it keeps while blocked; the idea stands in worm_footprint.hpp.
//
// Cost: building is linear in the hops; kept() and blocked_by() are linear in the steps, required()
// linear in the steps of the branch and their siblings.
// SPDX-License-Identifier: MIT
#include "router/worm_footprint.hpp"

#include <numeric>
#include <optional>

#include "router/router_rules.hpp"

namespace wormcast {

namespace {

/// Hop indices so that parents come first and, at each node, the consumption channel of a path
/// before the channel that follows it.
std::vector<std::uint32_t> taking_order(const WormRoute& route, bool path) {
  std::vector<std::uint32_t> order(route.hops.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto earlier = [](const RouteHop& left, const RouteHop& right) {
    if (left.parent != right.parent) return left.parent < right.parent;
    return !left.is_channel() && right.is_channel();
  };
  if (path && !std::is_sorted(route.hops.begin(), route.hops.end(), earlier))
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return earlier(route.hops[a], route.hops[b]); });
  return order;
}

}  // namespace

Footprint::Footprint(const Topology& topology, const Resources& resources, const RouterModel& model,
                     const WormRoute& route, std::uint64_t flits)
    : discipline_(&model.discipline()),
      waits_in_buffers_(shares_buffers(model)),
      outgrows_(outgrows_buffers(model, flits)) {
  if (!discipline_->grants_ways) {
    // A packet under virtual cut-through, or one that is copied serially, fits into its buffer, which serves
    // each copy to its end.
    const bool alone = model.cut_through || discipline_->copies_serially();
    const bool path = alone ? route.consumed_once() : route.is_path();
    copies_ = copying(*discipline_, path, alone ? Copies::unstated : route.replication);
    if (copies_ == Copies::serial) copies_ = Copies::asynchronous;
    path_ = path && !discipline_->locks_arbiters && !discipline_->copies_flit_by_flit();
  }
  add_steps(topology, resources, model, route, flits);
  flits_ = effective_flits(topology, model, route.source, route.hops, flits, &short_);
  index_followers();
}

void Footprint::add_steps(const Topology& topology, const Resources& resources, const RouterModel& model,
                          const WormRoute& route, std::uint64_t flits) {
  steps_.reserve(route.hops.size() + 1);
  std::int32_t source = -1;
  if (route.port && model.answered()) {
    const ResourceId port = resources.consumption(route.source, route.port->channel, route.port->vc);
    steps_.push_back(Step{port, source++, port_hop, false, false});
  }
  if (resources.injection_blocks())
    steps_.push_back(Step{resources.injection(route.source), source++, -1, false, false});
  if (topology.hosts_have_links())
    steps_.push_back(Step{resources.host_link(route.source), source++, -1, false, true,
                          buffer_slots(topology, model, route.source)});
  const bool at_once = consumes_at_once(model, topology);
  const bool own_inputs = own_input_serves(model, flits);
  std::vector<std::int32_t> step_of(route.hops.size());
  for (const std::uint32_t index : taking_order(route, path_)) {
    const RouteHop& hop = route.hops[index];
    const std::int32_t parent = hop.parent < 0 ? source : step_of[static_cast<std::size_t>(hop.parent)];
    step_of[index] = static_cast<std::int32_t>(steps_.size());
    const ResourceId resource = resources.taken_by(hop, route.hops);
    const auto by_input = [&] {
      return resource != resources.consumption(HostId{hop.target}, std::nullopt, 0);
    };
    const bool at_hand = !hop.is_channel() && (at_once || (own_inputs && by_input()));
    const std::uint32_t slots = hop.is_channel() ? buffer_slots(topology, model, ChannelId{hop.target}) : 0;
    steps_.push_back(
        Step{resource, parent, static_cast<std::int32_t>(index), at_hand, hop.is_channel(), slots});
  }
}

void Footprint::index_followers() {
  follower_start_.assign(steps_.size() + 2, 0);
  for (const Step& step : steps_) ++follower_start_[slot_after(step.parent) + 1];
  for (std::size_t i = 1; i < follower_start_.size(); ++i) follower_start_[i] += follower_start_[i - 1];
  followers_.resize(steps_.size());
  std::vector<std::uint32_t> next(follower_start_.begin(), follower_start_.end() - 1);
  for (std::uint32_t i = 0; i < steps_.size(); ++i) followers_[next[slot_after(steps_[i].parent)]++] = i;
}

std::span<const std::uint32_t> Footprint::followers(std::int32_t step) const {
  const auto index = slot_after(step);
  return {followers_.data() + follower_start_[index], follower_start_[index + 1] - follower_start_[index]};
}

bool Footprint::branches_wait_for_each_other(std::int32_t step) const {
  if (followers(step).size() < 2) return false;
  if (copies_ == discipline_->copies) return flits_ > 1;  // branches_hold_up()
  if (outgrows_ || !asynchronous()) return true;
  // Branches read the source independently, and likewise a buffer that holds the whole worm.
  return step >= 0 && steps_[static_cast<std::size_t>(step)].buffered &&
         flits_ > steps_[static_cast<std::size_t>(step)].slots;
}

StepSet Footprint::required(std::uint32_t step) const {
  StepSet result = none();
  if (path_) {
    for (std::uint32_t i = 0; i < step; ++i) result.add(i);
    return result;
  }
  for (std::int32_t at = steps_[step].parent; at >= 0; at = steps_[static_cast<std::size_t>(at)].parent) {
    result.add(static_cast<std::uint32_t>(at));
    if (branches_apart()) continue;
    for (const std::uint32_t sibling : followers(steps_[static_cast<std::size_t>(at)].parent))
      result.add(sibling);
  }
  return result;
}

StepSet Footprint::acquired_with(std::uint32_t step) const {
  StepSet result = required(step);
  result.add(step);
  if (granted_together())
    for (const std::uint32_t sibling : followers(steps_[step].parent)) result.add(sibling);
  return result;
}

StepSet Footprint::blocked_by(std::uint32_t step) const {
  StepSet result = none();
  if (path_) {
    for (std::uint32_t i = step; i < size(); ++i) result.add(i);
    return result;
  }
  const bool together = !branches_apart();
  result.add(step);
  // Where it may stand behind another worm there, it can have been granted what it asked for with it.
  if (granted_together() && !(waits_in_buffers_ && is_network(steps_[step])))
    for (const std::uint32_t sibling : followers(steps_[step].parent)) result.add(sibling);
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::int32_t parent = steps_[i].parent;
    if (parent < 0) continue;
    const auto node = static_cast<std::uint32_t>(parent);
    // The header leaves a lock-step node when every output is held: a sibling blocks as the parent does.
    const bool held_up = result.has(node) || (together && steps_[node].parent == steps_[step].parent);
    if (held_up) result.add(i);
  }
  return result;
}

StepSet Footprint::all_but(const std::vector<std::uint32_t>& refused) const {
  StepSet result = none();
  for (std::uint32_t s = 0; s < size(); ++s) result.add(s);
  for (const std::uint32_t step : refused) result.remove(blocked_by(step));
  return result;
}

[[gnu::weak]] StepSet Footprint::kept(const StepSet& acquired, bool behind) const {
  const bool together = path_ || copies_ == Copies::lock_step;
  StepSet result = together ? kept_together(acquired, behind) : kept_apart(acquired, behind);
  if (has_port()) keep_port(acquired, result);
  return result;
}

/// A port is kept as long as the injection channel is, or waited for. Where those have no limit, or behind a
/// host's link, the port is the source's only resource, handled above.
void Footprint::keep_port(const StepSet& acquired, StepSet& kept) const {
  if (size() < 2 || steps_[1].hop != -1 || steps_[1].buffered) return;
  StepSet port = none();
  port.add(0);
  kept.remove(port);
  if (acquired.has(0) && (!acquired.has(1) || kept.has(1))) kept.add(0);
}

/// Path and lock-step: all outputs of a node pass the same number of flits, none before all are held.
StepSet Footprint::kept_together(const StepSet& acquired, bool behind) const {
  // passes[s + 1]: flits that can leave the buffer of step s; passes[0]: the source.
  std::vector<std::uint64_t> passes(steps_.size() + 1, flits_);
  std::vector<bool> complete(steps_.size() + 1, true);
  for (std::uint32_t i = size(); i-- > 0;) {
    const auto node = slot_after(steps_[i].parent);
    if (!acquired.has(i) && slack(i, behind) > 0) {
      passes[node] = std::min(passes[node], slack(i, behind));
      continue;
    }
    if (!acquired.has(i)) complete[node] = false;
    if (!complete[i + 1]) passes[i + 1] = 0;
    if (steps_[i].buffered)
      passes[node] = std::min(passes[node], steps_[i].slots + passes[i + 1]);
    else if (steps_[i].hop < 0)
      passes[node] = std::min(passes[node], passes[i + 1]);
  }
  if (!complete[0]) passes[0] = 0;
  StepSet result = none();
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::uint64_t entered = passes[slot_after(steps_[i].parent)];
    passes[i + 1] = std::min(passes[i + 1], entered);
    // A buffer is left when the tail leaves it, an injection channel when the tail has left the
    // source by every first channel, a consumption channel when the tail has entered it.
    const std::uint64_t through = steps_[i].buffered || steps_[i].hop < 0 ? passes[i + 1] : entered;
    if (acquired.has(i) && through < flits_) result.add(i);
  }
  return result;
}

/// Each branch reads its buffer by itself, and a slot is free when all have read it; flit by flit a branch
/// takes what all of them can take, and one flit more.
StepSet Footprint::kept_apart(const StepSet& acquired, bool behind) const {
  std::vector<std::uint64_t> room(steps_.size(), 0);             // flits that can enter the step
  std::vector<std::uint64_t> leaves(steps_.size() + 1, flits_);  // that all its followers take, by step + 1
  for (std::uint32_t i = size(); i-- > 0;) {
    if (!acquired.has(i))
      room[i] = slack(i, behind);
    else if (steps_[i].buffered)
      room[i] = std::min(flits_, steps_[i].slots + leaves[i + 1]);
    else
      room[i] = leaves[i + 1];  // of an injection channel; a consumption channel takes all
    std::uint64_t& least = leaves[slot_after(steps_[i].parent)];
    least = std::min(least, room[i]);
  }
  StepSet result = none();
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::int32_t parent = steps_[i].parent;
    // The source's memory is read independently, through an unbuffered injection channel too.
    if (parent >= 0 && steps_[static_cast<std::size_t>(parent)].buffered)
      room[i] = std::min(room[i], room[static_cast<std::size_t>(parent)]);
    if (copies_ == Copies::per_flit && (steps_[i].buffered || steps_[i].hop >= 0))
      room[i] = std::min(room[i], leaves[slot_after(parent)] + 1);
    leaves[i + 1] = std::min(leaves[i + 1], steps_[i].buffered ? room[i] : flits_);
    const bool passed_on = steps_[i].buffered || steps_[i].hop < 0;
    if (acquired.has(i) && (passed_on ? leaves[i + 1] : room[i]) < flits_) result.add(i);
  }
  return result;
}

}  // namespace wormcast
