// How the copy engine moves worms (copy_engine.cpp): what it knows of each hop, buffer and worm.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simulation/engines/engine_core.hpp"
#include "simulation/queues/recent_cycles.hpp"

namespace wormcast {

class CopyMotion final : public Motion {
 public:
  CopyMotion(EngineCore& core, const SimulationOptions& options);

 private:
  /// Of a hop. Of a worm that is computed only the first two occur.
  enum class State : std::uint8_t { idle, granted, asleep, due, done };
  /// Of a hop, and of the buffer (or the source) at its end.
  struct Flow {
    std::uint64_t crossed = 0;     ///< flits, into the hop
    std::uint64_t left = 0;        ///< flits, out of its end in every branch
    std::uint64_t base = 0;        ///< place of flit 0 in the stream through the buffer
    Cycle first = 0;               ///< when the header crossed
    Cycle last = 0;                ///< when the last of `crossed` did
    Cycle last_left = 0;           ///< when the last of `left` did
    std::uint32_t taken = 0;       ///< branches that have taken the flit at the end's head
    std::uint32_t branches = 0;    ///< hops that follow
    std::uint32_t level = 0;       ///< hops before it
    std::uint32_t behind = kNone;  ///< early reuse: the hop of the next worm in the buffer
    State state = State::idle;
    bool ahead = false;           ///< early reuse: another worm's tail is still ahead in the buffer
    bool header_sent = false;     ///< computed: the header is scheduled already
    bool tail_known = false;      ///< consumption: its tail was known ahead
    std::uint64_t in_window = 0;  ///< flits that have crossed within the window of an open-loop run
    RecentCycles came;            ///< when flits crossed
  };
  /// The buffer at the end of a channel, with early reuse across worms.
  struct Buffer {
    std::uint64_t promised = 0;  ///< flits of all worms granted since the stream began
    Cycle passable = 0;          ///< F after the last tail left; computed: it may lie ahead
    std::uint32_t last_hop =
        kNone;              ///< of the worm granted last, while its tail is in here; computed: and after
    bool computed = false;  ///< the stream is one worm, and that was computed when it was granted
    RecentCycles freed;     ///< when flits left
  };
  /// Of a worm.
  struct Progress {
    bool computed = false;      ///< nothing has made it wait; else its flits are moved
    bool has_channels = false;  ///< it crosses more than injection and consumption channels
    bool shared = false;        ///< in this cycle it was granted a buffer that is not as good as empty
    std::uint32_t levels = 0;   ///< of its tree
    std::uint32_t level = 0;    ///< computed: the last that was granted, all of it in the cycle that was due
    std::uint32_t known = 0;    ///< computed: levels of which tails are known
    std::uint32_t granted = 0;  ///< computed: hops of the next level that were granted in this cycle
    std::uint32_t reach = 0;    ///< K, or `levels` where that is less
    Cycle cycle = 0;            ///< computed: when `level` was granted
  };

  std::string_view name() const override { return "copy"; }
  void worm_added(std::uint32_t worm) override;
  void move(const std::vector<std::uint32_t>& granted) override;
  std::uint64_t crossed_in_window(std::uint32_t hop, Cycle end) override;
  void begin_window(const WindowOptions& window) override {
    window_from_ = window.warmup_cycles;
    window_cycles_ = window.measure_cycles;
  }

  // Worms that are computed (copy_engine.cpp).
  void take_grant(std::uint32_t slot);
  void settle_level(std::uint32_t worm_slot);
  void complete_level(std::uint32_t worm_slot);
  void know_tails(WormState& worm, Progress& progress, std::uint32_t until);
  void know_tail(WormState& worm, std::uint32_t slot, Cycle tail);
  void turn_to_flits(std::uint32_t worm_slot);
  void place_flits(const WormState& worm, std::uint32_t slot);
  void place_buffer(std::uint32_t slot);
  bool as_good_as_empty(const Buffer& buffer) const;
  std::uint64_t crossed_before(Cycle header, std::uint64_t flits, Cycle cycle) const;
  template <class Visit>
  void for_each_of_level(const WormState& worm, std::uint32_t level, Visit visit) const;

  // Worms whose flits are moved (copy_flits.cpp).
  void activate(std::uint32_t slot);
  void stand_behind(std::uint32_t slot, Buffer& buffer);
  void look(std::uint32_t slot);
  void wake(std::uint32_t slot) {
    if (flows_[slot].state == State::asleep) look(slot);
  }
  void due_in(std::uint32_t slot, Cycle cycle);
  void cross(std::uint32_t slot);
  void header_crosses(std::uint32_t slot);
  void tail_crosses(std::uint32_t slot);
  void leave(std::uint32_t node);
  void tail_leaves(std::uint32_t node, Buffer& buffer);

  bool early(const Hop& hop) const { return early_reuse_ && hop.is_network(); }
  Buffer& buffer_of(const Hop& hop) { return buffers_[hop.resource.value]; }

  bool early_reuse_;  ///< of channels between routers
  bool computes_;     ///< worms can be computed at all
  std::uint64_t buffer_flits_;
  Cycle flit_cycles_;
  Cycle credit_cycles_;
  Cycle window_from_ = 0;             ///< of an open-loop run
  Cycle window_cycles_ = 0;           ///< 0: there is none, or none yet
  std::vector<Flow> flows_;           ///< by hop slot
  std::vector<Progress> progress_;    ///< by worm slot
  std::vector<std::uint32_t> order_;  ///< from a worm's first slot on: its hops by level
  std::vector<std::uint32_t> ends_;   ///< the same: where in `order_` each level ends, from the first slot on
  PagedArray<Buffer> buffers_;        ///< by resource
  std::vector<std::uint32_t> touched_;   ///< of a cycle: computed worms that were granted something
  std::vector<std::uint32_t> due_now_;   ///< hops that are due in this cycle
  std::vector<std::uint32_t> next_due_;  ///< in the next one
};

template <class Visit>
void CopyMotion::for_each_of_level(const WormState& worm, std::uint32_t level, Visit visit) const {
  const std::uint32_t begin = level == 0 ? 0 : ends_[worm.first + level - 1];
  for (std::uint32_t i = begin; i < ends_[worm.first + level]; ++i) visit(order_[worm.first + i]);
}

inline void CopyMotion::due_in(std::uint32_t slot, Cycle cycle) {
  if (cycle <= now())
    due_now_.push_back(slot);
  else if (cycle == now() + 1)
    next_due_.push_back(slot);
  else
    flit_due(slot, cycle);
}

/// When the hop's next flit can cross; asleep while that is not known.
inline void CopyMotion::look(std::uint32_t slot) {
  Flow& flow = flows_[slot];
  flow.state = State::asleep;
  const Hop& hop = pool_.hop(slot);
  const Flow& node = flows_[hop.parent];
  const std::uint64_t flit = flow.crossed;
  if (node.left != flit) return;  // a branch beside it has yet to take the flit before
  Cycle cycle = flit == 0 ? 0 : node.last_left + flit_cycles_;
  const Hop& before = pool_.hop(hop.parent);
  if (before.kind != HopKind::injection) {
    if (node.crossed <= flit) return;
    cycle = std::max(cycle, node.came[flit] + hop_cycles(before));
  }
  if (hop.is_channel()) {
    const std::uint64_t place = flow.base + flit;
    if (place >= buffer_flits_) {
      const RecentCycles& freed = buffer_of(hop).freed;
      if (freed.count() <= place - buffer_flits_) return;
      cycle = std::max(cycle, freed[place - buffer_flits_] + credit_cycles_);
    }
  } else if (flit >= buffer_flits_ && waits_for_node(hop)) {
    cycle = std::max(cycle, flow.came[flit - buffer_flits_] + model().consumption_cycles);
  }
  flow.state = State::due;
  due_in(slot, cycle);
}

}  // namespace wormcast
