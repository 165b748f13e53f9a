// What is written of a simulation while it runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/output.hpp"
#include "io/text/record_line.hpp"
#include "multicast/plan.hpp"
#include "simulation/engine.hpp"
#include "topology/resources.hpp"

namespace wormcast::io {

/// An observer of one run after the other that writes a file, which appears whole, with finish().
class RunTrace : public Observer {
 public:
  virtual void begin_segment(const Topology& topology, const RouterModel& model) = 0;
  /// `planned` as in SharedPlanner.
  virtual void end_segment(const Plan& planned, const Summary& summary) = 0;
  virtual void finish() = 0;
};

/// A page to watch the run on where the file's name ends with .html, else trace events.
std::unique_ptr<RunTrace> open_trace(const std::string& path);

/// Writes what it observes as one JSON object of the Trace Event Format, which Perfetto and
/// chrome://tracing show: a cycle is a microsecond. Every resource has a track, one that several worms
/// can hold as many as it needs at once; every host has a track of arrivals. Memory: a few bytes a track.
class TraceEvents final : public RunTrace {
 public:
  /// The file appears whole, with finish().
  explicit TraceEvents(const std::string& path);

  void begin_segment(const Topology& topology, const RouterModel& model) override;
  void held(WormName worm, ResourceId resource, Cycle from, Cycle until) override;
  void still_held(WormName worm, ResourceId resource, Cycle from, Cycle end) override;
  void arrived(WormName worm, HostId host, Cycle cycle) override;
  /// Names the tracks of the segment.
  void end_segment(const Plan& planned, const Summary& summary) override;
  void finish() override;

 private:
  /// What a group of tracks is of; each has its process in every segment.
  enum class Group : std::uint32_t { network, host_link, injection, consumption, arrivals };
  static constexpr std::uint32_t groups = 5;

  /// One of the tracks of a resource. Slices come in the order of their ends.
  struct Track {
    std::uint32_t id = 0;
    Cycle free_from = 0;
  };

  std::uint32_t process(Group group) const { return segment_ * groups + static_cast<std::uint32_t>(group); }
  Group group_of(ResourceId resource) const;
  std::string track_name(ResourceId resource) const;
  std::uint32_t track(ResourceId resource, Cycle from, Cycle until);
  void slice(WormName worm, ResourceId resource, Cycle from, Cycle until, bool to_the_end);
  RecordLine& begin_event(std::string_view phase, Group group, std::uint32_t track);
  void end_event();
  void name(std::string_view what, Group group, std::uint32_t track, std::string_view text);

  Output output_;
  RecordLine line_;
  bool any_ = false;
  std::uint32_t segment_ = 0;
  std::uint32_t tracks_ = 0;  ///< given out in this segment
  const Topology* topology_ = nullptr;
  std::optional<Resources> resources_;
  std::map<std::uint32_t, std::vector<Track>> by_resource_;
  std::map<std::uint32_t, std::uint32_t> by_host_;
};

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
