// Checks the dual values of a star of up*/down* path worms.
//
// A worm goes up and down to its first stop and only down from there on: destination j may follow i if j's
// router lies below i's. Valid dual values bound the traffic of every star of at most W worms a port from
// below. That W − 1 worms a port are too few is shown by a crowd of destinations: more than all that could
// precede them, ports counted W − 1 times (Hall's condition for a matching).
// Cost: O(k²) distances of the routing function's tables.
// cite: this project; Hall 1935.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify_parts.hpp"

#include <algorithm>
#include <tuple>

namespace wormcast {
namespace {

using Hops = StarProblem::Hops;
constexpr Hops not_joined = StarProblem::far;

Hops hops(std::uint32_t distance) { return distance == unreachable ? not_joined : Hops{distance}; }

/// Those that W − 1 worms a port cannot serve.
void check_crowd(const Plan& plan, const CheckedUpDown& stars) {
  const std::vector<std::uint64_t>& crowd = plan.certificate[0].crowd;
  const std::string place = certificate_place(0, "crowd");
  if (stars.worms_a_port() == 1) {
    if (!crowd.empty()) throw Violation{place, "one worm a port needs no reason"};
    return;
  }
  for (std::size_t i = 0; i < crowd.size(); ++i)
    if (crowd[i] >= stars.size() || (i > 0 && crowd[i] <= crowd[i - 1]))
      throw Violation{place, "these are not indices of destinations in ascending order"};
  std::size_t before = 0;
  for (std::size_t p = 0; p < stars.paths(); p += stars.worms_a_port())
    if (std::any_of(crowd.begin(), crowd.end(),
                    [&](std::uint64_t j) { return stars.first(p, j) < not_joined; }))
      before += stars.worms_a_port() - 1;
  for (std::size_t i = 0; i < stars.size(); ++i)
    if (std::any_of(crowd.begin(), crowd.end(),
                    [&](std::uint64_t j) { return i < j && stars.leg(i, j) < not_joined; }))
      ++before;
  if (before >= crowd.size())
    throw Violation{place, std::to_string(before) + " can precede these " + std::to_string(crowd.size()) +
                               " destinations, so it is not shown that a port must send " +
                               std::to_string(stars.worms_a_port()) + " worms"};
}

}  // namespace

CheckedUpDown::CheckedUpDown(const Plan& plan, const RoutingFunction& routing) : setup_(routing.up_down()) {
  if (setup_ == nullptr)
    throw Violation{"routing", plan.planner + " plans are joined by an up*/down* routing function"};
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
        row.push_back(taken ? hops(setup_->distance(source, to)) : not_joined);
      }
      row.back() = std::min(row.back(), not_joined);
    }
    if (std::all_of(row.begin(), row.end(), [](Hops h) { return h >= not_joined; })) continue;
    ports_.push_back(arc.port);
    firsts_.insert(firsts_.end(), row.begin(), row.end());
  }
  const auto stated = std::find_if(plan.facts.begin(), plan.facts.end(),
                                   [](const auto& fact) { return fact.first == "worms_a_port"; });
  if (stated == plan.facts.end() || stated->second == 0 ||
      stated->second > std::max<std::size_t>(1, nodes_.size()))
    throw Violation{"facts", "worms_a_port, which is certified, is not stated or not possible"};
  worms_a_port_ = stated->second;
}

Hops CheckedUpDown::leg(std::size_t i, std::size_t j) const {
  return nodes_[i] == nodes_[j] ? not_joined : hops(setup_->down_distance(nodes_[i], nodes_[j]));
}

ProvenUpDown proven_up_down(const Plan& plan, const RoutingFunction& routing) {
  if (plan.certificate.size() != 1 || plan.certificate[0].part != CertifiedPart::all)
    throw Violation{"certificate", "up*/down* stars have one part, half \"all\""};
  CheckedUpDown stars(plan, routing);
  if (stars.size() == 0)
    throw Violation{certificate_place(0, "half"),
                    "the multicast takes no channel, there is nothing to certify"};
  StarDuals duals = duals_of_part(plan, 0, stars.size(), stars.ports());
  std::vector<Hops> of_paths;
  for (const Hops rent : duals.path_rents) of_paths.insert(of_paths.end(), stars.worms_a_port(), rent);
  duals.path_rents = std::move(of_paths);
  const Hops traffic = proven_traffic(stars, duals, 0);
  check_crowd(plan, stars);
  return {std::move(stars), std::move(duals), traffic};
}

}  // namespace wormcast
