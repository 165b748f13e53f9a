// What the packets of a program wait for at last, for checks of its order.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What is waited for at last, by place of a header.
class HeaderNumbers {
 public:
  using Flows = std::set<std::uint32_t>;
  struct Waiting {
    std::size_t number = 0;
    Flows ends;  ///< flows whose packets can lack a window
  };

  HeaderNumbers(const Topology& topology, const RouterModel& model, const BoundProgram& program)
      : topology_(topology), model_(model), program_(program), resources_(topology, model) {
    for (const BoundProgram::Process& process : program.processes)
      for (const Instruction& in : process.code)
        if (in.kind == Instruction::Kind::send) {
          std::uint64_t& longest = longest_[in.what];
          longest = std::max(longest, route(in.what).flits(in.count, model.header_flits));
        }
    std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::int32_t>>> takers;  // by resource
    std::size_t places = 0;
    for (const auto& [f, flits] : longest_) {
      for (std::int32_t hop = -1; slot_after(hop) <= route(f).hops.size(); ++hop, ++places)
        if (const auto resource = taken(f, hop)) takers[resource->value].emplace_back(f, hop);
      at_[f].resize(route(f).hops.size() + 1);
    }
    for (bool raised = true; raised && numbered_;) {
      raised = false;
      for (const auto& [resource, all] : takers)
        for (const auto& [g, held] : all) {
          const Waiting beyond = while_held(g, held);
          for (const auto& [f, hop] : all) {
            Waiting& here = at_[f][slot_after(hop)];
            const Waiting before = here;
            const bool older = f == g && hop == held;
            here.number = std::max(here.number, beyond.number + (older ? 0 : 1));
            here.ends.insert(beyond.ends.begin(), beyond.ends.end());
            raised = raised || here.number != before.number || here.ends.size() != before.ends.size();
            numbered_ = numbered_ && here.number <= places;
          }
        }
    }
  }

  bool numbered() const { return numbered_; }
  bool carries(std::uint32_t flow) const { return longest_.contains(flow); }
  const WormRoute& route(std::uint32_t flow) const { return program_.flows[flow].worms.front(); }
  /// What comes mixed is of one length, and so are the windows of who receives it.
  bool of_one_length(const Flows& flows, std::uint32_t receiver) const {
    if (flows.size() < 2) return true;
    std::set<std::uint64_t> lengths;
    for (const BoundProgram::Process& process : program_.processes)
      for (const Instruction& in : process.code)
        if (in.kind == Instruction::Kind::send && flows.contains(in.what))
          lengths.insert(route(in.what).flits(in.count, model_.header_flits));
    if (lengths.size() != 1) return false;
    for (const Instruction& in : program_.processes[receiver].code)
      if (in.kind == Instruction::Kind::receive)
        lengths.insert(in.until_tail ? std::min(in.count, *lengths.begin()) : in.count);
    return lengths.size() == 1;
  }
  /// While a process sends, or until the packet has arrived.
  Flows ends(std::uint32_t flow, bool sending) const {
    Flows result = while_held(flow, -2).ends;
    if (sending) return result;
    result.insert(flow);
    for (const Waiting& place : at_.at(flow)) result.insert(place.ends.begin(), place.ends.end());
    return result;
  }

 private:
  std::optional<ResourceId> taken(std::uint32_t flow, std::int32_t hop) const {
    const std::vector<RouteHop>& hops = route(flow).hops;
    const bool links = topology_.hosts_have_links();
    if (hop < 0 && !links && !resources_.injection_blocks()) return std::nullopt;
    const HostId source = route(flow).source;
    const ResourceId resource = hop >= 0 ? resources_.taken_by(hops[static_cast<std::size_t>(hop)], hops)
                                : links  ? resources_.host_link(source)
                                         : resources_.injection(source);
    return resources_.units(resource) == 0 ? std::nullopt : std::optional(resource);
  }

  /// What a packet may wait for whose tail has not left the buffer behind the hop (−2: its process).
  Waiting while_held(std::uint32_t flow, std::int32_t held) const {
    const std::vector<RouteHop>& hops = route(flow).hops;
    Waiting result;
    const auto add = [&](std::int32_t hop) {
      const Waiting& place = at_.at(flow)[slot_after(hop)];
      result.number = std::max(result.number, place.number);
      result.ends.insert(place.ends.begin(), place.ends.end());
    };
    if (hops.size() != route(flow).channels() + 1 || !route(flow).is_path()) {
      std::set<std::int32_t> passed{held};
      for (std::int32_t hop = held; hop >= 0; passed.insert(hop))
        hop = hops[static_cast<std::size_t>(hop)].parent;
      for (std::int32_t hop = -1; slot_after(hop) <= hops.size(); ++hop)
        if (!passed.contains(hop)) add(hop);
      result.ends.insert(flow);
      return result;
    }
    std::uint64_t left = longest_.at(flow);  // flits that do not fit between, with the tail where it is held
    for (std::int32_t hop = held + 1; slot_after(hop) <= hops.size(); ++hop) {
      add(hop);
      const auto of_channel = [&](ChannelId channel) {
        return topology_.own(LinkValue::buffer_flits, channel, model_.buffer_flits);
      };
      const bool is_channel = hop >= 0 && hops[static_cast<std::size_t>(hop)].is_channel();
      std::uint64_t room = is_channel ? of_channel(ChannelId{hops[static_cast<std::size_t>(hop)].target}) : 0;
      if (hop < 0 && topology_.hosts_have_links())
        room = topology_.own(LinkValue::buffer_flits, route(flow).source, false, model_.buffer_flits);
      if (room >= left) return result;
      left -= room;
    }
    result.ends.insert(flow);
    return result;
  }

  const Topology& topology_;
  const RouterModel& model_;
  const BoundProgram& program_;
  Resources resources_;
  std::map<std::uint32_t, std::uint64_t> longest_;  ///< flits, of flows that are sent
  std::map<std::uint32_t, std::vector<Waiting>> at_;
  bool numbered_ = true;
};

}  // namespace wormcast
