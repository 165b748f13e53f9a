// One check for each rule that could matter, with that rule alone taken away. Cost: that of the checks.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include <utility>

#include "topology/error.hpp"

namespace wormcast {

namespace {

bool proved(Answer answer) { return answer == Answer::safe || answer == Answer::safe_unreachable; }

/// Nothing if the routes are refused.
std::optional<Answer> answer_of(const Topology& topology, const CheckOptions& options,
                                const std::vector<Routes>& all) {
  try {
    DeadlockChecker checker(topology, options);
    for (const Routes& routes : all) checker.add(routes);
    return checker.verdict().answer;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Whether answers are judged of these routers.
bool may_be_busy(const CheckOptions& options) {
  const RouterModel& model = options.model;
  return !options.allocating && !model.cut_through && model.allocation == Allocation::incremental &&
         model.consumption_release == ConsumptionRelease::arrived;
}

}  // namespace

std::vector<Assumption> possible_assumptions(const Topology& topology, const CheckOptions& options,
                                             const AssumptionScope& scope) {
  std::vector<Assumption> result;
  const auto without = [&](std::string name, auto change) {
    Assumption assumption{std::move(name), options, scope.relation};
    assumption.without.assumptions = false;
    change(assumption.without);
    result.push_back(std::move(assumption));
  };
  const RouterModel& model = options.model;
  if (model.path_reservation) {  // nothing else matters then
    without("path-reservation", [](CheckOptions& o) { o.model.path_reservation = false; });
    return result;
  }
  const bool links = topology.hosts_have_links();
  if (model.consumption_channels == 0 && !links)
    without("consumption-channels per-input", [](CheckOptions& o) { o.model.consumption_channels = 1; });
  const bool answered = model.consumption_release == ConsumptionRelease::answered;
  if ((answered || scope.relation.depends) && model.injection_channels == 0 && !links)
    without("injection-channels all", [](CheckOptions& o) { o.model.injection_channels = 1; });
  if (scope.relation.unicast_vc > 0) {
    without("unicast-vc " + std::to_string(scope.relation.unicast_vc), [](CheckOptions&) {});
    result.back().relation.unicast_vc = 0;
  }
  if (scope.answers && may_be_busy(options))
    without("consumption-release arrived",
            [](CheckOptions& o) { o.model.consumption_release = ConsumptionRelease::answered; });
  if (model.cut_through) without("cut-through", [](CheckOptions& o) { o.model.cut_through = false; });
  if (model.ring_entry != RingEntry::any)
    without("ring-entry", [](CheckOptions& o) { o.model.ring_entry = RingEntry::any; });
  else if (model.copies == Copies::as_planned && model.allocation == Allocation::incremental &&
           !model.cut_through)
    without("replication as-planned", [](CheckOptions& o) { o.model.copies = Copies::per_flit; });
  if (model.allocation == Allocation::atomic)
    without("allocation atomic", [](CheckOptions& o) { o.model.allocation = Allocation::incremental; });
  if (model.vc_reuse == VcReuse::drained && !model.cut_through)
    without("vc-reuse drained", [](CheckOptions& o) { o.model.vc_reuse = VcReuse::early; });
  if (options.flits != long_worm_flits && !model.cut_through)
    without("the worms' lengths", [](CheckOptions& o) { o.flits = long_worm_flits; });
  return result;
}

std::vector<std::string> assumptions_of(const Topology& topology, const CheckOptions& options,
                                        const AssumptionScope& scope, const std::vector<Routes>& all) {
  std::vector<std::string> names;
  for (const Assumption& assumption : possible_assumptions(topology, options, scope)) {
    const std::optional<Answer> answer = answer_of(topology, assumption.without, all);
    if (answer && !proved(*answer)) names.push_back(assumption.name);
  }
  return names;
}

std::vector<Routes> one_by_one(const RouteStore& store) {
  std::vector<Routes> all;
  for (const StoredRoute& stored : store.routes())
    for (std::size_t copy = 0; copy < stored.worms.size(); ++copy) {
      Routes& routes = all.emplace_back();
      routes.plan.request.id = all.size() - 1;
      routes.plan.request.source = stored.route.source;
      routes.plan.request.length_flits = stored.flits;
      routes.worms.push_back(stored.route);
      routes.worms.front().after = -1;
      routes.worms.front().header_flits = 0;
    }
  return all;
}

}  // namespace wormcast
