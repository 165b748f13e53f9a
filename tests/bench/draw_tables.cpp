// Draws a network of switches with a host each and its forwarding tables, up*/down* by the shortest ways that
// go down before they go up: records on stdout. Usage: draw-tables SWITCHES PORTS LEVELS GROUPS. With several
// levels, pairs are spread over them and each has a virtual channel of its own; a group is what joins 300
// hosts in the spanning tree.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Way {
  int there;  ///< the router at its end
  int port;   ///< 2i and 2i + 1: link i and back, as records count them
};

struct Network {
  std::vector<std::pair<int, int>> links;
  std::vector<std::vector<Way>> ways;  ///< of a router
  std::vector<int> depth, order;       ///< from router 0; all routers by (depth, number)

  void join(int a, int b) {
    const int port = 2 * static_cast<int>(links.size());
    links.emplace_back(a, b);
    ways[std::size_t(a)].push_back({b, port});
    ways[std::size_t(b)].push_back({a, port + 1});
  }
  bool up(int from, int to) const {
    return std::pair(depth[std::size_t(to)], to) < std::pair(depth[std::size_t(from)], from);
  }
};

Network drawn(int routers, int ports, std::mt19937& random) {
  Network network;
  network.ways.resize(std::size_t(routers));
  const auto below = [&](int n) { return static_cast<int>(random() % unsigned(n)); };
  for (int router = 1; router < routers; ++router) {
    int other = below(router);
    while (int(network.ways[std::size_t(other)].size()) >= ports - 1) other = below(router);
    network.join(other, router);
  }
  std::vector<int> open;  // ports
  for (int router = 0; router < routers; ++router)
    open.insert(open.end(), std::size_t(ports) - network.ways[std::size_t(router)].size(), router);
  for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[random() % i]);
  for (std::size_t i = 0; i + 1 < open.size(); i += 2)
    if (open[i] != open[i + 1]) network.join(open[i], open[i + 1]);
  network.depth.assign(std::size_t(routers), -1);
  network.depth[0] = 0;
  network.order = {0};
  for (std::size_t i = 0; i < network.order.size(); ++i)
    for (const int router = network.order[i]; const Way& way : network.ways[std::size_t(router)])
      if (int& depth = network.depth[std::size_t(way.there)]; depth < 0) {
        depth = network.depth[std::size_t(router)] + 1;
        network.order.push_back(way.there);
      }
  std::sort(network.order.begin(), network.order.end(), [&](int a, int b) { return network.up(b, a); });
  return network;
}

/// The port of each router towards a host; ~host at its own.
std::vector<int> ports_towards(const Network& network, int host) {
  const std::size_t routers = network.ways.size();
  std::vector<int> port(routers), distance(routers, -1), reached = {host};
  port[std::size_t(host)] = ~host;
  distance[std::size_t(host)] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)  // whence the way goes down alone
    for (const int router = reached[i]; const Way& way : network.ways[std::size_t(router)])
      if (const std::size_t there = std::size_t(way.there);
          distance[there] < 0 && network.up(router, way.there)) {
        distance[there] = distance[std::size_t(router)] + 1;
        port[there] = way.port ^ 1;
        reached.push_back(way.there);
      }
  for (const int router : network.order) {  // else up, where the way from there is shortest
    if (const std::size_t here = std::size_t(router); distance[here] < 0)
      for (const Way& way : network.ways[here])
        if (const int rest = distance[std::size_t(way.there)];
            network.up(router, way.there) && (distance[here] < 0 || rest + 1 < distance[here])) {
          distance[here] = rest + 1;
          port[here] = way.port;
        }
  }
  return port;
}

using Group = std::vector<std::set<int>>;  ///< ports of a router

Group drawn_group(const Network& network, std::mt19937& random) {
  Group group(network.ways.size());
  for (int member = 0; member < 300; ++member) {
    int router = static_cast<int>(random() % network.ways.size());
    group[std::size_t(router)].insert(~router);
    while (router != 0) {
      const auto& ways = network.ways[std::size_t(router)];
      const Way& up = *std::find_if(ways.begin(), ways.end(), [&](const Way& way) {
        return network.depth[std::size_t(way.there)] < network.depth[std::size_t(router)];
      });
      group[std::size_t(router)].insert(up.port);
      if (!group[std::size_t(up.there)].insert(up.port ^ 1).second) break;
      router = up.there;
    }
  }
  return group;
}

void print_topology(const Network& network, int levels) {
  std::vector<int> hosts(network.ways.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  fmt::print(R"({{"kind":"topology","format":1,"family":"graph","routers":{},)", hosts.size());
  if (levels > 1) fmt::print(R"("virtual_channels":{},)", levels);
  fmt::print(R"("hosts":[{}],"links":[)", fmt::join(hosts, ","));
  for (std::size_t i = 0; i < network.links.size(); ++i)
    fmt::print(R"({}{{"ends":[{},{}]}})", i ? "," : "", network.links[i].first, network.links[i].second);
  fmt::print("]}}\n");
}

void print_levels(int router, int routers, int levels, const std::vector<int>& ports) {
  std::vector<int> channels(16);
  for (std::size_t i = 0; i < channels.size(); ++i) channels[i] = int(i) % levels;
  fmt::print(R"(,"sl2vl":[{{"in":[{0}],"out":[{0}],"vcs":[{1}]}}],"service_levels":[)", fmt::join(ports, ","),
             fmt::join(channels, ","));
  for (int level = 0; level < levels; ++level) {
    std::vector<int> hosts;
    for (int host = 0; host < routers; ++host)
      if ((host + router) % levels == level) hosts.push_back(host);
    fmt::print(R"({}{{"level":{},"sources":[{}],"destinations":[{}]}})", level ? "," : "", level, router,
               fmt::join(hosts, ","));
  }
  fmt::print("]");
}

void print_groups(std::size_t router, int levels, const std::vector<Group>& groups) {
  const char* before = ",\"multicast\":[";
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i][router].size() > 1) {
      fmt::print(R"({}{{"group":"g{}","hops":[{}])", std::exchange(before, ","), i,
                 fmt::join(groups[i][router], ","));
      if (levels > 1) fmt::print(R"(,"service_level":{})", i % std::size_t(levels));
      fmt::print("}}");
    }
  if (before == std::string_view(",")) fmt::print("]");
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  const int routers = std::atoi(words[1]), levels = std::atoi(words[3]), groups = std::atoi(words[4]);
  std::mt19937 random(7);  // NOLINT: the same tables each time
  const Network network = drawn(routers, std::atoi(words[2]), random);
  print_topology(network, levels);
  std::vector<std::vector<int>> towards;
  for (int host = 0; host < routers; ++host) towards.push_back(ports_towards(network, host));
  std::vector<Group> all;
  for (int i = 0; i < groups; ++i) all.push_back(drawn_group(network, random));
  for (int router = 0; router < routers; ++router) {
    std::map<int, std::vector<int>> by_port = {{~router, {}}};
    for (const Way& way : network.ways[std::size_t(router)]) by_port[way.port];
    std::vector<int> ports;
    for (int host = 0; host < routers; ++host)
      by_port[towards[std::size_t(host)][std::size_t(router)]].push_back(host);
    fmt::print(R"({{"kind":"tables","router":{},"unicast":[)", router);
    for (const auto& [port, hosts] : by_port) {
      if (!hosts.empty())
        fmt::print(R"({}{{"hop":{},"destinations":[{}]}})", port == ~router ? "" : ",", port,
                   fmt::join(hosts, ","));
      ports.push_back(port);
    }
    fmt::print("]");
    print_groups(std::size_t(router), levels, all);
    if (levels > 1) print_levels(router, routers, levels, ports);
    fmt::print("}}\n");
  }
  fmt::print("{{\"kind\":\"end\"}}\n");
}
