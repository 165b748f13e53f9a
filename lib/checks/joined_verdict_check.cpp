// Checks of verdicts on segments with reductions.
//
//   safe              the order of places proves it (join_order_check.cpp)
//   deadlock          a run with the witness's starts deadlocks, as it says
//   safe-unreachable  every run of routers that join flit by flit is followed to its end, as far as the limit
//                     of states goes
// What is said to be mixed or interleaved is shown by the runs named, and nothing is left out. Cost: that of
// these runs; of safe-unreachable states times the parts that can begin, each state kept as a text.
// SPDX-License-Identifier: MIT
#include "checks/joined_verdict_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "checks/join_order_check.hpp"
#include "checks/witness_runs.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "multicast/join_packets.hpp"

namespace wormcast {

namespace {

struct AllJoins : AllOrders {
  MessageSets mixed, interleaved;
};

/// Every run: in each cycle the routers decide by their rule (joining_mesh.hpp), and every node that has room
/// and is within no packet begins one of those that it may send, or none. The plainest way: one node chooses
/// after the other, and whole states are copied for each choice. What moves flits is the search's, too.
class EveryJoin {
 public:
  EveryJoin(const JoinedWorms& worms, const RouterModel& model)
      : worms_(worms.all), hosts_(worms.topology().hosts()) {
    for (std::uint32_t w = 0; w < worms_.size(); ++w) {
      const JoinedWorm& worm = worms_[w];
      const std::uint32_t first = worm.network * hosts_;
      packets_.push_back(
          packet_of(worms.topology(), *worm.request, *worm.route, worm.name.worm, model.header_flits));
      if (!worm.request->reduces()) parts_.push_back({w, first + worm.route->source.value});
      for (const RouteHop& hop : worm.route->hops)
        if (!hop.is_channel() && worm.request->reduces()) parts_.push_back({w, first + hop.target});
    }
    const JoiningMesh mesh(worms.topology(), model.buffer_flits, packets_);
    const std::vector<std::uint64_t> sent(parts_.size());
    learn({mesh, sent, std::vector(mesh.nodes(), none), {}, {}, 0, false});
  }

  AllJoins follow(std::uint64_t limit) {
    while (!open_.empty() && known_.size() <= limit && !result_.deadlock) {
      State state = std::move(open_.back());
      open_.pop_back();
      go_on(std::move(state));
    }
    result_.exhausted = open_.empty();
    return result_;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Part {
    std::uint32_t packet = 0, node = 0;
  };
  struct State {
    JoiningMesh mesh;
    std::vector<std::uint64_t> sent;    ///< flits, by part
    std::vector<std::uint32_t> opened;  ///< by node: the packet of which flits have come, but not the last
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> arrived;  ///< packet, host, flit
    // Within a cycle.
    std::vector<bool> room;
    std::uint32_t node = 0;  ///< the next to choose
    bool stuck = false;      ///< nothing has moved in it, or can begin
  };

  /// The routers decide, if the state is a new one.
  void learn(State state) {
    std::string text;
    state.mesh.write_state(text);
    for (const std::uint64_t flits : state.sent) append_number(text, flits);
    for (const std::uint32_t packet : state.opened) append_number(text, packet + 1U);
    for (const auto& [packet, host, number] : state.arrived)
      for (const std::uint64_t value : {std::uint64_t{packet}, std::uint64_t{host}, number})
        append_number(text, value);
    if (!known_.insert(std::move(text)).second) return;
    state.room.clear();
    for (std::uint32_t node = 0; node < state.mesh.nodes(); ++node)
      state.room.push_back(state.mesh.has_room(node));
    state.stuck = !state.mesh.decide(0);
    for (const JoiningMesh::Ejection& ejection : state.mesh.ejections()) eject(state, ejection);
    state.node = 0;
    open_.push_back(std::move(state));
  }

  /// To the next choice, or to the end of the cycle.
  void go_on(State state) {
    while (state.node < state.room.size()) {
      const std::vector<std::uint32_t> parts = can_send(state, state.node++);
      if (parts.empty()) continue;
      state.stuck = false;
      const bool chooses = state.sent[parts.front()] == 0;
      if (chooses) open_.push_back(state);
      for (const std::uint32_t part : parts) {
        State& next = chooses ? open_.emplace_back(state) : state;
        const auto [packet, node] = parts_[part];
        const std::uint64_t number = next.sent[part]++;
        next.mesh.enter(node, {packet, number, node, number + 1 == packets_[packet].flits});
      }
      if (chooses) return;
    }
    if (state.stuck && !state.mesh.empty()) {
      result_.deadlock = true;
      return;
    }
    const auto ignore = [](const auto&...) {};
    state.mesh.move(0, ignore, ignore, ignore);
    learn(std::move(state));
  }

  /// The part that the node is within, or all that it may begin.
  std::vector<std::uint32_t> can_send(const State& state, std::uint32_t node) const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t p = 0; p < parts_.size() && state.room[node]; ++p) {
      if (parts_[p].node != node || state.sent[p] == packets_[parts_[p].packet].flits) continue;
      if (state.sent[p] > 0) return {p};
      if (ready(state, *worms_[parts_[p].packet].request, node % hosts_)) result.push_back(p);
    }
    return result;
  }

  bool comes_to(std::uint32_t packet, std::uint32_t host) const {
    const JoinedWorm& worm = worms_[packet];
    return worm.request->reduces() ? worm.route->source.value == host : worm.route->comes_to(HostId{host});
  }

  /// The tails have come to the host of all packets that the request depends on.
  bool ready(const State& state, const Request& request, std::uint32_t host) const {
    for (std::uint32_t p = 0; p < packets_.size(); ++p)
      if (std::count(request.depends_on.begin(), request.depends_on.end(), id_of(p)) != 0 &&
          comes_to(p, host) && !state.arrived.contains({p, host, packets_[p].flits - 1}))
        return false;
    return true;
  }

  void eject(State& state, const JoiningMesh::Ejection& ejection) {
    const std::uint32_t packet = ejection.flit.packet, host = ejection.node % hosts_;
    const std::uint64_t id = id_of(packet);
    std::set<std::uint64_t> ids;
    for (const std::uint32_t part : ejection.flit.mixed) ids.insert(id_of(part));
    if (!ids.empty()) result_.mixed.insert({ids.begin(), ids.end()});
    std::uint32_t& open = state.opened[ejection.node];
    if (open != none && open != packet)
      result_.interleaved.insert({std::min(id, id_of(open)), std::max(id, id_of(open))});
    open = ejection.flit.last ? none : packet;
    if (!comes_to(packet, host) || !state.arrived.emplace(packet, host, ejection.flit.number).second)
      result_.mixed.insert({id});
  }

  std::uint64_t id_of(std::uint32_t packet) const { return worms_[packet].name.multicast; }

  const std::vector<JoinedWorm>& worms_;
  std::uint32_t hosts_;
  std::vector<JoinPacket> packets_;  ///< of the worms
  std::vector<Part> parts_;
  std::vector<State> open_;
  std::unordered_set<std::string> known_;
  AllJoins result_;
};

/// Of these messages; nothing where there are no such messages.
std::optional<SimulatedJoins> run_with(const std::vector<MessageStart>& starts,
                                       const std::vector<Routes>& messages, const SimulateJoins& simulate) {
  std::map<std::uint64_t, const std::vector<Cycle>*> own;
  for (const MessageStart& start : starts) own[start.multicast] = &start.start_cycles;
  std::vector<Routes> named;
  std::vector<std::vector<Cycle>> cycles;
  for (const Routes& routes : messages) {
    const auto found = own.find(routes.plan.request.id);
    if (found == own.end()) continue;
    if (found->second->size() != std::max<std::size_t>(1, routes.plan.request.start_cycles.size())) return {};
    named.push_back(routes);
    cycles.push_back(*found->second);
  }
  if (named.empty() || named.size() != own.size()) return {};
  return simulate(named, cycles);
}

/// `left`: what the verdict must say there is.
std::string refuse_mixtures(const char* key, const std::vector<Mixture>& said, MessageSets left,
                            MessageSets SimulatedJoins::*shown, const std::vector<Routes>& messages,
                            const SimulateJoins& simulate) {
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto& [ids, starts] = said[i];
    const bool known = left.erase(ids) != 0;
    const auto run = starts.empty() ? std::nullopt : run_with(starts, messages, simulate);
    if (starts.empty() ? !known : !run || !((*run).*shown).contains(ids))
      return fmt::format("{}[{}]: no run {}shows it", key, i, starts.empty() ? "" : "with these starts ");
  }
  return left.empty() ? "" : fmt::format("{}: {} are left out", key, fmt::join(*left.begin(), ", "));
}

}  // namespace

CheckedVerdict check_joined_verdict(const Topology& topology, const Verdict& verdict, const Verdict& counted,
                                    const std::vector<Routes>& messages, std::uint64_t state_limit,
                                    const SimulateJoins& simulate) {
  std::string fault = refuse_count("multicasts", verdict.multicasts, counted.multicasts);
  if (fault.empty()) fault = refuse_count("worms", verdict.worms, counted.worms);
  if (fault.empty()) fault = refuse_planner(verdict, counted.planned_by);
  if (fault.empty() && (!verdict.numbering().empty() || !verdict.proof().empty()))
    fault = "numbering: of reductions an order proves that they are safe";
  const JoinedWorms worms(topology, counted.model, messages);
  if (fault.empty() && verdict.answer() == Answer::loop) fault = "loop is said of tables and cut-through";
  if (fault.empty())
    fault = verdict.answer() == Answer::safe ? refuse_join_order(worms, verdict.order())
                                             : refuse_join_cycle(worms, verdict.cycle);
  const bool explored = fault.empty() && verdict.answer() == Answer::safe_unreachable;
  if (explored && !worms.by_flit && verdict.model.reuses_early())
    fault =
        "safe-unreachable is said of routers that join flit by flit, or free a channel when it is drained";
  if (!fault.empty()) return refused(std::move(fault));
  AllJoins all;
  all.mixed = {worms.mistakable.begin(), worms.mistakable.end()};
  if (explored && worms.by_flit) all = EveryJoin(worms, counted.model).follow(state_limit);
  if (explored && !worms.by_flit)
    static_cast<AllOrders&>(all) = try_all_grants(worms, counted.model, state_limit);
  if (all.deadlock) return refused("these messages can deadlock");
  if (explored && !all.exhausted)
    return undecided(fmt::format("there are more than {} states to explore", state_limit));
  fault =
      refuse_mixtures("mixed", verdict.joins.mixed, all.mixed, &SimulatedJoins::mixed, messages, simulate);
  if (fault.empty())
    fault = refuse_mixtures("interleaved", verdict.joins.interleaved, all.interleaved,
                            &SimulatedJoins::interleaved, messages, simulate);
  return refused_if(std::move(fault));
}

CheckedVerdict check_joined_witness(const Verdict& verdict, const std::vector<Routes>& messages,
                                    const SimulateJoins& simulate) {
  std::vector<MessageStart> starts;
  for (const WitnessWorm& worm : verdict.witness())
    starts.push_back(
        {worm.name.multicast, worm.start_cycles.empty() ? std::vector{worm.start_cycle} : worm.start_cycles});
  const auto run = run_with(starts, messages, simulate);
  if (!run || !run->stands_still) return refused("no run with the witness's starts stands still");
  const std::vector<WitnessWorm>& seen = run->witness;
  const bool same = std::equal(seen.begin(), seen.end(), verdict.witness().begin(), verdict.witness().end(),
                               [](const WitnessWorm& a, const WitnessWorm& b) {
                                 return a.name == b.name && a.start_cycle == b.start_cycle &&
                                        a.start_cycles == b.start_cycles &&
                                        a.length_flits == b.length_flits && a.holds == b.holds &&
                                        a.waits == b.waits;
                               });
  return same ? CheckedVerdict{} : refused("the witness's worms stand still otherwise than it says");
}

}  // namespace wormcast
