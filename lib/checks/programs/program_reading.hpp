// A program read from the rules of data/pages/programs.md alone: flits one by one, packets as a list, nothing
// cut short but that a hop which packets of one flow alone ask for is granted when its header is there. It
// shares the program, its flows and the resources of hops with what finds verdicts.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "programs/program.hpp"
#include "router/joining_mesh.hpp"
#include "router/router_model.hpp"
#include "router/router_rules.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Positions: 0 the source, i + 1 hop i.
struct Packet {
  std::uint32_t flow = 0;
  std::uint64_t flits = 0;
  std::vector<std::uint64_t> in;  ///< flits that have entered, by position
  std::vector<bool> granted;
};
struct ProcessAt {
  std::uint64_t pc = 0, progress = 0;
  std::vector<std::uint64_t> rounds;
  std::uint64_t made = 0;  ///< steps, which are no part of the state
};
struct ProgramAt {
  std::vector<std::vector<Packet>> packets;  ///< under way, by flow, the oldest first
  std::vector<std::uint64_t> counters;
  std::vector<ProcessAt> processes;
};

class ProgramReading {
  static constexpr std::uint32_t most_rounds = 8;  ///< of a loop, at once

 public:
  ProgramReading(const Topology& topology, const RouterModel& model, const BoundProgram& program)
      : topology_(topology),
        model_(model),
        program_(program),
        resources_(topology, model),
        paths_(program.flows.size()),
        places_(program.flows.size()) {
    for (std::uint32_t f = 0; f < program.flows.size(); ++f) {
      paths_[f] = route(f).is_path();
      places_[f].resize(route(f).hops.size() + 1);
      for (std::size_t at = 0; at < places_[f].size(); ++at) {
        if (at > 0) places_[f][slot_after(route(f).hops[at - 1].parent)].outputs.push_back(at);
        places_[f][at].taken = taken_there(f, at);
        for (const ResourceId resource : taken(f, at)) {
          if (users_.size() <= resource.value) users_.resize(resource.value + 1);
          if (users_[resource.value].empty() || users_[resource.value].back() != f)
            users_[resource.value].push_back(f);
        }
      }
    }
  }

  ProgramAt begin() const {
    ProgramAt at;
    at.packets.resize(program_.flows.size());
    for (const ProgramCounter& counter : program_.counters) at.counters.push_back(counter.start);
    for (const BoundProgram::Process& process : program_.processes)
      at.processes.push_back({0, 0, std::vector<std::uint64_t>(process.loops), 0});
    return at;
  }

  /// A flit at a time and a step at a time, until nothing goes on without a grant or a contended step.
  /// `alone`: hops of one flow are granted as well. True: a process was held in its loop.
  bool settle(ProgramAt& at, bool alone) const {
    std::vector<std::uint32_t> rounds(at.processes.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::vector<Packet>& flow : at.packets)
        for (Packet& packet : flow) changed = move(at, packet) || changed;
      for (std::size_t p = 0; p < at.processes.size(); ++p)
        while (can_step(at, p) && !contends_at(at, p) &&
               (instruction(at, p)->kind != Instruction::Kind::loop || rounds[p]++ < most_rounds))
          changed = step(at, p) || changed;
      for (std::vector<Packet>& flow : at.packets)
        while (!flow.empty() && arrived(flow.front())) {
          flow.erase(flow.begin());
          changed = true;
        }
      if (!alone) continue;
      for (std::vector<Packet>& flow : at.packets)
        for (Packet& packet : flow)
          for (std::size_t hop = 0; hop < packet.in.size(); ++hop)
            if (of_one_flow(packet.flow, hop) && can_grant(at, packet, hop)) changed = grant(packet, hop);
    }
    return std::any_of(rounds.begin(), rounds.end(), [](std::uint32_t n) { return n > most_rounds; });
  }

  /// Grants the hop (−1: the source) to the first packet of the flow that it can be granted to.
  bool grant_of(ProgramAt& at, std::uint64_t id, std::int32_t hop) const {
    for (std::vector<Packet>& flow : at.packets)
      for (Packet& packet : flow)
        if (program_.flows[packet.flow].plan.request.id == id && slot_after(hop) < packet.in.size() &&
            can_grant(at, packet, slot_after(hop)))
          return grant(packet, slot_after(hop));
    return false;
  }
  bool contended_step(ProgramAt& at, std::size_t p) const {
    return p < at.processes.size() && contends_at(at, p) && can_step(at, p) && step(at, p);
  }

  /// Every state that one grant or one contended step leads to.
  std::vector<ProgramAt> next(const ProgramAt& at) const {
    std::vector<ProgramAt> result;
    for (std::size_t f = 0; f < at.packets.size(); ++f)
      for (std::size_t i = 0; i < at.packets[f].size(); ++i)
        for (std::size_t hop = 0; hop < at.packets[f][i].in.size(); ++hop)
          if (can_grant(at, at.packets[f][i], hop)) grant(result.emplace_back(at).packets[f][i], hop);
    for (std::size_t p = 0; p < at.processes.size(); ++p)
      if (contends_at(at, p) && can_step(at, p)) step(result.emplace_back(at), p);
    return result;
  }

  bool ended(const ProgramAt& at) const {
    bool any = false;
    std::size_t packets = 0;
    for (std::size_t p = 0; p < at.processes.size(); ++p) {
      if (program_.processes[p].forever) continue;
      if (instruction(at, p) != nullptr) return false;
      any = true;
    }
    for (const std::vector<Packet>& flow : at.packets) packets += flow.size();
    return any && idle_packets(at).size() == packets;
  }
  const BoundProgram& program() const { return program_; }
  /// It has ended; one that is for ever has no send under way that others hold up, but for those that lack
  /// windows.
  bool is_well(const ProgramAt& at, std::size_t process) const {
    const Instruction* in = instruction(at, process);
    if (!program_.processes[process].forever) return in == nullptr;
    return in == nullptr || in->kind != Instruction::Kind::send || at.processes[process].progress == 0 ||
           idle_packets(at).contains(&at.packets[in->what].back());
  }

  /// What is true of who waits for what, a sentence each.
  std::set<std::string> sentences(const ProgramAt& at) const {
    std::set<std::string> all;
    for (const std::vector<Packet>& flow : at.packets)
      for (const Packet& packet : flow)
        for (std::size_t i = 0; i < packet.in.size(); ++i) {
          std::vector<std::uint32_t> by;
          for (const ResourceId resource : taken(packet.flow, i)) by = holders(at, resource, {});
          if (header_at(packet, i))
            all.insert(waiting_in_words(topology_, program_, packet.flow, static_cast<int>(i) - 1, by));
          if (i == 0 || !packet.granted[i] || route(packet.flow).hops[i - 1].is_channel()) continue;
          const HostId host{route(packet.flow).hops[i - 1].target};
          const bool open = window(at, packet.flow, host).has_value();
          all.insert(arrival_in_words(topology_, program_.flows[packet.flow], host, packet.in[i],
                                      packet.flits, open));
        }
    for (std::size_t p = 0; p < at.processes.size(); ++p)
      if (const Instruction* in = instruction(at, p); in != nullptr && !can_step(at, p))
        all.insert(step_in_words(topology_, program_, p, *in, at.processes[p].progress, at.counters));
    return all;
  }

  static std::string key(const ProgramAt& at) {
    std::string text;
    const auto add = [&](std::uint64_t number) { append_number(text, number); };
    for (const std::vector<Packet>& flow : at.packets) {
      add(flow.size());
      for (const Packet& packet : flow) {
        add(packet.flits);
        for (std::size_t i = 0; i < packet.in.size(); ++i)
          add(2 * packet.in[i] + (packet.granted[i] ? 1 : 0));
      }
    }
    for (const std::uint64_t counter : at.counters) add(counter);
    for (const ProcessAt& process : at.processes) {
      add(process.pc);
      add(process.progress);
      for (const std::uint64_t round : process.rounds) add(round);
    }
    return text;
  }

 private:
  const WormRoute& route(std::uint32_t flow) const { return program_.flows[flow].worms.front(); }
  std::vector<ResourceId> taken_there(std::uint32_t flow, std::size_t at) const {
    const WormRoute& way = route(flow);
    if (at > 0) return {resources_.taken_by(way.hops[at - 1], way.hops)};
    if (topology_.hosts_have_links()) return {resources_.host_link(way.source)};
    if (resources_.injection_blocks()) return {resources_.injection(way.source)};
    return {};
  }
  const std::vector<ResourceId>& taken(std::uint32_t flow, std::size_t at) const {
    return places_[flow][at].taken;
  }
  bool of_one_flow(std::uint32_t flow, std::size_t at) const {
    const std::vector<ResourceId>& all = taken(flow, at);
    return std::all_of(all.begin(), all.end(), [&](ResourceId r) { return users_[r.value].size() == 1; });
  }

  /// Flits that have gone on from there by every branch.
  std::uint64_t out(const Packet& packet, std::size_t at) const {
    std::uint64_t least = packet.in[at];
    for (const std::size_t to : places_[packet.flow][at].outputs) least = std::min(least, packet.in[to]);
    return least;
  }
  bool has(const Packet& packet, std::size_t at) const {
    const bool consumed = at > 0 && !route(packet.flow).hops[at - 1].is_channel();
    return packet.granted[at] && (consumed ? packet.in[at] : out(packet, at)) < packet.flits;
  }
  bool arrived(const Packet& packet) const {
    const std::vector<RouteHop>& hops = route(packet.flow).hops;
    for (std::size_t h = 0; h < hops.size(); ++h)
      if (!hops[h].is_channel() && packet.in[h + 1] < packet.flits) return false;
    return true;
  }

  /// The hop is what its header asks for.
  bool header_at(const Packet& packet, std::size_t hop) const {
    const WormRoute& way = route(packet.flow);
    if (packet.granted[hop]) return false;
    if (hop == 0) return true;
    const std::size_t before = slot_after(way.hops[hop - 1].parent);
    if (!packet.granted[before] || packet.in[before] == 0) return false;
    if (!paths_[packet.flow] || !way.hops[hop - 1].is_channel()) return true;
    const std::vector<std::size_t>& beside = places_[packet.flow][before].outputs;
    return std::all_of(beside.begin(), beside.end(), [&](std::size_t to) {  // what a path leaves at a node
      return way.hops[to - 1].is_channel() || packet.granted[to];           // comes before its next channel
    });
  }
  /// The flows of packets that have it, but for `others`.
  std::vector<std::uint32_t> holders(const ProgramAt& at, ResourceId resource,
                                     const std::set<const Packet*>& others) const {
    std::vector<std::uint32_t> flows;
    for (const std::uint32_t flow : users_[resource.value])
      for (const Packet& packet : at.packets[flow])
        for (std::size_t i = 0; !others.contains(&packet) && i < packet.in.size(); ++i)
          for (const ResourceId one : taken(flow, i))
            if (one == resource && has(packet, i)) flows.push_back(flow);
    return flows;
  }
  /// Packets that are not `idle` hold what one of its headers asks for.
  bool waits_for_others(const ProgramAt& at, const Packet& packet,
                        const std::set<const Packet*>& idle) const {
    for (std::size_t hop = 0; hop < packet.in.size(); ++hop)
      for (const ResourceId resource : taken(packet.flow, hop))
        if (resources_.units(resource) != 0 && header_at(packet, hop) && !holders(at, resource, idle).empty())
          return true;
    return false;
  }
  /// They lack a window, or wait for what such packets hold.
  std::set<const Packet*> idle_packets(const ProgramAt& at) const {
    std::set<const Packet*> idle;
    for (bool more = true; more;) {
      more = false;
      for (const std::vector<Packet>& flow : at.packets)
        for (const Packet& packet : flow)
          if (!idle.contains(&packet) && !waits_for_others(at, packet, idle))
            more = idle.insert(&packet).second;
    }
    return idle;
  }
  bool can_grant(const ProgramAt& at, const Packet& packet, std::size_t hop) const {
    if (!header_at(packet, hop)) return false;
    for (const ResourceId resource : taken(packet.flow, hop))
      if (const std::uint32_t units = resources_.units(resource);
          units != 0 && holders(at, resource, {}).size() >= units)
        return false;
    return true;
  }
  bool grant(Packet& packet, std::size_t hop) const {
    packet.granted[hop] = true;
    if (hop == 0 && !topology_.hosts_have_links()) packet.in[0] = packet.flits;
    return true;
  }

  /// The process that is ready for a flit of the flow at the host.
  std::optional<std::size_t> window(const ProgramAt& at, std::uint32_t flow, HostId host) const {
    for (std::size_t p = 0; p < at.processes.size(); ++p) {
      const Instruction* in = instruction(at, p);
      if (in != nullptr && in->kind == Instruction::Kind::receive && program_.processes[p].host == host &&
          (in->what == Instruction::any_flow || in->what == flow) && at.processes[p].progress < in->count)
        return p;
    }
    return std::nullopt;
  }

  bool has_room(const ProgramAt& at, const Packet& packet, std::size_t to) const {
    const RouteHop& hop = route(packet.flow).hops[to - 1];
    if (!packet.granted[to]) return false;
    if (!hop.is_channel()) return window(at, packet.flow, HostId{hop.target}).has_value();
    return packet.in[to] - out(packet, to) < buffer_slots(topology_, model_, ChannelId{hop.target});
  }
  void enter(ProgramAt& at, Packet& packet, std::size_t to) const {
    const RouteHop& hop = route(packet.flow).hops[to - 1];
    ++packet.in[to];
    if (hop.is_channel()) return;
    const std::size_t p = *window(at, packet.flow, HostId{hop.target});
    const Instruction& in = *instruction(at, p);
    ++at.processes[p].progress;
    if (in.until_tail && packet.in[to] == packet.flits) at.processes[p].progress = in.count;
  }

  /// One flit from each position to the next, where it can.
  bool move(ProgramAt& at, Packet& packet) const {
    bool any = false;
    const bool at_once = paths_[packet.flow] || in_lock_step(route(packet.flow).replication);
    for (std::size_t node = 0; node < packet.in.size(); ++node) {
      const std::vector<std::size_t>& outputs = places_[packet.flow][node].outputs;
      const auto can = [&](std::size_t to) {
        return packet.in[to] < packet.in[node] && has_room(at, packet, to);
      };
      const bool all = std::all_of(outputs.begin(), outputs.end(), can);
      for (const std::size_t to : outputs) {
        if (at_once ? !all : !can(to)) continue;
        enter(at, packet, to);
        any = true;
      }
      if (node > 0 || !topology_.hosts_have_links() || !packet.granted[0] || packet.in[0] == packet.flits ||
          packet.in[0] - out(packet, 0) >= buffer_slots(topology_, model_, route(packet.flow).source))
        continue;
      ++packet.in[0];
      any = true;
    }
    return any;
  }

  const Instruction* instruction(const ProgramAt& at, std::size_t process) const {
    const std::vector<Instruction>& code = program_.processes[process].code;
    return at.processes[process].pc < code.size() ? &code[at.processes[process].pc] : nullptr;
  }
  /// Some other process takes from the counter as well, or gives to it up to its limit.
  bool contends_at(const ProgramAt& at, std::size_t process) const {
    const Instruction* in = instruction(at, process);
    const bool gives =
        in != nullptr && in->kind == Instruction::Kind::give && program_.counters[in->what].limit;
    if (!gives && (in == nullptr || in->kind != Instruction::Kind::take)) return false;
    for (std::size_t p = 0; p < program_.processes.size(); ++p)
      for (const Instruction& other : program_.processes[p].code)
        if (p != process && other.kind == in->kind && other.what == in->what) return true;
    return false;
  }

  bool can_step(const ProgramAt& at, std::size_t process) const {
    const Instruction* in = instruction(at, process);
    if (in == nullptr) return false;
    const ProcessAt& here = at.processes[process];
    if (in->kind == Instruction::Kind::take) return at.counters[in->what] >= in->count;
    if (in->kind == Instruction::Kind::give) {
      const auto& limit = program_.counters[in->what].limit;
      return !limit || *limit - std::min(*limit, at.counters[in->what]) >= in->count;
    }
    if (in->kind == Instruction::Kind::receive) return here.progress >= in->count;
    if (in->kind != Instruction::Kind::send || here.progress == 0) return true;
    const Packet& sent = at.packets[in->what].back();
    return (topology_.hosts_have_links() ? sent.in[0] : out(sent, 0)) == sent.flits;
  }

  bool step(ProgramAt& at, std::size_t process) const {
    ProcessAt& here = at.processes[process];
    const Instruction& in = *instruction(at, process);
    ++here.made;
    if (in.kind == Instruction::Kind::send && here.progress == 0) {
      const WormRoute& way = route(in.what);
      at.packets[in.what].push_back({in.what, way.flits(in.count, model_.header_flits),
                                     std::vector<std::uint64_t>(way.hops.size() + 1),
                                     std::vector<bool>(way.hops.size() + 1)});
      here.progress = 1;
      return true;
    }
    here.progress = 0;
    if (in.kind == Instruction::Kind::take) at.counters[in.what] -= in.count;
    if (in.kind == Instruction::Kind::give) at.counters[in.what] += in.count;
    ++here.pc;
    if (in.kind != Instruction::Kind::loop) return true;
    std::uint64_t& rounds = here.rounds[in.loop];
    in.count == 0 || ++rounds < in.count ? here.pc = in.what : rounds = 0;
    return true;
  }

  struct OfRoute {
    std::vector<std::size_t> outputs;  ///< positions that follow
    std::vector<ResourceId> taken;
  };

  const Topology& topology_;
  const RouterModel& model_;
  const BoundProgram& program_;
  Resources resources_;
  std::vector<bool> paths_;                        ///< by flow: it does not branch
  std::vector<std::vector<OfRoute>> places_;       ///< by flow, by position
  std::vector<std::vector<std::uint32_t>> users_;  ///< flows, by resource
};

}  // namespace wormcast
