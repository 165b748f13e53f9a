// Text that stands exactly as records are written, read step by step.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/text/plain_integer.hpp"
#include "topology/ids.hpp"

namespace wormcast::io {

/// A place in a text, behind which stands what readable_behind says. Each step is true and goes behind what
/// it asks for, where that stands; after one that is false the text has to be read in another way, which says
/// what is wrong, if anything.
class WrittenText {
 public:
  explicit WrittenText(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  const char* place() const { return at_; }
  bool at_end() const { return at_ == end_; }

  // In line, so that the place stays in a register. A literal is compared by words: its size is known.
  template <std::size_t Size>
  [[gnu::always_inline]] bool stands(const char (&literal)[Size]) {
    constexpr std::size_t size = Size - 1;
    constexpr std::size_t word = sizeof(std::uint64_t);
    if constexpr (size < word) {
      return stands(std::string_view(literal, size));
    } else {
      if (static_cast<std::size_t>(end_ - at_) < size) return false;
      std::uint64_t others = differences(at_ + size - word, literal + size - word);
      for (std::size_t i = 0; i + word < size; i += word) others |= differences(at_ + i, literal + i);
      if (others != 0) return false;
      at_ += size;
      return true;
    }
  }
  [[gnu::always_inline]] bool stands(std::string_view text) {
    if (static_cast<std::size_t>(end_ - at_) < text.size() || std::memcmp(at_, text.data(), text.size()) != 0)
      return false;
    at_ += text.size();
    return true;
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
  /// Numbers with commas between and the bracket behind them; take(number) is true for those that may stand
  /// here.
  template <class Take>
  [[gnu::always_inline]] bool numbers(Take take) {
    const char* at = at_ - 1;
    do {
      const Digits digits = plain_digits(at + 1);
      if (digits.end == nullptr || !take(digits.value)) return false;
      at = digits.end;
    } while (*at == ',');
    at_ = at;
    return stands(']');
  }
  /// The same for integers with a sign.
  template <class Take>
  [[gnu::always_inline]] bool signed_numbers(Take take) {
    const char* at = at_ - 1;
    do {
      const bool negative = *++at == '-';
      const Digits digits = plain_digits(at + (negative ? 1 : 0));
      if (digits.end == nullptr || (negative && digits.value == 0)) return false;
      const auto size = static_cast<std::int64_t>(digits.value);
      if (!take(negative ? -size : size)) return false;
      at = digits.end;
    } while (*at == ',');
    at_ = at;
    return stands(']');
  }

 private:
  [[gnu::always_inline]] static std::uint64_t differences(const char* a, const char* b) {
    std::uint64_t words[2];
    std::memcpy(&words[0], a, sizeof words[0]);
    std::memcpy(&words[1], b, sizeof words[1]);
    return words[0] ^ words[1];
  }

  const char* at_;
  const char* end_;
};

}  // namespace wormcast::io
