// Lookups in JSON values whose other members do not matter.
// SPDX-License-Identifier: MIT
#include "io/import/json.hpp"

#include <algorithm>

namespace wormcast::io {
namespace {

/// Finds a value in a text that has been parsed before, so brackets match and texts end. Errors alone need
/// it: the json keeps no places.
class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  /// Where the value of "edges[0].target" begins; nothing for a path that the text lacks or that cannot be
  /// told apart, as keys with dots cannot.
  std::optional<std::size_t> find(std::string_view path) {
    at_ = 0;
    skip_blanks();
    while (!path.empty()) {
      const bool element = path.front() == '[';
      if (element || path.front() == '.') path.remove_prefix(1);
      const std::string_view step = path.substr(0, path.find_first_of(element ? "]" : ".["));
      path.remove_prefix(std::min(path.size(), step.size() + (element ? 1 : 0)));
      const std::optional<std::uint64_t> number = element ? whole_number(step) : std::nullopt;
      if (!enter(element ? '[' : '{') || (element ? !number || !to_element(*number) : !to_member(step)))
        return std::nullopt;
    }
    return at_;
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool enter(char bracket) {
    if (here() != bracket) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  /// Past a comma; false at the closing bracket.
  bool next() {
    skip_blanks();
    return enter(',');
  }

  void skip_text() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
    ++at_;
  }

  void skip_value() {
    std::size_t depth = 0;
    do {
      if (here() == '"') {
        skip_text();
      } else if (depth != 0 || here() == '{' || here() == '[') {
        depth += here() == '{' || here() == '[' ? 1 : 0;
        depth -= here() == '}' || here() == ']' ? 1 : 0;
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      }
    } while (depth != 0 && at_ < text_.size());
  }

  bool to_element(std::uint64_t number) {
    for (; number != 0; --number) {
      skip_value();
      if (!next()) return false;
    }
    return here() != ']';
  }

  bool to_member(std::string_view key) {
    while (here() == '"') {
      const std::size_t begin = at_ + 1;
      skip_text();
      const bool found = text_.substr(begin, at_ - 1 - begin) == key;
      skip_blanks();
      enter(':');
      if (found) return true;
      skip_value();
      if (!next()) return false;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

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

void place_json_error(const ImportFile& file, InputError& error) {
  if (!error.place.empty()) return;
  error.place = file.name;
  if (!error.field.empty()) {
    if (const auto byte = Finder(file.text).find(error.field)) error.place = place_of_byte(file, *byte);
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
