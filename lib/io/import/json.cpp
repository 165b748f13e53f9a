// Lookups in JSON values whose other members do not matter.
// SPDX-License-Identifier: MIT
#include "io/import/json.hpp"

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

std::string id_text(const Value& value) {
  if (value.type() == JsonType::string) return std::string(value.text());
  return std::to_string(
      value.signed_integer(-static_cast<std::int64_t>(max_integer), static_cast<std::int64_t>(max_integer)));
}

}  // namespace wormcast::io
