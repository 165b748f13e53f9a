// Programs are checked once, when all flows are known: names resolved, loops made jumps, and what could never
// go on or would leave an order open refused. Cost: linear in steps, but for the pairs of processes of one
// host.
// SPDX-License-Identifier: MIT
#include "programs/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

class Binder {
 public:
  Binder(const Topology& topology, const Program& program, std::vector<Routes> flows) : topology_(topology) {
    bound_.flows = std::move(flows);
    for (std::uint32_t f = 0; f < bound_.flows.size(); ++f) {
      check_flow(bound_.flows[f]);
      flows_[bound_.flows[f].plan.request.id] = f;
    }
    bound_.counters = program.counters;
    for (std::uint32_t c = 0; c < program.counters.size(); ++c) {
      const ProgramCounter& counter = program.counters[c];
      if (!counters_.emplace(counter.name, c).second)
        refuse(indexed("counters", c, ".name"), "{} stands there twice", in_quotes(counter.name));
      if (counter.limit && *counter.limit < counter.start)
        refuse(indexed("counters", c, ".limit"), "{} is below its start, {}", *counter.limit, counter.start);
    }
    for (std::size_t p = 0; p < program.processes.size(); ++p) add_process(program.processes[p], p);
    check_ends();
    find_contended();
    for (std::size_t e = 0; e < program.run.size(); ++e) check_event(program.run[e], indexed("run", e));
    bound_.run = program.run;
  }

  BoundProgram take() { return std::move(bound_); }

 private:
  using Kind = Instruction::Kind;

  void check_flow(const Routes& flow) const {
    const Request& request = flow.plan.request;
    const auto fail = [&](const char* what) {
      refuse("id", "routes {} beside a program are a flow, of which packets are sent: {}", request.id, what);
    };
    if (request.reduces()) fail("not a reduction");
    if (flow.routed_on_the_way()) fail("its routers choose no ways");
    if (flow.worms.size() != 1) fail("one worm, not several");
    if (request.start_cycle != 0 || !request.depends_on.empty()) fail("it starts when a process sends it");
  }

  void add_process(const ProgramProcess& given, std::size_t number) {
    BoundProgram::Process& process = bound_.processes.emplace_back();
    process.name = given.name;
    process.host = given.host;
    place_ = indexed("processes", number, ".");
    if (!names_.insert(given.name).second)
      refuse(place_ + "name", "{} stands there twice", in_quotes(given.name));
    if (given.steps.empty()) refuse(place_ + "steps", "a process without a step");
    add_steps(process, given.steps, "steps", true);
  }

  void add_steps(BoundProgram::Process& process, const std::vector<ProgramStep>& steps,
                 const std::string& list, bool outermost) {
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const std::string step = indexed(list, s);
      check_members(steps[s], step);
      if (steps[s].steps.empty()) {
        add_step(process, steps[s], step);
        continue;
      }
      if (steps[s].forever && (!outermost || s + 1 < steps.size()))
        refuse(place_ + step + ".repeat", "forever stands last, and in no other loop");
      add_loop(process, steps[s], step);
    }
  }

  void add_loop(BoundProgram::Process& process, const ProgramStep& step, const std::string& name) {
    const auto begin = static_cast<std::uint32_t>(process.code.size());
    const std::uint32_t loop = process.loops++;
    add_steps(process, step.steps, name + ".steps", false);
    process.forever = process.forever || step.forever;
    const bool waits =
        std::any_of(process.code.begin() + begin, process.code.end(), [](const Instruction& in) {
          return in.kind == Kind::send || in.kind == Kind::receive || in.kind == Kind::take;
        });
    if (step.forever && !waits)
      refuse(place_ + name, "a loop for ever without a send, a receive or a take waits for nothing");
    process.code.push_back({Kind::loop, begin, step.forever ? 0 : *step.repeat, false, loop, name});
  }

  /// Each member belongs to one sort of step.
  void check_members(const ProgramStep& step, const std::string& name) const {
    const int sorts = step.send.has_value() + step.receive.has_value() + !step.take.empty() +
                      !step.give.empty() + step.compute.has_value() +
                      (step.repeat.has_value() || step.forever);
    if (sorts != 1)
      refuse(place_ + name, "a step is one of send, receive, take, give, compute and repeat, not {}",
             sorts == 0 ? "none" : "several");
    const auto only = [&](bool stated, bool belongs, const char* member, const char* with) {
      if (stated && !belongs) refuse(place_ + name + member, "belongs to {} alone", with);
    };
    only(step.flits.has_value(), step.send.has_value(), ".flits", "send");
    only(step.from.has_value(), step.receive.has_value(), ".from", "receive");
    only(step.until_tail, step.receive.has_value(), ".until", "receive");
    only(step.count != 1, !step.take.empty() || !step.give.empty(), ".count", "take and give");
    const bool loop = step.repeat.has_value() || step.forever;
    only(!step.steps.empty(), loop, ".steps", "repeat");
    if (loop && step.steps.empty()) refuse(place_ + name + ".steps", "a loop without a step");
  }

  void add_step(BoundProgram::Process& process, const ProgramStep& step, const std::string& name) {
    if (step.send)
      add_send(process, step, name);
    else if (step.receive)
      process.code.push_back({Kind::receive,
                              step.from ? flow(*step.from, name + ".from") : Instruction::any_flow,
                              *step.receive, step.until_tail, 0, name});
    else if (step.compute)
      process.code.push_back({Kind::compute, 0, *step.compute, false, 0, name});
    else
      add_counting(process, step, name);
    if (step.receive && !process.host)
      refuse(place_ + name + ".receive", "a process that receives has a host");
  }

  std::uint32_t flow(std::uint64_t id, const std::string& member) const {
    const auto found = flows_.find(id);
    if (found == flows_.end()) refuse(place_ + member, "no routes {} in the segment", id);
    return found->second;
  }

  void add_send(BoundProgram::Process& process, const ProgramStep& step, const std::string& name) {
    const std::uint32_t f = flow(*step.send, name + ".send");
    const Routes& sent = bound_.flows[f];
    if (!process.host || sent.plan.request.source != *process.host)
      refuse(place_ + name + ".send", "routes {} begin at node {}, which is not the process's host",
             *step.send, sent.plan.request.source.value);
    process.code.push_back(
        {Kind::send, f, step.flits.value_or(sent.plan.request.length_flits), false, 0, name});
  }

  void add_counting(BoundProgram::Process& process, const ProgramStep& step, const std::string& name) {
    const bool takes = !step.take.empty();
    const std::string& counter = takes ? step.take : step.give;
    const std::string member = name + (takes ? ".take" : ".give");
    const auto found = counters_.find(counter);
    if (found == counters_.end()) refuse(place_ + member, "no counter {}", in_quotes(counter));
    const std::optional<std::uint64_t> limit = bound_.counters[found->second].limit;
    if (limit && step.count > *limit)
      refuse(place_ + member, "{} of a counter whose limit is {}: it waits for ever", step.count, *limit);
    process.code.push_back({takes ? Kind::take : Kind::give, found->second, step.count, false, 0, name});
  }

  void find_contended() {
    std::map<std::pair<Kind, std::uint32_t>, std::set<std::size_t>> counting;  // processes
    const auto matters = [&](const Instruction& in) {
      return in.kind == Kind::take || (in.kind == Kind::give && bound_.counters[in.what].limit);
    };
    for (std::size_t p = 0; p < bound_.processes.size(); ++p)
      for (const Instruction& in : bound_.processes[p].code)
        if (matters(in)) counting[{in.kind, in.what}].insert(p);
    for (BoundProgram::Process& process : bound_.processes)
      for (Instruction& in : process.code)
        in.contended = matters(in) && counting[{in.kind, in.what}].size() > 1;
  }

  void check_event(const ProgramEvent& event, const std::string& name) {
    place_.clear();
    if (event.flow.has_value() == event.process.has_value()) refuse(name, "an event has a flow or a process");
    if (event.process && *event.process >= bound_.processes.size())
      refuse(name + ".process", "{} is none of {}", *event.process, bound_.processes.size());
    if (!event.flow) return;
    const std::size_t hops = bound_.flows[flow(*event.flow, name + ".flow")].worms.front().hops.size();
    if (slot_after(event.hop) > hops) refuse(name + ".hop", "{} is none of {} hops", event.hop, hops);
  }

  bool comes_to(std::uint32_t f, HostId host) const { return bound_.flows[f].worms.front().comes_to(host); }

  /// One process sends a flow, one receives it at a host, and which flits a window takes is never a matter of
  /// chance.
  void check_ends() const {
    std::map<std::uint32_t, std::size_t> senders;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> receivers;  // of a flow at a host
    for (std::size_t p = 0; p < bound_.processes.size(); ++p)
      for (const Instruction& in : bound_.processes[p].code) {
        const std::string member = indexed("processes", p, "." + in.step);
        if (in.kind == Kind::send && senders.emplace(in.what, p).first->second != p)
          refuse(member + ".send", "another process sends routes {}; give each its own",
                 bound_.flows[in.what].plan.request.id);
        if (in.kind != Kind::receive) continue;
        const HostId host = *bound_.processes[p].host;
        std::size_t flows = 0;
        for (std::uint32_t f = 0; f < bound_.flows.size(); ++f) {
          if ((in.what != Instruction::any_flow && in.what != f) || !comes_to(f, host)) continue;
          ++flows;
          if (receivers.emplace(std::pair(f, host.value), p).first->second != p)
            refuse(member + ".receive", "another process receives routes {} there",
                   bound_.flows[f].plan.request.id);
        }
        if (flows == 0) refuse(member + ".receive", "no such routes come to node {}, its host", host.value);
        if (flows > 1 && !topology_.hosts_have_links())
          refuse(member + ".receive",
                 "several routes come to node {} side by side: 'from' says which of them it takes",
                 host.value);
      }
  }

  const Topology& topology_;
  BoundProgram bound_;
  std::map<std::uint64_t, std::uint32_t> flows_;
  std::map<std::string, std::uint32_t, std::less<>> counters_;
  std::set<std::string> names_;  ///< of processes
  std::string place_;
};

}  // namespace

BoundProgram bind_program(const Topology& topology, const Program& program, std::vector<Routes> flows) {
  return Binder(topology, program, std::move(flows)).take();
}

namespace {

/// "flow 3 (tile 1 to tile 2)".
std::string flow_in_words(const Topology& topology, const Routes& flow) {
  std::string text =
      fmt::format("flow {} ({} to ", flow.plan.request.id, called(topology, flow.plan.request.source));
  const std::vector<HostId>& to = flow.plan.request.destinations;
  for (std::size_t i = 0; i < to.size(); ++i) text += (i > 0 ? ", " : "") + called(topology, to[i]);
  return text + ")";
}

}  // namespace

std::string waiting_in_words(const Topology& topology, const BoundProgram& program, std::uint32_t flow,
                             std::int32_t hop, std::vector<std::uint32_t> holders) {
  const WormRoute& route = program.flows[flow].worms.front();
  std::string text = "a packet of " + flow_in_words(topology, program.flows[flow]) + " waits for ";
  if (hop < 0)
    text += "the link of " + called(topology, route.source);
  else if (const RouteHop& asked = route.hops[static_cast<std::size_t>(hop)]; asked.is_channel())
    text += called(topology, ChannelId{asked.target});
  else
    text += "the link to " + called(topology, HostId{asked.target});
  std::sort(holders.begin(), holders.end());
  for (std::size_t i = 0; i < holders.size(); ++i)
    text += (i == 0 ? ", which a packet of " : " and one of ") +
            flow_in_words(topology, program.flows[holders[i]]) + " holds";
  return text;
}

std::string arrival_in_words(const Topology& topology, const Routes& flow, HostId at, std::uint64_t brought,
                             std::uint64_t flits, bool open) {
  return fmt::format("a packet of {} has brought {} of {} flits to {}, {}", flow_in_words(topology, flow),
                     brought, flits, called(topology, at),
                     open ? "which waits for the rest" : "where no window is open");
}

std::string step_in_words(const Topology& topology, const BoundProgram& program, std::size_t process,
                          const Instruction& in, std::uint64_t received,
                          std::span<const std::uint64_t> counters) {
  std::string what;
  if (in.kind == Instruction::Kind::send)
    what = "sends " + flow_in_words(topology, program.flows[in.what]);
  else if (in.kind == Instruction::Kind::receive)
    what = fmt::format(
        "has received {} of {} flits{}", received, in.count,
        in.what == Instruction::any_flow ? "" : " of " + flow_in_words(topology, program.flows[in.what]));
  else
    what =
        fmt::format("waits to {} {} of {}, which is {}", in.kind == Instruction::Kind::take ? "take" : "give",
                    in.count, program.counters[in.what].name, counters[in.what]);
  return fmt::format("{}, at {}, {}", program.processes[process].name, in.step, what);
}

}  // namespace wormcast
