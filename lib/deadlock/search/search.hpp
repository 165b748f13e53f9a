// The exact search for a set of worms that block each other for good, the exhaustive exploration that it
// falls back on, and the witness that leads into a deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/search/route_store.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "router/shared_worms.hpp"
#include "router/worm_footprint.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One request, made when everything before it has come to rest: the worm and the hop it asks for (of an
/// atomic node one of those it asks for), −1: it starts.
struct ExploredRequest {
  std::uint32_t worm = 0;
  std::int32_t hop = -1;
};

/// A worm in a deadlock, by hop + 1; at 0: its source.
struct DeadlockedWorm {
  bool ready = false;                    ///< all that it awaits has arrived
  std::vector<bool> firm;                ///< granted, and no other worm's tail stands before it in the FIFO
  std::vector<bool> held;                ///< and its own tail has not left (consumption: not entered)
  std::vector<bool> waits;               ///< its header can go there next, but it is not granted or not firm
  std::vector<std::uint32_t> waits_for;  ///< worms that stand before it there; ascending
  bool keeps_port = false;               ///< an answer: it has what it answers came by
};

struct Exploration {
  /// Requests that lead from empty buffers to a deadlock. Each is granted at once, except
  /// that one for what atomic nodes ask for together may be made early, and then waits in its queues.
  std::optional<std::vector<ExploredRequest>> deadlock;
  std::vector<DeadlockedWorm> blocked;  ///< in it, by worm
  bool exhausted = false;               ///< every state was seen
  std::uint64_t states = 0;
};

/// No other worm can ask any more for what the place's request asks for: when it is made changes nothing for
/// the others, so that no order is lost if it is made at once.
bool uncontested(const SharedWorms& worms, const SharedState& state, SharedWorms::Place place);

/// Explores every order of requests. At most `limit` states are looked at, large ones counted as several;
/// `tell` hears now and then how many.
Exploration explore(const Topology& topology, const RouterModel& model,
                    const std::vector<ExploredWorm>& worms, std::uint64_t limit,
                    const std::function<void(std::uint64_t)>& tell = nullptr);
/// The multicasts whose worms, of so many flits, block each other after one order of requests that is
/// drawn step by step: each waits for the next. None if all arrive.
MulticastSet drawn_deadlock(const Topology& topology, const RouterModel& model,
                            const std::vector<Routes>& multicasts, std::uint64_t flits, Random& random);

/// One worm of a deadlocked set.
struct BlockedWorm {
  std::uint32_t route = 0;  ///< index in the store
  WormRef name;
  std::optional<WormRef> answers{};  ///< what came to its source, where it is an answer
  StepSet acquired;                  ///< what it has been granted
  StepSet kept;                      ///< what of that it still holds
  StepSet surely;  ///< what of that it holds whatever its flits find room for in FIFOs that others share
  std::vector<std::uint32_t> waits;  ///< steps whose resources others hold for good, or queue for before it
};

/// What is searched: the distinct routes of a segment on their routers. All that it names must outlive it.
struct SearchedWorms {
  const RouteStore& store;
  const std::vector<Footprint>& footprints;  ///< of the store's routes
  const Topology& topology;
  const RouterModel& model;
  SearchLimits limits;

  /// News of an exploration, when so many sets and states have been looked at before.
  std::function<void(std::uint64_t)> told(std::uint64_t sets, std::uint64_t states) const {
    return [this, sets, states](std::uint64_t more) {
      if (limits.tell) limits.tell(sets, states + more);
    };
  }
  const StoredRoute& route(const BlockedWorm& member) const { return store.routes()[member.route]; }
  const Footprint& footprint(const BlockedWorm& member) const { return footprints[member.route]; }
};

/// Everything that worms of the members' routes can do. `sets`, `states`: looked at before.
Exploration explore_members(const SearchedWorms& worms, const std::vector<BlockedWorm>& set,
                            std::uint64_t sets, std::uint64_t states);
/// The next choice of worms as an odometer over those of each member's route; false after the last.
bool next_choice(std::vector<std::size_t>& choice, const std::vector<BlockedWorm>& set,
                 const SearchedWorms& worms);

/// Indices, ascending, of the smallest part that has all that its members wait for: a deadlock by itself.
std::vector<std::uint32_t> smallest_closed(const std::vector<BlockedWorm>& set, const SearchedWorms& worms);

/// What the members have, keep and wait for in the deadlock that an exploration of them found.
void describe_members(const Exploration& found, std::vector<BlockedWorm>& set, const SearchedWorms& worms);
/// Indices of the smallest part of the worms explored that is a deadlock by itself; ascending.
std::vector<std::uint32_t> smallest_part(const Exploration& found);
/// Leaves those members, and their requests among those of the exploration.
void leave_members(const std::vector<std::uint32_t>& needed, const Exploration& found,
                   std::vector<BlockedWorm>& set, std::vector<ExploredRequest>& requests);

/// The deadlock that an exploration of the members found, in terms of their steps: names the worms, leaves
/// out what is not needed, and takes the requests over. False if some may have to wait for others to arrive.
bool adopt_exploration(const Exploration& found, std::vector<BlockedWorm>& set,
                       std::vector<ExploredRequest>& requests, const SearchedWorms& worms);

struct DeadlockSearchResult {
  /// The set, in an order in which the worms can be started one after the other.
  std::optional<std::vector<BlockedWorm>> deadlock;
  /// Where no such order was found: the order of the single requests, with indices into the set.
  std::vector<ExploredRequest> requests;
  bool exhausted = false;       ///< everything was looked at: without a deadlock, there is none
  bool unsettled = false;       ///< sets of worms that share FIFOs could deadlock with others in between
  bool relations_open = false;  ///< of worms that wait for arrivals an order of starts was not settled
  bool spent = false;           ///< as many sets have been looked at, or worms tried for them, as may be
  std::uint64_t looked_at = 0;
};

/// Looks for a deadlock among the stored routes.
DeadlockSearchResult search_deadlock(const SearchedWorms& worms, const DependencyOrder& order);

/// Worms of one component that are explored at most.
inline constexpr std::uint64_t most_queueing_worms = 8;

/// Looks for a deadlock in which some worm waits for a free resource behind others in its queue, or proves
/// that there is none. `order` is that of the graph closed over its queues.
DeadlockSearchResult search_queues(const SearchedWorms& worms, const DependencyGraph& graph,
                                   const DependencyOrder& order);

enum class StartOrder : std::uint8_t { possible, impossible, undecided };

/// Gives each member the name of a worm of its route and sorts the set into an order in which the
/// worms can be started. `impossible` only where no choice of worms can be blocked so.
StartOrder find_start_order(std::vector<BlockedWorm>& set, const SearchedWorms& worms,
                            const Resources& resources);

/// Worms that are explored at most, answers and what they answer among them.
inline constexpr std::size_t most_answering_worms = 24;

/// Worms and answers that may have to do with each other, explored together.
class AnswerSets {
 public:
  explicit AnswerSets(const SearchedWorms& worms) : worms_(worms), store_(worms.store) {}

  /// True if as many states, or sets of multicasts, have been looked at as a search is worth; then nothing is
  /// explored any more.
  bool spent() const { return states_ >= worms_.limits.all_states() || sets_ >= worms_.limits.partial_sets; }
  /// Whether these multicasts, with what they answer and what answers them, can deadlock. Possible: `result`
  /// has the deadlock. Impossible: they cannot, whatever has come and gone before.
  StartOrder explore(const std::set<std::uint64_t>& multicasts, DeadlockSearchResult& result);
  /// The same of worms of which only the routes are known: some worms of these routes.
  StartOrder explore(const std::vector<BlockedWorm>& set, DeadlockSearchResult& result);

 private:
  /// The worms to explore; nothing if there are too many of them, or if others would have to run in between.
  struct Family {
    std::vector<WormRef> names;
    std::vector<ExploredWorm> worms;
  };
  std::optional<std::set<std::uint64_t>> close(const std::set<std::uint64_t>& multicasts) const;
  std::optional<Family> family(const std::set<std::uint64_t>& multicasts) const;
  bool await(Family& family, std::uint32_t worm, const std::set<std::uint64_t>& multicasts) const;
  bool comes_before_all(std::uint64_t multicast, const std::set<std::uint64_t>& multicasts) const;
  static void complete(const Family& family, std::set<std::uint32_t>& needed);
  void adopt(const Family& family, const Exploration& found, DeadlockSearchResult& result) const;

  const SearchedWorms& worms_;
  const RouteStore& store_;
  std::uint64_t states_ = 0, sets_ = 0;
  std::set<std::set<std::uint64_t>> impossible_;  ///< multicasts that do not deadlock
};

/// The blocked worms (in an order in which they can be started, or with the order of their requests)
/// with cycles under which routers of this model, empty before, end in that deadlock.
std::vector<WitnessWorm> time_witness(const std::vector<BlockedWorm>& set,
                                      const std::vector<ExploredRequest>& requests,
                                      const SearchedWorms& worms);

/// The witness as multicasts of one worm each, in the order of their starts: a segment that replays
/// it. Each carries `"x_worm":[multicast, worm]`, its name in the stream that was checked; its id is
/// that multicast's, or a new one where two worms come from the same.
std::vector<Routes> witness_routes(const std::vector<WitnessWorm>& witness);

}  // namespace wormcast
