// Whether routes can be simulated.
// SPDX-License-Identifier: MIT
#include "simulation/route_check.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "topology/error.hpp"
#include "topology/resources.hpp"

namespace wormcast {
namespace {

std::string text(std::uint64_t number) { return std::to_string(number); }

class RouteChecker {
 public:
  RouteChecker(const Topology& topology, const RouterModel& model, const Routes& routes)
      : topology_(topology), resources_(topology, model), routes_(routes) {}

  void run() {
    const Request& request = routes_.plan.request;
    if (routes_.worms.empty()) throw InputError("worms", "there is none");
    if (request.destinations.empty()) throw InputError("destinations", "there is none");
    for (std::size_t i = 0; i < routes_.worms.size(); ++i) check_worm(i);
    std::sort(reached_.begin(), reached_.end());
    for (std::size_t i = 0; i < std::max(reached_.size(), request.destinations.size()); ++i) {
      if (i > 0 && i < reached_.size() && reached_[i] == reached_[i - 1])
        throw InputError("worms", "node " + text(reached_[i].value) + " is reached twice");
      if (i >= reached_.size() || (i < request.destinations.size() && request.destinations[i] < reached_[i]))
        throw InputError("worms", "destination " + text(request.destinations[i].value) + " is not reached");
      if (i >= request.destinations.size() || reached_[i] < request.destinations[i])
        throw InputError("worms", "node " + text(reached_[i].value) + " is reached but is no destination");
    }
  }

 private:
  void check_worm(std::size_t index) {
    const WormRoute& worm = routes_.worms[index];
    const std::string field = "worms[" + text(index) + "]";
    if (worm.source.value >= topology_.hosts())
      throw InputError(field + ".source", outside("node", worm.source.value));
    check_start(worm, index, field);
    if (worm.hops.empty()) throw InputError(field + ".hops", "there is none");
    used_.clear();
    std::vector<bool> followed(worm.hops.size());
    for (std::size_t i = 0; i < worm.hops.size(); ++i) {
      const std::string place = field + ".hops[" + text(i) + "]";
      const std::int32_t parent = worm.hops[i].parent;
      if (parent < -1 || parent >= static_cast<std::int32_t>(i) ||
          (parent >= 0 && !worm.hops[static_cast<std::size_t>(parent)].is_channel()))
        throw InputError(field + ".hop_parents[" + text(i) + "]",
                         std::to_string(parent) + " is no channel before it");
      if (parent >= 0) followed[static_cast<std::size_t>(parent)] = true;
      check_hop(worm, worm.hops[i], place);
    }
    for (std::size_t i = 0; i < worm.hops.size(); ++i)
      if (worm.hops[i].is_channel() && !followed[i])
        throw InputError(field + ".hops[" + text(i) + "]", "a channel that nothing follows");
    std::sort(used_.begin(), used_.end());
    const auto twice = std::adjacent_find(used_.begin(), used_.end());
    if (twice != used_.end()) throw InputError(field + ".hops", "the worm uses " + name(*twice) + " twice");
  }

  void check_start(const WormRoute& worm, std::size_t index, const std::string& field) const {
    if (worm.after < 0) {
      if (worm.source == routes_.plan.request.source) return;
      throw InputError(field + ".source",
                       "node " + text(worm.source.value) +
                           " has nothing to send: it is not the multicast's source, and the "
                           "worm is not after another");
    }
    if (worm.after >= static_cast<std::int32_t>(index))
      throw InputError(field + ".after", std::to_string(worm.after) + " is no worm before it");
    for (const RouteHop& hop : routes_.worms[static_cast<std::size_t>(worm.after)].hops)
      if (!hop.is_channel() && hop.target == worm.source.value) return;
    throw InputError(field + ".after", "worm " + std::to_string(worm.after) + " does not reach node " +
                                           text(worm.source.value));
  }

  void check_hop(const WormRoute& worm, const RouteHop& hop, const std::string& place) {
    NodeId at = topology_.router_of(worm.source);
    std::optional<ChannelId> input;
    std::uint32_t vc = 0;
    if (hop.parent >= 0) {
      const RouteHop& before = worm.hops[static_cast<std::size_t>(hop.parent)];
      input = ChannelId{before.target};
      vc = before.vc;
      at = topology_.ends(*input)->to;
    }
    if (hop.is_channel()) {
      const auto ends = topology_.ends(ChannelId{hop.target});
      if (!ends) throw InputError(place, outside("channel", hop.target));
      if (ends->from != at)
        throw InputError(place, "channel " + text(hop.target) + " leaves node " + text(ends->from.value) +
                                    ", but the worm is at node " + text(at.value));
      const std::uint32_t limit = topology_.spec().virtual_channels;
      if (hop.vc >= kVirtualChannels || (limit > 0 && hop.vc >= limit))
        throw InputError(
            place, "virtual channel " + text(hop.vc) + " of " + text(limit > 0 ? limit : kVirtualChannels));
      used_.push_back(resources_.network(ChannelId{hop.target}, hop.vc));
      return;
    }
    if (hop.target >= topology_.hosts()) throw InputError(place, outside("node", hop.target));
    const HostId host{hop.target};
    if (topology_.router_of(host) != at)
      throw InputError(place,
                       "node " + text(hop.target) + " cannot be reached from router " + text(at.value));
    used_.push_back(resources_.consumption(host, input, vc));
    if (hop.kind == RouteHop::Kind::deliver) reached_.push_back(host);
  }

  std::string outside(const char* kind, std::uint64_t number) const {
    return std::string(kind) + " " + text(number) + " is not in topology " + topology_.name();
  }

  std::string name(ResourceId id) const {
    const Resource resource = resources_.describe(id);
    if (resource.kind == Resource::Kind::consumption)
      return "the consumption channel of node " + text(resource.host.value);
    return "channel " + text(resource.channel.value) + ", virtual channel " + text(resource.vc) + ",";
  }

  static constexpr std::uint32_t kVirtualChannels = 255;

  const Topology& topology_;
  Resources resources_;
  const Routes& routes_;
  std::vector<HostId> reached_;
  std::vector<ResourceId> used_;  ///< by the worm under test
};

}  // namespace

void check_routes(const Topology& topology, const RouterModel& model, const Routes& routes) {
  RouteChecker(topology, model, routes).run();
}

}  // namespace wormcast
