// Plans of a stream are checked as they pass.
// SPDX-License-Identifier: MIT
#include "io/verdicts/plan_verification.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
#include "multicast/verification/verify.hpp"

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

}  // namespace wormcast::io
