// Text that stands exactly as records are written, read step by step.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "topology/ids.hpp"

namespace wormcast::io {

// Reading the integers of records.

/// Bytes behind the end of a text that can be read: the first is one that no value goes on with, such as a
/// newline, the others may be any.
inline constexpr std::size_t readable_behind = 8;

/// A number and where it ends.
struct Digits {
  const char* end = nullptr;  ///< nullptr: there is none
  std::uint64_t value = 0;
};

/// The digits at `at`, up to 18, as the grammar of JSON has them. Behind the text stands what readable_behind
/// says.
inline Digits plain_digits(const char* at) {
  constexpr std::ptrdiff_t most = 18;  // never more than 63 bits
  const auto digit = [](char c) { return static_cast<unsigned char>(c - '0'); };
  if (digit(*at) > 9) return {};
  Digits number{at + 1, digit(*at)};
  for (; digit(*number.end) <= 9; ++number.end) number.value = number.value * 10 + digit(*number.end);
  if (number.end != at + 1 && (*at == '0' || number.end - at > most)) return {};
  return number;
}

/// The same, and the number ends there.
inline Digits plain_integer(const char* at) {
  const Digits number = plain_digits(at);
  if (number.end == nullptr || *number.end == '.' || *number.end == 'e' || *number.end == 'E') return {};
  return number;
}

/// A place in a text, behind which stands what readable_behind says; where members are asked for, something
/// stands before it. Each step is true and goes behind what it asks for, where that stands; after one that is
/// false the text has to be read in another way, which says what is wrong, if anything.
class WrittenText {
 public:
  explicit WrittenText(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  const char* place() const { return at_; }
  bool at_end() const { return at_ == end_; }

  // In line, so that the place stays in a register.
  template <std::size_t size>
  [[gnu::always_inline]] bool stands(const std::array<char, size>& literal) {
    if (static_cast<std::size_t>(end_ - at_) < size || !same<size>(at_, literal.data())) return false;
    at_ += size;
    return true;
  }
  [[gnu::always_inline]] bool stands(std::string_view text) {
    if (static_cast<std::size_t>(end_ - at_) < text.size() || std::memcmp(at_, text.data(), text.size()) != 0)
      return false;
    at_ += text.size();
    return true;
  }
  /// `,"key":`, without the comma for the first member of an object, which it is not `behind` others.
  template <bool behind, std::size_t size>
  [[gnu::always_inline]] bool member(const std::array<char, size>& key) {
    // Most members that may be left out are: their first letter tells.
    const bool first_member = !behind && at_[-1] == '{';
    if (at_[first_member ? 1 : 2] != key[2]) return false;
    if (!first_member) return stands(key);
    std::array<char, size - 1> first{};
    std::copy(key.begin() + 1, key.end(), first.begin());
    return stands(first);
  }
  /// A character that no value begins with, nor goes on with: it may be asked for at the end.
  [[gnu::always_inline]] bool stands(char c) {
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  [[gnu::always_inline]] bool number(std::uint64_t& value) {
    const Digits digits = plain_digits(at_);
    at_ = digits.end;
    value = digits.value;
    return digits.end != nullptr && digits.value <= max_integer;
  }
  [[gnu::always_inline]] bool signed_number(std::int64_t& value) {
    const bool negative = *at_ == '-';
    std::uint64_t size = 0;
    at_ += negative ? 1 : 0;
    if (!number(size) || (negative && size == 0)) return false;
    value = negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
    return true;
  }
  /// An array of integers; take(integer) is true for those that may be in it.
  template <class Take>
  [[gnu::always_inline]] bool signed_numbers(Take take) {
    if (!stands('[')) return false;
    do {
      std::int64_t number = 0;
      if (!signed_number(number) || !take(number)) return false;
    } while (stands(','));
    return stands(']');
  }
  /// A string of printable ASCII without escapes.
  bool plain_string(std::string_view& text) {
    if (*at_ != '"') return false;
    const char* at = at_ + 1;
    while (*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\') ++at;
    if (*at != '"' || at >= end_) return false;
    text = {at_ + 1, static_cast<std::size_t>(at - at_ - 1)};
    at_ = at + 1;
    return true;
  }
  /// Remembers this place.
  void mark() { mark_ = at_; }
  const char* marked() const { return mark_; }

 private:
  static std::uint64_t word(const char* at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
  }
  /// Without a call, which memcmp() is for most sizes.
  template <std::size_t size>
  [[gnu::always_inline]] static bool same(const char* a, const char* b) {
    constexpr std::size_t step = sizeof(std::uint64_t);
    if constexpr (size < step) {
      return std::memcmp(a, b, size) == 0;
    } else {
      std::uint64_t differing = word(a + size - step) ^ word(b + size - step);
      for (std::size_t i = 0; i + step < size; i += step) differing |= word(a + i) ^ word(b + i);
      return differing == 0;
    }
  }

  const char* at_;
  const char* end_;
  const char* mark_ = nullptr;
};

}  // namespace wormcast::io
