// Planners as they are named on a command line, and the options they take there.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "multicast/planner.hpp"

namespace wormcast {

/// Option of the plan of a unicast that is planned apart from the multicasts: their planner, with its
/// options.
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

/// The planner's name with the options that are not its defaults: otms:first-hop=free; "" where nothing
/// planned it.
std::string planner_label(const Plan& plan);
std::string planner_label(const PlannerChoice& choice);

/// "otms:first-hop=free:tie=none:routing=label". Throws InputError at `field` for a planner that does not
/// exist, or what is no option=value; whether the planner has the option shows when it is bound.
PlannerChoice parse_planner_choice(std::string_view word, const std::string& field);

/// Each planner gets those of the `shared` options that it takes and does not state. Throws InputError for
/// one that none takes.
void share_options(std::vector<PlannerChoice>& choices, const PlanOptions& shared);

/// Several, separated by commas, with their shared options. Throws InputError as both, and for no planner at
/// all.
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

}  // namespace wormcast
