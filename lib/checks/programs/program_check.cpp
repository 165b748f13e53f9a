// The run of a verdict is made on a reading of the program; what is called safe is tried in all orders again.
// Cost: a pass over all packets for each flit, in each state.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/programs/process_order_check.hpp"
#include "checks/programs/program_reading.hpp"
#include "checks/verdict_check.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t most_tries = 10'000;

/// All that can come of a state.
class AllRuns {
 public:
  AllRuns(const ProgramReading& reading, ProgramAt start, std::uint64_t limit) : reading_(reading) {
    learn(std::move(start), 0, {});
    while (!open_.empty() && well_.size() <= limit && !standstill_) {
      const Open here = std::move(open_.back());
      open_.pop_back();
      std::vector<ProgramAt> all = reading.next(here.at);
      standstill_ = all.empty() && !here.unfinished && !reading.ended(here.at);
      if (here.unfinished) all.push_back(here.at);
      for (ProgramAt& next : all) learn(std::move(next), here.number, here.at.processes);
    }
    exhausted_ = open_.empty();
  }

  bool standstill() const { return standstill_; }
  bool exhausted() const { return exhausted_; }
  /// By state, the start first: whether the process can get well from there, or, where all are for ever, go
  /// on.
  std::vector<bool> recovers(std::size_t process) const {
    std::vector<bool> can(well_.size());
    const bool steps = reading_.program().all_for_ever();
    for (std::size_t at = 0; at < can.size(); ++at) can[at] = !steps && well_[at][process];
    for (bool more = true; more;) {
      more = false;
      for (const Step& step : steps_)
        if (!can[step.from] && (can[step.to] || (steps && step.made[process]))) more = can[step.from] = true;
    }
    return can;
  }

 private:
  struct Step {
    std::uint32_t from = 0, to = 0;
    std::vector<bool> made;  ///< by process
  };
  struct Open {
    std::uint32_t number = 0;
    ProgramAt at;
    bool unfinished = false;  ///< processes can go round their loops once more
  };

  void learn(ProgramAt at, std::uint32_t from, const std::vector<ProcessAt>& before) {
    const bool unfinished = reading_.settle(at, true);
    const auto [found, fresh] =
        known_.emplace(ProgramReading::key(at), static_cast<std::uint32_t>(well_.size()));
    Step step{from, found->second, {}};
    for (std::size_t p = 0; p < before.size(); ++p)
      step.made.push_back(at.processes[p].made != before[p].made);
    if (!before.empty()) steps_.push_back(std::move(step));
    if (!fresh) return;
    std::vector<bool>& well = well_.emplace_back();
    for (std::size_t p = 0; p < at.processes.size(); ++p) well.push_back(reading_.is_well(at, p));
    open_.push_back({found->second, std::move(at), unfinished});
  }

  const ProgramReading& reading_;
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<std::vector<bool>> well_;  ///< by state, by process
  std::vector<Step> steps_;
  std::vector<Open> open_;
  bool standstill_ = false, exhausted_ = false;
};

CheckedVerdict check_run(const ProgramReading& reading, const Verdict& verdict, std::uint64_t state_limit) {
  const std::vector<ProgramEvent>& run = verdict.shown(&ByRun::run);
  const std::vector<std::string>& said = verdict.shown(&ByRun::standstill);
  ProgramAt at = reading.begin();
  for (std::size_t i = 0; i < run.size(); ++i) {
    const ProgramEvent& event = run[i];
    for (std::uint32_t tries = 0; reading.settle(at, false) && tries < most_tries;) ++tries;
    if (event.flow ? !reading.grant_of(at, *event.flow, event.hop)
                   : !event.process || !reading.contended_step(at, *event.process))
      return refused(fmt::format("run[{}] cannot happen there", i));
  }
  if (!reading.settle(at, false) && reading.next(at).empty()) {
    const std::set<std::string> so = reading.sentences(at);
    for (std::size_t i = 0; i < said.size(); ++i)
      if (!so.contains(said[i])) return refused(fmt::format("standstill[{}] is not so", i));
    return reading.ended(at) ? refused("after the run the program has ended") : CheckedVerdict{};
  }
  const AllRuns after(reading, std::move(at), state_limit);
  if (!after.exhausted()) return undecided("after the run there are more states than --state-limit");
  for (std::size_t p = 0; reading.program().any_for_ever() && p < reading.program().processes.size(); ++p)
    if (!after.recovers(p).front()) return {};
  return refused("after the run something can go on");
}

CheckedVerdict check_all_orders(const ProgramReading& reading, std::uint64_t state_limit) {
  const AllRuns all(reading, reading.begin(), state_limit);
  if (all.standstill()) return refused("the program can come to a standstill");
  if (!all.exhausted()) return undecided("more states than --state-limit");
  for (std::size_t p = 0; reading.program().any_for_ever() && p < reading.program().processes.size(); ++p) {
    const std::vector<bool> recovers = all.recovers(p);
    if (std::find(recovers.begin(), recovers.end(), false) != recovers.end())
      return refused("a process can be blocked for good beside others that go on");
  }
  return {};
}

}  // namespace

CheckedVerdict check_program_verdict(const Topology& topology, const BoundProgram& program,
                                     const Verdict& verdict, std::uint64_t state_limit) {
  const std::string fault = refuse_count("routes", verdict.multicasts, program.flows.size());
  if (!fault.empty()) return refused(fault);
  const ProgramReading reading(topology, verdict.model, program);
  if (verdict.answer() == Answer::deadlock) return check_run(reading, verdict, state_limit);
  if (verdict.answer() == Answer::safe)
    return refused_if(
        fault_of_process_order(topology, verdict.model, program, verdict.shown(&BySteps::process_order)));
  if (verdict.answer() == Answer::safe_unreachable) return check_all_orders(reading, state_limit);
  return verdict.answer() == Answer::unknown
             ? undecided("the verdict is unknown: there is nothing to check")
             : refused("no verdict on a program is " + std::string(answer_name(verdict.answer())));
}

}  // namespace wormcast
