// Strings in records.
// SPDX-License-Identifier: MIT
#include "io/record_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace wormcast::io {

RecordLine& RecordLine::string(std::string_view value) {
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (!plain) return raw(nlohmann::json(std::string(value)).dump());
  return raw("\"").raw(value).raw("\"");
}

}  // namespace wormcast::io
