// Where verdicts go: records, streams that replay a deadlock, pictures.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deadlock/verdict.hpp"
#include "io/records/record_stream.hpp"
#include "io/text/output.hpp"
#include "io/text/record_line.hpp"
#include "multicast/routes.hpp"
#include "report/pictures/deadlock_picture.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

struct VerdictForms {
  std::string witness;  ///< file for the stream of witnesses; "-": in place of the verdicts
  std::string dot;      ///< file for the picture
  bool explain = false;
};

/// A segment of them.
void write_routes(const std::string& topology_line, const std::vector<Routes>& all, Output& output);

/// Writes verdicts as they come.
class VerdictOutput {
 public:
  VerdictOutput(const VerdictForms& forms, Output& output);

  /// At the end record of the verdict's segment.
  void write(Verdict verdict, const Topology& topology, const RecordStream& in);
  /// Finishes the files; the exit status of all verdicts.
  int finish();

 private:
  const VerdictForms& forms_;
  Output& output_;
  std::optional<Output> witness_;
  DeadlockPicture picture_;
  RecordLine line_;
  int status_;
  std::string nothing_;  ///< why the first network that came without routes was not checked
};

}  // namespace wormcast::io
