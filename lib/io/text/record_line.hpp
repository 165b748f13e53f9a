// One record being written: members in the order of the calls, then the line's end.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace wormcast::io {

/// Appends one JSON Lines record to a buffer that is kept between records. Keys are literals that
/// need no escaping.
class RecordLine {
 public:
  /// Starts a record: {"kind":"plan"
  RecordLine& begin(std::string_view kind) {
    buffer_.clear();
    append("{\"kind\":\"");
    append(kind);
    append("\"");
    return *this;
  }
  /// Starts an object that is no record: {
  RecordLine& begin_object() {
    buffer_.clear();
    append("{");
    return *this;
  }
  /// Ends it; returns the whole object, without a newline.
  std::string_view end_object() {
    append("}");
    return {buffer_.data(), buffer_.size()};
  }
  RecordLine& key(std::string_view name) {
    if (buffer_[buffer_.size() - 1] != '{') append(",");
    append("\"");
    append(name);
    append("\":");
    return *this;
  }
  RecordLine& number(std::uint64_t value) {
    const fmt::format_int digits(value);
    buffer_.append(digits.data(), digits.data() + digits.size());
    return *this;
  }
  RecordLine& signed_number(std::int64_t value) {
    const fmt::format_int digits(value);
    buffer_.append(digits.data(), digits.data() + digits.size());
    return *this;
  }
  RecordLine& boolean(bool value) { return raw(value ? "true" : "false"); }
  /// A string, escaped where it needs it; throws InputError where it is not UTF-8.
  RecordLine& string(std::string_view value);
  /// Text that is already JSON.
  RecordLine& raw(std::string_view json) {
    append(json);
    return *this;
  }
  /// An array of `range`, each element written by write(element).
  template <class Range, class Write>
  RecordLine& array(const Range& range, Write write) {
    append("[");
    bool first = true;
    for (const auto& element : range) {
      if (!first) append(",");
      first = false;
      write(element);
    }
    append("]");
    return *this;
  }
  /// Ends the record with its x_ members ("" or `,"x_a":1`); returns the whole line.
  std::string_view end(std::string_view extras = {}) {
    append(extras);
    append("}\n");
    return {buffer_.data(), buffer_.size()};
  }

 private:
  void append(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }

  fmt::memory_buffer buffer_;
};

}  // namespace wormcast::io
