// Open-loop measurement: what is counted of the multicasts that start within a window.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "topology/ids.hpp"
#include "topology/named_values.hpp"
#include "topology/topology.hpp"

namespace wormcast {

// Events in routers and on links that cost energy, of whole multicasts. What a worm does follows from its
// route, its length and the rules of its routers, so no engine counts anything: a multicast that is delivered
// has crossed every hop of its routes with every flit.

/// How often each came, or what each costs.
struct EventCounts {
  std::uint64_t buffer_writes = 0;
  std::uint64_t buffer_reads = 0;
  std::uint64_t crossbar_traversals = 0;
  std::uint64_t link_traversals = 0;
  std::uint64_t vc_allocations = 0;
  std::uint64_t switch_allocations = 0;
};

inline constexpr std::array<std::pair<const char*, std::uint64_t EventCounts::*>, 6> event_counts = {{
    {"buffer_writes", &EventCounts::buffer_writes},
    {"buffer_reads", &EventCounts::buffer_reads},
    {"crossbar_traversals", &EventCounts::crossbar_traversals},
    {"link_traversals", &EventCounts::link_traversals},
    {"vc_allocations", &EventCounts::vc_allocations},
    {"switch_allocations", &EventCounts::switch_allocations},
}};

/// The events of the worms, as they are planned; of worms that are routed on the way, those but for channels
/// between routers. `length_flits`: of the multicast.
EventCounts events_of(const Routes& routes, std::uint64_t length_flits, const Topology& topology,
                      const RouterModel& model);
/// Adds some to a sum, if there are any; throws InputError where records cannot state that.
void add_events(const std::optional<EventCounts>& some, std::optional<EventCounts>& sum);
/// Adds a channel between routers that a worm of so many flits takes on the way.
void add_channel_taken(EventCounts& events, std::uint64_t flits);

struct WarmupOptions {
  std::uint32_t batches = 200;         ///< looked at together; even, and at least 10
  std::uint64_t batch_deliveries = 0;  ///< in each at first; 0: 5, or more: a twentieth of the hosts
};

/// What was found.
struct WarmupSummary {
  std::uint64_t batch_deliveries = 0;    ///< in each batch at the end
  std::uint64_t deliveries = 0;          ///< looked at
  std::optional<std::uint64_t> dropped;  ///< of these, from the first on; nothing while no end is found
};

/// How many of the first batches MSER drops: d so that Σ(yᵢ − mean)² / (n − d)² over the others is least, the
/// first of several, with `least_left` batches left or more. `sums` are below 2^40.
std::size_t mser_truncation(std::span<const std::uint64_t> sums);

/// Looks at latencies in the order of delivery.
class WarmupSearch {
 public:
  WarmupSearch(const WarmupOptions& options, std::uint64_t hosts);

  void add(Cycle latency);
  bool found() const { return found_.dropped.has_value(); }
  const WarmupSummary& summary() const { return found_; }

 private:
  void look();

  std::size_t batches_;
  std::vector<std::uint64_t> sums_;  ///< of whole batches
  std::uint64_t sum_ = 0;            ///< of the next
  std::uint64_t count_ = 0;          ///< likewise
  WarmupSummary found_;
};

struct Delivery;
struct Request;

/// Multicasts that start in [warmup, warmup + measure) are measured. Earlier ones warm the network up;
/// later ones keep it loaded until the last measured one is delivered, which ends the run.
struct WindowOptions {
  static constexpr Cycle kSought = std::numeric_limits<Cycle>::max();

  Cycle warmup_cycles = 0;                 ///< kSought as long as its end is being looked for
  Cycle measure_cycles = 0;                ///< ≥ 1
  std::uint64_t saturation_backlog = 100;  ///< a node: more at the sources end the run; 0 = never
  std::optional<WarmupOptions> find{};     ///< the end of the warm-up is looked for

  bool sought() const { return warmup_cycles == kSought; }
  Cycle end() const { return sought() ? kSought : warmup_cycles + measure_cycles; }
  bool contains(Cycle cycle) const { return cycle >= warmup_cycles && cycle < end(); }
};

/// What workloads state: under each name the texts, each once.
using StatedTexts = std::set<std::string, std::less<>>;
using Stated = std::map<std::string, StatedTexts, std::less<>>;

/// Of a window, the multicasts of one class of traffic: of one workload, number of destinations and length.
/// Sums are as those of the window.
struct WindowClass {
  std::string name;  ///< the workload's `class`, else its pattern, else where it is from; may be empty
  std::string destinations;  ///< as stated, else how many there are
  std::string rate;          ///< as stated; may be empty
  std::string seed;          ///< likewise
  SharedValues workload;     ///< all that is stated
  std::uint64_t length_flits = 1;
  std::uint64_t multicasts = 0;
  std::uint64_t delivered_multicasts = 0;
  std::uint64_t delivery_flits_sum = 0;
  std::uint64_t arrived_flits = 0;
  Cycle latency_cycles_sum = 0;
  Cycle latency_cycles_max = 0;
  std::optional<EventCounts> events;  ///< of those delivered, where they are counted
};

/// Why a load is more than the network carries.
enum class SaturatedBy : std::uint8_t { source_queues, accepted_load };

/// What queued at the sources. A multicast comes when its first worm could be sent (startups are over, and
/// what it depends on is there), and leaves when each of its source's worms has been granted every channel
/// right behind an injection channel.
struct SourceQueues {
  SaturatedBy reason = SaturatedBy::source_queues;
  std::uint64_t waiting = 0;  ///< at the end of the window, or of a run that was given up
  std::uint64_t came = 0;     ///< within the window, as far as that was simulated
  std::uint64_t left = 0;
};

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
  /// As their workloads spell it; where none was measured, of all that came. One text more than kStated of a
  /// name, and no other is kept.
  Stated stated;
  static constexpr std::size_t kStated = 8;
  /// As they came; of one class alone, and of more than kClasses, none.
  std::vector<WindowClass> classes;
  static constexpr std::size_t kClasses = 16;
  /// Where the end of the warm-up was looked for. If none was found, warmup_cycles are all that multicasts
  /// started in.
  std::optional<WarmupSummary> warmup;
  std::optional<SourceQueues> saturated;
};

class Window {
 public:
  Window(const WindowOptions& options, std::uint64_t hosts) : hosts_(hosts) {
    sums_.options = options;
    if (options.find) search_.emplace(*options.find, hosts);
  }

  void started(const Request& request);
  void delivered(const Delivery& delivery);
  /// A tail of the multicast came to a destination; it may never be delivered.
  void arrived(Cycle cycle, const Request& request);
  /// A multicast comes to the queue of its source in this cycle, all before which is simulated, or leaves it.
  void came(Cycle cycle) {
    ++waiting_;
    queues_.waiting += cycle < sums_.options.end() ? 1 : 0;
    queues_.came += sums_.options.contains(cycle) ? 1 : 0;
  }
  void left(Cycle cycle) {
    --waiting_;
    queues_.waiting -= cycle < sums_.options.end() ? 1 : 0;
    queues_.left += sums_.options.contains(cycle) ? 1 : 0;
  }
  /// More queue at the sources than the options allow: the run is given up.
  bool given_up() const {
    const std::uint64_t most = sums_.options.saturation_backlog;
    return most > 0 && waiting_ > 0 && (waiting_ - 1) / hosts_ >= most;
  }
  bool measures(Cycle start) const { return sums_.options.contains(start); }
  /// True once, where the end of the warm-up has just been found: the window then begins behind `horizon`.
  /// All that starts up to there has been taken, nothing of that cycle has been simulated, and deliveries are
  /// those before it, whatever the engine.
  bool begin_behind(Cycle horizon);
  /// True when the stream has passed the window and everything measured is delivered.
  bool done(Cycle horizon) const {
    return horizon >= sums_.options.end() && sums_.delivered_multicasts == sums_.multicasts;
  }
  /// Within the window so many more came to the sources than left them that it is no chance: over a tenth of
  /// all that came, and over 4 √hosts, four standard deviations where the queue of each has one of 1.
  bool falls_behind() const {
    if (queues_.came <= queues_.left) return false;
    const std::uint64_t behind = queues_.came - queues_.left;
    return behind > queues_.came / 10 && behind / 4 * (behind / 4) > hosts_;
  }
  /// `end` is the first cycle that was not simulated because the run was stopped, if it was.
  WindowSummary summary(Cycle end) const;
  const WindowOptions& options() const { return sums_.options; }

 private:
  WindowClass* class_of(const Request& request);

  std::uint64_t hosts_;
  std::uint64_t waiting_ = 0;  ///< now, at the sources
  SourceQueues queues_;
  WindowSummary sums_;
  bool too_many_classes_ = false;
  std::size_t last_class_ = 0;  ///< that was asked for
  SharedValues last_workload_;  ///< of it
  std::optional<WarmupSearch> search_;
  Cycle last_start_ = 0;
  Stated stated_before_;                      ///< of the multicasts that came before the first measured one
  std::map<Cycle, std::uint64_t> latencies_;  ///< how often each came
};

}  // namespace wormcast
