// What a router does in a cycle that joins flit by flit. Cost: a look at each router where flits stand.
// SPDX-License-Identifier: MIT
#include "router/joining_mesh.hpp"

#include <bit>

#include "router/router_rules.hpp"

namespace wormcast {
namespace {

constexpr SideSet bit(unsigned side) { return static_cast<SideSet>(1U << side); }
constexpr bool has(SideSet set, unsigned side) { return (set >> side & 1) != 0; }

/// In one dimension: the coordinates that a source and a mask stand for.
struct Span {
  std::uint32_t least, most, masked, mask;

  Span(std::uint32_t source, std::uint32_t bits)
      : least(source & ~bits), most(source | bits), masked(source & ~bits), mask(bits) {}
  bool holds(std::uint32_t coordinate) const { return (coordinate & ~mask) == masked; }
};

}  // namespace

JoiningMesh::JoiningMesh(const Topology& topology, std::uint32_t fifo_flits,
                         const std::vector<JoinPacket>& packets)
    : width_(topology.grid()->dims()[0]),
      height_(topology.grid()->dims()[1]),
      fifo_flits_(fifo_flits),
      packets_(packets),
      inputs_(std::size_t{topology.routers()} * networks_of(topology) * side_count),
      outputs_(inputs_.size()),
      standing_(inputs_.size() / side_count) {
  for (const LinkValue what : {LinkValue::hop_cycles, LinkValue::flit_cycles, LinkValue::buffer_flits})
    refuse_unlike(topology, what, "parts of reductions are joined flit by flit");
}

/// The input behind an output; false at the edge.
bool JoiningMesh::beyond(std::uint32_t node, unsigned output, At& at) const {
  const MeshPlace here = place(node);
  switch (output) {
    case north_side:
      at = {node + width_, south_side};
      return here.y + 1 < height_;
    case south_side:
      at = {node - width_, north_side};
      return here.y > 0;
    case east_side:
      at = {node + 1, west_side};
      return here.x + 1 < width_;
    case west_side:
      at = {node - 1, east_side};
      return here.x > 0;
    default:
      return false;
  }
}

/// The outputs of the input's head.
SideSet JoiningMesh::ways(std::uint32_t node, const Input& in) const {
  if (in.tie != 0) return in.tie;
  const JoinPacket& packet = packets_[in.fifo.front().packet];
  if (packet.joins) return bit(towards(place(node), packet.root));
  const auto found = std::lower_bound(packet.ways.begin(), packet.ways.end(), std::pair(node, SideSet{0}));
  return found == packet.ways.end() || found->first != node ? SideSet{0} : found->second;
}

/// The inputs at which flits of the reduction come: its own node, those farther out in its row, and in the
/// root's column those farther out.
SideSet JoiningMesh::expected(std::uint32_t node, const JoinFlit& flit) const {
  const JoinPacket& packet = packets_[flit.packet];
  const MeshPlace here = place(node), source = place(flit.from), root = packet.root;
  const Span columns(source.x, packet.mask.x), rows(source.y, packet.mask.y);
  SideSet inputs = 0;
  if (rows.holds(here.y)) {
    if (columns.holds(here.x)) inputs |= bit(node_side);
    if (here.x >= root.x && columns.most > here.x) inputs |= bit(east_side);
    if (here.x <= root.x && columns.least < here.x) inputs |= bit(west_side);
  }
  if (here.x == root.x) {
    if (here.y >= root.y && rows.most > here.y) inputs |= bit(north_side);
    if (here.y <= root.y && rows.least < here.y) inputs |= bit(south_side);
  }
  return inputs;
}

[[gnu::weak]] bool JoiningMesh::same_reduction(const JoinFlit& a, const JoinFlit& b) const {
  const JoinPacket& one = packets_[a.packet];
  const JoinPacket& other = packets_[b.packet];
  return one.root == other.root && one.mask == other.mask;
}

/// A binary tree over the inputs: at each level the half that asks, or of both the one with the pointer.
void JoiningMesh::Output::pick(SideSet asking) {
  unsigned low = 0;
  for (unsigned size = 4; size > 0; size /= 2) {
    const SideSet half = static_cast<SideSet>((1U << size) - 1);
    const bool lower = (asking >> low & half) != 0;
    const bool upper = (asking >> (low + size) & half) != 0;
    if (!lower || (upper && (pointer & size) != 0)) low += size;
  }
  serves = static_cast<std::uint8_t>(low);
  sampled = asking;
}

/// The pointer moves to the next of those that asked, or round to the lowest.
void JoiningMesh::Output::finish() {
  const unsigned above = sampled & ~((2U << pointer) - 1);
  pointer = static_cast<std::uint8_t>(std::countr_zero(above != 0 ? above : unsigned{sampled}));
  serves = side_count;
}

/// Of the inputs whose heads ask to be joined, those that make one flit; 0: none do.
SideSet JoiningMesh::joined_at(std::uint32_t node, SideSet asking, std::uint8_t& winner) const {
  for (winner = 0; winner < side_count; ++winner) {
    if (!has(asking, winner)) continue;
    const JoinFlit& flit = input(node, winner).fifo.front();
    SideSet same = 0;
    each_side(asking, [&](std::uint8_t side) {
      if (same_reduction(flit, input(node, side).fifo.front())) same |= bit(side);
    });
    const SideSet inputs = expected(node, flit);
    if (inputs != 0 && (inputs & ~same) == 0) return inputs;
  }
  return 0;
}

void JoiningMesh::decide_output(std::uint32_t node, unsigned output, Cycle now) {
  SideSet worms = 0, joins = 0;
  for (std::uint8_t side = 0; side < side_count; ++side)
    if (has(wanted_[side], output))
      (packets_[input(node, side).fifo.front().packet].joins ? joins : worms) |= bit(side);
  Output& out = outputs_[node * side_count + output];
  if (out.serves == side_count && worms != 0) {
    out.pick(worms);
    picked_ = true;
    const Input& in = input(node, out.serves);
    if (in.fifo.front().number == 0) waits_.push_back({in.fifo.front().packet, now - in.head_since});
  }
  if ((worms | joins) == 0) return;
  At to;
  if (output != node_side &&
      (!beyond(node, output, to) || input(to.node, to.side).fifo.size() >= fifo_flits_))
    return;
  Move move{node, side_count, 0, static_cast<std::uint8_t>(output)};
  if (joins != 0) move.taken = joined_at(node, joins, move.winner);
  if (move.taken == 0) {
    if (out.serves == side_count || !has(worms, out.serves)) return;
    move.winner = out.serves;
    move.taken = bit(out.serves);
    if (input(node, out.serves).fifo.front().last) out.finish();
  }
  moves_.push_back(move);
  Cycle first = now, last = 0;
  each_side(move.taken, [&](std::uint8_t side) {
    first = std::min(first, input(node, side).head_since);
    last = std::max(last, input(node, side).head_since);
  });
  const JoinFlit& head = input(node, move.winner).fifo.front();
  if (packets_[head.packet].joins && head.number == 0) waits_.push_back({head.packet, now - last});
  if (output == node_side) ejections_.push_back({node, joined(move), first, last});
}

/// What goes on.
JoinFlit JoiningMesh::joined(const Move& move) const {
  JoinFlit flit = input(move.node, move.winner).fifo.front();
  if (!packets_[flit.packet].joins) return flit;
  bool mixed = false;
  std::vector<std::uint32_t> parts;
  each_side(move.taken, [&](std::uint8_t side) {
    const JoinFlit& part = input(move.node, side).fifo.front();
    mixed = mixed || part.packet != flit.packet || part.number != flit.number || !part.mixed.empty();
    parts.push_back(part.packet);
    parts.insert(parts.end(), part.mixed.begin(), part.mixed.end());
  });
  if (!mixed) return flit;
  sort_unique(parts);
  flit.mixed = std::move(parts);
  return flit;
}

void JoiningMesh::write_state(std::string& text) const {
  const auto add = [&](std::uint64_t value) { append_number(text, value); };
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Input& in = inputs_[i];
    if (in.fifo.empty() && in.tie == 0) continue;
    add(i + 1);
    add(in.fifo.size());
    for (const JoinFlit& flit : in.fifo) {
      add(flit.packet);
      add(flit.number);
      add(flit.from);
      for (const std::uint32_t part : flit.mixed) add(std::uint64_t{part} + 1);
      add(0);
    }
    add(in.done);
    add(in.tie);
  }
  add(0);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Output& out = outputs_[i];
    if (out.serves == side_count && out.pointer == 0) continue;
    add(i + 1);
    add(out.serves);
    add(out.serves == side_count ? 0 : out.sampled);
    add(out.pointer);
  }
  add(0);
}

bool JoiningMesh::decide(Cycle now) {
  picked_ = false;
  ejections_.clear();
  waits_.clear();
  for (std::uint32_t node = 0; node < standing_.size(); ++node) {
    if (standing_[node] == 0) continue;
    SideSet any = 0;
    for (std::uint8_t side = 0; side < side_count; ++side) {
      const Input& in = input(node, side);
      wanted_[side] = in.fifo.empty() ? SideSet{0} : static_cast<SideSet>(ways(node, in) & ~in.done);
      any |= wanted_[side];
    }
    each_side(any, [&](std::uint8_t output) { decide_output(node, output, now); });
  }
  return picked_ || !moves_.empty();
}

}  // namespace wormcast
