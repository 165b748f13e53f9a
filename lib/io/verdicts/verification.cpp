// Pairs verdicts with segments of routes or tables and reports what their checks say.
// SPDX-License-Identifier: MIT
#include "io/verdicts/verification.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/program_record.hpp"
#include "io/records/topology_record.hpp"
#include "io/records/verdict_record.hpp"
#include "proofs/verification.hpp"
#include "simulation/engine.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {

void read_segments(RecordStream& in, const SegmentListener& listener) {
  Routes routes;
  RouterTable table;
  Program program;
  in.for_each([&](const Record& record) {
    switch (record.kind) {
      case Kind::topology:
        return listener.begin();
      case Kind::routes:
        read_routes_record(record.value, in.route_check(), routes);
        in.order().check(routes.plan.request);
        return listener.routes(routes);
      case Kind::tables:
        read_tables_record(record.value, *in.topology(), table);
        return listener.table(table);
      case Kind::program:
        read_program_record(record.value, *in.topology(), program);
        return listener.program(program);
      case Kind::end:
        return listener.end();
      default:
        refuse_kind(record, "routes, tables or program records");
    }
  });
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

/// Goes through the segments of the input with the verdicts on them.
class Verification {
 public:
  Verification(std::vector<Stated> stated, std::uint64_t state_limit)
      : stated_(std::move(stated)), state_limit_(state_limit) {}

  void begin(const RecordStream& in) {
    any_routes_ = any_tables_ = false;
    segment_.reset();
    if (at_ == stated_.size())
      tally(refused("it is missing"));
    else if (stated_[at_].topology_line != in.topology_line())
      tally(refused("it speaks of another topology"));
    else if (!speaks_of_planner(stated_[at_].verdict))
      segment_.emplace(*in.topology(), stated_[at_].verdict, state_limit_);
  }

  void add(const Routes& routes) {
    any_routes_ = true;
    if (segment_) segment_->add(routes);
  }
  void add(const RouterTable& table) {
    any_tables_ = true;
    if (segment_) segment_->add(table);
  }
  void add(const Program& program) {
    if (segment_) segment_->add(program);
  }

  /// A verdict on a stream's routes or tables, or all on planners that follow each other on this topology.
  void end(const RecordStream& in) {
    if (any_routes_ && any_tables_)
      refuse("kind", "routes and tables in one segment; they are checked apart");
    if (at_ == stated_.size()) return;
    if (!speaks_of_planner(stated_[at_].verdict)) {
      if (segment_) tally(segment_->finish(in.unrouted()));
      ++at_;
      return;
    }
    for (const std::string topology = stated_[at_].topology_line;
         at_ < stated_.size() && stated_[at_].topology_line == topology &&
         speaks_of_planner(stated_[at_].verdict);
         ++at_) {
      if (topology != in.topology_line()) continue;  // as begin() has said
      if (any_routes_ || any_tables_)
        tally(refused(fmt::format("it speaks of a planner, not of {}", any_routes_ ? "routes" : "tables")));
      else
        tally(verify_on_planner(*in.topology(), stated_[at_].verdict, state_limit_));
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

  std::vector<Stated> stated_;
  std::uint64_t state_limit_;
  std::size_t at_ = 0;
  std::optional<SegmentVerification> segment_;
  bool any_routes_ = false, any_tables_ = false;
  int status_ = exit_yes;
};

}  // namespace

int verify_verdicts(const std::string& verdicts, const std::vector<std::string>& inputs,
                    std::uint64_t state_limit, bool verbose) {
  Verification verification(read_verdicts(verdicts), state_limit);
  RecordStream in(inputs);
  read_segments(in,
                {[&] { verification.begin(in); }, [&](const Routes& routes) { verification.add(routes); },
                 [&](const RouterTable& table) { verification.add(table); },
                 [&](const Program& program) { verification.add(program); }, [&] { verification.end(in); }});
  return verification.finish(verbose);
}

}  // namespace wormcast::io
