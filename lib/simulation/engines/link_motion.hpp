// How the link and flit engines move flits (link_engine.cpp): what is known of each group of hops, link and
// buffer.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulation/engines/engine_core.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Cycles in which flits did something, in order. The latest `most` are kept, or all: nothing asks for older.
class RecentCycles {
 public:
  std::uint64_t count() const { return count_; }
  Cycle operator[](std::uint64_t flit) const { return cycles_[flit & mask_]; }
  /// The latest.
  Cycle last() const { return cycles_[(count_ - 1) & mask_]; }
  void add(Cycle cycle, std::uint64_t most) {
    if (count_ > mask_ && mask_ + 1 < most) [[unlikely]]
      widen(2 * (mask_ + 1));
    cycles_[count_++ & mask_] = cycle;
  }
  /// There is none, and last() is what it is told to be; to be called before everything else.
  void clear(Cycle last = 0) {
    if (cycles_ == nullptr) widen(8);
    count_ = 0;
    cycles_[mask_] = last;
  }
  /// As if `count` had been added, `step` cycles apart, the last one at `last`.
  void fill(std::uint64_t count, Cycle last, Cycle step, std::uint64_t most) {
    clear();
    const std::uint64_t kept = std::min(count, most);
    while (mask_ + 1 < kept) widen(2 * (mask_ + 1));
    count_ = count;
    for (std::uint64_t i = 0; i < kept; ++i) cycles_[(count - 1 - i) & mask_] = last - i * step;
  }

 private:
  [[gnu::noinline]] void widen(std::uint64_t size) {
    auto wider = std::make_unique<Cycle[]>(size);
    for (std::uint64_t at = 0; at < std::min(count_, size / 2); ++at)
      wider[(count_ - 1 - at) & (size - 1)] = (*this)[count_ - 1 - at];
    cycles_ = std::move(wider);
    mask_ = size - 1;
  }

  std::unique_ptr<Cycle[]> cycles_;  ///< flit f at f modulo the size, a power of two
  std::uint64_t mask_ = 0;           ///< the size − 1
  std::uint64_t count_ = 0;
};

class LinkMotion final : public Motion {
 public:
  /// `computes`: worms that nothing makes wait; else the flit engine.
  LinkMotion(EngineCore& core, const SimulationOptions& options, bool computes = true)
      : Motion(core),
        name_(computes ? "link" : "flit"),
        registers_(options.model.discipline().registers),
        windows_(options.windows),
        slots_count_(grants_need_slots(options.model)),
        shared_links_(vcs_share_links(options.model, topology())),
        per_flit_(options.model.discipline().copies_flit_by_flit()),
        early_reuse_(options.model.reuses_early()),
        buffer_flits_(options.model.buffer_flits),
        flit_cycles_(options.model.flit_cycles),
        credit_cycles_(options.model.credit_cycles),
        source_flits_(options.model.discipline().buffers_sources ? buffer_flits_ : kNever),
        steady_(topology().alike(LinkValue::flit_cycles) && topology().alike(LinkValue::buffer_flits) &&
                source_flits_ == kNever && registers_ == 0),
        spacing_(topology().least(LinkValue::flit_cycles, options.model.flit_cycles)),
        kept_flits_(topology().most(LinkValue::buffer_flits, options.model.buffer_flits) + registers_),
        computes_(computes && !slots_count_ && per_flit_ && !shared_links_ && uniform_ &&
                  options.model.routing_cycles == 0 &&
                  Cycle{options.model.hop_cycles} + credit_cycles_ <= buffer_flits_ * flit_cycles_) {
    if (options.window && !options.window->sought()) LinkMotion::begin_window(*options.window);
  }

  /// Works out how far the worm, which another motion moves, has come before `end`, where no flit of it has
  /// waited for another worm's. crossed_in_window() is known then.
  void follow(const WormState& worm, Cycle end);
  /// When a flit of such a worm crossed last; 0 where none has.
  Cycle last_crossing_of(const WormState& worm);
  std::uint64_t crossed_in_window(std::uint32_t hop, Cycle end) override;
  void begin_window(const WindowOptions& window) override {
    window_from_ = window.warmup_cycles;
    window_cycles_ = window.measure_cycles;
  }

 private:
  enum class State : std::uint8_t { idle, due, asleep, done };
  struct Link {
    Cycle free_from = 0;
    std::uint32_t pointer = 0;  ///< virtual channel that has the first choice
    std::uint32_t flit_cycles = 1;
    std::uint32_t crossing = 0;  ///< groups that have been granted it and have flits to come
  };
  /// The buffer at the end of a channel, where it is not simply one group that empties it: several do, or
  /// those of several worms. With early reuse the worms that use it one after the other are one stream.
  struct Buffer {
    RecentCycles freed;              ///< when flits left
    std::uint32_t entering = kNone;  ///< the group that fills it, or did so last
    std::uint32_t last_hop = kNone;  ///< of the worm granted last, while its tail is in here
    std::uint64_t promised = 0;      ///< flits of all worms granted so far
    Cycle passable = 0;              ///< F after the last tail left; computed: it may lie ahead
    Cycle entered = kNever;          ///< when the last flit started to, where there is a register before it
    bool computed = false;           ///< the stream is one worm, and that was computed when it was granted
  };
  /// Stands at the slot of its node (copies together) or of its hop (each by itself). What every flit needs
  /// fills the first cache line.
  struct alignas(64) Crossing {
    RecentCycles cycles;           ///< in which flits crossed
    std::uint64_t flits = 0;       ///< of the worm
    Buffer* in = nullptr;          ///< that the flits leave; none: `before` is what fills it, if anything
    Buffer* out = nullptr;         ///< that they go to, if that is just one; none: `behind` empties it
    std::uint32_t before = kNone;  ///< the group whose flits come to the node; none: it is the source
    std::uint32_t behind = kNone;  ///< the group at the end of its channel, where there is just one
    std::uint32_t hop_cycles = 0;  ///< of the way from `before` to the node
    State state = State::idle;
    bool plain = false;           ///< all that a flit waits for is `before`, the flit before it, and `behind`
    bool alone = false;           ///< no other group is at the node
    bool links = false;           ///< it needs shared links
    std::uint64_t base = 0;       ///< place of flit 0 in the stream through `out`
    std::uint64_t in_window = 0;  ///< flits that have crossed within the window of an open-loop run
    Link* link = nullptr;         ///< where exactly one is shared
    std::uint32_t node = kNone;
    std::uint32_t hop = kNone;  ///< the first, or the one
    bool joint = false;
    bool several_behind = false;  ///< several groups at the ends of its channels
    std::uint8_t vc = 0;          ///< of `link`
    bool joins = false;           ///< its node is its hop, at which the flits of all hops before meet
    // At the slot of a node.
    std::uint32_t groups = 0;  ///< there
    std::uint32_t open = 0;    ///< of these, those that have not crossed all flits
    std::uint32_t taken = 0;   ///< flit by flit: of these, those that have crossed flit `left`
    std::uint64_t left = 0;    ///< several groups: flits that all of them have crossed
    Cycle last_left = 0;       ///< when the last of them did
  };
  static_assert(sizeof(Crossing) == 128);
  /// A worm's place in the buffer at the end of a hop.
  struct Place {
    std::uint64_t base = 0;        ///< of flit 0 in the stream through the buffer
    Cycle header = kNever;         ///< early reuse: when the header came in
    std::uint32_t behind = kNone;  ///< early reuse: the hop of the next worm
    bool queued = false;           ///< early reuse: it stands behind what was granted the channel before
    bool ahead = false;            ///< early reuse: the tail of the worm before is still in the buffer
    bool header_sent = false;      ///< computed: the header is scheduled already
    bool tail_known = false;       ///< consumption, computed: its tail was known ahead
    std::uint32_t level = 0;       ///< computed: hops before it
  };
  /// Of a worm that may be computed (computed_worms.cpp).
  struct Progress {
    bool computed = false;      ///< nothing has made it wait; else its flits are moved
    bool shared = false;        ///< in this cycle it was granted a buffer that is not as good as empty
    std::uint32_t levels = 0;   ///< of its tree
    std::uint32_t level = 0;    ///< the last that was granted, all of it in the cycle that was due
    std::uint32_t known = 0;    ///< levels of which tails are known
    std::uint32_t granted = 0;  ///< hops of the next level that were granted in this cycle
    std::uint32_t reach = 0;    ///< K, or `levels` where that is less
    Cycle cycle = 0;            ///< when `level` was granted
  };
  /// A group that stands for election at a link.
  struct Candidate {
    Link* link;
    std::uint32_t channel;
    std::uint32_t vc;
    std::uint32_t hop;
    std::uint32_t group;
  };

  std::string_view name() const override { return name_; }
  void worm_added(std::uint32_t worm) override;
  void move(const std::vector<std::uint32_t>& granted) override;
  void held_early(std::uint32_t slot) override {
    if (!per_flit_) stand_behind(slot);
  }
  Cycle slot_for_header(const Hop& hop) override;
  std::uint32_t last_in_buffer(const Hop& hop) const override {
    const Buffer* buffer = hop.is_network() ? buffers_.find(hop.resource.value) : nullptr;
    return buffer == nullptr ? kNone : buffer->last_hop;
  }
  bool tail_is_next(std::uint32_t node) override;
  void windows_open(Cycle from) override;
  void take_over(Cycle from, const PagedArray<std::uint8_t>& link_vcs) override;

  bool early(const Hop& hop) const { return early_reuse_ && hop.is_network(); }
  std::uint32_t group_of(const Hop& hop, std::uint32_t slot) const {
    return pool_.worm(hop.worm).together ? hop.parent : slot;
  }
  /// A group stands at the slot.
  bool is_group(const WormState& worm, std::uint32_t slot) const {
    return worm.together ? pool_.hop(slot).first_child != kNone : pool_.hop(slot).kind != HopKind::injection;
  }
  void set_groups(const WormState& worm);
  void set_group(const WormState& worm, std::uint32_t slot);
  template <class Visit>
  void for_each_hop(const Crossing& group, Visit visit) const;
  /// The hops whose ends its flits leave.
  template <class Visit>
  void for_each_before(const Crossing& group, Visit visit) const;
  template <class Visit>
  void for_each_group_at(std::uint32_t node, bool joint, Visit visit) const;
  /// When the last flit so far crossed one of the node's groups.
  Cycle last_crossing_at(std::uint32_t node, bool joint) const {
    Cycle last = 0;
    for_each_group_at(node, joint,
                      [&](std::uint32_t at) { last = std::max(last, crossings_[at].cycles.last()); });
    return last;
  }
  /// From when on there is room for the flit in a buffer of so many `slots`.
  Cycle room_from(const RecentCycles& freed, std::uint64_t flit, Cycle delay, std::uint64_t slots) const {
    if (flit < slots) return 0;
    return freed.count() <= flit - slots ? kNever : freed[flit - slots] + delay;
  }
  Cycle room_from_all(const Crossing& group, Cycle cycle) const;
  Cycle slot_from(const Hop& hop, const RecentCycles& freed, std::uint64_t place, Cycle cycle) const;
  [[gnu::noinline]] Cycle rare_crossing_after(const Crossing& group, Cycle cycle) const;
  const RecentCycles& freed_at(const Hop& hop, std::uint32_t slot) const {
    if (pool_.worm(hop.worm).joins) return buffers_.find(hop.resource.value)->freed;
    const Crossing& behind = crossings_[pool_.worm(hop.worm).together ? slot : hop.first_child];
    return behind.in != nullptr ? behind.in->freed : behind.cycles;
  }
  void look(std::uint32_t slot);
  Cycle next_crossing(const Crossing& group) const;
  // What is rare stands apart, so that what is not saves no registers.
  [[gnu::noinline]] Cycle next_crossing_after(const Crossing& group, Cycle cycle) const;
  [[gnu::always_inline]] void wake(std::uint32_t slot) {
    if (crossings_[slot].state == State::asleep) look(slot);
  }
  void begin(std::uint32_t slot);
  void cross(std::uint32_t slot);
  [[gnu::noinline]] void fill_registers(const Crossing& group);
  [[gnu::noinline]] void header_crosses(const Crossing& group);
  [[gnu::noinline]] void tail_crosses(const Crossing& group, Cycle cycle);
  bool has_left(const Crossing& group, Cycle cycle);
  void leave(const Crossing& group, Cycle cycle);
  [[gnu::noinline]] void leave_shared(std::uint32_t slot);
  [[gnu::noinline]] void wake_behind(const Crossing& group);
  void let_pass(std::uint32_t node, Buffer& buffer, Cycle cycle);
  /// Nearly all are due in the next cycle: those need no calendar.
  void due_in(std::uint32_t slot, Cycle cycle) {
    if (cycle == now() + 1)
      next_due_.push_back(slot);
    else if (cycle <= now())
      due_now_.push_back(slot);
    else
      core_.flit_due(slot, cycle);
  }
  void stand_behind(std::uint32_t slot);
  // Worms that nothing makes wait (computed_worms.cpp).
  bool find_levels(std::uint32_t worm);
  bool as_good_as_empty(const Buffer& buffer) const;
  void take_grant(std::uint32_t slot);
  void settle_level(std::uint32_t worm);
  void complete_level(std::uint32_t worm);
  void know_tails(WormState& worm, Progress& progress, std::uint32_t until);
  void know_tail(std::uint32_t slot, Cycle tail);
  void turn_to_flits(std::uint32_t worm);
  void follow_computed(Buffer& buffer);
  template <class Visit>
  void for_each_of_level(const WormState& worm, std::uint32_t level, Visit visit) const {
    const std::uint32_t begin = level == 0 ? 0 : ends_[worm.first + level - 1];
    for (std::uint32_t i = begin; i < ends_[worm.first + level]; ++i) visit(order_[worm.first + i]);
  }
  // What has happened (hand_over.cpp).
  Cycle header_crossing(const Crossing& group) const;
  void replay(const WormState& worm, Cycle from);
  void replay_flit(std::uint32_t slot, Cycle cycle);
  // Links that virtual channels share (link_engine.cpp).
  void ask(std::uint32_t slot);
  template <class Visit>
  void for_each_link(const Crossing& group, Visit visit);
  void count_on_links(const Crossing& group, int more);
  Cycle links_free_from(const Crossing& group);
  void take_link(Link& link, std::uint32_t vc) {
    link.free_from = now() + link.flit_cycles;
    link.pointer = vc + 1;
  }
  void stand_for_election(std::uint32_t slot);
  bool comes_before(const Candidate& a, const Candidate& b) const;
  void elect();

  std::string_view name_;
  std::uint32_t registers_;  ///< before a buffer
  HostWindows* windows_;     ///< of hosts, or nullptr: they take all
  bool slots_count_;         ///< headers wait for them without holding anything
  bool shared_links_;
  bool per_flit_;     ///< routers copy flit by flit
  bool early_reuse_;  ///< of channels between routers
  std::uint64_t buffer_flits_;
  Cycle flit_cycles_;
  Cycle credit_cycles_;
  std::uint64_t source_flits_;  ///< that stand before the outputs of a source
  bool steady_;               ///< all links have the model's F and B, and a flit asks for nothing but a slot
  Cycle spacing_;             ///< the least F
  std::uint64_t kept_flits_;  ///< the most that stand in a buffer and its register
  bool computes_;             ///< worms that nothing makes wait
  bool replaying_ = false;    ///< what happens is over: its tails have been told,
  bool releases_told_ = false;           ///< and all that follows from them
  Cycle ticked_ = kNever;                ///< when flits last filled registers
  Cycle window_from_ = 0;                ///< of an open-loop run
  Cycle window_cycles_ = 0;              ///< 0: there is none, or none yet
  std::vector<Crossing> crossings_;      ///< by hop slot
  PagedArray<Link> links_;               ///< by channel
  std::vector<Place> places_;            ///< by hop slot
  PagedArray<Buffer> buffers_;           ///< by resource
  std::vector<std::uint32_t> next_due_;  ///< groups that are due in the next cycle
  std::vector<std::uint32_t> due_now_;   ///< groups that are due in this one
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> unopened_;  ///< groups that have found a host's window closed, perhaps
  std::vector<Progress> progress_;       ///< by worm slot
  std::vector<std::uint32_t> order_;     ///< from a worm's first slot on: its hops by level
  std::vector<std::uint32_t> ends_;  ///< the same: where in `order_` each level ends, from the first slot on
  std::vector<std::uint32_t> touched_;  ///< of a cycle: computed worms that were granted something
};

template <class Visit>
void LinkMotion::for_each_hop(const Crossing& group, Visit visit) const {
  if (!group.joint) return visit(group.hop);
  for (std::uint32_t at = group.hop; at != kNone; at = pool_.hop(at).next_sibling) visit(at);
}

template <class Visit>
void LinkMotion::for_each_before(const Crossing& group, Visit visit) const {
  if (!group.joins) return visit(group.node);
  for (std::uint32_t at = pool_.hop(group.hop).first_child; at != kNone; at = pool_.hop(at).next_sibling)
    visit(at);
}

template <class Visit>
void LinkMotion::for_each_group_at(std::uint32_t node, bool joint, Visit visit) const {
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

/// When the group's next flit can cross as far as flits decide (a header: from its grant on); kNever while
/// that is not known.
[[gnu::always_inline]] inline Cycle LinkMotion::next_crossing(const Crossing& group) const {
  const std::uint64_t flit = group.cycles.count();
  Cycle cycle = group.cycles.last() + spacing_;
  if (group.before != kNone) {
    const RecentCycles& before = crossings_[group.before].cycles;
    if (before.count() <= flit) return kNever;
    cycle = std::max(cycle, before[flit] + group.hop_cycles);
  }
  if (!group.plain) return next_crossing_after(group, cycle);
  if (flit >= buffer_flits_ && group.behind != kNone)
    cycle = std::max(cycle, room_from(crossings_[group.behind].cycles, flit, credit_cycles_, buffer_flits_));
  return cycle;
}

}  // namespace wormcast
