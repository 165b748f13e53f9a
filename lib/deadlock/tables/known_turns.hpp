// Turns from a link and virtual channel to the next that have been met, a bit each: most steps along tables
// are met again and again, and a bit of few is nearer than a hash table of all dependencies.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/forwarding_tables.hpp"
#include "topology/topology.hpp"

namespace wormcast {

class KnownTurns {
 public:
  KnownTurns(const Topology& topology, std::uint32_t vcs)
      : vcs_(vcs), hosts_(topology.hosts()), port_(topology.channel_bound()), row_(hosts_ + port_.size()) {
    std::vector<std::uint32_t> leave(topology.routers());
    const auto ends = [&](std::size_t c) { return topology.ends(ChannelId{static_cast<std::uint32_t>(c)}); };
    for (std::size_t c = 0; c < port_.size(); ++c)
      if (const auto at = ends(c)) port_[c] = leave[at->from.value]++;
    std::uint64_t bits = 0;
    const auto take = [&](std::uint64_t& row, NodeId router, std::uint32_t held) {
      row = bits;
      bits += std::uint64_t{leave[router.value]} * vcs * held;
    };
    for (std::uint32_t h = 0; h < hosts_; ++h) take(row_[h], topology.router_of(HostId{h}), 1);
    for (std::size_t c = 0; c < port_.size(); ++c)
      if (const auto at = ends(c)) take(row_[hosts_ + c], at->to, vcs);
    // Never more than the tables themselves.
    if (bits <= std::uint64_t{32} * hosts_ * topology.routers()) met_.resize(bits);
  }

  /// False where the turn has been met before; true, too, where that is not kept. `out` is a channel; `in` is
  /// the one that leads to its router, or −1 − host.
  bool is_new(TableHop in, std::uint32_t held, TableHop out, std::uint32_t wanted) {
    if (met_.empty()) return true;
    const std::uint32_t port = port_[static_cast<std::size_t>(out)];
    const std::uint64_t row =
        in < 0 ? row_[static_cast<std::size_t>(~in)] : row_[hosts_ + static_cast<std::size_t>(in)];
    const std::uint64_t bit =
        row + (std::uint64_t{port} * vcs_ + wanted) * (in < 0 ? 1 : vcs_) + (in < 0 ? 0 : held);
    if (met_[bit]) return false;
    met_[bit] = true;
    return true;
  }

 private:
  std::uint32_t vcs_;
  std::size_t hosts_;
  std::vector<std::uint32_t> port_;  ///< by channel: its place among those that leave its router
  std::vector<std::uint64_t> row_;   ///< by host, then channel: the first bit
  std::vector<bool> met_;
};

}  // namespace wormcast
