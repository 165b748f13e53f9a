// One record being written: members in the order of the calls, then the line's end.
// SPDX-License-Identifier: MIT
#pragma once

#include <any>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "topology/named_values.hpp"

namespace wormcast::io {

/// A number below 1000.
struct ShortNumber {
  std::array<char, 3> digits;
  std::uint8_t count;  ///< of its digits, which stand first
};
inline constexpr std::array<ShortNumber, 1000> short_numbers = [] {
  std::array<ShortNumber, 1000> all{};
  for (unsigned n = 0; n < all.size(); ++n)
    for (unsigned unit = n < 10 ? 1 : n < 100 ? 10 : 100; unit > 0; unit /= 10)
      all[n].digits[all[n].count++] = static_cast<char>('0' + n / unit % 10);
  return all;
}();

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
  RecordLine& number(std::uint64_t value) { return to(put(room(most_digits), value)); }
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
    constexpr std::size_t most = most_digits + 2;  // with its sign and comma
    char* at = room(most * range.size() + 2);
    *at = '[';
    for (const auto& element : range) {
      const std::int64_t value{number(element)};
      *++at = '-';  // behind a bracket or a comma
      at = value < 0 ? put(at + 1, ~static_cast<std::uint64_t>(value) + 1)
                     : put(at, static_cast<std::uint64_t>(value));
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
  /// What a codec of records keeps from one to the next, for itself: one T, whatever was kept before.
  template <class T>
  T& kept() {
    T* const known = std::any_cast<T>(&kept_);
    return known != nullptr ? *known : kept_.emplace<T>();
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
  /// Writes digits; most numbers are short, and come from the table. Room is for most_digits.
  static char* put(char* at, std::uint64_t value) {
    constexpr std::uint64_t short_end = short_numbers.size();
    if (value >= short_end) {
      if (value >= short_end * short_end) return std::to_chars(at, at + most_digits, value).ptr;
      at = put_short(at, value / short_end);
      value %= short_end;
      std::memcpy(at, "00", 2);  // before its last digits, where they are fewer than three
      at += 3 - short_numbers[value].count;
    }
    return put_short(at, value);
  }
  static char* put_short(char* at, std::uint64_t value) {
    const ShortNumber& number = short_numbers[value];
    std::memcpy(at, &number, sizeof number);
    return at + number.count;
  }
  void grow(std::size_t more);

  static constexpr std::size_t most_digits = 20;
  std::string buffer_ = std::string(1024, ' ');
  char* at_ = buffer_.data();
  char* end_ = buffer_.data() + buffer_.size();
  std::any kept_;
};

}  // namespace wormcast::io
