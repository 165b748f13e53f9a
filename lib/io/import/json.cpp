// Lookups in JSON values whose other members do not matter.
// SPDX-License-Identifier: MIT
#include "io/import/json.hpp"

#include <algorithm>

namespace wormcast::io {
namespace {

std::string place_of_byte(const ImportFile& file, std::size_t byte) {
  const auto end = file.text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, file.text.size()));
  return import_place(file, 1 + static_cast<std::uint64_t>(std::count(file.text.begin(), end, '\n')));
}

}  // namespace

std::optional<Value> member_of(const Value& object, std::string_view key) {
  std::optional<Value> found;
  object.members([&](std::string_view name, const Value& value) {
    if (name == key) found = value;
  });
  return found;
}

Value required_member(const Value& object, std::string_view key) {
  const std::optional<Value> found = member_of(object, key);
  if (!found) object.fail("the key '" + std::string(key) + "' is missing");
  return *found;
}

void place_json_error(const ImportFile& file, const JsonText& json, InputError& error) {
  if (!error.place.empty()) return;
  error.place = file.name;
  if (!error.field.empty()) {
    error.place = place_of_byte(file, json.failed_at());
    return;
  }
  constexpr std::string_view before = "at byte ";
  const std::string_view message = error.what();
  const std::size_t at = message.find(before);
  if (at == std::string_view::npos) return;
  std::string_view digits = message.substr(at + before.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  if (const auto byte = whole_number(digits)) error.place = place_of_byte(file, *byte);
}

std::string id_text(const Value& value) {
  if (value.type() == JsonType::string) return std::string(value.text());
  if (value.type() == JsonType::array) {
    std::string coordinates;
    value.each([&](const Value& one) {
      if (one.type() == JsonType::array) one.fail("an array inside an id");
      coordinates += (coordinates.empty() ? "" : ",") + id_text(one);
    });
    return coordinates;
  }
  return std::to_string(
      value.signed_integer(-static_cast<std::int64_t>(max_integer), static_cast<std::int64_t>(max_integer)));
}

}  // namespace wormcast::io
