// VC allocation: one iteration of iSLIP a router and cycle.
//
// Headers at the front of their FIFOs ask for every free virtual channel that they may take, or for the
// preferred ones. Each free virtual channel is offered to the first input virtual channel that asks, counted
// from its pointer; each header takes the first of its offers, counted from the pointer of its input virtual
// channel. Both pointers move past what was matched. So every request that can be granted is granted in the
// end: one that is passed over stands nearer to the pointer in the next cycle. Each branch asks by itself.
//
// What waits asks again only when something that it may take has become free, or has been offered to another:
// a blocked header costs nothing. Cost: the free virtual channels among those that are asked for. cite:
// McKeown 1999 (iSLIP); Jiang et al. 2013 (BookSim 2, iq router, vc_allocator = islip)
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "simulation/allocating/allocating_engine.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

/// A FIFO's new first worm, whose header is there from `cycle` on, asks for what follows.
void AllocatingEngine::header_at_front(std::uint32_t visit, Cycle cycle) {
  const Cycle due = cycle + model().routing_cycles;
  if (due > now_)
    calendar_.schedule(due, {Event::Kind::header, visit});
  else
    ask(visit);
}

std::uint32_t AllocatingEngine::add_visit(std::uint32_t worm, std::uint32_t link_vc, std::uint32_t from) {
  const std::uint32_t slot = visits_.take();
  Visit& visit = visits_[slot];
  visit = Visit{};
  visit.worm = worm;
  visit.link_vc = link_vc;
  visit.from = from;
  visit.router = links_.link(links_.link_of(link_vc)).receiver;
  LinkVc& vc = links_.vc(link_vc);
  if (vc.last == kNone) {
    vc.first = slot;
  } else {
    visits_[vc.last].next = slot;
    suspects_.push_back(worm);  // it stands behind a tail that may never leave
  }
  vc.last = slot;
  ++worms_[worm].open;
  worms_[worm].headers.push_back(slot);
  return slot;
}

void AllocatingEngine::ask(std::uint32_t slot) {
  ++event_count_;
  TransitWorm& worm = worms_[visits_[slot].worm];
  std::erase(worm.headers, slot);
  if (worm.routing == nullptr)
    ask_as_routed(slot);
  else
    ask_on_the_way(slot);
  ask_again(visits_[slot].router);
}

std::uint32_t AllocatingEngine::take_branch(std::uint32_t worm) {
  const std::uint32_t slot = branches_.take();
  Branch& branch = branches_[slot];
  std::vector<OutputCandidate> ways = std::move(branch.ways);  // whose memory is used again
  ways.clear();
  branch = Branch{.flits = worms_[worm].flits, .worm = worm, .ways = std::move(ways)};
  return slot;
}

/// A further branch of the visit behind `last`, or its first.
std::uint32_t AllocatingEngine::add_branch(std::uint32_t visit, std::uint32_t& last) {
  const std::uint32_t slot = take_branch(visits_[visit].worm);
  Branch& branch = branches_[slot];
  branch.visit = visit;
  branch.since = now_;
  branch.link_input = links_.link_of(visits_[visit].link_vc);
  branch.input_vc = LinkTable::vc_of(visits_[visit].link_vc);
  (last == kNone ? visits_[visit].branch : branches_[last].next) = slot;
  last = slot;
  routers_[visits_[visit].router].waiting.push_back(slot);
  worms_[branch.worm].asks.push_back(slot);
  return slot;
}

/// By any virtual channel of the links that lead to the host.
void AllocatingEngine::consume_by(std::uint32_t slot, HostId host, bool relay) {
  Branch& branch = branches_[slot];
  branch.target = host.value;
  branch.relay = relay;
  const auto [begin, end] = links_.consumption(host, branch.link_input);
  for (std::uint32_t link = begin; link < end; ++link) branch.ways.push_back({link, 0, links_.vcs(), 0, {}});
}

void AllocatingEngine::ask_as_routed(std::uint32_t slot) {
  const std::uint32_t worm_slot = visits_[slot].worm;
  std::uint32_t last = kNone;
  std::uint32_t child = worms_[worm_slot].first_child[slot_after(visits_[slot].hop)];
  if (const std::uint32_t before = visits_[slot].branch; before != kNone) {  // one copy after the other
    child = worms_[worm_slot].next_copy(branches_[before].hop);
    branches_.give_back(before);
  }
  for (; child != kNone; child = together_ ? kNone : worms_[worm_slot].next_sibling[child]) {
    const std::uint32_t added = add_branch(slot, last);
    const TransitWorm& worm = worms_[worm_slot];
    const RouteHop& hop = worm.hops[child];
    Branch& branch = branches_[added];
    branch.hop = static_cast<std::int32_t>(child);
    if (hop.not_before_cycle > now_) {
      branch.since = hop.not_before_cycle;
      calendar_.schedule(branch.since, {Event::Kind::wake, visits_[slot].router});
    }
    if (hop.is_channel())
      branch.ways.push_back({hop.target, worm.ranges[child].first, worm.ranges[child].second, 0, {}});
    else
      consume_by(added, HostId{hop.target}, hop.kind == RouteHop::Kind::relay);
  }
}

/// Of the candidates the one for which flits in the FIFOs at its channel's end, times hops, are fewest.
void AllocatingEngine::keep_least_queued() {
  const auto queued = [&](const RoutingCandidate& way) {
    std::uint64_t flits = 0;
    for (std::uint32_t vc = 0; vc < links_.vcs(); ++vc)
      flits += links_.link(way.channel.value).buffer_flits -
               crossbars_.credits(crossbars_.place(way.channel.value, vc));
    return flits * way.hops;
  };
  const auto least = std::min_element(
      candidates_.begin(), candidates_.end(),
      [&](const RoutingCandidate& a, const RoutingCandidate& b) { return queued(a) < queued(b); });
  candidates_.assign(1, RoutingCandidate(*least));
}

/// Consumption at the stops that are here, and the routing function's candidates towards the next one.
void AllocatingEngine::ask_on_the_way(std::uint32_t slot) {
  const std::uint32_t worm_slot = visits_[slot].worm;
  const NodeId at{visits_[slot].router};
  std::uint32_t last = kNone;
  std::uint32_t stop = visits_[slot].stop;
  const auto router_of = [&](const Stop& next) {
    return next.action == StopAction::branch ? NodeId{next.node} : topology_->router_of(HostId{next.node});
  };
  for (; stop < worms_[worm_slot].stops.size(); ++stop) {
    const Stop here = worms_[worm_slot].stops[stop];
    if (router_of(here) != at) break;
    if (here.action == StopAction::branch) continue;
    consume_by(add_branch(slot, last), HostId{here.node}, here.action == StopAction::relay);
  }
  if (stop == worms_[worm_slot].stops.size()) return;
  const std::uint32_t added = add_branch(slot, last);
  const TransitWorm& worm = worms_[worm_slot];
  const NodeId to = router_of(worm.stops[stop]);
  Visit& visit = visits_[slot];
  if (visit.hop < 0 && visit.depth == 0) visit.state = worm.routing->first(at, to, worm.vc_class);
  if (visit.depth == 0 && worm.first_port)
    worm.routing->forced_candidates(at, *worm.first_port, visit.state, to, candidates_);
  else
    worm.routing->candidates(at, visit.state, to, candidates_);
  if (candidates_.empty())
    refuse("routing", "it leads nowhere from router {} to router {}", at.value, to.value);
  if (worm.routing->queues_decide(visit.state)) keep_least_queued();
  Branch& branch = branches_[added];
  branch.stop = stop;
  for (const RoutingCandidate& way : candidates_)
    branch.ways.push_back({way.channel.value, way.vc_begin, way.vc_end, way.preference, way.state});
}

/// Calls ask(number, virtual channel) for each free virtual channel that the branch asks for.
template <class Ask>
void AllocatingEngine::each_asked(const Branch& branch, Ask ask) const {
  // The ways that are asked for: where one is preferred those of `least` and `most`.
  std::uint32_t least = kNone;
  std::uint64_t most = 0;
  const auto slots_free = [&](const OutputCandidate& way) {
    std::uint64_t slots = 0;  // and one for each virtual channel, so that 0 says that none is free
    for (std::uint32_t vc = way.vc_begin; vc < way.vc_end; ++vc) {
      const std::uint32_t number = LinkTable::vc_number(way.link, vc);
      if (is_free(number)) slots += std::uint64_t{crossbars_.credits(crossbars_.place(way.link, vc))} + 1;
    }
    return slots;
  };
  const bool chooses = model().vc_selection == VcSelection::preferred && branch.ways.size() > 1;
  if (chooses)
    for (const OutputCandidate& way : branch.ways) {
      const std::uint64_t slots = slots_free(way);
      if (slots == 0 || way.preference > least) continue;
      if (way.preference < least) most = 0;
      least = way.preference;
      most = std::max(most, slots);
    }
  for (const OutputCandidate& way : branch.ways) {
    if (chooses && (way.preference != least || slots_free(way) != most)) continue;
    const LinkVc* vc = &links_.vc(LinkTable::vc_number(way.link, way.vc_begin));
    for (std::uint32_t chosen = way.vc_begin; chosen < way.vc_end; ++chosen, ++vc)
      if (is_free(*vc)) ask(LinkTable::vc_number(way.link, chosen), *vc);
  }
}

/// Puts the branch forward where it is nearer to the pointer of a free virtual channel than all before it;
/// true if any is free.
bool AllocatingEngine::request_vcs(std::uint32_t slot) {
  const Branch& branch = branches_[slot];
  const std::uint32_t input = links_.link(branch.link_input).input * links_.vcs() + branch.input_vc;
  bool any_free = false;
  each_asked(branch, [&](std::uint32_t number, const LinkVc&) {
    any_free = true;
    LinkVc& vc = links_.vc(number);
    const std::uint32_t rank = input - vc.grant;  // what lies before the pointer wraps round
    if (vc.granted_stamp == now_ && vc.granted_rank <= rank) return;
    if (vc.granted_stamp != now_) touched_.push_back(number);
    vc.granted_stamp = now_;
    vc.granted_branch = slot;
    vc.granted_rank = rank;
  });
  return any_free;
}

/// A branch that waits by itself, as most do, has the first of all that it asks for.
void AllocatingEngine::allocate_alone(Router& router) {
  const std::uint32_t slot = router.waiting.front();
  const Branch& branch = branches_[slot];
  router.asks = false;
  if (branch.since > now_) return;
  const std::uint32_t pointer = links_.vc(visits_[branch.visit].link_vc).accept;
  std::uint32_t accepted = kNone, least = kNone;
  each_asked(branch, [&](std::uint32_t number, const LinkVc& vc) {
    const std::uint32_t rank = vc.output - pointer;  // what lies before the pointer wraps round
    if (accepted != kNone && least <= rank) return;
    accepted = number;
    least = rank;
  });
  if (accepted == kNone) return suspect(slot);
  router.waiting.clear();
  grant_vc(slot, accepted);
}

void AllocatingEngine::allocate_vcs(std::uint32_t router_number) {
  Router& router = routers_[router_number];
  if (router.waiting.size() == 1) return allocate_alone(router);
  router.asks = false;
  touched_.clear();
  for (const std::uint32_t slot : router.waiting) {
    if (branches_[slot].since > now_) continue;
    if (request_vcs(slot)) {
      branches_[slot].blocked = false;
      router.asks = true;  // what is passed over asks again
    } else {
      suspect(slot);
    }
  }
  if (touched_.empty()) return;
  for (const std::uint32_t number : touched_) {
    Branch& branch = branches_[links_.vc(number).granted_branch];
    const std::uint32_t rank = links_.vc(number).output - links_.vc(visits_[branch.visit].link_vc).accept;
    if (branch.accepted != kNone && branch.accept_rank <= rank) continue;
    branch.accepted = number;
    branch.accept_rank = rank;
  }
  std::erase_if(router.waiting, [this](std::uint32_t slot) {
    const std::uint32_t number = branches_[slot].accepted;
    if (number != kNone) grant_vc(slot, number);
    return number != kNone;
  });
  if (router.waiting.empty()) router.asks = false;
  for (const std::uint32_t slot : router.waiting)  // their VCs may be taken by now
    if (!branches_[slot].blocked && branches_[slot].since <= now_ && finds_nothing(branches_[slot]))
      suspect(slot);
}

/// The branch has found nothing free: it may be in a deadlock.
void AllocatingEngine::suspect(std::uint32_t slot) {
  if (std::exchange(branches_[slot].blocked, true)) return;
  suspects_.push_back(branches_[slot].worm);
}

bool AllocatingEngine::finds_nothing(const Branch& branch) const {
  return std::none_of(branch.ways.begin(), branch.ways.end(), [&](const OutputCandidate& way) {
    for (std::uint32_t vc = way.vc_begin; vc < way.vc_end; ++vc)
      if (links_.vc(LinkTable::vc_number(way.link, vc)).holder == kNone) return true;
    return false;
  });
}

/// It has been granted a virtual channel, as every other copy that is made of the worm beside its source.
bool AllocatingEngine::is_last_copy_at_source(const Branch& branch) const {
  const TransitWorm& worm = worms_[branch.worm];
  if (visits_[branch.visit].depth > 0) return false;
  if (together_ && branch.hop >= 0 && worm.next_copy(branch.hop) != kNone) return false;
  return std::none_of(worm.asks.begin(), worm.asks.end(),
                      [&](std::uint32_t other) { return branches_[other].visit == branch.visit; });
}

void AllocatingEngine::grant_vc(std::uint32_t slot, std::uint32_t number) {
  Branch& branch = branches_[slot];
  const std::uint32_t vcs = links_.vcs();
  const std::uint32_t link_number = links_.link_of(number);
  const Link& link = links_.link(link_number);
  const Link& from = links_.link(branch.link_input);
  const std::uint32_t outputs = links_.ports(link.sender).outputs * vcs;
  const std::uint32_t inputs = links_.ports(link.sender).inputs * vcs;
  LinkVc& input_vc = links_.vc(visits_[branch.visit].link_vc);
  LinkVc& vc = links_.vc(number);
  if (!together_) {
    vc.grant = next_round(from.input * vcs + branch.input_vc, inputs);
    input_vc.accept = next_round(vc.output, outputs);
  }
  vc.holder = slot;
  branch.link_vc = number;
  branch.granted = now_;
  branch.accepted = kNone;
  TransitWorm& worm = worms_[branch.worm];
  ++worm.holds;
  std::erase(worm.asks, slot);
  if (worm.at_source && is_last_copy_at_source(branch)) {
    worm.at_source = false;
    ledger_.left_source(worm.multicast, now_);
  }
  if (const Cycle waited = now_ - branch.since; waited > 0) {
    ledger_.blocked(worm.multicast, waited);
    if (options_.channel_loads && link.kind == LinkKind::channel)
      count_load({link_number, LinkTable::vc_of(number), {worm.id, worm.index}}, branch.since, now_,
                 &ChannelLoad::blocked_cycles);
  }
  ledger_.totals().last_cycle = now_;
  if (link.kind == LinkKind::channel) enter_next(slot, number);
  start_sending(slot, link_number);
}

/// The worm has a FIFO further on.
void AllocatingEngine::enter_next(std::uint32_t slot, std::uint32_t number) {
  Branch& branch = branches_[slot];
  TransitWorm& worm = worms_[branch.worm];
  ++worm.channels;
  if (worm.routing != nullptr) {
    Delivery& delivery = ledger_.at(worm.multicast).delivery;
    ++*delivery.plan.traffic_channels;
    if (delivery.events) add_channel_taken(*delivery.events, worm.flits);
  }
  const auto taken = std::find_if(branch.ways.begin(), branch.ways.end(), [&](const OutputCandidate& way) {
    const std::uint32_t chosen = LinkTable::vc_of(number);
    return way.link == LinkTable::link_of(number) && chosen >= way.vc_begin && chosen < way.vc_end;
  });
  const std::uint32_t child = add_visit(branch.worm, number, slot);
  branch.child = child;
  Visit& visit = visits_[child];
  visit.hop = branch.hop;
  visit.stop = branch.stop;
  visit.depth = visits_[branch.visit].depth + 1;
  visit.state = taken->state;
}

/// The branch, which has just been granted a virtual channel of the link, is a request.
void AllocatingEngine::start_sending(std::uint32_t slot, std::uint32_t link_number) {
  Branch& branch = branches_[slot];
  Visit& visit = visits_[branch.visit];
  const Link& link = links_.link(link_number);
  branch.place = crossbars_.place(link_number, LinkTable::vc_of(branch.link_vc));
  SwitchRequest& request = crossbars_.at(branch.place);
  RequestExtra& extra = crossbars_.extra(branch.place);
  request.to_go = branch.flits;
  extra.branch = slot;
  request.input_number = links_.link(branch.link_input).input;
  request.input = crossbars_.input(visit.router, request.input_number);
  request.feeder = crossbars_.place(branch.link_input, branch.input_vc);
  request.ahead_cycles = branch.child == kNone ? model().consumption_cycles : link.hop_cycles;
  request.port = crossbars_.port(link_number);
  request.input_vc = static_cast<std::uint8_t>(branch.input_vc);
  request.next_vc = static_cast<std::uint8_t>(next_round(branch.input_vc, links_.vcs()));
  request.delayed = branch.child != kNone      ? Delayed::flit
                    : request.ahead_cycles > 0 ? Delayed::slot
                                               : Delayed::nothing;
  request.alone = visit.branch == slot && branch.next == kNone && !together_ ? 1 : 0;
  extra.in_window = in_window_ ? branch.flits : 0;
  extra.available = 0;
  extra.early = model().vc_allocation_cycles > 0 && !together_;
  extra.keeps = together_ && worms_[branch.worm].next_copy(branch.hop) != kNone;
  if (extra.early)
    calendar_.schedule(now_ + model().vc_allocation_cycles, {Event::Kind::request, branch.link_vc});
  else
    crossbars_.begin(branch.place);
}

}  // namespace wormcast
