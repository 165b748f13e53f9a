// Values of floogen's descriptions: sizes, indices, ranges, ports; and what is checked for its form alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/yaml.hpp"

namespace wormcast::io::import_floogen {

inline constexpr std::uint64_t most_nodes = std::uint64_t{1} << 16;  // routers, and likewise endpoints

void check_protocol(const YamlValue& protocol);
/// The numbers of `array:` (one or two) or of `tree:`.
std::vector<std::uint64_t> sizes_of(const YamlValue& value, std::string_view field);
bool said(const YamlValue& value, std::string_view key, bool otherwise);
void check_range(const YamlValue& range);
/// Which collectives the routers know: `collective`, or in v0.7 `en_multicast` and its like.
void note_collectives(const YamlValue& routing, NamedValues& notes);
std::vector<std::uint64_t> indices_of(const YamlValue& value, const std::string& field);
std::vector<std::string> in_range(const std::vector<std::string>& names, const YamlValue& range,
                                  const std::string& field);
std::optional<std::uint32_t> direction_of(const YamlValue& connection, const char* key);

}  // namespace wormcast::io::import_floogen
