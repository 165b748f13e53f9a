// Routers of a mesh that join parts of reductions flit by flit, as they copy: FIFOs, arbiters, joins.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Inputs and outputs of a router, in its arbiters' order. North is up dimension 1, east up dimension 0.
enum MeshSide : std::uint8_t { north_side, east_side, south_side, west_side, node_side, side_count };
/// A bit for each side.
using SideSet = std::uint8_t;

struct MeshPlace {
  std::uint32_t x = 0, y = 0;
  friend bool operator==(const MeshPlace&, const MeshPlace&) = default;
};

/// Where a flit goes from `at` by dimension order, the first dimension first; at the root, to its node.
inline MeshSide towards(MeshPlace at, MeshPlace root) {
  if (at.x != root.x) return at.x < root.x ? east_side : west_side;
  return at.y == root.y ? node_side : at.y < root.y ? north_side : south_side;
}

/// What all flits of a worm, or of the parts of a reduction, have in common.
struct JoinPacket {
  bool joins = false;       ///< a reduction; else a worm
  std::uint64_t flits = 0;  ///< of each part
  std::uint32_t network = 0;
  // A reduction's set is each of its sources with any bits of the mask flipped.
  MeshPlace root, mask;
  std::vector<std::pair<std::uint32_t, SideSet>> ways{};  ///< by router, ascending, its outputs
};

struct JoinFlit {
  std::uint32_t packet = 0;
  std::uint64_t number = 0;
  std::uint32_t from = 0;  ///< the router whose node sent it: if joined, the part whose header it has
  bool last = false;
  std::vector<std::uint32_t> mixed{};  ///< other packets than its own, or its own too, of which it has parts
};

/// Physical networks side by side, which routes name as virtual channels.
inline std::uint32_t networks_of(const Topology& topology) {
  return std::max(1U, topology.spec().virtual_channels);
}

/// Appends the number, in sevens of bits.
inline void append_number(std::string& text, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  text += static_cast<char>(value);
}

/// The routers, a cycle at a time. Packets are the caller's.
///
/// An output serves one worm from its first flit to its last; when it serves none, its arbiter picks one of
/// the inputs at which a worm asks. It takes a joined flit instead in a cycle in which every input at which
/// parts of the reduction are expected shows one of the same root and mask: of several the one with the
/// lowest input, which goes on with that input's header, and all those heads go. The arbiter is not told. An
/// input stays tied to the outputs of its last flit until that was the last of its packet. A flit without
/// expected inputs, off the tree of its reduction, stands still; that was never seen when measured. Networks
/// share nothing: node n of network k counts as node n + k · nodes. cite: pulp-platform FlooNoC, floo_router,
/// floo_reduction_arbiter, floo_wormhole_arbiter
class JoiningMesh {
 public:
  struct Ejection {
    std::uint32_t node = 0;
    JoinFlit flit;
    std::uint64_t first_head = 0, last_head = 0;  ///< since when its parts stood at the heads of FIFOs
  };
  /// A first flit that began to go on, after so many cycles without need.
  struct Wait {
    std::uint32_t packet = 0;
    std::uint64_t cycles = 0;
  };
  JoiningMesh(const Topology& topology, std::uint32_t fifo_flits, const std::vector<JoinPacket>& packets);

  /// Of all networks.
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(standing_.size()); }
  bool has_room(std::uint32_t node) const { return input(node, node_side).fifo.size() < fifo_flits_; }
  /// The flit stands at the local input from the next cycle on.
  void enter(std::uint32_t node, JoinFlit flit) { arriving_.push_back({{node, node_side}, std::move(flit)}); }
  /// Decides what moves in the cycle; true if anything does, or is granted.
  bool decide(Cycle now);
  /// What decide() has let leave by local outputs, and first flits that were granted what they waited for.
  const std::vector<Ejection>& ejections() const { return ejections_; }
  const std::vector<Wait>& waits() const { return waits_; }
  /// Moves it, and what has entered. Calls come(flit) and gone(flit) for what begins and ceases to stand in a
  /// FIFO of a neighbour, headed(node, flit, cycle) for a first flit at the head of a local one from then on.
  template <class Gone, class Come, class Headed>
  void move(Cycle now, Gone gone, Come come, Headed headed);
  bool empty() const { return flits_ == 0; }
  /// Adds to `text` all that what happens and is seen from here on depends on, whatever the cycle.
  void write_state(std::string& text) const;
  /// Calls visit(node, input, flit, outputs that it waits for) for every flit; 0 behind the head.
  template <class Visit>
  void each_flit(Visit visit) const;

 private:
  struct Input {
    std::vector<JoinFlit> fifo;  ///< few: the first goes by moving the others
    SideSet done = 0;            ///< outputs that have taken its head
    SideSet tie = 0;             ///< outputs that it is tied to; 0: none
    Cycle head_since = 0;
  };
  struct Output {
    std::uint8_t serves = side_count;
    SideSet sampled = 0;
    std::uint8_t pointer = 0;
    void pick(SideSet asking);
    void finish();
  };
  struct At {
    std::uint32_t node = 0;
    std::uint8_t side = node_side;
  };
  struct Move {
    std::uint32_t node = 0;
    std::uint8_t winner = 0;
    SideSet taken = 0;
    std::uint8_t output = 0;
  };
  struct Arriving {
    At at;
    JoinFlit flit;
  };

  const Input& input(std::uint32_t node, unsigned side) const { return inputs_[node * side_count + side]; }
  Input& input(std::uint32_t node, unsigned side) { return inputs_[node * side_count + side]; }
  template <class Visit>
  static void each_side(SideSet set, Visit visit) {
    for (std::uint8_t side = 0; side < side_count; ++side)
      if ((set >> side & 1) != 0) visit(side);
  }
  template <class Headed>
  void show_head(std::uint32_t node, std::uint8_t side, Cycle from, Headed& headed) {
    Input& in = input(node, side);
    in.head_since = from;
    if (side == node_side && in.fifo.front().number == 0) headed(node, in.fifo.front(), from);
  }
  MeshPlace place(std::uint32_t node) const { return {node % width_, node / width_ % height_}; }
  bool beyond(std::uint32_t node, unsigned output, At& at) const;
  SideSet ways(std::uint32_t node, const Input& in) const;
  SideSet expected(std::uint32_t node, const JoinFlit& flit) const;
  bool same_reduction(const JoinFlit& a, const JoinFlit& b) const;
  void decide_output(std::uint32_t node, unsigned output, Cycle now);
  SideSet joined_at(std::uint32_t node, SideSet asking, std::uint8_t& winner) const;
  JoinFlit joined(const Move& move) const;

  std::uint32_t width_, height_;
  std::uint32_t fifo_flits_;
  const std::vector<JoinPacket>& packets_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::uint32_t> standing_;  ///< by router: flits in its FIFOs
  std::uint64_t flits_ = 0;
  // Of the cycle.
  std::array<SideSet, side_count> wanted_{};  ///< of this router, by input: outputs that its head asks for
  bool picked_ = false;
  std::vector<Move> moves_;
  std::vector<Ejection> ejections_;
  std::vector<Wait> waits_;
  std::vector<Arriving> arriving_;
};

template <class Gone, class Come, class Headed>
void JoiningMesh::move(Cycle now, Gone gone, Come come, Headed headed) {
  for (const Move& move : moves_) {
    At to;
    if (move.output == node_side || !beyond(move.node, move.output, to)) continue;
    arriving_.push_back({to, joined(move)});
    come(arriving_.back().flit);
  }
  for (const Move& move : moves_)
    each_side(move.taken, [&](std::uint8_t side) {
      Input& in = input(move.node, side);
      in.done = static_cast<SideSet>(in.done | 1U << move.output);
    });
  for (const Move& move : moves_)
    each_side(move.taken, [&](std::uint8_t side) {
      Input& in = input(move.node, side);
      if (in.done == 0 || in.done != ways(move.node, in)) return;  // it has gone, or has yet to
      in.tie = in.fifo.front().last ? SideSet{0} : in.done;
      in.done = 0;
      gone(in.fifo.front());
      in.fifo.erase(in.fifo.begin());
      --standing_[move.node];
      --flits_;
      if (!in.fifo.empty()) show_head(move.node, side, now + 1, headed);
    });
  for (Arriving& arriving : arriving_) {
    Input& in = input(arriving.at.node, arriving.at.side);
    in.fifo.push_back(std::move(arriving.flit));
    ++standing_[arriving.at.node];
    ++flits_;
    if (in.fifo.size() == 1) show_head(arriving.at.node, arriving.at.side, now + 1, headed);
  }
  arriving_.clear();
  moves_.clear();
}

template <class Visit>
void JoiningMesh::each_flit(Visit visit) const {
  for (std::uint32_t node = 0; node < standing_.size(); ++node)
    for (std::uint8_t side = 0; side < side_count; ++side) {
      const Input& in = input(node, side);
      for (const JoinFlit& flit : in.fifo) {
        const bool head = &flit == &in.fifo.front();
        visit(node, MeshSide{side}, flit,
              head ? static_cast<SideSet>(ways(node, in) & ~in.done) : SideSet{0});
      }
    }
}

}  // namespace wormcast
