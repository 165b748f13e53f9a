// Checks of verdicts on routing relations.
//
//   safe      the numbering, against the second reading of the relation (relation_reading.cpp): all VCs
//             offered (proof acyclic) or one of them (escape) come after what can be held
//   deadlock  the witness: worms of the planner's own plans, hop by hop
//   all but safe: the dependency cycle is there
// Cost: that of the readings.
// SPDX-License-Identifier: MIT
#include "checks/relation_verdict_check.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "checks/relation_reading.hpp"
#include "checks/witness_runs.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

bool judged(const RouterModel& model) {
  return !model.cut_through && !model.discipline().grants_ways && !model.discipline().slots_differ();
}

std::string refuse_numbering_of(const Verdict& verdict, const RelationReading& reading) {
  const bool escape = verdict.proof() == escape_proof;
  if (!escape && verdict.proof() != acyclic_proof) return "proof: there is none";
  if (escape && verdict.model.reuses_early())
    return "proof: an escape proves nothing where buffers hold several worms";
  return reading.refuse_numbering(verdict.numbering(), !escape);
}

/// Flits that find room on the way of a worm.
std::uint64_t room_on_way(const Topology& topology, const RouterModel& model, const WormRoute& route) {
  return (route.channels() + (topology.hosts_have_links() ? 1 : 0)) *
         topology.most(LinkValue::buffer_flits, model.buffer_flits);
}

/// Of a witness by its hops, and run flit by flit.
std::string refuse_run(const Topology& topology, const RouterModel& model,
                       const std::vector<WitnessWorm>& witness, const std::vector<AllowedWorm>& allowed) {
  std::string fault = refuse_relation_witness(topology, model, witness, allowed);
  if (fault.empty() && !blocked_as_recorded(topology, model, witness))
    fault = "the witness does not stand still when it is run flit by flit";
  return fault;
}

std::string refuse_witness_of(const Topology& topology, const Verdict& verdict, const PlannedWorms& worms) {
  std::vector<AllowedWorm> allowed;
  for (const WitnessWorm& worm : verdict.witness()) {
    if (!worm.planned || !worm.says_hops)
      return "a worm of the witness does not say what its multicast and its hops are";
    const std::uint64_t flits = worm.route.flits(worm.length_flits, verdict.model.header_flits);
    const bool long_worms = verdict.flits.value_or(long_worm_flits) == long_worm_flits;
    if (!long_worms && flits > *verdict.flits)
      return "a worm of the witness is longer than " + std::to_string(*verdict.flits) + " flits";
    if (flits < std::min(*verdict.flits, room_on_way(topology, verdict.model, worm.route)))
      return "a worm of the witness is too short";
    allowed.push_back(worms.allowed(*worm.planned, worm.name.worm));
  }
  return refuse_run(topology, verdict.model, verdict.witness(), allowed);
}

/// As long as the stream says, or so long that its tail stays at its source in either case.
std::string refuse_length(const SegmentWorms& worms, const WitnessWorm& claim, const Topology& topology,
                          const RouterModel& model) {
  if (!claim.says_hops) return worm_name(claim.name) + " of the witness does not say its hops";
  const std::uint64_t full = room_on_way(topology, model, claim.route) + 1;
  for (const SegmentWorms::Item& item : worms.items())
    if (item.name == claim.name &&
        std::min(item.flits, full) !=
            std::min(claim.route.flits(claim.length_flits, model.header_flits), full))
      return worm_name(claim.name) + " is not " + std::to_string(claim.length_flits) + " flits long";
  return "";
}

// Standstills. Every worm goes by candidates alone, from its source to where it waits. It holds the last
// channels on its way, as many as its flits fill, and the consumption channels at stops between them. What
// two worms hold is disjoint, sources hold no more tails than they have injection channels, nodes no more
// worms than they have consumption channels, and everything offered to each worm where it waits is held by
// some of them. Later worms cross nothing that earlier ones hold: so they can come to stand one after the
// other. Cost: linear in the hops, quadratic in the worms. cite: derived here.

using Vc = std::pair<std::uint32_t, std::uint32_t>;  ///< channel, virtual channel

/// One worm's way by what it is allowed.
class Walk {
 public:
  Walk(const Topology& topology, const RouterModel& model, const WitnessWorm& claim,
       const AllowedWorm& allowed)
      : topology_(topology), model_(model), claim_(claim), allowed_(allowed), routing_(allowed.routing) {}

  std::string run() {
    if (!is_chain(allowed_.worm)) return "it branches";
    if (claim_.route.source != allowed_.worm.source) return "it starts somewhere else";
    if (claim_.waits.size() != 1 || claim_.waits[0] < 0 ||
        slot_after(claim_.waits[0]) > claim_.route.hops.size())
      return "it waits for no hop";
    waits_ = static_cast<std::size_t>(claim_.waits[0]);
    at_ = topology_.router_of(allowed_.worm.source);
    target_ = HostId{allowed_.worm.stops[0].node};
    state_ = routing_->first(at_, topology_.router_of(target_), allowed_.worm.vc_class);
    for (std::size_t i = 0; i <= waits_; ++i) {
      const std::string fault = step(i);
      if (!fault.empty()) return "hop " + std::to_string(i) + ": " + fault;
    }
    return check_held();
  }

  const std::vector<Vc>& way() const { return way_; }
  const std::vector<Vc>& held() const { return held_; }
  /// Of what it holds what no other worm can enter: with early reuse full buffers alone.
  std::span<const Vc> closed() const {
    const bool last_is_open = model_.reuses_early() && !tail_at_source_ && partly_;
    return std::span(held_).subspan(last_is_open ? 1 : 0);
  }
  const std::vector<Vc>& offered() const { return offered_; }
  bool tail_at_source() const { return tail_at_source_; }
  struct Stop {
    HostId host;
    std::int32_t hop = 0;
    std::size_t behind = 0;  ///< channels on the way there
    bool held = false;       ///< the tail has not come there
  };
  const std::vector<Stop>& stops() const { return stops_; }

 private:
  std::string step(std::size_t i) {
    const RouteHop& hop = claim_.route.hops[i];
    const bool there = at_ == topology_.router_of(target_);
    if (!hop.is_channel()) {
      if (!there || i >= waits_) return "it consumes where it does not stop";
      if (hop.vc != 0) return "no consumption channel has other virtual channels";
      stops_.push_back({HostId{hop.target}, static_cast<std::int32_t>(i), way_.size()});
      return stop(hop);
    }
    if (there) return "it goes on without having stopped";
    offer();
    if (i == waits_) {
      if (std::find(offered_.begin(), offered_.end(), Vc{hop.target, hop.vc}) != offered_.end()) return "";
      return "what it waits for is not offered";
    }
    for (std::size_t c = 0; c < offered_.size(); ++c) {
      if (offered_[c] != Vc{hop.target, hop.vc}) continue;
      way_.push_back(offered_[c]);
      way_hops_.push_back(static_cast<std::int32_t>(i));
      at_ = next_[c].to;
      state_ = next_[c].state;
      return "";
    }
    return "the router does not offer that";
  }

  std::string stop(const RouteHop& hop) {
    if (hop.target != target_.value) return "it stops at another node";
    if (++stop_ < allowed_.worm.stops.size()) {
      target_ = HostId{allowed_.worm.stops[stop_].node};
      return "";
    }
    if (!allowed_.reply_to || replies_) return "it has no further stop";
    replies_ = true;
    routing_ = allowed_.reply_routing;
    target_ = *allowed_.reply_to;
    if (topology_.router_of(target_) == at_) return "the reply goes nowhere";
    state_ = routing_->first(at_, topology_.router_of(target_), 0);
    return "";
  }

  void offer() {
    const std::uint32_t offset = replies_ ? allowed_.reply_vc_offset : allowed_.vc_offset;
    const std::optional<PortId> port = way_.empty() ? allowed_.worm.first_port : std::nullopt;
    offered_.clear();
    next_.clear();
    for (const RoutingCandidate& hop : wormcast::offered(*routing_, allowed_.routers_choose, at_, state_,
                                                         topology_.router_of(target_), port))
      for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc) {
        offered_.emplace_back(hop.channel.value, vc + offset);
        next_.push_back(hop);
      }
  }

  /// The last channels, as many as the flits fill, and the source while the tail is there.
  std::string check_held() {
    const std::uint64_t flits = claim_.route.flits(claim_.length_flits, model_.header_flits);
    const std::uint64_t full = (flits + model_.buffer_flits - 1) / model_.buffer_flits;
    tail_at_source_ = full > way_.size();
    partly_ = flits % model_.buffer_flits != 0;
    const std::size_t first = tail_at_source_ ? 0 : way_.size() - static_cast<std::size_t>(full);
    std::set<std::int32_t> said;
    for (const std::int32_t hop : claim_.holds) {
      if (hop >= claim_.waits[0] || hop < -1 || !said.insert(hop).second)
        return "it holds what it cannot hold";
    }
    if (said.contains(-1) != tail_at_source_) return "its tail is not where it says";
    for (std::size_t i = 0; i < way_.size(); ++i)
      if (said.contains(way_hops_[i]) != (i >= first)) return "it does not hold the last channels on its way";
    for (Stop& stop : stops_) {
      stop.held = tail_at_source_ || stop.behind > first;
      if (said.contains(stop.hop) != stop.held) return "it does not hold the stops between them";
    }
    held_.assign(way_.begin() + static_cast<std::ptrdiff_t>(first), way_.end());
    return held_.empty() ? "it holds nothing" : "";
  }

  const Topology& topology_;
  const RouterModel& model_;
  const WitnessWorm& claim_;
  const AllowedWorm& allowed_;
  const RoutingFunction* routing_;
  NodeId at_;
  HostId target_;
  RoutingState state_;
  std::size_t stop_ = 0;
  bool replies_ = false;
  std::size_t waits_ = 0;
  std::vector<Vc> offered_;
  std::vector<RoutingCandidate> next_;
  std::vector<Vc> way_, held_;
  std::vector<std::int32_t> way_hops_;
  std::vector<Stop> stops_;
  bool tail_at_source_ = false;
  bool partly_ = false;  ///< its tail stands in a buffer that it does not fill
};

}  // namespace

CheckedVerdict check_relation_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                      const Verdict& verdict) {
  if (!judged(verdict.model)) return refused("its routers are not judged where routers choose");
  const Topology& topology = planner.context().topology;
  const PlannedWorms worms(planner, unicast, verdict.relation);
  bool branches = false;
  std::vector<RelationTraffic> sorts = worms.sorts(branches);
  const bool choices_apart = worms.branches_beside_choices(verdict.model);
  if (branches && verdict.answer() == Answer::unknown && (verdict.cycle.empty() || !choices_apart))
    return undecided("there is no evidence that can be checked: its worms branch");
  if (choices_apart) {
    sorts[multicast_sort].legs.clear();
    if (std::any_of(verdict.witness().begin(), verdict.witness().end(),
                    [](const WitnessWorm& worm) { return !worm.planned || !worm.planned->unicast; }))
      return refused("a multicast is part of a witness of unicasts");
  } else if (branches && (verdict.answer() == Answer::safe || sorts[multicast_sort].legs.empty())) {
    return refused("its worms branch: nothing is known of them");
  }
  std::uint64_t legs = 0;
  for (const RelationTraffic& sort : sorts) legs += sort.legs.size();
  std::string fault = refuse_count("legs", verdict.worms, legs);
  const RelationReading reading{topology, verdict.model, std::move(sorts), verdict.relation.depends};
  if (fault.empty() && verdict.answer() == Answer::safe) fault = refuse_numbering_of(verdict, reading);
  if (fault.empty() && verdict.answer() == Answer::safe &&
      replies_queue_at_sources(topology, verdict.model, verdict.relation))
    fault =
        "replies may wait for what their sources have a limited number of, which the numbering leaves out";
  const bool endless = verdict.answer() == Answer::unknown && verdict.cycle.empty();
  if (fault.empty() && endless) return undecided("there is no evidence that could prove anything");
  if (fault.empty() && verdict.answer() != Answer::safe) fault = reading.refuse_cycle(verdict.cycle);
  if (fault.empty() && verdict.answer() == Answer::deadlock) {
    try {
      fault = refuse_witness_of(topology, verdict, worms);
    } catch (const InputError& error) {
      fault = error.what();
    }
  }
  if (fault.empty() && verdict.answer() != Answer::safe && verdict.answer() != Answer::deadlock &&
      verdict.answer() != Answer::unknown)
    fault = "a verdict on worms whose routers choose has no such answer";
  return refused_if(std::move(fault));
}

CheckedVerdict check_segment_verdict(const Topology& topology, const Verdict& verdict,
                                     const SegmentWorms& worms) {
  if (!judged(verdict.model)) return refused("its routers are not judged where routers choose");
  std::string fault = refuse_count("multicasts", verdict.multicasts, worms.multicasts());
  if (fault.empty()) fault = refuse_count("worms", verdict.worms, worms.items().size());
  if (fault.empty()) fault = refuse_planner(verdict, worms.planned_by());
  const RelationReading reading{topology, verdict.model, worms.sorts(), std::nullopt};
  if (fault.empty())
    fault = verdict.answer() == Answer::safe ? refuse_numbering_of(verdict, reading)
                                             : reading.refuse_cycle(verdict.cycle);
  std::vector<WitnessWorm> witness = verdict.witness();
  std::vector<AllowedWorm> allowed;
  try {
    for (WitnessWorm& claim : witness) {
      allowed.push_back(worms.allowed(claim.name));
      claim.route.source = allowed.back().worm.source;
      if (fault.empty()) fault = refuse_length(worms, claim, topology, verdict.model);
    }
    if (fault.empty() && verdict.answer() == Answer::deadlock)
      fault = refuse_run(topology, verdict.model, witness, allowed);
  } catch (const InputError& error) {
    fault = error.what();
  }
  if (!fault.empty()) return refused(std::move(fault));
  if (verdict.answer() == Answer::loop)
    return refused("a verdict on worms that routers route has no such answer");
  if (verdict.answer() == Answer::safe_unreachable)
    return undecided("the dependency cycle holds; that no deadlock is reachable has no certificate");
  return {};
}

std::string refuse_relation_witness(const Topology& topology, const RouterModel& model,
                                    const std::vector<WitnessWorm>& witness,
                                    const std::vector<AllowedWorm>& allowed) {
  if (witness.empty()) return "there is no witness";
  std::set<Vc> held, closed;
  std::map<HostId, std::uint32_t> tails, consumed;
  const std::uint32_t consumptions = topology.hosts_have_links() ? 1 : model.consumption_channels;
  std::set<WormRef> names;
  std::vector<Walk> walks;
  std::uint32_t most = model.injection_channels;
  if (topology.hosts_have_links()) most = 1;
  Cycle last = 0;
  for (std::size_t i = 0; i < witness.size(); ++i) {
    const std::string name = worm_name(witness[i].name);
    if (witness[i].start_cycle < last) return name + " starts before the one listed before it";
    last = witness[i].start_cycle;
    if (!names.insert(witness[i].name).second) return name + " is there twice";
    Walk& walk = walks.emplace_back(topology, model, witness[i], allowed[i]);
    if (const std::string fault = walk.run(); !fault.empty()) return name + ": " + fault;
    for (const Vc& vc : walk.way())
      if (held.contains(vc)) return name + " crosses a channel that is held";
    for (const Walk::Stop& stop : walk.stops())
      if (consumptions != 0 && consumed[stop.host] == consumptions)
        return fmt::format("{} stops at node {}, whose consumption channel is held", name, stop.host.value);
    for (const Walk::Stop& stop : walk.stops()) consumed[stop.host] += stop.held ? 1 : 0;
    for (const Vc& vc : walk.held())
      if (!held.insert(vc).second) return name + " holds a channel that another holds";
    closed.insert(walk.closed().begin(), walk.closed().end());
    std::uint32_t& beside = tails[witness[i].route.source];
    if (most != 0 && beside == most) return name + " needs an injection channel that is taken";
    beside += walk.tail_at_source() ? 1 : 0;
  }
  for (std::size_t i = 0; i < walks.size(); ++i)
    for (const Vc& vc : walks[i].offered())
      if (!closed.contains(vc))
        return fmt::format("{} is offered channel {}, virtual channel {}, which no worm keeps from it",
                           worm_name(witness[i].name), vc.first, vc.second);
  return "";
}

}  // namespace wormcast
