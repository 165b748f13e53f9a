// Writing verdicts, their witnesses and their pictures.
// SPDX-License-Identifier: MIT
#include "io/verdicts/verdict_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "deadlock/search/search.hpp"
#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/program_record.hpp"
#include "io/records/topology_record.hpp"
#include "io/records/verdict_record.hpp"
#include "router/worm_footprint.hpp"
#include "simulation/engine.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

/// No answer to one segment outweighs a deadlock in another.
int status_of(Answer answer) {
  if (answer == Answer::unknown) return exit_failure;
  return answer == Answer::deadlock || answer == Answer::loop ? exit_no : exit_yes;
}

/// The worms of a deadlock; of other answers the dependencies of the cycle.
std::vector<PicturedWorm> pictured(const Verdict& verdict, const Topology& topology) {
  const Resources resources(topology, verdict.model);
  std::vector<PicturedWorm> result;
  for (const WitnessWorm& claim : verdict.witness()) {
    if (claim.waits.empty() || verdict.joins.reductions) continue;  // it only comes before an answer
    const Footprint worm(topology, resources, verdict.model, claim.route, claim.length_flits);
    PicturedWorm& drawn = result.emplace_back();
    drawn.name = fmt::format("multicast {}", claim.name.multicast);
    if (!topology.spec().graph.host_names.empty())
      drawn.name += " from " + called(topology, claim.route.source);
    drawn.source = topology.router_of(claim.route.source);
    const auto add = [&](const std::vector<std::int32_t>& hops, std::vector<Resource>& to) {
      for (const std::int32_t hop : hops)
        for (const Step& step : worm.steps())
          if (step.hop == hop) to.push_back(resources.describe(step.resource));
    };
    add(claim.holds, drawn.holds);
    add(claim.waits, drawn.waits);
  }
  if (!result.empty()) return result;
  for (const Dependency& edge : verdict.cycle)
    result.push_back(PicturedWorm{
        fmt::format("dependency {} ({})", result.size(), cause_in_words(verdict, topology, edge.cause)),
        std::nullopt,
        {resources.describe(edge.from)},
        {resources.describe(edge.to)}});
  return result;
}

}  // namespace

void write_routes(const std::string& topology_line, const std::vector<Routes>& all, Output& output,
                  const std::optional<Program>& program) {
  RecordLine line;
  output.write(topology_line);
  if (program) output.write(write_program_record(*program, line));
  for (const Routes& routes : all) output.write(write_routes_record(routes, line));
  output.write(end_line);
}

VerdictOutput::VerdictOutput(const VerdictForms& forms, Output& output)
    : forms_(forms), output_(output), status_(exit_yes) {
  if (!forms.witness.empty() && forms.witness != "-") witness_.emplace(forms.witness);
  if (!forms.dot.empty()) picture_.emplace();
  if (!forms.certificate.empty()) certificate_.emplace(forms.certificate);
}

void VerdictOutput::add(const Routes& routes, const Topology& topology, const CheckOptions& options) {
  if (!certificate_) return;
  if (!proof_) proof_.emplace(topology, options.model, options.flits);
  certificate_->write(proof_->worms_of(routes));
}

void VerdictOutput::write(Verdict verdict, const Topology& topology, const RecordStream& in) {
  if (forms_.begin) forms_.begin();
  status_ = std::max(status_, status_of(verdict.answer()));
  if (certificate_) {
    if (!proof_) proof_.emplace(topology, verdict.model, verdict.flits);
    certificate_->write(proof_->finish(verdict));
    proof_.reset();
  }
  const bool witness_only = forms_.witness == "-";
  if (witness_only || witness_)
    write_routes(in.topology_line(),
                 verdict.replayed.empty() ? witness_routes(verdict.witness()) : verdict.replayed,
                 witness_only ? output_ : *witness_, verdict.program);
  if (picture_ && verdict.scope == program_scope)
    refuse("--dot", "draws worms that block each other, not programs; --explain says who waits for what");
  if (picture_)
    picture_->add(topology, fmt::format("{}: {}", topology.name(), answer_name(verdict.answer())),
                  pictured(verdict, topology));
  if (witness_only) return;
  if (forms_.explain) verdict.explanation = explain(verdict, topology);
  output_.write(in.topology_line());
  output_.write(write_verdict_record(verdict, topology, line_));
  output_.write(in.end_line());
  for (const std::string& change : verdict.unsettled) diagnose("check-deadlock", "--suggest: " + change);
  if (verdict.answer() != Answer::unknown) return;
  if (!verdict.cycle.empty())
    diagnose("check-deadlock", "unknown: " + verdict.limit());
  else if (nothing_.empty())  // said at the end, where the stream is known to be whole
    nothing_ = verdict.limit();
}

int VerdictOutput::finish() {
  if (witness_) witness_->finish();
  if (certificate_) certificate_->finish();
  if (picture_) {
    Output picture(forms_.dot);
    picture.write(picture_->finish());
    picture.finish();
  }
  if (!nothing_.empty()) diagnose("check-deadlock", nothing_);
  return status_;
}

void check_planners(const PlannerScope& scope, const CheckOptions& options,
                    const std::vector<std::string>& inputs, VerdictOutput& writer) {
  const RelationScope relation = relation_of(scope);
  RecordStream in(inputs);
  in.for_each([&](const Record& record) {
    const Topology& topology = *in.topology();
    if (record.kind == Kind::topology) return refuse_unsimulated(topology, options.model);
    if (record.kind != Kind::end) refuse_kind(record, "topology records alone with --all-multicasts");
    judge_planners(scope, relation, options, topology,
                   [&](Verdict verdict) { writer.write(std::move(verdict), topology, in); });
  });
}

}  // namespace wormcast::io
