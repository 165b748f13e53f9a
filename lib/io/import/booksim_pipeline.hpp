// What a BookSim2 configuration says beside the network, as options of the other tools.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace wormcast::io {

struct BookSimSetting {
  std::string value;
  std::uint64_t line = 0;
  bool read = false;  ///< it has become something
};
using BookSimSettings = std::map<std::string, BookSimSetting, std::less<>>;

/// A pipeline from the topology record on: traffic, routing, buffers, window. Marks the settings that it
/// takes; those whose value means nothing here stay unmarked. `topology` is BookSim2's name.
std::string booksim_pipeline(std::string_view topology, BookSimSettings& settings);

}  // namespace wormcast::io
