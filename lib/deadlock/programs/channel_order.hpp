// In which order packets of the flows of a program wait for channels, and what they wait for at last.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Which flows stand at their hosts where a packet waits at last; nothing where channels have no order.
class ChannelOrder {
 public:
  ChannelOrder(const Topology& topology, const RouterModel& model, const BoundProgram& program);

  bool found() const { return found_; }
  bool carries(std::uint32_t flow) const { return flits_[flow] != 0; }
  /// Flows of which a packet may stand at a host without a window, when one of this flow has not left its
  /// source, or not arrived.
  const std::vector<bool>& of_send(std::uint32_t flow) const { return ends_[component_[sent(flow)]]; }
  const std::vector<bool>& of_packet(std::uint32_t flow) const { return ends_[component_[under_way(flow)]]; }

 private:
  struct Edge {
    std::uint32_t to = 0;
    bool to_older = false;  ///< of the same flow at the same place
  };

  const WormRoute& route(std::uint32_t f) const { return program_.flows[f].worms.front(); }
  std::size_t places(std::uint32_t f) const { return route(f).hops.size() + 1; }
  // Nodes of a flow: its packet is under way; it holds nothing yet, or place 0, 1, …; it waits for place 0,
  // 1, …
  std::uint32_t under_way(std::uint32_t f) const { return first_[f]; }
  std::uint32_t sent(std::uint32_t f) const { return first_[f] + 1; }
  std::uint32_t holds(std::uint32_t f, std::size_t place) const {
    return static_cast<std::uint32_t>(first_[f] + 2 + place);
  }
  std::uint32_t waits(std::uint32_t f, std::size_t place) const {
    return static_cast<std::uint32_t>(first_[f] + 2 + places(f) + place);
  }

  std::vector<ResourceId> taken(std::uint32_t f, std::size_t place) const;
  std::uint64_t slots(std::uint32_t f, std::size_t place) const;

  bool add_nodes();

  /// Where headers can wait while a place is held, or (`behind` is 0) the process still sends.
  void add_held(std::uint32_t f, std::uint32_t node, std::size_t behind);

  /// Of nodes that lead to each other, all that they lead to is known.
  void close(std::span<const std::uint32_t> members);

  const Topology& topology_;
  const RouterModel& model_;
  const BoundProgram& program_;
  Resources resources_;
  std::vector<std::uint64_t> flits_;              ///< of the longest packet; 0: none is sent
  std::vector<std::uint32_t> first_, component_;  ///< by flow; by node, from 1
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::optional<std::uint32_t>> at_host_;  ///< the flow whose packet stands at its host there
  std::vector<std::vector<bool>> ends_{{}};            ///< by component, by flow
  bool found_ = true;
};

}  // namespace wormcast
