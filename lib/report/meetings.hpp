// Whether multicasts of a closed run may have waited for each other: then they are no independent samples.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "report/subject.hpp"

namespace wormcast {

/// Looks at the deliveries of a segment after the others. Multicasts met if two were under way at a time and
/// any waited, be it for itself: what one waits for its records do not say.
class Meetings {
 public:
  void add(const Subject& subject) {
    if (subject.segment != segment_) *this = {};
    segment_ = subject.segment;
    // What waits for others belongs to their start, as the answers of an invalidation do.
    if (subject.kind != "delivery" || !subject.plan->request.depends_on.empty()) return;
    std::int64_t start = 0;
    std::int64_t latency = 0;
    for (const Metric& metric : subject.metrics) {
      if (metric.name == "start_cycle") start = metric.value;
      if (metric.name == "latency_cycles") latency = metric.value;
      if (metric.name == "blocked_cycles" || metric.name == "source_queueing_cycles")
        waited_ = waited_ || metric.value > 0;
    }
    overlapped_ = overlapped_ || start <= latest_;
    latest_ = std::max(latest_, start + latency);
  }
  std::uint64_t segment() const { return segment_; }
  /// In the segment of the subject added last.
  bool met() const { return overlapped_ && waited_; }

 private:
  std::uint64_t segment_ = 0;
  std::int64_t latest_ = -1;  ///< arrival of those that came
  bool overlapped_ = false;
  bool waited_ = false;
};

}  // namespace wormcast
