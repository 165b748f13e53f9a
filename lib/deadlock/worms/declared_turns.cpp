// Whether the turns that a planner declares are all that routers choose among: a search.
//
// The search looks at every place to which headers can come. A place is a router, a routing state, the
// channel by which the header came, and its destination. From a source every candidate and every port that a
// plan may force is followed; at a destination the worm may go on to any other. Each hop must be a start or a
// turn that the planner says, and behind a stop also one that it says of the consumption there. Then any
// dependency between channels that these worms can have is one of the planner's, and an order of channels in
// which its turns lead upwards is one for every choice: number the virtual channels of a channel alike, and
// all waits lead up. Cost: places times ports, up to most_cover_places. cite: this project; Dally, Seitz
// 1987.
// SPDX-License-Identifier: MIT
#include "deadlock/worms/declared_turns.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "multicast/around_faults.hpp"
#include "multicast/legs.hpp"
#include "topology/error.hpp"
#include "topology/topology.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_cover_places = 2'000'000;
constexpr std::uint32_t from_nowhere = 0xffffffff;

class DeclaredTurns final : public LegSink {
 public:
  void leg(const Leg&) override { others = true; }
  void part_of(const Worm&) override { others = true; }
  void start(HostId source, const Output& first) override {
    if (!first.host) starts.emplace(source.value, first.channel.value);
  }
  void turn(const Output& before, const Output& next) override {
    if (next.host && !before.host) deliveries.emplace(next.host->value, before.channel.value);
    if (next.host) return;
    if (before.vc != 0 || next.vc != 0) others = true;
    if (before.host)
      behind_stops.emplace(before.host->value, before.channel.value, next.channel.value);
    else
      turns.emplace(before.channel.value, next.channel.value);
  }
  void split(const Output&, const Output&, Copies) override {}

  bool others = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> starts, turns, deliveries;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> behind_stops;
};

class CoverSearch {
 public:
  CoverSearch(const DeclaredTurns& declared, const RoutingFunction& routing, bool stops)
      : declared_(declared),
        routing_(routing),
        topology_(routing.topology()),
        hosts_(topology_.host_ids()),
        stops_(stops) {}

  bool run() {
    for (const HostId from : hosts_)
      for (const HostId to : hosts_)
        if (!start(from, to)) return false;
    while (!open_.empty()) {
      const Header header = open_.back();
      open_.pop_back();
      if (seen_.size() > most_cover_places || !follow(header)) return false;
    }
    return true;
  }

 private:
  struct Header {
    std::uint32_t at = 0, state = 0, came = from_nowhere, to = 0;  ///< to: a host
    friend auto operator<=>(const Header&, const Header&) = default;
  };

  NodeId router(std::uint32_t host) const { return topology_.router_of(HostId{host}); }

  void visit(const RoutingCandidate& hop, std::uint32_t to) {
    const Header next{hop.to.value, hop.state.bits, hop.channel.value, to};
    if (seen_.insert(next).second) open_.push_back(next);
  }

  bool start(HostId from, HostId to) {
    const NodeId at = topology_.router_of(from), target = topology_.router_of(to);
    if (at == target) return true;
    const RoutingState state = routing_.first(at, target, 0);
    std::vector<RoutingCandidate> all, forced;
    routing_.candidates(at, state, target, all);
    for (std::uint32_t port = 0; stops_ && port < topology_.ports(); ++port) {
      try {
        routing_.forced_candidates(at, PortId{port}, state, target, forced);
      } catch (const InputError&) {
        continue;  // no link, or none that is of use
      }
      all.insert(all.end(), forced.begin(), forced.end());
    }
    for (const RoutingCandidate& hop : all) {
      if (!declared_.starts.contains({from.value, hop.channel.value})) return false;
      visit(hop, to.value);
    }
    return true;
  }

  bool follow(const Header& header) {
    if (router(header.to).value != header.at) return take(header, header.to, false);
    if (!declared_.deliveries.contains({header.to, header.came})) return false;
    return !stops_ || std::all_of(hosts_.begin(), hosts_.end(), [&](HostId to) {
      return router(to.value).value == header.at || take(header, to.value, true);
    });
  }

  bool take(const Header& header, std::uint32_t to, bool behind_stop) {
    std::vector<RoutingCandidate> all;
    routing_.candidates(NodeId{header.at}, RoutingState{header.state}, router(to), all);
    for (const RoutingCandidate& hop : all) {
      if (!declared_.turns.contains({header.came, hop.channel.value})) return false;
      if (behind_stop && !declared_.behind_stops.contains({header.to, header.came, hop.channel.value}))
        return false;
      visit(hop, to);
    }
    return true;
  }

  const DeclaredTurns& declared_;
  const RoutingFunction& routing_;
  const Topology& topology_;
  std::vector<HostId> hosts_;
  bool stops_;  ///< worms may have several
  std::set<Header> seen_;
  std::vector<Header> open_;
};

}  // namespace

bool turns_cover_choices(const BoundPlanner& planner, const RoutingFunction* unicast) {
  const RoutingFunction& routing = planner.context().routing;
  if (!routing.adaptive() || routing.draws() || planner.planner().legs == nullptr) return false;
  DeclaredTurns declared;
  legs_of_planner(planner.context(), declared);
  if (declared.others || declared.starts.empty() || !CoverSearch(declared, routing, true).run()) return false;
  if (unicast == nullptr) return true;
  if (unicast->adaptive()) return !unicast->draws() && CoverSearch(declared, *unicast, false).run();
  return unicast->virtual_channels() == 1 && routing.virtual_channels() == 1;
}

}  // namespace wormcast
