// Certificates of optimal stars: the duals of each half's least-traffic star, or of the up*/down* star.
//
// Cost: O(k) on two-dimensional meshes, else that of the minimum-cost flow or matching and a few O(k²)
// sweeps; for least longest paths that of the check.
// cite: this project; duality of the assignment problem.
// SPDX-License-Identifier: MIT
#include "multicast/bounds/bounds.hpp"

#include <algorithm>
#include <utility>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/stars/star_search.hpp"
#include "multicast/verification/verify_parts.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

HalfCertificate certificate_of(CertifiedPart part, const AssignmentDuals& duals, std::size_t ports) {
  HalfCertificate certificate;
  certificate.part = part;
  const auto end_of_ports = duals.rent.begin() + static_cast<std::ptrdiff_t>(ports);
  certificate.port_rents.assign(duals.rent.begin(), end_of_ports);
  certificate.rents.assign(end_of_ports, duals.rent.end());
  certificate.prices.assign(duals.price.begin(), duals.price.end());
  return certificate;
}

HalfCertificate certify_half(StarHalf& half, bool unlimited) {
  const CertifiedPart part = half.up() ? CertifiedPart::up : CertifiedPart::down;
  HalfCertificate certificate;
  if (unlimited) {
    half.tabulate();
    const UnlimitedStar legs(half);
    certificate = certificate_of(part, duals_of(legs, least_traffic_flow(legs)), legs.port_count());
    certificate.port_rents.assign(half.ports().size(), 0);  // as some copy of each stays unused
  } else if (is_plane(half)) {
    certificate = certificate_of(part, duals_of_plane(half, PlaneHalf(half)), half.ports().size());
  } else {
    const Star star = least_traffic_flow(half);
    certificate = certificate_of(part, duals_of(half, star), half.ports().size());
  }
  for (const StarPort& port : half.ports()) certificate.ports.push_back(port.port);
  return certificate;
}

std::vector<HalfCertificate> certify_halves(const PlanningContext& context, const Request& request) {
  std::vector<HalfCertificate> certificates;
  LabelHalves split = split_by_label(context.topology, request);
  for (StarHalf& half : star_halves(context, request, split))
    certificates.push_back(certify_half(half, context.option("worms-a-port") == "any"));
  return certificates;
}

/// One part; none where the multicast takes no channel.
std::vector<HalfCertificate> certify_up_down(const PlanningContext& context, const Request& request) {
  UpDownStar legs(context, request, first_hop_option(context), context.option("same-router") == "together");
  if (legs.size() == 0) return {};
  const AssignmentDuals duals = duals_of(legs, fewest_worms_a_port(legs));
  HalfCertificate certificate = certificate_of(CertifiedPart::all, duals, legs.port_count());
  // Worms of one port can be exchanged, so the least of their rents holds for all of them.
  std::vector<std::uint64_t> rents;
  for (std::size_t p = 0; p < legs.port_count(); p += legs.worms_a_port()) {
    const auto first = certificate.port_rents.begin() + static_cast<std::ptrdiff_t>(p);
    rents.push_back(*std::min_element(first, first + static_cast<std::ptrdiff_t>(legs.worms_a_port())));
  }
  certificate.port_rents = std::move(rents);
  certificate.ports = legs.ports();
  if (legs.worms_a_port() > 1) {
    legs.allow(legs.worms_a_port() - 1);
    certificate.crowd = crowd_of(legs);
  }
  return {std::move(certificate)};
}

/// Duals prove the least traffic of all stars. Where that, with the recurrence for the longest path, does not
/// settle what the plan is best in (too many paths, stars that are dearer because their paths share no
/// channel), there is no certificate rather than one that would be refused.
std::vector<HalfCertificate> if_settled(const PlanningContext& context, const Plan& plan,
                                        std::vector<HalfCertificate> certificates) {
  Plan certified = plan;
  certified.certificate = std::move(certificates);
  try {
    check_certificate(certified, context.routing);
  } catch (const Violation&) {
    return {};
  }
  return std::move(certified.certificate);
}

}  // namespace

std::vector<HalfCertificate> certificate_of(const BoundPlanner& bound, const Plan& whole) {
  const Planner& planner = bound.planner();
  const PlanningContext& context = bound.context();
  if (planner.optimum == Optimum::none)
    refuse("--certify", "{} plans carry no certificate; those of {} do", planner.name,
           names_of_planners([](const Planner& p) { return p.optimum != Optimum::none; }));
  const std::optional<Plan> planned = without_part_of_root(whole);
  const Plan& plan = planned ? *planned : whole;
  const Request& request = plan.request;
  if (request.destinations.size() == 1 && request.destinations.front() == request.source) return {};
  std::vector<HalfCertificate> certificates = context.routing.up_down() != nullptr
                                                  ? certify_up_down(context, request)
                                                  : certify_halves(context, request);
  if (planner.optimum == Optimum::traffic && context.option("edge-disjoint") != "yes") return certificates;
  return if_settled(context, plan, std::move(certificates));
}

}  // namespace wormcast
