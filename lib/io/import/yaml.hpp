// YAML as a tree of bounded size, for readers that trust nothing. Aliases are refused: a few of them can
// stand for more than any memory holds, and a reader of networks needs none.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/format.hpp"

namespace wormcast::io {

struct YamlMember;

/// A value, and the line on which it begins. Every fail() throws InputError with file and line.
class YamlValue {
 public:
  enum class Kind : std::uint8_t { scalar, list, map };

  Kind kind = Kind::scalar;
  std::uint64_t line = 0;
  std::string text;                 ///< scalar
  bool quoted = false;              ///< scalar: it is a text, whatever it looks like
  std::vector<YamlValue> items;     ///< list
  std::vector<YamlMember> members;  ///< map, in the order of the file
  const ImportFile* file = nullptr;

  [[noreturn]] void fail(std::string_view field, const std::string& message) const;
  bool empty() const {
    return kind == Kind::scalar && !quoted && (text.empty() || text == "~" || text == "null");
  }
  /// nullptr where the map has no such key, or nothing stands there.
  const YamlValue* find(std::string_view key) const;
  const YamlValue& at(std::string_view key, std::string_view field) const;
  /// Fails unless it is a map whose keys are all among these.
  void expect_keys(std::string_view field, std::initializer_list<std::string_view> known) const;
  const std::vector<YamlValue>& list(std::string_view field) const;
  const std::string& name(std::string_view field) const;
  bool boolean(std::string_view field) const;
  /// A whole number in decimal, hexadecimal (0x), octal (0o) or binary (0b), with underscores or without.
  std::int64_t integer(std::string_view field, std::int64_t least, std::int64_t most) const;
  std::uint64_t number(std::string_view field, std::uint64_t most) const;
};

struct YamlMember {
  std::string key;
  YamlValue value;
};

/// The one document of the file. Throws InputError with file and line for what is no YAML, several documents,
/// aliases, a key that stands twice or is no scalar, more than 32 levels or 2^20 values.
YamlValue read_yaml(const ImportFile& file);

}  // namespace wormcast::io
