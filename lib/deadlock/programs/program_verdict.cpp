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
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deadlock/programs/program_order.hpp"
#include "deadlock/programs/program_runs.hpp"
#include "router/discipline.hpp"
#include "router/router_parameters.hpp"
#include "topology/graphs.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t states_between_words = 1000;
constexpr std::uint64_t most_work = 50'000'000;  ///< states, times places of packets

/// Of a list the numbers that are not as usual, each behind how many are; high bytes only where there are.
template <class Numbers>
void pack(const Numbers& numbers, std::uint64_t usual, std::string& bytes) {
  const auto put = [&](std::uint64_t number) {
    for (; number > 127; number >>= 7) bytes += static_cast<char>(128 | number);
    bytes += static_cast<char>(number);
  };
  std::uint64_t as_usual = 0;
  for (const auto number : numbers) {
    if (number == usual) {
      ++as_usual;
      continue;
    }
    put(as_usual);
    put(number);
    as_usual = 0;
  }
  put(as_usual);
}

template <class Numbers>
void unpack(const char*& byte, std::uint64_t usual, Numbers& numbers) {
  const auto get = [&] {
    std::uint64_t number = 0;
    unsigned shift = 0;
    for (; (*byte & 128) != 0; shift += 7) number |= static_cast<std::uint64_t>(*byte++ & 127) << shift;
    return number | static_cast<std::uint64_t>(*byte++) << shift;
  };
  std::fill(numbers.begin(), numbers.end(), usual);
  for (std::size_t at = get(); at < numbers.size(); at += 1 + get())
    numbers[at] = static_cast<typename Numbers::value_type>(get());
}

/// States are known by their bytes: of thousands of packets that there could be few are under way.
class ProgramExploration {
 public:
  /// `all`: at every state all choices; else those of one decision, if there is one.
  ProgramExploration(const ProgramRuns& runs, const SearchLimits& limits, bool all)
      : runs_(runs), limits_(limits), all_(all), state_(runs.start()), next_(state_) {}

  Evidence run() {
    learn(0);
    const std::uint64_t most = std::min(limits_.states, most_work / (runs_.places() + 1));
    while (!open_.empty()) {
      if (looked_at_ == most)
        return AtLimit{
            "more than " + std::to_string(most) + " states of the program (" +
            (most == limits_.states ? "--state-limit)" : "as many as its packets leave time for)")};
      const std::uint32_t at = open_.back();
      open_.pop_back();
      if (++looked_at_ % states_between_words == 0 && limits_.tell) limits_.tell(0, looked_at_);
      restore(at, state_);
      std::vector<ProgramRuns::Choice> choices = runs_.choices(state_);
      if (const std::size_t before = choices.size(); !all_) {
        choices = runs_.decision(state_, choices);
        left_out_ = left_out_ || choices.size() < before;
      }
      if (known_[at].unfinished) {
        next_ = state_;
        learn(at);
      }
      for (const ProgramRuns::Choice& choice : choices) {
        next_ = state_;
        runs_.take(next_, choice, events_);
        learn(at);
      }
      if (!choices.empty() || known_[at].unfinished || runs_.ended(state_)) continue;
      return ByRun{way_to(at), runs_.standstill(state_)};
    }
    sure_ = !left_out_ || !goes_round();
    if (!runs_.program().any_for_ever()) return ByExploring{};
    if (const std::optional<std::uint32_t> at = stuck_for_good()) {
      sure_ = !left_out_;
      restore(*at, state_);
      return ByRun{way_to(*at), runs_.standstill(state_)};
    }
    return ByExploring{};
  }
  /// Decisions left for later have been made in the end.
  bool is_sure() const { return sure_; }
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  struct Known {
    const std::string* state = nullptr;
    std::uint32_t from = 0;
    bool unfinished = false;  ///< processes can go round their loops once more
    std::vector<ProgramEvent> events;
  };
  /// What leads from state to state, with the processes that step on the way.
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::vector<bool> steps;
  };

  /// Of `next_`, and of `events_` that led there.
  void learn(std::uint32_t from) {
    std::vector<bool> steps(runs_.processes());
    for (const ProgramEvent& event : events_)
      if (event.process) steps[*event.process] = true;
    const bool unfinished = runs_.settle(next_, events_, steps);
    std::string bytes;
    visit(next_, [&](const auto& numbers, std::uint64_t usual) { pack(numbers, usual, bytes); });
    const auto [found, fresh] = seen_.emplace(std::move(bytes), static_cast<std::uint32_t>(known_.size()));
    if (!known_.empty()) edges_.push_back({from, found->second, std::move(steps)});
    if (fresh) {
      open_.push_back(found->second);
      known_.push_back({&found->first, from, unfinished, events_});
    }
    events_.clear();
  }

  template <class State, class Do>
  static void visit(State& state, const Do& with) {
    with(state.numbers, 0);
    with(state.packets.granted, 0);
    with(state.packets.entered, 0);
    with(state.packets.allowed, 0);
    with(state.packets.lines, SharedWorms::no_place);
  }

  void restore(std::uint32_t at, ProgramState& state) const {
    const char* byte = known_[at].state->data();
    visit(state, [&](auto& numbers, std::uint64_t usual) { unpack(byte, usual, numbers); });
  }

  /// From some state the program can come back to it.
  bool goes_round() const {
    std::vector<std::vector<std::uint32_t>> next(known_.size());
    for (const Edge& edge : edges_) next[edge.from].push_back(edge.to);
    const auto states = static_cast<std::uint32_t>(known_.size());
    bool round = false;
    each_component(
        states, [&](std::uint32_t at, std::uint32_t i) { return i < next[at].size() ? next[at][i] : states; },
        [&](std::span<const std::uint32_t> members) {
          const std::vector<std::uint32_t>& own = next[members.front()];
          round =
              round || members.size() > 1 || std::find(own.begin(), own.end(), members.front()) != own.end();
        });
    return round;
  }

  /// A state from which some process never gets to where it should: to its end; one that is for ever out of a
  /// send that others block, or, where all are for ever, a step farther.
  std::optional<std::uint32_t> stuck_for_good() {
    const std::size_t processes = runs_.processes();
    const bool steps_count = runs_.program().all_for_ever();
    std::vector<std::vector<bool>> well(processes, std::vector<bool>(known_.size()));
    for (std::uint32_t at = 0; at < known_.size() && !steps_count; ++at) {
      restore(at, state_);
      for (std::size_t p = 0; p < processes; ++p) well[p][at] = runs_.is_well(state_, p);
    }
    std::vector<std::vector<std::uint32_t>> before(known_.size());
    for (const Edge& edge : edges_) {
      before[edge.to].push_back(edge.from);
      for (std::size_t p = 0; p < processes && steps_count; ++p)
        if (edge.steps[p]) well[p][edge.from] = true;
    }
    for (std::vector<bool>& of_process : well) {
      std::vector<std::uint32_t> open;
      for (std::uint32_t at = 0; at < known_.size(); ++at)
        if (of_process[at]) open.push_back(at);
      of_process = marks_reached(known_.size(), std::move(open), [&](std::uint32_t at, const auto& visit) {
        for (const std::uint32_t earlier : before[at]) visit(earlier);
      });
      if (const auto found = std::find(of_process.begin(), of_process.end(), false);
          found != of_process.end())
        return static_cast<std::uint32_t>(found - of_process.begin());
    }
    return std::nullopt;
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
  ProgramState state_, next_;
  std::vector<ProgramEvent> events_;
  std::unordered_map<std::string, std::uint32_t> seen_;
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
