// Pictures, drawn by scripts beside the tools, of records and of simulations while they run: what the scripts
// are handed, line by line.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/scripts/script.hpp"
#include "io/text/record_line.hpp"
#include "multicast/plan.hpp"
#include "report/collector.hpp"
#include "report/forms/report.hpp"
#include "report/subject.hpp"
#include "router/router_model.hpp"
#include "simulation/engine.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// What report draws of single records: pictures of networks, cards.
class ReportPicture {
 public:
  /// Throws InputError for a metric that channels do not have.
  explicit ReportPicture(const ReportRequest& request);

  void add(const Subject& subject);
  /// The picture, after the last record. Throws InputError where there is nothing to draw.
  std::string finish();

 private:
  void add_load(const Subject& subject);
  void write_routed(std::size_t tile);
  void add_worms(const Subject& subject);
  void add_card(const Subject& subject);
  std::size_t tile_of(const Subject& subject);

  ReportRequest::Form form_;
  std::string option_, metric_;
  std::uint64_t drawn_;
  KeyReader key_{{"planner", "routing"}};
  std::map<std::vector<std::string>, std::size_t>
      tiles_;  ///< of loads: by title, routing function and network
  std::map<std::size_t, std::vector<std::uint64_t>> routed_;  ///< by tile: what routes load each channel with
  std::size_t worms_ = 0;                                     ///< pictures of them
  Meetings meetings_;
  std::set<std::string> planners_,
      routings_;  ///< whose needs, virtual channels were said; these of the segment
  std::uint64_t segment_ = 0;
  Script script_;
  RecordLine line_;
};

/// A gnuplot script. Throws InputError where the points do not fit the request.
std::string drawn_plot(const PlotRequest& request, const PlotTable& table);

/// One worm of a deadlock, or one dependency of a cycle.
struct PicturedWorm {
  std::string name;              ///< "multicast 3"
  std::optional<NodeId> source;  ///< of a worm
  std::vector<Resource> holds;   ///< drawn in full
  std::vector<Resource> waits;   ///< drawn dashed
};

/// Networks side by side, every worm in a colour: channels held are full arrows, channels waited for dashed
/// ones; a consumption channel waited for is a dashed circle around its node.
class DeadlockPicture {
 public:
  DeadlockPicture() : script_("network-picture", {"deadlocks"}) {}
  void add(const Topology& topology, std::string_view title, const std::vector<PicturedWorm>& worms);
  std::string finish() { return script_.needed("check-deadlock", "--dot"); }

 private:
  std::size_t tiles_ = 0;
  Script script_;
  RecordLine line_;
};

/// An observer of one run after the other that writes a file, which appears whole, with finish().
class RunTrace : public Observer {
 public:
  virtual void begin_segment(const Topology& topology, const RouterModel& model) = 0;
  /// `planned` as in SharedPlanner.
  virtual void end_segment(const Plan& planned) = 0;
  virtual void finish() = 0;
};

/// Trace events, for Perfetto.
std::unique_ptr<RunTrace> open_trace(const std::string& path);

}  // namespace wormcast::io
