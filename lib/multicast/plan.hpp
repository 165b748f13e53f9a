// A multicast request (source, destinations, start) and its plan: worms, each a source and its stops.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "router/worm_route.hpp"
#include "topology/ids.hpp"
#include "topology/named_values.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One multicast. `destinations` is sorted, without duplicates, not empty, and without the source
/// unless the source is the only one (a self-send).
///
/// Or one reduction: every destination sends a part, the parts are joined on their way, and the source, its
/// root, receives them as one message. Plans and routes are those of the multicast from the root, run
/// backwards: a branch is a join. The root may be among the destinations: its own part is joined there.
struct Request {
  std::uint64_t id = 0;  ///< unique in its segment, ≤ 2^53−1
  HostId source;
  std::vector<HostId> destinations{};
  std::uint64_t length_flits = 1;           ///< ≥ 1, without header flits
  Cycle start_cycle = 0;                    ///< non-decreasing through a segment
  std::vector<std::uint64_t> depends_on{};  ///< ids that must have reached this source first
  SharedValues workload{};                  ///< what made it: pattern, its options, rate, seed
  /// Of a reduction: of each destination's part; start_cycle is the least.
  std::vector<Cycle> start_cycles{};
  std::string extras{};  ///< the record's x_… members, carried through byte for byte

  bool reduces() const { return !start_cycles.empty(); }
  /// The hosts that the message reaches.
  std::span<const HostId> receivers() const {
    return reduces() ? std::span<const HostId>(&source, 1) : std::span<const HostId>(destinations);
  }
};

/// The place of a host among ascending `hosts`, at least one; that of another one where it is not among them.
/// std::lower_bound() takes a branch at each step, half of them mispredicted.
inline std::size_t place_of(HostId host, const std::vector<HostId>& hosts) {
  const HostId* place = hosts.data();
  for (std::size_t rest = hosts.size(); rest > 1;) {
    const std::size_t half = rest / 2;
    place += place[half] <= host ? half : 0;
    rest -= half;
  }
  return static_cast<std::size_t>(place - hosts.data());
}

// Certificates: what a plan carries so that its optimality can be checked without planning again.

/// Which destinations a part of a certificate is about.
enum class CertifiedPart : std::uint8_t {
  up,    ///< those of larger label than the source
  down,  ///< those of smaller label
  all    ///< all that are not on the source's router: up*/down* stars have no halves
};

/// Dual values of one half of an optimal star. Visiting destination j costs `prices[j]`; leaving by a
/// port, or going on from a destination, is worth its rent. prices[j] − rent(b) is at most the hops
/// from b to j for every b that may precede j, and no rent is negative; so every star of W worms a port has
/// at least Σ prices − Σ rents − W · Σ port_rents channels in this half. Where any number of worms leaves by
/// a port, its rent is 0.
struct HalfCertificate {
  CertifiedPart part = CertifiedPart::up;
  std::vector<PortId> ports;              ///< by which some destination can be first, nearest label first
  std::vector<std::uint64_t> port_rents;  ///< parallel to ports
  std::vector<std::uint64_t> prices;      ///< of the half's destinations in the order of visits
  std::vector<std::uint64_t> rents;       ///< parallel to prices
  /// Indices of destinations, ascending, that have fewer possible predecessors than they are if every port
  /// sends one worm less (Hall); empty where one worm a port will do.
  std::vector<std::uint64_t> crowd;
};

/// What a worm does at a stop.
enum class StopAction : std::uint8_t {
  deliver,  ///< a destination consumes a copy
  relay,    ///< a host consumes a copy only to send it on; not a destination
  branch    ///< the worm only passes or splits here; nothing is consumed
};

/// One stop. `node` is a host for deliver and relay, a router for branch.
struct Stop {
  std::uint32_t node = 0;
  std::int32_t parent = -1;  ///< index of the stop before it in the worm, −1 = the worm's source
  StopAction action = StopAction::deliver;
};

/// The router of a stop.
inline NodeId router_of(const Topology& network, const Stop& stop) {
  return stop.action == StopAction::branch ? NodeId{stop.node} : network.router_of(HostId{stop.node});
}

/// One worm: a unicast has one stop, a path is a chain of stops, a tree branches. Parents come
/// before their children, and the order of siblings is the order of branches.
struct Worm {
  HostId source;
  std::int32_t after = -1;  ///< index of the worm whose arrival at `source` readies this one; −1: none
  std::optional<PortId> first_port{};  ///< the port the worm must leave its source by
  std::uint32_t vc_class = 0;          ///< message class, for routing functions that separate classes
  Copies replication{};
  std::vector<Stop> stops{};                    ///< not empty
  std::optional<std::uint32_t> header_flits{};  ///< ahead of the request's; nothing: as the router model says
};

/// Options that shaped a plan, as written in the record, in the planner's order.
using PlanOptions = NamedValues;

/// Facts that a planner states about its worms, each a name and a count, which can be counted again.
using PlanFacts = std::vector<std::pair<std::string, std::uint64_t>>;

/// A star that no other one of the same multicast beats in both respects.
struct FrontPoint {
  std::uint64_t longest_path_hops = 0;
  std::uint64_t traffic_channels = 0;
  std::vector<Worm> worms{};  ///< of such a star; routes do not carry them
};

/// A planned multicast.
struct Plan {
  Request request;
  std::string planner;
  SharedValues options;
  std::string routing;                              ///< name of the routing function its stops are joined by
  std::vector<Worm> worms;                          ///< a worm comes after the one it is `after`
  std::optional<std::uint64_t> traffic_channels;    ///< router-to-router channels, with multiplicity
  std::optional<std::uint64_t> longest_path_hops;   ///< longest root–leaf path of one worm
  std::optional<std::uint64_t> longest_chain_hops;  ///< the same, summed along `after`
  std::vector<FrontPoint> front;                    ///< trade-off of optimal stars; may be empty
  std::vector<HalfCertificate> certificate;         ///< proof of optimality, a half each; may be empty
  PlanFacts facts;                                  ///< may be empty
};

/// Each member but the worms.
inline auto parts_but_worms(Plan& plan) {
  auto& [request, planner, options, routing, worms, channels, hops, chain, front, certificate, facts] = plan;
  auto& [id, source, destinations, flits, start, depends_on, workload, start_cycles, extras] = request;
  return std::tie(id, source, destinations, flits, start, depends_on, workload, start_cycles, extras, planner,
                  options, routing, channels, hops, chain, front, certificate, facts);
}

/// True if no stop has two followers and the source has one first stop.
bool is_chain(const Worm& worm);
/// Makes `worm` one from `source` that visits `stops` one after the other; its buffer is used again.
void make_chain(Worm& worm, HostId source, std::span<const HostId> stops);
/// A worm from `source` that visits `stops` one after the other.
Worm chain_worm(HostId source, std::span<const HostId> stops);
/// A plan of `worm` alone, after no other; its request's destinations are what the worm delivers to.
Plan plan_of_one(const Worm& worm);

}  // namespace wormcast
