// The crossbar: one iteration of iSLIP a router and cycle, for flits.
//
// A flit at the front of its FIFO competes for each link that a branch of its worm has a virtual channel of,
// with a slot there, and that it has not been copied to yet. Of the virtual channels of one input that want
// the same link, the first counts, from the one behind that which sent last. Each link is offered to the
// first input that wants it, counted from its pointer; each input takes the first of its offers, counted from
// its own; both pointers move past what was matched. Offers that the same flit has got from other links are
// taken with it: it is copied into all of them at once. A flit leaves its FIFO when every branch has taken
// it, and not before. Cost: one look a cycle at each branch that has flits to send. cite: McKeown 1999
// (iSLIP); Jiang et al. 2013 (BookSim 2, iq router, sw_allocator = islip); copies flit by flit:
//       the router of FlooNoC (multicast in floo_router)
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "simulation/allocating/allocating_engine.hpp"

namespace wormcast {

bool AllocatingEngine::can_send(const Branch& branch) const {
  const Visit& visit = visits_[branch.visit];
  if (visit.arrived <= branch.sent || branch.sent != visit.left) return false;
  return !branch.credited || links_.vc(branch.link_vc).credits > 0;
}

namespace {

/// How far `number` is behind `pointer`, counted round `count` numbers.
constexpr std::uint32_t distance_round(std::uint32_t number, std::uint32_t pointer, std::uint32_t count) {
  return number >= pointer ? number - pointer : number + count - pointer;
}
constexpr std::uint32_t next_round(std::uint32_t number, std::uint32_t count) {
  return number + 1 == count ? 0 : number + 1;
}

}  // namespace

/// Every link is offered to the branch that comes first; true if any flit competes, now or once its virtual
/// channel has been granted long enough.
bool AllocatingEngine::offer_links(const Router& router, const RouterPorts& ports) {
  const std::uint32_t vcs = links_.vcs();
  bool soon = false;
  touched_.clear();
  for (const std::uint32_t slot : router.sending) {
    const Branch& branch = branches_[slot];
    if (!can_send(branch)) continue;
    soon = true;
    if (branch.granted + model().vc_allocation_cycles > now_) continue;
    const Link& from = links_.link(branch.link_input);
    Link& link = links_.link(branch.link);
    const std::uint64_t rank = std::uint64_t{distance_round(from.input, link.grant, ports.inputs)} * vcs +
                               distance_round(branch.input_vc, from.next_vc, vcs);
    if (link.granted_stamp == now_ && link.granted_rank <= rank) continue;
    if (link.granted_stamp != now_) touched_.push_back(branch.link);
    link.granted_stamp = now_;
    link.granted_branch = slot;
    link.granted_rank = rank;
  }
  return soon;
}

/// Every input takes the link that comes first, and what the same flit has been offered beside it; the
/// branches that send a flit.
void AllocatingEngine::accept_links(const RouterPorts& ports) {
  crossing_.clear();
  if (touched_.size() == 1) {  // nothing to choose
    Link& link = links_.link(touched_.front());
    const Branch& branch = branches_[link.granted_branch];
    Link& from = links_.link(branch.link_input);
    link.grant = next_round(from.input, ports.inputs);
    from.accept = next_round(link.output, ports.outputs);
    from.next_vc = next_round(branch.input_vc, links_.vcs());
    crossing_.push_back(link.granted_branch);
    return;
  }
  for (const std::uint32_t number : touched_) {
    const std::uint32_t slot = links_.link(number).granted_branch;
    Link& from = links_.link(branches_[slot].link_input);
    const std::uint32_t rank = distance_round(links_.link(number).output, from.accept, ports.outputs);
    if (from.accepted_stamp == now_ && from.accepted_rank <= rank) continue;
    from.accepted_stamp = now_;
    from.accepted_branch = slot;
    from.accepted_rank = rank;
  }
  for (const std::uint32_t number : touched_) {
    Link& link = links_.link(number);
    const std::uint32_t slot = link.granted_branch;
    const Link& from = links_.link(branches_[slot].link_input);
    if (branches_[from.accepted_branch].visit != branches_[slot].visit) continue;
    link.grant = next_round(from.input, ports.inputs);
    crossing_.push_back(slot);
  }
  for (const std::uint32_t slot : crossing_) {
    const Branch& branch = branches_[slot];
    Link& from = links_.link(branch.link_input);
    if (from.accepted_branch != slot) continue;
    from.accept = next_round(links_.link(branch.link).output, ports.outputs);
    from.next_vc = next_round(branch.input_vc, links_.vcs());
  }
}

/// True if any flit competes.
bool AllocatingEngine::cross_switch(std::uint32_t number) {
  Router& router = routers_[number];
  const RouterPorts ports = links_.ports(number);
  const bool soon = offer_links(router, ports);
  if (touched_.empty()) return soon;
  accept_links(ports);
  for (const std::uint32_t slot : crossing_)
    if (branches_[slot].sent + 1 == branches_[slot].flits) std::erase(router.sending, slot);
  for (const std::uint32_t slot : crossing_) send(slot);
  return true;
}

/// The branch's next flit crosses its link.
void AllocatingEngine::send(std::uint32_t slot) {
  ++event_count_;
  Branch& branch = branches_[slot];
  const bool tail = ++branch.sent == branch.flits;
  if (options_.window && options_.window->contains(now_)) ++branch.sent_in_window;
  if (branch.credited) --links_.vc(branch.link_vc).credits;
  if (branch.child != kNone)
    calendar_.schedule(now_ + links_.link(branch.link).hop_cycles, {Event::Kind::flit, branch.child});
  else if (branch.credited)
    calendar_.schedule(now_ + model().consumption_cycles, {Event::Kind::release, branch.link_vc});
  const std::uint32_t visit_slot = branch.visit;
  if (tail) tail_sent(slot);
  Visit& visit = visits_[visit_slot];
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next)
    left = std::min(left, branches_[at].sent);
  if (left == visit.left) return;
  visit.left = left;
  flit_taken(visit_slot);
}

void AllocatingEngine::tail_sent(std::uint32_t slot) {
  Branch& branch = branches_[slot];
  branch.tail_sent = now_;
  const bool early = model().vc_reuse == VcReuse::early;
  if (branch.child == kNone) {
    consumed(slot);
    let_go(branches_[slot].link_vc, now_ + model().consumption_held());
  } else if (early) {
    let_go(branch.link_vc, now_ + 1);
  }
}

/// From a flit's leaving the FIFO of the virtual channel until its sender can fill the slot again.
Cycle AllocatingEngine::credit_time(std::uint32_t link_vc) const {
  const bool beside = link_vc >= first_injection_vc_ && !topology_->hosts_have_links();
  return model().credit_cycles + (beside ? model().hop_cycles - 1 : 0);
}

/// A flit has left the FIFO.
void AllocatingEngine::flit_taken(std::uint32_t slot) {
  const Visit& visit = visits_[slot];
  calendar_.schedule(now_ + credit_time(visit.link_vc), {Event::Kind::release, visit.link_vc});
  if (visit.left == worms_[visit.worm].flits) end_visit(slot);
}

/// The worm's tail has left the FIFO.
void AllocatingEngine::end_visit(std::uint32_t slot) {
  const Visit visit = visits_[slot];
  LinkVc& vc = links_.vc(visit.link_vc);
  vc.first = visit.next;
  if (visit.next == kNone)
    vc.last = kNone;
  else if (visits_[visit.next].arrived > 0)
    header_at_front(visit.next, now_ + 1);
  for (std::uint32_t at = visit.branch; at != kNone;) {
    const std::uint32_t next = branches_[at].next;
    branches_[at].visit = kNone;
    if (branches_[at].link_vc == kNone) branches_.give_back(at);
    at = next;
  }
  if (model().vc_reuse == VcReuse::drained)
    let_go(visit.link_vc, std::max(now_ + credit_time(visit.link_vc), branches_[vc.holder].tail_sent + 1));
  visits_.give_back(slot);
  --worms_[visit.worm].open;
  retire_if_done(visit.worm);
}

/// The virtual channel can be granted to another worm from `free_from` on.
void AllocatingEngine::let_go(std::uint32_t link_vc, Cycle free_from) {
  LinkVc& vc = links_.vc(link_vc);
  const std::uint32_t slot = std::exchange(vc.holder, kNone);
  vc.free_from = free_from;
  Branch& branch = branches_[slot];
  const std::uint32_t worm_slot = branch.worm;
  TransitWorm& worm = worms_[worm_slot];
  Summary& totals = ledger_.totals();
  totals.last_cycle = std::max(totals.last_cycle, free_from);
  if (options_.observer != nullptr)
    options_.observer->held({worm.id, worm.index}, links_.resource(link_vc, resources_), branch.granted,
                            free_from);
  load(branch, free_from);
  branch.link_vc = kNone;
  if (branch.visit == kNone) branches_.give_back(slot);
  --worm.holds;
  const std::uint32_t sender = links_.link(links_.link_of(link_vc)).sender;
  if (free_from == now_ + 1) {
    more_ = true;
    if (sender != kNone) routers_[sender].asks = !routers_[sender].waiting.empty();
  } else if (sender != kNone) {
    calendar_.schedule(free_from, {Event::Kind::wake, sender});
  } else {
    calendar_.schedule(free_from, {Event::Kind::tick, 0});
  }
  retire_if_done(worm_slot);
}

void AllocatingEngine::retire_if_done(std::uint32_t slot) {
  TransitWorm& worm = worms_[slot];
  if (worm.holds > 0 || worm.open > 0 || !worm.under_way) return;
  worm.under_way = false;
  Summary& totals = ledger_.totals();
  totals.flit_hops += worm.flits * worm.channels;
  ++totals.finished_worms;
  --unfinished_worms_;
  worms_.give_back(slot);
}

/// The tail starts to move into the consumption link.
void AllocatingEngine::consumed(std::uint32_t slot) {
  const Branch& branch = branches_[slot];
  const HostId host{branch.target};
  const Visit& visit = visits_[branch.visit];
  Cycle arrival = now_;
  if (topology_->hosts_have_links()) arrival += links_.link(links_.link_of(branch.link_vc)).hop_cycles;
  TransitWorm& worm = worms_[branch.worm];
  const std::uint32_t chain = worm.base_depth + visit.depth;
  if (worm.routing != nullptr) {
    Plan& plan = ledger_.at(worm.multicast).delivery.plan;
    plan.longest_path_hops = std::max<std::uint64_t>(*plan.longest_path_hops, visit.depth);
    plan.longest_chain_hops = std::max<std::uint64_t>(*plan.longest_chain_hops, chain);
  }
  if (options_.observer != nullptr) options_.observer->arrived({worm.id, worm.index}, host, arrival);
  std::erase_if(worm.followers, [&](std::uint32_t follower) {
    if (worms_[follower].source != host) return false;
    worms_[follower].queued = worm.queued;
    worms_[follower].base_depth = chain;
    start_later(follower, arrival + 1);
    return true;
  });
  ready_.clear();
  ledger_.totals().last_cycle = std::max(ledger_.totals().last_cycle, arrival);
  ledger_.arrived(worm.multicast, {host, !branch.relay, arrival, worm.queued}, 1, ready_);
  for (const std::uint32_t multicast : ready_) start(multicast);
}

}  // namespace wormcast
