// Changes of a program one by one: two sends, or a send and a receive, in the other order; two loops joined,
// so that their steps take turns; a flow on a virtual channel, or by channels, that no other flow takes; more
// of a counter that starts with some (windows, credits). Each is judged as any program is, so what is
// suggested is proved. Cost: a verdict a change.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/program_suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "deadlock/programs/program_verdict.hpp"
#include "router/worm_route.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_tried = 200, most_suggested = 5;
constexpr std::uint64_t more_of_counters[] = {1, 2, 3, 4, 8, 16};

class ProgramChanges {
 public:
  ProgramChanges(const Topology& topology, const Program& program, const std::vector<Routes>& flows)
      : topology_(topology), program_(program), flows_(flows) {
    program_.run.clear();
    for (ProgramProcess& process : program_.processes) change_steps(process.steps, process.name + ":steps");
    for (Routes& flow : flows_)
      if (flow.worms.size() == 1) change_flow(flow);
    for (ProgramCounter& counter : program_.counters) change_counter(counter);
  }
  std::vector<ChangedProgram> take() { return std::move(all_); }

 private:
  void add(std::string change) { all_.push_back({std::move(change), program_, flows_}); }

  void change_steps(std::vector<ProgramStep>& steps, const std::string& place) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      change_steps(steps[i].steps, indexed(place, i) + ".steps");
      if (i + 1 == steps.size()) break;
      ProgramStep &one = steps[i], &next = steps[i + 1];
      const auto is_message = [](const ProgramStep& step) { return step.send || step.receive; };
      if (is_message(one) && is_message(next) && (one.send || next.send) && one.send != next.send) {
        std::swap(one, next);
        add("swap:" + indexed(place, i));
        std::swap(one, next);
      }
      if (!one.repeat || one.repeat != next.repeat) continue;
      const std::vector<ProgramStep> before = steps;
      one.steps.insert(one.steps.end(), next.steps.begin(), next.steps.end());
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      add("join-loops:" + indexed(place, i));
      steps = before;
    }
  }

  void change_flow(Routes& flow) {
    const Routes before = flow;
    std::uint32_t vcs = 0;
    std::set<std::uint32_t> taken;  // channels, by other flows
    for (const Routes& other : flows_)
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
      add(fmt::format("virtual-channel:{}", flow.plan.request.id));
      flow = before;
    }
    if (!go_round(flow.worms.front(), taken)) return;
    add(fmt::format("route:{}", flow.plan.request.id));
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

  void change_counter(ProgramCounter& counter) {
    const ProgramCounter before = counter;
    for (const std::uint64_t more : more_of_counters) {
      if (before.start > 0) {
        counter.start = before.start + more;
        if (counter.limit) counter.limit = std::max(*counter.limit, counter.start);
        add(fmt::format("start:{}={}", counter.name, counter.start));
        counter = before;
      }
      if (!before.limit) continue;
      counter.limit = *before.limit + more;
      add(fmt::format("limit:{}={}", counter.name, *counter.limit));
      counter = before;
    }
  }

  const Topology& topology_;
  Program program_;
  std::vector<Routes> flows_;
  std::vector<ChangedProgram> all_;
};

}  // namespace

std::vector<ChangedProgram> changes_of_program(const Topology& topology, const Program& program,
                                               const std::vector<Routes>& flows) {
  return ProgramChanges(topology, program, flows).take();
}

std::vector<Suggestion> suggest(const Topology& topology, const Program& program,
                                const std::vector<Routes>& flows, const CheckOptions& options) {
  std::vector<Suggestion> result;
  std::set<std::string> done;  // counters
  std::size_t tried = 0;
  for (const ChangedProgram& changed : changes_of_program(topology, program, flows)) {
    const std::string counter = changed.change.substr(0, changed.change.find('='));
    if (done.contains(counter)) continue;
    if (++tried > most_tried || result.size() == most_suggested) break;
    try {
      const BoundProgram bound = bind_program(topology, changed.program, changed.flows);
      const Answer answer = judge_program(topology, bound, options).answer();
      if (!excludes_deadlock(answer)) continue;
      result.push_back({.change = changed.change, .answer = answer});
      done.insert(counter);
    } catch (const InputError&) {
      continue;  // no program any more
    }
  }
  return result;
}

}  // namespace wormcast
