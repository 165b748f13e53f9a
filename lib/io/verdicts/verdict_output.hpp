// Where verdicts go: records, streams that replay a deadlock, pictures.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/verdict.hpp"
#include "io/records/record_stream.hpp"
#include "io/runs/report_picture.hpp"
#include "io/text/output.hpp"
#include "io/text/record_line.hpp"
#include "multicast/routes.hpp"
#include "proofs/plain_certificate.hpp"
#include "proofs/strategy.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

struct VerdictForms {
  std::string witness;      ///< file for the stream of witnesses; "-": in place of the verdicts
  std::string dot;          ///< file for the picture
  std::string certificate;  ///< file for the proofs
  bool explain = false;
  std::function<void()> begin{};  ///< called before each is written
};

/// A segment of them, perhaps as the flows of a program.
void write_routes(const std::string& topology_line, const std::vector<Routes>& all, Output& output,
                  const std::optional<Program>& program = {});

/// Writes verdicts as they come.
class VerdictOutput {
 public:
  VerdictOutput(const VerdictForms& forms, Output& output);

  /// Each of a segment of routes: of these a certificate speaks.
  void add(const Routes& routes, const Topology& topology, const CheckOptions& options);
  /// At the end record of the verdict's segment.
  void write(Verdict verdict, const Topology& topology, const RecordStream& in);
  /// Finishes the files; the exit status of all verdicts.
  int finish();

 private:
  VerdictForms forms_;
  Output& output_;
  std::optional<Output> witness_;
  std::optional<DeadlockPicture> picture_;
  std::optional<Output> certificate_;
  std::optional<PlainCertificate> proof_;  ///< of the segment at hand
  RecordLine line_;
  int status_;
  std::string nothing_;  ///< why the first network that came without routes was not checked
};

/// Writes one verdict for each topology of the inputs and planner. Throws InputError where the inputs hold
/// more than networks.
void check_planners(const PlannerScope& scope, const CheckOptions& options,
                    const std::vector<std::string>& inputs, VerdictOutput& writer);

}  // namespace wormcast::io
