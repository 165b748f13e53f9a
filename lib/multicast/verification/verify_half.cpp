// Checks the dual values of the halves of a label-ordered plan.
//
// They are valid if price[j] <= rent(b) + hops(b, j) for every port and every earlier destination b that
// may precede j, and rents are not negative; each destination has one predecessor and each precedes at
// most one, so Σ price − Σ rent bounds the traffic of every star from below. Cost: O(k²).
// cite: Bouchitté, Cohen, Fleury 1997, section 3; duality of the assignment problem.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify_parts.hpp"

#include <algorithm>

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

std::vector<Hops> signed_values(const std::vector<std::uint64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

Hops proven_traffic(const StarProblem& stars, const StarDuals& duals, std::size_t index) {
  Hops bound = 0;
  for (const Hops rent : duals.rents) bound -= rent;
  for (const Hops rent : duals.path_rents) bound -= rent;
  for (std::size_t j = 0; j < stars.size(); ++j) {
    Hops least = far;
    for (std::size_t p = 0; p < stars.paths(); ++p)
      least = std::min(least, duals.path_rents[p] + stars.first(p, j));
    for (std::size_t i = 0; i < j; ++i) least = std::min(least, duals.rents[i] + stars.leg(i, j));
    if (duals.prices[j] > least)
      fail(certificate_place(index, "prices") + "[" + std::to_string(j) + "]",
           "price " + std::to_string(duals.prices[j]) + " of " + stars.name(j) + " is above " +
               std::to_string(least) + ", the least rent + hops of what may precede it");
    bound += duals.prices[j];
  }
  return bound;
}

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
