// Numbers of named ports.
// SPDX-License-Identifier: MIT
#include "io/import/dot/dot_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/import/text.hpp"
#include "topology/sizes.hpp"

namespace wormcast::io {
namespace {

std::optional<std::uint64_t> number_at_end(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const auto number = whole_number(name.substr(last == std::string_view::npos ? 0 : last + 1));
  return number && *number <= max_port_number ? number : std::nullopt;
}

}  // namespace

bool is_compass_point(std::string_view port) {
  constexpr std::array<std::string_view, 10> points = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"};
  return std::find(points.begin(), points.end(), port) != points.end();
}

void DotPorts::see(const Nodes& nodes, const Names& names, std::string_view stated) {
  if (!stated.empty()) {
    const std::size_t comma = std::min(stated.find(','), stated.size());
    const auto first = whole_number(stated.substr(0, comma));
    const auto second = whole_number(stated.substr(std::min(comma + 1, stated.size())));
    for (const auto& [node, number] : {std::pair{nodes[0], first}, {nodes[1], second}})
      if (number && !names_.emplace(Place{node, *number}, "").second) apart_ = false;
    return;
  }
  if (names[0].empty() && names[1].empty()) return;
  ++edges_;
  if (names[0].empty() || names[1].empty()) {
    ++one_end_;
    return;
  }
  const auto first = number_at_end(names[0]);
  const auto second = number_at_end(names[1]);
  apart_ = apart_ && first && second;
  if (!apart_) return;
  const std::array<Place, 2> places = {Place{nodes[0], *first}, Place{nodes[1], *second}};
  for (const std::size_t end : {0U, 1U}) {
    apart_ = apart_ && names_.emplace(places[end], names[end]).first->second == names[end];
    apart_ = apart_ && links_.emplace(places[end], places[1 - end]).first->second == places[1 - end];
  }
  if (example_.empty()) example_ = fmt::format("{} is {}", valid_utf8(names[0]), *first);
}

std::string DotPorts::numbers(const Nodes& nodes, const Names& names) const {
  if (!apart_ || names[0].empty() || names[1].empty() || nodes[0] == nodes[1]) return "";
  return fmt::format("{},{}", *number_at_end(names[0]), *number_at_end(names[1]));
}

NamedValues DotPorts::notes() const {
  NamedValues notes;
  const std::uint64_t left_out = apart_ ? one_end_ : edges_;
  if (left_out != 0)
    notes.emplace_back("left-out-port-names",
                       fmt::format("of {} edge{}", left_out, left_out == 1 ? "" : "s"));
  if (apart_ && edges_ > one_end_) notes.emplace_back("numbers-of-port-names", example_ + " and so on");
  return notes;
}

}  // namespace wormcast::io
