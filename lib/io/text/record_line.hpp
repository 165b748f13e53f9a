// One record being written: members in the order of the calls, then the line's end.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "topology/named_values.hpp"

namespace wormcast::io {

/// Appends one JSON Lines record to a buffer that is kept between records. Keys need no escaping.
class RecordLine {
 public:
  RecordLine() = default;
  RecordLine(const RecordLine&) = delete;
  RecordLine& operator=(const RecordLine&) = delete;

  /// Starts a record: {"kind":"plan"
  RecordLine& begin(std::string_view kind) {
    at_ = buffer_.data();
    return raw("{\"kind\":\"").raw(kind).raw("\"");
  }
  /// Starts an object that is no record: {
  RecordLine& begin_object() {
    at_ = buffer_.data();
    return raw("{");
  }
  /// Ends it; returns the whole object, without a newline.
  std::string_view end_object() {
    raw("}");
    return written();
  }
  RecordLine& key(std::string_view name) {
    if (at_[-1] != '{') raw(",");
    return raw("\"").raw(name).raw("\":");
  }
  RecordLine& number(std::uint64_t value) {
    constexpr std::size_t most = 20;
    char* const at = room(most);
    return to(std::to_chars(at, at + most, value).ptr);
  }
  RecordLine& signed_number(std::int64_t value) {
    if (value >= 0) return number(static_cast<std::uint64_t>(value));
    raw("-");
    return number(~static_cast<std::uint64_t>(value) + 1);
  }
  RecordLine& boolean(bool value) { return raw(value ? "true" : "false"); }
  /// A string, escaped where it needs it; throws InputError where it is not UTF-8.
  RecordLine& string(std::string_view value);
  /// An object of strings.
  RecordLine& values(const SharedValues& values);
  /// Text that is already JSON.
  RecordLine& raw(std::string_view json) {
    char* const at = room(json.size());
    std::memcpy(at, json.data(), json.size());
    return to(at + json.size());
  }
  /// `,"key":`, without the comma for the first member of an object.
  template <std::size_t size>
  RecordLine& member(const std::array<char, size>& key) {
    char* const at = room(size);
    if (at[-1] != '{') {
      std::memcpy(at, key.data(), size);
      return to(at + size);
    }
    std::memcpy(at, key.data() + 1, size - 1);
    return to(at + size - 1);
  }
  /// An array of `range`, each element written by write(element).
  template <class Range, class Write>
  RecordLine& array(const Range& range, Write write) {
    raw("[");
    bool first = true;
    for (const auto& element : range) {
      if (!first) raw(",");
      first = false;
      write(element);
    }
    return raw("]");
  }
  /// An array of number(element), a signed integer, of each element of `range`.
  template <class Range, class Number>
  RecordLine& integers(const Range& range, Number number) {
    constexpr std::size_t most = 21;  // with its comma
    char* at = room(most * range.size() + 2);
    *at = '[';
    for (const auto& element : range) {
      ++at;  // a bracket or a comma
      at = std::to_chars(at, at + most, std::int64_t{number(element)}).ptr;
      *at = ',';
    }
    if (range.empty()) ++at;
    *at = ']';
    return to(at + 1);
  }
  /// What has been written since the record was begun.
  std::string_view written() const {
    return {buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data())};
  }
  /// Ends the record with its x_ members ("" or `,"x_a":1`); returns the whole line.
  std::string_view end(std::string_view extras = "") {
    raw(extras).raw("}\n");
    return written();
  }

 private:
  /// Where the next byte goes, with room for `more`.
  char* room(std::size_t more) {
    if (static_cast<std::size_t>(end_ - at_) < more) [[unlikely]]
      grow(more);
    return at_;
  }
  RecordLine& to(char* end) {
    at_ = end;
    return *this;
  }
  void grow(std::size_t more);

  std::string buffer_ = std::string(1024, ' ');
  char* at_ = buffer_.data();
  char* end_ = buffer_.data() + buffer_.size();
};

}  // namespace wormcast::io
