// Places by coordinates.
// SPDX-License-Identifier: MIT
#include "io/runs/node_layout.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace wormcast::io {
namespace {

constexpr double pitch = 44;  // points between neighbours

/// The sizes along which a family lies on paper; empty where it does not.
std::vector<std::uint32_t> paper_dims(const Topology& topology) {
  if (const Grid* grid = topology.grid()) return {grid->dims().begin(), grid->dims().end()};
  if (topology.bit_addresses()) return std::vector<std::uint32_t>(topology.ports(), 2);
  return {};
}

constexpr std::uint32_t most_steps = 10000;  ///< a larger coordinate is a number of something else

/// "3,2" as two numbers, or more; nothing where the name is something else.
std::vector<std::uint32_t> coordinates_in(std::string_view name) {
  std::vector<std::uint32_t> coordinates(1);
  bool digit = false;
  for (const char c : name) {
    if (c == ',' && digit) {
      coordinates.push_back(0);
      digit = false;
    } else if (c >= '0' && c <= '9' && coordinates.back() < most_steps) {
      coordinates.back() = coordinates.back() * 10 + static_cast<std::uint32_t>(c - '0');
      digit = true;
    } else {
      return {};
    }
  }
  if (!digit || coordinates.size() < 2) return {};
  return coordinates;
}

/// The coordinates that are the names of all routers, as many of each and no two alike; else none.
std::vector<std::vector<std::uint32_t>> coordinates_of(const std::vector<std::string>& names) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const std::string& name : names) {
    all.push_back(coordinates_in(name));
    if (all.back().empty() || all.back().size() != all.front().size()) return {};
  }
  std::set<std::vector<std::uint32_t>> different(all.begin(), all.end());
  if (different.size() != all.size()) return {};
  return all;
}

}  // namespace

NodeLayout::NodeLayout(const Topology& topology)
    : dims_(paper_dims(topology)), coordinates_(coordinates_of(topology.spec().graph.names)) {
  if (named()) dims_.assign(coordinates_.front().size(), 1);
  for (const auto& node : coordinates_)
    for (std::size_t d = 0; d < node.size(); ++d) dims_[d] = std::max(dims_[d], node[d] + 1);
  double across[2] = {0, 0};
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    double& extent = across[d % 2];
    const double step = d < 2 ? pitch : extent + 1.6 * pitch;
    steps_.push_back(step);
    extent += step * (dims_[d] - 1);
  }
  width_ = across[0];
}

std::vector<std::uint32_t> NodeLayout::coordinates(NodeId node) const {
  if (named()) return coordinates_[node.value];
  std::vector<std::uint32_t> digits;
  std::uint32_t rest = node.value;
  for (const std::uint32_t dim : dims_) {
    digits.push_back(rest % dim);
    rest /= dim;
  }
  return digits;
}

CanvasPoint NodeLayout::place(NodeId node) const {
  CanvasPoint p;
  const std::vector<std::uint32_t> at = coordinates(node);
  for (std::size_t d = 0; d < dims_.size(); ++d) (d % 2 == 0 ? p.x : p.y) += steps_[d] * at[d];
  return p;
}

std::optional<CanvasPoint> NodeLayout::around(NodeId from, NodeId to) const {
  const std::vector<std::uint32_t> a = coordinates(from);
  const std::vector<std::uint32_t> b = coordinates(to);
  std::optional<CanvasPoint> direction;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    if (a[d] == b[d]) continue;
    const std::uint32_t last = dims_[d] - 1;
    if (direction || d > 1 || last < 2 || std::max(a[d], b[d]) != last || std::min(a[d], b[d]) != 0)
      return std::nullopt;
    const double sign = a[d] == last ? 1 : -1;
    direction = d == 0 ? CanvasPoint{sign, 0} : CanvasPoint{0, sign};
  }
  return direction;
}

}  // namespace wormcast::io
