// The shapes of worms by planner, from the papers' definitions.
// SPDX-License-Identifier: MIT
#include "multicast/verify_shapes.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "multicast/verify.hpp"

namespace wormcast {
namespace {

constexpr std::string_view any_unicast =
    "dimension-order|hc|up-down|label-shortest|label|spanning-tree|shortest";
constexpr std::string_view by_label = "label|label-shortest";
constexpr std::string_view on_grid = "dimension-order";

constexpr Promise promises[] = {
    {"separate", true, true, true, false, any_unicast},
    {"unicast", true, true, true, false, any_unicast},
    {"binomial", true, false, true, false, any_unicast},
    {"u-mesh", true, false, true, false, on_grid},
    {"u-cube", true, false, true, false, on_grid},
    {"u-torus", true, false, true, false, on_grid},
    {"u-ccc", true, false, true, false, "hc"},
    {"u-tree", true, false, true, false, "spanning-tree|up-down"},
    {"switch-ordered", true, false, true, false, "up-down"},
    {"fixed-path", false, true, true, true, "hamiltonian-path"},
    {"dual-path", false, true, true, true, by_label},
    {"multi-path", false, true, true, true, by_label},
    {"column-path", false, true, true, false, on_grid},
    {"xy-path", false, true, true, false, on_grid},
    {"ocms", false, true, true, true, by_label},
    {"otms", false, true, true, true, by_label},
    {"ocms-up-down", false, true, true, false, "up-down-path"},
    {"otms-up-down", false, true, true, false, "up-down-path"},
    {"xy-tree", false, true, false, true, on_grid},
    {"shortest-path-tree", false, true, false, true, on_grid},
    {"steiner-tree", false, true, false, true, on_grid},
    {"rpm", false, true, false, false, "two-network"},
    {"rectangle", false, true, false, false, on_grid},
    {"t2w", false, false, false, false, "torus-ring"},
    {"btl", false, false, false, false, "torus-ring"},
    {"dual-arm", false, false, true, false, "torus-ring"},
    {"dpm", false, false, true, false, "label"},
    {"mpm-ssr", false, false, false, false, "up-down"},
    {"opm", false, true, false, true, "up-down"},
};

}  // namespace

const Promise* promise_of(std::string_view planner) {
  const auto found = std::find_if(std::begin(promises), std::end(promises),
                                  [&](const Promise& promise) { return promise.planner == planner; });
  return found == std::end(promises) ? nullptr : &*found;
}

void check_routing(const Promise& promise, const Plan& plan) {
  for (std::string_view left = promise.routings; !left.empty();) {
    const std::size_t bar = std::min(left.find('|'), left.size());
    if (left.substr(0, bar) == plan.routing) return;
    left.remove_prefix(std::min(bar + 1, left.size()));
  }
  throw Violation{"routing", plan.planner + " plans are joined by " + std::string(promise.routings) +
                                 ", this one by " + plan.routing};
}

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
    const auto fail = [&](const char* message) {
      throw Violation{"worms[" + std::to_string(w) + "].stops", message};
    };
    const std::uint32_t last = row(stops.back().node);
    for (std::size_t s = 1; s < stops.size(); ++s) {
      if (grid.coordinate(NodeId{stops[s].node}, 0) != grid.coordinate(NodeId{stops[0].node}, 0))
        fail("a column-path worm stays in one column");
      const std::uint32_t before = row(stops[s - 1].node);
      const std::uint32_t here = row(stops[s].node);
      if (last > source_row ? here <= before || before < source_row : here >= before || before > source_row)
        fail("a column-path worm goes away from the source's row");
    }
    Column& column = columns[grid.coordinate(NodeId{stops[0].node}, 0)];
    bool& side = last > source_row ? column.above : last < source_row ? column.below : column.beside;
    if (side || (column.beside && &side != &column.beside) ||
        (&side == &column.beside && (column.above || column.below)))
      fail("a column has one column-path worm upwards and one downwards at most");
    side = true;
  }
}

void StepCount::add(const Worm& worm, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& channels) {
  const std::uint32_t step = ++last_[static_cast<std::size_t>(worm.after + 1)];
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
  constexpr std::string_view binomial[] = {"binomial", "u-mesh", "u-cube",        "u-torus",
                                           "u-ccc",    "u-tree", "switch-ordered"};
  if (std::find(std::begin(binomial), std::end(binomial), plan.planner) == std::end(binomial)) return;
  std::uint64_t least = 0;
  while (least < 63 && (std::uint64_t{1} << least) < plan.request.destinations.size() + 1) ++least;
  if (steps > least)
    throw Violation{"worms", "a binomial tree reaches " + std::to_string(plan.request.destinations.size()) +
                                 " destinations in " + std::to_string(least) + " steps, this one takes " +
                                 std::to_string(steps)};
}

}  // namespace wormcast
