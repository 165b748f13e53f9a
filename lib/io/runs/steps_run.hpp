// The step model over a stream of routes: its options and the run.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "io/command_line/command_line.hpp"
#include "io/text/output.hpp"

namespace wormcast::io {

/// What the user wrote.
struct StepOptions {
  std::string reading;      ///< or empty
  std::string priority;     ///< or empty
  bool contention = false;  ///< also count the pairs of worms that can contend
  bool fluid = false;       ///< also the time with shared links instead of blocking

  friend bool operator==(const StepOptions&, const StepOptions&) = default;
};

void add_step_options(CommandLine& line, StepOptions& options);
/// Replaces every routes record of the files by a steps record.
void run_step_model(const StepOptions& options, const std::vector<std::string>& files, Output& output);

}  // namespace wormcast::io
