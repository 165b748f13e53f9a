// Named ports of Graphviz's edges, a:swp51 -- b:swp1, as port numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "topology/named_values.hpp"

namespace wormcast::io {

/// Where an edge meets the drawing of its node; no port.
bool is_compass_point(std::string_view port);

/// A name is the number that it ends with, "swp51" port 51. If two names of a node end alike, or two links
/// share a port, as arrows share the fields of a drawing, no name becomes a number. All of them are noted.
class DotPorts {
 public:
  using Nodes = std::array<std::size_t, 2>;
  using Names = std::array<std::string, 2>;

  /// An edge: its nodes, the names of its ports (empty: none), the numbers that it states beside ("1,2").
  void see(const Nodes& nodes, const Names& names, std::string_view stated);
  /// "51,1" for an edge that has been seen; empty where its ports have no numbers.
  std::string numbers(const Nodes& nodes, const Names& names) const;
  NamedValues notes() const;

 private:
  using Place = std::pair<std::size_t, std::uint64_t>;  ///< node, port

  std::map<Place, std::string> names_;
  std::map<Place, Place> links_;  ///< from each port to that at the other end
  bool apart_ = true;
  std::uint64_t edges_ = 0;    ///< with names
  std::uint64_t one_end_ = 0;  ///< of them, with one only
  std::string example_;
};

}  // namespace wormcast::io
