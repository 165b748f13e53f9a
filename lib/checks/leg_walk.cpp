// The second reading of legs: the rules of data/pages/simulator.md, applied to one leg, one stop, one split
// at a time. Cost: all legs to their ends, N² · length. cite: derived here.
// SPDX-License-Identifier: MIT
#include "checks/leg_walk.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "checks/plain_worm.hpp"
#include "multicast/expansion/expand.hpp"
#include "router/router_rules.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {

namespace {

class LegWalk final : public LegSink {
 public:
  LegWalk(const RoutingFunction& routing, const RouterModel& model, std::uint64_t flits,
          const LegVisitor& visitor, std::uint32_t vc_offset, Detail detail)
      : routing_(routing),
        topology_(routing.topology()),
        model_(model),
        flits_(flits),
        vc_offset_(vc_offset),
        detail_(detail),
        discipline_(model.discipline()),
        routers_copy_(discipline_.routers_copy()),
        jointly_(discipline_.queues_jointly),
        branches_wait_(!discipline_.grants_ways &&
                       (routers_copy_ ? branches_hold_up(model, flits) : !model.cut_through)),
        answers_(model.answered()),
        resources_(topology_, model),
        expander_(routing),
        visitor_(visitor) {}

  Detail detail() const override { return detail_; }

  void leg(const Leg& leg) override {
    ++result_.legs;
    const NodeId target = topology_.router_of(leg.to);
    NodeId at = topology_.router_of(leg.from);
    RoutingState state = routing_.first(at, target, leg.vc_class);
    std::vector<Vc> vcs;
    while (at != target || !routing_.arrived(state)) {
      const RoutingStep step = vcs.empty() && leg.first_port
                                   ? routing_.forced(at, *leg.first_port, state, target)
                                   : routing_.next(at, state, target);
      vcs.emplace_back(step.channel, step.vc + vc_offset_);
      at = step.to;
      state = step.state;
    }
    if (vcs.empty()) {
      several_beside_ = several_beside_ || leg.arrives.has_value();
      leave_host(leg.from, resources_.consumption(leg.to, std::nullopt, 0));
      return;
    }
    leave_host(leg.from, network(vcs.front()));
    for (std::size_t i = 1; i < vcs.size(); ++i) hold_and_wait(network(vcs[i - 1]), network(vcs[i]));
    hold_and_wait(network(vcs.back()), consumption(leg.to, vcs.back()));
    if (leg.arrives) last_[{leg.to, *leg.arrives}].insert(vcs.back());
    if (leg.goes_on) first_[{leg.from, *leg.goes_on}].insert(vcs.front());
  }

  void part_of(const Worm& worm) override {
    ++result_.legs;
    const Routes routes = expander_.expand(plan_of_one(worm));
    const PlainWorm whole(topology_, model_, routes.worms.front(), flits_);
    std::vector<std::vector<ResourceId>> at;
    for (std::size_t p = 0; p < whole.positions(); ++p) at.push_back(whole.resources(p));
    for (std::size_t wanted = 0; wanted < whole.positions(); ++wanted) {
      for (const ResourceId resource : at[wanted]) take(resource);
      for (std::size_t held = 0; held < whole.positions(); ++held) {
        // A consumption channel that only its input asks for is held while others are waited for, not before.
        if (whole.can_hold_and_wait(held, wanted)) {
          const bool beside = !whole.is_path() && !whole.is_ancestor(held, wanted);
          for (const ResourceId from : at[held])
            for (const ResourceId to : at[wanted])
              if (fresh(from, to, beside)) beside ? wait_beside(from, to) : hold_and_wait(from, to);
        }
        if (held != wanted && whole.asked_for_together(held, wanted))
          visitor_.together(at[held].front(), at[wanted].front());
      }
    }
    for (std::size_t i = 1; i < at[0].size(); ++i) hold_and_wait(at[0][i - 1], at[0][i]);
    for (std::size_t first = 1; first < whole.positions() && answers_; ++first)
      if (whole.parent(first) == 0)
        result_.sent.emplace(topology_.router_of(worm.source), at[0].empty() ? at[first][0] : at[0][0]);
  }

  void start(HostId source, const Output& first) override {
    ++result_.legs;
    leave_host(source, resource(first));
  }

  void turn(const Output& before, const Output& next) override {
    ++result_.legs;
    hold_and_wait(resource(before), resource(next));
    if (before.host && routers_copy_ && branches_wait_)
      wait_beside(resource(next), resource(before));  // a flit takes the one branch before the other
    if (jointly_) after_[resource(before)].insert(resource(next));
  }

  void split(const Output& one, const Output& other, Copies replication = {}) override {
    if (!branches_wait_) return;
    const ResourceId a = resource(one), b = resource(other);
    const bool lock_step = in_lock_step(replication);
    if (!routers_copy_ && lock_step && jointly_) {
      const bool behind = model_.reuses_early();  // another worm, in a FIFO of one of the two
      if (behind && !other.host && !own_input(b)) hold_and_wait(a, b);
      if (behind && !one.host && !own_input(a)) hold_and_wait(b, a);
      if (!own_input(a) && !own_input(b)) visitor_.together(a, b);
      atomic_pairs_.emplace_back(a, b);
      return;
    }
    const bool full_buffers = flits_ <= topology_.least(LinkValue::buffer_flits, model_.buffer_flits);
    // One host and one channel, and nothing stated: a path, which takes the consumption channel first.
    const bool path = !is_stated(replication) && one.host.has_value() != other.host.has_value();
    if (!routers_copy_ && !lock_step && full_buffers) {
      if (path) hold_and_wait(one.host ? a : b, one.host ? b : a);
      return;
    }
    wait_beside(a, b);
    wait_beside(b, a);
  }

  /// What follows from several legs: stops, and branches that are granted together.
  WalkedLegs finish() {
    meet_at_stops();
    meet_at_routers();
    pass_atomic_branches();
    return std::move(result_);
  }

 private:
  using Place = std::pair<HostId, std::uint32_t>;  ///< where and as which kind legs meet
  using Vc = std::pair<ChannelId, std::uint32_t>;  ///< channel and virtual channel

  void take(ResourceId resource) {
    visitor_.take(resource);
    if (!answers_) return;
    const Resource what = resources_.describe(resource);
    if (what.kind == Resource::Kind::consumption)
      result_.consumed.emplace(
          what.by_input ? topology_.ends(what.channel)->to : topology_.router_of(what.host), resource);
  }

  /// Whether whole worms have not said that yet; true again and again on networks where that takes memory.
  bool fresh(ResourceId held, ResourceId wanted, bool beside) {
    constexpr std::uint32_t most = 1U << 14;
    if (std::max(held, wanted).value >= most) return true;
    auto& said = said_[beside ? 1 : 0];
    if (said.size() <= held.value) said.resize(std::size_t{held.value} + 1);
    std::vector<bool>& of_held = said[held.value];
    if (of_held.size() <= wanted.value) of_held.resize(std::size_t{wanted.value} + 1);
    const bool known = of_held[wanted.value];
    of_held[wanted.value] = true;
    return !known;
  }

  void hold_and_wait(ResourceId held, ResourceId wanted) {
    take(held);
    take(wanted);
    if (!discipline_.grants_ways) visitor_.wait(held, wanted);
  }

  /// An output beside the held one. That of its own input is an answer's, which waits for what its
  /// host asks for.
  void wait_beside(ResourceId held, ResourceId wanted) {
    if (consumes_at_once(model_, topology_) &&
        resources_.describe(wanted).kind == Resource::Kind::consumption)
      return;  // both have been taken where it was asked for them
    if (!own_input(wanted) || outgrows_buffers(model_, flits_) || discipline_.locks_arbiters)
      return hold_and_wait(held, wanted);
    if (answers_) result_.beside.emplace(topology_.ends(resources_.describe(wanted).channel)->to, held);
  }

  void leave_host(HostId source, ResourceId first) {
    take(first);
    ResourceId asked = first;
    if (resources_.injection_blocks()) asked = resources_.injection(source);
    if (topology_.hosts_have_links()) asked = resources_.host_link(source);
    if (answers_) result_.sent.emplace(topology_.router_of(source), asked);
    if (asked != first) hold_and_wait(asked, first);
  }

  ResourceId resource(const Output& output) const {
    if (output.at_source) return resources_.consumption(*output.host, std::nullopt, 0);
    const std::uint32_t vc = output.vc + vc_offset_;
    return output.host ? resources_.consumption(*output.host, output.channel, vc)
                       : resources_.network(output.channel, vc);
  }

  ResourceId network(const Vc& vc) const { return resources_.network(vc.first, vc.second); }
  ResourceId consumption(HostId host, const Vc& input) const {
    return resources_.consumption(host, input.first, input.second);
  }
  bool own_input(ResourceId id) const { return resources_.describe(id).by_input; }

  void meet_at_stops() {
    for (const auto& [place, arrivals] : last_) {
      const auto departures = first_.find(place);
      if (departures == first_.end()) continue;
      for (const Vc& last : arrivals)
        for (const Vc& next : departures->second) {
          const ResourceId wanted = network(next);
          hold_and_wait(network(last), wanted);
          const ResourceId here = consumption(place.first, last);
          if (branches_wait_) hold_and_wait(here, wanted);
          if (routers_copy_ && branches_wait_) wait_beside(wanted, here);
        }
    }
  }

  /// Worms that stop at two hosts of one router branch there, and then everywhere on their way.
  void meet_at_routers() {
    if (first_.empty() && !several_beside_) return;
    const HostsByRouter hosts(topology_);
    if (!hosts.shared()) return;
    for (std::uint32_t router = 0; router < topology_.routers(); ++router) {
      const auto here = hosts.at(NodeId{router});
      for (std::size_t i = 0; i < here.size(); ++i)
        for (std::size_t j = i + 1; j < here.size(); ++j)
          split(Output::beside_source(here[i]), Output::beside_source(here[j]));
    }
    for (const auto& [place, departures] : first_)
      for (const auto& [channel, vc] : departures)
        split(Output::beside_source(place.first), Output::through(channel, vc - vc_offset_));
  }

  /// Outputs that are granted together do not wait for each other, but while the header waits anywhere behind
  /// the one, it may hold everything behind the other.
  void pass_atomic_branches() {
    std::map<ResourceId, std::set<ResourceId>> known;
    const auto behind = [&](ResourceId branch) -> const std::set<ResourceId>& {
      const auto [found, fresh] = known.try_emplace(branch);
      std::vector<ResourceId> open{branch};
      while (fresh && !open.empty()) {
        const ResourceId at = open.back();
        open.pop_back();
        if (const auto next = after_.find(at); next != after_.end())
          for (const ResourceId r : next->second)
            if (found->second.insert(r).second) open.push_back(r);
      }
      return found->second;
    };
    for (const auto& [a, b] : atomic_pairs_)
      for (const auto& [branch, beside] : {std::pair(a, b), std::pair(b, a)})
        for (const ResourceId wanted : behind(beside)) {
          if (own_input(wanted)) continue;
          hold_and_wait(branch, wanted);
          for (const ResourceId held : behind(branch))
            if (held != wanted) hold_and_wait(held, wanted);
        }
  }

  const RoutingFunction& routing_;
  const Topology& topology_;
  const RouterModel& model_;
  std::uint64_t flits_;
  std::uint32_t vc_offset_;
  Detail detail_;
  const Discipline& discipline_;
  bool routers_copy_, jointly_;
  bool branches_wait_;  ///< one that is blocked may hold up the others
  bool answers_;
  Resources resources_;
  Expander expander_;
  const LegVisitor& visitor_;
  WalkedLegs result_;
  std::vector<std::vector<bool>> said_[2];  ///< by what is held and what is waited for
  bool several_beside_ = false;  ///< a worm may go on from one host of its source's router to another
  std::map<Place, std::set<Vc>> last_, first_;        ///< channels of legs that arrive, that go on
  std::map<ResourceId, std::set<ResourceId>> after_;  ///< by turns, for atomic nodes
  std::vector<std::pair<ResourceId, ResourceId>> atomic_pairs_;
};

}  // namespace

WalkedLegs walk_legs(const PlanningContext& context, void (*give)(const PlanningContext&, LegSink&),
                     const RouterModel& model, std::uint64_t flits, const LegVisitor& visitor,
                     std::uint32_t vc_offset, LegSink::Detail detail) {
  LegWalk walk(context.routing, model, flits, visitor, vc_offset, detail);
  give(context, walk);
  return walk.finish();
}

}  // namespace wormcast
