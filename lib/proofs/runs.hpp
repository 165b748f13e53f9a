// Runs of the simulator, in search of a deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "deadlock/search/join_exploration.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "simulation/engine.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A run uses up to so many flits; one that needs more is not tried.
inline constexpr std::uint64_t most_run_flits = 50'000'000;

/// Sorts the messages by their starts and runs them to the end. Takes their flits from `left`; nothing, with
/// none left, where it has fewer.
std::optional<Summary> run_stream(const Topology& topology, const SimulationOptions& options,
                                  std::vector<Routes>& stream, std::uint64_t& left);

/// Runs of messages among which are reductions, with starts of our own: what deadlocks, and how.
class JoinRuns {
 public:
  JoinRuns(const Topology& topology, const RouterModel& model) : topology_(topology), model_(model) {}

  /// Simulates them with these starts: whether they deadlock, and then witness() says how. False, too, for
  /// more flits in all runs than are simulated.
  bool deadlocks(const std::vector<Routes>& messages, const JoinStarts& starts);
  /// Starts of up to three messages one behind the other, then drawn ones; true with the first that
  /// deadlock. Ends without one, too, once `mixture` has been seen mixed.
  bool search(const std::vector<Routes>& messages, const std::vector<std::uint64_t>& mixture = {});
  /// Leaves out of the last deadlock what it does without; what `stays` says stays.
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
  std::vector<Routes> replayed_, shown_;            ///< in the order of their starts
  std::uint64_t runs_ = 0, left_ = most_run_flits;  ///< flits for those to come
};

}  // namespace wormcast
