// The engine of routers that join reductions flit by flit: every flit of every worm and part, in every cycle.
//
// The routers (joining_mesh.hpp) know nothing of multicasts; here packets are made of routes, nodes send them
// one behind the other, and what arrives is written down. Other engines count from the cycle in which a flit
// leaves its source, the routers from the one before it, in which it enters the FIFO of its source: what they
// say is a cycle later. Cost: a look at each router where flits stand, in each cycle in which any do.
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "multicast/check.hpp"
#include "multicast/join_packets.hpp"
#include "router/joining_mesh.hpp"
#include "simulation/engines/stream_engine.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

class JoinEngine final : public StreamEngine {
 public:
  JoinEngine(const Topology& topology, const SimulationOptions& options)
      : StreamEngine(topology, options),
        resources_(topology, options.model),
        mesh_(topology, options.model.buffer_flits, shapes_),
        sources_(mesh_.nodes()),
        opened_(mesh_.nodes(), kNone) {}

  Summary summary() const override {
    Summary result = StreamEngine::summary();
    result.interleaved.assign(interleaved_.begin(), interleaved_.end());
    result.mixed.assign(mixed_.begin(), mixed_.end());
    if (!deadlock_ && !interleaved_.empty()) result.outcome = Outcome::interleaved;
    if (!deadlock_ && misplaced_) result.outcome = Outcome::corrupted;
    return result;
  }

  std::string_view name() const override { return "join"; }

 private:
  /// What the engine knows of a packet, beside its shape.
  struct Packet {
    WormName name;
    std::uint32_t multicast = 0;  ///< slot in the ledger
    std::uint32_t source = 0;     ///< of a worm
    bool reduces = false;
    std::uint64_t live = 0;                  ///< flits in FIFOs, and to be sent
    std::uint64_t hops = 0;                  ///< channels
    std::vector<std::uint32_t> receivers{};  ///< ascending
    std::vector<bool> come{};                ///< by receiver and flit
    std::uint32_t tails = 0;                 ///< that are still to come
  };
  /// A node's part in a packet.
  struct Sending {
    Cycle ready = 0;
    WormName name;
    std::uint32_t packet = 0;
    bool operator>(const Sending& other) const {
      return std::tie(ready, name) > std::tie(other.ready, other.name);
    }
  };
  struct Source {
    std::priority_queue<Sending, std::vector<Sending>, std::greater<>> waiting;
    std::optional<Sending> now;
    std::uint64_t sent = 0;                     ///< flits of it
    std::map<std::uint32_t, Cycle> not_headed;  ///< ready cycles, by packet, of what is not at the head yet
  };

  std::uint32_t add_worm(const Routes& routes, std::uint32_t worm, const MulticastState& state) override {
    const Request& request = state.delivery.plan.request;
    std::uint32_t number = static_cast<std::uint32_t>(packets_.size());
    if (free_.empty()) {
      packets_.emplace_back();
      shapes_.emplace_back();
    } else {
      number = free_.back();
      free_.pop_back();
    }
    const WormRoute& route = routes.worms[worm];
    JoinPacket& shape = shapes_[number] =
        packet_of(*topology_, request, route, worm, options_.model.header_flits);
    Packet& packet = packets_[number] = Packet{};
    packet.name = {request.id, worm};
    packet.multicast = state.slot;
    packet.source = route.source.value;
    packet.reduces = request.reduces();
    for (const RouteHop& hop : route.hops) {
      packet.hops += hop.is_channel() ? 1 : 0;
      if (!hop.is_channel() && !request.reduces()) packet.receivers.push_back(hop.target);
    }
    if (request.reduces()) packet.receivers = {request.source.value};
    std::sort(packet.receivers.begin(), packet.receivers.end());
    packet.tails = static_cast<std::uint32_t>(packet.receivers.size());
    packet.come.assign(packet.receivers.size() * shape.flits, false);
    if (!packet.reduces) will_send(number);
    return number;
  }

  RouteNeeds prepare(Routes& routes) override {
    require_hops(routes, "these routers route by dimension order");
    for (const WormRoute& worm : routes.worms)
      if (worm.after >= 0)
        throw InputError(
            "worms", "a worm after another; routers that join flit by flit take those that start at once");
    return check_simulable(resources_, routes);
  }

  void added(const Request& request, const std::vector<WormRoute>& worms) override {
    if (!request.reduces()) return;
    const std::uint32_t multicast = packets_[slots_.front()].multicast;
    for (std::size_t w = 0; w < worms.size(); ++w)
      for (const RouteHop& hop : worms[w].hops) {
        if (hop.is_channel()) continue;
        held_back_[multicast].emplace_back(hop.target, slots_[w]);
        will_send(slots_[w]);
      }
    start_parts(multicast);
  }

  /// Some node will send all flits of it.
  void will_send(std::uint32_t packet) {
    packets_[packet].live += shapes_[packet].flits;
    to_send_ += shapes_[packet].flits;
  }

  /// What waits for nothing more is sent when it is ready.
  void start_parts(std::uint32_t multicast) override {
    const MulticastState& state = ledger_.at(multicast);
    const auto found = held_back_.find(multicast);
    if (found == held_back_.end()) return;
    std::erase_if(found->second, [&](const auto& part) {
      const auto [node, packet] = part;
      const PartState& own = state.parts[place_of(HostId{node}, state.delivery.plan.request.destinations)];
      if (own.open == 0) send(node, packet, own.ready);
      return own.open == 0;
    });
    if (found->second.empty()) held_back_.erase(found);
  }

  void send(std::uint32_t node, std::uint32_t packet, Cycle ready) {
    sources_[shapes_[packet].network * topology_->hosts() + node].waiting.push(
        {ready, packets_[packet].name, packet});
  }

  /// When the next part is ready that nothing else has to be waited for; kNever: none.
  Cycle next_start() const {
    Cycle next = kNever;
    for (const Source& source : sources_)
      if (!source.now && !source.waiting.empty()) next = std::min(next, source.waiting.top().ready);
    return next;
  }

  /// Cycles of the routers, so what is told of them lies a cycle before.
  void run_before(Cycle limit) override {
    while (now_ < limit) {
      if (step()) continue;
      const Cycle next = next_start();  // nothing moves until then
      if (next == kNever || next >= limit) {
        now_ = std::max(now_, limit == kNever ? now_ : limit);
        return;
      }
      now_ = std::max(now_, next);
    }
  }

  /// Nodes whose FIFO had room as the cycle began send a flit.
  void enter(const std::vector<bool>& room) {
    for (std::uint32_t node = 0; node < sources_.size(); ++node) {
      Source& source = sources_[node];
      if (!source.now && !source.waiting.empty() && source.waiting.top().ready <= now_) {
        source.now = source.waiting.top();
        source.waiting.pop();
        source.sent = 0;
        source.not_headed.emplace(source.now->packet, source.now->ready);
      }
      if (!source.now || !room[node]) continue;
      const std::uint32_t packet = source.now->packet;
      const std::uint64_t number = source.sent++;
      const bool last = source.sent == shapes_[packet].flits;
      mesh_.enter(node, {packet, number, node, last});
      --to_send_;
      if (last) source.now.reset();
    }
  }

  /// A cycle; false if nothing moves in it.
  bool step() {
    std::vector<bool> room(sources_.size());
    for (std::uint32_t node = 0; node < room.size(); ++node) room[node] = mesh_.has_room(node);
    const bool moves = mesh_.decide(now_);
    for (const JoiningMesh::Wait& wait : mesh_.waits())
      if (wait.cycles > 0) ledger_.blocked(packets_[wait.packet].multicast, wait.cycles);
    for (const JoiningMesh::Ejection& ejection : mesh_.ejections()) eject(ejection);
    const std::uint64_t before = to_send_;
    enter(room);
    mesh_.move(
        now_, [&](const JoinFlit& flit) { gone(flit.packet); },
        [&](const JoinFlit& flit) { ++packets_[flit.packet].live; },
        [&](std::uint32_t node, const JoinFlit& flit, Cycle from) {
          const auto found = sources_[node].not_headed.find(flit.packet);
          if (found == sources_[node].not_headed.end()) return;
          ledger_.queued(packets_[flit.packet].multicast, from - 1 - found->second);
          sources_[node].not_headed.erase(found);
        });
    const bool any = moves || to_send_ != before;
    if (any) moved_ = now_ == 0 ? 0 : now_ - 1;
    if (any) ledger_.totals().last_cycle = now_;
    ++event_count_;
    ++now_;
    return any;
  }

  /// A flit leaves by the local output of `node`.
  void eject(const JoiningMesh::Ejection& ejection) {
    const JoinFlit& flit = ejection.flit;
    Packet& packet = packets_[flit.packet];
    const std::uint64_t id = packet.name.multicast;
    if (!flit.mixed.empty()) {
      std::set<std::uint64_t> ids;
      for (const std::uint32_t part : flit.mixed) ids.insert(packets_[part].name.multicast);
      mixed_.emplace(ids.begin(), ids.end());
    }
    std::uint32_t& open = opened_[ejection.node];
    if (open != kNone && open != flit.packet) {
      const std::uint64_t other = packets_[open].name.multicast;
      interleaved_.insert({std::min(id, other), std::max(id, other)});
    }
    open = flit.last ? kNone : flit.packet;

    const std::uint32_t node = ejection.node % topology_->hosts();
    const auto place = std::lower_bound(packet.receivers.begin(), packet.receivers.end(), node);
    const bool belongs = place != packet.receivers.end() && *place == node;
    const std::uint64_t flits = shapes_[flit.packet].flits;
    const auto index = static_cast<std::size_t>(
        static_cast<std::uint64_t>(place - packet.receivers.begin()) * flits + flit.number);
    if (!belongs || packet.come[index]) {
      misplaced_ = true;
      mixed_.insert({id});
      return;
    }
    packet.come[index] = true;
    const Cycle cycle = now_ - 1;
    if (packet.reduces && flit.number == 0) {
      ledger_.part_came(packet.multicast, ejection.first_head - 1);
      ledger_.part_came(packet.multicast, ejection.last_head - 1);
    }
    if (!flit.last) return;
    arrived(packet.multicast, {HostId{node}, true, cycle, 0});
    if (options_.observer != nullptr) options_.observer->arrived(packet.name, HostId{node}, cycle);
    if (--packet.tails > 0) return;
    ++ledger_.totals().finished_worms;
    ledger_.totals().flit_hops += flits * packet.hops;
  }

  void gone(std::uint32_t number) {
    if (--packets_[number].live > 0 || packets_[number].tails > 0) return;
    free_.push_back(number);
  }

  /// Worms of which flits went astray never finish.
  void end_stream() override {
    const bool waits = std::any_of(sources_.begin(), sources_.end(), [](const Source& source) {
      return source.now || !source.waiting.empty();
    });
    if (waits || !mesh_.empty()) deadlock_ = standstill();
    unfinished_worms_ = 0;
  }

  /// Everything that stands: what its flits stand in, and what those at heads wait for.
  Deadlock standstill() const {
    std::map<WormName, std::pair<std::set<ResourceId>, std::set<ResourceId>>> worms;
    mesh_.each_flit([&](std::uint32_t at, MeshSide side, const JoinFlit& flit, SideSet outputs) {
      auto& [holds, waits] = worms[packets_[flit.packet].name];
      const std::uint32_t node = at % topology_->hosts(), network = at / topology_->hosts();
      holds.insert(side == node_side
                       ? resources_.injection(HostId{node}, network)
                       : resources_.network(channel_into(*topology_, NodeId{node}, side), network));
      for (std::uint8_t output = 0; output < side_count; ++output)
        if ((outputs >> output & 1) != 0)
          waits.insert(
              output == node_side
                  ? resources_.consumption(HostId{node}, std::nullopt, 0)
                  : resources_.network(channel_out_of(*topology_, NodeId{node}, MeshSide{output}), network));
    });
    for (std::uint32_t node = 0; node < sources_.size(); ++node) {
      auto waiting = sources_[node].waiting;
      for (; !waiting.empty(); waiting.pop())
        worms[waiting.top().name].second.insert(
            resources_.injection(HostId{node % topology_->hosts()}, node / topology_->hosts()));
    }
    Deadlock deadlock;
    deadlock.cycle = moved_;
    for (const auto& [name, at] : worms) {
      deadlock.blocked.push_back(name);
      deadlock.core.push_back(
          {name, {at.first.begin(), at.first.end()}, {at.second.begin(), at.second.end()}});
    }
    return deadlock;
  }

  void follow(std::uint32_t /*before*/, std::uint32_t /*worm*/) override {}  // prepare() refuses it
  void start(std::uint32_t packet, Cycle cycle) override { send(packets_[packet].source, packet, cycle); }
  void settle_rest() override {}

  Resources resources_;
  std::vector<JoinPacket> shapes_;
  std::vector<Packet> packets_;  ///< parallel
  std::vector<std::uint32_t> free_;
  JoiningMesh mesh_;
  std::vector<Source> sources_;
  std::vector<std::uint32_t> opened_;  ///< by node: the packet of which flits come, not its last yet
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      held_back_;  ///< by reduction: (node, packet)
  std::uint64_t to_send_ = 0;
  Cycle moved_ = 0;
  bool misplaced_ = false;
  std::set<Summary::Ids> interleaved_, mixed_;
};

}  // namespace

std::unique_ptr<Engine> make_join_engine(const Topology& topology, const SimulationOptions& options) {
  const char* const asked = options.window             ? "--measure-cycles"
                            : options.events           ? "--events"
                            : options.channel_loads    ? "--channel-loads"
                            : options.stop_on_deadlock ? "--stop-on-deadlock"
                                                       : nullptr;
  if (asked != nullptr)
    throw InputError(
        asked,
        "the join engine tells neither windows, channel loads nor events, and stops with the last flit");
  check_joining(topology, options.model);
  return std::make_unique<JoinEngine>(topology, options);
}

}  // namespace wormcast
