// Planners as they are named on a command line, with the options they take there; what a request asks of the
// one that is chosen, and what planned all multicasts of a segment.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

/// Option of a unicast that is planned apart from the multicasts: their planner, with its options.
inline constexpr std::string_view beside_option = "beside";

struct PlannerChoice {
  const Planner* planner = nullptr;
  PlanOptions options;  ///< for it alone
  std::string routing;  ///< the same; empty: not said

  /// Its routing function, or the one that all are told to take; empty for the planner's default.
  std::string_view routing_or(std::string_view common) const { return routing.empty() ? common : routing; }
  bool states(std::string_view option) const;
  /// True if the option can be given for it; that of a header's format goes with all planners.
  bool takes(std::string_view option) const;
};

/// The planner's name with the options that are not its defaults: otms:first-hop=free; "": not planned.
std::string planner_label(const Plan& plan);
std::string planner_label(const PlannerChoice& choice);

/// "otms:first-hop=free:tie=none:routing=label". Throws InputError at `field` for a planner that does not
/// exist, or what is no option=value; whether the planner has the option shows when it is bound.
PlannerChoice parse_planner_choice(std::string_view word, const std::string& field);

/// Each planner gets those of the `shared` options that it takes and does not state. Throws InputError for
/// one that none takes.
void share_options(std::vector<PlannerChoice>& choices, const PlanOptions& shared);

/// Several, separated by commas, with their shared options. Throws InputError as both, and for none.
std::vector<PlannerChoice> parse_planner_choices(std::string_view words, const PlanOptions& shared,
                                                 const std::string& field);

/// An option by its name, as all planners that have one of that name declare it.
struct OfferedOption {
  std::string_view name;
  std::vector<std::string_view> values;  ///< each once, in the order of the registry
  std::string summary;                   ///< what they say of it; by planner where they differ
};
/// Every option of every planner, in the order of the registry.
std::vector<OfferedOption> planner_options();

/// Planner, options and routing function that all plans of a segment have in common.
class SharedPlanner {
 public:
  void add(const Plan& plan) {
    if (last_.any && last_.is_of(plan)) return;  // as mostly
    last_.any = false;
    last_.add(plan);
    all_.add(plan);
    const auto is_beside = [](const auto& option) { return option.first == beside_option; };
    if (std::any_of(plan.options.begin(), plan.options.end(), is_beside)) return;
    (plan.request.reduces() ? reductions_ : multicasts_).add(plan);
  }
  /// A plan with these three alone; without a planner where none or more than one came.
  const Plan& common() const { return all_.common; }
  /// The same, of unicasts that are planned apart from the multicasts only where no others came. Reductions
  /// of the same planner may have a routing of their own: that of the multicasts is given.
  const Plan& scheme() const {
    const Plan &own = multicasts_.common, &joined = reductions_.common;
    const bool one = !reductions_.any || (own.planner == joined.planner && own.options == joined.options);
    return multicasts_.any && one ? own : reductions_.any && !multicasts_.any ? joined : all_.common;
  }

 private:
  struct Common {
    Plan common;
    bool any = false;

    void add(const Plan& plan) {
      if (!any) {
        common.planner = plan.planner;
        common.options = plan.options;
        common.routing = plan.routing;
      } else if (!is_of(plan)) {
        common = Plan{};
      }
      any = true;
    }
    bool is_of(const Plan& plan) const {
      return common.planner == plan.planner && common.routing == plan.routing &&
             common.options == plan.options;
    }
  };

  Common last_;  ///< of the plan added last alone
  Common all_;
  Common multicasts_;
  Common reductions_;
};

/// The routing function for reductions where the user names none; "" for the planner's default. Dimension
/// order from each source to the root is dimension order from the root, the last dimension first, run
/// backwards.
std::string routing_backwards(const BoundPlanner& bound);

/// A planner as the user chose it, on one network. Multicasts whose workload states the width of a flit get
/// headers in the planner's own encoding, unless the user says how they are counted. Reductions are planned
/// by the routing function whose routes are those of the default run backwards. `choice` and
/// `topology` must outlive it.
class ChosenPlanner {
 public:
  /// `routing` may be empty for the planner's default. Throws InputError as BoundPlanner does.
  ChosenPlanner(const PlannerChoice& choice, const Topology& topology, std::string_view routing);

  const PlannerChoice& choice() const { return *choice_; }
  const BoundPlanner& as_said() const { return as_said_; }
  /// Throws InputError for a width that the encoding does not take.
  const BoundPlanner& planner_for(const Request& request);

 private:
  const BoundPlanner& bound(const std::string& flit_bits, const std::string& routing);

  const PlannerChoice* choice_;
  const Topology* topology_;
  std::string routing_;
  BoundPlanner as_said_;
  std::string backwards_;  ///< the routing function for reductions; as in routing_
  /// By the width of a flit and routing.
  std::map<std::pair<std::string, std::string>, BoundPlanner> others_;
};

}  // namespace wormcast
