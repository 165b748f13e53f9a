// Lookups in JSON values whose other members do not matter.
// SPDX-License-Identifier: MIT
#include "io/import/json.hpp"

#include <algorithm>

namespace wormcast::io {

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

void place_json_error(const ImportFile& file, InputError& error) {
  if (!error.place.empty()) return;
  error.place = file.name;
  constexpr std::string_view before = "at byte ";
  const std::string_view message = error.what();
  const std::size_t at = message.find(before);
  if (at == std::string_view::npos || !error.field.empty()) return;
  std::string_view digits = message.substr(at + before.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  const std::size_t byte = std::min<std::size_t>(whole_number(digits).value_or(0), file.text.size());
  const auto end = file.text.begin() + static_cast<std::ptrdiff_t>(byte);
  error.place = import_place(file, 1 + static_cast<std::uint64_t>(std::count(file.text.begin(), end, '\n')));
}

std::string id_text(const Value& value) {
  if (value.type() == JsonType::string) return std::string(value.text());
  return std::to_string(
      value.signed_integer(-static_cast<std::int64_t>(max_integer), static_cast<std::int64_t>(max_integer)));
}

}  // namespace wormcast::io
