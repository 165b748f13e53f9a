// Checks the dual values of the halves of a label-ordered plan.
//
// They are valid if price[j] <= rent(b) + hops(b, j) for every port and every earlier destination b that
// may precede j, and rents are not negative; each destination has one predecessor and each precedes at
// most one, so Σ price − Σ rent bounds the traffic of every star from below. On meshes the earlier
// destinations are checked all at once: the least rent + hops over them is the lower envelope of cones
// over the address, kept in two Fenwick trees in the plane, by going through all pairs elsewhere.
// Cost: O(k log width) in the plane, O(k²) elsewhere.
// cite: Bouchitté, Cohen, Fleury 1997, section 3; duality of the assignment problem.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify_half.hpp"

#include <algorithm>

#include "multicast/verification/verify.hpp"
#include "routing/label_monotone.hpp"

namespace wormcast {

using Hops = StarProblem::Hops;
constexpr Hops far = StarProblem::far;

CheckedHalf::CheckedHalf(const Plan& plan, const RoutingFunction& routing, bool up)
    : routing_(&routing),
      network_(&routing.topology()),
      source_(network_->router_of(plan.request.source)),
      up_(up),
      free_(value_of(plan.options.values(), "first-hop") == "free") {
  for (const HostId host : plan.request.destinations) {
    const NodeId node = network_->router_of(host);
    if (node != source_ && outwards(source_, node)) nodes_.push_back(node);
  }
  std::sort(nodes_.begin(), nodes_.end(), [&](NodeId a, NodeId b) { return outwards(a, b); });
  std::vector<std::pair<NodeId, PortId>> ports;
  for (std::uint32_t p = 0; p < network_->ports(); ++p) {
    const auto to = network_->neighbour(source_, PortId{p});
    if (!to || !outwards(source_, *to)) continue;
    bool usable = false;
    for (std::size_t j = 0; j < nodes_.size() && !usable; ++j)
      usable = first(PortId{p}, *to, nodes_[j]) < far;
    if (usable) ports.emplace_back(*to, PortId{p});
  }
  // The lowest of parallel links comes first, as they stand here.
  std::stable_sort(ports.begin(), ports.end(),
                   [&](const auto& a, const auto& b) { return outwards(a.first, b.first); });
  for (const auto& [node, port] : ports) {
    neighbours_.push_back(node);
    ports_.push_back(port);
  }
}

Hops CheckedHalf::first(PortId port, NodeId neighbour, NodeId to) const {
  if (outwards(to, neighbour)) return far;  // past the destination
  if (free_) return 1 + Hops{routing_->distance(neighbour, to)};
  const RoutingStep step = routing_->next(source_, routing_->first(source_, to, 0), to);
  return step.channel == network_->channel(source_, port) ? Hops{routing_->distance(source_, to)} : far;
}

bool CheckedHalf::in_plane() const { return is_plane_snake(*network_); }

Hops CheckedHalf::furthest() const {
  if (!in_plane()) return furthest_way(*this);
  Hops furthest = 0;
  for (const NodeId node : nodes_) furthest = std::max(furthest, Hops{routing_->distance(source_, node)});
  return furthest;
}

std::string certificate_place(std::size_t index, const char* member) {
  return "certificate[" + std::to_string(index) + "]." + member;
}

bool without_port_limits(const Plan& plan) {
  return value_of(plan.options.values(), "worms-a-port") == "any";
}

namespace {

[[noreturn]] void fail(std::string field, std::string message) {
  throw Violation{std::move(field), std::move(message)};
}

/// Minimum over a prefix of columns.
class PrefixMinimum {
 public:
  explicit PrefixMinimum(std::size_t size) : tree_(size + 1, far) {}
  void lower(std::size_t at, Hops value) {
    for (std::size_t i = at + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] = std::min(tree_[i], value);
  }
  Hops up_to(std::size_t at) const {
    Hops least = far;
    for (std::size_t i = at + 1; i > 0; i -= i & (~i + 1)) least = std::min(least, tree_[i]);
    return least;
  }

 private:
  std::vector<Hops> tree_;
};

/// For every j the least rent[i] + hops(i, j) over i < j; calls visit(j, least).
template <class Visit>
void least_offers(const CheckedHalf& half, const std::vector<Hops>& rents, Visit visit) {
  if (!half.in_plane()) {
    for (std::size_t j = 0; j < half.size(); ++j) {
      Hops least = far;
      for (std::size_t i = 0; i < j; ++i) least = std::min(least, rents[i] + half.leg(i, j));
      visit(j, least);
    }
    return;
  }
  // Rows only grow along the half, so hops = |difference of rows| + |difference of columns|.
  const std::size_t width = half.width();
  PrefixMinimum from_left(width);
  PrefixMinimum from_right(width);
  const std::size_t first_row = half.node(0).value / width;
  for (std::size_t j = 0; j < half.size(); ++j) {
    const std::size_t x = half.node(j).value % width;
    const std::size_t row = half.node(j).value / width;
    const auto y = static_cast<Hops>(row > first_row ? row - first_row : first_row - row);
    const auto column = static_cast<Hops>(x);
    visit(j, y + std::min(from_left.up_to(x) + column, from_right.up_to(width - 1 - x) - column));
    const Hops apex = rents[j] - y;
    from_left.lower(x, apex - column);
    from_right.lower(width - 1 - x, apex + column);
  }
}

/// Σ prices − Σ rents of valid dual values.
Hops proven_traffic(const CheckedHalf& half, const StarDuals& duals, std::size_t index) {
  Hops bound = 0;
  for (const Hops rent : duals.rents) bound -= rent;
  for (const Hops rent : duals.path_rents) bound -= rent;
  least_offers(half, duals.rents, [&](std::size_t j, Hops least) {
    for (std::size_t p = 0; p < half.paths(); ++p)
      least = std::min(least, duals.path_rents[p] + half.first(p, j));
    if (duals.prices[j] > least)
      fail(certificate_place(index, "prices") + "[" + std::to_string(j) + "]",
           "price " + std::to_string(duals.prices[j]) + " of node " + std::to_string(half.node(j).value) +
               " is above " + std::to_string(least) + ", the least rent + hops of what may precede it");
    bound += duals.prices[j];
  });
  return bound;
}

std::vector<Hops> signed_values(const std::vector<std::uint64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

StarDuals duals_of_part(const Plan& plan, std::size_t index, std::size_t size,
                        const std::vector<PortId>& ports) {
  const HalfCertificate& part = plan.certificate[index];
  const auto count = [&](const char* member, std::size_t found) {
    if (found != size)
      fail(certificate_place(index, member), "there are " + std::to_string(found) + " " + member + " for " +
                                                 std::to_string(size) + " destinations");
  };
  count("prices", part.prices.size());
  count("rents", part.rents.size());
  if (part.ports != ports)
    fail(certificate_place(index, "ports"), "these are not the ports by which the half can be reached");
  if (part.port_rents.size() != ports.size())
    fail(certificate_place(index, "port_rents"), "there must be one rent for each port");
  return {signed_values(part.port_rents), signed_values(part.prices), signed_values(part.rents)};
}

std::vector<ProvenHalf> proven_halves(const Plan& plan, const RoutingFunction& routing) {
  const Topology& network = routing.topology();
  const NodeId source = network.router_of(plan.request.source);
  auto destinations = static_cast<std::size_t>(
      std::count_if(plan.request.destinations.begin(), plan.request.destinations.end(),
                    [&](HostId host) { return network.router_of(host) == source; }));
  std::vector<ProvenHalf> halves;
  for (std::size_t i = 0; i < plan.certificate.size(); ++i) {
    const CertifiedPart part = plan.certificate[i].part;
    if (part == CertifiedPart::all)
      fail(certificate_place(i, "half"), "label-ordered stars have halves, \"up\" and \"down\"");
    if (i > 0 && part == plan.certificate[0].part)
      fail(certificate_place(i, "half"), "this half appears twice");
    if (!plan.certificate[i].crowd.empty()) fail(certificate_place(i, "crowd"), "it is for up*/down* stars");
    CheckedHalf half(plan, routing, part == CertifiedPart::up);
    if (half.size() == 0)
      fail(certificate_place(i, "half"), "the multicast has no destinations in this half");
    StarDuals duals = duals_of_part(plan, i, half.size(), half.ports());
    for (const Hops rent : duals.path_rents)
      if (rent > 0 && without_port_limits(plan))
        fail(certificate_place(i, "port_rents"), "any number of worms may leave by a port, so it is worth 0");
    const Hops traffic = proven_traffic(half, duals, i);
    destinations += half.size();
    halves.push_back({std::move(half), std::move(duals), traffic});
  }
  if (destinations != plan.request.destinations.size())
    fail("certificate", "a half with destinations is missing");
  return halves;
}

}  // namespace wormcast
