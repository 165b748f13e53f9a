// The router's timing and resources: one set of parameters for simulator and deadlock checker.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "router/worm_route.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// How a lock-step node asks for its outputs.
enum class Allocation : std::uint8_t {
  incremental,  ///< each output is held from its grant while the others are still waited for
  atomic,       ///< waits in every queue until all outputs can be granted in one cycle
  /// Holds nothing until all outputs are free and have a slot; granted in the cycle after, if they still have
  /// (TwoStepGrants, simulation/engines/output_arbiter.hpp). All worms are copied in lock step.
  two_step
};

/// When a virtual channel may be granted again.
enum class VcReuse : std::uint8_t {
  drained,  ///< its buffer has drained: max(tail leaves its FIFO + C, tail crossed into it + F)
  early     ///< its tail has left the sender
};

/// Which of several virtual channels that could send uses a shared link.
enum class Arbitration : std::uint8_t {
  round_robin,  ///< the next one after the last that sent
  first_come    ///< the one that was granted first, so that a worm keeps the link while it can move
};

/// Which of several requests gets an output (a virtual or a consumption channel) that is free.
enum class OutputArbitration : std::uint8_t {
  first_come,  ///< the one that was made first
  /// By the input at which the worm stands: a binary tree of the inputs with a pointer that moves on with
  /// every worm (simulation/engines/output_arbiter.hpp).
  round_robin,
  /// The next input after the last, of those that ask in a cycle with a slot behind the output.
  rotating
};

/// When a consumption channel is free again that took a multicast which its node answers.
enum class ConsumptionRelease : std::uint8_t {
  arrived,  ///< as any other: the tail has arrived
  answered  ///< and the tail of the answer has left the node: until then it takes nothing else there
};

/// What a header needs that asks for a channel: on rings of buffers in which worms follow each other, enough
/// that they never fill (rules/router_rules.hpp).
enum class RingEntry : std::uint8_t {
  any,  ///< nothing but the channel
  /// Virtual cut-through: slots for its whole worm, to enter a ring for two. cite: Carrión, Beivide,
  /// Gregorio, Vallejo 1997; Puente et al. 1999
  packet_bubble,
  /// Wormhole: a slot, to enter a ring slots for its whole worm and one more. cite: Ma, Wang, Liu, Enright
  /// Jerger, Chen 2015, flit bubble flow control (localized)
  flit_bubble
};

/// What chooses a worm's virtual channels.
enum class VcAllocation : std::uint8_t {
  as_routed,  ///< its route states them; links grant them worm by worm
  islip       ///< the router: an allocating router (simulation/allocating)
};

/// Which of the free virtual channels that it may take a header asks an allocating router for.
enum class VcSelection : std::uint8_t {
  preferred,  ///< of the least preference of which any is free, those of the channel with most free slots
  any         ///< all
};

struct Discipline;

/// Parameters of every router, in cycles and flits. The defaults are the papers' ideal router
/// (preset `paper`): equation (1) of the report holds and sources are all-port.
struct RouterModel {
  std::uint32_t hop_cycles = 1;      ///< H ≥ 1: header, from starting one channel to requesting the next
  std::uint32_t routing_cycles = 0;  ///< a header, and no other flit, takes so much longer than H
  std::uint32_t flit_cycles = 1;     ///< F ≥ 1: time a flit occupies a channel
  std::uint32_t credit_cycles = 1;   ///< C ≥ 1: a slot is reusable C after its flit started to leave
  std::uint32_t buffer_flits = 4;    ///< B ≥ 1: per virtual channel
  std::uint64_t startup_cycles = 0;  ///< at the multicast's source
  std::uint64_t relay_startup_cycles = 0;  ///< at a node that sends on what it received
  std::uint64_t overhead_cycles = 0;       ///< per worm, after the startup
  std::uint32_t injection_channels = 0;    ///< per node; 0 = all-port, no limit
  std::uint32_t consumption_channels = 0;  ///< per node, one queue; 0 = one for each input virtual channel
  /// At most H + C: a node returns a flit's credit so long after the flit started to move into a consumption
  /// channel. That is free again with the credit of the tail, at least F after it, and B flits are under way
  /// at most: worms without channels wait for that, and others where links are faster than the model's;
  /// elsewhere the buffers before it are what they wait for. Early reuse: F.
  std::uint32_t consumption_cycles = 0;
  std::uint32_t header_flits = 0;                      ///< added to every worm's length
  bool shared_links = false;                           ///< virtual channels share their link's bandwidth
  Arbitration arbitration = Arbitration::round_robin;  ///< of shared links
  VcReuse vc_reuse = VcReuse::drained;
  Allocation allocation = Allocation::incremental;
  Copies copies = Copies::unstated;  ///< per flit or serial, whatever plans say
  OutputArbitration output_arbitration = OutputArbitration::first_come;
  ConsumptionRelease consumption_release = ConsumptionRelease::arrived;
  RingEntry ring_entry = RingEntry::any;
  VcAllocation vc_allocation = VcAllocation::as_routed;
  VcSelection vc_selection = VcSelection::preferred;  ///< allocating routers
  /// A ≥ 0, allocating routers: from a virtual channel's grant until a flit may compete for the crossbar.
  std::uint32_t vc_allocation_cycles = 1;
  /// Virtual cut-through, for the deadlock checker: whatever its length, a worm fits into one buffer, takes
  /// a buffer only whole, and every branch reads it from there by itself. Worms of B flits or less whose
  /// copies are asynchronous behave so in the simulator.
  bool cut_through = false;
  /// A worm takes everything on its way, all branches, in one grant, in the first cycle in which it stands
  /// first in all its queues and everything is free. Until then it holds nothing.
  bool path_reservation = false;

  /// What its routers do with a worm (router/discipline.hpp).
  const Discipline& discipline() const;
  bool reuses_early() const { return vc_reuse == VcReuse::early; }
  bool answered() const { return consumption_release == ConsumptionRelease::answered; }
  bool serves_first_come() const { return output_arbitration == OutputArbitration::first_come; }
  /// From when a tail starts into a consumption channel, which a flit occupies for `flit`, until it is free.
  std::uint32_t consumption_held(std::uint32_t flit) const {
    return reuses_early() ? flit : std::max(flit, consumption_cycles);
  }
  /// When a virtual channel whose buffer a worm's tail entered at `entered` and left at `left` is released:
  /// the credit of its last slot is back, and its link, of `flit` cycles a flit, has passed the tail.
  Cycle released(Cycle left, Cycle entered, Cycle flit) const {
    return std::max(left + credit_cycles, entered + flit);
  }
};

// Dense ids of everything a worm can hold: (channel, VC), injection and consumption channels.
// Simulator and deadlock checker share this one definition, so that a witness means the same in both.

/// What a resource id stands for.
struct Resource {
  enum class Kind : std::uint8_t { network, injection, consumption, host_link };
  Kind kind = Kind::network;
  ChannelId channel;      ///< network: the channel; consumption by input: the input channel
  std::uint32_t vc = 0;   ///< network, consumption by input, injection into networks of their own
  HostId host;            ///< injection, consumption, host link
  bool by_input = false;  ///< consumption: one for each input virtual channel
};

/// Numbers the resources of one topology under one router model. Virtual channels are planes that
/// follow one another, so ids stay valid when a later worm brings a higher virtual channel:
/// injection of every host, consumption of every host (its queue, or the self-send's own), where hosts
/// have links every host's link to its switch, then for vc = 0, 1, …: every channel's network resource,
/// every channel's consumption at its end.
class Resources {
 public:
  Resources(const Topology& topology, const RouterModel& model)
      : topology_(&topology),
        hosts_(topology.hosts()),
        channels_(topology.channel_bound()),
        planes_(topology.hosts_have_links() ? 3 * topology.hosts() : 2 * topology.hosts()),
        per_input_(model.consumption_channels == 0 && !topology.hosts_have_links()),
        injection_units_(model.injection_channels),
        consumption_units_(per_input_ || topology.hosts_have_links() ? 1 : model.consumption_channels) {}

  ResourceId network(ChannelId channel, std::uint32_t vc) const {
    return ResourceId{planes_ + vc * 2 * channels_ + channel.value};
  }
  ResourceId injection(HostId host) const { return ResourceId{host.value}; }
  /// Where each virtual channel is a network of its own: into that.
  ResourceId injection(HostId host, std::uint32_t vc) const {
    return vc == 0 ? injection(host) : ResourceId{planes_ + vc * 2 * channels_ + channels_ + host.value};
  }
  /// The link from a host to its switch; only where Topology::hosts_have_links().
  ResourceId host_link(HostId host) const { return ResourceId{2 * hosts_ + host.value}; }
  /// The consumption channel a worm takes at `host` when it came by `input` on `vc`; without an
  /// input (a self-send) the host's own.
  ResourceId consumption(HostId host, std::optional<ChannelId> input, std::uint32_t vc) const {
    if (!per_input_ || !input) return ResourceId{hosts_ + host.value};
    return ResourceId{planes_ + vc * 2 * channels_ + channels_ + input->value};
  }
  /// What a worm takes by one of the hops of its route.
  template <class Hops>
  ResourceId taken_by(const typename Hops::value_type& hop, const Hops& hops) const {
    if (hop.is_channel()) return network(ChannelId{hop.target}, hop.vc);
    if (hop.parent < 0) return consumption(HostId{hop.target}, std::nullopt, 0);
    const auto& input = hops[static_cast<std::size_t>(hop.parent)];
    return consumption(HostId{hop.target}, ChannelId{input.target}, input.vc);
  }
  /// Ids are below this when no virtual channel is `vcs` or more.
  std::uint32_t bound(std::uint32_t vcs) const { return planes_ + vcs * 2 * channels_; }
  /// How many worms can hold the resource at once; 0 = no limit (all-port injection).
  std::uint32_t units(ResourceId id) const {
    if (id.value < hosts_) return injection_units_;
    return id.value < 2 * hosts_ ? consumption_units_ : 1;
  }
  /// True where worms can block each other for injection channels. A host with a link has room for one worm
  /// there, which all its worms wait for as well, however many injection channels lead to it.
  bool injection_blocks() const { return injection_units_ > 0 && !topology_->hosts_have_links(); }
  Resource::Kind kind(ResourceId id) const;
  Resource describe(ResourceId id) const;

 private:
  const Topology* topology_;
  std::uint32_t hosts_;
  std::uint32_t channels_;
  std::uint32_t planes_;  ///< id of the first network resource
  bool per_input_;
  std::uint32_t injection_units_;
  std::uint32_t consumption_units_;
};

}  // namespace wormcast
