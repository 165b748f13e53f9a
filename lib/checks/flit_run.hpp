// Worms moved flit by flit as data/pages/simulator.md has it, for checks alone: the search moves them by code
// of its own. A buffer is the list of the flits in it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "checks/plain_worm.hpp"
#include "router/explored_worm.hpp"
#include "router/router_model.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

inline constexpr std::int32_t answered_port = -2;  ///< as a hop of a witness

/// A set of worms and the states that requests and flits bring it into. Time is left out: between two
/// requests flits move as far as they can.
class FlitRun {
 public:
  using Place = std::uint32_t;  ///< a position of a worm; those of all worms are numbered through

  struct State {
    std::vector<bool> granted;           ///< by place
    std::vector<std::uint64_t> entered;  ///< flits that have come to the place
    /// By resource: from the head on, whose flits and how many; whose requests queue (atomic allocation).
    std::vector<std::vector<std::pair<Place, std::uint64_t>>> buffers;
    std::vector<std::vector<Place>> queues;

    friend bool operator<(const State& a, const State& b) {
      return std::tie(a.granted, a.entered, a.buffers, a.queues) <
             std::tie(b.granted, b.entered, b.buffers, b.queues);
    }
  };
  struct Spot {
    std::uint32_t worm = 0, position = 0;
    Place parent = 0;
    std::vector<Place> outputs, before;  ///< behind it; outputs of its node that are served before it
    std::vector<std::uint32_t> takes;    ///< resources, as this run numbers them
    std::uint64_t room = 0, needed = 0;  ///< slots of its buffer; how many must be free for its header
    bool channel = false;
    std::uint32_t router = 0;    ///< whose output it is
    std::vector<Place> request;  ///< what its header asks for at once; at one of these alone
  };

  /// `filled`: flits come without gaps, so that the registers of two-step routers hold one more; else fill().
  FlitRun(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms,
          bool filled);

  State begin() const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(spots_.size()); }
  const Spot& spot(Place place) const { return spots_[place]; }
  Place place(std::uint32_t worm, std::size_t position) const {
    return source_[worm] + static_cast<Place>(position);
  }
  /// Places of which others take what the request of this one asks for.
  std::vector<Place> rivals(Place place) const;

  /// A request that has not been made, and would be granted or has to queue.
  bool can_ask(const State& state, Place place) const;
  void ask(State& state, Place place) const;
  /// Moves flits, grants what queues and makes the requests that `may` allows, until nothing is left to do.
  template <class May>
  void settle(State& state, const May& may) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (Place place = 0; place < size(); ++place) {
        while (move(state, place, filled_, UINT64_MAX)) changed = true;
        if (!can_ask(state, place) || !may(place)) continue;
        ask(state, place);
        changed = true;
      }
      while (grant_queued(state)) changed = true;
    }
  }
  /// A flit goes into the registers before full buffers, which a gap had left empty; false if none can.
  bool fill(State& state, Place node) const {
    return together_[spots_[node].worm] && move(state, node, true, 1);
  }
  /// None of these requests need be granted: each router's arbiter may be locked by a worm of several
  /// outputs.
  bool may_be_locked(const State& state, const std::vector<Place>& requests) const;
  /// It has the place, before others in the buffer, and flits to pass on from there; of consumption, to take.
  bool holds(const State& state, Place place) const {
    return state.granted[place] && first_there(state, place) && passed(state, place) < flits(place);
  }
  /// An answer has what it answers came by: it waits to leave its source, or its tail does.
  bool holds_port(const State& state, std::uint32_t worm) const {
    return answers(worm) && ready(state, worm) && sends(state, source_[worm]);
  }
  /// By hop, −1: at its source.
  bool has(const State& state, std::uint32_t worm, std::int32_t hop) const {
    return hop == answered_port ? holds_port(state, worm) : holds(state, place(worm, slot_after(hop)));
  }
  /// The other worms' hops, and its own, that take what the place takes.
  std::vector<std::pair<std::uint32_t, std::int32_t>> takers(Place place) const;
  /// How many can have that at a time; 0: no limit.
  std::uint32_t units(Place place) const { return taken_[spots_[place].takes.front()].units; }
  /// Its header can go there next, but it is not let, or others stand before it in the buffer; of a source:
  /// an answer cannot leave it.
  bool waits(const State& state, Place place) const;
  /// All of the worm has come to the node.
  bool has_come(const State& state, std::uint32_t worm, HostId host) const;
  bool arrived(const State& state) const;

 private:
  struct Taken {
    std::uint32_t units = 0;             ///< 0: no limit
    std::vector<Place> takers, answers;  ///< answers: sources that have it until they have sent
    bool queued = false;
  };

  void add(const Topology& topology, const PlainWorm& worm, const Resources& resources,
           std::map<ResourceId, std::uint32_t>& numbers);
  std::uint64_t slots_needed(const Topology& topology, const WormRoute& route, std::size_t hop,
                             std::uint64_t flits) const;
  std::uint64_t flits(Place place) const { return flits_[spots_[place].worm]; }
  std::uint64_t passed(const State& state, Place place) const;
  std::uint64_t free_slots(const State& state, Place place, bool filled) const;
  bool first_there(const State& state, Place place) const;
  bool answers(std::uint32_t worm) const { return worms_[worm].route.port && model_.answered(); }
  /// The tail is still at the worm's source, by any link there.
  bool sends(const State& state, Place source) const;
  bool is_free(const State& state, Place place) const;
  void grant(State& state, Place place) const;
  bool can_grant(const State& state, Place place) const;
  bool serial() const { return model_.copies == Copies::serial && !model_.cut_through; }
  bool header_before(const State& state, Place place) const;
  bool reached(const State& state, Place place) const;
  bool ready(const State& state, std::uint32_t worm) const;
  std::uint64_t waiting(const State& state, Place node, Place output) const;
  bool move(State& state, Place node, bool filled, std::uint64_t most) const;
  void enter(State& state, Place place, std::uint64_t flits) const;
  bool grant_queued(State& state) const;

  const std::vector<ExploredWorm>& worms_;
  RouterModel model_;
  bool filled_, link_;
  bool drained_;                      ///< a buffer is one worm's until its tail has left it
  std::vector<std::uint64_t> flits_;  ///< by worm
  std::vector<bool> together_;        ///< by worm: its copies leave a node in one cycle
  std::vector<Place> source_;         ///< by worm
  std::vector<Spot> spots_;
  std::vector<Taken> taken_;
};

}  // namespace wormcast
