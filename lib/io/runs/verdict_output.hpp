// Verdicts that take runs of the simulator, and where verdicts go: records, streams that replay a deadlock,
// pictures.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/search/search.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "io/records/record_stream.hpp"
#include "io/runs/report_picture.hpp"
#include "io/text/output.hpp"
#include "io/text/record_line.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

struct VerdictForms {
  std::string witness;  ///< file for the stream of witnesses; "-": in place of the verdicts
  std::string dot;      ///< file for the picture
  bool explain = false;
  std::function<void()> begin{};  ///< called before each is written
};

/// A segment of them.
void write_routes(const std::string& topology_line, const std::vector<Routes>& all, Output& output);

/// Writes verdicts as they come.
class VerdictOutput {
 public:
  VerdictOutput(const VerdictForms& forms, Output& output);

  /// At the end record of the verdict's segment.
  void write(Verdict verdict, const Topology& topology, const RecordStream& in);
  /// Finishes the files; the exit status of all verdicts.
  int finish();

 private:
  VerdictForms forms_;
  Output& output_;
  std::optional<Output> witness_;
  std::optional<DeadlockPicture> picture_;
  RecordLine line_;
  int status_;
  std::string nothing_;  ///< why the first network that came without routes was not checked
};

/// What is checked in place of a stream's routes.
struct PlannerScope {
  std::string planners;      ///< separated by commas, each perhaps with options of its own; empty: routes
  std::string routing;       ///< of the planners; empty: each one's first
  std::string with_unicast;  ///< routing function of unicasts beside them; empty: none
  std::string depends;       ///< REQUEST:REPLY, each multicasts or unicasts; empty: no node waits for replies
  std::uint32_t unicast_vc = 0;  ///< first virtual channel of the unicasts
  bool reductions = false;       ///< of their multicasts run backwards
  bool suggest = false;          ///< changes that make it safe are looked for where it is not
  TrialListener tell{};          ///< hears of these
};

/// Writes one verdict for each topology of the inputs and planner. Throws InputError where the inputs hold
/// more than networks.
void check_planners(const PlannerScope& scope, const CheckOptions& options,
                    const std::vector<std::string>& inputs, VerdictOutput& writer);

// Verdicts on routers that allocate virtual channels (VcAllocation::islip): what is proved in their place,
// and deadlocks that such routers have been seen to run into.

inline bool allocates(const RouterModel& model) { return model.vc_allocation == VcAllocation::islip; }

/// The routers of which it is decided in place of allocating ones: they take the virtual channels of the
/// routes, or any that an adaptive function offers, and copy flit by flit. Of others the same.
RouterModel stand_in(const RouterModel& model);

/// What a verdict on the stand-in says of allocating routers.
class AllocatingVerdict {
 public:
  explicit AllocatingVerdict(const RouterModel& model) : model_(model) {}

  /// Takes note of what the verdict will be about; throws InputError for more worms than are kept, and for
  /// routes that allocating routers have no virtual channels for.
  void add(const Routes& routes, const Topology& topology);
  void begin_segment();

  /// Keeps what is safe, and a deadlock that allocating routers run into; unknown otherwise. Of routers that
  /// allocate nothing the verdict as it is. `of`: as run() has it.
  template <class... Of>
  Verdict settle(Verdict verdict, const Of&... of) const {
    if (!allocates(model_)) return verdict;
    Runs runs = verdict.answer == Answer::deadlock ? run(verdict, of...) : Runs{};
    verdict.replayed = std::move(runs.stood);
    return say(std::move(verdict), runs);
  }

  struct Runs {
    bool stood_still = false;
    std::vector<Routes> stood;  ///< then: with what
    std::string tried;          ///< in words, after "not"; "": there was none
    bool too_long = false;      ///< some were left out, as they would have had too many flits
  };
  /// Whether allocating routers run into a deadlock with the worms of the verdict, which is on a stream's
  /// routes or on all multicasts of a planner.
  Runs run(const Verdict& verdict, const Topology& topology) const;
  Runs run(const Verdict& verdict, const BoundPlanner& planner, const RoutingFunction* unicast) const;

 private:
  Verdict say(Verdict verdict, const Runs& runs) const;
  /// Notes in `runs` what came of it.
  bool stands_still(const Topology& topology, std::vector<Routes> routes, Runs& runs) const;
  bool witness_stands_still(const Verdict& verdict, const Topology& topology, Runs& runs) const;

  RouterModel model_;
  std::vector<Routes> stream_;
  std::map<std::uint64_t, std::size_t> places_;  ///< in it, by multicast
  std::string routing_name_;                     ///< of the routes added last
  std::unique_ptr<const RoutingFunction> routing_;
};

// Runs of a segment with reductions in the simulator, with starts of our own: what stands still, and how.

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

/// Verdicts on segments with reductions: what is proved of them, and standstills that runs of them end in.
class JoinedVerdict {
 public:
  explicit JoinedVerdict(SegmentCheckOptions options) : options_(std::move(options)) {}

  void begin_segment();
  /// Takes the routes of a record; until there is a reduction it keeps the text alone, which takes less
  /// memory. True once the segment has one: then no other check takes what it holds. Throws InputError for
  /// more messages than are kept.
  bool add(const Routes& routes, const Record& record, RouteCheck& check);
  /// Takes a message that comes from no record.
  void keep(const Routes& routes);
  bool any() const { return reductions_; }
  /// Throws InputError for routers, or with options, for which nothing is argued.
  Verdict verdict(const Topology& topology) const;
  /// Throws InputError for routers of which nothing is argued.
  void refuse_router(const Topology& topology) const;
  /// Whether the simulator stands still with the verdict's witness, and as it says.
  CheckedVerdict check_witness(const Verdict& verdict, const Topology& topology) const;
  /// Whether a verdict on the segment holds; its model is that of the options.
  CheckedVerdict check(const Verdict& verdict, const Topology& topology) const;

 private:
  void read_kept(RouteCheck& check);
  void refuse_options(const Topology& topology) const;
  Verdict counted() const;
  void show_mixtures(const JoinedWorms& worms, JoinRuns& runs, const JoinExploration* all,
                     Verdict& result) const;

  SegmentCheckOptions options_;
  std::vector<Routes> messages_;
  std::string records_;  ///< lines, as long as there is no reduction
  SharedPlanner planner_;
  std::size_t count_ = 0;
  bool reductions_ = false;
};

// Verdicts on all reductions that a planner can make, alone and beside all unicasts of a routing function.

/// Reductions are planned by the routing function whose routes are those of the default run backwards, as
/// plan-multicast does, where none is named.
BoundPlanner bind_for_reductions(const PlannerChoice& choice, const Topology& topology,
                                 std::string_view routing);

/// `unicast` may be null. Throws InputError for routers of whose joins nothing is argued.
Verdict check_all_reductions(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options);

inline bool speaks_of_reductions(const Verdict& verdict) {
  return verdict.scope.starts_with("all reductions of ");
}
CheckedVerdict check_reductions_verdict(const Topology& topology, const Verdict& verdict);

}  // namespace wormcast::io
