// What is written of a simulation while it runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "multicast/plan.hpp"
#include "simulation/engine.hpp"

namespace wormcast::io {

/// An observer of one run after the other that writes a file, which appears whole, with finish().
class RunTrace : public Observer {
 public:
  virtual void begin_segment(const Topology& topology, const RouterModel& model) = 0;
  /// `planned` as in SharedPlanner.
  virtual void end_segment(const Plan& planned, const Summary& summary) = 0;
  virtual void finish() = 0;
};

/// A page to watch the run on where the file's name ends with .html, else trace events.
std::unique_ptr<RunTrace> open_trace(const std::string& path);

}  // namespace wormcast::io
