// Who blocks whom, on the network.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/pictures/dot_canvas.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One worm of a deadlock, or one dependency of a cycle.
struct PicturedWorm {
  std::string name;              ///< "multicast 3"
  std::optional<NodeId> source;  ///< of a worm
  std::vector<Resource> holds;   ///< drawn in full
  std::vector<Resource> waits;   ///< drawn dashed
};

/// Pictures side by side, every worm in a colour: channels held are full arrows, channels waited for dashed
/// ones; a consumption channel waited for is a dashed circle around its node.
class DeadlockPicture {
 public:
  void add(const Topology& topology, std::string_view title, const std::vector<PicturedWorm>& worms);
  /// DOT.
  std::string draw();

 private:
  DotCanvas canvas_;
  std::vector<std::string> colours_;
  std::vector<std::string> names_;
  std::size_t tiles_ = 0;
};

}  // namespace wormcast
