// What one worm takes, in which order it can ask for it, and what it keeps while it is blocked.
//
// A worm's route becomes a list of *steps*, one for each resource it takes: what it answers came by (the
// consumption channel that the node cannot free before its answer has left), its injection channel
// (where those are limited), its host's link (where hosts have links), its network virtual channels and its
// consumption channels. How it advances its copies and the discipline say (rules 7 to 9 of
// data/pages/simulator.md):
//
//   path          the steps in one sequence; at an intermediate destination the consumption channel
//                 comes before the next channel; all copies move together
//   asynchronous  a step is requested when its parent is held; every branch is read by itself
//   per flit      requested likewise; a flit stays at the head of its buffer, or of the source, until every
//                 branch has taken it, so no branch is more than one flit ahead of the others
//   lock step     a node's steps are requested together and each is kept once granted; the header
//                 goes on when the whole node is held, and all copies move together. Where nodes are granted
//                 at once, all steps are or none is; an arbiter may be locked meanwhile, and its outputs then
//                 wait for each other
//
// Where whole ways are granted, a worm that waits keeps nothing.
//
// What a blocked worm keeps follows from flits alone. Behind a blocked step nothing leaves the
// buffer before it, so at most B flits lie in that buffer, 2B from the one before it on, and so on
// up the tree; a step is kept while fewer than L flits have gone through it. With L larger than all
// buffers of the worm together, the tail never leaves the source and everything is kept.
//
// Under early reuse several worms can stand in one FIFO, each behind the tail of the one before. A step is
// then *held* by the worm at the head of its FIFO, and *waited for* by worms that have not been granted it or
// stand behind in the FIFO, with up to B - 1 flits in it. That is `behind` of kept(): what is kept with all
// of it is kept for certain, what is kept with none may be.
//
// Under virtual cut-through every worm that is consumed more than once is asynchronous and as long as one
// buffer: what comes before a step is all that it can hold while it waits, so only in-port → out-port
// dependencies remain.
// cite: derived here; McKinley, Xu, Esfahanian, Ni 1994 for the consumption channels.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "router/router_rules.hpp"
#include "router/worm_route.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// How one worm goes on its routers, as these and its plan have it.
struct Advance {
  Advance() = default;
  Advance(const Discipline& discipline, bool branches_nowhere, Copies planned)
      : path(branches_nowhere && !discipline.routers_copy()),
        together(copying(discipline, path, planned) == Copies::lock_step),
        at_once(!path && together && discipline.grants_nodes),
        whole_way(discipline.grants_ways),
        serial(discipline.copies_serially()),
        per_flit(discipline.copies_flit_by_flit()) {}
  /// Under virtual cut-through every worm that is consumed once is a path.
  Advance(const RouterModel& model, const WormRoute& route)
      : Advance(model.discipline(), model.cut_through ? route.consumed_once() : route.is_path(),
                model.cut_through ? Copies::unstated : route.replication) {}

  bool path = false;       ///< never branches: consumption first, then the next channel
  bool together = false;   ///< all copies leave a node in one cycle: paths and lock-step trees
  bool at_once = false;    ///< a tree of which the outputs of a node are granted all in one cycle, or none is
  bool whole_way = false;  ///< all on its way is granted in one cycle
  bool serial = false;     ///< one branch reads the whole worm, then the next
  bool per_flit = false;   ///< no branch is more than a flit ahead of the others
};

/// What all worms of so many flits do alike where they wait, whatever their routes.
struct WaitRules {
  WaitRules(const Topology& topology, const RouterModel& model, std::uint64_t flits)
      : keep(!model.discipline().grants_ways),
        jointly(model.discipline().queues_jointly),
        routers_copy(model.discipline().routers_copy()),
        branches(keep && branches_hold_up(model, flits)),
        behind(shares_buffers(model)),
        answered(model.answered()),
        own_inputs(outgrows_buffers(model, flits) || model.discipline().locks_arbiters),
        alone(!outgrows_buffers(model, flits) && !answered && model.consumption_channels == 0 &&
              !topology.hosts_have_links()),
        consumption(!consumes_at_once(model, topology)) {}

  bool keep;          ///< what they have been granted
  bool jointly;       ///< in the queues of all outputs of a lock-step node
  bool routers_copy;  ///< whatever plans say; consumption on the way is one more branch
  bool branches;      ///< branches_hold_up()
  bool behind;        ///< shares_buffers()
  bool answered;      ///< nodes are busy until they have answered
  bool own_inputs;    ///< for a consumption channel that only their input asks for, beside what they have
  bool alone;         ///< never for others at a consumption channel of their input
  bool consumption;   ///< for any beside what they have
};

// A set of the steps of one worm, as bits.

/// Steps are numbered from 0; every set that is combined with another has the same size.
class StepSet {
 public:
  StepSet() = default;
  explicit StepSet(std::size_t steps) : more_(steps > 64 ? (steps - 1) / 64 : 0) {}

  bool has(std::uint32_t step) const { return (word(step / 64) >> (step % 64) & 1U) != 0; }
  void add(std::uint32_t step) {
    (step < 64 ? first_ : more_[step / 64 - 1]) |= std::uint64_t{1} << (step % 64);
  }
  StepSet& operator|=(const StepSet& other) {
    first_ |= other.first_;
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] |= other.more_[i];
    return *this;
  }
  StepSet& operator&=(const StepSet& other) {
    first_ &= other.first_;
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] &= other.more_[i];
    return *this;
  }
  void remove(const StepSet& other) {
    first_ &= ~other.first_;
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] &= ~other.more_[i];
  }
  bool contains(const StepSet& other) const {
    for (std::size_t i = 0; i <= more_.size(); ++i)
      if ((other.word(i) & ~word(i)) != 0) return false;
    return true;
  }
  bool meets(const StepSet& other) const {
    for (std::size_t i = 0; i <= more_.size(); ++i)
      if ((other.word(i) & word(i)) != 0) return true;
    return false;
  }
  friend bool operator==(const StepSet&, const StepSet&) = default;

 private:
  std::uint64_t word(std::size_t i) const { return i == 0 ? first_ : more_[i - 1]; }

  std::uint64_t first_ = 0;  ///< most worms have no more steps
  std::vector<std::uint64_t> more_;
};

/// One resource a worm takes.
struct Step {
  ResourceId resource;
  std::int32_t parent = -1;  ///< step before it in the tree, −1: it is the first at the source
  std::int32_t hop = -1;  ///< index among the route's hops, −1: injection channel or host link, −2: port
  bool at_hand = false;   ///< consumption that worms with an output beside it never wait for
  bool buffered = false;  ///< ends in a FIFO (network channels; host links of graphs)
  std::uint32_t slots = 0;  ///< of the FIFO: B
};

/// Step::hop of the consumption channel that an answer holds, as records write it.
inline constexpr std::int32_t port_hop = -2;

/// The steps of one worm. Parents come before their children.
class Footprint {
 public:
  Footprint(const Topology& topology, const Resources& resources, const RouterModel& model,
            const WormRoute& route, std::uint64_t flits);

  /// The steps are taken one after the other.
  bool is_path() const { return path_; }
  /// Of a tree: no step is requested before all of the node before it are held.
  bool in_lock_step() const { return !path_ && copies_ == Copies::lock_step; }
  bool asynchronous() const { return !path_ && copies_ == Copies::asynchronous; }
  std::span<const Step> steps() const { return steps_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(steps_.size()); }
  /// Steps whose parent is `step`; −1 for those at the source.
  std::span<const std::uint32_t> followers(std::int32_t step) const;
  /// True if a branch of `step` that is blocked holds up the branches beside it.
  bool branches_wait_for_each_other(std::int32_t step) const;
  /// True if a worm that has been granted a network channel may have to wait in its FIFO behind another.
  bool waits_in_buffers() const { return waits_in_buffers_; }
  /// True if it can leave its tail in a FIFO while it is blocked, and another worm can come behind it there.
  bool lets_others_behind() const { return waits_in_buffers_ && short_; }
  /// Length with header flits, cut off where longer makes no difference.
  std::uint64_t flits() const { return flits_; }
  /// True if the first step is that of a port: the worm has it as soon as what it answers has come.
  bool has_port() const { return !steps_.empty() && steps_.front().hop == port_hop; }

  /// What must be held before `step` can be requested (in atomic nodes the same for all siblings).
  StepSet required(std::uint32_t step) const;
  /// What is held at the moment `step` is granted, `step` included.
  StepSet acquired_with(std::uint32_t step) const;
  /// The steps that can only be requested when `step` has been granted, `step` included.
  StepSet blocked_by(std::uint32_t step) const;
  /// All steps that can be granted when `refused` never are.
  StepSet all_but(const std::vector<std::uint32_t>& refused) const;
  /// Those of `acquired` that are kept for good if no other step is ever granted. `behind`: flits can enter
  /// a network channel without that, all but one that its FIFO holds.
  StepSet kept(const StepSet& acquired, bool behind = false) const;
  StepSet none() const { return StepSet(steps_.size()); }
  /// True if it keeps what it has been granted while it waits.
  bool keeps() const { return !discipline_->grants_ways; }
  /// True if whatever lies in one branch of a node can be held while an output beside it is waited for.
  bool branches_go_on() const { return !in_lock_step() || discipline_->locks_arbiters; }
  /// The steps of a node are granted in one cycle.
  bool granted_together() const { return in_lock_step() && discipline_->grants_nodes; }
  /// ... and until then its requests wait, each in the queue of its output.
  bool queues_jointly() const { return in_lock_step() && discipline_->queues_jointly; }

 private:
  void add_steps(const Topology& topology, const Resources& resources, const RouterModel& model,
                 const WormRoute& route, std::uint64_t flits);
  void index_followers();
  /// True if the header can go on in one branch of a node while it waits in another: where copies are not
  /// made in lock step, or where it may stand in a FIFO behind another worm there.
  bool branches_apart() const { return !path_ && (copies_ != Copies::lock_step || waits_in_buffers_); }
  bool is_network(const Step& step) const { return step.buffered && step.hop >= 0; }
  void keep_port(const StepSet& acquired, StepSet& kept) const;
  /// Flits that can enter the step though it is not granted.
  std::uint64_t slack(std::uint32_t step, bool behind) const {
    return behind && is_network(steps_[step]) ? std::min<std::uint64_t>(flits_, steps_[step].slots - 1) : 0;
  }
  StepSet kept_together(const StepSet& acquired, bool behind) const;
  StepSet kept_apart(const StepSet& acquired, bool behind) const;

  const Discipline* discipline_;
  bool path_ = false;
  Copies copies_ = Copies::lock_step;
  std::uint64_t flits_ = 0;
  bool waits_in_buffers_ = false;
  bool outgrows_ = false;  ///< where it branches it stands still alone
  bool short_ = false;     ///< the tail can leave the source while the header is blocked
  std::vector<Step> steps_;
  std::vector<std::uint32_t> follower_start_;  ///< by step + 1
  std::vector<std::uint32_t> followers_;
};

}  // namespace wormcast
