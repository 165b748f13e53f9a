// Links of allocating routers and their virtual channels, by dense numbers: what a router sends over and what
// it receives by.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/engines/resource_table.hpp"
#include "simulation/queues/calendar.hpp"
#include "topology/ids.hpp"
#include "topology/resources.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

enum class LinkKind : std::uint8_t { absent, channel, injection, consumption };

/// One link, in both of its parts: an output of the router (or host) that sends, an input of the one that
/// receives.
struct Link {
  std::uint32_t output = 0;        ///< its number among the outputs of the sender
  std::uint32_t input = 0;         ///< its number among the inputs of the receiver
  std::uint32_t hop_cycles = 1;    ///< from winning the crossbar until the flit can compete for the next
  std::uint32_t buffer_flits = 1;  ///< of each virtual channel, at the receiver
  std::uint32_t next_worm_vc = 0;  ///< of injection: the virtual channel that the next worm takes first
  std::uint32_t sender = kNone;    ///< router; none: a host
  std::uint32_t receiver = kNone;  ///< router; none: a host
  std::uint32_t host = kNone;      ///< of injection and consumption
  LinkKind kind = LinkKind::absent;
};

/// One virtual channel of a link: at its sender a holder (Crossbars have its credits), at its receiver a
/// FIFO.
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
/// their consumption links. A host without a limit has as many as its router has ports; consumption by input
/// is a link for each input.
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
  /// The links by which a worm that came by link `input` is consumed at `host`: the first and one past the
  /// last.
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

}  // namespace wormcast
