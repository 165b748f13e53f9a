// Patterns `row` and `column`: every other node of the source's row or column, and `summa`: the panels of a
// matrix product, row by row and column by column, each step after the one before it.
//
// SUMMA multiplies matrices that lie block by block on a W×H mesh. In step t the nodes of column t send their
// blocks of A along their rows and the nodes of row t their blocks of B along their columns; all other nodes
// add the product of the two panels to their block of C. There are min(W, H) steps. A node that sends in step
// t has taken part in step t − 1 first: its multicast waits for the two panels of that step that come to it
// (one, where it sent the other). Multicasts of a step: first the rows from below, then the columns. A start
// is one product. cite: van de Geijn, Watts: SUMMA: scalable universal matrix multiplication algorithm, 1997.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t along_row = 0;
constexpr std::uint32_t along_column = 1;

/// The other hosts of the line through `node` in a dimension, ascending.
std::vector<HostId> others_of_line(const Topology& topology, const Grid& grid, NodeId node,
                                   std::uint32_t dimension) {
  std::vector<HostId> result;
  std::vector<std::uint32_t> at = grid.coordinates(node);
  for (at[dimension] = 0; at[dimension] < grid.dims()[dimension]; ++at[dimension])
    if (const HostId host{grid.node(at).value}; host.value != node.value && topology.has_host(host))
      result.push_back(host);
  return result;
}

/// What a node sends in a step of SUMMA.
GroupMember panel(const Topology& topology, const Grid& grid, std::uint32_t x, std::uint32_t y,
                  std::uint32_t step, std::uint32_t dimension) {
  const std::uint32_t width = grid.dims()[along_row];
  const std::uint32_t height = grid.dims()[along_column];
  const NodeId source = grid.node(std::vector<std::uint32_t>{x, y});
  GroupMember member{HostId{source.value}, others_of_line(topology, grid, source, dimension), {}, 0};
  if (step == 0) return member;
  const std::uint32_t before = (step - 1) * (width + height);
  if (x != step - 1) member.after.push_back(before + y);           // the panel along its row
  if (y != step - 1) member.after.push_back(before + height + x);  // the panel along its column
  return member;
}

std::vector<GroupMember> panels(const Topology& topology, const Grid& grid) {
  const std::uint32_t width = grid.dims()[along_row];
  const std::uint32_t height = grid.dims()[along_column];
  std::vector<GroupMember> result;
  for (std::uint32_t step = 0; step < std::min(width, height); ++step) {
    for (std::uint32_t y = 0; y < height; ++y)
      result.push_back(panel(topology, grid, step, y, step, along_row));
    for (std::uint32_t x = 0; x < width; ++x)
      result.push_back(panel(topology, grid, x, step, step, along_column));
  }
  return result;
}

Grid require_line(const Topology& topology, std::string_view pattern, std::uint32_t dimension) {
  Grid grid = require_host_grid(topology, pattern);
  if (grid.dimensions() <= dimension || grid.dims()[dimension] < 2)
    refuse("--pattern", "'{}' needs two nodes in dimension {}, not {}", pattern, dimension, topology.name());
  return grid;
}

template <const PatternEntry& entry, std::uint32_t dimension>
DestinationPattern bind_line(const Topology& topology, const PatternOptions&) {
  const Grid grid = require_line(topology, entry.name, dimension);
  const auto others = [&topology, grid](HostId source) {
    return others_of_line(topology, grid, NodeId{source.value}, dimension);
  };
  return {[others](HostId source, Random&) { return others(source); },
          [others](HostId source) -> std::optional<std::string_view> {
            if (!others(source).empty()) return std::nullopt;
            return "has no other host in its line";
          }};
}

DestinationPattern bind_summa(const Topology& topology, const PatternOptions&) {
  const Grid grid = require_line(topology, "summa", along_row);
  require_line(topology, "summa", along_column);
  if (grid.dimensions() != 2) refuse("--pattern", "'summa' needs two dimensions, not {}", topology.name());
  require_all_hosts(topology, "summa");
  return {.group = [&topology, grid](HostId, Random&) { return panels(topology, grid); }};
}

}  // namespace

extern const PatternEntry pattern_row = {
    .name = "row",
    .summary = "every other node of the source's row (dimension 0)",
    .topologies = "mesh, torus, cmesh",
    .cite = "van de Geijn, Watts 1997",
    .bind = bind_line<pattern_row, along_row>,
    .flit_bits = chip_flit_bits,
};

extern const PatternEntry pattern_column = {
    .name = "column",
    .summary = "every other node of the source's column (dimension 1)",
    .topologies = "mesh, torus, cmesh",
    .cite = "van de Geijn, Watts 1997",
    .bind = bind_line<pattern_column, along_column>,
    .flit_bits = chip_flit_bits,
};

extern const PatternEntry pattern_summa = {
    .name = "summa",
    .summary = "a start is a matrix product: panels along rows and columns, each step after the one before",
    .topologies = "2-D mesh, torus, cmesh",
    .cite = "van de Geijn, Watts 1997",
    .bind = bind_summa,
    .grouped = true,
    .fixed_sources = true,
    .flit_bits = chip_flit_bits,
};

}  // namespace wormcast
