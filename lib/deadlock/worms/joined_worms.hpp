// The worms of a segment with reductions: what each holds in its places, and what routers take it for.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

struct JoinedWorm {
  const Request* request = nullptr;
  const WormRoute* route = nullptr;
  WormRef name;
  std::uint32_t alike = 0;  ///< the first of the worms that routers take for it
  std::uint32_t network = 0;
  /// By hop, −1 for the source: worms that have to arrive before what starts there does.
  std::map<std::int32_t, std::vector<std::uint32_t>> awaits{};
};

/// A worm, and the hop in whose resource it stands; −1: its source, of a reduction its root.
using JoinPlace = std::pair<std::uint32_t, std::int32_t>;

struct JoinedWorms {
  /// `messages` must outlive it. Throws InputError for routes that routers which join by flit do not
  /// take.
  JoinedWorms(const Topology& topology, const RouterModel& model, const std::vector<Routes>& messages);

  /// What a worm has in a place, as far as others can wait for it: nothing at the root of a reduction.
  std::vector<ResourceId> held(const JoinPlace& at) const;
  /// What it asks for to come there.
  std::vector<ResourceId> asked(const JoinPlace& at) const;
  std::int32_t hops(std::uint32_t w) const { return static_cast<std::int32_t>(all[w].route->hops.size()); }
  const RouteHop& hop(const JoinPlace& at) const {
    return all[at.first].route->hops[static_cast<std::size_t>(at.second)];
  }
  bool reduces(std::uint32_t w) const { return all[w].request->reduces(); }
  std::uint64_t flits(std::uint32_t w) const {
    return all[w].route->flits(all[w].request->length_flits, header_flits_);
  }
  std::uint32_t units(ResourceId resource) const { return resources_.units(resource); }
  const Topology& topology() const { return topology_; }
  /// True where routers take another worm for it.
  bool has_alike(std::uint32_t w) const;
  WormCause cause(const JoinPlace& at) const {
    return {all[at.first].name.multicast, all[at.first].name.worm, at.second};
  }

  bool by_flit;  ///< how routers join
  std::vector<JoinedWorm> all{};
  std::map<WormRef, std::uint32_t> by_name{};
  std::map<ResourceId, std::vector<JoinPlace>> holders{};
  std::set<ResourceId> shared{};  ///< asked for by several worms
  /// Why no order of places would prove anything; empty: one would.
  std::string lack{};
  /// Reductions that routers cannot tell apart, two and two, by id.
  std::vector<std::vector<std::uint64_t>> mistakable{};

 private:
  void find_alike(std::uint32_t w, std::map<std::vector<std::uint32_t>, std::uint32_t>& named);
  void find_lack();
  std::vector<ResourceId> at_source(std::uint32_t w, HostId host) const;

  const Topology& topology_;
  Resources resources_;
  std::uint32_t header_flits_;
};

}  // namespace wormcast
