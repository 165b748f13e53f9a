// The halves of a label-ordered plan as verification sees them, and their dual values.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/verification/verify_search.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One half as the definitions give it.
class CheckedHalf final : public StarProblem {
 public:
  /// `routing` must outlive it.
  CheckedHalf(const Plan& plan, const RoutingFunction& routing, bool up);

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
  Hops first(PortId port, NodeId neighbour, NodeId to) const;

  const RoutingFunction* routing_;
  const Topology* network_;
  NodeId source_;
  bool up_;
  bool free_;
  std::vector<NodeId> nodes_;
  std::vector<NodeId> neighbours_;
  std::vector<PortId> ports_;
};

/// A half whose part of the certificate is valid.
struct ProvenHalf {
  CheckedHalf half;
  StarDuals duals;
  StarProblem::Hops traffic;  ///< no star has fewer channels in this half
};

/// All halves of a plan that have destinations. Throws Violation where the certificate is not valid.
std::vector<ProvenHalf> proven_halves(const Plan& plan, const RoutingFunction& routing);

/// "certificate[INDEX].MEMBER".
std::string certificate_place(std::size_t index, const char* member);
/// The dual values of part `index`, by the number of destinations and the ports of the problem. Throws
/// Violation where they do not fit.
StarDuals duals_of_part(const Plan& plan, std::size_t index, std::size_t size,
                        const std::vector<PortId>& ports);

/// Σ prices − Σ rents of the dual values of part `index`: no star has fewer channels. Throws Violation where
/// they are not valid.
StarProblem::Hops proven_traffic(const StarProblem& stars, const StarDuals& duals, std::size_t index);

/// True if any number of worms may leave by a port.
bool without_port_limits(const Plan& plan);

}  // namespace wormcast
