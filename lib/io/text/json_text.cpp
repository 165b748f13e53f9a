// Filling the json, from nlohmann/json's SAX events where the text is not plain, and typed access with exact
// error places.
// SPDX-License-Identifier: MIT
#include "io/text/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/text/plain_json.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

/// Text for an error line: printable ASCII, shortened.
std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  for (char c : text.substr(0, most)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > most ? result + "..." : result;
}

}  // namespace

/// SAX handler that appends to a json; the member names are nlohmann's.
class JsonTextFiller {
 public:
  explicit JsonTextFiller(JsonText& json) : json_(json) {}

  bool null() { return scalar(JsonType::null, 0); }
  bool boolean(bool value) { return scalar(JsonType::boolean, value ? 1 : 0); }
  bool number_integer(std::int64_t value) { return scalar(JsonType::integer, value); }
  bool number_unsigned(std::uint64_t value) {
    // Above int64 it is out of every range; kept as text so that getters refuse it by its digits.
    if (value > static_cast<std::uint64_t>(INT64_MAX))
      return scalar(JsonType::fraction, text_payload(fmt::to_string(value)));
    return scalar(JsonType::integer, static_cast<std::int64_t>(value));
  }
  bool number_float(double, const std::string& text) {
    return scalar(JsonType::fraction, text_payload(text));
  }
  bool string(const std::string& value) { return scalar(JsonType::string, text_payload(value)); }
  bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool key(const std::string& value) { return scalar(JsonType::key, text_payload(value)); }
  bool start_object(std::size_t) { return open(JsonType::object); }
  bool start_array(std::size_t) { return open(JsonType::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: what is wrong"
    std::string_view what = error.what();
    const std::size_t colon = what.find(": ");
    if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
    throw InputError("", fmt::format("not valid JSON at byte {}: {}", position, printable(what, 200)));
  }

 private:
  std::int64_t text_payload(std::string_view text) {
    const std::uint64_t offset = json_.strings_.size();
    json_.strings_ += text;
    return static_cast<std::int64_t>(offset << 32 | text.size());
  }
  bool scalar(JsonType type, std::int64_t payload) {
    const auto next = static_cast<std::uint32_t>(json_.tokens_.size() + 1);
    json_.tokens_.push_back({type, next, payload});
    return true;
  }
  bool open(JsonType type) {
    if (open_.size() == max_json_depth)
      throw InputError("", fmt::format("nested deeper than {} levels", max_json_depth));
    open_.push_back(static_cast<std::uint32_t>(json_.tokens_.size()));
    return scalar(type, 0);
  }
  bool close() {
    json_.tokens_[open_.back()].next = static_cast<std::uint32_t>(json_.tokens_.size());
    open_.pop_back();
    return true;
  }

  JsonText& json_;
  std::vector<std::uint32_t> open_;
};

void JsonText::parse(std::string_view text) {
  tokens_.clear();
  strings_.clear();
  raw_ = text;
  if (parse_plain_json(text, tokens_)) {
    texts_ = text;
    return;
  }
  tokens_.clear();
  // The library takes a NUL for the end of input and skips a byte order mark.
  if (text.find('\0') != std::string_view::npos) throw InputError("", "a NUL byte in the record");
  if (text.starts_with("\xef\xbb\xbf")) throw InputError("", "a byte order mark before the record");
  JsonTextFiller filler(*this);
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &filler);
  texts_ = strings_;
}

std::string JsonText::place_of(std::uint32_t index) const {
  std::string place;
  std::uint32_t at = 0;
  while (at != index) {
    const bool object = tokens_[at].type == JsonType::object;
    std::uint32_t child = at + 1;
    std::uint32_t position = 0;
    // The child whose tokens include `index`; in an object a key stands before its value.
    while (tokens_[object ? child + 1 : child].next <= index) {
      child = tokens_[object ? child + 1 : child].next;
      ++position;
    }
    if (object) {
      if (!place.empty()) place += '.';
      place += printable(string(tokens_[child]), 60);
      if (child == index) return place;
      at = child + 1;
    } else {
      place += '[' + std::to_string(position) + ']';
      at = child;
    }
  }
  return place;
}

const Token& Value::token() const { return json_->tokens()[index_]; }
JsonType Value::type() const { return token().type; }

std::uint64_t Value::integer(std::uint64_t least, std::uint64_t most) const {
  const Token& t = token();
  if (t.type != JsonType::integer) fail(fmt::format("{} is not an integer", shown()));
  if (t.payload < 0 || static_cast<std::uint64_t>(t.payload) < least ||
      static_cast<std::uint64_t>(t.payload) > most)
    fail(fmt::format("{} is not between {} and {}", shown(), least, most));
  return static_cast<std::uint64_t>(t.payload);
}

std::int64_t Value::signed_integer(std::int64_t least, std::int64_t most) const {
  const Token& t = token();
  if (t.type != JsonType::integer) fail(fmt::format("{} is not an integer", shown()));
  if (t.payload < least || t.payload > most)
    fail(fmt::format("{} is not between {} and {}", shown(), least, most));
  return t.payload;
}

std::string_view Value::text() const {
  if (token().type != JsonType::string) fail(fmt::format("{} is not a string", shown()));
  return json_->string(token());
}

bool Value::boolean() const {
  if (token().type != JsonType::boolean) fail(fmt::format("{} is not true or false", shown()));
  return token().payload != 0;
}

void Value::expect_array() const {
  if (token().type != JsonType::array) fail(fmt::format("{} is not an array", shown()));
}

void Value::expect_object() const {
  if (token().type != JsonType::object) fail(fmt::format("{} is not an object", shown()));
}

void Value::fail(const std::string& message) const { throw InputError(json_->place_of(index_), message); }

std::string Value::shown() const {
  const Token& t = token();
  switch (t.type) {
    case JsonType::null:
      return "null";
    case JsonType::boolean:
      return t.payload != 0 ? "true" : "false";
    case JsonType::integer:
      return std::to_string(t.payload);
    case JsonType::fraction:
      return printable(json_->string(t), 40);
    case JsonType::key:
    case JsonType::string:
      return '"' + printable(json_->string(t), 60) + '"';
    case JsonType::array:
      return "an array";
    case JsonType::object:
      return "an object";
  }
  return "";
}

}  // namespace wormcast::io
