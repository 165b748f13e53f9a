// Cutting worms at their stops, one multicast at a time; what other worms wait for stays an arrival.
// Cost: linear in the hops.
// SPDX-License-Identifier: MIT
#include "deadlock/graph/split_worms.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace wormcast {

namespace {

class Splitter {
 public:
  Splitter(const Topology& topology, Routes& routes) : topology_(topology), routes_(routes) {}

  /// True if any worm was cut.
  bool run() {
    const std::vector<WormRoute> worms = std::exchange(routes_.worms, {});
    for (std::uint32_t w = 0; w < worms.size(); ++w) split(worms[w], w);
    for (std::size_t i = 0; i < routes_.worms.size(); ++i) {
      WormRoute& worm = routes_.worms[i];
      if (worm.after >= 0 && first_of_[i])  // an index of before, known by where that worm arrives
        worm.after = static_cast<std::int32_t>(
            arrivals_.at({static_cast<std::uint32_t>(worm.after), worm.source.value}));
    }
    return routes_.worms.size() != worms.size();
  }

 private:
  void split(const WormRoute& worm, std::uint32_t index) {
    const std::size_t hops = worm.hops.size();
    std::vector<std::int32_t> consumed(hops, -1);  // by channel: the consumption hop at its end
    std::vector<std::uint32_t> channels(hops, 0);  // by channel: those that follow it
    for (std::size_t h = 0; h < hops; ++h) {
      const std::int32_t parent = worm.hops[h].parent;
      if (parent < 0) continue;
      if (worm.hops[h].is_channel())
        ++channels[static_cast<std::size_t>(parent)];
      else
        consumed[static_cast<std::size_t>(parent)] = static_cast<std::int32_t>(h);
    }
    std::vector<std::uint32_t> leg_of(hops, 0);  // the new worm that takes a channel
    std::vector<std::int32_t> place(hops, -1);   // the channel's index there
    for (std::size_t h = 0; h < hops; ++h) {
      const RouteHop& hop = worm.hops[h];
      if (!hop.is_channel() && hop.parent >= 0) continue;  // comes with its channel
      const bool at_source = hop.parent < 0;
      const auto parent = static_cast<std::size_t>(hop.parent);
      const bool stop = !at_source && (consumed[parent] >= 0 || channels[parent] > 1);
      if (at_source)
        begin(worm.source, worm.after, true);
      else if (stop)
        begin(host_at(worm.hops[parent]), static_cast<std::int32_t>(leg_of[parent]), false);
      leg_of[h] = at_source || stop ? static_cast<std::uint32_t>(routes_.worms.size() - 1) : leg_of[parent];
      WormRoute& leg = routes_.worms[leg_of[h]];
      leg.header_flits = worm.header_flits;
      RouteHop moved = hop;
      moved.parent = at_source || stop ? -1 : place[parent];
      place[h] = static_cast<std::int32_t>(leg.hops.size());
      leg.hops.push_back(moved);
      if (!hop.is_channel()) {  // a self-send
        arrivals_[{index, hop.target}] = leg_of[h];
      } else if (consumed[h] >= 0 || channels[h] > 1) {
        RouteHop arrival = consumed[h] >= 0 ? worm.hops[static_cast<std::size_t>(consumed[h])] : RouteHop{};
        if (consumed[h] < 0) {
          arrival.kind = RouteHop::Kind::relay;
          arrival.target = host_at(hop).value;
        }
        arrival.parent = place[h];
        leg.hops.push_back(arrival);
        arrivals_[{index, arrival.target}] = leg_of[h];
      }
    }
  }

  void begin(HostId source, std::int32_t after, bool first) {
    WormRoute& leg = routes_.worms.emplace_back();
    leg.source = source;
    leg.after = after;
    first_of_.push_back(first);
  }

  /// On direct networks every router is a host.
  HostId host_at(const RouteHop& channel) const {
    return HostId{topology_.ends(ChannelId{channel.target})->to.value};
  }

  const Topology& topology_;
  Routes& routes_;
  std::vector<bool> first_of_;  ///< by new worm: it begins an old one, `after` is still an old index
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> arrivals_;  ///< (old worm, host)
};

}  // namespace

std::optional<std::vector<Routes>> split_at_stops(const Topology& topology,
                                                  const std::vector<Routes>& routes) {
  std::vector<Routes> result = routes;
  bool any = false;
  for (Routes& multicast : result) any = Splitter(topology, multicast).run() || any;
  if (!any) return std::nullopt;
  return result;
}

}  // namespace wormcast
