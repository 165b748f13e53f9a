// Depth first through the states of a program, as ProgramRuns makes them, until one is found in which nothing
// can go on although something is under way, or none is left. Cost: a settling a state and choice.
//
// Where nobody else can come to a resource than those who ask for it now, who gets it is decided first, and
// what does not depend on it later: such choices are a persistent set, which loses no standstill. Nor does it
// lose a state that others come from, if no way goes round. cite: Godefroid 1996
//
// Where processes go on for ever nothing stands still, though some may never go on again: once all states are
// known, each process has to be able, from every one of them, to reach its end, or to go on. Cost: a walk
// back for each process.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/program_verdict.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deadlock/programs/program_order.hpp"
#include "deadlock/programs/program_runs.hpp"
#include "router/discipline.hpp"
#include "router/router_parameters.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t states_between_words = 1000;
constexpr std::uint64_t most_work = 50'000'000;  ///< states, times places of packets

class ProgramExploration {
 public:
  /// `all`: at every state all choices; else those of one decision, if there is one.
  ProgramExploration(const ProgramRuns& runs, const SearchLimits& limits, bool all)
      : runs_(runs), limits_(limits), all_(all) {}

  Evidence run() {
    learn(runs_.start(), 0, {});
    const std::uint64_t most = std::min(limits_.states, most_work / (runs_.places() + 1));
    while (!open_.empty()) {
      if (looked_at_ == most)
        return AtLimit{
            "more than " + std::to_string(most) + " states of the program (" +
            (most == limits_.states ? "--state-limit)" : "as many as its packets leave time for)")};
      const std::uint32_t at = open_.back();
      open_.pop_back();
      if (++looked_at_ % states_between_words == 0 && limits_.tell) limits_.tell(0, looked_at_);
      const ProgramState& state = *known_[at].state;
      std::vector<ProgramRuns::Choice> choices = runs_.choices(state);
      if (const std::size_t before = choices.size(); !all_) {
        choices = runs_.decision(state, choices);
        left_out_ = left_out_ || choices.size() < before;
      }
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
    sure_ = !left_out_ || !goes_round();
    for (std::size_t p = 0; runs_.program().any_for_ever() && p < runs_.processes(); ++p)
      if (const std::optional<std::uint32_t> at = stuck_for_good(p)) {
        sure_ = !left_out_;
        return ByRun{way_to(*at), runs_.standstill(*known_[*at].state)};
      }
    return ByExploring{};
  }
  /// Decisions left for later have been made in the end.
  bool is_sure() const { return sure_; }
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  struct Known {
    const ProgramState* state = nullptr;
    std::uint32_t from = 0;
    bool unfinished = false;  ///< processes can go round their loops once more
    std::vector<ProgramEvent> events;
  };
  /// What leads from state to state, with the processes that step on the way.
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::vector<bool> steps;
  };

  void learn(ProgramState state, std::uint32_t from, std::vector<ProgramEvent> events) {
    std::vector<bool> steps(runs_.processes());
    for (const ProgramEvent& event : events)
      if (event.process) steps[*event.process] = true;
    const bool unfinished = runs_.settle(state, events, steps);
    const auto [found, fresh] = seen_.emplace(std::move(state), static_cast<std::uint32_t>(known_.size()));
    if (!known_.empty()) edges_.push_back({from, found->second, std::move(steps)});
    if (!fresh) return;
    open_.push_back(found->second);
    known_.push_back({&found->first, from, unfinished, std::move(events)});
  }

  /// From some state the program can come back to it.
  bool goes_round() const {
    std::vector<std::vector<std::uint32_t>> next(known_.size());
    std::vector<std::uint32_t> ways(known_.size()), open;
    for (const Edge& edge : edges_) {
      next[edge.from].push_back(edge.to);
      ++ways[edge.to];
    }
    std::size_t left = known_.size();
    for (std::uint32_t at = 0; at < known_.size(); ++at)
      if (ways[at] == 0) open.push_back(at);
    for (; !open.empty(); --left) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t to : next[at])
        if (--ways[to] == 0) open.push_back(to);
    }
    return left > 0;
  }

  /// A state from which the process never gets to where it should: to its end; one that is for ever out of a
  /// send that others block, or, where all are for ever, a step farther.
  std::optional<std::uint32_t> stuck_for_good(std::size_t process) const {
    std::vector<bool> well(known_.size());
    std::vector<std::uint32_t> open;
    const auto reached = [&](std::uint32_t at) {
      if (!well[at]) open.push_back(at);
      well[at] = true;
    };
    const bool steps_count = runs_.program().all_for_ever();
    for (std::uint32_t at = 0; at < known_.size() && !steps_count; ++at)
      if (runs_.is_well(*known_[at].state, process)) reached(at);
    std::vector<std::vector<std::uint32_t>> before(known_.size());
    for (const Edge& edge : edges_) {
      before[edge.to].push_back(edge.from);
      if (steps_count && edge.steps[process]) reached(edge.from);
    }
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t earlier : before[at]) reached(earlier);
    }
    const auto found = std::find(well.begin(), well.end(), false);
    return found == well.end() ? std::nullopt
                               : std::optional(static_cast<std::uint32_t>(found - well.begin()));
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
  bool all_, left_out_ = false, sure_ = true;
  std::uint64_t looked_at_ = 0;
  std::unordered_map<ProgramState, std::uint32_t, HashOfProgramState> seen_;
  std::vector<Known> known_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> open_;
};

void refuse_routers(const CheckOptions& options) {
  const RouterModel& model = options.model;
  const Discipline& discipline = model.discipline();
  if (!discipline.parameter.empty())
    refuse(router_option(discipline.parameter),
           "programs are judged for routers that grant a channel at a time, as planned");
  const WormLength length = length_of(options);
  refuse_stated({{"--vc-reuse", model.reuses_early()},
                 {"--consumption-release", model.answered()},
                 {"--cut-through", length == WormLength::fits},
                 {"--long-worms", length == WormLength::any},
                 {"--length-flits", length == WormLength::stated}},
                "is not for programs, which say how long packets are and when nodes take them, on routers "
                "that drain a buffer and wait for channels, not for slots");
}

}  // namespace

Verdict judge_program(const Topology& topology, const BoundProgram& program, const CheckOptions& options) {
  refuse_routers(options);
  Verdict verdict;
  verdict.scope = program_scope;
  verdict.model = options.model;
  verdict.multicasts = verdict.worms = verdict.distinct_routes = program.flows.size();
  if (std::optional<BySteps> order = order_of_program(topology, options.model, program)) {
    verdict.evidence = std::move(*order);
    return verdict;
  }
  const ProgramRuns runs(topology, options.model, program);
  verdict.resources = runs.resources();
  for (const bool all : {false, true}) {
    ProgramExploration exploration(runs, options.limits, all);
    verdict.evidence = exploration.run();
    verdict.looked_at = exploration.looked_at();
    if (exploration.is_sure()) break;
  }
  return verdict;
}

}  // namespace wormcast
