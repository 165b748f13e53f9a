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

/// Links of the host that send nothing take what is queued; true if anything is still being sent.
bool AllocatingEngine::grant_sources(std::uint32_t host) {
  bool sends = false;
  const std::uint32_t first = links_.first_injection(HostId{host});
  const std::uint32_t base = links_.first_injection(HostId{0});
  for (std::uint32_t link = first; link < first + links_.injections(); ++link) {
    Source& source = sources_[link - base];
    if (source.branch == kNone && !queues_[host].empty()) {
      const Started started = queues_[host].front();
      queues_[host].pop_front();
      TransitWorm& worm = worms_[started.worm];
      const Cycle waited = now_ - started.ready;
      ledger_.queued(worm.multicast, waited);
      worm.queued += waited;
      ledger_.totals().last_cycle = now_;
      source.branch = take_branch(started.worm);
      source.from = now_ + worm.startup;
      if (worm.startup > 0) calendar_.schedule(source.from, {Event::Kind::tick, 0});
    }
    if (source.branch == kNone) continue;
    if (source.from <= now_ && feed(link)) more_ = true;
    sends = sends || source.branch != kNone;
  }
  return sends || !queues_[host].empty();
}

void AllocatingEngine::feed_sources() {
  std::erase_if(feeding_, [this](std::uint32_t host) {
    if (grant_sources(host)) return false;
    host_listed_[host] = false;
    return true;
  });
}

/// The link's worm takes a virtual channel, if there is one.
bool AllocatingEngine::choose_source_vc(std::uint32_t number) {
  Link& link = links_.link(number);
  const std::uint32_t vcs = links_.vcs();
  for (std::uint32_t i = 0; i < vcs; ++i) {
    const std::uint32_t vc = (link.next_worm_vc + i) % vcs;
    const std::uint32_t link_vc = LinkTable::vc_number(number, vc);
    if (!is_free(link_vc) || crossbars_.at(crossbars_.place(number, vc)).credits == 0) continue;
    link.next_worm_vc = (vc + 1) % vcs;
    const std::uint32_t slot = sources_[number - links_.first_injection(HostId{0})].branch;
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

/// The next flit of the link's worm goes into the FIFO, if it can.
bool AllocatingEngine::feed(std::uint32_t number) {
  Source& source = sources_[number - links_.first_injection(HostId{0})];
  const std::uint32_t slot = source.branch;
  if (branches_[slot].link_vc == kNone && !choose_source_vc(number)) return false;
  const std::uint32_t link_vc = branches_[slot].link_vc;
  std::uint32_t& credits = crossbars_.at(crossbars_.place(link_vc)).credits;
  if (credits == 0) return false;
  ++event_count_;
  --credits;
  const bool tail = ++branches_[slot].sent == branches_[slot].flits;
  if (tail) branches_[slot].tail_sent = now_;
  const std::uint32_t child = branches_[slot].child;
  if (topology_->hosts_have_links()) {
    flits_.add(now_, links_.link(number).hop_cycles, child);
  } else {
    flit_arrived(child);
  }
  if (!tail) return true;
  source.branch = kNone;
  branches_[slot].visit = kNone;
  if (model().reuses_early()) free_vc(link_vc, now_ + 1);
  return true;
}

}  // namespace wormcast
