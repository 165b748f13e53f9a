// How flits follow the headers: the part of an engine in which engines differ.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "simulation/engine.hpp"
#include "simulation/engines/worm_pool.hpp"

namespace wormcast {

class EngineCore;

class Motion {
 public:
  explicit Motion(EngineCore& core);
  virtual ~Motion() = default;
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  /// As in Engine::name().
  virtual std::string_view name() const = 0;
  /// The worm's hops are all idle; motions size their own arrays here.
  virtual void worm_added(std::uint32_t worm) = 0;
  /// The last phase of a cycle. `granted` are hops held from this cycle on with which everything that leaves
  /// the end of their parent together is held: all children where copies move together, else the hop alone.
  virtual void move(const std::vector<std::uint32_t>& granted) = 0;
  /// The hop has just been granted a channel that is let go of while flits of its last worm may still stand
  /// in the buffer behind it (early reuse); perhaps cycles before what leaves with it.
  virtual void held_early(std::uint32_t /*hop*/) {}
  /// Where grants need slots: from when on, as far as that is known, the header can enter the hop, which is
  /// not granted; kNever where slots have yet to be given back.
  virtual Cycle slot_for_header(const Hop& /*hop*/) { return 0; }
  /// The worm whose flits came last into the buffer that the hop enters: its hop, or kNone.
  virtual std::uint32_t last_in_buffer(const Hop& /*hop*/) const { return kNone; }
  /// The tail is the next flit to leave the end of `node`, and stands there.
  virtual bool tail_is_next(std::uint32_t /*node*/) { return false; }
  /// Goes on where another motion has moved the worms under way, in all cycles before `from`. What that
  /// foresaw of later cycles has been forgotten. Worms have used only one virtual channel of each link, by
  /// channel: 1 + its number, 0 where none has been asked for.
  virtual void take_over(Cycle /*from*/, const PagedArray<std::uint8_t>& /*link_vcs*/) {}
  /// How many flits of its worm have started to cross the hop within the window of an open-loop run that ends
  /// with `end`; where the motion counts them.
  virtual std::uint64_t crossed_in_window(std::uint32_t /*hop*/, Cycle /*end*/) { return 0; }
  /// The window of an open-loop run is known only now; nothing of it has been simulated.
  virtual void begin_window(const WindowOptions& /*window*/) {}

 protected:
  // What follows from moves. Cycles may lie ahead, never behind.
  void header_due(std::uint32_t node, Cycle cycle);
  /// `hop` of the worm is free again from `cycle` on.
  void release_due(WormState& worm, std::uint32_t hop, Cycle cycle);
  void release_due(std::uint32_t hop, Cycle cycle) { release_due(pool_.worm_of(pool_.hop(hop)), hop, cycle); }
  void tick_due(Cycle cycle);
  /// The hop, which is idle, is requested at `cycle`.
  void request_due(std::uint32_t hop, Cycle cycle);
  /// A slot of the buffer that `hop` enters can be used from `cycle` on.
  void slot_due(std::uint32_t hop, Cycle cycle);
  /// Something moves in this cycle.
  void moves();
  /// `hop` will stand in due_ in that cycle's move().
  void flit_due(std::uint32_t hop, Cycle cycle);
  /// The worm's tail starts to move into consumption channel `hop` at `cycle`.
  void tail_consumed(std::uint32_t hop, Cycle cycle);
  /// A further way in which `hop` can come to wait, for engines where buffers hold several worms.
  void suspect(std::uint32_t hop);
  /// DeadlockSearch::set_ahead().
  void set_ahead(std::uint32_t hop, std::uint32_t ahead);

  const RouterModel& model() const;
  const Topology& topology() const;
  bool vcs_share_links() const;
  Cycle now() const;
  /// H of the hop: a link's own where it has one.
  std::uint32_t hop_cycles(const Hop& hop) const;
  /// A consumption channel whose flits can come to wait for the node's credits: those of a worm without
  /// channels, and those that come over links faster than the model's. Elsewhere the buffer before is as
  /// narrow.
  bool waits_for_node(const Hop& hop) const;

  WormPool& pool_;
  bool uniform_;  ///< every link takes the model's H
  std::vector<std::uint32_t> due_;

 private:
  friend class EngineCore;

  EngineCore& core_;
};

using MakeMotion = std::unique_ptr<Motion> (*)(EngineCore& core, const SimulationOptions& options);
/// Looks at every flit in every cycle (flit_engine.cpp).
std::unique_ptr<Motion> make_flit_motion(EngineCore& core, const SimulationOptions& options);
/// Moves every flit in the cycle in which it can (link_engine.cpp).
std::unique_ptr<Motion> make_link_motion(EngineCore& core, const SimulationOptions& options);
/// Works out when the tails follow (worm_engine.cpp).
std::unique_ptr<Motion> make_worm_motion(EngineCore& core, const SimulationOptions& options);

}  // namespace wormcast
