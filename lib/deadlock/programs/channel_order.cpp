// A graph of the places of headers: a packet that waits at one leads to where the one that holds it can wait.
// What has an order ends at hosts. Waits for an older packet of the same flow may be mutual, between branches
// of a tree: the oldest waits for none.
//
// A packet holds a channel until its tail has left the buffer, so what is long enough to reach back to it
// from where the header waits counts; of trees all that is not before the channel.
//
// Cost: linear in places, and in pairs of places that take the same. cite: Dally & Seitz 1987.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/channel_order.hpp"

#include <algorithm>
#include <utility>

#include "topology/graphs.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_nodes = 50'000, most_pairs = 4'000'000, most_marks = 400'000'000;

}  // namespace

ChannelOrder::ChannelOrder(const Topology& topology, const RouterModel& model, const BoundProgram& program)
    : topology_(topology),
      model_(model),
      program_(program),
      resources_(topology, model),
      flits_(program.flows.size()) {
  for (const BoundProgram::Process& process : program.processes)
    for (const Instruction& in : process.code)
      if (in.kind == Instruction::Kind::send)
        flits_[in.what] = std::max(flits_[in.what], route(in.what).flits(in.count, model.header_flits));
  found_ = add_nodes();
  if (!found_) return;
  component_.resize(edges_.size());
  const auto nodes = static_cast<std::uint32_t>(edges_.size());
  const auto next = [&](std::uint32_t node, std::uint32_t i) {
    return i < edges_[node].size() ? edges_[node][i].to : nodes;
  };
  each_component(nodes, next, [&](std::span<const std::uint32_t> members) { close(members); });
}

std::vector<ResourceId> ChannelOrder::taken(std::uint32_t f, std::size_t place) const {
  if (place > 0) return {resources_.taken_by(route(f).hops[place - 1], route(f).hops)};
  if (topology_.hosts_have_links()) return {resources_.host_link(route(f).source)};
  if (resources_.injection_blocks()) return {resources_.injection(route(f).source)};
  return {};
}

std::uint64_t ChannelOrder::slots(std::uint32_t f, std::size_t place) const {
  constexpr LinkValue value = LinkValue::buffer_flits;
  if (place > 0) return topology_.own(value, ChannelId{route(f).hops[place - 1].target}, model_.buffer_flits);
  return topology_.hosts_have_links() ? topology_.own(value, route(f).source, false, model_.buffer_flits) : 0;
}

bool ChannelOrder::add_nodes() {
  std::uint32_t nodes = 0;
  for (std::uint32_t f = 0; f < flits_.size(); ++f) {
    first_.push_back(nodes);
    nodes += static_cast<std::uint32_t>(2 + 2 * places(f));
  }
  if (nodes > most_nodes) return false;
  edges_.resize(nodes);
  at_host_.resize(nodes);
  std::vector<std::vector<std::pair<std::uint32_t, std::size_t>>> users;  // by resource
  for (std::uint32_t f = 0; f < flits_.size(); ++f)
    for (std::size_t place = 0; place < places(f) && carries(f); ++place)
      for (const ResourceId resource : taken(f, place)) {
        if (users.size() <= resource.value) users.resize(resource.value + 1);
        users[resource.value].emplace_back(f, place);
      }
  std::size_t pairs = 0;
  for (const auto& of_one : users) pairs += of_one.size() * of_one.size();
  if (pairs > most_pairs || (pairs + nodes) * flits_.size() > most_marks) return false;
  for (std::uint32_t r = 0; r < users.size(); ++r)
    for (const auto& [f, place] : users[r])
      for (const auto& [g, other] : users[r])
        if (resources_.units(ResourceId{r}) != 0)
          edges_[waits(f, place)].push_back({holds(g, other), f == g && place == other});
  for (std::uint32_t f = 0; f < flits_.size(); ++f) {
    if (!carries(f)) continue;
    for (std::size_t place = 0; place < places(f); ++place) {
      edges_[under_way(f)].push_back({waits(f, place), true});
      add_held(f, holds(f, place), place + 1);
    }
    at_host_[under_way(f)] = f;
    add_held(f, sent(f), 0);
  }
  return true;
}

void ChannelOrder::add_held(std::uint32_t f, std::uint32_t node, std::size_t behind) {
  std::uint64_t room = 0;
  if (!route(f).consumed_once() || !route(f).is_path()) {
    std::vector<bool> before(places(f));
    if (behind > 0) before[0] = true;
    for (auto at = static_cast<std::int32_t>(behind) - 2; at >= 0;
         at = route(f).hops[static_cast<std::size_t>(at)].parent)
      before[slot_after(at)] = true;
    for (std::size_t place = 0; place < places(f); ++place)
      if (!before[place]) edges_[node].push_back({waits(f, place), true});
  } else {
    for (std::size_t place = behind; place < places(f); ++place) {
      if (room >= flits_[f]) return;  // all of it stands there
      edges_[node].push_back({waits(f, place), true});
      if (place + 1 < places(f)) room += slots(f, place);
    }
    if (room >= flits_[f]) return;
  }
  at_host_[node] = f;
}

void ChannelOrder::close(std::span<const std::uint32_t> members) {
  std::vector<bool> ends(program_.flows.size());
  for (const std::uint32_t node : members) {
    if (at_host_[node]) ends[*at_host_[node]] = true;
    for (const Edge& edge : edges_[node]) {
      const std::uint32_t known = component_[edge.to];
      found_ = found_ && (edge.to_older || known != 0);
      for (std::size_t f = 0; known != 0 && f < ends.size(); ++f) ends[f] = ends[f] || ends_[known][f];
    }
  }
  for (const std::uint32_t node : members) component_[node] = static_cast<std::uint32_t>(ends_.size());
  ends_.push_back(std::move(ends));
}

}  // namespace wormcast
