// One JSON text as a flat list of tokens: what the strict record codecs read from.
//
// Plain texts are parsed by parse_plain_json(), all others by nlohmann/json's SAX parser, which alone
// refuses. Nothing is allocated per value once the buffers have grown, integers keep their exactness, and the
// place of an error ("worms[0].stops[2]") is worked out only when there is one. Refused here, whatever the
// record: NUL bytes, a byte order mark, invalid UTF-8, nesting deeper than max_json_depth.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast::io {

inline constexpr std::size_t max_json_depth = 64;
using wormcast::max_integer;

enum class JsonType : std::uint8_t { null, boolean, integer, fraction, string, key, array, object };

struct Token {
  JsonType type = JsonType::null;
  std::uint32_t next = 0;    ///< index of the token after this value
  std::int64_t payload = 0;  ///< the integer, the boolean, or offset·2^32 + length into the text
};

class JsonText;

/// A value on a json; valid until the json parses the next text.
class Value {
 public:
  Value(const JsonText& json, std::uint32_t index) : json_(&json), index_(index) {}

  JsonType type() const;
  /// An integer in [least, most]; throws InputError otherwise.
  std::uint64_t integer(std::uint64_t least, std::uint64_t most = max_integer) const;
  std::int64_t signed_integer(std::int64_t least, std::int64_t most) const;
  /// The string's decoded text.
  std::string_view text() const;
  bool boolean() const;
  /// Throws InputError unless the value is an array or object.
  void expect_array() const;
  void expect_object() const;
  /// Throws InputError with this value's place as its field.
  [[noreturn]] void fail(const std::string& message) const;
  /// What the value looks like, shortened, for messages.
  std::string shown() const;

  /// Calls visit(element) for each element of an array.
  template <class Visit>
  void each(Visit visit) const;
  /// Calls visit(key, value) for each member of an object.
  template <class Visit>
  void members(Visit visit) const;

  const JsonText& json() const { return *json_; }
  std::uint32_t index() const { return index_; }

 private:
  const Token& token() const;

  const JsonText* json_;
  std::uint32_t index_;
};

class JsonText {
 public:
  /// Parses `text`, which must outlive the use of what it says; throws InputError with an empty field.
  void parse(std::string_view text);
  Value root() const { return {*this, 0}; }

  const std::vector<Token>& tokens() const { return tokens_; }
  std::string_view string(const Token& token) const {
    return texts_.substr(static_cast<std::uint64_t>(token.payload) >> 32,
                         static_cast<std::uint64_t>(token.payload) & 0xffffffff);
  }
  /// The text that was parsed.
  std::string_view raw() const { return raw_; }
  /// "worms[0].stops[2]" for the value at `index`.
  std::string place_of(std::uint32_t index) const;

 private:
  friend class JsonTextFiller;

  std::vector<Token> tokens_;
  std::string strings_;     // decoded texts, where the text is not plain
  std::string_view texts_;  // what tokens of texts point into
  std::string_view raw_;
};

template <class Visit>
void Value::each(Visit visit) const {
  expect_array();
  const std::vector<Token>& tokens = json_->tokens();
  for (std::uint32_t i = index_ + 1; i < tokens[index_].next; i = tokens[i].next) visit(Value(*json_, i));
}

template <class Visit>
void Value::members(Visit visit) const {
  expect_object();
  const std::vector<Token>& tokens = json_->tokens();
  for (std::uint32_t i = index_ + 1; i < tokens[index_].next; i = tokens[i + 1].next)
    visit(json_->string(tokens[i]), Value(*json_, i + 1));
}

}  // namespace wormcast::io
