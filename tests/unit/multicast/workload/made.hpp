// What a workload's spec makes on a topology: all its multicasts, or why it is refused.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "multicast/workload/workload.hpp"
#include "topology/error.hpp"

namespace wormcast {

inline std::vector<Request> all(const WorkloadSpec& spec, const Topology& topology) {
  Workload workload(spec, topology);
  std::vector<Request> requests;
  while (auto request = workload.next()) requests.push_back(*request);
  CHECK_FALSE(workload.next());
  return requests;
}

/// "field: message" of the refusal, or "" if it was accepted.
inline std::string refusal(const WorkloadSpec& spec, const Topology& topology) {
  try {
    Workload workload(spec, topology);
    return "";
  } catch (const InputError& error) {
    return error.field + ": " + error.what();
  }
}

}  // namespace wormcast
