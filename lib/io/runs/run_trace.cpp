// Slices and tracks of the Trace Event Format.
//
// A resource that one worm holds at a time has one track. Where several can (injection without limit,
// a consumption queue of several units) slices would overlap, which the format does not allow on a
// track. They come in the order of their ends, so giving each to the track that became free last
// before its start uses as few tracks as can be: the greatest number held at once.
// cite: Trace Event Format (complete, instant and metadata events).
// SPDX-License-Identifier: MIT
#include "io/runs/report_picture.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/output.hpp"
#include "multicast/planner_choice.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {
namespace {

constexpr std::string_view group_names[] = {"channels", "links of hosts", "injection", "consumption",
                                            "arrivals"};

/// Writes what it observes as one JSON object of the Trace Event Format, which Perfetto and
/// chrome://tracing show: a cycle is a microsecond. Every resource has a track, one that several worms
/// can hold as many as it needs at once; every host has a track of arrivals. Memory: a few bytes a track.
class TraceEvents final : public RunTrace {
 public:
  explicit TraceEvents(const std::string& path) : output_(path) {
    output_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  }

  void begin_segment(const Topology& topology, const RouterModel& model) override {
    topology_ = &topology;
    resources_.emplace(topology, model);
  }
  void held(WormName worm, ResourceId resource, Cycle from, Cycle until) override {
    hold(worm, resource, from, until, false);
  }
  void still_held(WormName worm, ResourceId resource, Cycle from, Cycle end) override {
    hold(worm, resource, from, end, true);
  }
  void arrived(WormName worm, HostId host, Cycle cycle) override {
    const auto [at, fresh] = by_host_.try_emplace(host.value, tracks_ + 1);
    if (fresh) ++tracks_;
    begin_event("i", Group::arrivals, at->second).key("ts").number(cycle).key("s").string("t");
    begin_worm(worm).key("host").number(host.value).raw("}");
    end_event();
  }

  /// Names the tracks of the segment.
  void end_segment(const Plan& planned) override {
    const std::string planner = planned.planner.empty() ? "" : planner_label(planned) + ", ";
    const std::string network = planner + topology_->name();
    for (std::uint32_t group = 0; group < groups; ++group)
      name("process_name", static_cast<Group>(group), 0, fmt::format("{}: {}", network, group_names[group]));
    const auto place = [&](Group group, std::uint32_t track, std::uint32_t order, const std::string& title) {
      name("thread_name", group, track, title);
      begin_event("M", group, track).key("name").string("thread_sort_index");
      line_.key("args").raw("{").key("sort_index").number(order).raw("}");
      end_event();
    };
    for (const auto& [resource, tracks] : by_resource_)
      for (const Track& track : tracks)
        place(group_of(ResourceId{resource}), track.id, resource, track_name(ResourceId{resource}));
    for (const auto& [host, track] : by_host_)
      place(Group::arrivals, track, host, "node " + called(*topology_, HostId{host}));
    by_resource_.clear();
    by_host_.clear();
    tracks_ = 0;
    ++segment_;
  }

  void finish() override {
    output_.write("\n]}\n");
    output_.finish();
  }

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

  Group group_of(ResourceId resource) const {
    // In the order of Resource::Kind.
    constexpr Group groups_of[] = {Group::network, Group::injection, Group::consumption, Group::host_link};
    return groups_of[static_cast<std::size_t>(resources_->describe(resource).kind)];
  }

  std::string track_name(ResourceId id) const {
    const Resource resource = resources_->describe(id);
    const auto by_channel = [&] {
      const ChannelEnds ends = topology_->ends(resource.channel).value();
      const std::string shown = has_names(*topology_)
                                    ? called(*topology_, resource.channel)
                                    : fmt::format("{} to {}", ends.from.value, ends.to.value);
      return fmt::format("channel {} ({}) VC {}", resource.channel.value, shown, resource.vc);
    };
    if (resource.kind == Resource::Kind::network) return by_channel();
    const char* what = resource.kind == Resource::Kind::injection   ? "injection"
                       : resource.kind == Resource::Kind::host_link ? "link of host"
                                                                    : "consumption";
    const std::string name = fmt::format("{} {}", what, called(*topology_, resource.host));
    return resource.by_input ? fmt::format("{} from {}", name, by_channel()) : name;
  }

  /// The track of the resource that has been free for the shortest time, or a new one.
  std::uint32_t track(ResourceId resource, Cycle from, Cycle until) {
    std::vector<Track>& tracks = by_resource_[resource.value];
    Track* best = nullptr;
    for (Track& track : tracks)
      if (track.free_from <= from && (best == nullptr || track.free_from > best->free_from)) best = &track;
    if (best == nullptr) {
      tracks.push_back({++tracks_, 0});
      best = &tracks.back();
    }
    best->free_from = until;
    return best->id;
  }

  RecordLine& begin_event(std::string_view phase, Group group, std::uint32_t track) {
    output_.write(std::exchange(any_, true) ? ",\n" : "\n");
    line_.begin_object().key("ph").string(phase).key("pid").number(process(group));
    return line_.key("tid").number(track);
  }

  /// Up to what else its arguments say.
  RecordLine& begin_worm(WormName worm) {
    line_.key("name").string(fmt::format("multicast {} worm {}", worm.multicast, worm.worm));
    return line_.key("args").raw("{").key("multicast").number(worm.multicast).key("worm").number(worm.worm);
  }

  void end_event() { output_.write(line_.end_object()); }

  void hold(WormName worm, ResourceId resource, Cycle from, Cycle until, bool to_the_end) {
    begin_event("X", group_of(resource), track(resource, from, until));
    line_.key("ts").number(from).key("dur").number(until - from);
    begin_worm(worm);
    if (to_the_end) line_.key("never_released").boolean(true);
    line_.raw("}");
    end_event();
  }

  void name(std::string_view what, Group group, std::uint32_t track, std::string_view text) {
    begin_event("M", group, track).key("name").string(what);
    line_.key("args").raw("{").key("name").string(text).raw("}");
    end_event();
  }

  Output output_;
  RecordLine line_;
  const Topology* topology_ = nullptr;
  std::optional<Resources> resources_;
  bool any_ = false;
  std::uint32_t segment_ = 1;
  std::uint32_t tracks_ = 0;  ///< given out in this segment
  std::map<std::uint32_t, std::vector<Track>> by_resource_;
  std::map<std::uint32_t, std::uint32_t> by_host_;
};

}  // namespace

std::unique_ptr<RunTrace> open_trace(const std::string& path) { return std::make_unique<TraceEvents>(path); }

}  // namespace wormcast::io
