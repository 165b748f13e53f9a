// The metrics that kinds of records have, and those shown where the user names none.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/collector.hpp"

namespace wormcast {

/// True for a metric that records of some kind have where they have something to measure: the defaults, and
/// what a window measures.
bool is_known_metric(std::string_view name);
/// Whether a delivery's metric depends on what else is under way; others are known when it is planned.
bool depends_on_others(std::string_view name);
/// The metrics that can be shown where the user names none.
std::vector<std::string> default_metrics();
/// The metrics shown for a kind where the user names none, of those that came.
std::vector<std::string> default_metrics(std::string_view kind, const GroupedKind& grouped);

}  // namespace wormcast
