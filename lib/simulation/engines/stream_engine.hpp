// What every engine does with its stream, and says of a run: multicasts are taken in, the clock runs up to
// the start of the last, deliveries go out, and the run ends with its window, its stream, or a deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "simulation/engine.hpp"
#include "simulation/engines/ledger.hpp"
#include "simulation/queues/calendar.hpp"
#include "simulation/route_check.hpp"

namespace wormcast {

class StreamEngine : public Engine {
 public:
  void take(Routes& routes) override;
  void advance() override;
  const Delivery* poll() override;
  void finish() override;
  bool stopped() const override { return stopped_; }
  Summary summary() const override;
  std::vector<ChannelLoad> channel_loads() const override;
  std::uint64_t events() const override { return event_count_; }
  /// Simulates every cycle before `limit`; nothing that comes starts sooner.
  void simulate_before(Cycle limit);

 protected:
  StreamEngine(const Topology& topology, const SimulationOptions& options);

  // What engines differ in. Worms have numbers, their slots.
  /// Simulates the cycles before `limit` until the run is stopped.
  virtual void run_before(Cycle limit) = 0;
  /// Makes ready for the routes, or throws InputError.
  virtual RouteNeeds prepare(Routes& routes) = 0;
  virtual std::uint32_t add_worm(const Routes& routes, std::uint32_t index, const MulticastState& state) = 0;
  /// `worm` starts when `before` has come to its source.
  virtual void follow(std::uint32_t before, std::uint32_t worm) = 0;
  /// The worm is ready at `cycle`.
  virtual void start(std::uint32_t worm, Cycle cycle) = 0;
  /// Parts of the reduction that waited may be ready.
  virtual void start_parts(std::uint32_t /*multicast*/) {}
  /// All worms of the multicast have been added; their slots are in slots_.
  virtual void added(const Request& /*request*/, const std::vector<WormRoute>& /*worms*/) {}
  /// The window of an open loop is known only now; nothing of it has been simulated.
  virtual void begin_window() {}
  /// Every cycle before `end` is over.
  virtual void retire_before(Cycle /*end*/) {}
  /// Nothing more comes, and nothing can move.
  virtual void end_stream() {}
  /// The run has ended with worms under way.
  virtual void settle_rest() = 0;

  const RouterModel& model() const { return options_.model; }
  /// A tail has come, or is known to. Multicasts that waited for it are ready.
  void arrived(std::uint32_t multicast, const TailArrival& arrival);
  /// Simulates every cycle before the start of the multicast taken last.
  void catch_up();
  void end_with(std::optional<Deadlock> deadlock);
  /// What a load is counted of.
  struct LoadName {
    std::uint32_t channel, vc;
    WormName worm;
  };
  /// The virtual channel was held, or its header waited for it, from `from` until `until`; so many flits
  /// crossed it, of an open loop in its window.
  void count_load(const LoadName& name, Cycle from, Cycle until, Cycle ChannelLoad::*cycles,
                  std::uint64_t flits = 0);

  const Topology* topology_;
  SimulationOptions options_;
  TimeBound time_bound_;
  Calendar calendar_;
  Ledger ledger_;
  Cycle now_ = 0;
  bool stopped_ = false;
  Cycle end_ = kNever;  ///< the first cycle that is not simulated, where the run was stopped
  std::uint64_t event_count_ = 0;
  std::uint64_t unfinished_worms_ = 0;  ///< that have not retired
  std::optional<Deadlock> deadlock_;
  std::vector<std::uint32_t> slots_;  ///< of the worms taken last

 private:
  void comes(MulticastState& state, std::size_t worms) {
    ledger_.comes(state, static_cast<std::uint32_t>(worms),
                  state.ready + model().startup_cycles + model().overhead_cycles);
  }
  bool saturated() const;
  void look_beyond();

  Cycle horizon_ = 0;          ///< the start of the multicast taken last
  Cycle simulated_ = 0;        ///< every cycle before it has been simulated
  std::uint32_t put_off_ = 0;  ///< how often advance() has left that to a later call
  bool finished_ = false;
  std::optional<Summary> counted_;  ///< of a run that was given up, before look_beyond()
  /// By slots of multicasts that wait for others: worms that start by themselves.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> starters_;
  /// By channel, virtual channel and worm, as far as they are told apart.
  std::map<std::tuple<std::uint32_t, std::uint32_t, WormName>, ChannelLoad> loads_;
  std::vector<std::uint32_t> ready_;  ///< scratch
};

}  // namespace wormcast
