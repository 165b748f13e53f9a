// Reading the integers of records.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace wormcast::io {

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
  Digits number{at, 0};
  while (static_cast<unsigned char>(*number.end - '0') <= 9)
    number.value = number.value * 10 + static_cast<unsigned char>(*number.end++ - '0');
  if (number.end == at || number.end - at > most || (*at == '0' && number.end != at + 1)) return {};
  return number;
}

/// The same, and the number ends there.
inline Digits plain_integer(const char* at) {
  const Digits number = plain_digits(at);
  if (number.end == nullptr || *number.end == '.' || *number.end == 'e' || *number.end == 'E') return {};
  return number;
}

}  // namespace wormcast::io
