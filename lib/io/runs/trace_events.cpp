// Slices and tracks of the Trace Event Format.
//
// A resource that one worm holds at a time has one track. Where several can (injection without limit,
// a consumption queue of several units) slices would overlap, which the format does not allow on a
// track. They come in the order of their ends, so giving each to the track that became free last
// before its start uses as few tracks as can be: the greatest number held at once.
// cite: Trace Event Format (complete, instant and metadata events).
// SPDX-License-Identifier: MIT
#include "io/runs/run_trace.hpp"

#include <fmt/format.h>

#include "multicast/planner_choice.hpp"
#include "report/subject.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {
namespace {

constexpr std::string_view group_names[] = {"channels", "links of hosts", "injection", "consumption",
                                            "arrivals"};

}  // namespace

TraceEvents::TraceEvents(const std::string& path) : output_(path) {
  output_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
}

void TraceEvents::begin_segment(const Topology& topology, const RouterModel& model) {
  ++segment_;
  topology_ = &topology;
  resources_.emplace(topology, model);
}

TraceEvents::Group TraceEvents::group_of(ResourceId resource) const {
  switch (resources_->describe(resource).kind) {
    case Resource::Kind::injection:
      return Group::injection;
    case Resource::Kind::consumption:
      return Group::consumption;
    case Resource::Kind::host_link:
      return Group::host_link;
    case Resource::Kind::network:
      break;
  }
  return Group::network;
}

std::string TraceEvents::track_name(ResourceId id) const {
  const Resource resource = resources_->describe(id);
  const auto by_channel = [&] {
    const ChannelEnds ends = topology_->ends(resource.channel).value();
    const std::string shown = has_names(*topology_) ? called(*topology_, resource.channel)
                                                    : fmt::format("{} to {}", ends.from.value, ends.to.value);
    return fmt::format("channel {} ({}) VC {}", resource.channel.value, shown, resource.vc);
  };
  switch (resource.kind) {
    case Resource::Kind::network:
      return by_channel();
    case Resource::Kind::injection:
      return "injection " + called(*topology_, resource.host);
    case Resource::Kind::host_link:
      return "link of host " + called(*topology_, resource.host);
    case Resource::Kind::consumption:
      if (resource.by_input)
        return fmt::format("consumption {} from {}", called(*topology_, resource.host), by_channel());
      return "consumption " + called(*topology_, resource.host);
  }
  return "";
}

/// The track of the resource that has been free for the shortest time, or a new one.
std::uint32_t TraceEvents::track(ResourceId resource, Cycle from, Cycle until) {
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

RecordLine& TraceEvents::begin_event(std::string_view phase, Group group, std::uint32_t track) {
  if (any_) output_.write(",");
  any_ = true;
  output_.write("\n");
  return line_.begin_object()
      .key("ph")
      .string(phase)
      .key("pid")
      .number(process(group))
      .key("tid")
      .number(track);
}

void TraceEvents::end_event() { output_.write(line_.end_object()); }

void TraceEvents::slice(WormName worm, ResourceId resource, Cycle from, Cycle until, bool to_the_end) {
  begin_event("X", group_of(resource), track(resource, from, until));
  line_.key("ts").number(from).key("dur").number(until - from);
  line_.key("name").string(fmt::format("multicast {} worm {}", worm.multicast, worm.worm));
  line_.key("args").raw("{").key("multicast").number(worm.multicast).key("worm").number(worm.worm);
  if (to_the_end) line_.key("never_released").boolean(true);
  line_.raw("}");
  end_event();
}

void TraceEvents::held(WormName worm, ResourceId resource, Cycle from, Cycle until) {
  slice(worm, resource, from, until, false);
}

void TraceEvents::still_held(WormName worm, ResourceId resource, Cycle from, Cycle end) {
  slice(worm, resource, from, end, true);
}

void TraceEvents::arrived(WormName worm, HostId host, Cycle cycle) {
  const auto [at, fresh] = by_host_.try_emplace(host.value, tracks_ + 1);
  if (fresh) ++tracks_;
  begin_event("i", Group::arrivals, at->second).key("ts").number(cycle).key("s").string("t");
  line_.key("name").string(fmt::format("multicast {} worm {}", worm.multicast, worm.worm));
  line_.key("args").raw("{").key("multicast").number(worm.multicast).key("worm").number(worm.worm);
  line_.key("host").number(host.value).raw("}");
  end_event();
}

void TraceEvents::name(std::string_view what, Group group, std::uint32_t track, std::string_view text) {
  begin_event("M", group, track).key("name").string(what);
  line_.key("args").raw("{").key("name").string(text).raw("}");
  end_event();
}

void TraceEvents::end_segment(const Plan& planned, const Summary&) {
  const std::string network =
      planned.planner.empty() ? topology_->name() : planner_label(planned) + ", " + topology_->name();
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
}

void TraceEvents::finish() {
  output_.write("\n]}\n");
  output_.finish();
}

}  // namespace wormcast::io
