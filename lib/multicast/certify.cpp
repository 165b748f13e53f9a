// Certificates of optimal stars: the duals of each half's least-traffic star.
//
// Cost: O(k) on two-dimensional meshes, else that of the minimum-cost flow and a few O(k²) sweeps; for
// otms that of the check.
// cite: this project; duality of the assignment problem.
// SPDX-License-Identifier: MIT
#include "multicast/certify.hpp"

#include <algorithm>

#include "multicast/assignment_duals.hpp"
#include "multicast/star_flow.hpp"
#include "multicast/verify_certificate.hpp"
#include "multicast/worms.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

HalfCertificate certify_half(StarHalf& half, bool up) {
  AssignmentDuals duals;
  if (is_plane(half)) {
    duals = duals_of_plane(half, PlaneHalf(half));
  } else {
    const Star star = least_traffic_flow(half);
    duals = duals_of(half, star);
  }
  HalfCertificate certificate;
  certificate.up = up;
  const auto ports = static_cast<std::ptrdiff_t>(half.ports().size());
  for (const StarPort& port : half.ports()) certificate.ports.push_back(port.port);
  certificate.port_rents.assign(duals.rent.begin(), duals.rent.begin() + ports);
  certificate.rents.assign(duals.rent.begin() + ports, duals.rent.end());
  certificate.prices.assign(duals.price.begin(), duals.price.end());
  return certificate;
}

bool settled(const Plan& plan, const RoutingFunction& routing) {
  try {
    return !check_certificate(plan, routing);
  } catch (const Violation&) {
    return false;
  }
}

}  // namespace

bool can_certify(const Planner& planner) { return planner.name == "ocms" || planner.name == "otms"; }

std::vector<HalfCertificate> certificate_of(const BoundPlanner& bound, const Plan& plan) {
  if (!can_certify(bound.planner()))
    throw InputError("--certify",
                     std::string(bound.planner().name) + " plans carry no certificate; ocms and otms do");
  std::vector<HalfCertificate> certificates;
  const Request& request = plan.request;
  if (request.destinations.size() == 1 && request.destinations.front() == request.source) return certificates;
  const PlanningContext& context = bound.context();
  LabelHalves halves = split_by_label(context.topology, request);
  for (const bool up : {true, false}) {
    std::vector<HostId>& destinations = up ? halves.up : halves.down;
    if (destinations.empty()) continue;
    StarHalf half(context, request.source, std::move(destinations), up, first_hop_option(context));
    certificates.push_back(certify_half(half, up));
  }
  // Duals prove the least traffic of all stars. Where that, with the recurrence for two paths, does not
  // settle what the plan is best in (longest paths with more ports, stars that are dearer because their
  // paths share no channel), there is no certificate rather than one that would be refused.
  if (bound.planner().name == "otms" || context.option("edge-disjoint") == "yes") {
    Plan certified = plan;
    certified.certificate = certificates;
    if (!settled(certified, context.routing)) certificates.clear();
  }
  return certificates;
}

}  // namespace wormcast
