// The state of multicasts in flight: what has arrived where, which wait for which, what is delivered.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "multicast/id_set.hpp"
#include "simulation/engine.hpp"
#include "simulation/queues/calendar.hpp"
#include "simulation/queues/paged_array.hpp"

namespace wormcast {

/// A part of a reduction, by its source.
struct PartState {
  Cycle ready = 0;         ///< its start, or later by what it depends on
  std::uint32_t open = 0;  ///< multicasts that have yet to reach its source
};

/// A multicast that waits for another one.
struct Dependent {
  std::uint32_t slot = 0;
  std::uint32_t hosts = 0;  ///< that the other has yet to reach, and from which this one starts
};

/// A multicast from its push until its record can be written.
struct MulticastState {
  Delivery delivery;
  std::uint32_t slot = 0;
  std::uint32_t at_source = 0;          ///< worms that came to the queue of their source, and are there
  bool in_flight = false;               ///< else the slot is free, or its delivery is to be polled
  std::uint32_t open_arrivals = 0;      ///< consumption hops not reached yet
  std::uint32_t open_dependencies = 0;  ///< multicasts that have yet to reach its source
  Cycle ready = 0;                      ///< start, or later by what it depends on
  Cycle last_arrival = 0;               ///< at a destination
  Cycle last_queued = 0;                ///< TailArrival::queued of it; the longest of those in one cycle
  std::vector<Dependent> dependents;    ///< those that wait for this one
  std::vector<PartState> parts;         ///< of a reduction, parallel to the destinations
};

/// A multicast whose last tail comes in `cycle`, which may lie ahead.
struct Completion {
  Cycle cycle = 0;
  std::uint64_t id = 0;
  std::uint32_t slot = 0;  ///< in the ledger

  bool operator>(const Completion& other) const {
    return cycle != other.cycle ? cycle > other.cycle : id > other.id;
  }
};

/// A tail that comes to a host.
struct TailArrival {
  HostId host;
  bool destination = false;  ///< not a host that only sends on
  Cycle cycle = 0;           ///< it may still lie ahead
  Cycle queued = 0;          ///< what the worm, and those it came after, waited for injection channels
};

/// Where an open loop stands.
struct OpenLoop {
  bool window_begins = false;  ///< the end of the warm-up has just been found, once a run
  bool over = false;           ///< everything measured is delivered, or too much queues at the sources
};

class Ledger {
 public:
  /// Enters a multicast, whose dependencies and id are checked; throws InputError.
  /// It is ready at once if open_dependencies is 0.
  /// `plan` is exchanged for one that is no longer needed.
  MulticastState& open(Plan& plan, std::uint32_t consumption_hops, Cycle flit_cycles);
  MulticastState& at(std::uint32_t slot) { return states_[slot]; }

  /// The header of a part of a reduction, or of what parts have been joined to, is at the root.
  void part_came(std::uint32_t slot, Cycle cycle);
  /// Writes an arrival down. Multicasts that become ready by it are appended to `ready`.
  void arrived(std::uint32_t slot, const TailArrival& arrival, Cycle flit_cycles,
               std::vector<std::uint32_t>& ready);

  /// The next delivery whose completion + F is at most `horizon`, or nullptr; valid until the next call.
  const Delivery* poll(Cycle horizon, Cycle flit_cycles);
  /// Ends the run before cycle `end`: completes the totals, and forgets arrivals that lie later.
  void close(Cycle end);
  /// Writes down completions that nothing can come before, F cycles back from `horizon`.
  void settle(Cycle horizon, Cycle flit_cycles);
  void measure(const WindowOptions& window, std::uint64_t hosts) { window_.emplace(window, hosts); }
  /// Of a run that is measured: the multicast will queue at its source from this cycle on.
  void comes(MulticastState& state, std::uint32_t worms, Cycle cycle) {
    if (!window_) return;
    state.at_source = worms;
    coming_.push(cycle);
  }
  /// A worm of it has been granted, in this cycle, the last of the channels right behind its source.
  void left_source(std::uint32_t slot, Cycle cycle) {
    std::uint32_t& worms = states_[slot].at_source;
    if (worms > 0 && --worms == 0) window_->left(cycle);
  }
  /// Of a run that is measured: settles what comes before `horizon`, and says where the run stands then.
  OpenLoop look_at_window(Cycle horizon, Cycle flit_cycles);
  const std::optional<Window>& window() const { return window_; }
  /// A worm of the multicast waited so long for an injection channel.
  void queued(std::uint32_t slot, Cycle waited) {
    add(totals_.source_queueing_cycles, waited, "source_queueing_cycles");
    states_[slot].delivery.source_queueing_cycles += waited;
  }
  /// A header of the multicast waited so long, which is not 0, for another channel.
  void blocked(std::uint32_t slot, Cycle waited) {
    add(totals_.blocked_cycles, waited, "blocked_cycles");
    states_[slot].delivery.blocked_cycles += waited;
    ++totals_.contention;
    ++states_[slot].delivery.contention;
  }
  const Summary& totals() const { return totals_; }
  Summary& totals() { return totals_; }

 private:
  static constexpr std::uint32_t kNoSlot = 0xffffffff;

  /// To a sum of the totals, which no other sum of its kind exceeds; InputError if records cannot state it.
  /// Neither wraps: `cycles` is at most 2^53 (route_check.hpp).
  static void add(Cycle& sum, Cycle cycles, const char* field) {
    sum += cycles;
    if (sum > max_integer) refuse_sum(field);
  }
  [[noreturn]] static void refuse_sum(const char* field);
  bool due(Cycle horizon, Cycle flit_cycles) const {
    return !completed_.empty() && completed_.first().cycle + flit_cycles <= horizon;
  }
  std::uint32_t confirm();
  void let_come(Cycle horizon);
  void confirm_ahead();
  std::uint32_t find_open(std::uint64_t id);
  void depend(MulticastState& state, std::uint32_t index, Cycle flit_cycles);
  bool depend_parts(MulticastState& state, MulticastState& first, Cycle flit_cycles);
  static std::uint32_t tell(MulticastState& waiting, HostId host, Cycle from,
                            std::vector<std::uint32_t>& ready);

  SlotPool<MulticastState> states_;
  std::unordered_map<std::uint64_t, std::uint32_t> open_;  ///< their ids → slots, once one has been asked for
  bool asked_ = false;
  IdSet seen_;  ///< every id so far
  DueQueue<Completion> completed_;
  DueQueue<Cycle> coming_;               ///< to the queues of sources
  std::deque<std::uint32_t> confirmed_;  ///< slots of deliveries in order, to be polled
  std::uint32_t polled_ = kNoSlot;       ///< the one polled last
  std::optional<Window> window_;
  Summary totals_;
};

}  // namespace wormcast
