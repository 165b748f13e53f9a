// The worms inside plan records.
// SPDX-License-Identifier: MIT
#include "io/records/worm_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/records/multicast_record.hpp"

namespace wormcast::io {

void WormReader::read_stops(const Value& value) {
  // A branch stop is a router; which stops are is known only later, so the bound is the larger one.
  const std::uint32_t nodes = std::max(topology_.hosts(), topology_.routers());
  const auto take = [&](std::uint64_t id) {
    const auto previous = static_cast<std::int32_t>(worm_.stops.size()) - 1;
    worm_.stops.push_back({static_cast<std::uint32_t>(id), previous, StopAction::deliver});
  };
  const bool plain = value.plain_integers([&](std::int64_t id) {
    if (id < 0 || id >= std::int64_t{nodes}) return false;
    take(static_cast<std::uint64_t>(id));
    return true;
  });
  if (plain) return;
  worm_.stops.clear();
  value.each([&](const Value& node) {
    const std::uint64_t id = node.integer(0);
    if (id >= nodes)
      node.fail(fmt::format("node {} is not in topology {} ({} nodes)", id, topology_.name(), nodes));
    take(id);
  });
}

void WormReader::rare_member(std::size_t index, const Value& value) {
  switch (index) {
    case 0:
      worm_.source = read_host(value, topology_);
      break;
    case 1:
      worm_.after = static_cast<std::int32_t>(value.integer(0, INT32_MAX));
      break;
    case 2:
      worm_.first_port = PortId{static_cast<std::uint32_t>(value.integer(0, topology_.ports() - 1))};
      break;
    case 3:
      worm_.vc_class = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
      break;
    case 4: {
      const std::string_view name = value.text();
      if (name != "asynchronous" && name != "lock-step")
        value.fail(fmt::format("{} is neither \"asynchronous\" nor \"lock-step\"", value.shown()));
      worm_.replication = name == "lock-step" ? Replication::lock_step : Replication::asynchronous;
      break;
    }
    case 5:
      worm_.header_flits = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
      break;
    default:
      later_.push_back(value);
      later_member_.push_back(index);
      break;
  }
}

void WormReader::mark(const Value& indices, StopAction action) {
  indices.each([&](const Value& index) {
    const std::uint64_t stop = index.integer(0);
    if (stop >= worm_.stops.size())
      index.fail(fmt::format("{} is not the index of a stop ({} stops)", stop, worm_.stops.size()));
    if (worm_.stops[stop].action != StopAction::deliver)
      index.fail(fmt::format("stop {} is listed twice", stop));
    worm_.stops[stop].action = action;
  });
}

void reset(Worm& worm) {
  worm.source = unnamed_source;
  worm.after = -1;
  worm.first_port.reset();
  worm.vc_class = 0;
  worm.replication = Replication::unstated;
  worm.stops.clear();
  worm.header_flits.reset();
}

void WormReader::finish() {
  for (std::size_t i = 0; i < later_.size(); ++i) {
    if (later_member_[i] == 7)
      read_parallel(later_[i], worm_.stops.size(), -1, INT32_MAX, [&](std::size_t stop, std::int64_t parent) {
        worm_.stops[stop].parent = static_cast<std::int32_t>(parent);
      });
    else
      mark(later_[i], later_member_[i] == 8 ? StopAction::relay : StopAction::branch);
  }
}

void read_plan_worms(const Value& array, const Topology& topology, std::vector<Worm>& worms) {
  std::size_t count = 0;
  array.each([&](const Value& value) {
    if (worms.size() == count) worms.emplace_back();
    WormReader reader(topology, worms[count++]);
    read_frequent_members<worm_members>(
        value, [&](auto member, const Value& v) { reader.member(static_cast<std::size_t>(member), v); });
    reader.finish();
  });
  worms.resize(count);
}

void write_worm_members(const Worm& worm, RecordLine& line) {
  if (worm.after >= 0) line.key("source").number(worm.source.value).key("after").signed_number(worm.after);
  if (worm.first_port) line.key("first_port").number(worm.first_port->value);
  if (worm.vc_class != 0) line.key("class").number(worm.vc_class);
  if (worm.replication != Replication::unstated)
    line.key("replication").string(worm.replication == Replication::lock_step ? "lock-step" : "asynchronous");
  if (worm.header_flits) line.key("header_flits").number(*worm.header_flits);
  if (worm.stops.empty()) return;
  line.key("stops").array(worm.stops, [&](const Stop& stop) { line.number(stop.node); });
  if (!is_chain(worm))
    line.key("parents").array(worm.stops, [&](const Stop& stop) { line.signed_number(stop.parent); });
  const auto delivers = [](const Stop& stop) { return stop.action == StopAction::deliver; };
  if (std::all_of(worm.stops.begin(), worm.stops.end(), delivers)) return;
  for (const StopAction action : {StopAction::relay, StopAction::branch}) {
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < worm.stops.size(); ++i)
      if (worm.stops[i].action == action) marked.push_back(i);
    if (marked.empty()) continue;
    line.key(action == StopAction::relay ? "relays" : "branches").array(marked, [&](std::size_t i) {
      line.number(i);
    });
  }
}

void write_plan_worms(const std::vector<Worm>& worms, RecordLine& line) {
  line.array(worms, [&](const Worm& worm) {
    line.raw("{");
    write_worm_members(worm, line);
    line.raw("}");
  });
}

}  // namespace wormcast::io
