// How the worm engine works out when tails follow (worm_engine.cpp): what it knows of worms and their hops.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulation/engines/engine_core.hpp"
#include "simulation/engines/link_motion.hpp"

namespace wormcast {

class WormMotion final : public Motion {
 public:
  WormMotion(EngineCore& core, const SimulationOptions& options)
      : Motion(core),
        window_(options.window),
        flits_(core, options),
        credit_bound_(slot_cycles() > buffer_cycles()),
        header_cycles_(Cycle{model().hop_cycles} + model().routing_cycles),
        step_cycles_(credit_bound_ ? model().hop_cycles : buffer_cycles() - model().credit_cycles) {}

 private:
  /// Of a tree's hops that cross together, at the slot of their node (copies together), or of a hop alone.
  struct TreeGroup {
    Cycle tail = 0;  ///< when the tail crosses: S as far as it is known, then T
    /// Headers up to K steps below that have not crossed; where all below are within K steps, instead its own
    /// header and the groups next below that miss any.
    std::uint32_t missing = 0;
    std::uint32_t open = 0;       ///< groups at the end of the hop in this slot whose tails are not known
    Cycle last_left = 0;          ///< the latest of their tails
    std::uint32_t above = kNone;  ///< the group before this one on the way from the source
    bool known = false;           ///< the tail is final
  };
  /// What depends on a worm's length alone, and how far a path has come.
  struct Progress {
    Cycle body = 0;           ///< the part of the formula without t, a and δ
    std::uint32_t reach = 0;  ///< K, or the number of its hops where that is less
    std::uint32_t ahead = 0;  ///< path: groups whose headers have crossed, but whose tails are not known
    std::uint32_t node = 0;   ///< path: the hop at whose end the first of them is
    bool shallow = false;     ///< tree: no group is more than K steps below another
  };

  /// Of a hop of joined parts.
  struct JoinHop {
    Cycle tail = 0;               ///< T, once it is known
    std::uint32_t first = kNone;  ///< of the hops whose tails are known when this one's header has crossed
    std::uint32_t next = kNone;   ///< the next of those that are known with this one
    std::uint32_t depth = 0;      ///< steps to the root
  };

  std::string_view name() const override { return "worm"; }
  void worm_added(std::uint32_t worm) override;
  void move(const std::vector<std::uint32_t>& granted) override;
  std::uint64_t crossed_in_window(std::uint32_t hop, Cycle end) override;
  Cycle last_crossing() override;
  void begin_window(const WindowOptions& window) override {
    window_ = window;
    flits_.begin_window(window);
  }

  void path_header(WormState& worm, Progress& progress, const Hop& hop, std::uint32_t slot);
  void raise_tails(const Progress& progress, const Hop& hop, std::uint32_t slot);
  void path_tail_known(WormState& worm, Progress& progress);

  void tree_group_granted(std::uint32_t worm_slot, std::uint32_t hop);
  void tree_added(const WormState& worm, Progress& progress);
  template <class Visit>
  void for_each_above(std::uint32_t group, std::uint32_t reach, Visit visit);
  void tree_header(std::uint32_t worm_slot, std::uint32_t group);
  std::uint32_t shallow_header(std::uint32_t group, Cycle tail);
  void settle_tails(const WormState& worm, std::uint32_t group);
  void tree_tail_known(const WormState& worm, std::uint32_t group);
  void left_node(const WormState& worm, std::uint32_t node, Cycle tail);

  void joins_added(const WormState& worm, const Progress& progress);
  void join_header(WormState& worm, const Progress& progress, std::uint32_t hop);
  Cycle joined_crossing(std::uint32_t hop, std::uint64_t reach, Cycle body) const;
  std::uint64_t joined_before(std::uint32_t hop, Cycle end, Cycle& last) const;

  void consumed(std::uint32_t hop, Cycle tail);
  Cycle buffer_cycles() const { return std::uint64_t{model().buffer_flits} * model().flit_cycles; }
  Cycle slot_cycles() const { return std::uint64_t{model().hop_cycles} + model().credit_cycles; }

  std::optional<WindowOptions> window_;
  LinkMotion flits_;     ///< of a worm that the window cuts
  WormName cut_;         ///< the last such worm that flits_ has followed
  Cycle cut_end_ = 0;    ///< until that
  bool credit_bound_;    ///< slow credits: a flit waits for its slot longer than B flits take
  Cycle header_cycles_;  ///< from hop to hop, for a header; other flits take H
  Cycle step_cycles_;  ///< what each step down takes off: B·F − C, or H where it replaces a pair of C and H
  std::vector<TreeGroup> groups_;        ///< by hop slot
  std::vector<JoinHop> joins_;           ///< by hop slot
  std::vector<std::uint32_t> settling_;  ///< scratch: groups whose tails have just become known
  std::vector<std::uint32_t> depths_;    ///< scratch: groups above each of a worm's hops
  std::vector<Cycle> tails_;  ///< by the slot of the last hop of a path's group: its tail, as far as known
  std::vector<Progress> progress_;  ///< by worm slot
  Cycle last_consumed_ = 0;         ///< the latest tail so far
};

}  // namespace wormcast
