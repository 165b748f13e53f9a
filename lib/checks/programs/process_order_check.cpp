// The order is run twice, with packets that arrive at once. The first run sees that it is one of the program,
// and notes what each process is certain of before each step: how many steps of each other one are made. The
// second one looks from each step at all steps that others may be at meanwhile (data/FORMAT-reference.md
// 3.11), and whether these wait for good: what is made or certain by then may bring what they lack. Channels
// are numbered by raising numbers until each header that waits for a packet of another flow has a higher one
// than all that this packet can wait for. Cost: steps times processes, times what is under way.
// SPDX-License-Identifier: MIT
#include "checks/programs/process_order_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "checks/programs/header_numbers.hpp"

namespace wormcast {

namespace {

class OrderRun {
 public:
  OrderRun(const Topology& topology, const RouterModel& model, const BoundProgram& program)
      : topology_(topology),
        model_(model),
        program_(program),
        headers_(topology, model, program),
        processes_(program.processes.size()),
        made_(processes_.size()),
        counts_(program.counters.size()) {
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      processes_[p].rounds.resize(program.processes[p].loops);
      processes_[p].certain.resize(processes_.size());
    }
  }

  std::string fault(const std::vector<ProcessSteps>& order) {
    if (!headers_.numbered()) return "channels have no order";
    std::string wrong = read_receivers();
    for (const ProcessSteps& steps : order)
      for (std::uint64_t i = 0; i < steps.steps && wrong.empty(); ++i)
        if (steps.process >= processes_.size() || !note(steps.process))
          wrong = describe(steps.process) + " cannot be made there";
    if (wrong.empty()) wrong = see_counters();
    if (wrong.empty()) wrong = see_end();
    made_.assign(made_.size(), 0);
    counts_.assign(counts_.size(), {});
    for (const ProcessSteps& steps : order)
      for (std::uint64_t i = 0; i < steps.steps && wrong.empty(); ++i) {
        if (waits_for_later(steps.process)) wrong = describe(steps.process) + " may wait for a later one";
        advance(steps.process);
      }
    return wrong;
  }

 private:
  using Kind = Instruction::Kind;
  using Counts = std::vector<std::uint32_t>;  ///< steps, by process
  struct Noted {
    const Instruction* in;
    Counts certain;             ///< before the step
    std::uint64_t counted = 0;  ///< of its counter, by this process so far; packets sent, of a receive
  };
  struct Process {
    std::size_t at = 0;
    std::vector<std::uint64_t> rounds;
    Counts certain;
    std::vector<Noted> steps;
  };
  struct Packet {
    std::uint32_t step;
    std::uint64_t tail;  ///< flits of the flow until then
  };
  /// Where packets of some flows are received.
  struct Receiver {
    std::uint32_t process;
    std::set<std::uint32_t> flows;
    std::uint64_t flits = 0;
    Counts taken{};  ///< by packet: step
  };
  struct Count {
    std::uint64_t given = 0, taken = 0;
  };

  std::string describe(std::uint32_t p) const {
    return fmt::format("step {} of process {}", p < processes_.size() ? made_[p] : 0, p);
  }
  const Instruction* next(std::uint32_t p) {
    Process& process = processes_[p];
    const std::vector<Instruction>& code = program_.processes[p].code;
    for (std::uint32_t turns = 0; process.at < code.size(); ++turns) {
      const Instruction& in = code[process.at];
      if (in.kind != Kind::loop && in.kind != Kind::compute) return &in;
      const bool again = in.kind == Kind::loop && (in.count == 0 || ++process.rounds[in.loop] < in.count);
      if (in.kind == Kind::loop && !again) process.rounds[in.loop] = 0;
      process.at = again ? in.what : process.at + 1;
      if (turns > most_turns) break;
    }
    return nullptr;
  }

  std::string read_receivers() {
    for (std::uint32_t p = 0; p < processes_.size(); ++p)
      for (const Instruction& in : program_.processes[p].code) {
        if (in.kind == Kind::send) sender_[in.what] = p;
        if (in.kind == Kind::take || in.kind == Kind::give) in_counters_[{in.kind, in.what}].insert(p);
        if (in.kind != Kind::receive) continue;
        Receiver receiver{p, {}};
        for (std::uint32_t f = 0; f < program_.flows.size(); ++f)
          if (headers_.carries(f) && (in.what == f || in.what == Instruction::any_flow) &&
              headers_.route(f).comes_to(*program_.processes[p].host))
            receiver.flows.insert(f);
        auto same = receivers_.begin();
        for (; same != receivers_.end() && (same->process != p || same->flows != receiver.flows); ++same)
          for (const std::uint32_t f : receiver.flows)
            if (same->process == p && same->flows.contains(f))
              return "a process receives a flow alone, and with others";
        receiver_of_[&in] = static_cast<std::size_t>(same - receivers_.begin());
        if (same == receivers_.end()) receivers_.push_back(std::move(receiver));
      }
    const bool alike = std::all_of(receivers_.begin(), receivers_.end(), [&](const Receiver& one) {
      return headers_.of_one_length(one.flows, one.process);
    });
    return alike ? "" : "packets of several flows at one host differ in length";
  }

  /// The first run: a step of the process, if it can be made.
  bool note(std::uint32_t p) {
    const Instruction* const in = next(p);
    if (in == nullptr || ++noted_ * processes_.size() > most_noted) return false;
    Process& process = processes_[p];
    process.certain[p] = made_[p];
    Noted step{in, process.certain, 0};
    if (in->kind == Kind::send) {
      std::vector<Packet>& sent = sent_[in->what];
      const std::uint64_t before = sent.empty() ? 0 : sent.back().tail;
      sent.push_back({made_[p], before + headers_.route(in->what).flits(in->count, model_.header_flits)});
    } else if (in->kind == Kind::receive ? !receive(p, *in, step) : !count(p, *in, step)) {
      return false;
    }
    process.steps.push_back(std::move(step));
    ++made_[p];
    ++process.at;
    return true;
  }
  /// Packets whose sends are such, which the first of each flow are.
  template <class Such>
  std::size_t sent_to(const Receiver& receiver, const Such& such) const {
    std::size_t all = 0;
    for (const std::uint32_t f : receiver.flows)
      if (const auto sent = sent_.find(f); sent != sent_.end())
        all += static_cast<std::size_t>(
            std::partition_point(sent->second.begin(), sent->second.end(),
                                 [&](const Packet& one) { return such(sender_.at(f), one.step); }) -
            sent->second.begin());
    return all;
  }
  std::size_t sent_to(const Receiver& receiver) const {
    return sent_to(receiver, [&](std::uint32_t sender, std::uint32_t step) { return step < made_[sender]; });
  }
  void is_certain(std::uint32_t p, std::uint32_t of, std::uint32_t before_step, std::uint32_t steps) {
    Counts& certain = processes_[p].certain;
    const Counts& more = processes_[of].steps[before_step].certain;
    for (std::size_t i = 0; i < certain.size(); ++i) certain[i] = std::max(certain[i], more[i]);
    certain[of] = std::max(certain[of], steps);
  }
  bool receive(std::uint32_t p, const Instruction& in, Noted& step) {
    Receiver& receiver = receivers_[receiver_of_.at(&in)];
    step.counted = receiver.taken.size() + 1;
    if (receiver.flows.size() != 1) {
      receiver.taken.push_back(made_[p]);
      return sent_to(receiver) >= receiver.taken.size();
    }
    const std::uint32_t flow = *receiver.flows.begin();
    for (std::uint64_t taken = 0; taken < in.count;) {  // packet by packet
      if (receiver.taken.size() == sent_[flow].size()) return false;
      const Packet& packet = sent_[flow][receiver.taken.size()];
      const std::uint64_t more = std::min(in.count - taken, packet.tail - receiver.flits);
      taken += more;
      receiver.flits += more;
      step.counted = receiver.taken.size() + 1;
      const bool tail = receiver.flits == packet.tail;
      std::size_t branches = 0;  // at the source: each is left by the tail for itself
      for (const RouteHop& hop : headers_.route(flow).hops) branches += hop.parent == -1 ? 1 : 0;
      const bool has_left = tail && (branches == 1 || topology_.hosts_have_links());
      is_certain(p, sender_.at(flow), packet.step, packet.step + (has_left ? 1 : 0));
      if (!tail) continue;
      receiver.taken.push_back(made_[p]);
      if (in.until_tail) break;
    }
    return true;
  }
  bool can_count(const Instruction& in) const {
    const auto& [given, taken] = counts_[in.what];
    const auto& [name, start, limit] = program_.counters[in.what];
    return in.kind == Kind::take ? taken + in.count <= start + given
                                 : !limit || start + given + in.count <= *limit + taken;
  }
  void add_count(const Instruction& in) {
    if (in.kind == Kind::take) counts_[in.what].taken += in.count;
    if (in.kind == Kind::give) counts_[in.what].given += in.count;
  }
  bool count(std::uint32_t p, const Instruction& in, Noted& step) {
    if (!can_count(in)) return false;
    add_count(in);
    const ProgramCounter& counter = program_.counters[in.what];
    const bool takes = in.kind == Kind::take;
    step.counted = counted_[{p, in.kind, in.what}] += in.count;
    if (in_counters_[{in.kind, in.what}].size() > 1 || (!takes && !counter.limit)) return true;
    const std::uint64_t free = takes ? counter.start : *counter.limit - counter.start;
    // Beyond that others have done so much; where that is one process, it is known by which step.
    const Kind other = takes ? Kind::give : Kind::take;
    const std::set<std::uint32_t>& others = in_counters_[{other, in.what}];
    if (step.counted <= free || others.size() != 1) return true;
    const std::vector<Noted>& steps = processes_[*others.begin()].steps;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      if (steps[i].in->kind != other || steps[i].in->what != in.what) continue;
      if (free + steps[i].counted < step.counted) continue;
      is_certain(p, *others.begin(), i, i + 1);
      break;
    }
    return true;
  }

  /// After the first run: nothing is left to do, and nothing under way.
  std::string see_end() {
    bool ended = false;
    for (const Receiver& receiver : receivers_)
      if (receiver.taken.size() != sent_to(receiver)) return "packets are left";
    for (const auto& sent : sent_)
      for (const RouteHop& hop : headers_.route(sent.first).hops)
        if (!hop.is_channel() && std::none_of(receivers_.begin(), receivers_.end(), [&](const Receiver& one) {
              return one.flows.contains(sent.first) && hop.comes_to(*program_.processes[one.process].host);
            }))
          return "a packet is not received";
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      const Instruction* const last = next(p);
      if (last != nullptr && note(p)) return describe(p) + " is left out";
      const bool forever = program_.processes[p].forever;
      if ((last == nullptr) == forever || (!forever && processes_[p].at < program_.processes[p].code.size()))
        return describe(p) + " is never made";
      ended = ended || !forever;
      if (last != nullptr && in_counters_[{last->kind, last->what}].size() > 1)
        return describe(p) + " may be made after other ones";
    }
    return ended ? "" : "no process ends";
  }

  /// What several processes contend for is enough for all, or a lock that each gives back.
  std::string see_counters() {
    for (std::uint32_t c = 0; c < counts_.size(); ++c) {
      const ProgramCounter& counter = program_.counters[c];
      const bool takes = in_counters_[{Kind::take, c}].size() > 1;
      const bool gives = in_counters_[{Kind::give, c}].size() > 1 && counter.limit;
      locks_.push_back((takes && counts_[c].taken > counter.start) ||
                       (gives && counter.start + counts_[c].given > *counter.limit));
      for (std::uint32_t p = 0; locks_[c] && p < processes_.size(); ++p) {
        std::uint64_t has = 0;
        for (const Noted& step : processes_[p].steps) {
          if (step.in->what != c || (step.in->kind != Kind::take && step.in->kind != Kind::give)) continue;
          if (step.in->kind == Kind::take ? has != 0 : has != step.in->count)
            return fmt::format("counter {} is neither enough for all nor a lock", counter.name);
          has = step.in->kind == Kind::take ? step.in->count : 0;
        }
        if (has != 0) return fmt::format("counter {} is not given back", counter.name);
      }
    }
    return "";
  }

  // The second run.

  bool waits_for_later(std::uint32_t p) {
    const Noted& step = processes_[p].steps[made_[p]];
    if (step.in->kind == Kind::send) return meets_later(p, headers_.ends(step.in->what, true));
    if (step.in->kind != Kind::receive)
      return step.in->kind == Kind::take && locks_[step.in->what] && lacks_lock(p);
    const Receiver& receiver = receivers_[receiver_of_.at(step.in)];
    return std::any_of(receiver.flows.begin(), receiver.flows.end(),
                       [&](std::uint32_t flow) { return meets_later(p, headers_.ends(flow, false)); });
  }
  /// While the process is at its next step another one can be at that step.
  bool meanwhile(std::uint32_t p, const Noted& other) const { return other.certain[p] <= made_[p]; }

  bool lacks_lock(std::uint32_t p) {
    const std::uint32_t lock = processes_[p].steps[made_[p]].in->what;
    for (std::uint32_t q = 0; q < processes_.size(); ++q) {
      bool has = false;
      for (std::uint32_t i = 0; q != p && i < processes_[q].steps.size(); ++i) {
        const Noted& step = processes_[q].steps[i];
        if (!meanwhile(p, step)) break;
        if (has && i >= made_[q] && can_wait(q, i)) return true;
        if (step.in->what == lock && step.in->kind == Kind::take) has = true;
        if (step.in->what == lock && step.in->kind == Kind::give) has = false;
      }
    }
    return false;
  }
  bool can_wait(std::uint32_t q, std::uint32_t i) {
    const Instruction& in = *processes_[q].steps[i].in;
    if (in.kind == Kind::send || in.kind == Kind::receive) return true;
    const std::uint64_t counted = processes_[q].steps[i].counted;
    const auto& [given, taken] = counts_[in.what];
    const auto& [name, start, limit] = program_.counters[in.what];
    const bool one = in_counters_.at({in.kind, in.what}).size() == 1, takes = in.kind == Kind::take;
    const bool waits = takes && !one ? locks_[in.what]
                       : takes       ? counted > start + given
                                     : one && limit && start + counted > *limit + taken;
    return waits && !goes_on(q, i);
  }

  /// A packet of such a flow may be at its host meanwhile, and the process there at a later step that waits
  /// for something else.
  bool meets_later(std::uint32_t p, const HeaderNumbers::Flows& flows) {
    for (const Receiver& receiver : receivers_) {
      const std::vector<Noted>& steps = processes_[receiver.process].steps;
      if (std::none_of(flows.begin(), flows.end(),
                       [&](std::uint32_t f) { return receiver.flows.contains(f); }))
        continue;
      for (std::uint32_t i = made_[receiver.process]; i < steps.size(); ++i) {
        if (!meanwhile(p, steps[i])) break;
        const auto taken = std::lower_bound(receiver.taken.begin(), receiver.taken.end(), i);
        const auto before = static_cast<std::uint64_t>(taken - receiver.taken.begin());
        if (taken == receiver.taken.end()) break;
        const bool takes =
            steps[i].in->kind == Kind::receive && &receivers_[receiver_of_.at(steps[i].in)] == &receiver;
        const auto under_way = [&](std::uint32_t sender, std::uint32_t step) {  // when both are there
          const Noted& send = processes_[sender].steps[step];
          return meanwhile(p, send) && send.certain[receiver.process] <= i;
        };
        if (!takes && sent_to(receiver, under_way) > before && can_wait(receiver.process, i)) return true;
      }
    }
    return false;
  }

  /// What a process at this step counts on is done, by steps that follow from what is made and certain then.
  bool goes_on(std::uint32_t q, std::uint32_t step) {
    bool& will = goes_on_[{q, step}];  // what follows once follows from more
    if (supposing_ || will) return will;
    const auto before = std::pair(made_, counts_);
    supposing_ = true;
    for (std::uint32_t p = 0; p < processes_.size(); ++p)
      while (made_[p] < (p == q ? step : processes_[q].steps[step].certain[p])) advance(p);
    for (bool more = true; more && can_wait(q, step);) {
      more = false;
      for (std::uint32_t p = 0; p < processes_.size(); ++p)
        for (; p != q && is_ready(p) && !waits_for_later(p); more = true) advance(p);
    }
    will = !can_wait(q, step);
    supposing_ = false;
    std::tie(made_, counts_) = before;
    return will;
  }
  /// What the next step of the process needs has been sent or counted.
  bool is_ready(std::uint32_t p) const {
    if (made_[p] == processes_[p].steps.size()) return false;
    const Noted& step = processes_[p].steps[made_[p]];
    if (step.in->kind == Kind::receive) return sent_to(receivers_[receiver_of_.at(step.in)]) >= step.counted;
    return step.in->kind == Kind::send || can_count(*step.in);
  }
  void advance(std::uint32_t p) { add_count(*processes_[p].steps[made_[p]++].in); }

  static constexpr std::uint32_t most_turns = 1'000'000;
  static constexpr std::size_t most_noted = 1U << 25U;  ///< numbers
  std::size_t noted_ = 0;                               ///< steps
  const Topology& topology_;
  const RouterModel& model_;
  const BoundProgram& program_;
  HeaderNumbers headers_;
  std::vector<Process> processes_;
  Counts made_;
  std::vector<Receiver> receivers_;
  std::map<const Instruction*, std::size_t> receiver_of_;
  std::map<std::uint32_t, std::uint32_t> sender_;      ///< by flow
  std::map<std::uint32_t, std::vector<Packet>> sent_;  ///< by flow
  std::vector<Count> counts_;                          ///< by counter
  std::vector<bool> locks_;                            ///< by counter
  std::map<std::tuple<std::uint32_t, Kind, std::uint32_t>, std::uint64_t> counted_;
  std::map<std::pair<Kind, std::uint32_t>, std::set<std::uint32_t>> in_counters_;  ///< processes
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> goes_on_;                ///< by process and step
  bool supposing_ = false;
};

}  // namespace

std::string fault_of_process_order(const Topology& topology, const RouterModel& model,
                                   const BoundProgram& program, const std::vector<ProcessSteps>& order) {
  const std::string fault = OrderRun(topology, model, program).fault(order);
  return fault.empty() ? "" : "process_order: " + fault;
}

}  // namespace wormcast
