// A run to watch: one page of HTML in which worms move over the network, cycle by cycle.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/runs/run_trace.hpp"
#include "io/text/output.hpp"
#include "io/text/record_line.hpp"
#include "topology/resources.hpp"

namespace wormcast::io {

/// Needs nothing beside the file: drawing and data are inside. A worm is drawn on every channel that it holds, a
/// multicast in one colour; what it waits for in a deadlock is dashed. Memory: the runs as a whole, some 30 bytes
/// for each time that a worm held a channel.
class RunPage final : public RunTrace {
 public:
  explicit RunPage(const std::string& path);

  void begin_segment(const Topology& topology, const RouterModel& model) override;
  void held(WormName worm, ResourceId resource, Cycle from, Cycle until) override;
  void still_held(WormName worm, ResourceId resource, Cycle from, Cycle end) override;
  void arrived(WormName worm, HostId host, Cycle cycle) override;
  void end_segment(const Plan& planned, const Summary& summary) override;
  void finish() override;

 private:
  void hold(WormName worm, ResourceId resource, Cycle from, Cycle until, bool to_the_end);
  void add_nodes();
  void add_waits(const Deadlock& deadlock);
  std::string place_of(ResourceId resource) const;

  Output output_;
  const Topology* topology_ = nullptr;
  std::optional<Resources> resources_;
  std::string holds_;     ///< of the segment, elements of an array of JSON
  std::string arrivals_;  ///< likewise
  bool any_ = false;      ///< a segment is written
};

}  // namespace wormcast::io
