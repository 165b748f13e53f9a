// Files that are compressed, by how they begin: no tool unpacks one, but says what does.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace wormcast::io {

/// Why a file that begins with that text cannot be read: "compressed by gzip; …"; empty where it can. `name`
/// is empty for standard input.
std::string compressed(std::string_view begin, std::string_view name);

}  // namespace wormcast::io
