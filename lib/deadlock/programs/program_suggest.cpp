// Changes of a program one by one: a send earlier or later, two takes or receives in the other order; two
// loops joined, so that their steps take turns; a flow on a virtual channel, or by channels, that no other
// flow takes; more of counters that start with some (windows, credits). Each is judged as any program is, so
// what is suggested is proved. Cost: a verdict a change.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/program_suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "deadlock/programs/program_verdict.hpp"
#include "router/worm_route.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_tried = 50, most_suggested = 5;  ///< of each kind; of all
constexpr std::uint64_t more_of_counters[] = {1, 2, 3, 4, 8, 16};

bool sends(const ProgramStep& step) {
  return step.send || std::any_of(step.steps.begin(), step.steps.end(), sends);
}

/// Two of one kind that wait for different things.
bool wait_alike(const ProgramStep& one, const ProgramStep& next) {
  return (one.receive && next.receive && one.from != next.from) ||
         (!one.take.empty() && !next.take.empty() && one.take != next.take);
}

class ProgramChanges {
 public:
  ProgramChanges(const Topology& topology, const Program& program, const std::vector<Routes>& flows,
                 const ChangeListener& hear)
      : topology_(topology), hear_(hear), changed_{"", program, flows} {
    changed_.program.run.clear();
    for (ProgramProcess& process : changed_.program.processes)
      change_steps(process.steps, process.name + ":steps");
    for (Routes& flow : changed_.flows)
      if (flow.worms.size() == 1) change_flow(flow);
    for (ProgramCounter& counter : changed_.program.counters) change_counter(counter);
    change_starts(changed_.program.counters);
  }

 private:
  void add(const std::string& kind, const std::string& what) {
    changed_.change = kind + ":" + what;
    if (!enough_ && tried_[kind]++ < most_tried) enough_ = hear_(changed_);
  }

  void change_steps(std::vector<ProgramStep>& steps, const std::string& place) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      change_steps(steps[i].steps, indexed(place, i) + ".steps");
      for (const std::size_t to : std::set<std::size_t>{0, i - std::min<std::size_t>(i, 1),
                                                        std::min(i + 1, steps.size() - 1), steps.size() - 1})
        if (tried_["move"] < most_tried && matters(steps, i, to)) {
          const std::vector<ProgramStep> before = steps;
          steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
          steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(to), before[i]);
          add("move", fmt::format("{}={}", indexed(place, i), to));
          steps = before;
        }
      if (i + 1 == steps.size() || !steps[i].repeat || steps[i].repeat != steps[i + 1].repeat) continue;
      const std::vector<ProgramStep> before = steps;
      steps[i].steps.insert(steps[i].steps.end(), steps[i + 1].steps.begin(), steps[i + 1].steps.end());
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      add("join-loops", indexed(place, i));
      steps = before;
    }
  }

  /// A send past anything else, once; what waits past the next one that does.
  static bool matters(const std::vector<ProgramStep>& steps, std::size_t from, std::size_t to) {
    const ProgramStep& moved = steps[from];
    if (to == from + 1 && wait_alike(moved, steps[to])) return true;
    if (from == to || !sends(moved) || (to + 1 == from && sends(steps[to]))) return false;
    return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(std::min(from, to)),
                       steps.begin() + static_cast<std::ptrdiff_t>(std::max(from, to)) + 1,
                       [&](const ProgramStep& step) { return !step.send || step.send != moved.send; });
  }

  void change_flow(Routes& flow) {
    const Routes before = flow;
    std::uint32_t vcs = 0;
    std::set<std::uint32_t> taken;  // channels, by other flows
    for (const Routes& other : changed_.flows)
      for (const RouteHop& hop :
           other.worms.size() == 1 ? other.worms.front().hops : std::vector<RouteHop>{}) {
        if (!hop.is_channel()) continue;
        vcs = std::max(vcs, hop.vc + 1);
        if (&other != &flow) taken.insert(hop.target);
      }
    std::vector<RouteHop>& hops = flow.worms.front().hops;
    const bool shares = std::any_of(hops.begin(), hops.end(), [&](const RouteHop& hop) {
      return hop.is_channel() && taken.contains(hop.target);
    });
    if (!shares) return;
    if (vcs < topology_.virtual_channel_bound()) {
      for (RouteHop& hop : hops)
        if (hop.is_channel()) hop.vc = vcs;
      add("virtual-channel", std::to_string(flow.plan.request.id));
      flow = before;
    }
    if (!go_round(flow.worms.front(), taken)) return;
    add("route", std::to_string(flow.plan.request.id));
    flow = before;
  }

  /// By a shortest way of channels that no other flow takes.
  bool go_round(WormRoute& route, const std::set<std::uint32_t>& taken) const {
    if (!route.is_path() || !route.consumed_once()) return false;
    const RouteHop last = route.hops.back();
    const NodeId start = topology_.router_of(route.source), end = topology_.router_of(HostId{last.target});
    std::map<std::uint32_t, ChannelId> by;  // the channel that leads to a router
    std::vector<NodeId> reached{start};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::uint32_t channel = 0; channel < topology_.channel_bound(); ++channel) {
        const std::optional<ChannelEnds> ends = topology_.ends(ChannelId{channel});
        if (!ends || ends->from != reached[i] || ends->to == start || taken.contains(channel)) continue;
        if (by.emplace(ends->to.value, ChannelId{channel}).second) reached.push_back(ends->to);
      }
    if (start == end || !by.contains(end.value)) return false;
    std::vector<ChannelId> way;
    for (NodeId at = end; at != start; at = topology_.ends(way.back())->from) way.push_back(by.at(at.value));
    route.hops.clear();
    for (auto channel = way.rbegin(); channel != way.rend(); ++channel)
      route.hops.push_back({channel->value, static_cast<std::int32_t>(route.hops.size()) - 1});
    route.hops.push_back(last);
    route.hops.back().parent = static_cast<std::int32_t>(route.hops.size()) - 2;
    return true;
  }

  static void start_with(ProgramCounter& counter, std::uint64_t start) {
    counter.start = start;
    if (counter.limit) counter.limit = std::max(*counter.limit, start);
  }

  void change_counter(ProgramCounter& counter) {
    const ProgramCounter before = counter;
    for (const std::uint64_t more : more_of_counters) {
      if (before.start > 0) {
        start_with(counter, before.start + more);
        add("start", fmt::format("{}={}", counter.name, counter.start));
        counter = before;
      }
      if (!before.limit) continue;
      counter.limit = *before.limit + more;
      add("limit", fmt::format("{}={}", counter.name, *counter.limit));
      counter = before;
    }
  }

  void change_starts(std::vector<ProgramCounter>& counters) {
    const auto starts = [](const ProgramCounter& counter) { return counter.start > 0; };
    if (std::count_if(counters.begin(), counters.end(), starts) < 2) return;
    const std::vector<ProgramCounter> before = counters;
    for (const std::uint64_t more : more_of_counters) {
      for (ProgramCounter& counter : counters)
        if (starts(counter)) start_with(counter, counter.start + more);
      add("starts", fmt::format("all=+{}", more));
      counters = before;
    }
  }

  const Topology& topology_;
  const ChangeListener& hear_;
  ChangedProgram changed_;
  std::map<std::string, std::size_t> tried_;  ///< by kind
  bool enough_ = false;
};

}  // namespace

std::vector<Suggestion> suggest(const Topology& topology, const Program& program,
                                const std::vector<Routes>& flows, const CheckOptions& options) {
  std::vector<Suggestion> result;
  std::set<std::string> done;  // what helps; not by how much
  each_change(topology, program, flows, [&](const ChangedProgram& changed) {
    const std::string what = changed.change.substr(0, changed.change.rfind('='));
    if (done.contains(what)) return false;
    try {
      const BoundProgram bound = bind_program(topology, changed.program, changed.flows);
      const Answer answer = judge_program(topology, bound, options).answer();
      if (!excludes_deadlock(answer)) return false;
      result.push_back({.change = changed.change, .answer = answer});
      done.insert(what);
    } catch (const InputError&) {
      return false;  // no program any more
    }
    return result.size() == most_suggested;
  });
  return result;
}

void each_change(const Topology& topology, const Program& program, const std::vector<Routes>& flows,
                 const ChangeListener& hear) {
  const ProgramChanges changes(topology, program, flows, hear);
}

}  // namespace wormcast
