// Checks the dual values of a plan, and searches for a shorter star where they do not settle it.
//
// A certificate is valid if price[j] <= rent(b) + hops(b, j) for every port and every earlier
// destination b that may precede j, and rents are not negative; each destination has one predecessor
// and each precedes at most one, so Σ price − Σ rent bounds the traffic of every star from below. On
// meshes the earlier destinations are checked all at once: the least rent + hops over them is the
// lower envelope of cones over the address, kept in two Fenwick trees in the plane, by going through
// all pairs elsewhere. For the longest path, the bound divided by the number of ports often equals
// what the plan has. Where it does not, the report's own recurrence (pairs of ends, lengths of both
// paths) is run for stars shorter than the plan's; more than two ports are left undecided.
// Cost: O(k log width) in the plane, O(k²) elsewhere; the recurrence O(k² · hops).
// cite: Bouchitté, Cohen, Fleury 1997, sections 3 and 4.
// SPDX-License-Identifier: MIT
#include "multicast/verify_certificate.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace wormcast {
namespace {

using Wide = std::int64_t;
constexpr Wide far = std::numeric_limits<Wide>::max() / 4;
/// Most entries the recurrence may hold before the check is given up.
constexpr std::size_t most_entries = std::size_t{1} << 20;

std::string half_place(std::size_t index, const char* member) {
  return "certificate[" + std::to_string(index) + "]." + member;
}

[[noreturn]] void fail(std::string field, std::string message) {
  throw Violation{std::move(field), std::move(message)};
}

/// One half as the definitions give it.
class Half {
 public:
  Half(const Plan& plan, const RoutingFunction& routing, bool up)
      : routing_(routing),
        network_(routing.topology()),
        source_(network_.router_of(plan.request.source)),
        up_(up) {
    for (const auto& [key, value] : plan.options)
      if (key == "first-hop") free_ = value == "free";
    for (const HostId host : plan.request.destinations) {
      const NodeId node = network_.router_of(host);
      if (node != source_ && outwards(source_, node)) nodes_.push_back(node);
    }
    std::sort(nodes_.begin(), nodes_.end(), [&](NodeId a, NodeId b) { return outwards(a, b); });
    std::vector<std::pair<NodeId, PortId>> ports;
    for (std::uint32_t p = 0; p < network_.ports(); ++p) {
      const auto to = network_.neighbour(source_, PortId{p});
      if (!to || !outwards(source_, *to)) continue;
      bool usable = false;
      for (std::size_t j = 0; j < nodes_.size() && !usable; ++j) usable = first(*to, nodes_[j]) < far;
      for (const auto& known : ports) usable = usable && known.first != *to;
      if (usable) ports.emplace_back(*to, PortId{p});
    }
    std::sort(ports.begin(), ports.end(),
              [&](const auto& a, const auto& b) { return outwards(a.first, b.first); });
    for (const auto& [node, port] : ports) {
      neighbours_.push_back(node);
      ports_.push_back(port);
    }
  }

  std::size_t size() const { return nodes_.size(); }
  const std::vector<PortId>& ports() const { return ports_; }
  NodeId node(std::size_t j) const { return nodes_[j]; }
  Wide first(std::size_t port, std::size_t j) const { return first(neighbours_[port], nodes_[j]); }
  Wide leg(std::size_t i, std::size_t j) const { return routing_.distance(nodes_[i], nodes_[j]); }
  const RoutingFunction& routing() const { return routing_; }

 private:
  bool outwards(NodeId a, NodeId b) const {
    return up_ ? network_.label(a) < network_.label(b) : network_.label(b) < network_.label(a);
  }
  Wide first(NodeId neighbour, NodeId to) const {
    if (outwards(to, neighbour)) return far;  // past the destination
    if (free_) return 1 + Wide{routing_.distance(neighbour, to)};
    const RoutingStep step = routing_.next(source_, routing_.first(source_, to, 0), to);
    return step.to == neighbour ? Wide{routing_.distance(source_, to)} : far;
  }

  const RoutingFunction& routing_;
  const Topology& network_;
  NodeId source_;
  bool up_;
  bool free_ = false;
  std::vector<NodeId> nodes_;
  std::vector<NodeId> neighbours_;
  std::vector<PortId> ports_;
};

/// Minimum over a prefix of columns.
class PrefixMinimum {
 public:
  explicit PrefixMinimum(std::size_t size) : tree_(size + 1, far) {}
  void lower(std::size_t at, Wide value) {
    for (std::size_t i = at + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] = std::min(tree_[i], value);
  }
  Wide up_to(std::size_t at) const {
    Wide least = far;
    for (std::size_t i = at + 1; i > 0; i -= i & (~i + 1)) least = std::min(least, tree_[i]);
    return least;
  }

 private:
  std::vector<Wide> tree_;
};

bool in_plane(const Topology& network) {
  return network.spec().family == "mesh" && network.spec().labels.empty() &&
         network.grid()->dimensions() <= 2;
}

/// For every j the least rent[i] + hops(i, j) over i < j; calls visit(j, least).
template <class Visit>
void least_offers(const Half& half, const std::vector<std::uint64_t>& rents, Visit visit) {
  const Topology& network = half.routing().topology();
  if (!in_plane(network)) {
    for (std::size_t j = 0; j < half.size(); ++j) {
      Wide least = far;
      for (std::size_t i = 0; i < j; ++i)
        least = std::min(least, static_cast<Wide>(rents[i]) + half.leg(i, j));
      visit(j, least);
    }
    return;
  }
  // Rows only grow along the half, so hops = |difference of rows| + |difference of columns|.
  const std::size_t width = network.grid()->dims()[0];
  PrefixMinimum from_left(width);
  PrefixMinimum from_right(width);
  const std::size_t first_row = half.node(0).value / width;
  for (std::size_t j = 0; j < half.size(); ++j) {
    const std::size_t x = half.node(j).value % width;
    const std::size_t row = half.node(j).value / width;
    const auto y = static_cast<Wide>(row > first_row ? row - first_row : first_row - row);
    const auto column = static_cast<Wide>(x);
    visit(j, y + std::min(from_left.up_to(x) + column, from_right.up_to(width - 1 - x) - column));
    const Wide apex = static_cast<Wide>(rents[j]) - y;
    from_left.lower(x, apex - column);
    from_right.lower(width - 1 - x, apex + column);
  }
}

/// Σ prices − Σ rents of a valid certificate of this half.
Wide proven_traffic(const Half& half, const HalfCertificate& certificate, std::size_t index) {
  if (certificate.prices.size() != half.size())
    fail(half_place(index, "prices"), "there are " + std::to_string(certificate.prices.size()) +
                                          " prices for " + std::to_string(half.size()) + " destinations");
  if (certificate.rents.size() != half.size())
    fail(half_place(index, "rents"), "there are " + std::to_string(certificate.rents.size()) + " rents for " +
                                         std::to_string(half.size()) + " destinations");
  if (certificate.ports != half.ports())
    fail(half_place(index, "ports"), "these are not the ports by which the half can be reached");
  if (certificate.port_rents.size() != half.ports().size())
    fail(half_place(index, "port_rents"), "there must be one rent for each port");
  Wide bound = 0;
  for (const std::uint64_t rent : certificate.rents) bound -= static_cast<Wide>(rent);
  for (const std::uint64_t rent : certificate.port_rents) bound -= static_cast<Wide>(rent);
  least_offers(half, certificate.rents, [&](std::size_t j, Wide least) {
    for (std::size_t p = 0; p < half.ports().size(); ++p)
      least = std::min(least, static_cast<Wide>(certificate.port_rents[p]) + half.first(p, j));
    const auto price = static_cast<Wide>(certificate.prices[j]);
    if (price > least)
      fail(half_place(index, "prices") + "[" + std::to_string(j) + "]",
           "price " + std::to_string(price) + " of node " + std::to_string(half.node(j).value) +
               " is above " + std::to_string(least) + ", the least rent + hops of what may precede it");
    bound += price;
  });
  return bound;
}

/// The report's recurrence: can two paths serve the half with at most `limit` hops each? State after
/// destination i: one path ends there, the other at `end` (destinations from 2, unused ports 0 and 1);
/// of the pairs of lengths only those are kept that no other one undercuts, and that leave room: what
/// is still to be visited costs its prices less the rents of all that may precede it, which the valid
/// certificate proves.
bool has_star_within(const Half& half, const HalfCertificate& certificate, Wide limit) {
  using Lengths = std::map<Wide, Wide>;  // length of the path at i → least length of the other
  const std::size_t ports = half.ports().size();
  std::vector<Wide> rest(half.size() + 1, 0);  // of destinations from i on, their own rents taken off
  for (std::size_t i = half.size(); i-- > 0;)
    rest[i] =
        rest[i + 1] + static_cast<Wide>(certificate.prices[i]) - static_cast<Wide>(certificate.rents[i]);
  const auto rent_of = [&](std::size_t end) {
    return static_cast<Wide>(end >= 2     ? certificate.rents[end - 2]
                             : ports == 2 ? certificate.port_rents[end]
                                          : 0);
  };
  std::map<std::size_t, Lengths> states;
  std::size_t at = 0;  // the destination that the states offered stand at
  const auto offer = [&](std::map<std::size_t, Lengths>& to, std::size_t end, Wide here, Wide other) {
    if (here > limit || other > limit) return;
    const Wide to_come = rest[at + 1] - static_cast<Wide>(certificate.rents[at]) - rent_of(end);
    if (here + other + to_come > static_cast<Wide>(ports) * limit) return;
    Lengths& lengths = to[end];
    auto after = lengths.upper_bound(here);
    if (after != lengths.begin() && std::prev(after)->second <= other) return;
    while (after != lengths.end() && after->second >= other) after = lengths.erase(after);
    lengths[here] = other;
  };
  for (std::size_t p = 0; p < ports; ++p) offer(states, ports == 1 ? 0 : 1 - p, half.first(p, 0), 0);
  for (std::size_t i = 0; i + 1 < half.size(); ++i) {
    std::map<std::size_t, Lengths> next;
    at = i + 1;
    std::size_t entries = 0;
    const Wide onwards = half.leg(i, i + 1);
    for (const auto& [end, lengths] : states) {
      Wide jump = far;
      if (end >= 2)
        jump = half.leg(end - 2, i + 1);
      else if (ports == 2)
        jump = half.first(end, i + 1);
      for (const auto& [here, other] : lengths) {
        offer(next, end, here + onwards, other);
        if (jump < far) offer(next, i + 2, other + jump, here);
      }
      entries += lengths.size();
    }
    if (entries > most_entries)
      fail("certificate",
           "the longest path is not settled by the bound, and the search for a shorter star is too large");
    states = std::move(next);
  }
  return !states.empty();
}

void check_longest(const Plan& plan, const RoutingFunction& routing, const std::vector<Wide>& traffic) {
  const auto longest = static_cast<Wide>(*plan.longest_path_hops);
  std::vector<Half> halves;
  for (std::size_t i = 0; i < plan.certificate.size(); ++i) {
    halves.emplace_back(plan, routing, plan.certificate[i].up);
    const auto ports = static_cast<Wide>(halves.back().ports().size());
    if ((traffic[i] + ports - 1) / ports >= longest) return;
  }
  bool undecided = false;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    if (halves[i].ports().size() > 2)
      undecided = true;
    else if (!has_star_within(halves[i], plan.certificate[i], longest - 1))
      return;
  }
  if (undecided)
    fail("certificate", "the longest path is not settled by the bound, and a half has more than two ports");
  fail("longest_path_hops", "a star whose longest path is below " + std::to_string(longest) + " exists");
}

}  // namespace

std::optional<Violation> check_certificate(const Plan& plan, const RoutingFunction& routing) {
  if (plan.certificate.empty()) return std::nullopt;
  if (plan.planner != "ocms" && plan.planner != "otms")
    return Violation{"certificate", "only ocms and otms plans carry certificates"};
  if (!plan.traffic_channels || !plan.longest_path_hops)
    return Violation{"certificate", "the plan states no traffic_channels and longest_path_hops to certify"};
  const Topology& network = routing.topology();
  const NodeId source = network.router_of(plan.request.source);
  auto destinations = static_cast<std::size_t>(
      std::count_if(plan.request.destinations.begin(), plan.request.destinations.end(),
                    [&](HostId host) { return network.router_of(host) == source; }));
  Wide total = 0;
  std::vector<Wide> traffic;
  for (std::size_t i = 0; i < plan.certificate.size(); ++i) {
    if (i > 0 && plan.certificate[i].up == plan.certificate[0].up)
      fail(half_place(i, "half"), "this half stands twice");
    const Half half(plan, routing, plan.certificate[i].up);
    if (half.size() == 0) fail(half_place(i, "half"), "the multicast has no destinations in this half");
    traffic.push_back(proven_traffic(half, plan.certificate[i], i));
    total += traffic.back();
    destinations += half.size();
  }
  if (destinations != plan.request.destinations.size())
    return Violation{"certificate", "a half with destinations is missing"};
  if (plan.planner == "otms") {
    check_longest(plan, routing, traffic);
    return std::nullopt;
  }
  if (total != static_cast<Wide>(*plan.traffic_channels))
    return Violation{"certificate", "it proves a least traffic of " + std::to_string(total) +
                                        ", the plan has " + std::to_string(*plan.traffic_channels)};
  return std::nullopt;
}

}  // namespace wormcast
