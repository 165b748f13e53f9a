// Which of the worms that ask for a router's outputs get them: arbiters of single ones, two-step grants.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "simulation/engines/grant_table.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The order in which arbiters number the inputs of a router, by the ports that worms come by; elsewhere than
/// on meshes and tori as the topology numbers them.
enum class InputOrder : std::uint8_t {
  positive_first,  ///< facing +y, +x, −y, −x (from the last dimension to the first), the node's own
  by_dimension,    ///< facing −y, +y, −x, +x (likewise), the node's own
  own_first        ///< the node's own, facing +x, −y, −x, +y
};

/// The input at which the worm stands whose header has come to the end of `before`.
std::uint32_t input_port(const Topology& topology, const Hop& before, InputOrder order);

/// The arbiters of all outputs; each has a pointer. Inputs are numbered: ports first, and within a port
/// virtual channels. Round robin: positive_first, from 0. Rotating: own_first, from the lowest that can ask.
class OutputArbiter {
 public:
  OutputArbiter(const Topology& topology, const WormPool& pool, OutputArbitration arbitration);

  /// Of the queue that begins at `head`, all of whose requests are for one free resource, the slot of the one
  /// that gets it; of several at the winning input the first in the queue.
  std::uint32_t choose(std::uint32_t head);

 private:
  std::uint32_t input(const Hop& hop) const;
  std::uint32_t rotate(std::uint32_t head);

  const Topology* topology_;
  const WormPool* pool_;
  bool rotating_;
  PagedArray<std::uint32_t> pointers_;                           ///< by resource: the number of an input
  std::vector<std::pair<std::uint32_t, std::uint32_t>> asking_;  ///< scratch: (input, slot) in queue order
};

/// Request phase: a header takes part in a cycle in which the buffer behind each of its outputs has a slot.
/// One that wants a single output asks the arbiter of that, if it is free. One that wants several gets them
/// if all are free, no header that wants a single output asks for one of them, and no other that wants
/// several; of those that do, the arbiter of the router chooses one. That is locked then until the tail of
/// the chosen worm is the next flit to leave its buffer, or until a reservation of the router is taken back.
/// A reservation keeps its outputs for the next cycle. Grant phase: the header takes them then if all still
/// have slots, else the reservation is taken back. Arbiters take the input that was served least recently, at
/// first in the order of the inputs (InputOrder::by_dimension). An output's notes as served, when a header
/// takes it, the input that it would choose in that cycle: of the headers that want it alone, or that of the
/// one that takes it, if none of these asks for any of its outputs. It forgets what it served when a
/// reservation of it is taken back. cite: Columbia University, ESP: lookahead_router_multicast,
/// router_mcast_arbiter
class TwoStepGrants {
 public:
  TwoStepGrants(const Topology& topology, const WormPool& pool, const GrantTable& grants)
      : topology_(&topology), pool_(&pool), grants_(&grants) {}

  /// The header at the end of `node` has requested all that follows.
  void ask(std::uint32_t node) { asking_.push_back(node); }
  /// One cycle. has_slots(node): the header can move on; grant(node) does so; tail_is_next(node) as in
  /// Motion. True if the next cycle may bring more though nothing moves.
  template <class HasSlots, class Grant, class TailIsNext>
  bool step(HasSlots has_slots, Grant grant, TailIsNext tail_is_next);
  /// The node whose worm locks the arbiter of the router at the end of `node`, or kNone.
  std::uint32_t lock_at(std::uint32_t node) const;

 private:
  /// Inputs in the order in which they were served last.
  struct LeastRecent {
    std::vector<std::uint32_t> served;

    /// What serve() was not called with comes first, ascending.
    bool before(std::uint32_t a, std::uint32_t b) const;
    void serve(std::uint32_t input);
  };
  struct Router {
    LeastRecent arbiter;
    std::uint32_t lock = kNone;    ///< a node
    std::uint32_t chosen = kNone;  ///< in this cycle
    bool took_back = false;        ///< in this cycle
  };

  std::uint32_t router_at(std::uint32_t node) const;
  std::uint32_t input_at(std::uint32_t node) const;
  bool is_free(std::uint32_t output) const;
  bool wants_one(std::uint32_t node) const {
    return pool_->hop(pool_->hop(node).first_child).next_sibling == kNone;
  }
  template <class Visit>
  void each_output(std::uint32_t node, Visit visit) const {
    for (std::uint32_t at = pool_->hop(node).first_child; at != kNone; at = pool_->hop(at).next_sibling)
      visit(at);
  }
  bool comes_before(const LeastRecent& arbiter, std::uint32_t a, std::uint32_t b) const;
  bool share_outputs(std::uint32_t a, std::uint32_t b) const;
  void reserve_at(std::uint32_t router, const std::vector<std::uint32_t>& headers);
  void reserve_one(std::uint32_t node, const std::vector<std::uint32_t>& headers);
  void note_served(std::uint32_t node, const std::vector<std::uint32_t>& headers);
  void take_back(std::uint32_t node);

  const Topology* topology_;
  const WormPool* pool_;
  const GrantTable* grants_;
  std::vector<std::uint32_t> asking_;    ///< nodes
  std::vector<std::uint32_t> reserved_;  ///< nodes, in the cycle before
  std::vector<std::uint32_t> reserving_;
  std::map<std::uint32_t, Router> routers_;
  std::map<std::uint32_t, LeastRecent> outputs_;                   ///< by resource
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_router_;  ///< scratch
};

template <class HasSlots, class Grant, class TailIsNext>
bool TwoStepGrants::step(HasSlots has_slots, Grant grant, TailIsNext tail_is_next) {
  by_router_.clear();
  reserving_.clear();
  for (const std::uint32_t node : asking_)
    if (has_slots(node)) by_router_[router_at(node)].push_back(node);
  for (const auto& [router, headers] : by_router_) reserve_at(router, headers);
  bool changes = !reserving_.empty() || !reserved_.empty();
  for (const std::uint32_t node : reserved_) {
    if (!has_slots(node)) {
      take_back(node);
      continue;
    }
    note_served(node, by_router_[router_at(node)]);
    std::erase(asking_, node);
    grant(node);
  }
  for (auto& [number, router] : routers_) {
    if (router.took_back || (router.lock != kNone && tail_is_next(router.lock))) {
      changes = changes || router.lock != kNone;
      router.lock = kNone;
    } else if (router.lock == kNone) {
      router.lock = router.chosen;
    }
    router.chosen = kNone;
    router.took_back = false;
  }
  reserved_.swap(reserving_);
  return changes;
}

}  // namespace wormcast
