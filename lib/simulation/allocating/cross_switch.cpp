// Switch allocation: one iteration of iSLIP a router and cycle, for flits.
//
// A flit at the front of its FIFO competes for each link that a branch of its worm has a virtual channel of,
// with a slot there, and that it has not been copied to yet. Of the virtual channels of one input that want
// the same link, the first counts, from the one behind that which sent last. Each link is offered to the
// first input that wants it, counted from its pointer; each input takes the first of its offers, counted from
// its own; both pointers move past what was matched. Offers that the same flit has got from other links are
// taken with it: it is copied into all of them at once. A flit leaves its FIFO when every branch has taken
// it, and not before. Cost: one look a cycle at each flit that competes. cite: McKeown 1999 (iSLIP); Jiang et
// al. 2013 (BookSim 2, iq router, sw_allocator = islip); copies flit by flit: the router of FlooNoC
// (multicast in floo_router)
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "simulation/allocating/allocating_engine.hpp"

namespace wormcast {

/// A flit is in the FIFO.
void AllocatingEngine::flit_arrived(std::uint32_t slot) {
  Visit& visit = visits_[slot];
  if (++visit.arrived == 1) {
    if (links_.vc(visit.link_vc).first == slot) header_at_front(slot, now_);
    return;
  }
  if (visit.place != kNone) {
    ++crossbars_.at(visit.place).available;
    crossbars_.compete(visit.place);
    return;
  }
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next) {
    const std::uint32_t place = branches_[at].place;
    if (place != kNone && sent(branches_[at]) == visit.left && crossbars_.at(place).available++ == 0)
      crossbars_.compete(place);
  }
}

/// The request's next flit crosses its link.
void AllocatingEngine::send(std::uint32_t place) {
  SwitchRequest& request = crossbars_.at(place);
  const bool tail = --request.to_go == 0;
  request.in_window += in_window_ ? 1 : 0;
  request.credits -= request.credited;
  if (request.credited != 0) {  // else nothing waits for it
    DelayLine& line = request.consumed != 0 ? credits_ : flits_;
    line.add(now_, request.ahead_cycles, request.ahead);
  }
  if (request.alone == 0) {
    request.available = 0;
    crossbars_.rest(place);
    return copied(request.branch);
  }
  --request.available;
  crossbars_.rest(place);
  if (request.keeps == 0) credits_.add(now_, request.credit_cycles, request.feeder);
  if (tail) last_sent(request.branch);
}

/// True if any flit competes in the next cycle, too.
bool AllocatingEngine::cross_switches() {
  const auto granted_before = [&](std::uint32_t a, std::uint32_t b) {
    if (branches_[a].granted != branches_[b].granted) return branches_[a].granted < branches_[b].granted;
    std::uint32_t first = visits_[branches_[a].visit].branch;
    while (first != a && first != b) first = branches_[first].next;
    return first == a;
  };
  crossbars_.match(granted_before, [&](std::uint32_t place) {
    ++event_count_;
    send(place);
  });
  return crossbars_.any();
}

/// The tail of a worm with no other branch there has left its FIFO, or is read again for the next copy.
[[gnu::noinline]] void AllocatingEngine::last_sent(std::uint32_t slot) {
  const std::uint32_t visit = branches_[slot].visit;
  const bool keeps = crossbars_.at(branches_[slot].place).keeps != 0;
  tail_sent(slot);
  if (keeps)
    calendar_.schedule(now_ + 1, {Event::Kind::header, visit});
  else
    end_visit(visit);
}

/// Flits that the branch has sent.
std::uint64_t AllocatingEngine::sent(const Branch& branch) const {
  return branch.place == kNone ? branch.sent : branch.flits - crossbars_.at(branch.place).to_go;
}

/// One of several branches has sent a flit: perhaps all have, and it leaves its FIFO.
[[gnu::noinline]] void AllocatingEngine::copied(std::uint32_t slot) {
  const std::uint32_t visit_slot = branches_[slot].visit;
  Visit& visit = visits_[visit_slot];
  const std::uint64_t flits = branches_[slot].flits;
  if (sent(branches_[slot]) == flits) tail_sent(slot);
  std::uint64_t left = flits;
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next)
    left = std::min(left, sent(branches_[at]));
  if (left == visit.left) return;
  visit.left = left;
  credits_.add(now_, credit_time(visit.link_vc), crossbars_.place(visit.link_vc));
  if (left == flits) return end_visit(visit_slot);
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next) {
    const std::uint32_t place = branches_[at].place;
    if (place == kNone || sent(branches_[at]) != left) continue;
    crossbars_.at(place).available = static_cast<std::uint32_t>(visit.arrived - left);
    crossbars_.compete(place);
  }
}

void AllocatingEngine::tail_sent(std::uint32_t slot) {
  Branch& branch = branches_[slot];
  branch.sent = branch.flits;
  branch.sent_in_window = crossbars_.at(branch.place).in_window;
  branch.place = kNone;
  branch.tail_sent = now_;
  if (branch.child == kNone) {
    consumed(slot);
    free_vc(branches_[slot].link_vc, now_ + model().consumption_held(model().flit_cycles));
  } else if (model().reuses_early()) {
    free_vc(branch.link_vc, now_ + 1);
  }
}

/// From a flit's leaving the FIFO of the virtual channel until its sender can fill the slot again.
Cycle AllocatingEngine::credit_time(std::uint32_t link_vc) const {
  return links_.link(links_.link_of(link_vc)).credit_cycles;
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
  if (!model().reuses_early())
    free_vc(visit.link_vc, std::max(now_ + credit_time(visit.link_vc), branches_[vc.holder].tail_sent + 1));
  visits_.give_back(slot);
  --worms_[visit.worm].open;
  retire_if_done(visit.worm);
}

/// The virtual channel can be granted to another worm from `free_from` on.
void AllocatingEngine::free_vc(std::uint32_t link_vc, Cycle free_from) {
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
    if (sender != kNone) ask_again(sender);
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
    start(follower, arrival + 1);
    return true;
  });
  ledger_.totals().last_cycle = std::max(ledger_.totals().last_cycle, arrival);
  arrived(worm.multicast, {host, !branch.relay, arrival, worm.queued});
}

}  // namespace wormcast
