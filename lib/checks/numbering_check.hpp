// Whether an order of resources excludes deadlock: worm by worm.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "checks/plain_worm.hpp"
#include "deadlock/verdict.hpp"
#include "router/router_model.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Why the numbering proves nothing about these worms; "" if it excludes deadlock: no worm can hold a
/// resource while it waits for one that does not come later.
std::string refuse_numbering(const Topology& topology, const RouterModel& model,
                             const std::vector<ResourceId>& numbering,
                             const std::vector<StoredRoute>& routes);

/// A numbering: no worm may hold a resource while it waits for an earlier one. Takes worms one at a time.
/// Where nodes ask for outputs in one request, ask_together() must see all worms first.
class NumberingCheck {
 public:
  NumberingCheck(const Topology& topology, const RouterModel& model,
                 const std::vector<ResourceId>& numbering);

  /// What is wrong with the numbering by itself; "" if nothing.
  const std::string& fault() const { return fault_; }
  /// Notes which resources an atomic worm asks for together: what waits for one of them, waits for all.
  void ask_together(const WormRoute& route, std::uint64_t flits);
  void ask_together(ResourceId one, ResourceId other);
  /// What the worm can hold and wait for against the numbering; "" if nothing.
  std::string refuse(const WormRoute& route, std::uint64_t flits);
  /// Refuses a resource that is held while another is waited for.
  std::string refuse(ResourceId held, ResourceId wanted);
  /// True only where refuse() has nothing against it: the quick answer where nothing is asked for together.
  bool allows(ResourceId held, ResourceId wanted) const {
    return joint_.none() && number(held) != none &&
           (number(held) < number(wanted) || (held != wanted && same_ring(held, wanted)));
  }
  /// Refuses a resource that has no number.
  std::string refuse_unnumbered(ResourceId resource) const;

  using Number = std::uint32_t;      ///< resources have ids of 32 bits
  static constexpr Number none = 0;  ///< numbers count from 1
  Number number(ResourceId resource) const {
    return resource.value >= number_.size() ? none : (by_rings_ ? ring_number_ : number_)[resource.value];
  }

 private:
  /// The smallest number among all that is waited for together with the resource.
  Number awaited(ResourceId resource) const {
    const Number own = number(resource);
    return own == none || joint_.none() ? own : group_number_[joint_.group(resource).value];
  }
  /// Both are of one ring that bubbles keep from filling, and that nothing is numbered between.
  bool same_ring(ResourceId held, ResourceId wanted) const {
    return !rings_.empty() && ring_number_[held.value] == ring_number_[wanted.value] &&
           rings_.contains(ring_number_[held.value]);
  }
  bool rises(Number held, Number wanted) const {
    return held < wanted || (by_rings_ && held == wanted && rings_.contains(held));
  }
  void number_rings(const std::vector<ResourceId>& numbering);
  void number_groups();
  void take_numbers(const PlainWorm& worm);
  bool path_rises(const PlainWorm& worm) const;
  bool tree_rises(const PlainWorm& worm);
  std::string name_violation(const PlainWorm& worm) const;

  const Topology& topology_;
  RouterModel model_;
  Resources resources_;
  std::string fault_;
  std::vector<Number> number_;       ///< by resource
  std::vector<Number> ring_number_;  ///< the same, those of a ring having that of the first
  std::set<Number> rings_;           ///< which
  bool by_rings_ = false;            ///< these count
  bool needs_rings_ = false;         ///< some worm's numbers rise only so
  std::set<std::uint64_t> lengths_;  ///< of worms, where rings are entered by bubbles
  JointRequests joint_;
  std::vector<Number> group_number_;  ///< smallest, by resource that stands for its group
  // By position of the worm at hand.
  std::vector<Number> held_;    ///< largest number there
  std::vector<Number> wanted_;  ///< smallest awaited there; the largest possible where no other worm waits
};

}  // namespace wormcast
