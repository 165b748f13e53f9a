// Credit loops of forwarding tables: the unicast routes between all hosts, and all multicast groups.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/verdict.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/router_model.hpp"

namespace wormcast {

/// Throws InputError, which says what to do, for networks other than graphs: their hosts have no links of
/// their own that tables could name.
void require_table_network(const Topology& topology);

/// The verdict on the tables under cut-through switching: safe, loop, or unknown where routes could be on
/// one of several virtual channels and what chooses it is not stated, or where nothing arrives. Throws
/// InputError for networks other than graphs. Its evidence has been checked against the tables by code of its
/// own.
Verdict check_tables(const ForwardingTables& tables, const RouterModel& model);

}  // namespace wormcast
