// The route of one worm: its exact channels and virtual channels, and how it asks to be copied.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast {

/// How the copies leave the end of a hop of a worm that branches, or is consumed on its way.
///
/// A plan says `asynchronous` or `lock_step`; such a worm is a tree, also where its destinations happen to
/// lie on one path: consumption is one more branch at every node (rule 9 of data/pages/simulator.md). One of
/// which it says nothing is a path (rule 8), unless it branches; then it is copied asynchronously. Routers of
/// some disciplines copy in their own way, whatever plans say; consumption is one more branch then, also of
/// paths.
enum class Copies : std::uint8_t {
  unstated,
  per_flit,      ///< a flit stays at the head of its buffer until every branch has taken it, each when it can
  serial,        ///< one branch reads the whole worm, then the next; a slot is free when the last has left it
  asynchronous,  ///< every branch reads the buffer by itself
  lock_step      ///< a flit leaves by all outputs in one cycle
};
/// Otherwise routers copy as they do.
constexpr bool is_stated(Copies copies) { return copies != Copies::unstated; }
constexpr bool in_lock_step(Copies copies) { return copies == Copies::lock_step; }

/// Slot of `index` ≥ −1 in an array whose slot 0 is for −1, the source of hops, or no worm.
constexpr std::size_t slot_after(std::int32_t index) {
  return static_cast<std::size_t>(std::int64_t{index} + 1);
}

/// One hop of a worm: a channel between routers, or the consumption channel of a host. Parents come
/// before children; siblings stand in branch order. A consumption hop is a leaf: the channel that
/// follows an intermediate destination has the channel before it as its parent.
struct RouteHop {
  enum class Kind : std::uint8_t {
    channel,
    deliver,  ///< consumption channel at a destination
    relay     ///< consumption channel at a host that only sends on
  };
  std::uint32_t target = 0;  ///< ChannelId for a channel, HostId otherwise
  std::int32_t parent = -1;  ///< index of the hop before it, −1 = the source
  std::uint32_t vc = 0;      ///< of a channel; 0 otherwise
  Kind kind = Kind::channel;
  Cycle not_before_cycle = 0;  ///< the hop is requested no earlier (witnesses)

  bool is_channel() const { return kind == Kind::channel; }
  /// Whether the hop consumes the worm at the host, to deliver or to relay it.
  bool comes_to(HostId host) const { return !is_channel() && target == host.value; }
  /// The same, as a destination only.
  bool delivers_to(HostId host) const { return kind == Kind::deliver && target == host.value; }
};

/// The consumption channel of its source that the worm of an answer holds from its start until its tail has
/// left (ConsumptionRelease::answered): the one that took what it answers, which came so.
struct AnswerPort {
  std::optional<ChannelId> channel;  ///< nothing: from the router of the host itself
  std::uint32_t vc = 0;

  friend bool operator==(const AnswerPort&, const AnswerPort&) = default;
};

/// One worm's hops. `source`, `after`, `replication` and `header_flits` as in the plan's worm.
struct WormRoute {
  HostId source;
  std::int32_t after = -1;
  Copies replication = Copies::unstated;  ///< unstated only for paths
  std::vector<RouteHop> hops;
  std::optional<std::uint32_t> header_flits{};  ///< as in the plan's worm
  std::optional<AnswerPort> port{};             ///< set by ReplyTracker alone

  /// Flits of the worm of a request of `length_flits`; `usual` header flits unless it has its own.
  std::uint64_t flits(std::uint64_t length_flits, std::uint32_t usual) const {
    return length_flits + header_flits.value_or(usual);
  }
  /// Flits where every worm with the `usual` header is `every` long; only a header of its own makes a
  /// difference.
  std::uint64_t flits_where_all_have(std::uint64_t every, std::uint32_t usual) const {
    return flits(every > usual ? every - usual : 0, usual);
  }

  /// How many hops are channels between routers.
  std::size_t channels() const {
    std::size_t count = 0;
    for (const RouteHop& hop : hops) count += hop.is_channel() ? 1 : 0;
    return count;
  }
  bool consumed_once() const { return channels() + 1 == hops.size(); }
  /// Whether some hop does so.
  bool comes_to(HostId host) const;
  bool delivers_to(HostId host) const;

  /// True for a worm that never branches and states no replication (rule 8 of data/pages/simulator.md): no
  /// hop is followed by two channels or two consumption channels, and at most one channel leaves the source.
  bool is_path() const;
  /// Once the hops are known: a worm that branches and states no replication is asynchronous.
  void settle_replication();
};

}  // namespace wormcast
