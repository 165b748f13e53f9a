// All runs of a few messages on routers that join flit by flit: a search over when each source begins what.
//
// A state is that of the routers, with what nodes have yet to send. In each cycle every node that sends
// nothing begins one of its parts that are ready, or none; all else the routers decide (joining_mesh.hpp). A
// part that begins where there is no room might as well begin later. Runs only differ by what is begun when,
// and states do not know the cycle, so that no state is looked at twice. Depth first, and whatever can begin
// begins first: full networks deadlock soonest. Nothing is left that can move, and flits are: a deadlock.
// Cost: states times what nodes can begin in one of them; each state is kept as a text.
// SPDX-License-Identifier: MIT
#include "deadlock/search/join_exploration.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "multicast/join_packets.hpp"
#include "router/joining_mesh.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t no_packet = 0xffffffff;
/// Where there are more states for sure, such a part is looked at: a deadlock may be among them.
constexpr std::uint64_t hopeless = 10;

struct Part {
  std::uint32_t packet = 0, message = 0, source = 0;  ///< its place among the message's sources
};

class JoinedRuns {
 public:
  JoinedRuns(const Topology& topology, const RouterModel& model, const std::vector<Routes>& messages,
             std::uint64_t state_limit)
      : messages_(messages),
        hosts_(topology.hosts()),
        state_limit_(state_limit),
        earlier_(messages.size()),
        awaited_(messages.size()),
        parts_of_(hosts_ * networks_of(topology)) {
    std::map<std::uint64_t, std::uint32_t> by_id;
    for (std::uint32_t m = 0; m < messages.size(); ++m) {
      const Request& request = messages[m].plan.request;
      by_id[request.id] = m;
      for (const std::uint64_t id : request.depends_on)
        if (const auto found = by_id.find(id); found != by_id.end()) {
          earlier_[m].push_back(found->second);
          awaited_[found->second] = true;
        }
      for (std::size_t w = 0; w < messages[m].worms.size(); ++w) {
        const WormRoute& route = messages[m].worms[w];
        const auto packet = static_cast<std::uint32_t>(packets_.size());
        packets_.push_back(packet_of(topology, request, route, w, model.header_flits));
        message_of_.push_back(m);
        std::vector<std::uint32_t>& receivers = receivers_.emplace_back();
        const auto part = [&](std::uint32_t node, std::size_t source) {
          parts_of_[packets_[packet].network * hosts_ + node].push_back(
              static_cast<std::uint32_t>(parts_.size()));
          parts_.push_back({packet, m, static_cast<std::uint32_t>(source)});
        };
        for (const RouteHop& hop : route.hops)
          if (!hop.is_channel() && request.reduces())
            part(hop.target, place_of(HostId{hop.target}, request.destinations));
          else if (!hop.is_channel())
            receivers.push_back(hop.target);
        if (request.reduces())
          receivers = {request.source.value};
        else
          part(route.source.value, 0);
      }
    }
    const std::size_t nodes = parts_of_.size();
    first_.emplace(State{JoiningMesh(topology, model.buffer_flits, packets_),
                         std::vector<bool>(parts_.size(), true),
                         std::vector(nodes, std::pair(no_packet, std::uint64_t{0})),
                         std::vector(nodes, no_packet),
                         {},
                         {}});
  }

  JoinExploration run(const std::function<void(std::uint64_t)>& tell) {
    open(std::move(*first_));
    std::uint64_t least = 1;  // states: what has begun in the first cycle tells them apart
    for (const auto& [node, can] : path_.front().begin)
      least = std::min(least, state_limit_) * (can.size() + 1);
    const std::uint64_t limit = least > state_limit_ ? state_limit_ / hopeless : state_limit_;
    while (!path_.empty()) {
      Frame& frame = path_.back();
      if (!frame.moves && frame.begin.empty() && !frame.state.mesh.empty()) {
        result_.deadlock = starts();
        break;
      }
      if (frame.done) {
        path_.pop_back();
        if (!path_.empty()) path_.back().choose_next();
        continue;
      }
      std::optional<State> next = successor(frame);
      if (next) {
        if (known_.size() > limit) break;
        if (tell && known_.size() % 4096 == 0) tell(known_.size());
        open(std::move(*next));
        continue;
      }
      frame.choose_next();
    }
    result_.states = known_.size();
    result_.exhausted = path_.empty();
    return result_;
  }

 private:
  struct State {
    JoiningMesh mesh;
    std::vector<bool> pending;                                   ///< by part
    std::vector<std::pair<std::uint32_t, std::uint64_t>> sends;  ///< by node: packet, flits sent
    std::vector<std::uint32_t> opened;                           ///< by node, as in the join engine
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> arrived;  ///< packet, receiver, flit
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> come;  ///< tails that others wait for
  };
  /// A state after the routers have decided, and which of its successors come next.
  struct Frame {
    State state;
    std::vector<bool> room;
    bool moves = false;
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> begin;  ///< nodes, and what they can
    std::vector<std::uint32_t> choice;  ///< by these: its index, or as many as there are for none
    bool done = false;

    void choose_next() {
      std::size_t i = 0;
      for (; i < choice.size() && choice[i]++ == begin[i].second.size(); ++i) choice[i] = 0;
      done = i == choice.size();
    }
  };

  void eject(State& state, const JoiningMesh::Ejection& ejection) {
    const std::uint32_t packet = ejection.flit.packet, message = message_of_[packet];
    const std::uint64_t id = messages_[message].plan.request.id;
    if (!ejection.flit.mixed.empty()) {
      std::set<std::uint64_t> ids;
      for (const std::uint32_t part : ejection.flit.mixed)
        ids.insert(messages_[message_of_[part]].plan.request.id);
      note(result_.mixed, {ids.begin(), ids.end()});
    }
    std::uint32_t& open = state.opened[ejection.node];
    if (open != no_packet && open != packet) {
      const std::uint64_t other = messages_[message_of_[open]].plan.request.id;
      note(result_.interleaved, {std::min(id, other), std::max(id, other)});
    }
    open = ejection.flit.last ? no_packet : packet;
    const std::uint32_t node = ejection.node % hosts_;
    const std::vector<std::uint32_t>& wanted = receivers_[packet];
    const auto receiver =
        static_cast<std::uint32_t>(std::find(wanted.begin(), wanted.end(), node) - wanted.begin());
    if (receiver == wanted.size() || !state.arrived.emplace(packet, receiver, ejection.flit.number).second)
      note(result_.mixed, {id});
    else if (ejection.flit.last && awaited_[message])
      ++state.come[{message, node}];
  }

  /// Whatever the part's message depends on has come to the node, of a reduction all its worms.
  bool ready(const State& state, std::uint32_t node, const Part& part) const {
    return std::all_of(earlier_[part.message].begin(), earlier_[part.message].end(),
                       [&](std::uint32_t message) {
                         const Routes& routes = messages_[message];
                         const std::span<const HostId> all = routes.plan.request.receivers();
                         if (std::find(all.begin(), all.end(), HostId{node}) == all.end()) return true;
                         const auto found = state.come.find({message, node});
                         return found != state.come.end() &&
                                found->second >= (routes.plan.request.reduces() ? routes.worms.size() : 1);
                       });
  }

  /// The routers decide, and what nodes can begin is worked out.
  void open(State state) {
    Frame& frame = path_.emplace_back(Frame{std::move(state), {}, false, {}, {}, false});
    State& now = frame.state;
    for (std::uint32_t node = 0; node < now.sends.size(); ++node)
      frame.room.push_back(now.mesh.has_room(node));
    frame.moves = now.mesh.decide(0);
    for (const JoiningMesh::Ejection& ejection : now.mesh.ejections()) eject(now, ejection);
    for (std::uint32_t node = 0; node < now.sends.size(); ++node) {
      if (!frame.room[node]) continue;
      frame.moves = frame.moves || now.sends[node].first != no_packet;
      if (now.sends[node].first != no_packet) continue;
      std::vector<std::uint32_t> can;
      for (const std::uint32_t part : parts_of_[node])
        if (now.pending[part] && ready(now, node % hosts_, parts_[part])) can.push_back(part);
      if (!can.empty()) frame.begin.emplace_back(node, std::move(can));
    }
    frame.choice.assign(frame.begin.size(), 0);
  }

  /// The state that the frame's present choice leads to; the next choice is made. Nothing: it is known.
  std::optional<State> successor(const Frame& frame) {
    State next = frame.state;
    for (std::size_t i = 0; i < frame.begin.size(); ++i) {
      const auto& [node, can] = frame.begin[i];
      if (frame.choice[i] == can.size()) continue;
      const std::uint32_t part = can[frame.choice[i]];
      next.pending[part] = false;
      next.sends[node] = {parts_[part].packet, 0};
    }
    for (std::uint32_t node = 0; node < next.sends.size(); ++node) {
      auto& [packet, sent] = next.sends[node];
      if (packet == no_packet || !frame.room[node]) continue;
      const bool last = sent + 1 == packets_[packet].flits;
      next.mesh.enter(node, {packet, sent++, node, last});
      if (last) next.sends[node] = {no_packet, 0};
    }
    const auto ignore = [](const auto&...) {};
    next.mesh.move(0, ignore, ignore, ignore);
    std::string text;
    next.mesh.write_state(text);
    const auto add = [&](auto... values) { (append_number(text, values), ...); };
    for (std::uint32_t node = 0; node < next.sends.size(); ++node) {
      const auto [packet, sent] = next.sends[node];
      if (packet == no_packet && next.opened[node] == no_packet) continue;
      add(node + 1U, packet + 1U, sent, next.opened[node] + 1U);
    }
    add(0);
    for (std::size_t part = 0; part < parts_.size(); part += 7) {
      std::uint64_t bits = 0;
      for (std::size_t i = part; i < std::min(part + 7, parts_.size()); ++i)
        bits = bits << 1 | (next.pending[i] ? 1 : 0);
      add(bits);
    }
    add(next.arrived.size());
    for (const auto& [packet, receiver, number] :
         next.arrived)  // all else says it, where nothing is misplaced
      add(packet, receiver, number);
    for (const auto& [at, count] : next.come) add(at.first, at.second, count);
    if (!known_.insert(std::move(text)).second) return std::nullopt;
    return next;
  }

  /// Of the path to its end; what has not begun there finds no room.
  JoinStarts starts() const {
    JoinStarts result;
    for (const Routes& routes : messages_)
      result.emplace_back(std::max<std::size_t>(1, routes.plan.request.start_cycles.size()), path_.size());
    for (std::size_t cycle = 0; cycle < path_.size(); ++cycle)
      for (std::size_t i = 0; i < path_[cycle].begin.size(); ++i) {
        const auto& [node, can] = path_[cycle].begin[i];
        if (path_[cycle].choice[i] == can.size()) continue;
        const Part& part = parts_[can[path_[cycle].choice[i]]];
        result[part.message][part.source] = std::min(result[part.message][part.source], cycle);
      }
    return result;
  }

  void note(std::map<std::vector<std::uint64_t>, JoinStarts>& in, const std::vector<std::uint64_t>& ids) {
    if (!in.contains(ids)) in[ids] = starts();
  }

  const std::vector<Routes>& messages_;
  std::uint32_t hosts_;
  std::uint64_t state_limit_;
  std::vector<JoinPacket> packets_;
  std::vector<std::uint32_t> message_of_;              ///< by packet
  std::vector<std::vector<std::uint32_t>> receivers_;  ///< by packet
  std::vector<std::vector<std::uint32_t>> earlier_;    ///< by message: those it depends on
  std::vector<bool> awaited_;                          ///< by message
  std::vector<Part> parts_;
  std::vector<std::vector<std::uint32_t>> parts_of_;  ///< by node: as indices
  std::optional<State> first_;
  std::vector<Frame> path_;
  std::unordered_set<std::string> known_;
  JoinExploration result_;
};

}  // namespace

[[gnu::weak]] JoinExploration explore_joins(const Topology& topology, const RouterModel& model,
                                            const std::vector<Routes>& messages, std::uint64_t state_limit,
                                            const std::function<void(std::uint64_t)>& tell) {
  return JoinedRuns(topology, model, messages, state_limit).run(tell);
}

}  // namespace wormcast
