// Depth first through the states of a program, as ProgramRuns makes them, until one is found in which nothing
// can go on although something is under way, or none is left. Cost: a settling a state and choice.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/program_verdict.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "deadlock/programs/program_runs.hpp"
#include "router/discipline.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t states_between_words = 1000;

class ProgramExploration {
 public:
  ProgramExploration(const ProgramRuns& runs, const SearchLimits& limits) : runs_(runs), limits_(limits) {}

  Evidence run() {
    learn(runs_.start(), 0, {});
    while (!open_.empty()) {
      if (looked_at_ == limits_.states)
        return AtLimit{"more than " + std::to_string(limits_.states) +
                       " states of the program (--state-limit)"};
      const std::uint32_t at = open_.back();
      open_.pop_back();
      if (++looked_at_ % states_between_words == 0 && limits_.tell) limits_.tell(0, looked_at_);
      const ProgramState& state = *known_[at].state;
      const std::vector<ProgramRuns::Choice> choices = runs_.choices(state);
      if (known_[at].unfinished) learn(state, at, {});
      for (const ProgramRuns::Choice& choice : choices) {
        ProgramState next = state;
        std::vector<ProgramEvent> events;
        runs_.take(next, choice, events);
        learn(std::move(next), at, std::move(events));
      }
      if (!choices.empty() || known_[at].unfinished || runs_.ended(state)) continue;
      return ByRun{way_to(at), runs_.standstill(state)};
    }
    return ByExploring{};
  }
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  struct Known {
    const ProgramState* state = nullptr;
    std::uint32_t from = 0;
    bool unfinished = false;  ///< processes can go round their loops once more
    std::vector<ProgramEvent> events;
  };

  void learn(ProgramState state, std::uint32_t from, std::vector<ProgramEvent> events) {
    const bool unfinished = runs_.settle(state, events);
    const auto [place, fresh] = seen_.insert(std::move(state));
    if (!fresh) return;
    open_.push_back(static_cast<std::uint32_t>(known_.size()));
    known_.push_back({&*place, from, unfinished, std::move(events)});
  }

  std::vector<ProgramEvent> way_to(std::uint32_t at) const {
    std::vector<std::uint32_t> way{at};
    while (way.back() != 0) way.push_back(known_[way.back()].from);
    std::vector<ProgramEvent> events;
    for (auto step = way.rbegin(); step != way.rend(); ++step)
      events.insert(events.end(), known_[*step].events.begin(), known_[*step].events.end());
    return events;
  }

  const ProgramRuns& runs_;
  const SearchLimits& limits_;
  std::uint64_t looked_at_ = 0;
  std::unordered_set<ProgramState, HashOfProgramState> seen_;
  std::vector<Known> known_;
  std::vector<std::uint32_t> open_;
};

void refuse_routers(const CheckOptions& options) {
  const RouterModel& model = options.model;
  const Discipline& discipline = model.discipline();
  if (!discipline.parameter.empty())
    refuse(std::string("--" + std::string(discipline.parameter)),
           "programs are judged for routers that grant a channel at a time, as planned");
  refuse_stated({{"--vc-reuse", model.reuses_early()},
                 {"--consumption-release", model.answered()},
                 {"--cut-through", model.cut_through},
                 {"--long-worms", options.flits == long_worm_flits},
                 {"--length-flits", options.flits.has_value()}},
                "is not for programs, which say how long their packets are and when nodes take them");
}

}  // namespace

Verdict judge_program(const Topology& topology, const BoundProgram& program, const CheckOptions& options) {
  refuse_routers(options);
  Verdict verdict;
  verdict.scope = program_scope;
  verdict.model = options.model;
  verdict.multicasts = verdict.worms = verdict.distinct_routes = program.flows.size();
  const ProgramRuns runs(topology, options.model, program);
  verdict.resources = runs.resources();
  ProgramExploration exploration(runs, options.limits);
  verdict.evidence = exploration.run();
  verdict.looked_at = exploration.looked_at();
  return verdict;
}

}  // namespace wormcast
