// Strings in records.
// SPDX-License-Identifier: MIT
#include "io/text/record_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "topology/error.hpp"

namespace wormcast::io {

RecordLine& RecordLine::string(std::string_view value) {
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (plain) return raw("\"").raw(value).raw("\"");
  try {
    return raw(nlohmann::json(std::string(value)).dump());
  } catch (const nlohmann::json::type_error&) {
    throw InputError("", "a text that is to be written is not UTF-8: " + in_quotes(value));
  }
}

}  // namespace wormcast::io
