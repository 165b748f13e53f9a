// On routers that allocate virtual channels a verdict is one on what stands for them, whose deadlock a run
// has confirmed. Cost: that of the checks, and of such a run.
// SPDX-License-Identifier: MIT
#include "proofs/verification.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checks/planner_verdict_check.hpp"
#include "checks/relation_verdict_check.hpp"
#include "checks/table_verdict_check.hpp"
#include "deadlock/tables/table_check.hpp"
#include "multicast/planner.hpp"
#include "proofs/allocating_verdicts.hpp"
#include "proofs/joined_verdicts.hpp"
#include "proofs/reduction_verdicts.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

Verdict on_stand_in(Verdict verdict) {
  verdict.model = stand_in(verdict.model);
  return verdict;
}

/// Whether some classes of these functions share virtual channels of a channel without being the same. Of
/// routes by none (nullptr) each virtual channel is a class.
bool overlap(const Topology& topology, const std::set<const RoutingFunction*>& functions) {
  const std::uint32_t limit = topology.spec().virtual_channels;
  for (std::uint32_t id = 0; limit != 0 && id < topology.channel_bound(); ++id) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> classes;
    for (const RoutingFunction* function : functions)
      for (std::uint32_t vc = 0; vc < (function ? function->virtual_channels() : limit); ++vc)
        classes.insert(function ? function->class_range(vc, ChannelId{id}) : std::pair(vc, vc + 1));
    std::uint32_t last = 0;
    for (const auto& [begin, end] : classes)
      if (begin < std::exchange(last, end)) return true;
  }
  return false;
}

/// Worms that are routed on the way are judged by all that they are offered.
bool any_overlap(const Topology& topology, const std::vector<Routes>& messages) {
  std::map<std::string, std::unique_ptr<const RoutingFunction>> known;
  std::set<const RoutingFunction*> functions;
  for (const Routes& routes : messages) {
    if (routes.routed_on_the_way()) continue;
    const auto [routing, fresh] = known.try_emplace(routes.plan.routing);
    const RoutingEntry* entry = fresh ? find_routing_function(routes.plan.routing) : nullptr;
    if (entry != nullptr && !entry->unsupported(topology))
      routing->second = bind_routing(routes.plan.routing, topology);
    functions.insert(routing->second.get());
  }
  return overlap(topology, functions);
}

bool any_overlap(const BoundPlanner& planner, const RoutingFunction* unicast) {
  const RoutingFunction& own = planner.context().routing;
  return unicast != nullptr && !unicast->adaptive() && !own.adaptive() &&
         overlap(own.topology(), {&own, unicast});
}

/// Whether the verdict says nothing, of routers that allocate: what would prove it is not about them.
bool left_open(const Topology& topology, const Verdict& verdict) {
  return verdict.answer() == Answer::unknown && verdict.cycle.empty() && allocates(verdict.model, topology);
}

/// Nothing is known of what a witness says of a worm's way beyond the hop that it waits for. Of a deadlock of
/// allocating routers a run of them has to end in one.
template <class... Of>
CheckedVerdict confirmed(const Topology& topology, CheckedVerdict checked, const Verdict& verdict,
                         const Of&... of) {
  if (checked.outcome != CheckedVerdict::Outcome::holds) return checked;
  for (const WitnessWorm& worm : verdict.witness())
    if (worm.says_hops && (worm.waits.empty() || slot_after(worm.waits.back()) != worm.route.hops.size()))
      return refused(fmt::format("multicast {}, worm {} has hops beyond the one that it waits for",
                                 worm.name.multicast, worm.name.worm));
  if (!allocates(verdict.model, topology)) return checked;
  if (verdict.answer() == Answer::safe_unreachable || verdict.relation.unicast_vc != 0)
    return refused("nothing such is known of routers that allocate virtual channels");
  if (verdict.answer() == Answer::safe && any_overlap(of...))
    return refused("virtual channels of one class are some of another's: its order is of none of them");
  if (verdict.answer() != Answer::deadlock) return checked;
  const AllocatingVerdict::Runs runs = AllocatingVerdict(verdict.model, topology).run(verdict, of...);
  if (!runs.deadlock.empty()) return checked;
  if (runs.too_long) return undecided("its worms have too many flits for a run of allocating routers");
  return refused("no run of routers that allocate virtual channels with these worms ends in a deadlock");
}

}  // namespace

SegmentVerification::SegmentVerification(const Topology& topology, const Verdict& verdict,
                                         std::uint64_t state_limit)
    : topology_(topology),
      verdict_(verdict),
      state_limit_(state_limit),
      judged_(on_stand_in(verdict)),
      messages_(topology, verdict.model),
      on_the_way_(topology, judged_.model, verdict.flits),
      tables_(topology) {
  if (!speaks_of_tables(verdict) && verdict.scope != program_scope)
    check_.emplace(topology, judged_, state_limit);
}

void SegmentVerification::add(const Routes& routes) {
  any_routes_ = true;
  if (program_) flows_.push_back(routes);
  if (!check_ || program_) return;
  messages_.add(routes);
  if (messages_.reduces()) return;
  any_hops_ = any_hops_ || !routes.routed_on_the_way();
  routes.routed_on_the_way() ? on_the_way_.add(routes) : check_->add(routes);
}

void SegmentVerification::add(const RouterTable& table) {
  require_table_network(topology_);
  tables_.add(table);
}

CheckedVerdict SegmentVerification::finish(std::uint64_t unrouted) {
  const bool of_program = verdict_.scope == program_scope;
  if (of_program != program_.has_value())
    return refused(of_program ? "it speaks of a program, and there is none" : "it leaves the program out");
  if (program_)
    return check_program_verdict(topology_, bind_program(topology_, *program_, flows_), verdict_,
                                 state_limit_);
  if (!messages_.reduces() &&
      (!verdict_.order().empty() || !verdict_.joins.mixed.empty() || !verdict_.joins.interleaved.empty()))
    return refused("order, mixed and interleaved are said of routes with reductions");
  if (speaks_of_tables(verdict_)) return check_tables();
  if (verdict_.unrouted != unrouted)
    return refused(
        fmt::format("unrouted_pairs: {}, but {} are left out of the routes", verdict_.unrouted, unrouted));
  if (messages_.reduces()) {
    SegmentCheckOptions options;
    options.check.model = verdict_.model;
    options.check.flits = verdict_.flits;
    options.check.limits.states = state_limit_;
    return check_joined(verdict_, {topology_, options, messages_.kept(), messages_.planned_by()});
  }
  if (left_open(topology_, verdict_)) return {};
  return confirmed(topology_, check(), verdict_, topology_, messages_.kept());
}

CheckedVerdict SegmentVerification::check() {
  if (!on_the_way_.empty())
    return any_hops_ ? refused("worms with hops and worms that routers route are not judged together")
                     : check_segment_verdict(topology_, judged_, on_the_way_);
  if (!verdict_.proof().empty()) return refused("proof: it is said of worms whose routers choose");
  return tables_.empty() ? check_->finish() : refused("it speaks of routes, not of tables");
}

CheckedVerdict SegmentVerification::check_tables() const {
  if (any_routes_) return refused("it speaks of tables, not of routes");
  if (tables_.empty()) return refused("there are no tables for it");
  const CheckedVerdict checked = check_table_verdict(tables_, verdict_);
  return allocates(verdict_.model, topology_) && checked.outcome == CheckedVerdict::Outcome::holds &&
                 verdict_.answer() == Answer::deadlock
             ? refused("a verdict on tables says nothing of routers that allocate")
             : checked;
}

CheckedVerdict verify_on_planner(const Topology& topology, const Verdict& verdict,
                                 std::uint64_t state_limit) {
  const auto [planner, unicast] = NamedPlanner(topology, verdict);
  if (speaks_of_reductions(verdict)) return check_reductions_verdict(planner, unicast.get(), verdict);
  if (left_open(topology, verdict)) return {};
  return confirmed(
      topology,
      check_planner_verdict(topology, on_stand_in(verdict), state_limit, allocates(verdict.model, topology)),
      verdict, planner, unicast.get());
}

}  // namespace wormcast
