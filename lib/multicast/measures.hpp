// What is counted on a plan's worms: traffic, longest path and longest chain; and their nominal steps, in
// which they are sent if every message takes one step.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Hops count router-to-router channels only.
struct PlanMeasures {
  std::uint64_t traffic_channels = 0;    ///< over all worms, with multiplicity
  std::uint64_t longest_path_hops = 0;   ///< longest source–leaf path of one worm
  std::uint64_t longest_chain_hops = 0;  ///< the same, counted from the multicast's source along `after`

  friend bool operator==(const PlanMeasures&, const PlanMeasures&) = default;
};

/// Adds up a plan worm by worm, in plan order.
class MeasureSum {
 public:
  /// `depths[i]` = hops from the worm's source to stop i; `channels` = all its hops.
  void add(const Worm& worm, const std::vector<std::uint64_t>& depths, std::uint64_t channels);
  /// A path worm of a plan in which no worm waits for another.
  void add_path(std::uint64_t hops);
  const PlanMeasures& total() const { return total_; }
  void clear();

 private:
  struct Arrival {
    std::uint32_t host;
    std::uint64_t hops;
  };
  PlanMeasures total_;
  std::vector<std::vector<Arrival>> arrivals_;  ///< of each worm added, where it is consumed
  std::size_t worms_ = 0;
};

/// The measures of `worms` without listing their channels. The worms must fit the network (expand
/// checks that of foreign plans).
PlanMeasures measure(const std::vector<Worm>& worms, const RoutingFunction& routing);

/// Where a worm stands in the tree of messages. Worms need only `source` and `after`.
struct Send {
  std::uint32_t step = 0;  ///< nominal: one after the send before it, or after the message's arrival; from 1
  std::uint32_t position = 0;  ///< of its receiver in the ordered chain of a unicast tree
};

/// What nodes send: of those that one arrival readies, each sends its own worms one after the other, in
/// plan order. `AnyWorm` has a source and an `after`, the index of a worm before it or −1.
class Senders {
 public:
  /// O(worms · nodes that one arrival readies).
  template <class AnyWorm>
  explicit Senders(const std::vector<AnyWorm>& worms) : of_(worms.size()), readied_(worms.size() + 1) {
    for (std::size_t i = 0; i < worms.size(); ++i) {
      std::vector<std::size_t>& readied = readied_[slot_after(worms[i].after)];
      auto sender = std::find_if(readied.begin(), readied.end(), [&](std::size_t known) {
        return worms[sends_[known].front()].source == worms[i].source;
      });
      if (sender == readied.end()) {
        sender = readied.insert(readied.end(), sends_.size());
        sends_.emplace_back();
      }
      of_[i] = *sender;
      sends_[*sender].push_back(i);
    }
  }

  std::size_t count() const { return sends_.size(); }
  /// The sender of a worm.
  std::size_t of(std::size_t worm) const { return of_[worm]; }
  /// Its worms.
  const std::vector<std::size_t>& sends(std::size_t sender) const { return sends_[sender]; }
  /// Senders that begin when the message is at the source (0), or when worm i has arrived (i + 1).
  const std::vector<std::size_t>& readied_by(std::size_t arrival) const { return readied_[arrival]; }

 private:
  std::vector<std::size_t> of_;
  std::vector<std::vector<std::size_t>> sends_;
  std::vector<std::vector<std::size_t>> readied_;
};

/// The nominal step of every worm: each of Senders sends from the step after the arrival on. The positions
/// number the worms so that everything that follows from a node's later send comes before what follows from
/// an earlier one; where recursive halving made the tree, that is the order of its chain. O(worms).
std::vector<Send> schedule(const std::vector<Worm>& worms);

/// Fewest steps in which unicasts can inform `nodes` nodes, one of them informed: ⌈log2 nodes⌉.
std::uint32_t least_steps(std::uint64_t nodes);

}  // namespace wormcast
