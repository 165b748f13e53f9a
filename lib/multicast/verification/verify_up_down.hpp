// Stars of up*/down* path worms as verification sees them, and their dual values.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/verification/verify_search.hpp"
#include "routing/routing_function.hpp"
#include "routing/up_down.hpp"

namespace wormcast {

/// The star problem of an ocms-up-down or otms-up-down plan as the definitions give it.
class CheckedUpDown final : public StarProblem {
 public:
  /// `routing` must outlive it. Throws Violation if the plan does not state how many worms a port may send.
  CheckedUpDown(const Plan& plan, const RoutingFunction& routing);

  std::size_t size() const override { return nodes_.size(); }
  std::size_t paths() const override { return ports_.size() * worms_a_port_; }
  std::size_t kind(std::size_t path) const override { return path / worms_a_port_; }
  Hops first(std::size_t path, std::size_t j) const override { return firsts_[kind(path) * size() + j]; }
  Hops leg(std::size_t i, std::size_t j) const override;

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

struct ProvenUpDown {
  CheckedUpDown stars;
  StarDuals duals;            ///< one rent for each path
  StarProblem::Hops traffic;  ///< no star has fewer channels
};

/// Throws Violation where the certificate is not valid, or where fewer worms a port would do.
ProvenUpDown proven_up_down(const Plan& plan, const RoutingFunction& routing);

}  // namespace wormcast
