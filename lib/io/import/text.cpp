// Lines, words and numbers of text formats.
// SPDX-License-Identifier: MIT
#include "io/import/network_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "topology/error.hpp"
#include "topology/named_values.hpp"

namespace wormcast::io {

std::string import_place(const ImportFile& file, std::uint64_t line) {
  return file.name.empty() ? fmt::format("line {}", line) : fmt::format("{}: line {}", file.name, line);
}

void fail_import(const ImportFile& file, std::uint64_t line, const std::string& field,
                 const std::string& message) {
  throw InputError(field, message, import_place(file, line));
}

std::optional<std::string_view> ImportLines::next() {
  const std::string_view text = file_->text;
  if (begin_ >= text.size()) return std::nullopt;
  const std::size_t end = std::min(text.find('\n', begin_), text.size());
  std::string_view line = text.substr(begin_, end - begin_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  begin_ = end + 1;
  ++number_;
  return line;
}

std::optional<std::string_view> ImportLines::next_text(std::string_view comments) {
  while (const auto line = next()) {
    const std::string_view text = trimmed(*line);
    if (!text.empty() && comments.find(text.front()) == std::string_view::npos) return text;
  }
  return std::nullopt;
}

void ImportLines::fail(const std::string& field, const std::string& message) const {
  fail_import(*file_, number_, field, message);
}

std::uint64_t ImportLines::number_in(std::string_view text, const std::string& field, std::uint64_t least,
                                     std::uint64_t most) const {
  const std::optional<std::uint64_t> value = whole_number<std::uint64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  fail(field, value ? fmt::format("{} is not between {} and {}", in_quotes(text), least, most)
                    : fmt::format("{} is not a whole number", in_quotes(text)));
}

std::vector<std::string_view> words_of(std::string_view line, std::string_view separators) {
  std::array<bool, 256> separates{};
  for (const char c : separators) separates[static_cast<unsigned char>(c)] = true;
  const auto separator = [&](char c) { return separates[static_cast<unsigned char>(c)]; };
  std::vector<std::string_view> words;
  for (auto at = line.begin(); (at = std::find_if_not(at, line.end(), separator)) != line.end();) {
    const auto begin = std::exchange(at, std::find_if(at, line.end(), separator));
    words.emplace_back(begin, at);
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const unsigned first = byte(i);
    const std::size_t length = first < 0x80    ? 1
                               : first >= 0xf0 ? 4
                               : first >= 0xe0 ? 3
                               : first >= 0xc2 ? 2
                                               : 0;
    bool good = length != 0 && first != 0 && first <= 0xf4;
    for (std::size_t k = 1; k < length; ++k) good = good && (byte(i + k) & 0xc0) == 0x80;
    // The second byte rules out what is too long a spelling, a surrogate, or beyond the last code point.
    const unsigned second = byte(i + 1);
    if (first == 0xe0) good = good && second >= 0xa0;
    if (first == 0xed) good = good && second < 0xa0;
    if (first == 0xf0) good = good && second >= 0x90;
    if (first == 0xf4) good = good && second < 0x90;
    if (good)
      result += text.substr(i, length);
    else
      result += '?';
    i += good ? length : 1;
  }
  return result;
}

}  // namespace wormcast::io
