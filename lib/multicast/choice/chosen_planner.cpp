// The planner that a request's workload asks for: bound once for each width of a flit.
// SPDX-License-Identifier: MIT
#include "multicast/choice/chosen_planner.hpp"

#include <algorithm>

#include "multicast/workload/workload.hpp"
#include "topology/error.hpp"

namespace wormcast {

namespace {

/// Dimension order from each source to the root is dimension order from the root, the last dimension first,
/// run backwards. Where the user names none; "" for the planner's default.
std::string backwards(const Planner& planner, const Topology& topology, std::string_view chosen) {
  constexpr std::string_view dimension_order = "dimension-order", last_first = "yx";
  const auto names = planner.joined_by();
  const bool other = chosen == dimension_order &&
                     std::find(names.begin(), names.end(), last_first) != names.end() &&
                     !find_routing_function(last_first)->unsupported(topology);
  return other ? std::string(last_first) : "";
}

}  // namespace

ChosenPlanner::ChosenPlanner(const PlannerChoice& choice, const Topology& topology, std::string_view routing)
    : choice_(&choice),
      topology_(&topology),
      routing_(choice.routing_or(routing)),
      as_said_(*choice.planner, topology, choice.options, routing_),
      backwards_(routing_.empty() ? backwards(*choice.planner, topology, as_said_.routing_name())
                                  : routing_) {}

const BoundPlanner& ChosenPlanner::planner_for(const Request& request) {
  const std::string& routing = request.reduces() ? backwards_ : routing_;
  if (!choice_->states(header_encoding_option))
    for (const auto& [name, value] : request.workload)
      if (name == workload_flit_bits) return bound(value, routing);
  return routing == routing_ ? as_said_ : bound("", routing);
}

/// `flit_bits`: "" for as many header flits as the user says.
const BoundPlanner& ChosenPlanner::bound(const std::string& flit_bits, const std::string& routing) {
  const std::pair key(flit_bits, routing);
  const auto found = others_.find(key);
  if (found != others_.end()) return found->second;
  PlanOptions options = choice_->options;
  if (flit_bits.empty())
    return others_.try_emplace(key, *choice_->planner, *topology_, options, routing).first->second;
  options.emplace_back(header_encoding_option, own_encoding);
  options.emplace_back(flit_bits_option, flit_bits);
  try {
    return others_.try_emplace(key, *choice_->planner, *topology_, options, routing).first->second;
  } catch (const InputError& error) {
    throw InputError("workload." + std::string(workload_flit_bits), error.what());
  }
}

}  // namespace wormcast
