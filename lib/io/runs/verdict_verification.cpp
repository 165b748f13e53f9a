// Pairs verdicts with segments of routes or tables and reports what their checks say.
// SPDX-License-Identifier: MIT
#include "io/runs/verification.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deadlock/tables/table_check.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
#include "io/records/topology_record.hpp"
#include "io/records/verdict_record.hpp"
#include "multicast/verification/verify.hpp"
#include "proofs/allocating_verdicts.hpp"
#include "proofs/joined_verdicts.hpp"
#include "proofs/reduction_verdicts.hpp"
#include "simulation/engine.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {

int verify_plans(const std::vector<std::string>& inputs, Output& output) {
  constexpr std::string_view tool = "plan-multicast";
  RecordStream in(inputs);
  std::shared_ptr<const Topology> topology;
  std::optional<PlanVerifier> verifier;
  std::uint64_t unsettled_fronts = 0;
  Plan plan;
  try {
    in.for_each([&](const Record& record) {
      if (record.kind == Kind::topology) {
        if (verifier) unsettled_fronts += verifier->unsettled_fronts();
        verifier.reset();
        topology = in.topology();
        verifier.emplace(*topology);
      } else if (record.kind == Kind::plan) {
        read_unchecked_plan_record(record.value, *topology, plan);
        in.order().check(plan.request);
        if (const auto violation = verifier->check(plan)) throw Violation(*violation);
      } else if (record.kind != Kind::end) {
        refuse_kind(record, "plan records");
      }
      if (record.kind == Kind::topology) return output.write(in.topology_line());
      if (record.kind == Kind::end) return output.write(in.end_line());
      output.write(record.line);
      output.write("\n");
    });
  } catch (const Violation& found) {
    diagnose(tool, fmt::format("multicast {}: {}: {}", plan.request.id, found.field, found.message));
    return exit_no;
  }
  if (verifier) unsettled_fronts += verifier->unsettled_fronts();
  if (unsettled_fronts > 0)
    diagnose(tool, fmt::format("{} fronts are in order; that they lack no point is not settled, without a "
                               "certificate or beyond the limit of states",
                               unsettled_fronts));
  return exit_yes;
}

namespace {

constexpr std::string_view tool = "check-deadlock";

struct Stated {
  std::string topology_line;
  Verdict verdict;
};

std::vector<Stated> read_verdicts(const std::string& file) {
  std::vector<Stated> result;
  RecordStream in({file});
  in.for_each([&](const Record& record) {
    if (record.kind == Kind::topology || record.kind == Kind::end) return;
    if (record.kind != Kind::verdict) refuse_kind(record, "verdict records in --verify");
    result.push_back(Stated{in.topology_line(), {}});
    Verdict& verdict = result.back().verdict;
    read_verdict_record(record.value, *in.topology(), verdict);
    if (!speaks_of_tables(verdict)) refuse_unsimulated(*in.topology(), verdict.model);
  });
  return result;
}

/// What the input does not have.
const char* missing(const Verdict& verdict) {
  if (speaks_of_tables(verdict)) return "are no tables";
  return speaks_of_planner(verdict) ? "is no topology" : "are no routes";
}

/// On allocating routers a verdict is one on their stand-in that a run has confirmed.
Verdict on_stand_in(const Verdict& verdict) {
  Verdict result = verdict;
  result.model = stand_in(verdict.model);
  return result;
}

/// Nothing is known of what a witness says of a worm's way beyond the hop that it waits for.
CheckedVerdict refuse_further_hops(const Verdict& verdict, CheckedVerdict checked) {
  if (checked.outcome != CheckedVerdict::Outcome::holds) return checked;
  for (const WitnessWorm& worm : verdict.witness)
    if (worm.says_hops && (worm.waits.empty() || slot_after(worm.waits.back()) != worm.route.hops.size()))
      return refused(fmt::format("multicast {}, worm {} has hops beyond the one that it waits for",
                                 worm.name.multicast, worm.name.worm));
  return checked;
}

/// Of a deadlock of allocating routers: whether a run of them ends in one.
CheckedVerdict confirmed(const AllocatingVerdict::Runs& runs) {
  if (runs.stood_still) return {};
  if (runs.too_long) return undecided("its worms have too many flits for a run of allocating routers");
  return refused("no run of routers that allocate virtual channels with these worms ends in a deadlock");
}

CheckedVerdict check_planner(const Topology& topology, const Verdict& verdict, std::uint64_t state_limit) {
  const CheckedVerdict checked = refuse_further_hops(
      verdict, check_planner_verdict(topology, on_stand_in(verdict), state_limit, allocates(verdict.model)));
  if (!allocates(verdict.model) || checked.outcome != CheckedVerdict::Outcome::holds ||
      verdict.answer != Answer::deadlock)
    return checked;
  const BoundPlanner planner(*find_planner(verdict.planned_by.planner), topology,
                             verdict.planned_by.options.values(), verdict.planned_by.routing);
  std::unique_ptr<const RoutingFunction> unicast;
  if (!verdict.unicast_routing.empty()) unicast = bind_routing(verdict.unicast_routing, topology);
  return confirmed(AllocatingVerdict(verdict.model).run(verdict, planner, unicast.get()));
}

/// Goes through the segments of the input with the verdicts on them.
class Verification {
 public:
  Verification(std::vector<Stated> stated, std::uint64_t state_limit)
      : stated_(std::move(stated)), state_limit_(state_limit) {}

  void begin(const RecordStream& in) {
    any_routes_ = false;
    tables_.emplace(*in.topology());
    check_.reset();
    joined_.reset();
    on_the_way_.reset();
    any_hops_ = false;
    if (at_ == stated_.size())
      tally(refused("it is missing"));
    else if (stated_[at_].topology_line != in.topology_line())
      tally(refused("it speaks of another topology"));
    else if (!speaks_of_planner(stated_[at_].verdict) && !speaks_of_tables(stated_[at_].verdict))
      take(*in.topology(), stated_[at_].verdict);
  }

  void add(const Routes& routes) {
    any_routes_ = true;
    if (!check_ || joined_->add(routes)) return;
    allocating_->add(routes, *topology_);
    routes.routed_on_the_way() ? on_the_way_->add(routes) : check_->add(routes);
    any_hops_ = any_hops_ || !routes.routed_on_the_way();
  }
  void add(const RouterTable& table, const Topology& topology) {
    require_table_network(topology);
    tables_->add(table);
  }

  /// A verdict on a stream's routes or tables, or all on planners that follow each other on this topology.
  void end(const RecordStream& in) {
    if (any_routes_ && !tables_->empty())
      refuse("kind", "routes and tables in one segment; they are checked apart");
    if (at_ == stated_.size()) return;
    if (!speaks_of_planner(stated_[at_].verdict)) {
      if (stated_[at_].topology_line == in.topology_line()) tally(check_segment_run(in.unrouted()));
      ++at_;
      return;
    }
    for (const std::string topology = stated_[at_].topology_line;
         at_ < stated_.size() && stated_[at_].topology_line == topology &&
         speaks_of_planner(stated_[at_].verdict);
         ++at_) {
      if (topology != in.topology_line()) continue;  // as begin() has said
      const char* const instead = any_routes_ ? "routes" : "tables";
      if (any_routes_ || !tables_->empty())
        tally(refused(fmt::format("it speaks of a planner, not of {}", instead)));
      else
        tally(speaks_of_reductions(stated_[at_].verdict)
                  ? check_reductions_verdict(*in.topology(), stated_[at_].verdict)
                  : check_planner(*in.topology(), stated_[at_].verdict, state_limit_));
    }
  }

  int finish(bool verbose) {
    if (at_ < stated_.size()) tally(refused(fmt::format("there {} for it", missing(stated_[at_].verdict))));
    if (verbose && status_ == exit_yes) diagnose(tool, fmt::format("verdicts that hold: {}", at_));
    return status_;
  }

 private:
  /// Worst first: a violation, then what was left undecided.
  void tally(const CheckedVerdict& checked) {
    if (checked.outcome == CheckedVerdict::Outcome::holds) return;
    diagnose(tool, fmt::format("verdict {}: {}", at_ + 1, checked.reason));
    const bool no = checked.outcome == CheckedVerdict::Outcome::refused;
    if (status_ != exit_no) status_ = no ? exit_no : exit_failure;
  }

  void take(const Topology& topology, const Verdict& verdict) {
    topology_ = &topology;
    judged_ = on_stand_in(verdict);
    check_.emplace(topology, judged_, state_limit_);
    on_the_way_.emplace(topology, judged_.model, verdict.flits);
    allocating_.emplace(verdict.model);
    SegmentCheckOptions options;
    options.check.model = verdict.model;
    options.check.flits = verdict.flits;
    options.check.limits.states = state_limit_;
    joined_.emplace(std::move(options));
  }

  CheckedVerdict check_segment_run(std::uint64_t unrouted) {
    const Verdict& verdict = stated_[at_].verdict;
    if (!speaks_of_tables(verdict) && verdict.unrouted != unrouted)
      return refused(
          fmt::format("unrouted_pairs: {}, but {} are left out of the routes", verdict.unrouted, unrouted));
    if (joined_ && joined_->any())
      return speaks_of_tables(verdict) ? refused("it speaks of tables, not of routes")
                                       : joined_->check(verdict, *topology_);
    if (!verdict.order.empty() || !verdict.mixed.empty() || !verdict.interleaved.empty())
      return refused("order, mixed and interleaved are said of routes with reductions");
    const CheckedVerdict checked = refuse_further_hops(verdict, check_segment());
    if (!allocates(verdict.model) || checked.outcome != CheckedVerdict::Outcome::holds ||
        verdict.answer != Answer::deadlock)
      return checked;
    if (speaks_of_tables(verdict))
      return refused("a verdict on tables says nothing of routers that allocate");
    return confirmed(allocating_->run(judged_, *topology_));
  }

  CheckedVerdict check_segment() {
    const Verdict& verdict = speaks_of_tables(stated_[at_].verdict) ? stated_[at_].verdict : judged_;
    if (on_the_way_ && !on_the_way_->empty())
      return any_hops_ ? refused("worms with hops and worms that routers route are not judged together")
                       : check_segment_verdict(*topology_, verdict, *on_the_way_);
    if (!speaks_of_tables(verdict) && !verdict.proof.empty())
      return refused("proof: it is said of worms whose routers choose");
    if (!speaks_of_tables(verdict))
      return tables_->empty() ? check_->finish() : refused("it speaks of routes, not of tables");
    if (any_routes_) return refused("it speaks of tables, not of routes");
    return tables_->empty() ? refused("there are no tables for it") : check_table_verdict(*tables_, verdict);
  }

  std::vector<Stated> stated_;
  std::uint64_t state_limit_;
  std::size_t at_ = 0;
  bool any_routes_ = false;
  std::optional<ForwardingTables> tables_;
  std::optional<VerdictCheck> check_;
  std::optional<SegmentWorms> on_the_way_;
  std::optional<AllocatingVerdict> allocating_;
  std::optional<JoinedVerdict> joined_;
  Verdict judged_;  ///< of the segment
  const Topology* topology_ = nullptr;
  bool any_hops_ = false;
  int status_ = exit_yes;
};

}  // namespace

int verify_verdicts(const std::string& verdicts, const std::vector<std::string>& inputs,
                    std::uint64_t state_limit, bool verbose) {
  Verification verification(read_verdicts(verdicts), state_limit);
  Routes routes;
  RouterTable table;
  RecordStream in(inputs);
  in.for_each([&](const Record& record) {
    switch (record.kind) {
      case Kind::topology:
        verification.begin(in);
        break;
      case Kind::routes:
        read_routes_record(record.value, in.route_check(), routes);
        in.order().check(routes.plan.request);
        verification.add(routes);
        break;
      case Kind::tables:
        read_tables_record(record.value, *in.topology(), table);
        verification.add(table, *in.topology());
        break;
      case Kind::end:
        verification.end(in);
        break;
      default:
        refuse_kind(record, "routes or tables records");
    }
  });
  return verification.finish(verbose);
}

}  // namespace wormcast::io
