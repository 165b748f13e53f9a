// Worms in allocating routers: what of them stands in which FIFO, and which ways it leaves by.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"
#include "simulation/engines/resource_table.hpp"
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

/// One copy of what stands in a FIFO, or at a source: the link that it leaves by. While it sends from a FIFO
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
  bool blocked = false;           ///< it has found nothing free, and the search for standstills has seen it
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
  std::uint32_t accept_rank = 0;   ///< scratch of the allocation, as is (allocated together: the place that
                                   ///< the flit behind the header needs a credit at)
  std::uint32_t accepted = kNone;  ///< the virtual channel that it takes
  std::vector<OutputCandidate> ways;
};

/// A worm in one FIFO: from the grant of the virtual channel that leads there until its tail has left.
struct alignas(64) Visit {
  std::uint64_t arrived = 0;  ///< flits
  std::uint64_t left = 0;     ///< flits that every branch has taken; with one branch its request counts
  std::uint32_t worm = kNone;
  std::uint32_t link_vc = 0;
  std::uint32_t next = kNone;    ///< behind it in the FIFO
  std::uint32_t branch = kNone;  ///< the first of its branches, once its header is at the front
  std::uint32_t from = kNone;    ///< the branch that feeds it
  std::uint32_t router = 0;
  std::uint32_t place = kNone;  ///< of its branch's request, where it has one branch
  std::int32_t hop = -1;        ///< the hop that led here; −1 the source
  std::uint32_t stop = 0;       ///< of a worm routed on the way: the next one
  std::uint32_t depth = 0;      ///< channels between routers from the source
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

/// Slots that are used again; what stood in one keeps its buffers. take() may move what the others hold.
template <class T>
class SlotPool {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }
  T& operator[](std::uint32_t slot) { return slots_[slot]; }
  const T& operator[](std::uint32_t slot) const { return slots_[slot]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  std::vector<T> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace wormcast
