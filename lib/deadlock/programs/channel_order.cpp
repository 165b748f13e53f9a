// A graph of the places of headers: a packet that waits at one leads to where the one that holds it can wait.
// What has an order ends at hosts. Waits for an older packet of the same flow may be mutual, between branches
// of a tree: the oldest waits for none.
//
// A packet holds a channel until its tail has left the buffer, so what is long enough to reach back to it
// from where the header waits counts; of trees all that is not before the channel.
//
// Cost: linear in places, and in pairs of places that take the same. cite: Dally & Seitz 1987; Tarjan 1972
// (components).
// SPDX-License-Identifier: MIT
#include "deadlock/programs/channel_order.hpp"

#include <algorithm>
#include <utility>

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
  number_.resize(edges_.size());
  low_.resize(edges_.size());
  component_.resize(edges_.size());
  for (std::uint32_t f = 0; f < flits_.size(); ++f)
    for (const std::uint32_t node : {under_way(f), sent(f)})
      if (carries(f) && number_[node] == 0) visit(node);
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

void ChannelOrder::visit(std::uint32_t first) {
  struct Visit {
    std::uint32_t node = 0;
    std::size_t edge = 0, begin = 0;
  };
  std::vector<Visit> open;
  const auto enter = [&](std::uint32_t node) {
    number_[node] = low_[node] = ++count_;
    open.push_back({node, 0, stack_.size()});
    stack_.push_back(node);
  };
  enter(first);
  while (!open.empty()) {
    Visit& at = open.back();
    if (at.edge == edges_[at.node].size()) {
      if (low_[at.node] == number_[at.node]) close(at.begin);
      open.pop_back();
    } else if (const std::uint32_t to = edges_[at.node][at.edge].to; number_[to] == 0) {
      enter(to);
    } else {
      low_[at.node] = std::min(low_[at.node], low_[to]);
      ++at.edge;
    }
  }
}

void ChannelOrder::close(std::size_t begin) {
  std::vector<bool> ends(program_.flows.size());
  for (std::size_t at = begin; at < stack_.size(); ++at) {
    if (at_host_[stack_[at]]) ends[*at_host_[stack_[at]]] = true;
    for (const Edge& edge : edges_[stack_[at]]) {
      found_ = found_ && (edge.to_older || low_[edge.to] == of_known);
      if (low_[edge.to] != of_known) continue;
      const std::vector<bool>& more = ends_[component_[edge.to]];
      for (std::size_t f = 0; f < ends.size(); ++f) ends[f] = ends[f] || more[f];
    }
  }
  for (; stack_.size() > begin; stack_.pop_back()) {
    low_[stack_.back()] = of_known;
    component_[stack_.back()] = static_cast<std::uint32_t>(ends_.size());
  }
  ends_.push_back(std::move(ends));
}

}  // namespace wormcast
