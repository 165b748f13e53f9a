// The interface of every simulation engine: routes in, deliveries out, a summary at the end. Engines answer
// alike to the bit; memory grows with worms that are started and unfinished, not with the stream.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "simulation/window.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

class RoutingFunction;

/// A worm as records name it.
struct WormName {
  std::uint64_t multicast = 0;  ///< its id
  std::uint32_t worm = 0;       ///< index in the plan
  friend auto operator<=>(const WormName&, const WormName&) = default;
};

/// Receives what happens, for traces. Calls come in the order of the cycles in which they are known.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The worm held the resource from its grant until it was free again.
  virtual void held(WormName worm, ResourceId resource, Cycle from, Cycle until) = 0;
  /// The run ended at `end` with the resource still held since `from`: a deadlock, or a run cut short.
  virtual void still_held(WormName /*worm*/, ResourceId /*resource*/, Cycle /*from*/, Cycle /*end*/) {}
  /// The worm's tail reached `host` (a destination, or a host that sends on).
  virtual void arrived(WormName worm, HostId host, Cycle cycle) = 0;
};

/// Hosts that do not take all that comes: what they take, and who hears of it.
class HostWindows {
 public:
  virtual ~HostWindows() = default;
  /// A flit of the multicast can enter the host now.
  virtual bool takes(std::uint64_t multicast, HostId host) const = 0;
  /// It has; `tail`: the last one.
  virtual void took(std::uint64_t multicast, HostId host, bool tail) = 0;
  /// The tail has left the source.
  virtual void sent(std::uint64_t multicast) = 0;
};

/// Of what channel_loads() are: of channels, of each of their virtual channels, of each worm on these.
enum class LoadsBy : std::uint8_t { channel, vc, worm };

struct SimulationOptions {
  RouterModel model;
  bool routes_checked = false;             ///< take() gets only what check_routes() has accepted
  bool stop_on_deadlock = false;           ///< end with the cycle in which a deadlock forms
  std::optional<WindowOptions> window;     ///< open loop: what is measured, and when to give up
  std::optional<LoadsBy> channel_loads{};  ///< channel_loads() will be asked for
  bool events = false;                     ///< Summary::events will be asked for
  bool reductions = false;                 ///< make_engine(): some will be taken
  Observer* observer = nullptr;            ///< must outlive the engine
  HostWindows* windows = nullptr;          ///< likewise; for make_flit_engine() alone
  std::optional<Cycle> hand_over{};        ///< make_engine(): flits move one by one from then on (tests)
  /// So many multicasts are taken between two runs of the clock, where nothing but the time of poll()'s
  /// answers depends on it: with few, going back and forth mispredicts branches; many more overflow caches.
  std::uint32_t taken_at_once = 16;
};

/// What is counted of a multicast under way.
struct DeliveryMeasures {
  Cycle completion_cycle = 0;        ///< last arrival, hosts that only send on included
  Cycle source_queueing_cycles = 0;  ///< Σ over its worms: injection grant − ready
  /// Latency without the wait for other multicasts, and for injection channels of what arrived last.
  Cycle network_latency_cycles = 0;
  Cycle blocked_cycles = 0;      ///< Σ over network and consumption requests: grant − request
  std::uint64_t contention = 0;  ///< how many of these waits were ≥ 1 cycle
  // Of a reduction: when the headers of its first and its last part, or of what they joined, came there.
  std::optional<Cycle> first_part_cycle{};
  std::optional<Cycle> last_part_cycle{};
  std::optional<EventCounts> events{};  ///< where they are counted
};

/// One multicast that has reached all its hosts, or a reduction its root.
struct Delivery : DeliveryMeasures {
  Plan plan;                          ///< as pushed, without its worms
  std::vector<Cycle> arrival_cycles;  ///< parallel to the destinations; of a reduction the root's alone

  /// Last arrival at a destination − start.
  Cycle latency_cycles() const;
};

/// The last two: of routers that join flit by flit. Flits of a message came with others between them; flits
/// came where they do not belong, or twice.
enum class Outcome : std::uint8_t { complete, deadlock, saturated, interleaved, corrupted };

/// A worm of a deadlock: what it holds and what it will wait for for ever, both ascending.
struct StuckWorm {
  WormName name;
  std::vector<ResourceId> holds;
  std::vector<ResourceId> waits;
};

/// The first deadlock of a run.
struct Deadlock {
  Cycle cycle = 0;                ///< the first after whose moves it exists
  std::vector<WormName> blocked;  ///< every worm with a request that can never be granted, ascending
  std::vector<StuckWorm> core;    ///< those of them that others of them wait for, ascending
};

/// What a process of a program did: cycles in which it waited for its sends, receives and counters.
struct ProcessRun {
  std::string name;
  Cycle send_cycles = 0, receive_cycles = 0, count_cycles = 0;
  std::optional<Cycle> ended{};  ///< when its last step was over
  std::string step{};            ///< else where it stands: "steps[0].steps[1]"
};

/// Totals of a run.
struct Summary {
  Outcome outcome = Outcome::complete;
  std::uint64_t multicasts = 0;            ///< pushed
  std::uint64_t delivered_multicasts = 0;  ///< that reached every destination
  std::uint64_t destinations = 0;          ///< of the multicasts pushed
  std::uint64_t delivered_destinations = 0;
  std::uint64_t worms = 0;           ///< of the multicasts pushed
  std::uint64_t finished_worms = 0;  ///< that hold nothing any more and have reached all their hosts
  std::uint64_t flit_hops = 0;       ///< flits · network channels of the finished worms
  Cycle last_cycle = 0;              ///< in which a worm last arrived, was granted or released something
  Cycle latency_cycles_sum = 0;      ///< over delivered multicasts
  Cycle latency_cycles_max = 0;
  Cycle source_queueing_cycles = 0;  ///< over all grants, those of unfinished worms too
  Cycle blocked_cycles = 0;
  std::uint64_t contention = 0;
  std::optional<Deadlock> deadlock;
  std::optional<WindowSummary> window;  ///< where one was asked for
  std::optional<EventCounts> events;    ///< likewise, of the delivered multicasts that are measured
  std::vector<ProcessRun> processes;    ///< of a program
  using Ids = std::vector<std::uint64_t>;
  std::vector<Ids> interleaved;  ///< of which flits came with each other's between them, ascending
  std::vector<Ids> mixed;  ///< of which flits were joined to one, or came where they do not belong, ascending
};

/// What one channel carried. In a closed run, over worms that passed it entirely. In an open-loop run, within
/// the cycles of the window that were simulated, over all worms: the flits that started to cross it, the
/// worms with such flits, the cycles in which its virtual channels were held, or waited for until granted.
struct ChannelLoad {
  ChannelId channel;
  std::optional<std::uint32_t> vc{};  ///< of this virtual channel alone
  // Of this worm of this multicast alone.
  std::optional<std::uint64_t> multicast{};
  std::optional<std::uint32_t> worm{};
  std::uint64_t worms = 0;
  std::uint64_t flits = 0;   ///< header flits too
  Cycle held_cycles = 0;     ///< Σ over worms: from the grant of its virtual channel until that was free
  Cycle blocked_cycles = 0;  ///< Σ over headers that were granted it: grant − request
  std::optional<Cycle> observed_cycles;  ///< open loop: so many cycles were counted
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Takes the routes of the next multicast; starts must not decrease. Throws InputError where the
  /// routes do not fit the topology or the request. What is left in `routes` is a plan no longer needed,
  /// whose buffers can be filled again.
  virtual void take(Routes& routes) = 0;
  void push(Routes routes) { take(routes); }
  /// Simulates every cycle before the start of the multicast pushed last, or leaves that to one of the next
  /// calls (SimulationOptions::taken_at_once). A run that may end before its stream never puts it off.
  virtual void advance() = 0;
  /// The next delivery in (completion, id) order, as far as known, or nullptr; nothing else can come
  /// before it. It is valid until the next call of anything.
  virtual const Delivery* poll() = 0;
  /// Simulates to the end of all traffic. No push may follow; poll() then gives what is left.
  virtual void finish() = 0;
  /// True when the run is over before the end of the stream (stop_on_deadlock): further pushes are ignored.
  virtual bool stopped() const = 0;

  /// The next three are complete after finish().
  virtual Summary summary() const = 0;
  /// Loads of the channels that carried anything, or of what SimulationOptions::channel_loads names,
  /// ascending.
  virtual std::vector<ChannelLoad> channel_loads() const = 0;
  /// "worm", "link", "flit", "join" or "allocating".
  virtual std::string_view name() const = 0;
  /// The cycle from which on a run that began with the worm engine has moved every flit, if it came to that.
  virtual std::optional<Cycle> flits_moved_from() const { return std::nullopt; }
  /// What the engine has done, for benchmarks: its own affair, and different for each.
  virtual std::uint64_t events() const = 0;
};

/// Moves every flit by itself, each in the cycle in which it can.
std::unique_ptr<Engine> make_flit_engine(const Topology& topology, const SimulationOptions& options);
/// The same, but for worms that nothing makes wait: their flits are computed.
std::unique_ptr<Engine> make_link_engine(const Topology& topology, const SimulationOptions& options);
/// Moves headers only and computes the tails: the same answers, one event a hop. Throws InputError
/// where engine_lack() says why it is not exact.
std::unique_ptr<Engine> make_worm_engine(const Topology& topology, const SimulationOptions& options);
/// Routers that allocate virtual channels, flit by flit (simulation/allocating).
std::unique_ptr<Engine> make_allocating_engine(const Topology& topology, const SimulationOptions& options);
/// Throws InputError ("vcs") for a hop on a virtual channel behind those of the function's classes, which
/// share all that the topology allows (RoutingFunction::class_range()): such routers have none for it.
void check_classes(const RoutingFunction& routing, const Routes& routes);
/// Why the flit engine does not join the parts of reductions there, or nullptr.
const char* join_lack(const RouterModel& model);
/// Routers that copy flit by flit, and join the parts of reductions so, too (join_engine.cpp).
std::unique_ptr<Engine> make_join_engine(const Topology& topology, const SimulationOptions& options);
/// The fastest that is exact. Where virtual channels share links that may be the worm engine until the cycle
/// in which a worm starts that uses a second one of a link, and from then on the link engine.
std::unique_ptr<Engine> make_engine(const Topology& topology, const SimulationOptions& options);
/// Throws InputError for routers that none of them simulates on the network.
void refuse_unsimulated(const Topology& topology, const RouterModel& model);
using MakeEngine = std::unique_ptr<Engine> (*)(const Topology& topology, const SimulationOptions& options);
/// The names that engine_named() knows: "auto", which is make_engine(), and those of Engine::name().
std::vector<std::string_view> engine_names();
/// What makes the engine of that name, or nullptr.
MakeEngine engine_named(std::string_view name);
/// Why the engine of that name is not exact there, or nullptr.
const char* engine_lack(std::string_view name, const Topology& topology, const SimulationOptions& options);

}  // namespace wormcast
