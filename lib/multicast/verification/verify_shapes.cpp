// The shapes of worms that planners promise, from the papers' definitions.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify_parts.hpp"

#include <algorithm>
#include <map>

namespace wormcast {

void check_columns(const Plan& plan, const Topology& mesh) {
  struct Column {
    bool above = false;
    bool below = false;
    bool beside = false;
  };
  const Grid& grid = *mesh.grid();
  const auto row = [&](std::uint32_t node) { return grid.coordinate(NodeId{node}, 1); };
  const std::uint32_t source_row = row(plan.request.source.value);
  std::map<std::uint32_t, Column> columns;
  for (std::size_t w = 0; w < plan.worms.size(); ++w) {
    const std::vector<Stop>& stops = plan.worms[w].stops;
    const std::string where = indexed("worms", w, ".stops");
    const std::uint32_t last = row(stops.back().node);
    for (std::size_t s = 1; s < stops.size(); ++s) {
      if (grid.coordinate(NodeId{stops[s].node}, 0) != grid.coordinate(NodeId{stops[0].node}, 0))
        fail(where, "a column-path worm stays in one column");
      const std::uint32_t before = row(stops[s - 1].node);
      const std::uint32_t here = row(stops[s].node);
      if (last > source_row ? here <= before || before < source_row : here >= before || before > source_row)
        fail(where, "a column-path worm goes away from the source's row");
    }
    Column& column = columns[grid.coordinate(NodeId{stops[0].node}, 0)];
    bool& side = last > source_row ? column.above : last < source_row ? column.below : column.beside;
    if (side || (column.beside && &side != &column.beside) ||
        (&side == &column.beside && (column.above || column.below)))
      fail(where, "a column has one column-path worm upwards and one downwards at most");
    side = true;
  }
}

void StepCount::add(const Worm& worm, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& channels) {
  const std::uint32_t step = ++last_[slot_after(worm.after)];
  last_.push_back(step);
  for (const auto& [vc, channel] : channels) used_.emplace_back(step, channel);
}

std::uint64_t StepCount::steps() const { return *std::max_element(last_.begin(), last_.end()); }

std::uint64_t StepCount::shared_links() {
  std::sort(used_.begin(), used_.end());
  std::uint64_t shared = 0;
  for (std::size_t i = 1; i < used_.size(); ++i) {
    const bool first_repeat = i == 1 || used_[i - 2] != used_[i - 1];
    shared += first_repeat && used_[i] == used_[i - 1] ? 1 : 0;
  }
  return shared;
}

void check_steps(const Plan& plan, std::uint64_t steps) {
  std::uint64_t least = 0;
  while (least < 63 && (std::uint64_t{1} << least) < plan.request.destinations.size() + 1) ++least;
  if (steps > least)
    fail("worms", "a binomial tree reaches {} destinations in {} steps, this one takes {}",
         plan.request.destinations.size(), least, steps);
}

}  // namespace wormcast
