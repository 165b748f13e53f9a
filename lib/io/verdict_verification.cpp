// Pairs verdicts with segments of routes and reports what their checks say.
// SPDX-License-Identifier: MIT
#include "io/verdict_verification.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "deadlock/verdict_check.hpp"
#include "io/multicast_record.hpp"
#include "io/record_stream.hpp"
#include "io/tool.hpp"
#include "io/verdict_record.hpp"

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

}  // namespace

int verify_verdicts(const std::string& verdicts, const std::vector<std::string>& inputs,
                    std::uint64_t state_limit, bool verbose) {
  const std::vector<Stated> stated = read_verdicts(verdicts);
  Tally tally;
  std::size_t at = 0;
  std::optional<VerdictCheck> check;
  Routes routes;
  RecordStream in(inputs);
  in.for_each([&](const Record& record) {
    switch (record.kind) {
      case Kind::topology:
        if (at == stated.size()) {
          tally.add(at, {CheckedVerdict::Outcome::refused, "it is missing"});
          check.reset();
        } else if (stated[at].topology_line != in.topology_line()) {
          tally.add(at, {CheckedVerdict::Outcome::refused, "it speaks of another topology"});
          check.reset();
        } else {
          check.emplace(*in.topology(), stated[at].verdict, state_limit);
        }
        break;
      case Kind::routes:
        read_routes_record(record.value, *in.topology(), routes);
        if (check) check->add(routes);
        break;
      case Kind::end:
        if (check) tally.add(at, check->finish());
        if (at < stated.size()) ++at;
        break;
      default:
        refuse_kind(record, "routes records");
    }
  });
  if (at < stated.size()) tally.add(at, {CheckedVerdict::Outcome::refused, "there are no routes for it"});
  if (verbose && tally.status() == exit_yes) diagnose(tool, fmt::format("verdicts that hold: {}", at));
  return tally.status();
}

}  // namespace wormcast::io
