// The signature every routing function has, and the registry of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

class UpDownSetup;

/// What a worm's header carries from hop to hop beside its destination (phase, dateline bits,
/// message class). Opaque to everyone but the routing function that wrote it.
struct RoutingState {
  std::uint32_t bits = 0;
};

/// One step: the channel and virtual channel to take, where it leads, and the state on arrival.
struct RoutingStep {
  ChannelId channel;
  std::uint32_t vc = 0;
  NodeId to;
  RoutingState state;
};

/// A deterministic routing function bound to one topology, which must outlive it. Pure: no member
/// function changes anything.
class RoutingFunction {
 public:
  explicit RoutingFunction(const Topology& topology) : topology_(&topology) {}
  virtual ~RoutingFunction() = default;
  RoutingFunction(const RoutingFunction&) = delete;
  RoutingFunction& operator=(const RoutingFunction&) = delete;

  const Topology& topology() const { return *topology_; }

  /// Virtual channels per directed channel that it uses.
  virtual std::uint32_t virtual_channels() const { return 1; }
  /// Message classes that it knows: 0 to one less.
  virtual std::uint32_t classes() const { return 1; }
  /// State of a worm of class `vc_class` before its first hop from `source`. Throws InputError ("class") for
  /// a class that the function does not know, or has too few virtual channels for.
  virtual RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const;
  /// The hop from `at` towards `destination` ≠ `at`.
  virtual RoutingStep next(NodeId at, RoutingState state, NodeId destination) const = 0;
  /// The hop out of `source` by a port the plan forces: by the port that next() takes the very step of
  /// next(), virtual channel and state included. Throws InputError ("first_port") without a link there, and
  /// where the function has no use for the port.
  virtual RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const;
  /// Hops of the route from `from` to `to` by fresh worms of class 0.
  virtual std::uint32_t distance(NodeId from, NodeId to) const;
  /// True if the channels from a stop to the next do not depend on how the worm came to the stop, so
  /// that distance() holds for every leg of a worm, of any class.
  virtual bool history_free() const { return true; }
  /// Tree and directions behind the routes, nullptr where there are none (up-down, spanning-tree have).
  virtual const UpDownSetup* up_down() const { return nullptr; }

 protected:
  void check_class(std::uint32_t vc_class) const;

 private:
  const Topology* topology_;
};

/// One registered routing function.
struct RoutingEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view topologies;  ///< in words, for --list
  std::string_view cite;
  /// Why it does not apply to `topology`; nothing if it does.
  std::optional<std::string> (*unsupported)(const Topology& topology);
  std::unique_ptr<const RoutingFunction> (*bind)(const Topology& topology);
};

std::span<const RoutingEntry* const> routing_functions();
const RoutingEntry* find_routing_function(std::string_view name);
/// The name of the function that a name or an alias means; `text` itself where it means none.
std::string routing_name(std::string_view text);
/// Binds the function of that name; throws InputError (unknown name, topology it does not support,
/// more virtual channels than the topology's limit).
std::unique_ptr<const RoutingFunction> bind_routing(std::string_view name, const Topology& topology);

}  // namespace wormcast
