// Pairs verdicts with segments of routes or tables and reports what their checks say.
// SPDX-License-Identifier: MIT
#include "io/runs/verdict_verification.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "deadlock/independent/planner_verdict_check.hpp"
#include "deadlock/independent/table_verdict_check.hpp"
#include "deadlock/independent/verdict_check.hpp"
#include "deadlock/tables/table_check.hpp"
#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
#include "io/records/tables_record.hpp"
#include "io/records/verdict_record.hpp"
#include "multicast/check.hpp"

namespace wormcast::io {

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
    read_verdict_record(record.value, *in.topology(), result.back().verdict);
  });
  return result;
}

CheckedVerdict refused(std::string reason) { return {CheckedVerdict::Outcome::refused, std::move(reason)}; }

/// What the input does not have.
const char* missing(const Verdict& verdict) {
  if (speaks_of_tables(verdict)) return "are no tables";
  return speaks_of_planner(verdict) ? "is no topology" : "are no routes";
}

/// Worst first: a violation, then what was left undecided.
class Tally {
 public:
  void add(std::size_t index, const CheckedVerdict& checked) {
    if (checked.outcome == CheckedVerdict::Outcome::holds) return;
    diagnose(tool, fmt::format("verdict {}: {}", index + 1, checked.reason));
    const bool no = checked.outcome == CheckedVerdict::Outcome::refused;
    if (status_ != exit_no) status_ = no ? exit_no : exit_failure;
  }
  int status() const { return status_; }

 private:
  int status_ = exit_yes;
};

/// Goes through the segments of the input with the verdicts on them.
class Verification {
 public:
  Verification(std::vector<Stated> stated, std::uint64_t state_limit)
      : stated_(std::move(stated)), state_limit_(state_limit) {}

  void begin(const RecordStream& in) {
    any_routes_ = false;
    tables_.emplace(*in.topology());
    check_.reset();
    if (at_ == stated_.size())
      tally_.add(at_, refused("it is missing"));
    else if (stated_[at_].topology_line != in.topology_line())
      tally_.add(at_, refused("it speaks of another topology"));
    else if (!speaks_of_planner(stated_[at_].verdict) && !speaks_of_tables(stated_[at_].verdict))
      check_.emplace(*in.topology(), stated_[at_].verdict, state_limit_);
  }

  void add(const Routes& routes) {
    require_hops(routes, "verdicts are about hops alone");
    any_routes_ = true;
    if (check_) check_->add(routes);
  }
  void add(const RouterTable& table, const Topology& topology) {
    require_table_network(topology);
    tables_->add(table);
  }

  /// A verdict on a stream's routes or tables, or all on planners that follow each other on this topology.
  void end(const RecordStream& in) {
    if (any_routes_ && !tables_->empty())
      throw InputError("kind", "routes and tables in one segment; they are checked apart");
    if (at_ == stated_.size()) return;
    if (!speaks_of_planner(stated_[at_].verdict)) {
      if (stated_[at_].topology_line == in.topology_line()) tally_.add(at_, check_segment());
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
        tally_.add(at_, refused(fmt::format("it speaks of a planner, not of {}", instead)));
      else
        tally_.add(at_, check_planner_verdict(*in.topology(), stated_[at_].verdict, state_limit_));
    }
  }

  int finish(bool verbose) {
    if (at_ < stated_.size())
      tally_.add(at_, refused(fmt::format("there {} for it", missing(stated_[at_].verdict))));
    if (verbose && tally_.status() == exit_yes) diagnose(tool, fmt::format("verdicts that hold: {}", at_));
    return tally_.status();
  }

 private:
  CheckedVerdict check_segment() {
    const Verdict& verdict = stated_[at_].verdict;
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
  Tally tally_;
};

}  // namespace

int verify_verdicts(const std::string& verdicts, const std::vector<std::string>& inputs,
                    std::uint64_t state_limit, bool verbose) {
  Verification verification(read_verdicts(verdicts), state_limit);
  MulticastOrder order;
  Routes routes;
  RouterTable table;
  RecordStream in(inputs);
  in.for_each([&](const Record& record) {
    switch (record.kind) {
      case Kind::topology:
        order.begin_segment();
        verification.begin(in);
        break;
      case Kind::routes:
        read_routes_record(record.value, *in.topology(), routes);
        order.check(routes.plan.request);
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
