// Verdicts on all multicasts of planners, for every network of a stream.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deadlock/check_options.hpp"
#include "deadlock/checker/suggest.hpp"
#include "io/runs/verdict_output.hpp"

namespace wormcast::io {

/// What is checked in place of a stream's routes.
struct PlannerScope {
  std::string planners;      ///< separated by commas, each perhaps with options of its own; empty: routes
  std::string routing;       ///< of the planners; empty: each one's first
  std::string with_unicast;  ///< routing function of unicasts beside them; empty: none
  std::string depends;       ///< REQUEST:REPLY, each multicasts or unicasts; empty: no node waits for replies
  std::uint32_t unicast_vc = 0;  ///< first virtual channel of the unicasts
  bool reductions = false;       ///< of their multicasts run backwards
  bool suggest = false;          ///< changes that make it safe are looked for where it is not
  std::function<void(const SuggestionTrial&)> tell{};  ///< hears of these; may be empty
};

/// Writes one verdict for each topology of the inputs and planner. Throws InputError where the inputs hold
/// more than networks.
void check_planners(const PlannerScope& scope, const CheckOptions& options,
                    const std::vector<std::string>& inputs, VerdictOutput& writer);

}  // namespace wormcast::io
