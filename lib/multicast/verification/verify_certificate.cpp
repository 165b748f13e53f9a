// Holds an optimal plan against its dual values, and searches for a better star where they do not settle it.
//
// Dual values are valid if price[j] <= rent(b) + hops(b, j) for every port and every earlier destination b
// that may precede j, and rents are not negative; each destination has one predecessor and each precedes at
// most one, so Σ price − Σ rent bounds the traffic of every star from below. A label-ordered star has two
// halves. An up*/down* worm goes up and down to its first stop and only down from there on: destination j may
// follow i if j's router lies below i's. That W − 1 worms a port are too few there is shown by a crowd of
// destinations: more than all that could precede them, ports counted W − 1 times (Hall's condition for a
// matching). For the longest path, the least traffic divided by the number of paths, or the way to the
// furthest destination, often equals what the plan has. Where neither does, the report's own recurrence
// (verify_search) is run for stars shorter than the plan's.
// Cost: O(k²) distances; the recurrence is exponential in the ports, up to a limit.
// cite: Bouchitté, Cohen, Fleury 1997, sections 3 and 4; duality of the assignment problem; Hall 1935.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <tuple>

#include "multicast/verification/verify_parts.hpp"
#include "routing/up_down.hpp"

namespace wormcast {
namespace {

using Hops = StarProblem::Hops;
constexpr Hops far = StarProblem::far;

/// One half as the definitions give it.
class CheckedHalf final : public StarProblem {
 public:
  /// `routing` must outlive it.
  CheckedHalf(const Plan& plan, const RoutingFunction& routing, bool up)
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

  std::size_t size() const override { return nodes_.size(); }
  std::size_t paths() const override { return neighbours_.size(); }
  std::size_t kind(std::size_t path) const override { return neighbours_[path].value; }
  Hops first(std::size_t path, std::size_t j) const override {
    return first(ports_[path], neighbours_[path], nodes_[j]);
  }
  Hops leg(std::size_t i, std::size_t j) const override { return routing_->distance(nodes_[i], nodes_[j]); }

  const std::vector<PortId>& ports() const { return ports_; }
  std::string name(std::size_t j) const override { return "node " + std::to_string(nodes_[j].value); }

 private:
  bool outwards(NodeId a, NodeId b) const {
    return up_ ? network_->label(a) < network_->label(b) : network_->label(b) < network_->label(a);
  }
  Hops first(PortId port, NodeId neighbour, NodeId to) const {
    if (outwards(to, neighbour)) return far;  // past the destination
    if (free_) return 1 + Hops{routing_->distance(neighbour, to)};
    const RoutingStep step = routing_->next(source_, routing_->first(source_, to, 0), to);
    return step.channel == network_->channel(source_, port) ? Hops{routing_->distance(source_, to)} : far;
  }

  const RoutingFunction* routing_;
  const Topology* network_;
  NodeId source_;
  bool up_;
  bool free_;
  std::vector<NodeId> nodes_;
  std::vector<NodeId> neighbours_;
  std::vector<PortId> ports_;
};

/// Σ prices − Σ rents of the dual values of part `index`: no star has fewer channels. Throws Violation where
/// they are not valid.
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
      fail(indexed("certificate", index, ".prices", j),
           "price {} of {} is above {}, the least rent + hops of what may precede it", duals.prices[j],
           stars.name(j), least);
    bound += duals.prices[j];
  }
  return bound;
}

/// The dual values of part `index`, by the number of destinations and the ports of the problem. Throws
/// Violation where they do not fit.
StarDuals duals_of_part(const Plan& plan, std::size_t index, std::size_t size,
                        const std::vector<PortId>& ports) {
  const HalfCertificate& part = plan.certificate[index];
  const auto count = [&](const char* member, std::size_t found) {
    if (found != size)
      fail(indexed("certificate", index, std::string(".") + member), "there are {} {} for {} destinations",
           found, member, size);
  };
  count("prices", part.prices.size());
  count("rents", part.rents.size());
  if (part.ports != ports)
    fail(indexed("certificate", index, ".ports"), "these are not the ports by which the half can be reached");
  if (part.port_rents.size() != ports.size())
    fail(indexed("certificate", index, ".port_rents"), "there must be one rent for each port");
  const auto signed_values = [](const std::vector<std::uint64_t>& values) {
    return std::vector<Hops>(values.begin(), values.end());
  };
  return {signed_values(part.port_rents), signed_values(part.prices), signed_values(part.rents)};
}

/// All halves of a plan that have destinations.
std::vector<ProvenStars> proven_halves(const Plan& plan, const RoutingFunction& routing) {
  const Topology& network = routing.topology();
  const NodeId source = network.router_of(plan.request.source);
  auto destinations = static_cast<std::size_t>(
      std::count_if(plan.request.destinations.begin(), plan.request.destinations.end(),
                    [&](HostId host) { return network.router_of(host) == source; }));
  std::vector<ProvenStars> halves;
  for (std::size_t i = 0; i < plan.certificate.size(); ++i) {
    const CertifiedPart part = plan.certificate[i].part;
    if (part == CertifiedPart::all)
      fail(indexed("certificate", i, ".half"), "label-ordered stars have halves, \"up\" and \"down\"");
    if (i > 0 && part == plan.certificate[0].part)
      fail(indexed("certificate", i, ".half"), "this half appears twice");
    if (!plan.certificate[i].crowd.empty())
      fail(indexed("certificate", i, ".crowd"), "it is for up*/down* stars");
    auto half = std::make_unique<const CheckedHalf>(plan, routing, part == CertifiedPart::up);
    if (half->size() == 0)
      fail(indexed("certificate", i, ".half"), "the multicast has no destinations in this half");
    StarDuals duals = duals_of_part(plan, i, half->size(), half->ports());
    for (const Hops rent : duals.path_rents)
      if (rent > 0 && without_port_limits(plan))
        fail(indexed("certificate", i, ".port_rents"),
             "any number of worms may leave by a port, so it is worth 0");
    const Hops traffic = proven_traffic(*half, duals, i);
    destinations += half->size();
    halves.push_back({std::move(half), std::move(duals), traffic});
  }
  if (destinations != plan.request.destinations.size())
    fail("certificate", "a half with destinations is missing");
  return halves;
}

Hops hops(std::uint32_t distance) { return distance == unreachable ? far : Hops{distance}; }

/// The star problem of an ocms-up-down or otms-up-down plan as the definitions give it.
class CheckedUpDown final : public StarProblem {
 public:
  /// `routing` must outlive it. Throws Violation if the plan does not state how many worms a port may send.
  CheckedUpDown(const Plan& plan, const RoutingFunction& routing) : setup_(routing.up_down()) {
    const Topology& network = routing.topology();
    const NodeId source = network.router_of(plan.request.source);
    for (const HostId host : plan.request.destinations)
      if (network.router_of(host) != source) nodes_.push_back(network.router_of(host));
    std::sort(nodes_.begin(), nodes_.end(), [&](NodeId a, NodeId b) {
      return std::tuple(setup_->level(a), a) < std::tuple(setup_->level(b), b);
    });
    if (value_of(plan.options.values(), "same-router") == "together")
      nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    const bool free = value_of(plan.options.values(), "first-hop") == "free";
    for (const Arc& arc : setup_->arcs(source)) {
      std::vector<Hops> row;
      for (const NodeId to : nodes_) {
        if (free) {
          row.push_back(1 + hops(arc.up ? setup_->distance(arc.to, to) : setup_->down_distance(arc.to, to)));
        } else {
          const bool taken = routing.next(source, routing.first(source, to, 0), to).channel == arc.channel;
          row.push_back(taken ? hops(setup_->distance(source, to)) : far);
        }
        row.back() = std::min(row.back(), far);
      }
      if (std::all_of(row.begin(), row.end(), [](Hops h) { return h >= far; })) continue;
      ports_.push_back(arc.port);
      firsts_.insert(firsts_.end(), row.begin(), row.end());
    }
    const auto stated = std::find_if(plan.facts.begin(), plan.facts.end(),
                                     [](const auto& fact) { return fact.first == "worms_a_port"; });
    if (stated == plan.facts.end() || stated->second == 0 ||
        stated->second > std::max<std::size_t>(1, nodes_.size()))
      fail("facts", "worms_a_port, which is certified, is not stated or not possible");
    worms_a_port_ = stated->second;
  }

  std::size_t size() const override { return nodes_.size(); }
  std::size_t paths() const override { return ports_.size() * worms_a_port_; }
  std::size_t kind(std::size_t path) const override { return path / worms_a_port_; }
  Hops first(std::size_t path, std::size_t j) const override { return firsts_[kind(path) * size() + j]; }
  Hops leg(std::size_t i, std::size_t j) const override {
    return nodes_[i] == nodes_[j] ? far : hops(setup_->down_distance(nodes_[i], nodes_[j]));
  }

  const std::vector<PortId>& ports() const { return ports_; }
  std::size_t worms_a_port() const { return worms_a_port_; }
  std::string name(std::size_t j) const override { return "router " + std::to_string(nodes_[j].value); }

 private:
  const UpDownSetup* setup_;
  std::vector<NodeId> nodes_;  ///< routers of the destinations, or each once if a worm serves all of a router
  std::vector<PortId> ports_;
  std::vector<Hops> firsts_;  ///< [port][destination]
  std::size_t worms_a_port_ = 1;
};

/// Those that W − 1 worms a port cannot serve.
void check_crowd(const Plan& plan, const CheckedUpDown& stars) {
  const std::vector<std::uint64_t>& crowd = plan.certificate[0].crowd;
  const std::string place = indexed("certificate", 0, ".crowd");
  if (stars.worms_a_port() == 1) {
    if (!crowd.empty()) fail(place, "one worm a port needs no reason");
    return;
  }
  for (std::size_t i = 0; i < crowd.size(); ++i)
    if (crowd[i] >= stars.size() || (i > 0 && crowd[i] <= crowd[i - 1]))
      fail(place, "these are not indices of destinations in ascending order");
  std::size_t before = 0;
  for (std::size_t p = 0; p < stars.paths(); p += stars.worms_a_port())
    if (std::any_of(crowd.begin(), crowd.end(), [&](std::uint64_t j) { return stars.first(p, j) < far; }))
      before += stars.worms_a_port() - 1;
  for (std::size_t i = 0; i < stars.size(); ++i)
    if (std::any_of(crowd.begin(), crowd.end(),
                    [&](std::uint64_t j) { return i < j && stars.leg(i, j) < far; }))
      ++before;
  if (before >= crowd.size())
    fail(place, "{} can precede these {} destinations, so it is not shown that a port must send {} worms",
         before, crowd.size(), stars.worms_a_port());
}

ProvenStars proven_up_down(const Plan& plan, const RoutingFunction& routing) {
  if (plan.certificate.size() != 1 || plan.certificate[0].part != CertifiedPart::all)
    fail("certificate", "up*/down* stars have one part, half \"all\"");
  auto stars = std::make_unique<const CheckedUpDown>(plan, routing);
  if (stars->size() == 0)
    fail(indexed("certificate", 0, ".half"), "the multicast takes no channel, there is nothing to certify");
  StarDuals duals = duals_of_part(plan, 0, stars->size(), stars->ports());
  std::vector<Hops> of_paths;
  for (const Hops rent : duals.path_rents) of_paths.insert(of_paths.end(), stars->worms_a_port(), rent);
  duals.path_rents = std::move(of_paths);
  const Hops traffic = proven_traffic(*stars, duals, 0);
  check_crowd(plan, *stars);
  return {std::move(stars), std::move(duals), traffic};
}

/// One of the problems has no star whose longest path is below the plan's.
void check_longest(const Plan& plan, const std::vector<ProvenStars>& parts) {
  const auto longest = static_cast<Hops>(*plan.longest_path_hops);
  for (const ProvenStars& part : parts) {
    const auto paths = static_cast<Hops>(part.stars->paths());
    if (std::max(furthest_way(*part.stars), (part.traffic + paths - 1) / paths) >= longest) return;
  }
  bool too_large = false;
  for (const ProvenStars& part : parts) {
    try {
      if (!least_traffic_of_stars(*part.stars, part.duals, longest - 1, far)) return;
    } catch (const SearchTooLarge&) {
      too_large = true;
    }
  }
  if (too_large)
    fail("certificate",
         "the longest path is not settled by the bound, and the search for a shorter star is too large");
  fail("longest_path_hops", "a star whose longest path is below {} exists", longest);
}

}  // namespace

bool without_port_limits(const Plan& plan) {
  return value_of(plan.options.values(), "worms-a-port") == "any";
}

std::vector<ProvenStars> proven_stars(const Plan& plan, const RoutingFunction& routing) {
  if (routing.up_down() == nullptr) return proven_halves(plan, routing);
  std::vector<ProvenStars> all;
  all.push_back(proven_up_down(plan, routing));
  return all;
}

void check_certificate(const Plan& plan, const RoutingFunction& routing) {
  if (plan.certificate.empty()) return;
  const auto certified = [](const Planner& planner) { return planner.optimum != Optimum::none; };
  const Planner* const planner = find_planner(plan.planner);
  if (planner == nullptr || !certified(*planner))
    fail("certificate", "only {} plans carry certificates", names_of_planners(certified));
  if (!plan.traffic_channels || !plan.longest_path_hops)
    fail("certificate", "the plan states no traffic_channels and longest_path_hops to certify");
  const std::vector<ProvenStars> parts = proven_stars(plan, routing);
  if (planner->optimum == Optimum::longest_path) return check_longest(plan, parts);
  Hops least = 0;
  for (const ProvenStars& part : parts) least += part.traffic;
  if (least != static_cast<Hops>(*plan.traffic_channels))
    fail("certificate", "it proves a least traffic of {}, the plan has {}", least, *plan.traffic_channels);
}

}  // namespace wormcast
