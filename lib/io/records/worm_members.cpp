// The worms inside plan records, their fronts and certificates.
// SPDX-License-Identifier: MIT
#include "io/records/worm_members.hpp"

#include <fmt/format.h>

namespace wormcast::io {

void StopNodes::read(const Value& array, std::vector<Stop>& stops, const Scope& scope) {
  const std::uint32_t nodes = std::max(scope.network->hosts(), scope.network->routers());
  stops.clear();
  array.each([&](const Value& node) {
    const std::uint64_t id = node.integer(0);
    if (id >= nodes)
      node.fail(fmt::format("node {} is not in topology {} ({} nodes)", id, scope.network->name(), nodes));
    stops.push_back(
        {static_cast<std::uint32_t>(id), static_cast<std::int32_t>(stops.size()) - 1, StopAction::deliver});
  });
}

template <StopAction action>
void StopsWith<action>::read(const Value& indices, std::vector<Stop>& stops, const Scope&) {
  indices.each([&](const Value& index) {
    const std::uint64_t stop = index.integer(0);
    if (stop >= stops.size())
      index.fail(fmt::format("{} is not the index of a stop ({} stops)", stop, stops.size()));
    if (stops[stop].action != StopAction::deliver) index.fail(fmt::format("stop {} is listed twice", stop));
    stops[stop].action = action;
  });
}
template struct StopsWith<StopAction::relay>;
template struct StopsWith<StopAction::branch>;

template <FrontWorms worms>
void Front<worms>::read(const Value& array, std::vector<FrontPoint>& front, const Scope& scope) {
  front.clear();
  array.each([&](const Value& value) {
    FrontPoint& point = front.emplace_back();
    std::size_t count = 0;
    value.each([&](const Value& part) {
      if (count == 0)
        point.longest_path_hops = part.integer(0);
      else if (count == 1)
        point.traffic_channels = part.integer(0);
      else if (count == 2 && worms == FrontWorms::known)
        PlanWorms::read(part, point.worms, scope);
      else
        part.fail("a point of the front has no more parts");
      ++count;
    });
    if (count < 2) value.fail("a point of the front begins with longest_path_hops and traffic_channels");
  });
}
template <FrontWorms worms>
void Front<worms>::write(const std::vector<FrontPoint>& front, RecordLine& line, const Scope& scope) {
  line.array(front, [&](const FrontPoint& point) {
    line.raw("[").number(point.longest_path_hops).raw(",").number(point.traffic_channels);
    if (worms == FrontWorms::known && !point.worms.empty())
      PlanWorms::write(point.worms, line.raw(","), scope);
    line.raw("]");
  });
}
template <FrontWorms worms>
std::string Front<worms>::form() {
  const std::string integer = Number<>::form();
  const bool known = worms == FrontWorms::known;
  return R"({"type":"array","items":{"type":"array","minItems":2,"maxItems":)" +
         std::string(known ? "3" : "2") + R"(,"prefixItems":[)" + integer + "," + integer +
         (known ? "," + PlanWorms::form() : "") + "]}}";
}
template struct Front<FrontWorms::none>;
template struct Front<FrontWorms::known>;

}  // namespace wormcast::io
