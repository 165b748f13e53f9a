// JSON files of other programs: parsed strictly, with the file's name in every error.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/import/text.hpp"
#include "io/text/json_text.hpp"
#include "topology/error.hpp"

namespace wormcast::io {

/// The member of an object, or nothing; keys that are not asked for are not looked at.
std::optional<Value> member_of(const Value& object, std::string_view key);
/// The member of an object; throws InputError where it is missing.
Value required_member(const Value& object, std::string_view key);
/// An id that may be written as a text, as an integer, or as an array of these: [0, 1] is "0,1", as
/// networkx's grids name their nodes.
std::string id_text(const Value& value);

/// Adds the file to the place of an error, and the line of the value that failed, or where the text stopped
/// being JSON.
void place_json_error(const ImportFile& file, const JsonText& json, InputError& error);

/// Calls read(root) on the file's one value; errors name the file and the line of the value, or where parsing
/// stopped.
template <class Read>
void read_json(const ImportFile& file, Read read) {
  JsonText json;
  try {
    json.parse(file.text);
    read(json.root());
  } catch (InputError& error) {
    place_json_error(file, json, error);
    throw;
  }
}

}  // namespace wormcast::io
