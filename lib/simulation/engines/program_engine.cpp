// Processes beside the flit engine. In each cycle in which something can have changed all processes go on as
// far as they can, in their order, by what happened in the cycles before; then the cycle is simulated. A send
// becomes a multicast of its own. Where a run is given, each of its events has a cycle of its own, far behind
// the one before: hops are requested, and steps made, no sooner. Who has waited for a counter longest gets
// it. Cost: that of the engine, and a look at every process for each such cycle.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "simulation/engines/engine_core.hpp"
#include "simulation/program_run.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

using Kind = Instruction::Kind;
/// Of a run that is given: all comes to rest between two events.
constexpr Cycle between_events = Cycle{1} << 30;
/// So long processes that end may wait beside others that go on for ever; behind a run that is given, and
/// where only packets that are left are still under way, less.
constexpr Cycle longest_wait = 10'000'000, longest_rest = 100'000;

class ProgramEngine final : public HostWindows {
 public:
  ProgramEngine(const Topology& topology, const SimulationOptions& options, const BoundProgram& program)
      : program_(program),
        core_(topology, with_windows(options), make_flit_motion),
        at_(program.processes.size()) {
    for (const ProgramCounter& counter : program.counters) counters_.push_back(counter.start);
    for (std::size_t p = 0; p < at_.size(); ++p) {
      at_[p].run.name = program.processes[p].name;
      at_[p].rounds.resize(program.processes[p].loops);
    }
    sent_of_.resize(program.flows.size());
    for (std::size_t e = 0; e < program.run.size(); ++e) {
      const ProgramEvent& event = program.run[e];
      const Cycle when = (e + 1) * between_events;
      event.flow ? grants_[{*event.flow, event.hop}].push_back(when)
                 : at_[*event.process].steps.push_back(when);
    }
  }

  Summary run(Cycle limit, const std::function<void(const Delivery&)>& take) {
    if (limit == 0 && program_.run.empty() && program_.all_for_ever())
      refuse("--measure-cycles", "no process of the program ends: say how long it runs");
    Cycle now = 0;
    bool stands = false;
    while ((limit == 0 || now < limit) && !core_.stopped()) {
      over_ = ended();
      processes_go_on(now);
      core_.windows_open(now);
      const Cycle event = core_.next_event(), next = std::min(event, next_computed(now));
      stands = next == kNever || (limit == 0 && rests(now, event));
      if (stands) break;
      now = std::max(now, next) + 1;
      if (now > max_integer) refuse("processes", "the run comes to a cycle that no record states");
      core_.simulate_before(now);
      while (const Delivery* delivery = core_.poll()) take(*delivery);
    }
    core_.stand_still(stands && (!ended() || (!computes(true) && core_.blocks_itself())));
    core_.finish();
    while (const Delivery* delivery = core_.poll()) take(*delivery);
    Summary summary = core_.summary();
    for (std::size_t p = 0; p < at_.size(); ++p) {
      if (const Instruction* in = instruction(p)) at_[p].run.step = in->step;
      summary.processes.push_back(at_[p].run);
    }
    return summary;
  }

  bool takes(std::uint64_t multicast, HostId host) const override {
    return window(multicast, host).has_value();
  }
  void took(std::uint64_t multicast, HostId host, bool tail) override {
    At& at = at_[*window(multicast, host)];
    at.progress = tail && at.until_tail ? at.wanted : at.progress + 1;
  }
  void sent(std::uint64_t multicast) override { at_[packets_[multicast].process].sent = true; }

 private:
  struct At {
    std::uint64_t pc = 0;
    std::vector<std::uint64_t> rounds{};
    bool begun = false, sent = false;
    std::uint64_t progress = 0, wanted = 0;  ///< flits of a receive
    bool until_tail = false;
    Cycle since = 0;             ///< when the step was begun
    Cycle round = kNever;        ///< when it went round a loop last
    std::vector<Cycle> steps{};  ///< contended ones, as a run has them
    std::size_t made = 0;        ///< of these
    ProcessRun run{};
  };
  struct Packet {
    std::uint32_t flow = 0;
    std::size_t process = 0;
  };

  SimulationOptions with_windows(SimulationOptions options) {
    options.windows = this;
    return options;
  }
  const Instruction* instruction(std::size_t p) const {
    const std::vector<Instruction>& code = program_.processes[p].code;
    return at_[p].pc < code.size() ? &code[at_[p].pc] : nullptr;
  }

  /// The process that receives what comes with the packet there.
  std::optional<std::size_t> window(std::uint64_t multicast, HostId host) const {
    for (std::size_t p = 0; p < at_.size(); ++p) {
      const Instruction* in = instruction(p);
      if (in != nullptr && in->kind == Kind::receive && program_.processes[p].host == host && at_[p].begun &&
          at_[p].progress < at_[p].wanted &&
          (in->what == Instruction::any_flow || in->what == packets_[multicast].flow))
        return p;
    }
    return std::nullopt;
  }

  /// Only what is for ever goes on, and nothing comes of it: packets that are left are not taken, or others
  /// that block each other have been found. Throws InputError where processes wait and that may only take its
  /// time: a deadlock is a condition, never a timer.
  bool rests(Cycle now, Cycle event) {
    if (over_) {
      if (event != kNever) last_step_ = std::max(last_step_, event);
      return now > last_step_ + longest_rest;
    }
    const bool found = core_.deadlocked(), given = !program_.run.empty();
    const Cycle from = std::max(last_step_, given ? after_run() : 0);
    const Cycle longest = found || given ? longest_rest : longest_wait;
    if (now <= from + longest || computes(program_.all_for_ever())) return false;
    if (found) return true;
    std::size_t first = at_.size();  // of those that count the one that has waited longest
    for (std::size_t p = 0; p < at_.size(); ++p)
      if (instruction(p) != nullptr && (program_.all_for_ever() || !program_.processes[p].forever) &&
          (first == at_.size() || at_[p].since < at_[first].since))
        first = p;
    refuse(indexed("processes", first, "." + instruction(first)->step),
           "it has waited for {} cycles while others go on for ever; --measure-cycles says how long they run",
           longest);
  }
  /// Some process computes, `any` or one that ends.
  bool computes(bool any) const {
    for (std::size_t p = 0; p < at_.size(); ++p)
      if (const Instruction* in = instruction(p);
          in != nullptr && in->kind == Kind::compute && (any || !program_.processes[p].forever))
        return true;
    return false;
  }
  Cycle after_run() const { return (program_.run.size() + 1) * between_events; }

  void processes_go_on(Cycle now) {
    for (bool any = true; any;) {
      any = false;
      for (std::size_t p = 0; p < at_.size(); ++p)
        while (goes_on(p, now)) any = true;
    }
  }

  /// True if the process has come to its next step.
  bool goes_on(std::size_t p, Cycle now) {
    const Instruction* const in = instruction(p);
    At& at = at_[p];
    if (now < held_until(p)) return false;
    if (in == nullptr || (over_ && !at.begun && in->kind == Kind::send)) return false;
    if (!at.begun) begin(p, *in, now);
    if (!is_over(at, *in, now)) return false;
    const Cycle waited = now - at.since;
    if (in->kind == Kind::send) at.run.send_cycles += waited;
    if (in->kind == Kind::receive) at.run.receive_cycles += waited;
    if (in->kind == Kind::take || in->kind == Kind::give) at.run.count_cycles += waited;
    if (in->contended) ++at.made;
    if (in->kind == Kind::take) counters_[in->what] -= in->count;
    if (in->kind == Kind::give) counters_[in->what] += in->count;
    at.begun = false;
    ++at.pc;
    if (!program_.processes[p].forever) last_step_ = now;
    if (in->kind == Kind::loop) {
      std::uint64_t& rounds = at.rounds[in->loop];
      const bool again = in->count == 0 || ++rounds < in->count;
      again ? at.pc = in->what : rounds = 0;
      at.round = now;
    }
    if (instruction(p) == nullptr) at.run.ended = now;
    return true;
  }

  void begin(std::size_t p, const Instruction& in, Cycle now) {
    At& at = at_[p];
    at.begun = true;
    at.since = now;
    at.progress = 0;
    at.wanted = in.count;
    at.until_tail = in.until_tail;
    if (in.kind != Kind::send) return;
    at.sent = false;
    Routes routes = program_.flows[in.what];
    Request& request = routes.plan.request;
    request.extras = fmt::format(",\"x_flow\":{}", request.id);
    request.id = packets_.size();
    request.start_cycle = now;
    request.length_flits = in.count;
    const std::size_t number = sent_of_[in.what]++;
    if (!program_.run.empty())
      for (std::int32_t hop = 0; RouteHop & of : routes.worms.front().hops)
        of.not_before_cycle = granted(program_.flows[in.what].plan.request.id, hop++, number);
    packets_.push_back({in.what, p});
    core_.take(routes);
  }

  bool can_count(const Instruction& in) const {
    if (in.kind == Kind::take) return counters_[in.what] >= in.count;
    const std::optional<std::uint64_t>& most = program_.counters[in.what].limit;
    return !most || counters_[in.what] + in.count <= *most;
  }
  bool is_over(const At& at, const Instruction& in, Cycle now) const {
    switch (in.kind) {
      case Kind::send:
        return at.sent;
      case Kind::receive:
        return at.progress >= at.wanted;
      case Kind::take:
      case Kind::give:
        return can_count(in) && std::none_of(at_.begin(), at_.end(), [&](const At& other) {
                 const Instruction* const of = instruction(static_cast<std::size_t>(&other - at_.data()));
                 return of != nullptr && other.begun && other.since < at.since && of->kind == in.kind &&
                        of->what == in.what && can_count(*of);
               });
      case Kind::compute:
        return now >= at.since + in.count;
      case Kind::loop:  // one for ever takes a cycle a round
        return in.count > 0 || at.round != now;
    }
    return false;
  }

  /// When a run that is given grants the hop to that packet of the flow; after all of it, if it does not.
  Cycle granted(std::uint64_t flow, std::int32_t hop, std::size_t number) const {
    const auto found = grants_.find({flow, hop});
    return found != grants_.end() && number < found->second.size() ? found->second[number] : after_run();
  }
  /// When the process may go on as that run has it.
  Cycle held_until(std::size_t p) const {
    const Instruction* const in = instruction(p);
    if (program_.run.empty() || in == nullptr) return 0;
    if (in->kind == Kind::send && !at_[p].begun)
      return granted(program_.flows[in->what].plan.request.id, -1, sent_of_[in->what]);
    if (!in->contended) return 0;
    return at_[p].made < at_[p].steps.size() ? at_[p].steps[at_[p].made] : after_run();
  }

  /// The last cycle before some process has computed, or goes round its loop.
  Cycle next_computed(Cycle now) const {
    Cycle next = kNever;
    for (std::size_t p = 0; p < at_.size(); ++p)
      if (const Instruction* in = instruction(p); in != nullptr && in->kind == Kind::compute)
        next = std::min(next, std::max(now, at_[p].since + in->count - 1));
      else if (in != nullptr && in->kind == Kind::loop)
        next = now;
      else if (held_until(p) > now)
        next = std::min(next, held_until(p) - 1);
    return next;
  }

  bool ended() const {
    bool any = false;
    for (std::size_t p = 0; p < at_.size(); ++p) {
      if (program_.processes[p].forever) continue;
      if (instruction(p) != nullptr) return false;
      any = true;
    }
    return any;
  }

  const BoundProgram& program_;
  EngineCore core_;
  std::vector<At> at_;
  std::vector<std::uint64_t> counters_;
  std::vector<Packet> packets_;       ///< by id
  std::vector<std::size_t> sent_of_;  ///< packets, by flow
  std::map<std::pair<std::uint64_t, std::int32_t>, std::vector<Cycle>>
      grants_;           ///< of a run, by flow and hop
  Cycle last_step_ = 0;  ///< of a process that ends; when all have, of a flit
  bool over_ = false;    ///< what can end has ended: nothing is sent any more
};

}  // namespace

Summary simulate_program(const Topology& topology, const SimulationOptions& options,
                         const BoundProgram& program, Cycle limit,
                         const std::function<void(const Delivery&)>& take) {
  if (const char* const lack = engine_lack("flit", topology, options))
    refuse("--engine", "the flit engine, which runs programs, is not exact where {}", lack);
  if (options.model.answered())
    refuse("--consumption-release",
           "is about multicasts that nodes answer; a program says what its nodes do");
  return ProgramEngine(topology, options, program).run(limit, take);
}

}  // namespace wormcast
