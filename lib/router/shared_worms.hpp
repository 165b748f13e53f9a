// Worms together, as the search moves their flits: what they ask for and hold, also in FIFOs in which several
// worms stand. A worm is cut to the room on its way, and a queue that no other enters is left out.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "router/explored_worm.hpp"
#include "router/worm_footprint.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What each worm has been granted, flits that have entered each hop, the order of worms in FIFOs and queues.
struct SharedState {
  std::vector<std::uint8_t> granted;   ///< by place, whether
  std::vector<std::uint64_t> entered;  ///< flits, by place; of a source without a link all of them
  std::vector<std::uint32_t> lines;    ///< FIFOs and queues, as SharedWorms lays them out
  /// Where programs of nodes move worms: by place, of a source whether its worm has been sent, of a
  /// consumption channel the flits that may have entered it. Empty: all worms are there, and all flits are
  /// taken.
  std::vector<std::uint64_t> allowed{};

  bool operator==(const SharedState&) const = default;
};
struct HashOfSharedState {
  std::size_t operator()(const SharedState& state) const {
    const auto of = [](const auto& vector) {
      return std::hash<std::string_view>()(
          {reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof vector.front()});
    };
    return ((of(state.entered) * 31 + of(state.granted)) * 31 + of(state.lines)) * 31 + of(state.allowed);
  }
};

/// The worm branches and is longer than a buffer from which it is copied serially: it is blocked for good.
bool stands_still_alone(const RouterModel& model, const WormRoute& route, std::uint64_t flits);

/// Worms together: what they ask for, and how flits move, also in FIFOs in which several worms stand.
class SharedWorms {
 public:
  using Place = std::uint32_t;  ///< a position of a worm; those of all worms are numbered through

  /// Where a FIFO or a queue stands among the lines: its places, then `no_place` in what is left of it.
  struct Line {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;  ///< all that can ever stand in it
  };
  static constexpr Place no_place = UINT32_MAX;

  /// One position of one worm.
  struct Spot {
    std::uint32_t worm = 0;
    std::uint32_t position = 0;
    Place parent = 0;
    std::vector<Place> outputs;
    /// Outputs of the same node that a path asks for, or a copy is made to, first.
    std::vector<Place> before;
    std::vector<std::uint32_t> resources;  ///< indices among those that the worms take
    std::optional<std::uint32_t> port;     ///< the one that an answer has without asking
    std::uint32_t router = 0;              ///< whose output it is
    std::uint32_t slots = 0;               ///< of the buffer there
    std::uint64_t needed = 0;              ///< slots that are free when it is granted
    bool network = false;
    bool consumption = false;
    bool never_refused = false;  ///< a consumption channel that only the worm in its input can ask for
    /// What is asked for with it, itself too: in an atomic node all outputs, at the first of them alone.
    std::vector<Place> request;
    std::vector<std::uint32_t> queues;  ///< of the request
  };
  struct Taken {
    std::uint32_t units = 0;  ///< 0: no limit
    std::vector<Place> takers;
    std::vector<Place> answers;  ///< sources that have it until their tails have left
    Line fifo;                   ///< worms that have been granted it and not left it
    std::optional<std::uint32_t> queue;
  };

  /// `streaming`: flits come without gaps, so that registers before full buffers fill. Else push() says.
  /// `whole`: worms are not cut to the room on their way.
  SharedWorms(const Topology& topology, const RouterModel& model, const std::vector<ExploredWorm>& worms,
              bool streaming, bool whole = false);

  SharedState nothing_granted() const;
  /// The place of a worm's source; those of its hops follow.
  Place source(std::uint32_t worm) const { return first_[worm]; }
  /// The worms in the FIFO at the end of the channel, from its head; those that queue.
  std::span<const Place> fifo(const SharedState& state, Place channel) const {
    return in_line(state, taken_[spots_[channel].resources.front()].fifo);
  }
  std::span<const Place> queue(const SharedState& state, std::uint32_t number) const {
    return in_line(state, queues_[number]);
  }
  /// The place belongs to its worm from now on.
  void give(SharedState& state, Place place) const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(spots_.size()); }
  const Spot& spot(Place place) const { return spots_[place]; }
  const std::vector<Taken>& taken() const { return taken_; }
  bool outgrows(std::uint32_t worm) const { return outgrows_[worm]; }
  std::uint64_t flits(Place place) const { return flits_[spots_[place].worm]; }

  /// Flits that have left the end of a hop, or the source, in every branch.
  std::uint64_t left(const SharedState& state, Place node) const {
    std::uint64_t least = state.entered[node];
    for (const Place output : spots_[node].outputs) least = std::min(least, state.entered[output]);
    return least;
  }
  bool at_head(const SharedState& state, Place node) const;
  /// Flits have yet to leave the end of the hop, or to enter a consumption channel.
  bool stays(const SharedState& state, Place place) const {
    return (spots_[place].consumption ? state.entered[place] : left(state, place)) < flits(place);
  }
  /// Its tail has not left the source, by any link there.
  bool sends(const SharedState& state, Place source) const {
    return (link_ ? state.entered[source] : left(state, source)) < flits(source);
  }
  /// Moves a flit out of a node into registers before full buffers, which a gap would have kept empty; false
  /// if there is none.
  bool push(SharedState& state, Place node) const;
  /// All is at rest, yet a router's arbiter may be locked by a worm of several outputs there, so that of
  /// these requests, which could be granted, none is.
  bool may_be_locked(const SharedState& state, const std::vector<Place>& requests) const;
  /// The header stands where it can ask for the place, or has gone on from there.
  bool reached(const SharedState& state, Place place) const;
  /// The tails of all worms that it awaits have entered the consumption channels at its source.
  bool ready(const SharedState& state, std::uint32_t w) const;
  /// True if the worm has the resource for itself: of a virtual channel the right to send into it.
  bool holds(const SharedState& state, Place taker) const;
  /// The answer has what it answers came by.
  bool holds_port(const SharedState& state, Place source) const;
  bool available(const SharedState& state, Place place) const;
  /// The place stands for a request that can be made now: it would be granted, or has to queue.
  bool can_ask(const SharedState& state, Place place) const;
  /// Makes that request.
  void ask(SharedState& state, Place place) const;
  /// Lets flits move, grants what has queued, and makes the requests of places that `may` allows, where they
  /// can be made, until none of these brings anything.
  template <class May>
  void settle(SharedState& state, const May& may) const {
    std::size_t quiet = 0;  // worms in a row, and all queues as one more, of which nothing came
    for (std::size_t w = 0; quiet <= first_.size(); w = w == first_.size() ? 0 : w + 1)
      quiet = (w == first_.size() ? grant_queued(state) : settle_worm(state, first_[w], may)) ? 0 : quiet + 1;
  }
  /// Every tail has arrived.
  bool finished(const SharedState& state) const;

 private:
  void add_worm(std::uint32_t w, const Topology& topology, const RouterModel& model,
                const Resources& resources, std::map<ResourceId, std::uint32_t>& numbers, bool whole);
  void find_requests();
  void find_queues();
  void lay_out_lines();
  static std::span<const Place> in_line(const SharedState& state, const Line& line) {
    const auto begin = state.lines.begin() + line.begin;
    return {begin, std::find(begin, begin + line.size, no_place)};
  }
  static void join(SharedState& state, const Line& line, Place place);
  static void leave(SharedState& state, const Line& line, Place place);
  bool contested(Place place) const;
  std::uint64_t room(const SharedState& state, Place place, std::uint32_t registers = 0) const;
  std::uint64_t can_enter(const SharedState& state, Place output, std::uint64_t upto,
                          std::uint32_t registers) const;
  bool move_together(SharedState& state, Place node, std::uint64_t most, std::uint32_t registers) const;
  void leave_if_done(SharedState& state, Place node) const;
  template <class May>
  bool settle_worm(SharedState& state, Place first, const May& may) const {
    if (!state.allowed.empty() && state.allowed[first] == 0) return false;  // it has not been sent
    bool changed = stream(state, first);
    for (Place place = first; place < size() && spots_[place].worm == spots_[first].worm; ++place) {
      if (state.granted[place]) {
        if (place == first || left(state, place) != state.entered[place])
          while (move(state, place)) changed = true;
      } else if ((place == first || state.granted[spots_[place].parent]) && can_ask(state, place) &&
                 may(place)) {
        ask(state, place);
        changed = true;
      }
    }
    return changed;
  }
  bool grant_queued(SharedState& state) const {
    bool changed = false;
    for (const Line& queue : queues_)
      while (!in_line(state, queue).empty() && grant_first(state, in_line(state, queue).front()))
        changed = true;
    return changed;
  }
  /// Lets flits go all the way from the source's link to the hosts, but for the tail; true if any went.
  bool stream(SharedState& state, Place source) const;
  /// Moves flits into the outputs of a node; true if any moved.
  bool move(SharedState& state, Place node) const;
  bool share_resource(Place a, Place b) const;
  bool can_grant(const SharedState& state, Place place) const;
  bool grant_first(SharedState& state, Place place) const;
  bool has_come(const SharedState& state, std::uint32_t earlier, std::uint32_t w) const;

  const std::vector<ExploredWorm>& worms_;
  bool link_;
  bool per_flit_;
  bool shares_;  ///< several worms can stand in one FIFO
  bool serial_;
  std::uint32_t source_flits_;        ///< that stand before the outputs of a source
  std::uint32_t registers_;           ///< flits beside those of a buffer, where they come without gaps
  std::vector<std::uint64_t> flits_;  ///< by worm
  std::vector<Advance> goes_;         ///< by worm
  std::vector<bool> outgrows_;        ///< by worm: stands_still_alone()
  std::vector<Place> first_;          ///< by worm: its source
  std::vector<Spot> spots_;
  std::vector<Taken> taken_;
  std::vector<Line> queues_;
  std::size_t lines_ = 0;  ///< places in all lines
};

}  // namespace wormcast
