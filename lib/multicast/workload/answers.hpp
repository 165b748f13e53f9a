// Multicasts that are answered: every destination sends back, and a source waits for that.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "multicast/workload/merge.hpp"

namespace wormcast {

/// Puts behind each multicast of a workload one answer from each destination, which it sends when the
/// multicast has reached it; where the workload has answers already, they get the length. A source sends its
/// next multicast when all answers to its last one have come. Ids are 0, 1, 2, … again. Memory: a word for
/// each multicast of the workload.
class AnsweredWorkload {
 public:
  /// `source` gives multicasts whose ids are 0, 1, 2, …; `flits`: of an answer, at least 1.
  AnsweredWorkload(WorkloadMerge::Source source, std::uint64_t flits);

  std::optional<Request> next();

 private:
  Request answer(const Request& asked, HostId from);

  WorkloadMerge::Source source_;
  std::uint64_t flits_;
  std::uint64_t made_ = 0;          ///< the next id
  std::vector<std::uint64_t> ids_;  ///< of the workload's multicasts, by their ids there
  std::deque<Request> waiting_;     ///< answers to be given
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> awaited_;  ///< by source: answers to its last
};

}  // namespace wormcast
