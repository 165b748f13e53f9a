// Links of allocating routers and their virtual channels, by dense numbers; their crossbars: what competes
// for an output, and the pointers of iSLIP.
//
// A virtual channel of an output has one holder, so all that a cycle looks at of it stands in one place: half
// a cache line of the request, a few counters, and two bits that say whether there are flits and credits.
// What only headers, tails and copies need stands apart; a branch is looked at when it is granted a virtual
// channel and when its tail is sent. All routers are matched together: a cycle goes once over the bits,
// orders requests only where a link has more than one, and leaves tails and copies for afterwards.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "router/router_model.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "simulation/queues/calendar.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

enum class LinkKind : std::uint8_t { absent, channel, injection, consumption };

/// One link, in both of its parts: an output of the router (or host) that sends, an input of the receiver.
struct Link {
  std::uint32_t output = 0;         ///< its number among the outputs of the sender
  std::uint32_t input = 0;          ///< its number among the inputs of the receiver
  std::uint32_t hop_cycles = 1;     ///< from winning the crossbar until the flit can compete for the next
  std::uint32_t credit_cycles = 1;  ///< from a flit's leaving the FIFO until the slot can be filled again
  std::uint32_t buffer_flits = 1;   ///< of each virtual channel, at the receiver
  std::uint32_t next_worm_vc = 0;   ///< of injection: the virtual channel that the next worm takes first
  std::uint32_t sender = kNone;     ///< router; none: a host
  std::uint32_t receiver = kNone;   ///< router; none: a host
  std::uint32_t host = kNone;       ///< of injection and consumption
  LinkKind kind = LinkKind::absent;
};

/// One virtual channel of a link: at its sender a holder (credits are in Crossbars), at its receiver a FIFO.
struct alignas(64) LinkVc {
  std::uint32_t holder = kNone;  ///< the branch that has been granted it
  Cycle free_from = 0;           ///< without a holder: it can be granted from then on
  std::uint32_t first = kNone;   ///< visits in its FIFO, or on their way into it, in order
  std::uint32_t last = kNone;
  std::uint32_t grant = 0;   ///< iSLIP: the input virtual channel that is served first
  std::uint32_t accept = 0;  ///< iSLIP, as an input: the output virtual channel that is taken first
  std::uint32_t output = 0;  ///< its number among the output virtual channels of the sender
  // What a cycle's allocation is worked out in; valid where the stamp is the cycle's.
  Cycle granted_stamp = kNever;
  std::uint32_t granted_branch = kNone;
  std::uint32_t granted_rank = 0;
};

/// How many inputs and outputs a router has.
struct RouterPorts {
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
};

/// Numbers links: every channel has its own number; then come the injection links of host after host, then
/// their consumption links. A host without a limit has as many as its router has ports; where each input has
/// its own consumption channel, one an input.
class LinkTable {
 public:
  LinkTable(const Topology& topology, const RouterModel& model, std::uint32_t vcs);

  std::uint32_t vcs() const { return vcs_; }
  Link& link(std::uint32_t number) { return links_[number]; }
  const Link& link(std::uint32_t number) const { return links_[number]; }
  LinkVc& vc(std::uint32_t number) { return link_vcs_[place(number)]; }
  const LinkVc& vc(std::uint32_t number) const { return link_vcs_[place(number)]; }
  /// Virtual channels have numbers that stay when links get more of them.
  static std::uint32_t vc_number(std::uint32_t link, std::uint32_t vc) { return link * kMostVcs + vc; }
  static std::uint32_t link_of(std::uint32_t vc_number) { return vc_number / kMostVcs; }
  static std::uint32_t vc_of(std::uint32_t vc_number) { return vc_number % kMostVcs; }
  /// Calls visit(number) for every virtual channel.
  template <class Visit>
  void each_vc(Visit visit) const {
    for (std::uint32_t link = 0; link < links_.size(); ++link)
      for (std::uint32_t vc = 0; vc < vcs_; ++vc) visit(vc_number(link, vc));
  }
  /// Every link has `vcs` virtual channels from now on, which is more than before.
  void grow(std::uint32_t vcs);
  std::uint32_t links() const { return static_cast<std::uint32_t>(links_.size()); }
  std::uint32_t routers() const { return static_cast<std::uint32_t>(ports_.size()); }
  const RouterPorts& ports(std::uint32_t router) const { return ports_[router]; }

  /// Injection links of the host, by number.
  std::uint32_t first_injection(HostId host) const { return channels_ + host.value * injections_; }
  std::uint32_t injections() const { return injections_; }
  /// The links that consume at `host` a worm that came by link `input`: the first and one past the last.
  std::pair<std::uint32_t, std::uint32_t> consumption(HostId host, std::uint32_t input) const;
  /// What records call the virtual channel: for a consumption link by input, the input.
  ResourceId resource(std::uint32_t vc_number, const Resources& ids) const;

 private:
  static constexpr std::uint32_t kMostVcs = 256;

  std::uint32_t place(std::uint32_t number) const { return link_of(number) * vcs_ + vc_of(number); }
  void add_channels(const Topology& topology, const RouterModel& model);
  void add_hosts(const Topology& topology, const RouterModel& model);
  void number_outputs();

  std::uint32_t vcs_;
  std::uint32_t channels_;
  std::uint32_t hosts_;
  std::uint32_t injections_;    ///< of a host
  std::uint32_t consumptions_;  ///< of a host
  bool by_input_;
  std::vector<Link> links_;
  std::vector<LinkVc> link_vcs_;
  std::vector<RouterPorts> ports_;
  std::vector<std::uint32_t> input_links_;  ///< by consumption link: the input it serves, where by input
};

/// What comes at the end of the link: a flit, or of a link that consumes a free slot, if that needs any.
enum class Delayed : std::uint8_t { flit, slot, nothing };

/// A virtual channel of a link and the branch that sends into it, which is its holder: half a cache line, all
/// that is looked at when a flit crosses.
struct alignas(32) SwitchRequest {
  std::uint64_t to_go = 0;         ///< flits that are not sent
  std::uint32_t input = 0;         ///< among the inputs of all routers
  std::uint32_t input_number = 0;  ///< among those of its router
  std::uint32_t feeder = kNone;    ///< place of the virtual channel by which the flits came
  std::uint32_t ahead_cycles = 0;  ///< until a flit is at the end of the link
  std::uint32_t port = 0;          ///< of the place
  std::uint8_t input_vc = 0;       ///< virtual channel of the input
  std::uint8_t next_vc = 0;        ///< the one behind it
  Delayed delayed = Delayed::nothing;
  std::uint8_t alone = 0;  ///< 1: it takes whatever its FIFO has: there is no other copy
};
static_assert(sizeof(SwitchRequest) == 32);

/// What else there is to a request.
struct RequestExtra {
  std::uint32_t branch = kNone;
  std::uint64_t in_window = 0;    ///< flits sent while it was measured; meanwhile with to_go added
  std::uint32_t available = 0;    ///< not alone: flits that it can send, no copy of the one before is missing
  std::uint32_t credited_at = 0;  ///< the cycle in which a credit came last; allocated together
  bool early = false;             ///< it has not been granted for long enough
  bool keeps = false;             ///< copies follow, for which the flits stay in their FIFO
};

/// What crosses in a cycle: how many flits; and the requests whose tail it was, or that are not alone.
struct Crossed {
  std::size_t flits = 0;
  std::span<const std::uint32_t> told;
};

/// Places are virtual channels of links: at the sender what is requested, at the receiver a FIFO.
class Crossbars {
 public:
  explicit Crossbars(const LinkTable& links) { lay_out(links); }

  /// The links have got more virtual channels: what was at place p is now at moved(p).
  void grow(const LinkTable& links);
  std::uint32_t moved(std::uint32_t place) const {
    return (place >> shift_before_ << shift_) + place % (1U << shift_before_);
  }
  /// Where virtual channel `vc` of the link stands.
  std::uint32_t place(std::uint32_t link, std::uint32_t vc) const { return (ports_of_[link] << shift_) + vc; }
  std::uint32_t port(std::uint32_t link) const { return ports_of_[link]; }
  std::uint32_t place(std::uint32_t vc_number) const {
    return place(LinkTable::link_of(vc_number), LinkTable::vc_of(vc_number));
  }
  /// The virtual channel of the place.
  std::uint32_t vc_number(std::uint32_t place) const {
    return LinkTable::vc_number(link_of_[place >> shift_], place % (1U << shift_));
  }
  SwitchRequest& at(std::uint32_t place) { return requests_[place]; }
  const SwitchRequest& at(std::uint32_t place) const { return requests_[place]; }
  RequestExtra& extra(std::uint32_t place) { return extras_[place]; }
  const RequestExtra& extra(std::uint32_t place) const { return extras_[place]; }
  /// Slots that are known to be free.
  std::uint32_t credits(std::uint32_t place) const { return places_[place].credits; }
  /// Flits in the FIFO.
  std::uint32_t held(std::uint32_t place) const { return places_[place].held; }
  /// Input `number` of the router, among those of all routers.
  std::uint32_t input(std::uint32_t router, std::uint32_t number) const {
    return routers_[router].first_input + number;
  }
  void add_credits(std::span<const std::uint32_t> places) {
    Place* const all = places_.data();
    Word* const words = words_.data();
    for (const std::uint32_t place : places) {
      ++all[place].credits;
      words[place / 64].credited |= std::uint64_t{1} << place % 64;
    }
  }
  void take_credit(std::uint32_t place) {
    if (--places_[place].credits == 0) words_[place / 64].credited ^= std::uint64_t{1} << place % 64;
  }
  /// A flit comes into the FIFO. False if that has to be told: a header, or a flit to be copied.
  bool add_flit(std::uint32_t number) {
    Place& place = places_[number];
    ++place.held;
    if (place.taken_by < kUntold) fill(place.taken_by);
    return place.taken_by != kNone;
  }
  /// The FIFO's first worm is another, whose header is there or not: what comes behind that need not be told.
  void begin_worm(std::uint32_t place, bool header) { places_[place].taken_by = header ? kUntold : kNone; }
  void take_flit(std::uint32_t place) { --places_[place].held; }
  /// The request's next flit can compete, given a credit.
  void fill(std::uint32_t place) { words_[place / 64].filled |= std::uint64_t{1} << place % 64; }
  void rest(std::uint32_t place) { words_[place / 64].filled &= ~(std::uint64_t{1} << place % 64); }
  /// It competes from now on, as soon as there are flits.
  void begin(std::uint32_t place);
  /// Its tail has been sent.
  void end(std::uint32_t place);
  /// Measuring begins or ends.
  void enter_window(bool begins);
  /// Calls visit(place) for each that sends and is none of an injection link.
  template <class Visit>
  void each(Visit visit) const {
    for (std::uint32_t place = 0; place < first_injection_; ++place)
      if (requests_[place].to_go != 0) visit(place);
  }

  /// One iteration of iSLIP at every router: moves the pointers and sends a flit of each request that is
  /// matched: into `flits` what comes to the next FIFO, into `credits` what makes a slot free. What leaves of
  /// requests that are not alone is the caller's to say. granted_before(a, b) compares branches of one flit.
  using GrantedBefore = std::function<bool(std::uint32_t, std::uint32_t)>;
  Crossed match(Cycle now, DelayLine& flits, DelayLine& credits, const GrantedBefore& granted_before);
  /// The next flit of a request that is not alone crosses the link.
  void cross(Cycle now, DelayLine& flits, DelayLine& credits, std::uint32_t place) {
    const SwitchRequest& request = requests_[place];
    if (request.delayed == Delayed::nothing) return;
    take_credit(place);
    (request.delayed == Delayed::flit ? flits : credits).add(now, request.ahead_cycles, place);
  }
  /// True if any flit competes.
  bool any() const;

 private:
  struct Router {
    std::uint32_t first_port = 0;
    std::uint32_t first_input = 0;
  };
  static constexpr std::uint32_t kUntold = kNone - 1;
  struct Place {
    std::uint32_t credits = 0;
    std::uint32_t held = 0;           ///< flits in the FIFO
    std::uint32_t credit_cycles = 0;  ///< from a flit's leaving that until a slot is known to be free
    /// The request that takes whatever comes; kUntold: nothing does; kNone: that is to be told.
    std::uint32_t taken_by = kNone;
  };
  /// By place a bit: its request has flits, it has credits, it has a request that may have.
  struct Word {
    std::uint64_t filled = 0;
    std::uint64_t credited = ~std::uint64_t{0};
    std::uint64_t active = 0;
  };
  struct Port {
    std::uint32_t grant = 0;   ///< of iSLIP: the input that is served first
    std::uint32_t number = 0;  ///< among the router's outputs
    std::uint32_t after = 0;   ///< the one behind it
  };
  struct Input {
    std::uint32_t accept = 0;   ///< of iSLIP: the output that is taken first
    std::uint32_t next_vc = 0;  ///< the virtual channel that comes first
    std::uint32_t after = 0;    ///< the one behind it
    std::uint64_t match = 0;    ///< the call of match() in which it took
    std::uint32_t taken = 0;    ///< this place
  };

  void lay_out(const LinkTable& links);
  std::uint64_t rank(std::uint32_t place) const;
  bool comes_before(std::uint32_t a, std::uint32_t b, const GrantedBefore& granted_before) const;
  std::size_t offer(const GrantedBefore& granted_before);
  void accept(std::size_t count);
  Crossed send(Cycle now, DelayLine& flits, DelayLine& credits, std::size_t count);

  std::uint32_t vcs_ = 1;
  std::uint32_t shift_ = 0;  ///< a port has 1 << shift_ places
  std::uint32_t shift_before_ = 0;
  std::vector<std::uint32_t> ports_of_;  ///< by link
  std::vector<std::uint32_t> link_of_;   ///< by port
  std::vector<Router> routers_;
  std::vector<SwitchRequest> requests_;
  std::vector<RequestExtra> extras_;
  std::vector<Place> places_;
  std::uint32_t first_injection_ = 0;  ///< place
  std::vector<Word> words_;
  std::vector<std::uint64_t> groups_;  ///< by word a bit: anything is active there
  std::vector<Port> ports_;
  std::vector<Input> inputs_;
  std::uint64_t matches_ = 0;
  std::vector<std::uint32_t> offers_;  ///< scratch: places, at most one of a port
  std::vector<std::uint32_t> told_;
};

constexpr std::uint32_t next_round(std::uint32_t number, std::uint32_t count) {
  return number + 1 == count ? 0 : number + 1;
}

}  // namespace wormcast
