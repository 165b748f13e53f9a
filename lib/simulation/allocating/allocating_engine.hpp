// The engine of allocating routers: routers that choose virtual channels, and where routing leaves them a
// choice channels, with iSLIP; every flit competes for the crossbar by itself, and is copied by itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"
#include "simulation/allocating/crossbars.hpp"
#include "simulation/engine.hpp"
#include "simulation/engines/stream_engine.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "simulation/queues/calendar.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// A link that a branch may take, and which of its virtual channels.
struct OutputCandidate {
  std::uint32_t link = 0;
  std::uint32_t vc_begin = 0;
  std::uint32_t vc_end = 1;  ///< one past the last
  std::uint32_t preference = 0;
  RoutingState state{};  ///< on arrival
};

/// One copy of a worm in a FIFO, or at a source: the link that it leaves by. While it sends from a FIFO
/// its request in the crossbar counts the flits.
struct alignas(64) Branch {
  std::uint64_t sent = 0;   ///< flits, from a source or once all are
  std::uint64_t flits = 0;  ///< of its worm
  Cycle granted = 0;
  std::uint32_t visit = kNone;    ///< what it copies; none at a source
  std::uint32_t link_vc = kNone;  ///< once it has been granted one
  std::uint32_t place = kNone;    ///< of its request, until its tail is sent
  std::uint32_t child = kNone;    ///< the visit at its end; none where it is consumed
  std::uint32_t next = kNone;     ///< the next branch of the visit
  bool relay = false;             ///< consumed by a host that only sends on
  bool blocked = false;           ///< it has found nothing free, and the search for deadlocks has seen it
  // Less often.
  std::uint32_t link_input = 0;  ///< the link that its flits came by, and on which of its
  std::uint32_t input_vc = 0;    ///< virtual channels
  std::uint64_t sent_in_window = 0;
  Cycle since = 0;  ///< it asks from then on
  Cycle tail_sent = 0;
  std::uint32_t worm = kNone;      ///< slot
  std::uint32_t target = kNone;    ///< host, where it is consumed
  std::int32_t hop = -1;           ///< in the worm's route, where that has hops
  std::uint32_t stop = 0;          ///< of a worm routed on the way: the next one behind it
  std::uint32_t accept_rank = 0;   ///< scratch of the allocation (allocated together: the place where the
                                   ///< flit behind the header needs a credit)
  std::uint32_t accepted = kNone;  ///< scratch: the virtual channel that it takes
  std::vector<OutputCandidate> ways;
};

/// A worm in one FIFO: from the grant of the virtual channel that leads there until its tail has left.
struct alignas(64) Visit {
  std::uint64_t arrived = 0;  ///< flits; 1 while nobody needs to know how many
  std::uint64_t left = 0;     ///< flits that every branch has taken; of a single branch none is counted
  std::uint32_t worm = kNone;
  std::uint32_t link_vc = 0;
  std::uint32_t next = kNone;    ///< behind it in the FIFO
  std::uint32_t branch = kNone;  ///< the first of its branches, once its header is at the front
  std::uint32_t from = kNone;    ///< the branch that feeds it
  std::uint32_t router = 0;
  std::int32_t hop = -1;    ///< the hop that led here; −1 the source
  std::uint32_t stop = 0;   ///< of a worm routed on the way: the next one
  std::uint32_t depth = 0;  ///< channels between routers from the source
  RoutingState state{};
};

/// A worm from its start until it holds nothing.
struct TransitWorm {
  std::uint64_t id = 0;         ///< of its multicast
  std::uint32_t index = 0;      ///< in the plan
  std::uint32_t multicast = 0;  ///< slot in the ledger
  std::uint64_t flits = 0;
  HostId source;
  Cycle startup = 0;
  Cycle queued = 0;              ///< waited for injection links: it, and those it came after
  std::uint32_t base_depth = 0;  ///< channels that came before its source, along `after`
  std::uint32_t channels = 0;    ///< between routers, granted so far
  std::uint32_t holds = 0;       ///< virtual channels granted and not free again
  std::uint32_t open = 0;        ///< visits, and branches at the source
  bool at_source = false;        ///< it is after no other, and not every copy has left its source
  bool under_way = false;
  std::vector<std::uint32_t> asks;           ///< branches without a virtual channel
  std::vector<std::uint32_t> headers;        ///< visits whose header has not come to ask yet
  const RoutingFunction* routing = nullptr;  ///< routed on the way; nullptr: it has hops
  std::vector<Stop> stops;                   ///< of a chain, routed on the way
  std::optional<PortId> first_port;
  std::uint32_t vc_class = 0;
  std::vector<RouteHop> hops;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  ///< virtual channels of each hop
  std::vector<std::uint32_t> first_child;   ///< by slot_after(hop): the first hop that follows
  std::vector<std::uint32_t> next_sibling;  ///< by hop
  std::vector<std::uint32_t> followers;     ///< worms `after` this one that have not started
  std::uint32_t next_copy(std::int32_t hop) const { return next_sibling[static_cast<std::size_t>(hop)]; }
};

/// Looks at an engine's state, changes none of it.
class AllocationDeadlockSearch {
 public:
  AllocationDeadlockSearch(const LinkTable& links, const SlotPool<TransitWorm>& worms,
                           const SlotPool<Visit>& visits, const SlotPool<Branch>& branches,
                           const RouterModel& model);

  /// False only where none of these worms is part of a deadlock, or comes to stand behind one.
  bool may_exist(const std::vector<std::uint32_t>& suspects, Cycle now);
  /// The deadlock that exists after the moves of `now`, if there is one. `all`: nothing moves any more, and a
  /// worm waits for itself whose buffer is full of what further copies have yet to be read from.
  std::optional<Deadlock> find(Cycle now, const Resources& ids, bool all);

 private:
  std::size_t waits_of(const TransitWorm& worm) const;
  bool is_behind(std::uint32_t visit) const;
  template <class Visit>
  void each_way(const Branch& branch, Visit visit) const;
  void collect(Cycle now, bool all);
  std::uint64_t room(std::uint32_t visit) const;
  std::uint64_t will_leave(std::uint32_t visit);
  void drain();
  bool becomes_free(std::uint32_t link_vc) const;
  bool is_stuck_behind(std::uint32_t visit) const;
  Deadlock report(Cycle now, const Resources& ids, bool all) const;

  const LinkTable& links_;
  const SlotPool<TransitWorm>& worms_;
  const SlotPool<Visit>& visits_;
  const SlotPool<Branch>& branches_;
  bool early_;
  std::vector<std::uint64_t> seen_;  ///< by worm: the epoch that saw it
  std::uint64_t epoch_ = 0;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> dead_;     ///< requests
  std::vector<bool> is_dead_;           ///< by branch
  std::vector<std::uint32_t> order_;    ///< visits, from the furthest from its source to the nearest
  std::vector<std::uint64_t> left_;     ///< by visit: flits that will ever have left
  std::vector<std::uint64_t> crossed_;  ///< by branch: flits that will ever have crossed
};

/// In each cycle:
/// 1. flits and credits arrive, and what was held back so long is free again;
/// 2. worms that start queue at their hosts, and hosts feed their injection links: a flit a link and cycle;
/// 3. of every router the headers at the front of their FIFOs ask for virtual channels (allocate_vcs.cpp);
/// 4. of every router the flits that have a virtual channel with a slot compete for the crossbar
///    (cross_switch.cpp).
/// What a cycle grants depends on what was there at its start alone, so routers can be taken in any order.
class AllocatingEngine final : public StreamEngine {
 public:
  AllocatingEngine(const Topology& topology, const SimulationOptions& options);

  std::string_view name() const override { return "allocating"; }

 private:
  /// What of a router's work can go on.
  struct Router {
    std::vector<std::uint32_t> waiting;  ///< branches that ask for a virtual channel
    bool asks = false;                   ///< what waits may find something in this cycle
    bool listed = false;                 ///< in busy_
  };
  /// A host's injection link with the worm that it is sending.
  struct Source {
    std::uint32_t branch = kNone;
    std::uint32_t place = kNone;  ///< of the virtual channel that it has
    std::uint64_t to_go = 0;      ///< flits
    Cycle from = 0;               ///< its startup is over
  };
  /// The virtual channel served last at a link, in both of its parts.
  struct Turn {
    std::uint32_t vc = 0;        ///< as an input: its virtual channel
    std::uint32_t rank = 0;      ///< as an input: its number in the order of arbiters
    std::uint32_t served = 0;    ///< as an output: the rank of the input
    std::uint32_t best = kNone;  ///< the branch that comes first in this cycle
  };
  struct Started {
    Cycle ready = 0;
    std::uint32_t worm = 0;
  };

  // Streams (allocating_stream.cpp).
  void size_links(const Routes& routes);
  const RoutingFunction* routing_of(const std::string& name);
  RouteNeeds prepare(Routes& routes) override;
  std::uint32_t add_worm(const Routes& routes, std::uint32_t index, const MulticastState& state) override;
  void follow(std::uint32_t before, std::uint32_t worm) override { worms_[before].followers.push_back(worm); }
  void start(std::uint32_t worm, Cycle cycle) override;
  void run_before(Cycle limit) override;
  void step(Cycle cycle);
  void take_event(Event event);
  void load(const Branch& branch, Cycle until);
  void settle();
  void settle_rest() override;
  void end_stream() override;

  // Hosts (feed_sources.cpp).
  void queue_at_source(std::uint32_t worm);
  void feed_sources();
  void take_queued(std::uint32_t host, Source& source);
  bool choose_source_vc(std::uint32_t link, Source& source);
  void feed(std::uint32_t link, Source& source);

  // Headers and virtual channels (allocate_vcs.cpp).
  void header_at_front(std::uint32_t visit, Cycle cycle);
  void ask(std::uint32_t visit);
  void ask_as_routed(std::uint32_t visit);
  void ask_on_the_way(std::uint32_t visit);
  void keep_least_queued();
  std::uint32_t take_branch(std::uint32_t worm);
  std::uint32_t add_branch(std::uint32_t visit, std::uint32_t& last);
  void consume_by(std::uint32_t branch, HostId host, bool relay);
  void allocate_vcs(std::uint32_t router);
  void allocate_alone(Router& router);
  bool request_vcs(std::uint32_t branch);
  template <class Ask>
  void each_asked(const Branch& branch, Ask ask) const;
  bool is_free(const LinkVc& vc) const { return vc.holder == kNone && vc.free_from <= now_; }
  bool is_free(std::uint32_t link_vc) const { return is_free(links_.vc(link_vc)); }
  void suspect(std::uint32_t branch);
  bool finds_nothing(const Branch& branch) const;
  void grant_vc(std::uint32_t branch, std::uint32_t link_vc);
  bool is_last_copy_at_source(const Branch& branch) const;
  void enter_next(std::uint32_t branch, std::uint32_t link_vc);
  void start_sending(std::uint32_t branch, std::uint32_t link);
  std::uint32_t add_visit(std::uint32_t worm, std::uint32_t link_vc, std::uint32_t from);

  // Virtual channels and the crossbar in one, serial copies (allocate_together.cpp).
  void set_turns();
  void allocate_together(std::uint32_t router);
  bool is_short(std::uint32_t place) const;
  std::uint32_t choose_vc(const Branch& branch);
  bool asks(Branch& branch);
  void cross(std::uint32_t branch);

  // The crossbar (cross_switch.cpp).
  void flit_arrived(std::uint32_t place) {
    if (!crossbars_.add_flit(place)) flit_waits(place);
  }
  void flit_waits(std::uint32_t place);
  bool cross_switches();
  std::uint64_t sent(const Branch& branch) const;
  void last_sent(std::uint32_t branch);
  void copied(std::uint32_t place);
  void tail_sent(std::uint32_t branch);
  Cycle credit_time(std::uint32_t link_vc) const;
  void end_visit(std::uint32_t visit);
  void consumed(std::uint32_t branch);
  void free_vc(std::uint32_t link_vc, Cycle free_from);
  void retire_if_done(std::uint32_t worm);

  /// What waits at the router may find something.
  void ask_again(std::uint32_t router) {
    if (routers_[router].waiting.empty()) return;
    routers_[router].asks = true;
    if (!std::exchange(routers_[router].listed, true)) busy_.push_back(router);
  }
  Resources resources_;
  LinkTable links_;
  Crossbars crossbars_;
  std::map<std::string, std::unique_ptr<const RoutingFunction>, std::less<>> routings_;
  const RoutingFunction* routing_ = nullptr;  ///< of the routes taken last
  SlotPool<TransitWorm> worms_;
  SlotPool<Visit> visits_;
  SlotPool<Branch> branches_;
  std::vector<Router> routers_;
  std::vector<std::uint32_t> busy_;          ///< routers where anything asks
  std::vector<std::deque<Started>> queues_;  ///< by host: worms that have started
  std::vector<Source> sources_;              ///< by injection link, from the first on
  std::vector<std::uint32_t> feeding_;       ///< hosts with worms queued or being sent
  std::vector<bool> host_listed_;
  const bool hosts_have_links_;
  const bool together_;                ///< virtual channels are allocated with the crossbar
  std::vector<Turn> turns_;            ///< then: by link
  Cycle moved_ = 0;                    ///< then: when a flit crossed last
  std::vector<std::uint32_t> asking_;  ///< scratch: branches
  DelayLine flits_;                    ///< places whose FIFO a flit comes into
  DelayLine credits_;                  ///< places that get a credit
  bool in_window_ = false;
  bool more_ = false;  ///< the next cycle can bring something, whatever is scheduled
  AllocationDeadlockSearch deadlock_search_;
  std::vector<std::uint32_t> suspects_;  ///< worms that have just found nothing free, or stand behind a tail
  std::vector<std::uint32_t> touched_;   ///< virtual channels that are offered in this cycle
  std::vector<RoutingCandidate> candidates_;
};

}  // namespace wormcast
