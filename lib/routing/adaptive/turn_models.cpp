// Turn models on meshes: west-first, north-last, negative-first, each minimal and adaptive.
//
// A model sorts the directions into two phases and forbids every turn from the second phase back to the
// first: west before all others, north after all others, or every negative direction before every positive
// one. West is −x, north is +y. A minimal worm so takes the hops of the first phase that it needs, in any
// order, and then those of the second, in any order. There is always a way: the hops still needed of the
// phase in hand, and where none is left those of the other.
//
// Why free of deadlock: channels can be put in an order that every allowed turn follows. First phase, then
// second. West-first: channels west by falling column; then, by rising column, those up and down of a column,
// each in their own direction, before its channel east. North-last: by falling row the channels east and west
// of a row, each in their own direction, before its channels south; then those north by rising row.
// Negative-first: by falling sum of the coordinates, then by rising sum. A minimal worm never turns back in a
// dimension, so both directions of one never meet within a phase. The proof is for worms with one
// destination: at a stop the next leg may begin with a forbidden turn.
// On hypercubes negative-first clears address bits before it sets some: p-cube routing.
// Cost: O(dimensions) a hop, no state. cite: Glass, Ni 1992 (The turn model for adaptive routing).
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"

namespace wormcast {
namespace {

enum class TurnModel : std::uint8_t { west_first, north_last, negative_first };

class TwoPhases final : public MinimalRouting {
 public:
  TwoPhases(const Topology& network, TurnModel model) : MinimalRouting(network), model_(model) {}

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    bool in_first = false;
    on_every_vc(state, candidates, [&](auto take) {
      each_minimal(at, destination, [&](PortId port, ChannelId channel, NodeId to) {
        const bool first = is_first_phase(at, port);
        if (in_first && !first) return;
        if (first && !in_first) candidates.clear();
        in_first = first;
        take(channel, to);
      });
    });
  }

 private:
  bool is_first_phase(NodeId at, PortId port) const {
    constexpr PortId west{1};
    constexpr PortId north{2};
    if (model_ == TurnModel::west_first) return port == west;
    if (model_ == TurnModel::north_last) return port != north;
    return topology().grid() != nullptr ? port.value % 2 == 1 : (at.value >> port.value & 1U) == 1;
  }

  TurnModel model_;
};

}  // namespace

extern const RoutingEntry routing_west_first = {
    .name = "west-first",
    .summary = "adaptive: all hops west (-x) first, then any minimal hop",
    .topologies = "mesh of at most two dimensions",
    .cite = "Glass, Ni 1992",
    .unsupported = no_plane,
    .bind = bound<TwoPhases, TurnModel::west_first>,
    .adaptive = true,
};

extern const RoutingEntry routing_north_last = {
    .name = "north-last",
    .summary = "adaptive: any minimal hop but north (+y) first, then all hops north",
    .topologies = "mesh of at most two dimensions",
    .cite = "Glass, Ni 1992",
    .unsupported = no_plane,
    .bind = bound<TwoPhases, TurnModel::north_last>,
    .adaptive = true,
};

extern const RoutingEntry routing_negative_first = {
    .name = "negative-first",
    .summary = "adaptive: any minimal hop downwards first, then any upwards (hypercube: p-cube)",
    .topologies = "mesh, hypercube",
    .cite = "Glass, Ni 1992",
    .unsupported =
        [](const Topology& t) { return needs(t.line_grid() || t.bit_addresses(), "a mesh or a hypercube"); },
    .bind = bound<TwoPhases, TurnModel::negative_first>,
    .adaptive = true,
};

}  // namespace wormcast
