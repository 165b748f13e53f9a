// Verdicts on forwarding tables.
// SPDX-License-Identifier: MIT
#pragma once

#include "checks/checked_verdict.hpp"
#include "deadlock/verdict.hpp"
#include "routing/forwarding_tables.hpp"

namespace wormcast {

/// `verdict` speaks of tables; these are on a network of family graph. Numbers of resources and dependencies,
/// and listed dependencies, are left alone. Cost: O((switches + hosts) · hosts) steps.
CheckedVerdict check_table_verdict(const ForwardingTables& tables, const Verdict& verdict);

}  // namespace wormcast
