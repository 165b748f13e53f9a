// Runs of a segment with reductions in the simulator, with starts of our own: what stands still, and how.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "deadlock/search/search.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

class JoinRuns {
 public:
  JoinRuns(const Topology& topology, const RouterModel& model) : topology_(topology), model_(model) {}

  /// Whether they stand still when they start so; then witness() says how. False, too, for more flits in all
  /// runs than are simulated.
  bool stand_still(const std::vector<Routes>& messages, const JoinStarts& starts);
  /// Starts of up to three messages one behind the other, then drawn ones; true with the first that stand
  /// still. Ends without one, too, once `mixture` has been seen mixed.
  bool search(const std::vector<Routes>& messages, const std::vector<std::uint64_t>& mixture = {});
  /// Leaves out of the last standstill what it does without; what `stays` says stays.
  void leave_out(const std::function<bool(const Request&)>& stays);

  const std::vector<WitnessWorm>& witness() const { return witness_; }
  const std::vector<Routes>& replayed() const { return replayed_; }
  /// The first that ended, with something mixed or interleaved.
  const std::vector<Routes>& shown() const { return shown_; }
  std::uint64_t runs() const { return runs_; }
  /// What was seen in runs, as Summary has it, each with the starts of the first.
  using Seen = std::map<std::vector<std::uint64_t>, std::vector<MessageStart>>;
  Seen mixed, interleaved;

 private:
  std::int32_t hop_of(const Request& request, const WormRoute& route, ResourceId resource) const;

  const Topology& topology_;
  RouterModel model_;
  std::vector<WitnessWorm> witness_;
  std::vector<Routes> replayed_, shown_;  ///< in the order of their starts
  std::uint64_t runs_ = 0, spent_ = 0;    ///< and flits in them
};

}  // namespace wormcast
