// Walks every worm of a plan hop by hop and holds it against what the plan says and promises.
//
// What any plan must be, check_plan() has seen; this is what its planner promises. Written from the
// definitions alone: with planners it shares the network, its routing functions, and what their rows of the
// registry say of their worms. Cost: one routing step and O(log hops) a hop. cite: Bouchitté, Cohen, Fleury
// 1997, definition 1 (what a multicast star is).
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "multicast/planner_choice.hpp"
#include "multicast/verification/verify_parts.hpp"

namespace wormcast {
namespace {

/// The plan's routing function is one of the planner's own.
void check_routing(const Planner& planner, const Plan& plan) {
  const auto names = planner.joined_by();
  if (std::find(names.begin(), names.end(), plan.routing) != names.end()) return;
  fail("routing", "{} plans are joined by {}, this one by {}", plan.planner, fmt::join(names, "|"),
       plan.routing);
}

/// Options and values are some that plans of the planner can state: what depends on one would be checked as
/// if it were another.
void check_options(const Planner& planner, const Plan& plan) {
  for (const auto& [name, value] : plan.options) {
    // Any plan can state these: headers are counted again, what a unicast goes beside is for reports, and the
    // ways that a seed drew are walked whatever they are.
    if (name == header_encoding_option || name == flit_bits_option || name == beside_option ||
        name == routing_seed_option)
      continue;
    const PlannerParameter* const option = planner.parameter(name);
    if (option == nullptr) fail("options", "{} plans have no option '{}'", plan.planner, name);
    if (std::find(option->values.begin(), option->values.end(), value) == option->values.end())
      fail("options." + name, "'{}' is not a value that {} plans have", value, plan.planner);
  }
}

/// True if the plan is one by the strict rule, the default of planners that know one.
bool is_strict(const Planner& planner, const Plan& plan) {
  return planner.parameter("first-hop") != nullptr && value_of(plan.options.values(), "first-hop") != "free";
}

/// The state of the check of one plan; violations are thrown and caught in check().
class Check {
 public:
  Check(const Plan& plan, const RoutingFunction& routing)
      : plan_(plan), routing_(routing), network_(routing.topology()), planner_(find_planner(plan.planner)) {}

  void run() {
    if (planner_ != nullptr) check_routing(*planner_, plan_);
    if (planner_ != nullptr) check_options(*planner_, plan_);
    for (std::size_t w = 0; w < plan_.worms.size(); ++w) check_worm(w);
    check_ports();
    check_disjointness();
    if (single_stops_ && shape_.fewest_steps) check_steps(plan_, steps_.steps());
    if (shape_.one_column && network_.line_grid()) check_columns(plan_, network_);
    check_measure("traffic_channels", plan_.traffic_channels, traffic_);
    check_measure("longest_path_hops", plan_.longest_path_hops, longest_);
    check_measure("longest_chain_hops", plan_.longest_chain_hops, longest_chain_);
  }

  /// What the plan states as bounds is not above its own measure, and what it counts is recounted. To be
  /// called after run().
  void check_facts() {
    for (const auto& [name, value] : plan_.facts) {
      const std::string field = "facts." + name;
      if (name == "traffic_bound_channels" || name == "star_traffic_bound_channels")
        check_bound(field, value, traffic_);
      else if (name == "star_longest_bound_hops")
        check_bound(field, value, longest_);
      else if (name == "chain_bound_hops")
        check_bound(field, value, longest_chain_);
      else if (name == "step_bound_steps" && single_stops_)
        check_bound(field, value, steps_.steps());
      else if (name == "worm_bound_worms")
        check_bound(field, value, plan_.worms.size());
      else if (name == "traffic_bound_exact" && value > 1)
        fail(field, "must be 0 or 1, not {}", value);
      else if (name == "same_step_shared_links" && single_stops_)
        check_measure(field, value, steps_.shared_links());
    }
  }

 private:
  struct Reached {
    NodeId node;
    RoutingState state;
    std::uint64_t hops = 0;
    int direction = 0;  ///< of the labels on the way: +1, −1, 0 before the first hop
  };
  struct Arrival {
    std::uint32_t host;
    std::uint64_t hops;
  };

  void check_worm(std::size_t w) {
    const Worm& worm = plan_.worms[w];
    const std::uint64_t start = check_start(w);
    channels_.clear();
    std::vector<Reached> reached;
    std::uint64_t longest = 0;
    arrivals_.emplace_back();
    for (std::size_t s = 0; s < worm.stops.size(); ++s) {
      const Stop& stop = worm.stops[s];
      const std::string where = indexed("worms", w, ".stops", s);
      if (shape_.chains && stop.parent != static_cast<std::int32_t>(s) - 1)
        fail(where, "{} worms do not branch", plan_.planner);
      reached.push_back(walk(worm, stop, reached, where));
      longest = std::max(longest, reached.back().hops);
      if (stop.action != StopAction::branch)
        arrivals_.back().push_back({stop.node, start + reached.back().hops});
    }
    single_stops_ = single_stops_ && worm.stops.size() == 1;
    if (shape_.single_stops && !single_stops_)
      fail(indexed("worms", w, ".stops"), "{} worms have one stop", plan_.planner);
    if (single_stops_) steps_.add(worm, channels_);
    if (const auto* twice = twice_in(channels_))
      fail(indexed("worms", w), "the worm uses channel {} twice", twice->second);
    traffic_ += channels_.size();
    longest_ = std::max(longest_, longest);
    longest_chain_ = std::max(longest_chain_, start + longest);
    all_channels_.insert(all_channels_.end(), channels_.begin(), channels_.end());
  }

  /// Hops from the multicast's source at which the worm may start.
  std::uint64_t check_start(std::size_t w) const {
    const Worm& worm = plan_.worms[w];
    if (worm.after < 0) return 0;
    if (shape_.from_source) fail(indexed("worms", w, ".after"), "{} worms wait for no other", plan_.planner);
    const std::vector<Arrival>& arrivals = arrivals_[static_cast<std::size_t>(worm.after)];
    return std::find_if(arrivals.begin(), arrivals.end(),
                        [&](const Arrival& arrival) { return arrival.host == worm.source.value; })
        ->hops;
  }

  Reached walk(const Worm& worm, const Stop& stop, const std::vector<Reached>& reached,
               const std::string& where) {
    const NodeId to = router_of(network_, stop);
    const NodeId source = network_.router_of(worm.source);
    Reached at;
    if (stop.parent >= 0) {
      at = reached[static_cast<std::size_t>(stop.parent)];
    } else {
      at = {source, routing_.first(source, to, worm.vc_class), 0, 0};
      if (worm.first_port) force(*worm.first_port, to, at, where);
    }
    const std::size_t most = std::size_t{network_.channel_bound()} * routing_.virtual_channels();
    while (at.node != to || !routing_.arrived(at.state)) {
      if (channels_.size() > most) fail(where, "the route does not arrive");
      step(routing_.next(at.node, at.state, to), at, where);
    }
    if (stop.parent < 0 && stop.action != StopAction::branch && source == to && worm.first_port)
      fail(where, "a forced port leads away from a stop at the source");
    return at;
  }

  void force(PortId port, NodeId stop, Reached& at, const std::string& where) {
    // A routing function may remember the port: on a ring the worm keeps its direction.
    const RoutingStep first = routing_.forced(at.node, port, at.state, stop);
    if (first.channel != network_.channel(at.node, port)) fail(where, "the worm leaves by another port");
    step(first, at, where);
  }

  void step(const RoutingStep& step, Reached& at, const std::string& where) {
    const auto ends = network_.ends(step.channel);
    if (!ends || ends->from != at.node || ends->to != step.to)
      fail(where, "the route is not a chain of channels");
    channels_.emplace_back(step.vc, step.channel.value);
    if (routing_.label_monotone()) {
      const int direction = network_.label(at.node) < network_.label(step.to) ? 1 : -1;
      if (at.direction != 0 && direction != at.direction)
        fail(where, "labels turn round at node {} on the way to node {}", at.node.value, step.to.value);
      at.direction = direction;
    }
    at.node = step.to;
    at.state = step.state;
    ++at.hops;
  }

  /// The channel by which a worm leaves the source; worms that stay there have none.
  std::optional<std::uint32_t> first_channel(const Worm& worm, bool by_routing) const {
    const NodeId source = network_.router_of(worm.source);
    if (worm.first_port && !by_routing) return network_.channel(source, *worm.first_port).value;
    const NodeId to = router_of(network_, worm.stops.front());
    if (to == source) return std::nullopt;
    return routing_.next(source, routing_.first(source, to, worm.vc_class), to).channel.value;
  }

  /// Worms that may leave the source by one channel; nothing where there is no limit.
  std::optional<std::uint64_t> worms_a_port() const {
    if (planner_ == nullptr || without_port_limits(plan_)) return std::nullopt;
    if (shape_.different_ports && !routing_.goes_around()) return 1;  // what is cut off may share one
    for (const auto& [name, count] : plan_.facts)
      if (name == "worms_a_port") return count;
    return std::nullopt;
  }

  void check_ports() const {
    const bool strict = planner_ != nullptr && is_strict(*planner_, plan_);
    const std::optional<std::uint64_t> most = worms_a_port();
    if (!most && !strict) return;
    std::map<std::uint32_t, std::uint64_t> used;
    std::uint64_t most_used = 0;
    for (std::size_t w = 0; w < plan_.worms.size(); ++w) {
      const auto channel = first_channel(plan_.worms[w], false);
      if (!channel) continue;
      most_used = std::max(most_used, ++used[*channel]);
      if (used[*channel] > most.value_or(plan_.worms.size())) {
        if (*most != 1)
          fail(indexed("worms", w),
               "more worms leave the source by its channel than the plan says one port sends, {}", *most);
        fail(indexed("worms", w),
             "it leaves the source by the same channel as an earlier worm of this {} plan", plan_.planner);
      }
      if (strict && channel != first_channel(plan_.worms[w], true))
        fail(indexed("worms", w, ".first_port"),
             "under the strict rule a worm leaves by the port that routing takes to its first stop");
    }
    // The least number that will do is taken by some port: else one less would do.
    if (most && *most > 1 && most_used < *most)
      fail("facts.worms_a_port", "the plan says {}, no port sends more than {} worms", *most, most_used);
  }

  void check_disjointness() {
    if (value_of(plan_.options.values(), "edge-disjoint") != "yes") return;
    if (routing_.adaptive())
      fail("options.edge-disjoint", "routers choose the channels, under which worms may share some");
    if (const auto* shared = twice_in(all_channels_))
      fail("worms", "two worms of this edge-disjoint plan use channel {}", shared->second);
  }

  static void check_measure(const std::string& field, const std::optional<std::uint64_t>& stated,
                            std::uint64_t found) {
    if (stated && *stated != found) fail(field, "the plan says {}, its worms have {}", *stated, found);
  }

  static void check_bound(const std::string& field, std::uint64_t bound, std::uint64_t found) {
    if (bound > found) fail(field, "the plan says that {} is the least, its worms have {}", bound, found);
  }

  const Plan& plan_;
  const RoutingFunction& routing_;
  const Topology& network_;
  const Planner* planner_;  ///< nullptr: another program's
  const WormShape shape_ = planner_ == nullptr ? WormShape{} : planner_->worms;
  bool single_stops_ = true;                                       ///< of all worms so far
  StepCount steps_;                                                ///< of them, while they have single stops
  std::vector<std::pair<std::uint32_t, std::uint32_t>> channels_;  ///< (VC, channel) of the present worm
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all_channels_;
  std::vector<std::vector<Arrival>> arrivals_;
  std::uint64_t traffic_ = 0;
  std::uint64_t longest_ = 0;
  std::uint64_t longest_chain_ = 0;
};

}  // namespace

const RoutingFunction& PlanVerifier::routing(const std::string& name) {
  if (bound_ == nullptr || bound_name_ != name) {
    bound_ = bind_routing(name, *topology_);
    bound_name_ = name;
  }
  return *bound_;
}

void PlanVerifier::check_front(const Plan& plan, const RoutingFunction& function) {
  check_front_order(plan);
  for (std::size_t i = 0; i < plan.front.size(); ++i) {
    Plan point = plan;
    point.worms = plan.front[i].worms;
    point.traffic_channels = plan.front[i].traffic_channels;
    point.longest_path_hops = point.longest_chain_hops = plan.front[i].longest_path_hops;
    try {
      check_structure(point);
      Check(point, function).run();
    } catch (const Violation& violation) {
      throw Violation{indexed("front", i, "." + violation.field), violation.message};
    }
  }
  if (!front_is_complete(plan, function)) ++unsettled_fronts_;
}

void PlanVerifier::check_structure(const Plan& plan) {
  try {
    check_.check(plan);
  } catch (const InputError& error) {
    throw Violation{error.field, error.what()};
  }
}

std::optional<Plan> without_part_of_root(const Plan& whole) {
  const std::vector<HostId>& sources = whole.request.destinations;
  const HostId root = whole.request.source;
  const Planner* planner = find_planner(whole.planner);
  if (!whole.request.reduces() || sources.size() < 2 || planner == nullptr || planner->takes_part_of_root ||
      !std::binary_search(sources.begin(), sources.end(), root))
    return std::nullopt;
  Plan plan = whole;
  std::erase(plan.request.destinations, root);
  std::vector<Stop>& stops = plan.worms.back().stops;
  if (stops.back().node == root.value && stops.back().parent < 0) stops.pop_back();
  if (stops.empty()) plan.worms.pop_back();
  return plan;
}

std::optional<Violation> PlanVerifier::check(const Plan& whole) {
  try {
    check_structure(whole);
    const std::optional<Plan> planned = without_part_of_root(whole);
    const Plan& plan = planned ? *planned : whole;
    const RoutingFunction& function = routing(plan.routing);
    Check check(plan, function);
    check.run();
    check.check_facts();
    check_certificate(plan, function);
    if (!plan.front.empty()) check_front(plan, function);
    return std::nullopt;
  } catch (const Violation& violation) {
    return violation;
  } catch (const InputError& error) {
    return Violation{error.field, error.what()};
  }
}

}  // namespace wormcast
