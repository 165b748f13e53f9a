// Verdicts on segments. Cost: that of the checker, of shrinking and of suggestions.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include "deadlock/relations/relation_check.hpp"
#include "deadlock/tables/table_check.hpp"
#include "topology/error.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t kept_per_route = 10;

}  // namespace

SegmentCheck::SegmentCheck(const SegmentCheckOptions& options, std::shared_ptr<const Topology> topology)
    : options_(options),
      topology_(std::move(topology)),
      checker_(*topology_, options.check),
      on_the_way_(*topology_, options.check.model, options.check.flits),
      tables_(*topology_) {}

void SegmentCheck::add(const Routes& routes) {
  if (routes.routed_on_the_way()) {
    on_the_way_.add(routes);
    return;
  }
  checker_.add(routes);
  any_routes_ = true;
  planner_.add(routes.plan);
  if (!options_.shrink && !options_.suggest) return;
  kept_worms_ += routes.worms.size();
  const std::uint64_t most = options_.check.route_limit * kept_per_route;
  if (kept_worms_ > most)
    throw InputError(
        options_.shrink ? "--shrink" : "--suggest",
        "more than " + std::to_string(most) +
            " worms to keep in memory; first find the deadlock without it, then give the multicasts "
            "of its witness alone, or raise --route-limit");
  kept_.push_back(routes);
}

void SegmentCheck::add(const RouterTable& table) {
  require_table_network(*topology_);
  tables_.add(table);
}

Verdict SegmentCheck::verdict() const {
  refuse_mixture();
  if (!tables_.empty()) {
    Verdict result = check_tables(tables_, options_.check.model);
    if (!options_.list_dependencies) result.graph.clear();
    return result;
  }
  if (!on_the_way_.empty()) {
    Verdict result = check_segment_relations(*topology_, on_the_way_, options_.check);
    result.planned_by = on_the_way_.planned_by();
    return result;
  }
  Verdict result = checker_.verdict();
  if (!any_routes_) {
    // Whoever asked took something else for the routes, as after a planner that wrote none.
    result.answer = Answer::unknown;
    result.numbering.clear();
    result.limit = "nothing to check: no routes or tables on " + topology_->name();
  }
  result.planned_by = planner_.common();
  if (options_.shrink && result.answer == Answer::deadlock)
    result = shrink(*topology_, options_.check, kept_, std::move(result), options_.subset_limit);
  bool met_limit = false;
  if (options_.suggest && !excluding(result.answer, options_.check.allocating, met_limit))
    add_suggestions(result, options_.check.limits, options_.tell,
                    [&](const auto& tell) { return suggest(*topology_, options_.check, kept_, tell); });
  return result;
}

std::vector<Routes> SegmentCheck::changed() const {
  refuse_mixture();
  return changed_routes(*topology_, options_.check, kept_, options_.change);
}

/// A segment holds routes or tables, not both, and tables have no witness to form and no worms to shape.
void SegmentCheck::refuse_mixture() const {
  const bool tables = !tables_.empty();
  const bool answered = options_.check.model.consumption_release == ConsumptionRelease::answered;
  const char* const asked = options_.shrink            ? "--shrink"
                            : !options_.change.empty() ? "--change"
                            : options_.suggest         ? "--suggest"
                                                       : nullptr;
  if (answered && asked != nullptr) throw InputError(asked, "excludes --consumption-release answered");
  if (answered && tables)
    throw InputError("--consumption-release",
                     "tables are judged for packets that are consumed when they arrive");
  if (!on_the_way_.empty() && any_routes_)
    throw InputError("routing", "worms with hops and worms that routers route are not judged together");
  if (!on_the_way_.empty() && asked != nullptr) throw InputError(asked, "is for worms with hops");
  if (tables && (any_routes_ || !on_the_way_.empty()))
    throw InputError("kind", "routes and tables in one segment; they are checked apart");
  if (!tables && options_.list_dependencies)
    throw InputError("--list-dependencies", "lists dependencies of tables only");
  if (tables && (options_.witness || asked != nullptr))
    throw InputError(
        "kind", "a loop in tables is not a deadlock: it has no witness, and nothing to shrink or suggest");
  if (!tables) return;
  const auto refuse = [](bool given, const char* option) {
    if (given)
      throw InputError(option, "tables are judged under virtual cut-through, for packets of any length");
  };
  refuse(options_.check.flits == long_worm_flits, "--long-worms");
  refuse(options_.check.flits.has_value(), "--length-flits");
  refuse(options_.check.model.path_reservation, "--path-reservation");
  refuse(options_.check.model.allocation == Allocation::atomic, "--allocation");
  refuse(options_.check.model.vc_reuse == VcReuse::early, "--vc-reuse");
}

}  // namespace wormcast
