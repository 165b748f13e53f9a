// Links of allocating routers and their virtual channels, by dense numbers; their crossbars: what competes
// for an output, and the pointers of iSLIP.
//
// A virtual channel of an output has one holder, so all that a cycle looks at of it stands in one place, a
// cache line; a bit says whether its next flit competes. A branch is only looked at when it is granted a
// virtual channel and when its tail is sent. All routers are matched together: a cycle goes once over the
// bits, and no loop ends after a few rounds where the processor does not expect it.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
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

/// A virtual channel of a link and the branch that sends into it; of an injection link credits alone.
struct alignas(64) SwitchRequest {
  std::uint64_t to_go = 0;         ///< flits that are not sent
  std::uint64_t in_window = 0;     ///< flits sent while it was measured
  std::uint32_t ahead = kNone;     ///< the visit that a flit comes to; or its own place, for the credit
  std::uint32_t ahead_cycles = 0;  ///< until then
  std::uint32_t credits = 0;       ///< slots that are known to be free
  std::uint32_t available = 0;     ///< flits that it can send next: no copy of the one before is missing
  std::uint32_t branch = kNone;
  std::uint32_t router = kNone;
  std::uint32_t input = 0;          ///< among the inputs of all routers
  std::uint32_t feeder = kNone;     ///< place of the virtual channel by which the flits came
  std::uint32_t credit_cycles = 0;  ///< until that knows of a free slot
  std::uint32_t credited_at = 0;    ///< the cycle in which a credit came last; allocated together
  std::uint8_t input_vc = 0;        ///< virtual channel of the input
  std::uint8_t consumed = 0;        ///< 1: the link consumes
  std::uint8_t credited = 1;        ///< 0: that needs no credits
  std::uint8_t alone = 0;           ///< its visit has no other branch
  std::uint8_t early = 0;           ///< it has not been granted for long enough
  std::uint8_t keeps = 0;           ///< copies follow, for which the flits stay in their FIFO

  /// Without a branch, which would be mispredicted half of the time.
  bool can_send() const { return ((available != 0) & (credits != 0) & (early == 0)) != 0; }
};
static_assert(sizeof(SwitchRequest) == 64);

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
  std::uint32_t place(std::uint32_t vc_number) const {
    return place(LinkTable::link_of(vc_number), LinkTable::vc_of(vc_number));
  }
  SwitchRequest& at(std::uint32_t place) { return requests_[place]; }
  const SwitchRequest& at(std::uint32_t place) const { return requests_[place]; }
  /// Input `number` of the router, among those of all routers.
  std::uint32_t input(std::uint32_t router, std::uint32_t number) const {
    return routers_[router].first_input + number;
  }
  /// The place's next flit competes if it can be sent: to be called when something it waited for has come.
  void compete(std::uint32_t place) {
    const std::uint64_t can = requests_[place].can_send() ? 1 : 0;
    ready_[place / 64] |= can << place % 64;
    filled_[place / 4096] |= can << place / 64 % 64;
  }
  /// It competes no longer if its next flit cannot be sent: to be called when one is.
  void rest(std::uint32_t place) {
    const std::uint64_t cannot = requests_[place].can_send() ? 0 : 1;
    ready_[place / 64] &= ~(cannot << place % 64);
  }
  /// Calls visit(request) for each that is none of an injection link.
  template <class Visit>
  void each(Visit visit) const {
    for (std::uint32_t place = 0; place < first_injection_; ++place) visit(requests_[place]);
  }

  /// One iteration of iSLIP at every router: moves the pointers and calls send(place) for each flit that
  /// crosses, which may change the request there. granted_before(a, b) compares branches of one flit.
  template <class GrantedBefore, class Send>
  void match(GrantedBefore granted_before, Send send);
  /// True if any flit competes.
  bool any();

 private:
  struct Router {
    std::uint32_t first_port = 0;
    std::uint32_t first_input = 0;
    std::uint32_t output_count = 0;
    std::uint32_t input_count = 0;
  };
  struct Port {
    std::uint32_t grant = 0;   ///< of iSLIP: the input that is served first
    std::uint32_t number = 0;  ///< among the router's outputs
    std::uint32_t after = 0;   ///< the one behind it
  };
  struct Input {
    std::uint32_t accept = 0;   ///< of iSLIP: the output that is taken first
    std::uint32_t next_vc = 0;  ///< the virtual channel that comes first
    std::uint32_t number = 0;   ///< among the router's inputs
    std::uint32_t after = 0;    ///< the one behind it
    std::uint64_t match = 0;    ///< the call of match() in which it took
    std::uint32_t taken = 0;    ///< this place
  };

  void lay_out(const LinkTable& links);
  bool precedes(std::uint32_t a, std::uint32_t b) const;
  bool accepts(const Input& input, std::uint32_t a, std::uint32_t b) const;
  template <class GrantedBefore>
  std::uint32_t offer(GrantedBefore granted_before);

  std::uint32_t vcs_ = 1;
  std::uint32_t shift_ = 0;  ///< a port has 1 << shift_ places
  std::uint32_t shift_before_ = 0;
  std::vector<std::uint32_t> ports_of_;  ///< by link
  std::vector<Router> routers_;
  std::vector<SwitchRequest> requests_;
  std::uint32_t first_injection_ = 0;  ///< place
  std::vector<std::uint64_t> ready_;
  std::vector<std::uint64_t> filled_;  ///< by word of ready_: 0 where that is 0
  std::vector<Port> ports_;
  std::vector<Input> inputs_;
  std::uint64_t matches_ = 0;
  std::vector<std::uint32_t> offers_;  ///< scratch: places, at most one of a port
};

/// How far `number` is behind `pointer`, counted round `count` numbers.
constexpr std::uint32_t distance_round(std::uint32_t number, std::uint32_t pointer, std::uint32_t count) {
  return number >= pointer ? number - pointer : number + count - pointer;
}
constexpr std::uint32_t next_round(std::uint32_t number, std::uint32_t count) {
  return number + 1 == count ? 0 : number + 1;
}

/// True if the request at place `a` comes before that at `b`, one for the same output from another FIFO.
inline bool Crossbars::precedes(std::uint32_t a, std::uint32_t b) const {
  const SwitchRequest& one = requests_[a];
  const SwitchRequest& other = requests_[b];
  const bool same = one.input == other.input;  // then its virtual channels count
  const std::uint32_t pointer = same ? inputs_[one.input].next_vc : ports_[a >> shift_].grant;
  const std::uint32_t count = same ? vcs_ : routers_[one.router].input_count;
  const std::uint32_t one_number = same ? one.input_vc : inputs_[one.input].number;
  const std::uint32_t other_number = same ? other.input_vc : inputs_[other.input].number;
  return distance_round(one_number, pointer, count) < distance_round(other_number, pointer, count);
}

/// True if the input takes the output of place `a` before that of `b`.
inline bool Crossbars::accepts(const Input& input, std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t count = routers_[requests_[a].router].output_count;
  return distance_round(ports_[a >> shift_].number, input.accept, count) <
         distance_round(ports_[b >> shift_].number, input.accept, count);
}

/// Offers every output to its first request; how many offers there are. Those of one output are neighbours.
template <class GrantedBefore>
std::uint32_t Crossbars::offer(GrantedBefore granted_before) {
  std::uint32_t* last = offers_.data();  // the first stands for none
  std::uint32_t last_port = kNone;
  for (std::size_t group = 0; group < filled_.size(); ++group)
    for (std::uint64_t words = filled_[group]; words != 0; words &= words - 1) {
      const auto word =
          static_cast<std::uint32_t>(group * 64) + static_cast<std::uint32_t>(std::countr_zero(words));
      for (std::uint64_t bits = ready_[word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t place = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        const std::uint32_t port = place >> shift_;
        if (port != last_port) {
          *++last = place;
          last_port = port;
        } else if (requests_[place].feeder != requests_[*last].feeder) {
          *last = precedes(place, *last) ? place : *last;
        } else if (granted_before(requests_[place].branch, requests_[*last].branch)) {
          *last = place;
        }
      }
    }
  return static_cast<std::uint32_t>(last - offers_.data());
}

/// Every input takes the offer that comes first, and what the same flit has been offered beside it.
template <class GrantedBefore, class Send>
void Crossbars::match(GrantedBefore granted_before, Send send) {
  const std::uint32_t* const begin = offers_.data() + 1;
  const std::uint32_t* const end = begin + offer(granted_before);
  ++matches_;
  for (const std::uint32_t* place = begin; place != end; ++place) {
    Input& input = inputs_[requests_[*place].input];
    if (input.match != matches_)
      input.taken = *place;
    else
      input.taken = accepts(input, *place, input.taken) ? *place : input.taken;
    input.match = matches_;
  }
  for (const std::uint32_t* place = begin; place != end; ++place) {
    const SwitchRequest& request = requests_[*place];
    Input& input = inputs_[request.input];
    Port& port = ports_[*place >> shift_];
    if (input.taken == *place) {
      input.accept = port.after;
      input.next_vc = next_round(request.input_vc, vcs_);
    } else if (requests_[input.taken].feeder != request.feeder) {
      continue;
    }
    port.grant = input.after;
    send(*place);
  }
}

}  // namespace wormcast
