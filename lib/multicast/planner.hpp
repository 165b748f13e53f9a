// The signature every planner has, and the registry of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "multicast/header.hpp"
#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"
#include "topology/named_values.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Name of the option by which every plan whose routing function draws ways states the seed of its draws.
inline constexpr std::string_view routing_seed_option = "routing-seed";
inline constexpr std::string_view default_routing_seed = "1";

/// One option of a planner. The first of `values` is the default.
struct PlannerParameter {
  std::string_view name;  ///< as on the command line without dashes: "first-hop"
  NameList values;        ///< every value it takes
  std::string_view summary;
  bool stated = true;  ///< plans say its value also where it is the default
};

/// What the worms of every plan of a planner are; verification holds plans against it.
struct WormShape {
  bool single_stops = false;     ///< every worm is a unicast
  bool from_source = false;      ///< every worm starts at the multicast's source
  bool chains = false;           ///< no worm branches
  bool different_ports = false;  ///< no two worms leave the source by the same channel
  bool fewest_steps = false;     ///< unicasts that inform k destinations in ⌈log₂(k + 1)⌉ steps
  bool one_column = false;       ///< a worm visits one column of a grid, away from the source's row
};

/// In what the plans of a planner are optimal, which a certificate proves.
enum class Optimum : std::uint8_t { none, traffic, longest_path };

struct Planner;
class LegSink;

/// What a planner works out once for a topology, routing function and options, to use in every plan.
struct PlannerData {
  virtual ~PlannerData() = default;
  /// One line on what it stores, for plan-multicast -v; may be empty.
  virtual std::string summary() const { return {}; }
};

/// All that a planner may look at: the network, the routing function that will join the stops,
/// its options, complete with defaults, and what it prepared.
struct PlanningContext {
  const Topology& topology;
  const RoutingFunction& routing;
  PlanOptions options;
  std::shared_ptr<const PlannerData> prepared{};
  const Planner* planner = nullptr;  ///< whose context it is; nullptr: no planner's

  /// Value of a declared option; empty for a default that plans do not state.
  std::string_view option(std::string_view name) const;
};

/// How an option of the planner says that trees are copied.
inline Copies replication_of(const PlanningContext& context, std::string_view option = "replication") {
  return context.option(option) == "asynchronous" ? Copies::asynchronous : Copies::lock_step;
}

/// One registered planner. `plan` is pure: the worms depend on context and request alone. It fills
/// `worms`; names, options and measures are filled in by its caller (plan_request).
struct Planner {
  std::string_view name;
  std::string_view summary;
  std::string_view topologies;  ///< in words, for --list
  std::string_view cost;        ///< time for k destinations
  std::string_view cite;
  std::string_view needs;  ///< of routers and nodes beyond unicast worms
  std::span<const PlannerParameter> parameters = {};
  /// Routing functions that can join its stops, by joined_by(); none: all that route unicasts.
  NameList routings = {};
  WormShape worms = {};
  Optimum optimum = Optimum::none;
  /// Why it does not apply to `topology`; nothing if it does.
  std::optional<std::string> (*unsupported)(const Topology& topology);
  std::vector<Worm> (*plan)(const PlanningContext& context, const Request& request) = nullptr;
  /// In place of `plan`, of a planner that is so quick that memory is what it costs: the buffers of `worms`,
  /// of another multicast, are used again; nullptr: it is not.
  void (*plan_into)(const PlanningContext& context, const Request& request,
                    std::vector<Worm>& worms) = nullptr;
  /// All that it can produce for any multicast, for proofs about all of them (multicast/legs.hpp); null: not
  /// known.
  void (*legs)(const PlanningContext& context, LegSink& sink) = nullptr;
  /// What to work out once, before the first plan; nullptr: nothing.
  std::shared_ptr<const PlannerData> (*prepare)(const PlanningContext& context) = nullptr;
  /// What the plan states about `worms`, counted on them; nullptr = nothing.
  PlanFacts (*facts)(const PlanningContext& context, const std::vector<Worm>& worms) = nullptr;
  /// The header that its worms were made for: what --header-encoding own stands for.
  HeaderEncoding header = HeaderEncoding::address_list;
  /// In place of `plan`, of a planner that knows more of its worms than can be counted on them: how far they
  /// can be from the optimum.
  std::vector<Worm> (*plan_stating)(const PlanningContext& context, const Request& request,
                                    PlanFacts& facts) = nullptr;
  /// Every trade-off of longest path and traffic; nullptr: there are none.
  std::vector<FrontPoint> (*front)(const PlanningContext& context, const Request& request) = nullptr;

  /// It adds the part that a reduction's root sends to one of its worms; others are not told of that part.
  bool takes_part_of_root = false;

  /// The parameter of that name, or nullptr.
  const PlannerParameter* parameter(std::string_view option) const {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const PlannerParameter& one) { return one.name == option; });
    return found == parameters.end() ? nullptr : &*found;
  }
  /// The first that supports a topology is the default.
  std::span<const std::string_view> joined_by() const {
    return routings.size() == 0 ? unicast_routings() : std::span(routings.begin(), routings.end());
  }
};

std::span<const Planner* const> planners();
const Planner* find_planner(std::string_view name);
/// Names of the planners of which `holds` is true, as a sentence lists them: "ocms, otms and opm".
std::string names_of_planners(bool (*holds)(const Planner& planner));

class BoundPlanner;
/// Every star that no other one beats in both longest path and traffic, shortest path first. Throws
/// InputError for planners that have no front, and as Planner::front.
std::vector<FrontPoint> front_of(const BoundPlanner& bound, Request request);

/// A planner bound to a topology, a routing function and complete options; the topology must
/// outlive it.
class BoundPlanner {
 public:
  /// `given` are the options the user named; `routing` may be empty for the default. Throws
  /// InputError for an unknown option or value, a topology or routing function that does not fit.
  BoundPlanner(const Planner& planner, const Topology& topology, const PlanOptions& given,
               std::string_view routing = {});

  const Planner& planner() const { return *planner_; }
  const PlanningContext& context() const { return context_; }
  std::string_view routing_name() const { return routing_name_; }
  /// The whole plan of `request`, with names, options and measures. `classes`, if not empty: those of its
  /// worms, in place of the ones that would be drawn. Throws InputError ("class") for other classes than the
  /// routing function's choices, or another number of them.
  Plan plan(Request request, const std::vector<std::uint32_t>& classes = {}) const;
  /// The same of `plan.request`; what else `plan` holds goes, but its buffers.
  void plan_into(Plan& plan, const std::vector<std::uint32_t>& classes = {}) const;

 private:
  const Planner* planner_;
  std::string routing_name_;
  std::unique_ptr<const RoutingFunction> routing_;
  PlanningContext context_;
  SharedValues shared_options_;  ///< context_.options, for plans
  HeaderFormat header_;
  HeaderSizes header_sizes_;
  std::uint64_t routing_seed_ = 0;
};

}  // namespace wormcast
