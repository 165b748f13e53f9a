// Open-loop measurement: what is counted of the multicasts that start within a window.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "topology/ids.hpp"

namespace wormcast {

struct Delivery;
struct Request;

/// Multicasts that start in [warmup, warmup + measure) are measured. Earlier ones warm the network up;
/// later ones keep it loaded until the last measured one is delivered, which ends the run.
struct WindowOptions {
  Cycle warmup_cycles = 0;
  Cycle measure_cycles = 0;                ///< ≥ 1
  std::uint64_t saturation_backlog = 100;  ///< a node: more unfinished multicasts end the run; 0 = never

  Cycle end() const { return warmup_cycles + measure_cycles; }
  bool contains(Cycle cycle) const { return cycle >= warmup_cycles && cycle < end(); }
};

/// What workloads state under one name, each text once.
using StatedTexts = std::set<std::string, std::less<>>;

/// Exact sums over the window. Batches are equal parts of it, by start.
struct WindowSummary {
  static constexpr std::size_t kBatches = 20;
  struct Batch {
    std::uint64_t delivered = 0;
    Cycle latency_cycles_sum = 0;
  };

  WindowOptions options;
  Cycle observed_cycles = 0;               ///< of the window, before the run ended
  std::uint64_t multicasts = 0;            ///< that started in it
  std::uint64_t delivered_multicasts = 0;  ///< of these
  std::uint64_t length_flits_sum = 0;      ///< of these, delivered or not
  /// Σ over these of length · destinations: what all of them bring, to compare with arrived_flits.
  std::uint64_t delivery_flits_sum = 0;
  std::uint64_t arrived_flits = 0;  ///< consumed at destinations by worms whose tails came within the window
  Cycle latency_cycles_sum = 0;     ///< over the delivered ones, like all that follow
  Cycle latency_cycles_max = 0;
  Cycle latency_cycles_p50 = 0;  ///< nearest rank
  Cycle latency_cycles_p95 = 0;
  Cycle latency_cycles_p99 = 0;
  Cycle network_latency_cycles_sum = 0;
  Cycle source_queueing_cycles_sum = 0;
  Cycle blocked_cycles_sum = 0;
  std::array<Batch, kBatches> batches{};
  /// The rates that their workloads state, as they are spelled there; where none was measured, those of all
  /// multicasts that came.
  StatedTexts rates;
  StatedTexts patterns;  ///< likewise, of destinations
};

class Window {
 public:
  explicit Window(const WindowOptions& options) { sums_.options = options; }

  void started(const Request& request);
  void delivered(const Delivery& delivery);
  /// A tail came to a destination; also of multicasts that are never delivered.
  void arrived(Cycle cycle, std::uint64_t length_flits) {
    if (sums_.options.contains(cycle)) sums_.arrived_flits += length_flits;
  }
  bool measures(Cycle start) const { return sums_.options.contains(start); }
  /// True when the stream has passed the window and everything measured is delivered.
  bool done(Cycle horizon) const {
    return horizon >= sums_.options.end() && sums_.delivered_multicasts == sums_.multicasts;
  }
  /// `end` is the first cycle that was not simulated because the run was stopped, if it was.
  WindowSummary summary(Cycle end) const;
  const WindowOptions& options() const { return sums_.options; }

 private:
  WindowSummary sums_;
  StatedTexts rates_before_;                  ///< of the multicasts that came before the first measured one
  StatedTexts patterns_before_;               ///< likewise
  std::map<Cycle, std::uint64_t> latencies_;  ///< how often each came
};

}  // namespace wormcast
