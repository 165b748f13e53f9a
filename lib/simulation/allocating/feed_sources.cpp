// Hosts of allocating routers: worms queue in the order in which they are ready, each injection link sends
// one after the other, a flit a cycle, into one of the virtual channels of its FIFOs at the router.
//
// A worm takes the first virtual channel, round robin after the one taken last, that is free and has a slot.
// A host sits beside its router, so a flit is there in the cycle in which it is sent; a slot that a flit has
// left can be filled again after the credit's way and that of a flit without the crossbar, C + H − 1. Hosts
// with links of their own are as far away as those say. Cost: one look at each sending link a cycle. cite:
// Jiang et al. 2013 (BookSim 2, traffic manager)
// SPDX-License-Identifier: MIT
#include <tuple>
#include <utility>

#include "simulation/allocating/allocating_engine.hpp"

namespace wormcast {

/// Queues at its host are in the order (ready, id, index).
void AllocatingEngine::queue_at_source(std::uint32_t slot) {
  const TransitWorm& worm = worms_[slot];
  const std::uint32_t host = worm.source.value;
  std::deque<Started>& queue = queues_[host];
  const auto key = [&](std::uint32_t at, Cycle ready) {
    return std::tuple(ready, worms_[at].id, worms_[at].index);
  };
  auto place = queue.end();
  while (place != queue.begin() && key(slot, now_) < key(std::prev(place)->worm, std::prev(place)->ready))
    --place;
  queue.insert(place, {now_, slot});
  if (host_listed_[host]) return;
  host_listed_[host] = true;
  feeding_.push_back(host);
}

/// A link of the host that sends nothing takes the first worm that is queued there.
void AllocatingEngine::take_queued(std::uint32_t host, Source& source) {
  const Started started = queues_[host].front();
  queues_[host].pop_front();
  TransitWorm& worm = worms_[started.worm];
  const Cycle waited = now_ - started.ready;
  ledger_.queued(worm.multicast, waited);
  worm.queued += waited;
  ledger_.totals().last_cycle = now_;
  source = {.branch = take_branch(started.worm), .to_go = worm.flits, .from = now_ + worm.startup};
  if (worm.startup > 0) calendar_.schedule(source.from, {Event::Kind::tick, 0});
}

/// The next flit of the link's worm goes into the FIFO, if it can.
inline void AllocatingEngine::feed(std::uint32_t number, Source& source) {
  if (crossbars_.credits(source.place) == 0) return;
  more_ = true;
  ++event_count_;
  crossbars_.take_credit(source.place);
  if (hosts_have_links_)
    flits_.add(now_, links_.link(number).hop_cycles, source.place);
  else
    flit_arrived(source.place);
  if (--source.to_go > 0) return;
  source.place = kNone;
  Branch& branch = branches_[std::exchange(source.branch, kNone)];
  branch.sent = branch.flits;
  branch.tail_sent = now_;
  branch.visit = kNone;
  if (model().reuses_early()) free_vc(branch.link_vc, now_ + 1);
}

void AllocatingEngine::feed_sources() {
  const std::uint32_t units = links_.injections(), first = links_.first_injection(HostId{0});
  std::erase_if(feeding_, [&](std::uint32_t host) {
    bool sends = false;
    for (std::uint32_t unit = host * units; unit < (host + 1) * units; ++unit) {
      Source& source = sources_[unit];
      if (source.branch == kNone && !queues_[host].empty()) take_queued(host, source);
      if (source.branch == kNone) continue;
      if (source.from <= now_ && (source.place != kNone || choose_source_vc(first + unit, source)))
        feed(first + unit, source);
      sends = sends || source.branch != kNone;
    }
    host_listed_[host] = sends || !queues_[host].empty();
    return !host_listed_[host];
  });
}

/// The link's worm takes a virtual channel, if there is one.
bool AllocatingEngine::choose_source_vc(std::uint32_t number, Source& source) {
  Link& link = links_.link(number);
  const std::uint32_t vcs = links_.vcs();
  for (std::uint32_t i = 0; i < vcs; ++i) {
    const std::uint32_t vc = (link.next_worm_vc + i) % vcs;
    const std::uint32_t link_vc = LinkTable::vc_number(number, vc);
    if (!is_free(link_vc) || crossbars_.credits(crossbars_.place(number, vc)) == 0) continue;
    link.next_worm_vc = (vc + 1) % vcs;
    source.place = crossbars_.place(link_vc);
    const std::uint32_t slot = source.branch;
    Branch& branch = branches_[slot];
    branch.link_vc = link_vc;
    branch.granted = now_;
    links_.vc(link_vc).holder = slot;
    ++worms_[branch.worm].holds;
    branch.child = add_visit(branch.worm, link_vc, slot);
    return true;
  }
  return false;
}

}  // namespace wormcast
