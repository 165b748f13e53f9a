// One check for each rule that could matter, with that rule alone taken away. Cost: that of the checks.
// SPDX-License-Identifier: MIT
#include "deadlock/assumptions.hpp"

#include <utility>

namespace wormcast {

std::vector<Assumption> possible_assumptions(const Topology& topology, const CheckOptions& options) {
  std::vector<Assumption> result;
  const auto without = [&](const char* name, auto change) {
    CheckOptions weaker = options;
    weaker.assumptions = false;
    change(weaker);
    result.push_back(Assumption{name, weaker});
  };
  const RouterModel& model = options.model;
  if (model.path_reservation) {  // nothing else matters then
    without("path-reservation", [](CheckOptions& o) { o.model.path_reservation = false; });
    return result;
  }
  if (model.consumption_channels == 0 && !topology.hosts_have_links())
    without("consumption-channels per-input", [](CheckOptions& o) { o.model.consumption_channels = 1; });
  if (model.cut_through) without("cut-through", [](CheckOptions& o) { o.model.cut_through = false; });
  if (model.copies == Copies::as_planned && model.allocation == Allocation::incremental && !model.cut_through)
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
                                        const RouteStore& store) {
  std::vector<std::string> names;
  for (const Assumption& assumption : possible_assumptions(topology, options)) {
    DeadlockChecker checker(topology, assumption.without);
    std::uint64_t id = 0;
    for (const StoredRoute& stored : store.routes())
      for (std::size_t copy = 0; copy < stored.worms.size(); ++copy) {
        Routes routes;
        routes.plan.request.id = id++;
        routes.plan.request.source = stored.route.source;
        routes.plan.request.length_flits = stored.flits;
        routes.worms.push_back(stored.route);
        routes.worms.front().after = -1;
        routes.worms.front().header_flits = 0;
        checker.add(routes);
      }
    const Answer answer = checker.verdict().answer;
    if (answer != Answer::safe && answer != Answer::safe_unreachable) names.push_back(assumption.name);
  }
  return names;
}

}  // namespace wormcast
