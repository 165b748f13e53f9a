// The engine of one segment: another one takes its place where a reduction comes that it cannot join.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "multicast/routes.hpp"
#include "simulation/engine.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The first reduction of a segment opens the engine anew, as not every one joins parts: it is given what the
/// one before took, and deliveries that have been polled are passed over. Behind more than 10,000 messages
/// that would have to be kept, or where an observer has been told of them, the engine joins parts as it is,
/// or refuses.
class SegmentEngine {
 public:
  /// `wanted`: one of engine_names(), or "join". Throws InputError ("--engine") for another one, and where it
  /// is not exact.
  SegmentEngine(const Topology& topology, const SimulationOptions& options, std::string wanted);

  /// As Engine::take() and advance().
  void take(Routes& routes);
  /// As Engine::poll(): valid until the next call.
  const Delivery* poll();
  Engine& engine() const { return *engine_; }
  const SimulationOptions& options() const { return options_; }

 private:
  void open();
  void open_anew();

  const Topology& topology_;
  SimulationOptions options_;
  std::string wanted_;
  std::unique_ptr<Engine> engine_;
  bool may_give_way_;     ///< to one that joins
  bool kept_all_ = true;  ///< before the first reduction, in:
  std::vector<Routes> kept_;
  std::uint64_t polled_ = 0;
  std::uint64_t again_ = 0;  ///< deliveries that the engine before has given
};

}  // namespace wormcast
