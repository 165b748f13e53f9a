// What the parts of verification share: stars as problems, and an exhaustive search over them of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "multicast/verification/verify.hpp"
#include "routing/routing_function.hpp"
#include "routing/up_down.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The stars that a plan is held against, from their definition: destinations in an order in which a path
/// can visit them, paths there can be, and hops.
class StarProblem {
 public:
  using Hops = std::int64_t;
  static constexpr Hops far = std::numeric_limits<Hops>::max() / 4;  ///< of a leg that is not allowed

  StarProblem() = default;
  StarProblem(const StarProblem&) = default;
  StarProblem& operator=(const StarProblem&) = default;
  StarProblem(StarProblem&&) = default;
  StarProblem& operator=(StarProblem&&) = default;
  virtual ~StarProblem() = default;

  virtual std::size_t size() const = 0;
  virtual std::size_t paths() const = 0;
  /// Paths of one kind can be exchanged, and have neighbouring numbers.
  virtual std::size_t kind(std::size_t path) const { return path; }
  /// Hops of `path` to destination j as its first, of any path from destination i to j > i.
  virtual Hops first(std::size_t path, std::size_t j) const = 0;
  virtual Hops leg(std::size_t i, std::size_t j) const = 0;
  /// Where destination j is, in words.
  virtual std::string name(std::size_t j) const = 0;
};

/// Dual values that have been checked: no rent is negative, and prices[j] − rent(b) <= hops(b, j).
struct StarDuals {
  std::vector<StarProblem::Hops> path_rents;
  std::vector<StarProblem::Hops> prices;
  std::vector<StarProblem::Hops> rents;
};

/// Thrown by a search that would take too many states.
struct SearchTooLarge {};

/// The least traffic of stars whose paths have at most `limit` hops each and `most` together; nothing if
/// there is none.
std::optional<StarProblem::Hops> least_traffic_of_stars(const StarProblem& problem, const StarDuals& duals,
                                                        StarProblem::Hops limit, StarProblem::Hops most);

/// No star has a shorter longest path: hops of the shortest way to the destination that is the furthest.
StarProblem::Hops furthest_way(const StarProblem& problem);

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

/// Throws Violation where the plan's routing function is none of the planner's own.
void check_routing(const Planner& planner, const Plan& plan);
/// Throws Violation for an option or value that plans of the planner cannot state: what depends on one would
/// be checked as if it were another.
void check_options(const Planner& planner, const Plan& plan);
/// True if the plan is one by the strict rule, the default of planners that know one.
bool is_strict(const Planner& planner, const Plan& plan);

/// Throws Violation unless every worm of a column-path plan visits one column, away from the source's row,
/// and a column has one upwards and one downwards at most.
void check_columns(const Plan& plan, const Topology& mesh);

/// Nominal steps of a plan of unicasts: what waits for the same arrival is sent one after the other, in plan
/// order, a step each.
class StepCount {
 public:
  /// The next worm, with the (virtual channel, channel) pairs that it takes.
  void add(const Worm& worm, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& channels);
  std::uint64_t steps() const;
  /// Channels that two or more worms of one step use, summed over the steps.
  std::uint64_t shared_links();

 private:
  std::vector<std::uint32_t> last_{0};  ///< step of the last send after each arrival, the source's own first
  std::vector<std::pair<std::uint32_t, std::uint32_t>> used_;  ///< (step, channel)
};

/// Throws Violation where a tree of unicasts takes more steps than a binomial one: ⌈log₂(k + 1)⌉.
void check_steps(const Plan& plan, std::uint64_t steps);

/// Points get longer and cheaper one after the other, each with its worms, and none is beaten by the plan
/// itself. Throws Violation.
void check_front_order(const Plan& plan);

/// True if the front of a plan whose certificate is valid lacks no point; false where that is not settled:
/// no certificate, or too many states. Throws Violation if a better star exists.
bool front_is_complete(const Plan& plan, const RoutingFunction& routing);

/// Checks the certificate of an optimal star whose worms and measures have been checked; throws Violation.
/// A plan of least traffic must have exactly what its certificate proves least. The longest path of an
/// otms or otms-up-down plan must equal a bound that follows from the certificate, or else be confirmed
/// by a search for a shorter one.
void check_certificate(const Plan& plan, const RoutingFunction& routing);

}  // namespace wormcast
