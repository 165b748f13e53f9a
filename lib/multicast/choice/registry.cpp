// The explicit list of planners, planners bound to a topology, and the one that a request's workload asks
// for. To add one: write its file, add a line to planners.def.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/around_faults.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/measures.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/workload/workload.hpp"
#include "topology/connectivity.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

#define PLANNER(name) extern const Planner planner_##name;
#include "multicast/planners/planners.def"

std::span<const Planner* const> planners() {
  static constexpr std::array list = {
#define PLANNER(name) &planner_##name,
#include "multicast/planners/planners.def"
  };
  return list;
}

const Planner* find_planner(std::string_view name) { return find_by_name(planners(), name); }

std::string names_of_planners(bool (*holds)(const Planner& planner)) {
  std::vector<std::string_view> names;
  for (const Planner* planner : planners())
    if (holds(*planner)) names.push_back(planner->name);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 < names.size() ? ", " : " and ";
    list += names[i];
  }
  return list;
}

namespace {

/// Of a reduction from other nodes too; true if the root sends a part, which the planner is not told of.
bool take_root_out(const Planner& planner, Request& request) {
  return !planner.takes_part_of_root && request.reduces() && request.destinations.size() > 1 &&
         std::erase(request.destinations, request.source) > 0;
}

/// Options that any planner takes.
bool is_common_option(std::string_view name) {
  return name == header_encoding_option || name == flit_bits_option || name == routing_seed_option;
}

/// Every declared option in the planner's order, the given value or the default, the header's format, and the
/// seed of the ways that are drawn.
PlanOptions complete(const Planner& planner, const PlanOptions& given, const HeaderFormat& header,
                     const RoutingFunction& routing, std::uint64_t seed) {
  for (const auto& [name, value] : given) {
    if (is_common_option(name)) continue;
    const PlannerParameter* const parameter = planner.parameter(name);
    if (parameter == nullptr) {
      std::vector<std::string_view> known;
      for (const PlannerParameter& p : planner.parameters) known.push_back(p.name);
      throw InputError("--" + name, known.empty() ? std::string(planner.name) + " has no options"
                                                  : unknown_name_message(
                                                        std::string(planner.name) + " option", name, known));
    }
    place_of_name("--" + name, "value", value, {parameter->values.begin(), parameter->values.size()});
  }
  PlanOptions options;
  for (const PlannerParameter& parameter : planner.parameters) {
    std::string value(value_of(given, parameter.name));
    if (value.empty()) value = parameter.values.front();
    if (parameter.stated || value != parameter.values.front()) options.emplace_back(parameter.name, value);
  }
  if (header.encoding != HeaderEncoding::none) {
    options.emplace_back(header_encoding_option, name_of(header.encoding));
    options.emplace_back(flit_bits_option, std::to_string(header.flit_bits));
  }
  if (routing.draws()) options.emplace_back(routing_seed_option, std::to_string(seed));
  return options;
}

/// The routing function to join the stops by: the one asked for, or the first that fits.
const RoutingEntry& choose_routing(const Planner& planner, const Topology& topology, std::string_view asked) {
  if (!asked.empty()) {
    const RoutingEntry* entry = find_routing_function(asked);
    if (entry == nullptr)
      throw InputError("--routing",
                       unknown_name("routing function", asked, routing_functions(), "route-expand --list"));
    const std::span<const std::string_view> names = planner.joined_by();
    if (std::find(names.begin(), names.end(), entry->name) == names.end())
      throw InputError("--routing", unknown_name_message("routing function for " + std::string(planner.name),
                                                         asked, {names.begin(), names.end()}));
    return *entry;
  }
  std::optional<std::string> first_reason;
  for (std::string_view name : planner.joined_by()) {
    const RoutingEntry& entry = *find_routing_function(name);
    const auto reason = entry.unsupported(topology);
    if (!reason) return entry;
    if (!first_reason) first_reason = std::string(name) + ": " + *reason;
  }
  if (const auto parts = disconnected(topology))
    refuse("planner", "{} does not apply to {}: {}", planner.name, topology.name(), *parts);
  refuse("planner", "{} has no routing function for {} ({})", planner.name, topology.name(),
         first_reason.value_or("none is registered"));
}

const Planner& supported(const Planner& planner, const Topology& topology) {
  if (const auto reason = planner.unsupported(topology))
    refuse("planner", "{} does not apply to {}: {}", planner.name, topology.name(), *reason);
  return planner;
}

void take_classes(const RoutingFunction& routing, const std::vector<std::uint32_t>& classes,
                  std::vector<Worm>& worms) {
  if (!routing.draws() || classes.size() != worms.size())
    refuse("class", "{} classes for {} worms whose ways are drawn", classes.size(),
           routing.draws() ? worms.size() : 0);
  for (std::size_t w = 0; w < worms.size(); ++w) {
    const Topology& network = routing.topology();
    const NodeId to = network.router_of(HostId{worms[w].stops.front().node});
    routing.first(network.router_of(worms[w].source), to, classes[w]);  // refuses what is no choice
    worms[w].vc_class = classes[w];
  }
}

/// Joined at the root with what one worm brings there; of several each is received by itself.
void add_part_of_root(Request& request, std::vector<Worm>& worms) {
  std::vector<HostId>& sources = request.destinations;
  sources.insert(std::lower_bound(sources.begin(), sources.end(), request.source), request.source);
  if (worms.size() > 1 || worms.front().first_port) worms.emplace_back().source = request.source;
  worms.back().stops.push_back({request.source.value, -1, StopAction::deliver});
}

}  // namespace

std::vector<FrontPoint> front_of(const BoundPlanner& bound, Request request) {
  if (bound.planner().front == nullptr)
    refuse("--front", "is for {}, not for {}",
           names_of_planners([](const Planner& p) { return p.front != nullptr; }), bound.planner().name);
  take_root_out(bound.planner(), request);
  return bound.planner().front(bound.context(), request);
}

std::string_view PlanningContext::option(std::string_view name) const { return value_of(options, name); }

BoundPlanner::BoundPlanner(const Planner& planner, const Topology& topology, const PlanOptions& given,
                           std::string_view routing)
    : planner_(&supported(planner, topology)),
      routing_name_(choose_routing(planner, topology, routing).name),
      routing_(bind_routing(routing_name_, topology)),
      context_{topology, *routing_, {}},
      header_(header_format(given, planner.header)),
      header_sizes_(topology) {
  header_sizes_.prepare(header_.encoding);
  const std::string_view seed = value_of(given, routing_seed_option);
  if (!seed.empty() && !routing_->draws())
    refuse("--" + std::string(routing_seed_option), "{} draws nothing", routing_name_);
  routing_seed_ = wormcast::routing_seed(seed.empty() ? default_routing_seed : seed);
  context_.planner = &planner;
  context_.options = complete(planner, given, header_, *routing_, routing_seed_);
  shared_options_ = context_.options;
  if (planner.prepare != nullptr) context_.prepared = planner.prepare(context_);
}

Plan BoundPlanner::plan(Request request, const std::vector<std::uint32_t>& classes) const {
  Plan plan;
  plan.request = std::move(request);
  plan_into(plan, classes);
  return plan;
}

void BoundPlanner::plan_into(Plan& plan, const std::vector<std::uint32_t>& classes) const {
  const Request& request = plan.request;
  const bool root_sends = take_root_out(*planner_, plan.request);
  plan.front.clear();
  plan.certificate.clear();
  plan.facts.clear();
  if (request.destinations.size() == 1 && request.destinations.front() == request.source) {
    // A self-send needs no planning: one worm that is consumed where it starts.
    plan.worms.assign(1, {.source = request.source, .stops = {{.node = request.source.value}}});
  } else if (planner_->plan_stating != nullptr) {
    plan.worms = planner_->plan_stating(context_, request, plan.facts);
  } else if (planner_->plan_into != nullptr) {
    planner_->plan_into(context_, request, plan.worms);
  } else {
    plan.worms = planner_->plan(context_, request);
  }
  if (routing_->goes_around()) cut_at_faults(*routing_, plan.worms);
  if (root_sends) add_part_of_root(plan.request, plan.worms);
  if (!classes.empty())
    take_classes(*routing_, classes, plan.worms);
  else if (routing_->draws())
    draw_classes(*routing_, routing_seed_, request.id, plan.worms);
  if (header_.encoding != HeaderEncoding::none)
    for (Worm& worm : plan.worms) worm.header_flits = header_sizes_.flits(worm, header_);
  plan.planner = planner_->name;
  plan.options = shared_options_;
  plan.routing = routing_name_;
  const PlanMeasures measures = measure(plan.worms, *routing_);
  plan.traffic_channels = measures.traffic_channels;
  plan.longest_path_hops = measures.longest_path_hops;
  plan.longest_chain_hops = measures.longest_chain_hops;
  if (planner_->facts != nullptr) plan.facts = planner_->facts(context_, plan.worms);
}

// The planner that a request's workload asks for: bound once for each width of a flit.

std::string routing_backwards(const BoundPlanner& bound) {
  constexpr std::string_view dimension_order = "dimension-order", last_first = "yx";
  const auto names = bound.planner().joined_by();
  const bool other = bound.routing_name() == dimension_order &&
                     std::find(names.begin(), names.end(), last_first) != names.end() &&
                     !find_routing_function(last_first)->unsupported(bound.context().topology);
  return other ? std::string(last_first) : "";
}

ChosenPlanner::ChosenPlanner(const PlannerChoice& choice, const Topology& topology, std::string_view routing)
    : choice_(&choice),
      topology_(&topology),
      routing_(choice.routing_or(routing)),
      as_said_(*choice.planner, topology, choice.options, routing_),
      backwards_(routing_.empty() ? routing_backwards(as_said_) : routing_) {}

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
