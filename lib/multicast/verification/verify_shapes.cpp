// The shapes of worms by planner, from the papers' definitions.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify_shapes.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "multicast/verification/verify.hpp"

namespace wormcast {
namespace {

constexpr std::string_view any_unicast =
    "dimension-order|hc|up-down|label-shortest|label|spanning-tree|shortest|one-way|one-way-swapped|yx|"
    "either-way|o1turn|valiant|romm|dragonfly-minimal|dragonfly-valiant|dragonfly-ugal|fat-tree-random-up|"
    "west-first|north-last|negative-first|odd-even|minimal-adaptive|minimal-adaptive-return|"
    "booksim-min-adapt|fully-adaptive|label-adaptive|up-down-adaptive|given";
constexpr std::string_view by_label = "label|label-shortest|label-adaptive";
constexpr std::string_view by_up_down_path = "up-down-path|up-down-path-adaptive";
constexpr std::string_view on_grid = "dimension-order";
constexpr std::string_view on_any_grid = "dimension-order|one-way|one-way-swapped";

constexpr std::string_view no_yes[] = {"no", "yes"};
constexpr std::string_view one_any[] = {"one", "any"};
constexpr std::string_view rules[] = {"strict", "free"};
constexpr std::string_view ocms_ties[] = {"none", "longest"};
constexpr std::string_view otms_ties[] = {"none", "traffic"};
constexpr std::string_view routers[] = {"apart", "together"};
constexpr std::string_view copies[] = {"lock-step", "asynchronous"};
constexpr std::string_view u_ccc_orders[] = {"paper", "masked"};
constexpr std::string_view ssr_orders[] = {"naive", "largest", "ranges"};
constexpr std::string_view chains[] = {"cco", "preorder", "switch"};
constexpr std::string_view shapes[] = {"tree", "rows", "x-major", "y-major"};
constexpr std::string_view vc_rules[] = {"dateline", "printed", "single"};
constexpr std::string_view btl_vc_rules[] = {"dateline", "printed", "single", "dateline-by-message"};
constexpr std::string_view source_columns[] = {"at-once", "relayed"};
constexpr std::string_view relay_orders[] = {"stored", "lock-step", "asynchronous"};
constexpr std::string_view messages[] = {"1", "2"};
constexpr std::string_view cuts[] = {"slack", "short", "gap"};
constexpr std::string_view orientations[] = {"best", "rows-first", "columns-first"};

constexpr PlannedOption of_ocms[] = {{"first-hop", rules},
                                     {"tie", ocms_ties},
                                     {"edge-disjoint", no_yes},
                                     {"worms-a-port", one_any}};
constexpr PlannedOption of_otms[] = {
    {"first-hop", rules}, {"tie", otms_ties}, {"edge-disjoint", no_yes}};
constexpr PlannedOption of_up_down_stars[] = {{"first-hop", rules}, {"same-router", routers}};
constexpr PlannedOption of_trees[] = {{"replication", copies}};
constexpr PlannedOption of_u_ccc[] = {{"order", u_ccc_orders}};
constexpr PlannedOption of_rectangle[] = {{"shape", shapes}, {"replication", copies}};
constexpr PlannedOption of_switch_ordered[] = {{"chain", chains}};
constexpr PlannedOption of_mpm_ssr[] = {{"order", ssr_orders}, {"replication", copies}};
constexpr PlannedOption of_opm[] = {{"drop-on-the-way", no_yes}, {"replication", copies}};
constexpr PlannedOption of_t2w[] = {
    {"vc-rule", vc_rules}, {"source-column", source_columns}, {"literal", no_yes}, {"relay", relay_orders}};
constexpr PlannedOption of_btl[] = {{"vc-rule", btl_vc_rules},
                                    {"source-column", source_columns},
                                    {"hmp-messages", messages},
                                    {"literal", no_yes},
                                    {"relay", relay_orders}};
constexpr PlannedOption of_dual_arm[] = {
    {"cut", cuts}, {"orientation", orientations}, {"vc-rule", vc_rules}, {"source-column", source_columns}};

constexpr Promise promises[] = {
    {"separate", true, true, true, false, any_unicast},
    {"unicast", true, true, true, false, any_unicast},
    {"binomial", true, false, true, false, any_unicast},
    {"u-mesh", true, false, true, false, on_grid},
    {"u-cube", true, false, true, false, on_grid},
    {"u-torus", true, false, true, false, on_grid},
    {"u-ccc", true, false, true, false, "hc", of_u_ccc},
    {"u-tree", true, false, true, false, "spanning-tree|up-down"},
    {"switch-ordered", true, false, true, false, "up-down", of_switch_ordered},
    {"fixed-path", false, true, true, true, "hamiltonian-path"},
    {"dual-path", false, true, true, true, by_label},
    {"multi-path", false, true, true, true, by_label},
    {"column-path", false, true, true, false, on_grid},
    {"xy-path", false, true, true, false, on_grid},
    {"ocms", false, true, true, true, by_label, of_ocms},
    {"otms", false, true, true, true, by_label, of_otms},
    {"ocms-up-down", false, true, true, false, by_up_down_path, of_up_down_stars},
    {"otms-up-down", false, true, true, false, by_up_down_path, of_up_down_stars},
    {"xy-tree", false, true, false, true, on_any_grid, of_trees},
    {"shortest-path-tree", false, true, false, true, on_grid, of_trees},
    {"steiner-tree", false, true, false, true, on_grid, of_trees},
    {"rpm", false, true, false, false, "two-network", of_trees},
    {"rectangle", false, true, false, false, on_any_grid, of_rectangle},
    {"t2w", false, false, false, false, "torus-ring", of_t2w},
    {"btl", false, false, false, false, "torus-ring", of_btl},
    {"dual-arm", false, false, true, false, "torus-ring", of_dual_arm},
    {"dpm", false, false, true, false, "label"},
    {"mpm-ssr", false, false, false, false, "up-down", of_mpm_ssr},
    {"opm", false, true, false, true, "up-down", of_opm},
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

void check_options(const Promise& promise, const Plan& plan) {
  for (const auto& [name, value] : plan.options) {
    // Any plan can state these: headers are counted again, whom a unicast goes beside is for reports, and the
    // ways that a seed drew are walked whatever they are.
    if (name == "header-encoding" || name == "flit-bits" || name == "beside" || name == "routing-seed")
      continue;
    const auto option = std::find_if(promise.options.begin(), promise.options.end(),
                                     [&, &asked = name](const PlannedOption& o) { return o.name == asked; });
    if (option == promise.options.end())
      throw Violation{"options", plan.planner + " plans have no option '" + name + "'"};
    if (std::find(option->values.begin(), option->values.end(), value) == option->values.end())
      throw Violation{"options." + name,
                      "'" + value + "' is not a value that " + plan.planner + " plans have"};
  }
}

bool is_strict(const Promise& promise, const Plan& plan) {
  if (std::none_of(promise.options.begin(), promise.options.end(),
                   [](const PlannedOption& option) { return option.name == "first-hop"; }))
    return false;
  return std::find(plan.options.begin(), plan.options.end(),
                   std::pair<std::string, std::string>("first-hop", "free")) == plan.options.end();
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
  const std::uint32_t step = ++last_[static_cast<std::size_t>(std::int64_t{worm.after} + 1)];
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
