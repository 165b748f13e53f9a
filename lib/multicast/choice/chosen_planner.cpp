// The planner that a request's workload asks for: bound once for each width of a flit.
// SPDX-License-Identifier: MIT
#include "multicast/choice/chosen_planner.hpp"

#include "multicast/workload/workload.hpp"
#include "topology/error.hpp"

namespace wormcast {

ChosenPlanner::ChosenPlanner(const PlannerChoice& choice, const Topology& topology, std::string_view routing)
    : choice_(&choice),
      topology_(&topology),
      routing_(choice.routing_or(routing)),
      as_said_(*choice.planner, topology, choice.options, routing_) {}

const BoundPlanner& ChosenPlanner::planner_for(const Request& request) {
  if (choice_->states(header_encoding_option)) return as_said_;
  for (const auto& [name, value] : request.workload)
    if (name == workload_flit_bits) return with_headers(value);
  return as_said_;
}

const BoundPlanner& ChosenPlanner::with_headers(const std::string& flit_bits) {
  const auto found = with_headers_.find(flit_bits);
  if (found != with_headers_.end()) return found->second;
  PlanOptions options = choice_->options;
  options.emplace_back(header_encoding_option, own_encoding);
  options.emplace_back(flit_bits_option, flit_bits);
  try {
    return with_headers_.try_emplace(flit_bits, *choice_->planner, *topology_, options, routing_)
        .first->second;
  } catch (const InputError& error) {
    throw InputError("workload." + std::string(workload_flit_bits), error.what());
  }
}

}  // namespace wormcast
