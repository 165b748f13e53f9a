// What to change in a program that can deadlock, or is not known to be safe.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "programs/program.hpp"
#include "topology/topology.hpp"

namespace wormcast {

struct ChangedProgram {
  std::string change;
  Program program;
  std::vector<Routes> flows;
};

/// Hears of a change; true: that is enough.
using ChangeListener = std::function<bool(const ChangedProgram&)>;

/// The changes that are tried, from those that cost nothing to those that cost channels and memory.
void each_change(const Topology& topology, const Program& program, const std::vector<Routes>& flows,
                 const ChangeListener& hear);

/// The first few of them after which judge_program() excludes a deadlock; of a counter the first that does.
std::vector<Suggestion> suggest(const Topology& topology, const Program& program,
                                const std::vector<Routes>& flows, const CheckOptions& options);

}  // namespace wormcast
