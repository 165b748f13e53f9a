// How the link engine moves flits (link_engine.cpp): what it knows of each group, and of each link.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/engines/engine_core.hpp"

namespace wormcast {

class LinkMotion final : public Motion {
 public:
  LinkMotion(EngineCore& core, const Topology& topology, const SimulationOptions& options)
      : Motion(core),
        topology_(topology),
        uniform_(topology.uniform_hop_cycles()),
        shared_links_(options.model.shared_links),
        buffer_flits_(options.model.buffer_flits),
        flit_cycles_(options.model.flit_cycles),
        credit_cycles_(options.model.credit_cycles) {
    if (options.window && !options.window->sought()) LinkMotion::begin_window(*options.window);
  }

  void adopt(Crossings& past, Cycle from);

 private:
  enum class State : std::uint8_t { idle, due, asleep, done };
  struct Link {
    Cycle free_from = 0;
    std::uint32_t pointer = 0;        ///< virtual channel that has the first choice
    std::uint32_t crossing = 0;       ///< groups that have been granted it and have flits to come
    std::uint32_t candidate = kNone;  ///< in this cycle
  };
  /// Stands at the slot of its node (copies together) or of its hop (each by itself). What every flit needs
  /// fills the first cache line.
  struct alignas(64) Crossing {
    std::uint64_t crossed = 0;     ///< flits
    std::uint64_t flits = 0;       ///< of the worm
    Cycle last = 0;                ///< when the last one crossed
    Cycle* cycles = nullptr;       ///< in which the last of them crossed, flit f at f & mask
    std::uint64_t mask = 0;        ///< one less than the size of `kept`
    Link* link = nullptr;          ///< where exactly one is shared
    std::uint32_t before = kNone;  ///< the group whose flits come to the node; none: it is the source
    std::uint32_t behind = kNone;  ///< the group at the end of its channel, where there is just one
    std::uint32_t hop_cycles = 0;  ///< of the way from `before` to the node
    State state = State::idle;
    bool plain = false;  ///< one channel or none, one group behind it or none, nothing waits for the node
    bool links = false;  ///< it needs shared links
    bool joint = false;
    std::uint64_t in_window = 0;  ///< flits that have crossed within the window of an open-loop run
    std::vector<Cycle> kept;
    std::uint32_t node = kNone;
    std::uint32_t hop = kNone;  ///< the first, or the one
    std::uint32_t open = 0;     ///< at the slot of a node: groups there that have not crossed all flits
    std::uint32_t vc = 0;       ///< of `link`
  };
  static_assert(sizeof(Crossing) == 128);
  /// A group that stands for election at a link.
  struct Candidate {
    Link* link;
    std::uint32_t channel;
    std::uint32_t vc;
    std::uint32_t hop;
    std::uint32_t group;
    std::uint32_t next;  ///< of the same link
  };

  std::string_view name() const override { return "link"; }
  void worm_added(std::uint32_t worm) override;
  void move(const std::vector<std::uint32_t>& granted) override;
  bool crossed_in_window(const WormState& worm, Cycle end, std::vector<std::uint64_t>& flits) override;
  void begin_window(const WindowOptions& window) override {
    window_from_ = window.warmup_cycles;
    window_cycles_ = window.measure_cycles;
  }

  std::uint32_t hop_cycles(const Hop& hop) const;
  bool waits_for_node(const Hop& hop) const;
  std::uint32_t group_of(const Hop& hop, std::uint32_t slot) const;
  void set_group(const WormState& worm, std::uint32_t slot);
  template <class Visit>
  void for_each_hop(const Crossing& group, Visit visit) const;
  template <class Visit>
  void for_each_group_at(std::uint32_t node, bool joint, Visit visit);
  Cycle cycle_of(const Crossing& group, std::uint64_t flit) const { return group.cycles[flit & group.mask]; }
  void keep(Crossing& group, Cycle cycle);
  void keep_more(Crossing& group);
  static void set_kept(Crossing& group, std::vector<Cycle> kept) {
    group.kept = std::move(kept);
    group.cycles = group.kept.data();
    group.mask = group.kept.size() - 1;
  }
  Cycle room_from(const Crossing& group);
  Cycle room_from_all(const Crossing& group);
  void look(std::uint32_t slot);
  void wake(std::uint32_t slot) {
    if (crossings_[slot].state == State::asleep) look(slot);
  }
  void cross(std::uint32_t slot);
  void header_crosses(const Crossing& group);
  void tail_crosses(const Crossing& group);
  /// Nearly all are due in the next cycle: those need no calendar.
  void due_in(std::uint32_t slot, Cycle cycle) {
    cycle == now() + 1 ? next_due_.push_back(slot) : flit_due(slot, cycle);
  }
  void ask(std::uint32_t slot);
  template <class Visit>
  void for_each_link(const Crossing& group, Visit visit);
  void count_on_links(const Crossing& group, int more);
  Cycle links_free_from(const Crossing& group);
  void take_link(Link& link, std::uint32_t vc);
  void ask_for_several(std::uint32_t slot);
  void stand_for_election(std::uint32_t slot);
  bool comes_before(const Candidate& a, const Candidate& b) const;
  void elect_one_by_one();
  void elect_in_order();
  void adopt_worm(std::uint32_t worm_slot, Crossings& past, Cycle from);
  void adopt_links();

  const Topology& topology_;
  bool uniform_;  ///< every link takes the model's H
  bool shared_links_;
  std::uint64_t buffer_flits_;
  Cycle flit_cycles_;
  Cycle credit_cycles_;
  Cycle window_from_ = 0;                ///< of an open-loop run
  Cycle window_cycles_ = 0;              ///< 0: there is none, or none yet
  std::vector<Crossing> crossings_;      ///< by hop slot
  PagedArray<Link> links_;               ///< by channel
  std::vector<std::uint32_t> next_due_;  ///< groups that are due in the next cycle
  std::vector<std::uint32_t> granted_;   ///< scratch of a cycle: groups
  std::vector<std::uint32_t> due_now_;   ///< the same
  std::vector<Candidate> candidates_;
  bool several_links_ = false;                   ///< some candidate needs more than one
  std::vector<std::vector<Cycle>> past_cycles_;  ///< scratch of adopt_worm
  std::vector<std::uint64_t> past_flits_;
};

inline std::uint32_t LinkMotion::group_of(const Hop& hop, std::uint32_t slot) const {
  return pool_.worm(hop.worm).joint ? hop.parent : slot;
}

template <class Visit>
void LinkMotion::for_each_hop(const Crossing& group, Visit visit) const {
  if (!group.joint) return visit(group.hop);
  for (std::uint32_t at = group.hop; at != kNone; at = pool_.hop(at).next_sibling) visit(at);
}

template <class Visit>
void LinkMotion::for_each_group_at(std::uint32_t node, bool joint, Visit visit) {
  const std::uint32_t first = pool_.hop(node).first_child;
  if (first == kNone) return;
  if (joint) return visit(node);
  for (std::uint32_t at = first; at != kNone; at = pool_.hop(at).next_sibling) visit(at);
}

/// Calls `visit` with every shared link of the group, and the hop that needs it.
template <class Visit>
void LinkMotion::for_each_link(const Crossing& group, Visit visit) {
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (hop.is_network()) visit(links_[hop.target], hop, at);
  });
}

/// Flit `crossed` crosses in `cycle`. Of the flits kept none that anybody asks for is written over: there are
/// B, or all.
inline void LinkMotion::keep(Crossing& group, Cycle cycle) {
  if (group.crossed > group.mask && group.mask + 1 < buffer_flits_) [[unlikely]]
    keep_more(group);
  group.last = cycle;
  group.cycles[group.crossed++ & group.mask] = cycle;
}

/// From when on every buffer ahead has a slot for the next flit, or kNever while that is not known.
inline Cycle LinkMotion::room_from(const Crossing& group) {
  if (group.crossed < buffer_flits_) return 0;
  if (!group.plain) [[unlikely]]
    return room_from_all(group);
  if (group.behind == kNone) return 0;
  const Crossing& behind = crossings_[group.behind];
  const std::uint64_t freeing = group.crossed - buffer_flits_;
  return behind.crossed <= freeing ? kNever : cycle_of(behind, freeing) + credit_cycles_;
}

/// When the group's next flit can cross, as far as flits decide; asleep while that is not known.
inline void LinkMotion::look(std::uint32_t slot) {
  Crossing& group = crossings_[slot];
  group.state = State::asleep;
  Cycle cycle = group.last + flit_cycles_;
  if (group.before != kNone) {
    const Crossing& before = crossings_[group.before];
    if (before.crossed <= group.crossed) return;
    cycle = std::max(cycle, cycle_of(before, group.crossed) + group.hop_cycles);
  }
  const Cycle room = room_from(group);
  if (room == kNever) return;
  group.state = State::due;
  due_in(slot, std::max(cycle, room));
}

}  // namespace wormcast
