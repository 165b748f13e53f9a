// Draws from one stream of random numbers for each multicast, a number for each worm in their order.
// SPDX-License-Identifier: MIT
#include "multicast/expansion/expand.hpp"

#include <charconv>
#include <string>

#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"

namespace wormcast {

std::uint64_t routing_seed(std::string_view text) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 53) - 1;
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size() || seed > most)
    throw InputError("--" + std::string(routing_seed_option),
                     "'" + std::string(text) + "' is not an integer from 0 to " + std::to_string(most));
  return seed;
}

void draw_classes(const RoutingFunction& routing, std::uint64_t seed, std::uint64_t id,
                  std::vector<Worm>& worms) {
  const Topology& network = routing.topology();
  Random random = RandomStreams(seed, routing_seed_option).stream(id);
  for (Worm& worm : worms) {
    const NodeId source = network.router_of(worm.source);
    const Stop& stop = worm.stops.front();
    const NodeId to =
        stop.action == StopAction::branch ? NodeId{stop.node} : network.router_of(HostId{stop.node});
    if (source == to) continue;
    const auto index = static_cast<std::uint32_t>(random.below(routing.choices(source, to)));
    worm.vc_class = routing.choice(source, to, index);
  }
}

}  // namespace wormcast
