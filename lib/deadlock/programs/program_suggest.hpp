// What to change in a program that can deadlock, or is not known to be safe.
// SPDX-License-Identifier: MIT
#pragma once

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

/// Every change that is tried, from those that cost nothing to those that cost channels and memory.
std::vector<ChangedProgram> changes_of_program(const Topology& topology, const Program& program,
                                               const std::vector<Routes>& flows);

/// The first few of them after which judge_program() excludes a deadlock; of a counter the first that does.
std::vector<Suggestion> suggest(const Topology& topology, const Program& program,
                                const std::vector<Routes>& flows, const CheckOptions& options);

}  // namespace wormcast
