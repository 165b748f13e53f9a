// What the readers of text formats share: lines with their place, words, strict numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/format.hpp"

namespace wormcast::io {

/// The lines of a file, one after the other, without their ends (\n or \r\n).
class ImportLines {
 public:
  explicit ImportLines(const ImportFile& file) : file_(&file) {}

  std::optional<std::string_view> next();
  /// The next that holds more than blanks and does not begin with one of `comments`, trimmed.
  std::optional<std::string_view> next_text(std::string_view comments = "");
  /// Number of the line that next() gave last, from 1.
  std::uint64_t number() const { return number_; }
  /// Throws InputError with file and line.
  [[noreturn]] void fail(const std::string& field, const std::string& message) const;

  /// `text` of the line that next() gave last as a number in [least, most], with nothing after it.
  std::uint64_t number_in(std::string_view text, const std::string& field, std::uint64_t least,
                          std::uint64_t most) const;

 private:
  const ImportFile* file_;
  std::size_t begin_ = 0;
  std::uint64_t number_ = 0;
};

/// "net.txt: line 12", or "line 12" for standard input.
std::string import_place(const ImportFile& file, std::uint64_t line);
/// Throws InputError with that place.
[[noreturn]] void fail_import(const ImportFile& file, std::uint64_t line, const std::string& field,
                              const std::string& message);

/// The words of a line, separated by any of `separators`; none is empty.
std::vector<std::string_view> words_of(std::string_view line, std::string_view separators = " \t");
/// Without blanks, tabs and ends of lines at both ends.
std::string_view trimmed(std::string_view text);
/// `text` as UTF-8: bytes that are no part of a valid sequence become '?'.
std::string valid_utf8(std::string_view text);
/// A number to base 10 or 16 (without 0x), or nothing where the text is not exactly one.
std::optional<std::uint64_t> whole_number(std::string_view text, int base = 10);
/// 0x and 16 digits, from up to 16 digits with or without 0x; nothing for other text.
std::optional<std::string> guid_of(std::string_view text);
/// The first line of the file that holds more than blanks and does not begin with one of `comments`.
std::string_view first_line_of(const ImportFile& file, std::string_view comments);

}  // namespace wormcast::io
