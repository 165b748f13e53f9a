// The end of the warm-up of an open-loop run, found in what the run delivers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast {

struct WarmupOptions {
  std::uint32_t batches = 200;  ///< looked at together; even, and at least 10
  std::uint64_t batch_deliveries =
      0;  ///< in each at first; 0: 5, or a twentieth of the hosts if that is more
};

/// What was found.
struct WarmupSummary {
  std::uint64_t batch_deliveries = 0;    ///< in each batch at the end
  std::uint64_t deliveries = 0;          ///< looked at
  std::optional<std::uint64_t> dropped;  ///< of these, from the first on; nothing while no end is found
};

/// How many of the first batches MSER drops: d so that Σ(yᵢ − mean)² / (n − d)² over the others is least, the
/// first of several, with `least_left` batches left or more. `sums` are below 2^40.
std::size_t mser_truncation(std::span<const std::uint64_t> sums);

/// Looks at latencies in the order of delivery.
class WarmupSearch {
 public:
  WarmupSearch(const WarmupOptions& options, std::uint64_t hosts);

  void add(Cycle latency);
  bool found() const { return found_.dropped.has_value(); }
  const WarmupSummary& summary() const { return found_; }

 private:
  void look();

  std::size_t batches_;
  std::vector<std::uint64_t> sums_;  ///< of whole batches
  std::uint64_t sum_ = 0;            ///< of the next
  std::uint64_t count_ = 0;          ///< likewise
  WarmupSummary found_;
};

}  // namespace wormcast
