// Switch allocation: one iteration of iSLIP a router and cycle, for flits.
//
// A flit at the front of its FIFO competes for each link that a branch of its worm has a virtual channel of,
// with a slot there, and that it has not been copied to yet. Of the virtual channels of one input that want
// the same link, the first counts, from the one behind that which sent last. Each link is offered to the
// first input that wants it, counted from its pointer; each input takes the first of its offers, counted from
// its own; both pointers move past what was matched. Offers that the same flit has got from other links are
// taken with it: it is copied into all of them at once. A flit leaves its FIFO when every branch has taken
// it, and not before. Cost: a look at each flit that crosses, and each cycle at those that contend. cite:
// McKeown 1999 (iSLIP); Jiang et al. 2013 (BookSim 2, iq router, sw_allocator = islip); copies flit by flit:
// the router of FlooNoC (multicast in floo_router)
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "simulation/allocating/allocating_engine.hpp"

namespace wormcast {

/// A header, or a flit that is to be copied.
[[gnu::noinline]] void AllocatingEngine::flit_waits(std::uint32_t place) {
  const std::uint32_t slot = links_.vc(crossbars_.vc_number(place)).first;
  Visit& visit = visits_[slot];
  if (visit.arrived == 0) {
    visit.arrived = 1;
    crossbars_.begin_worm(place, true);
    return header_at_front(slot, now_);
  }
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next) {
    const std::uint32_t output = branches_[at].place;
    if (output == kNone || (!together_ && sent(branches_[at]) != visit.left)) continue;
    RequestExtra& extra = crossbars_.extra(output);
    if (extra.available == crossbars_.at(output).to_go) continue;  // it is another worm's
    ++extra.available;
    if (!extra.early) crossbars_.fill(output);
  }
}

/// True if any flit competes in the next cycle, too.
bool AllocatingEngine::cross_switches() {
  const auto granted_before = [&](std::uint32_t a, std::uint32_t b) {
    if (branches_[a].granted != branches_[b].granted) return branches_[a].granted < branches_[b].granted;
    std::uint32_t first = visits_[branches_[a].visit].branch;
    while (first != a && first != b) first = branches_[first].next;
    return first == a;
  };
  const Crossed crossed = crossbars_.match(now_, flits_, credits_, granted_before);
  event_count_ += crossed.flits;
  for (const std::uint32_t place : crossed.told) {
    if (crossbars_.at(place).alone == 0)
      copied(place);
    else
      last_sent(crossbars_.extra(place).branch);
  }
  return crossbars_.any();
}

/// The tail of a worm with no other branch there has left its FIFO, or is read again for the next copy.
[[gnu::noinline]] void AllocatingEngine::last_sent(std::uint32_t slot) {
  const std::uint32_t visit = branches_[slot].visit;
  const bool keeps = crossbars_.extra(branches_[slot].place).keeps;
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

/// A request has sent a flit of which there are other copies, or by the clock of routers that copy serially.
[[gnu::noinline]] void AllocatingEngine::copied(std::uint32_t place) {
  SwitchRequest& request = crossbars_.at(place);
  RequestExtra& extra = crossbars_.extra(place);
  --request.to_go;
  const std::uint32_t slot = extra.branch;
  const std::uint32_t visit_slot = branches_[slot].visit;
  Visit& visit = visits_[visit_slot];
  const std::uint32_t feeder = request.feeder;
  if (together_) {
    if (--extra.available == 0) crossbars_.rest(place);
    if (!extra.keeps) {
      crossbars_.take_flit(feeder);
      credits_.add(now_, credit_time(visit.link_vc), feeder);
    }
    if (request.to_go == 0) last_sent(slot);
    return;
  }
  extra.available = 0;
  crossbars_.rest(place);
  const std::uint64_t flits = branches_[slot].flits;
  if (request.to_go == 0) tail_sent(slot);
  std::uint64_t left = flits;
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next)
    left = std::min(left, sent(branches_[at]));
  if (left == visit.left) return;
  visit.left = left;
  crossbars_.take_flit(feeder);
  credits_.add(now_, credit_time(visit.link_vc), feeder);
  if (left == flits) return end_visit(visit_slot);
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next) {
    const std::uint32_t output = branches_[at].place;
    if (output == kNone || sent(branches_[at]) != left) continue;
    RequestExtra& other = crossbars_.extra(output);
    other.available =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(crossbars_.held(feeder), flits - left));
    if (other.available > 0 && !other.early) crossbars_.fill(output);
  }
}

void AllocatingEngine::tail_sent(std::uint32_t slot) {
  Branch& branch = branches_[slot];
  branch.sent = branch.flits;
  branch.sent_in_window = crossbars_.extra(branch.place).in_window;
  crossbars_.end(branch.place);
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
  const std::uint32_t place = crossbars_.place(visit.link_vc);
  const bool header = crossbars_.held(place) > 0;
  crossbars_.begin_worm(place, header);
  if (visit.next == kNone) vc.last = kNone;
  if (header) {
    visits_[visit.next].arrived = 1;
    header_at_front(visit.next, now_ + 1);
  }
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
